"""Tables whose columns only the rows tell."""

from __future__ import annotations

from typing import Any

from ..base.arguments import as_list
from ..base.collection import is_collection
from ..io.creation import from_pandas


def pivot_table(frame: Any, chosen: list[Any], options: dict[str, Any]) -> Any:
    """The table that pandas makes of the columns it reads; of all of them if none are chosen.

    It is computed now: which columns it has, and of which types, only the rows tell.
    """
    from raskt._compute import compute

    rows = frame[chosen] if chosen else frame
    keys = [key for side in ("index", "columns") for key in as_list(options[side]) if is_collection(key)]
    whole, *found = compute(rows, *keys)
    values = iter(found)
    for side in ("index", "columns"):
        given = options[side]
        named = [next(values) if is_collection(key) else key for key in as_list(given)]
        options[side] = named if isinstance(given, list) else named[0] if named else None
    return from_pandas(whole.pivot_table(**options), npartitions=1, sort=False)
