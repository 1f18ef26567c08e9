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
#: What stands for the first level of row labels among the numbers of columns; others are below it.
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
    """The levels of the labels of rows, each under the number that stands for it."""
    if is_labels(rows) or is_index(rows):
        return []
    frame = rows._as_frame()
    if len(frame.index_names) == 1:
        return [(LABELS, frame.index().to_series())]
    return [(LABELS - at, frame.level(at)) for at in range(len(frame.index_names))]


def bits_of(marks: list[Any]) -> Any:
    """Lazy truth values as the bits of one lazy integer."""
    bits = [wrap(mark.cast("int64")) * (1 << at) for at, mark in enumerate(marks)]
    return sum(bits[1:], bits[0])


class WithGaps:
    """A function that gets floats for integers, and objects for truth values, where it is told so; it can be sent to a
    worker process."""

    def __init__(self, function: Callable[..., Any], places: list[tuple[int | str, int]]) -> None:
        self.function, self.places = function, places

    def tried(self, *args: Any, **kwargs: Any) -> Any:
        """The result for a few rows, of the types that they are promised to have: those where one is missing."""
        return self._call(getattr(self.function, "tried", self.function), lambda bits, number: True, args, kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result of the function."""
        is_set = lambda bits, number: bits[number // COUNT] >> number % COUNT & 1
        return self._call(self.function, is_set, args, kwargs)

    def _call(
        self, function: Callable[..., Any], is_set: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        arguments: dict[int | str, Any] = {**dict(enumerate(args)), **kwargs}
        bits = [int(arguments.pop(f"{GAPS}{at}")) for at in range(0, len(self.places), COUNT)]
        for number, (place, at) in enumerate(self.places):
            if is_set(bits, number):
                arguments[place] = retyped(arguments[place], at)
        positional = [arguments.pop(at) for at in range(len(args))]
        return function(*positional, **arguments)


def retyped(rows: Any, at: int) -> Any:
    """Rows of pandas with a column, or their labels, of the type that they have where one is missing."""
    import pandas as pd

    if at <= LABELS:
        return rows.set_axis(with_level(rows.index, LABELS - at), axis=0)
    if isinstance(rows, pd.MultiIndex):
        return with_level(rows, at)
    if rows.ndim == 1:
        return loosened(rows)
    values = rows.iloc[:, at]
    if values.dtype.kind not in "iub":
        return rows
    rows = rows.copy(deep=False)
    rows.isetitem(at, loosened(values))
    return rows


def with_level(index: Any, at: int) -> Any:
    """Labels with a level of the type that it has where one is missing."""
    import pandas as pd

    if index.nlevels == 1:
        return loosened(index)
    levels = [index.get_level_values(level) for level in range(index.nlevels)]
    if levels[at].dtype.kind not in "iub":
        return index
    levels[at] = loosened(levels[at])
    return pd.MultiIndex.from_arrays(levels, names=index.names)


def loosened(values: Any) -> Any:
    """Integers as floats, truth values as objects."""
    kind = values.dtype.kind
    return values.astype("float64") if kind in "iu" else values.astype(object) if kind == "b" else values
