"""Tables whose columns only the rows tell."""

from __future__ import annotations

from typing import Any

from ..io.creation import from_pandas


def pivot_table(frame: Any, chosen: list[Any], options: dict[str, Any]) -> Any:
    """The table that pandas makes of the columns it reads; of all of them if none are chosen.

    It is computed now: which columns it has, and of which types, only the rows tell.
    """
    rows = frame[chosen] if chosen else frame
    return from_pandas(rows.compute().pivot_table(**options), npartitions=1, sort=False)
