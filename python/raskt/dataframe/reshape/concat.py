"""Frames one under another, and columns side by side."""

from __future__ import annotations

from typing import Any

from ..base.collection import as_column, is_frame, root_frame
from ..base.labels import encode_label
from ..base.registry import core, wrap


def under(items: list[Any], join: str, ignore_index: bool) -> Any:
    """The rows of frames or of series one under another."""
    if any(is_frame(item) for item in items):
        frames = [item._expr if is_frame(item) else item.to_frame()._expr for item in items]
        return wrap(core().frame_concat(frames, join=join, ignore_index=ignore_index))
    names = {item._expr.name for item in items}
    frames = [as_column(item).to_frame("0") for item in items]
    joined = core().frame_concat(frames, join=join, ignore_index=ignore_index).column("0")
    return wrap(joined.rename(names.pop() if len(names) == 1 else None))


def beside(items: list[Any]) -> Any:
    """Columns of the same rows side by side; NotImplementedError for other rows, ValueError for a name met twice."""
    columns: list[tuple[str, Any]] = []
    for at, item in enumerate(items):
        if is_frame(item):
            columns += [(name, item._expr.column(name)) for name in item._expr.columns]
        else:
            columns.append((item._expr.name or encode_label(at), as_column(item)))
    names = [name for name, _ in columns]
    if len(set(names)) != len(names):
        raise ValueError(f"column names must be different from each other: {names}")
    return wrap(root_frame(items[0]).select(columns))
