"""Rows chosen by lazy arrays: of truth values, of labels, of positions."""

from __future__ import annotations

from typing import Any

from ..base.lazy_arrays import ITEM, MASK, Mismatch, column_beside, values_of
from ..base.meta import empty
from ..base.whole import over_whole


def by_array(rows: Any, key: Any) -> Any:
    """The rows that an array chooses in `loc`, or in the brackets of a series: by truth values, or as labels."""
    refuse_dimensions(key)
    if key.dtype.kind == "b":
        return marked(rows, key, MASK)
    return over_whole(at_labels, rows, values_of(key), name="loc", meta=empty(rows))


def by_array_in_brackets(frame: Any, key: Any) -> Any:
    """What an array means in the brackets of a frame: the rows where it is true."""
    if key.dtype.kind != "b":
        raise NotImplementedError(
            "columns by a lazy array: compute it first, since columns are known without computing"
        )
    if key.ndim == 2:
        raise NotImplementedError(
            "frame[array] of two dimensions, for which pandas repeats rows: frame.where(array) has the values where it "
            "is true"
        )
    refuse_dimensions(key)
    return marked(frame, key, ITEM)


def at_positions(rows: Any, key: Any) -> Any:
    """The rows that an array chooses in `iloc`: by truth values, or by positions."""
    if not key.ndim:
        raise NotImplementedError("iloc by one lazy position: give a slice, or compute the position first")
    refuse_dimensions(key)
    if key.dtype.kind == "b":
        return marked(rows, key, MASK)
    if key.dtype.kind not in "iu":
        raise IndexError(f".iloc requires numeric indexers, got an array of {key.dtype}")
    return over_whole(at, rows, values_of(key), name="iloc", meta=empty(rows))


def marked(rows: Any, key: Any, mismatch: Mismatch) -> Any:
    """The rows at whose positions an array is true."""
    mask = column_beside(rows, key, mismatch)._expr
    return rows._framed(lambda frame: frame.filter(mask))


def refuse_dimensions(key: Any) -> None:
    """An error for an array that isn't of one dimension; of truth values, for which pandas repeats rows, another."""
    if key.ndim == 2 and key.dtype.kind == "b":
        raise NotImplementedError("rows by truth values of two dimensions: give a line, such as array.any(axis=1)")
    if key.ndim != 1:
        raise ValueError(f"Cannot index with multidimensional key: rows are chosen by a line, not by shape {key.shape}")


def at_labels(part: Any, labels: Any) -> Any:
    """The rows of labels."""
    return part.loc[labels.to_numpy()]


def at(part: Any, positions: Any) -> Any:
    """The rows at positions."""
    return part.iloc[positions.to_numpy()]
