"""Orders of rows, for frames and series: arguments checked, and the order by labels."""

from __future__ import annotations

from typing import Any

from ..base.arguments import check_na_position
from ..base.meta import empty
from ..base.pandas_methods import gathered, native_or
from ..base.steps import with_steps_as

KINDS = ("quicksort", "mergesort", "heapsort", "stable")


def check_keep(keep: Any) -> None:
    """ValueError for what does not say which of equal rows stay."""
    if not (keep is False or (isinstance(keep, str) and keep in ("first", "last"))):
        raise ValueError('keep must be either "first", "last" or False')


def check_order(ascending: Any, kind: Any, na_position: Any, by: list[Any]) -> None:
    """ValueError for a wrong order, as pandas raises it."""
    check_na_position(na_position)
    check_kind(kind)
    if isinstance(ascending, list | tuple):
        if len(ascending) != len(by):
            raise ValueError(f"Length of ascending ({len(ascending)}) != length of by ({len(by)})")
    for one in ascending if isinstance(ascending, list | tuple) else [ascending]:
        if not isinstance(one, bool | int) and type(one).__name__ != "bool":
            raise ValueError(f'For argument "ascending" expected type bool, received type {type(one).__name__}.')


def check_kind(kind: Any) -> None:
    """ValueError for a way to sort that NumPy does not have; the order here is stable, whichever is named."""
    if kind is not None and kind not in KINDS:
        raise ValueError(f"sort kind must be one of {', '.join(KINDS)} (got {kind!r})")


def is_category(dtype: Any) -> bool:
    """Whether a type is of categories."""
    import pandas as pd

    return isinstance(dtype, pd.CategoricalDtype)


def sorted_by_labels(rows: Any, options: dict[str, Any]) -> Any:
    """The rows of a frame or series in the order of their labels: natively for one level, else gathered, in pandas."""
    levels, ascending = rows._as_frame().index_names, options["ascending"]
    meta = empty(rows).reset_index(drop=True) if options["ignore_index"] else empty(rows)
    check_kind(options["kind"])
    in_pandas = lambda: gathered("sort_index", rows, meta=meta, **{**options, "kind": "stable"})
    one = ascending[0] if isinstance(ascending, list | tuple) and len(ascending) == 1 else ascending
    if len(levels) != 1 or options["key"] is not None or isinstance(one, list | tuple):
        return in_pandas()
    if is_category(empty(rows).index.dtype):
        return in_pandas()  # which leaves rows as they are where codes ascend, that of a missing label being the least
    level = options["level"]
    if level is not None and level not in (0, -1, levels[0], [0], [levels[0]]):
        return in_pandas()
    if level is not None and not one:
        return in_pandas()  # which turns equal labels round then
    check_order(one, options["kind"], options["na_position"], levels)
    order = [bool(one)], options["na_position"], options["ignore_index"]
    found = native_or(lambda: rows._framed(lambda frame: frame.sort([frame.index()], *order)), in_pandas)
    if options["ignore_index"]:
        return found
    return with_steps_as(found, rows, lambda labels: labels.sort_values(ascending=bool(one)))
