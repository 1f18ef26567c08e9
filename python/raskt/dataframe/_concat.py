"""Frames one under another, and columns side by side."""

from __future__ import annotations

from typing import Any

from ._engine import as_column, core, wrap
from ._labels import encode_label


def under(items: list[Any], join: str, ignore_index: bool) -> Any:
    """The rows of frames or of series one under another."""
    from ._frame import DataFrame

    if any(isinstance(item, DataFrame) for item in items):
        frames = [item._expr if isinstance(item, DataFrame) else item.to_frame()._expr for item in items]
        return wrap(core().frame_concat(frames, join=join, ignore_index=ignore_index))
    names = {item._expr.name for item in items}
    frames = [as_column(item).to_frame("0") for item in items]
    joined = core().frame_concat(frames, join=join, ignore_index=ignore_index).column("0")
    return wrap(joined.rename(names.pop() if len(names) == 1 else None))


def beside(items: list[Any]) -> Any:
    """Columns of the same rows side by side; NotImplementedError for other rows, ValueError for a name met twice."""
    from ._engine import root_frame
    from ._frame import DataFrame

    columns: list[tuple[str, Any]] = []
    for at, item in enumerate(items):
        if isinstance(item, DataFrame):
            columns += [(name, item._expr.column(name)) for name in item._expr.columns]
        else:
            columns.append((item._expr.name or encode_label(at), as_column(item)))
    names = [name for name, _ in columns]
    if len(set(names)) != len(names):
        raise ValueError(f"column names must be different from each other: {names}")
    return wrap(root_frame(items[0]).select(columns))
