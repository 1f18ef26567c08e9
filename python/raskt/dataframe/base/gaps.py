"""Integers and truth values that may be missing, handed over to functions of partitions.

pandas has floats or objects of all of them as soon as one of all rows is missing, in every partition then. So what
functions of partitions get of such columns goes by what all rows tell.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .collection import is_collection, is_index, is_labels, is_scalar
from .meta import GAPS, columns_of
from .registry import wrap

#: Of how many columns one argument tells whether a value is missing.
COUNT = 50
#: What stands for row labels among the numbers of columns.
LABELS = -1


def with_gaps(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Callable[..., Any], dict[str, Any]]:
    """A function, and its arguments by name, that gets columns of the types that all of their rows give them."""
    places: list[tuple[int | str, int]] = []
    missing: list[Any] = []
    for place, rows in (*enumerate(args), *kwargs.items()):
        if not is_collection(rows) or is_scalar(rows):
            continue
        for at, column in (*enumerate(columns_of(rows)), *labels_of(rows)):
            if getattr(column, "may_be_retyped", False):
                missing.append(column.unary("isna").reduce("any"))
                places.append((place, at))
    if not places:
        return function, kwargs
    groups = range(0, len(places), COUNT)
    told = {f"{GAPS}{at}": bits_of(missing[at : at + COUNT]) for at in groups}
    return WithGaps(function, places), kwargs | told


def labels_of(rows: Any) -> list[tuple[int, Any]]:
    """The only level of the labels of rows, under the number that stands for it."""
    if is_labels(rows) or is_index(rows):
        return []
    frame = rows._as_frame()
    return [(LABELS, frame.index().to_series())] if len(frame.index_names) == 1 else []


def bits_of(marks: list[Any]) -> Any:
    """Lazy truth values as the bits of one lazy integer."""
    bits = [wrap(mark.cast("int64")) * (1 << at) for at, mark in enumerate(marks)]
    return sum(bits[1:], bits[0])


class WithGaps:
    """A function whose integers are floats where it is told so; it can be sent to a worker process."""

    def __init__(self, function: Callable[..., Any], places: list[tuple[int | str, int]]) -> None:
        self.function, self.places = function, places

    def tried(self, *args: Any, **kwargs: Any) -> Any:
        """The result for a few rows, which have the types already that they are promised to have."""
        call = getattr(self.function, "tried", self.function)
        return call(*args, **{name: value for name, value in kwargs.items() if not name.startswith(GAPS)})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result of the function."""
        arguments: dict[int | str, Any] = {**dict(enumerate(args)), **kwargs}
        bits = {at: int(arguments.pop(f"{GAPS}{at}")) for at in range(0, len(self.places), COUNT)}
        for number, (place, at) in enumerate(self.places):
            if bits[number - number % COUNT] >> number % COUNT & 1:
                arguments[place] = retyped(arguments[place], at)
        positional = [arguments.pop(at) for at in range(len(args))]
        return self.function(*positional, **arguments)


def retyped(rows: Any, at: int) -> Any:
    """Rows of pandas with a column, or their labels, of the type that they have where one is missing."""
    if at == LABELS:
        return rows.set_axis(loosened(rows.index), axis=0)
    if rows.ndim == 1:
        return loosened(rows)
    values = rows.iloc[:, at]
    if values.dtype.kind not in "iub":
        return rows
    rows = rows.copy(deep=False)
    rows.isetitem(at, loosened(values))
    return rows


def loosened(values: Any) -> Any:
    """Integers as floats, truth values as objects."""
    kind = values.dtype.kind
    return values.astype("float64") if kind in "iu" else values.astype(object) if kind == "b" else values
