"""Futures of a cluster, where somebody has a client of one."""

from __future__ import annotations

import sys
from typing import Any


def client() -> Any:
    """The client on which calls are made, if there is one."""
    if "raskt.distributed" not in sys.modules:
        return None
    from raskt import config
    from raskt.distributed import _current

    return None if config._state.is_set("scheduler") else _current.current()


def waiting() -> Any:
    """What waits for futures of a cluster."""
    from raskt.distributed import _waiting

    return _waiting


def futures_in(value: Any, of_collections: bool = True) -> list[Any]:
    """The futures of clusters in `value`, and those of persisted collections in it."""
    if "raskt.distributed" not in sys.modules:
        return []
    from raskt.distributed import _nested

    return _nested.futures_of(value) if of_collections else _nested.futures_in(value)


def has_futures(value: Any, of_collections: bool = True) -> bool:
    """Whether there are any; one list with those of this process can't hold them.

    Raises
    ------
    TypeError
        If futures of both kinds are in it.
    """
    if not futures_in(value, of_collections):
        return False
    from raskt._core import futures_in as futures_here

    if futures_here(value):
        raise TypeError("futures of a cluster and of this process are waited for one kind at a time")
    return True
