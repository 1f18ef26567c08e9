"""Values beside columns: which of them mean natively what they mean to pandas."""

from __future__ import annotations

import datetime
from typing import Any

from ..base.collection import is_collection, native
from ..base.meta import is_counted
from ..base.results import is_missing
from ..base.whole import is_labelled

COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
LOGICAL = ("and", "or", "xor")


def binary(column: Any, operation: str, value: Any, reflected: bool = False) -> Any:
    """An operation of a column and a value as an expression; NotImplementedError if pandas has to read the value."""
    if not is_collection(value) and not is_read_alike(column, operation, value):
        raise NotImplementedError(f"`{operation}` with {value!r} has no native form")
    if operation in LOGICAL and is_counted(value):
        raise NotImplementedError("bits of integers of Python have the type of those beside them in pandas alone")
    refuse_objects(operation, column, native(value))
    return column.binary(operation, native(value), reflected)


def refuse_objects(operation: str, *operands: Any) -> None:
    """NotImplementedError for logic of truth values that may be missing: they are objects in pandas then, which
    count in another way on the left than on the right."""
    if operation in LOGICAL and any(map(may_be_objects, operands)):
        raise NotImplementedError("truth values that may be missing are objects in pandas")


def may_be_objects(column: Any) -> bool:
    """Whether an expression is of truth values that are objects if one of them is missing."""
    return getattr(column, "may_be_retyped", False) and not column.may_be_rounded


def bound(column: Any, value: Any) -> Any:
    """A value that values of a column are compared with, natively; NotImplementedError if pandas has to read it."""
    if is_collection(value) and is_labelled(value) and value._expr.labels_key != column.labels_key:
        raise NotImplementedError("a bound of other labels has no native form")
    if value is None or is_collection(value) or is_read_alike(column, "ge", value):
        return native(value)
    raise NotImplementedError(f"a bound of {value!r} has no native form")


def elements(column: Any, values: list[Any]) -> list[Any]:
    """Values to look up among those of a column; NotImplementedError if one would be read as a time natively, or is
    absent in another way than the missing values of the column are."""
    numbers = is_number(column.dtype)
    for value in values:
        if is_missing(value) or isinstance(value, float) and value != value and not numbers:
            raise NotImplementedError(f"{value!r} among values of {column.dtype} has no native form")
        if is_time(column.dtype) and isinstance(value, str) or type(value) is datetime.date:
            raise NotImplementedError(f"{value!r} among values of {column.dtype} has no native form")
    return values


def is_read_alike(column: Any, operation: str, value: Any) -> bool:
    """Whether a value beside a column is natively what it is to pandas."""
    dtype, compared = column.dtype, operation in COMPARISONS
    if isinstance(value, str):
        # As a time in comparisons, and in no arithmetic.
        return compared or dtype == "str"
    if type(value) in (bool, int, float):
        return value == value or is_number(dtype)
    if value is None:
        return compared and is_number(dtype)
    if isinstance(value, datetime.datetime | datetime.timedelta):
        # One that is absent is a point or a length of time by what it meets.
        return value == value and is_time(dtype)
    if isinstance(value, datetime.date):
        return dtype == "object"
    kind = getattr(getattr(value, "dtype", None), "kind", "O")
    if kind == "f" and compared and dtype == "float32":
        return float(value.astype("float32")) == float(value)
    return (
        kind in "bf"
        or (kind in "mM" and value == value and is_time(dtype))
        or (kind in "iu" and operation not in LOGICAL)
    )


def is_time(dtype: str) -> bool:
    """Whether values of a type are points or lengths of time, by its name; `object` may be dates."""
    return dtype == "object" or dtype.startswith(("datetime", "timedelta"))


def is_number(dtype: str) -> bool:
    """Whether values of a type are plain numbers or truth values, by its name."""
    return dtype == "bool" or dtype.rstrip("0123456789") in ("int", "uint", "float")
