"""Functions of users that get one value after another, by methods of pandas that give their results a type.

pandas finds the type by all results: None beside integers is NaN beside floats, and stays None beside text. A partition
doesn't see all of them. So results that are promised to be objects stay what the function gave, without a look at the
rest of the partition; and where a trial gave nothing but missing values, which promises nothing, partitions that would
be of a type are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .meta import normalise
from .partitionwise import WithNames, over_rows


class OfValues(WithNames):
    """A method of pandas with a user's function of values, and what follows, by name and place.

    Rows come first, the function next. `by_columns` if it gives each column of a frame for itself.
    """

    def __init__(self, method: Callable[..., Any], names: list[str], by_columns: bool, empty: Any = None) -> None:
        super().__init__(method, names)
        self.by_columns = by_columns
        #: What no rows give, if somebody said it.
        self.empty = empty
        #: Of which columns results are objects, and of which a trial said nothing.
        self.objects: list[bool] = []
        self.unknown: list[bool] = []

    def learn(self, found: Any) -> None:
        """Take in what a trial gave."""
        columns = columns_of(found)
        self.unknown = [is_object(one) and bool(one.isna().all()) for one in columns]
        boxed = found.ndim == 1 or self.by_columns
        self.objects = [boxed and is_object(one) and not none for one, none in zip(columns, self.unknown, strict=True)]

    def __call__(self, rows: Any, function: Any, *values: Any) -> Any:
        """The results for some rows."""
        if self.empty is not None and not len(rows):
            return self.empty
        by_value = rows.ndim == 1 or self.by_columns
        if not any(self.objects) or (by_value and has_categories(rows)):
            found = super().__call__(rows, function, *values)
            refuse_told(found, self.unknown)
            return found
        boxed = super().__call__(rows, Boxed(function), *values)
        return unboxed(boxed, self.objects) if boxed.ndim == 1 or self.by_columns else boxed

    def tried(self, rows: Any, function: Any, *values: Any) -> Any:
        """The results for a few rows, with a type that all of those give."""
        return super().__call__(rows, function, *values)


class Box:
    """A value that pandas has no type for."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Boxed:
    """A function whose results come in boxes."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Box:
        """The result, in a box."""
        return Box(self.function(*args, **kwargs))


def unboxed(boxed: Any, objects: list[bool]) -> Any:
    """What is in the boxes: as objects where those are promised, else of the type that pandas gives them."""
    import pandas as pd

    if boxed.ndim == 1:
        return out_of_boxes(boxed, objects[0])
    columns = {at: out_of_boxes(boxed.iloc[:, at], is_kept) for at, is_kept in enumerate(objects)}
    return pd.DataFrame(columns, index=boxed.index).set_axis(boxed.columns, axis=1)


def out_of_boxes(boxed: Any, as_objects: bool) -> Any:
    """A series of what is in the boxes of one."""
    import numpy as np
    import pandas as pd

    values = np.empty(len(boxed), dtype=object)
    for at, value in enumerate(boxed):
        values[at] = value.value if type(value) is Box else value
    found = pd.Series(values, index=boxed.index, name=boxed.name, dtype=object)
    return found if as_objects else found.map(lambda value: value)


def columns_of(found: Any) -> list[Any]:
    """The columns of a pandas object."""
    return [found.iloc[:, at] for at in range(found.shape[1])] if found.ndim == 2 else [found]


def is_object(column: Any) -> bool:
    """Whether a column is of objects."""
    return bool(column.dtype == object)


def has_categories(rows: Any) -> bool:
    """Whether rows have a column of categories, of which pandas calls functions once each."""
    import pandas as pd

    return any(isinstance(getattr(one, "dtype", None), pd.CategoricalDtype) for one in columns_of(rows))


def refuse_told(found: Any, unknown: list[bool]) -> None:
    """NotImplementedError where values have a type of which the few rows of a trial told nothing."""
    if len(unknown) != (found.shape[1] if found.ndim == 2 else 1):
        return
    for column, nothing in zip(columns_of(found), unknown, strict=True):
        if nothing and not is_object(column) and column.dtype != bool and column.notna().any():
            raise NotImplementedError(
                f"the function gives values of {column.dtype} here, and gave missing ones alone for the few rows that "
                "it was tried on: pass meta= with the names and types of the result"
            )


def of_values(
    method: Callable[..., Any],
    rows: Any,
    function: Callable[..., Any],
    given: dict[str, Any],
    *,
    meta: Any,
    by_columns: bool = False,
    empty: Any = None,
    by_labels: bool | None = None,
) -> Any:
    """A user's function of each value of lazy rows, by a method of pandas with more arguments, as many rows."""
    call = OfValues(method, list(given), by_columns, empty)
    if meta is not None:
        call.objects = [is_object(one) for one in columns_of(normalise(meta))]
    name = getattr(function, "__name__", getattr(method, "__name__", "map"))
    return over_rows(call, rows, function, *given.values(), name=name, meta=meta, by_labels=by_labels)
