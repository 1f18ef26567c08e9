"""Integers that may be missing, handed over to functions of partitions.

pandas has floats of all of them as soon as one of all rows is missing, in every partition then. So what functions of
partitions get of such columns goes by a value that all rows tell.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .collection import is_collection, is_index, is_labels, is_scalar
from .meta import columns_of
from .registry import wrap

#: How the arguments are called that tell whether one is missing.
GAP = "raskt_gap_"
#: What stands for row labels among the numbers of columns.
LABELS = -1


def with_gaps(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Callable[..., Any], dict[str, Any]]:
    """A function, and its arguments by name, that gets floats where one of the integers of a column is missing."""
    places: list[tuple[int | str, int]] = []
    told: dict[str, Any] = {}
    for place, rows in (*enumerate(args), *kwargs.items()):
        if not is_collection(rows) or is_scalar(rows):
            continue
        for at, column in (*enumerate(columns_of(rows)), *labels_of(rows)):
            if getattr(column, "may_be_rounded", False):
                told[f"{GAP}{len(places)}"] = wrap(column.unary("isna").reduce("any"))
                places.append((place, at))
    return (WithGaps(function, places), kwargs | told) if places else (function, kwargs)


def labels_of(rows: Any) -> list[tuple[int, Any]]:
    """The only level of the labels of rows, under the number that stands for it."""
    if is_labels(rows) or is_index(rows):
        return []
    frame = rows._as_frame()
    return [(LABELS, frame.index().to_series())] if len(frame.index_names) == 1 else []


class WithGaps:
    """A function whose integers are floats where it is told so; it can be sent to a worker process."""

    def __init__(self, function: Callable[..., Any], places: list[tuple[int | str, int]]) -> None:
        self.function, self.places = function, places

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result of the function."""
        arguments: dict[int | str, Any] = {**dict(enumerate(args)), **kwargs}
        gaps = [arguments.pop(f"{GAP}{at}") for at in range(len(self.places))]
        for (place, at), is_one_missing in zip(self.places, gaps, strict=True):
            if is_one_missing:
                arguments[place] = as_floats(arguments[place], at)
        positional = [arguments.pop(at) for at in range(len(args))]
        return self.function(*positional, **arguments)


def as_floats(rows: Any, at: int) -> Any:
    """Rows of pandas with a column of integers, or their labels, as floats."""
    if at == LABELS:
        return rows.set_axis(rows.index.astype("float64"), axis=0) if rows.index.dtype.kind in "iu" else rows
    values = rows.iloc[:, at] if rows.ndim == 2 else rows
    if values.dtype.kind not in "iu":
        return rows
    if rows.ndim == 1:
        return rows.astype("float64")
    rows = rows.copy(deep=False)
    rows.isetitem(at, values.astype("float64"))
    return rows
