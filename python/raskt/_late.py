"""Values that are still to come, among arguments of functions that are called with values."""

from __future__ import annotations

from typing import Any

from raskt import _core

LATE = (_core.ClusterFuture, _core.Delayed, _core.Future)
"""What stands for them."""

INSTEAD = {_core.Delayed: "x.compute()"}
"""How a value is had of one; of the others by `future.result()`."""


def refuse_late(argument: Any) -> None:
    """An error for a future or delayed object in an argument, or in a list, tuple or dictionary of it.

    Raises
    ------
    NotImplementedError
        If there is one: functions of blocks and of partitions would get the object, and not what it stands for.
    """
    if isinstance(argument, LATE):
        raise NotImplementedError(
            f"{argument!r} stands among arguments of a function of blocks or partitions, where it isn't replaced "
            f"by its value: pass {INSTEAD.get(type(argument), 'future.result()')}, or call the function by "
            "raskt.delayed on .to_delayed() parts"
        )
    if type(argument) in (list, tuple):
        for item in argument:
            refuse_late(item)
    elif type(argument) is dict:
        for item in argument.values():
            refuse_late(item)
