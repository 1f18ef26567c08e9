"""Rows by position."""

from __future__ import annotations

from typing import Any

from ..base.array_arguments import is_lazy_array
from ..base.collection import is_collection
from ..base.meta import empty
from ..base.partitionwise import over_all
from ..base.registry import wrap
from ..base.steps import with_steps_as
from .arrays import at_positions

#: More rows than there can be.
ALL_ROWS = 2**62


def rows_at(rows: Any, key: Any) -> Any:
    """The rows at positions: a slice natively where its ends allow that, all else in pandas on all rows at once."""
    if is_lazy_array(key):
        return at_positions(rows, key)
    if isinstance(key, slice):
        span = plain_span(key)
        if key == slice(None):
            return rows.copy()
        if span is not None:
            return rows._framed(lambda frame: frame.slice(*span))
        check_ends(key)
    elif is_collection(key):
        raise NotImplementedError("iloc by a lazy object: compute the positions first")
    elif hasattr(key, "__index__") and not hasattr(key, "__len__") and not isinstance(key, bool):
        raise NotImplementedError(f"one row as a series: df.iloc[[{int(key)}]] gives it as a frame")
    elif isinstance(key, tuple) or not hasattr(key, "__len__"):
        raise TypeError(f"Cannot index by location index with a non-integer key: {key!r}")
    found = over_all(lambda part: part.iloc[key], rows, name="iloc", meta=empty(rows), plainly=True)
    return with_steps_as(found, rows, lambda labels: labels[every(key)])


def every(key: Any) -> Any:
    """A slice of any labels that are so far apart as those at the positions `key`; those themselves if they are not."""
    import numpy as np

    if isinstance(key, slice):
        return slice(None, None, key.step)
    if len(key) == 1:
        return slice(None)
    steps = set(np.diff(np.asarray(key))) if len(key) > 1 and np.asarray(key).dtype.kind in "iu" else set()
    same_side = steps and (min(key) >= 0 or max(key) < 0)
    return slice(None, None, int(steps.pop())) if same_side and len(steps) == 1 and 0 not in steps else []


def plain_span(key: slice) -> tuple[int, int] | None:
    """The first position and the number of rows of a slice, where they say themselves what they are."""
    check_ends(key)
    start, stop = (None if end is None else min(int(end), ALL_ROWS) for end in (key.start or 0, key.stop))
    if key.step not in (None, 1):
        return None
    if start < 0:
        return (max(start, -ALL_ROWS), ALL_ROWS) if stop is None else None
    if stop is None:
        return start, ALL_ROWS
    return (start, max(0, stop - start)) if stop >= 0 else None


def check_ends(key: slice) -> None:
    """TypeError unless the ends of a slice are integers."""
    for end in (key.start, key.stop, key.step):
        if end is not None and (isinstance(end, bool) or not hasattr(end, "__index__")):
            raise TypeError(f"cannot do positional indexing with these indexers [{end}] of type {type(end).__name__}")


def value_at(series: Any, at: int) -> Any:
    """The value at a position, as a lazy scalar."""
    found = over_all(lambda part: part.iloc[[at]], series, name="iloc", meta=empty(series), plainly=True)
    return wrap(found._expr.reduce("only"))


def has_one_row(rows: Any, instead: str) -> bool:
    """Whether there is one row; NotImplementedError where only computing tells."""
    known = rows._as_frame().length()
    if known is None:
        raise NotImplementedError(f"squeeze: only computing tells whether there is one row; use {instead}, or compute")
    return bool(known == 1)
