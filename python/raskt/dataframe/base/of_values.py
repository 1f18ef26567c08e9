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
        self.raw = False
        #: What no rows give, if somebody said it.
        self.empty = empty
        #: Of which columns results are objects, and of which a trial said nothing.
        self.types: list[Any] = []
        self.objects: list[bool] = []
        self.unknown: list[bool] = []

    def learn(self, found: Any) -> None:
        """Take in what a trial gave."""
        columns = columns_of(found)
        self.types = [one.dtype for one in columns]
        self.unknown = [bool(one.isna().all()) for one in columns]
        self.promise(found, [not none for none in self.unknown])

    def promise(self, meta: Any, known: list[bool]) -> None:
        """Columns of objects are to stay what the function gives, where that is `known`."""
        # NumPy, to which pandas hands `raw` rows, makes arrays of lists; and a series of a row isn't one value.
        boxed = (meta.ndim == 1 or self.by_columns) and not self.raw
        self.types = [one.dtype for one in columns_of(meta)]
        self.objects = [boxed and is_object(one) and told for one, told in zip(columns_of(meta), known, strict=True)]

    def __call__(self, rows: Any, function: Any, *values: Any) -> Any:
        """The results for some rows."""
        if self.empty is not None and not len(rows):
            return self.empty
        if self.raw and len(self.types) == 1 and self.types[0].kind in "iufc":
            function = OfType(function, self.types[0])
        by_value = rows.ndim == 1 or self.by_columns
        if not any(self.objects) or (by_value and has_categories(rows)):
            found = super().__call__(rows, function, *values)
            self.refuse_others(found)
            return found
        boxed = super().__call__(rows, Boxed(function), *values)
        return unboxed(boxed, self.objects) if boxed.ndim == 1 or self.by_columns else boxed

    def refuse_others(self, found: Any) -> None:
        """NotImplementedError where values have a type that neither a trial nor a partition tells of all of them.

        Of types that somebody said there is nothing to be told.
        """
        columns = columns_of(found)
        if len(columns) != len(self.unknown):
            return
        for at, (column, promised) in enumerate(zip(columns, self.types, strict=True)):
            nothing = self.unknown[at]
            if (nothing or promised == object) and not may_be(column, promised):
                raise NotImplementedError(
                    f"the function gives values of {column.dtype} here, and "
                    + ("missing ones alone" if nothing else "objects")
                    + " for the few rows that it was tried on, and the type goes by all: pass meta= with the names and "
                    "types of the result, and give values of those"
                )

    def tried(self, rows: Any, function: Any, *values: Any) -> Any:
        """The results for a few rows, with a type that all of those give."""
        return super().__call__(rows, function, *values)


class Box:
    """A value that pandas has no type for."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class OfType:
    """A function of rows whose numbers are of one type: NumPy takes that of the first result for all of them."""

    def __init__(self, function: Callable[..., Any], dtype: Any) -> None:
        self.function, self.dtype = function, dtype

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result, in the type if it is a single value."""
        found = self.function(*args, **kwargs)
        return found if hasattr(found, "__len__") else self.dtype.type(found)


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


def may_be(column: Any, promised: Any) -> bool:
    """Whether values are of a promised type, as far as they are there: truth values may be missing among objects, and
    integers be missing among floats."""
    dtype = column.dtype
    is_float = getattr(dtype, "kind", "O") in "iu" and getattr(promised, "kind", "O") == "f"
    return is_object(column) or dtype in (promised, bool) or is_float or not column.notna().any()


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
    raw: bool = False,
) -> Any:
    """A user's function of each value of lazy rows, by a method of pandas with more arguments, as many rows."""
    call = OfValues(method, list(given), by_columns, empty)
    call.raw = raw
    if meta is not None:
        known = normalise(meta)
        call.promise(known, [True] * len(columns_of(known)))
    name = getattr(function, "__name__", getattr(method, "__name__", "map"))
    return over_rows(call, rows, function, *given.values(), name=name, meta=meta, by_labels=by_labels)
