"""Frames one under another, and columns side by side."""

from __future__ import annotations

from typing import Any

from ..base.collection import as_column, is_frame, root_frame
from ..base.labels import encode_label
from ..base.registry import core, wrap
from ..base.whole import is_foreign, over_whole


class Concat:
    """pandas' `concat` as a function of the objects."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options

    def __call__(self, *parts: Any) -> Any:
        """The objects put together."""
        import pandas as pd

        return pd.concat(parts, **self.options)


def gathered(items: list[Any], options: dict[str, Any]) -> Any:
    """All rows of all objects, put together by pandas."""
    return over_whole(Concat(options), *items, name="concat", may_miss=True)


def under(items: list[Any], join: str, ignore_index: bool) -> Any:
    """The rows of frames or of series one under another."""
    if any(is_frame(item) for item in items):
        return wrap(core().frame_concat([item._expr for item in items], join=join, ignore_index=ignore_index))
    names = {item._expr.name for item in items}
    frames = [as_column(item).to_frame("0") for item in items]
    joined = core().frame_concat(frames, join=join, ignore_index=ignore_index).column("0")
    return wrap(joined.rename(names.pop() if len(names) == 1 else None))


def can_stand_under(items: list[Any], join: str, sort: bool) -> bool:
    """Whether rows go one under another natively: all are of one kind, and types are the same or numbers."""
    frames = [item for item in items if is_frame(item)]
    if frames and len(frames) < len(items):
        return False
    labels = [item._as_frame().index_dtypes for item in items]
    if len({len(types) for types in labels}) > 1 or not all(go_together(types) for types in zip(*labels, strict=True)):
        return False
    if not frames:
        return go_together([item._expr.dtype for item in items])
    if sort and len({tuple(item._expr.columns) for item in items}) > 1:
        return False
    found: dict[str, list[str]] = {}
    for item in items:
        for name, dtype in zip(item._expr.columns, item._expr.dtypes, strict=True):
            found.setdefault(name, []).append(dtype)
    return all(go_together(types) for types in found.values())


def go_together(dtypes: Any) -> bool:
    """Whether values of several types have the type that pandas gives them also natively."""
    different = set(dtypes)
    if len(different) == 1:
        return "category" not in different
    return different <= {"int8", "int16", "int32", "int64", "float64"}


def can_stand_beside(items: list[Any]) -> bool:
    """Whether columns are of the same rows, and have names of their own."""
    if any(is_foreign(items[0], item) for item in items[1:]):
        return False
    names = [name for name, _ in columns_of(items)]
    return len(set(names)) == len(names)


def beside(items: list[Any]) -> Any:
    """Columns of the same rows side by side."""
    return wrap(root_frame(items[0]).select(columns_of(items)))


def columns_of(items: list[Any]) -> list[tuple[str, Any]]:
    """The columns of frames and series; series without a name are numbered."""
    columns: list[tuple[str, Any]] = []
    unnamed = 0
    for item in items:
        if is_frame(item):
            columns += [(name, item._expr.column(name)) for name in item._expr.columns]
            continue
        name = item._expr.name
        columns.append((encode_label(unnamed) if name is None else name, as_column(item)))
        unnamed += name is None
    return columns
