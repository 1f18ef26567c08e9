"""Methods whose result has another type if any value changes, as if one did: whether one does only computing tells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .checks import no_default
from .collection import is_collection, is_scalar
from .meta import dtypes_of, empty_of, sample_of


def changed_meta(changed: Callable[[], Any]) -> Any:
    """The empty object that a method gives where it changes values, which is promised whether it changes any or not.

    `changed` calls the method so that values change. None if pandas refuses that, or makes categories.
    """
    import pandas as pd

    try:
        found = changed()
    except Exception:
        return None
    known = not any(isinstance(dtype, pd.CategoricalDtype) for dtype in dtypes_of(found))
    return empty_of(found) if known else None


def with_missing(rows: Any) -> Any:
    """A sample of a collection in which every value is missing that can be in its type; a value as it is."""
    few = sample_of(rows)
    if not is_rows(rows):
        return few
    return each_column(few, lambda column: column.where(few.index != few.index) if can_miss(column.dtype) else column)


def can_miss(dtype: Any) -> bool:
    """Whether values of a type can be missing in pandas."""
    import numpy as np
    import pandas as pd

    if isinstance(dtype, pd.IntervalDtype):
        dtype = dtype.subtype
    return not isinstance(dtype, np.dtype) or dtype.kind not in "iub"


def made_of(rows: Any, values: list[Any]) -> Any:
    """A sample of a collection whose rows are such values, as far as its columns can hold them."""
    import pandas as pd

    few = sample_of(rows)

    def filled(column: Any) -> Any:
        held = [value for value in values if is_held(column.dtype, value)]
        repeated = (held * len(few))[: len(few)]
        return pd.Series(repeated, few.index, column.dtype, column.name) if held else column

    return each_column(few, filled)


def extremes(value: Any) -> Any:
    """A sample of a collection in which numbers are the least and the greatest of their types; a value as it is."""
    import numpy as np
    import pandas as pd

    def filled(column: Any) -> Any:
        kind = getattr(column.dtype, "numpy_dtype", column.dtype)
        if not isinstance(kind, np.dtype) or kind.kind not in "iuf":
            return column
        bounds = np.finfo(kind) if kind.kind == "f" else np.iinfo(kind)
        return pd.Series([bounds.min, bounds.max], column.index, column.dtype, column.name)

    return each_column(sample_of(value), filled) if is_rows(value) else sample_of(value)


def zeros(value: Any) -> Any:
    """A sample of a collection, or of a scalar, in which all that can be zero is."""
    few = sample_of(value)
    return each_column(few, lambda column: (column * 0).astype(column.dtype)) if is_rows(value) else few * 0


def is_rows(value: Any) -> bool:
    """Whether a value is a lazy collection with rows."""
    return is_collection(value) and not is_scalar(value)


def is_held(dtype: Any, value: Any) -> bool:
    """Whether a value equals one of a type."""
    import pandas as pd

    try:
        found = pd.Series([value], dtype=dtype).iloc[0]
        return bool(found == value)
    except Exception:
        return False


def each_column(rows: Any, function: Callable[[Any], Any]) -> Any:
    """A series, or each column of a frame, as a function gives it."""
    import pandas as pd

    if rows.ndim == 1:
        return function(rows if isinstance(rows, pd.Series) else rows.to_series())
    columns = {at: function(rows.iloc[:, at]) for at in range(rows.shape[1])}
    return pd.DataFrame(columns, index=rows.index).set_axis(rows.columns, axis=1)


def refuse_retyped(own: list[Any], found: list[Any], values: tuple[Any, ...]) -> None:
    """pandas' TypeError where such values that are put in the place of others would make another type of a column.

    Missing ones make floats of integers.
    """
    import pandas as pd

    is_gap = all(value is no_default or (is_plain_value(value) and pd.isna(value)) for value in values)
    for before, after in zip(own, found, strict=True):
        if not values or before == after or (is_gap and is_whole(before)):
            continue
        raise TypeError(
            f"Invalid value {shown(values)} for dtype '{before}': inplace=True keeps types, and it would be {after}; "
            "assign the result instead"
        )


def is_plain_value(value: Any) -> bool:
    """Whether a value is one number, text or time, or a missing one."""
    return not is_collection(value) and not getattr(value, "ndim", 0) and not hasattr(value, "__len__")


def is_whole(dtype: Any) -> bool:
    """Whether a type is of plain integers."""
    return getattr(dtype, "kind", "") in "iu" and not hasattr(dtype, "na_value")


def shown(values: tuple[Any, ...]) -> str:
    """The values that are told in an error."""
    named = ["nan" if value is no_default else value for value in values]
    told = [repr(str(value)) for value in named if is_plain_value(value) or isinstance(value, str)]
    return " or ".join(told) if told else "of the other object"
