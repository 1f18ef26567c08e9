"""Operators, and their methods of the same meaning, for everything that is elementwise."""

from __future__ import annotations

import operator
from typing import Any

from ..base.checks import check_frame_axis
from ..base.collection import is_collection, is_scalar
from ..base.dependent import zeros
from ..base.meta import dtypes_of, sample_of, types_in
from ..base.partitionwise import over_rows
from ..base.storage import MASKED
from ..base.whole import over_whole
from .operands import COMPARISONS

#: The operators by the names that the native side has for operations.
FUNCTIONS = {
    **{name: getattr(operator, name) for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "xor")},
    **{name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "invert")},
    "and": operator.and_,
    "or": operator.or_,
    "abs": operator.abs,
}


def applied(operation: str, left: Any, right: Any, reflected: bool = False) -> Any:
    """An operator between rows, in pandas for each partition."""
    function = FUNCTIONS[operation]
    pair = (right, left) if reflected else (left, right)
    check_division(operation, function, *pair)
    if operation not in COMPARISONS:
        refuse_intervals(*pair)
    if is_tried_first(*pair):
        return over_whole(function, *pair, name=operation, same_rows=True)
    if operation in COMPARISONS and has_numbers_of_arrow(*pair):
        refuse_spans(*pair)
        function = ComparedExactly(operation)
    return over_rows(function, *pair, name=operation, plainly=True)


def refuse_intervals(left: Any, right: Any) -> None:
    """NotImplementedError for arithmetic of nullable numbers and intervals: pandas has the intervals computed with what
    lies below missing numbers as well, which they may refuse."""
    import pandas as pd

    both = [types_in(one) if is_collection(one) else [getattr(one, "dtype", type(one))] for one in (left, right)]
    masked = [any(str(dtype) in MASKED for dtype in dtypes) for dtypes in both]
    intervals = [
        any(isinstance(dtype, pd.IntervalDtype) or dtype is pd.Interval for dtype in dtypes) for dtypes in both
    ]
    if (masked[0] and intervals[1]) or (masked[1] and intervals[0]):
        raise NotImplementedError(
            "arithmetic of nullable numbers and intervals, which depends on what pandas keeps below missing values: "
            'convert the numbers by astype("float64") first'
        )


def has_numbers_of_arrow(left: Any, right: Any) -> bool:
    """Whether a column of Arrow's numbers or truth values is beside a value."""
    pairs = ((left, right), (right, left))
    lazy = lambda one: is_collection(one) and not is_scalar(one)
    return any(lazy(one) and not lazy(other) and any(map(is_number_of_arrow, types_in(one))) for one, other in pairs)


def is_number_of_arrow(dtype: Any) -> bool:
    """Whether a type is one of Arrow's numbers or truth values."""
    import pandas as pd

    return isinstance(dtype, pd.ArrowDtype) and dtype.kind in "biuf"


def refuse_spans(*values: Any) -> None:
    """NotImplementedError for lengths of time of NumPy's, which it takes for numbers unless a value is missing."""
    import numpy as np

    if any(isinstance(value, np.timedelta64) for value in values):
        raise NotImplementedError(
            "a comparison of Arrow's numbers with a length of time of NumPy's, which pandas takes for a number unless "
            "a value is missing: give a pd.Timedelta"
        )


class ComparedExactly:
    """A comparison of Arrow's numbers with an integer, to the last digit.

    pandas has NumPy compare those that Arrow has no common type for: as floats if one of the rows is missing, and as
    they are if none is, which is not the same for each partition.
    """

    def __init__(self, operation: str) -> None:
        self.operation = operation

    def __call__(self, left: Any, right: Any) -> Any:
        """`left op right`, one of which has rows."""
        function, rows, value = FUNCTIONS[self.operation], *((left, right) if has_rows(left) else (right, left))
        placed = lambda dtype: in_its_type(value, dtype)
        compared = lambda own, other: function(own, other) if rows is left else function(other, own)
        if rows.ndim == 1:
            return compared(rows, placed(rows.dtype))
        found = compared(rows, value)
        for at, dtype in enumerate(rows.dtypes):
            if is_number_of_arrow(dtype):
                found.isetitem(at, compared(rows.iloc[:, at], placed(dtype)))
        return found


def has_rows(value: Any) -> bool:
    """Whether a value is rows of pandas."""
    return getattr(value, "ndim", 0) > 0


def in_its_type(value: Any, dtype: Any) -> Any:
    """An integer as one of a type of Arrow's integers of 64 bits, or as an infinity beyond all of these; other values
    as they are.

    Integers of Python that are too large for pandas stay what it refuses.
    """
    import numpy as np

    whole = isinstance(value, np.integer) or (type(value) is int and -(2**63) <= value < 2**63)
    if not whole or not is_number_of_arrow(dtype) or dtype.kind not in "iu" or dtype.itemsize < 8:
        return value
    bounds = np.iinfo(dtype.numpy_dtype)
    if bounds.min <= int(value) <= bounds.max:
        return dtype.numpy_dtype.type(int(value))
    return float("inf") if value > 0 else float("-inf")


def is_tried_first(left: Any, right: Any) -> bool:
    """Whether what pandas makes of a partition depends on its values, so that all of them are needed.

    It has Arrow read objects beside a column of Arrow's: which error makes it look at them one by one, and which it
    raises, depends on the object that comes first. Integers beside lengths of time are floats where one is missing.
    """
    import numpy as np
    import pandas as pd

    both = [types_in(one) for one in (left, right) if is_collection(one) and not is_scalar(one)]
    if len(both) < 2:
        return False
    beside = lambda one, other: any(
        any(map(one, mine)) and any(map(other, theirs)) for mine, theirs in (both[:2], both[1::-1])
    )
    is_stored = lambda dtype: isinstance(dtype, pd.ArrowDtype | pd.StringDtype)
    is_span = lambda dtype: isinstance(dtype, np.dtype) and dtype.kind == "m"
    is_whole = lambda dtype: str(dtype) in MASKED and dtype.kind in "iu"
    return beside(is_stored, lambda dtype: dtype == object) or beside(is_span, is_whole)


def check_division(operation: str, function: Any, left: Any, right: Any, reflected: bool = False) -> None:
    """NotImplementedError if a zero among divisors (in `left` if `reflected`) would change the type of a quotient."""
    if operation not in ("floordiv", "mod") or not is_collection(left if reflected else right):
        return
    few, other = sample_of(left), sample_of(right)
    try:
        plain = dtypes_of(function(few, other))
        by_zero = dtypes_of(function(zeros(left), other) if reflected else function(few, zeros(right)))
    except Exception:
        return
    if list(map(str, plain)) != list(map(str, by_zero)):
        raise NotImplementedError(
            f"`{operation}` by a column that may have zeros in it, which would make {by_zero[0]} of {plain[0]}: "
            'convert the columns by astype("float64") first'
        )


class Operators:
    """Python's operators in terms of `_binary(operation, other, reflected)` and `_unary(operation)`."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def _binary(self, operation: str, other: Any, reflected: bool = False) -> Any:
        raise NotImplementedError

    def _unary(self, operation: str) -> Any:
        raise NotImplementedError

    def __add__(self, other: Any) -> Any:
        return self._binary("add", other)

    def __radd__(self, other: Any) -> Any:
        return self._binary("add", other, True)

    def __sub__(self, other: Any) -> Any:
        return self._binary("sub", other)

    def __rsub__(self, other: Any) -> Any:
        return self._binary("sub", other, True)

    def __mul__(self, other: Any) -> Any:
        return self._binary("mul", other)

    def __rmul__(self, other: Any) -> Any:
        return self._binary("mul", other, True)

    def __truediv__(self, other: Any) -> Any:
        return self._binary("truediv", other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._binary("truediv", other, True)

    def __floordiv__(self, other: Any) -> Any:
        return self._binary("floordiv", other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._binary("floordiv", other, True)

    def __matmul__(self, other: Any) -> Any:
        return self.dot(other)  # type: ignore[attr-defined]

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __mod__(self, other: Any) -> Any:
        return self._binary("mod", other)

    def __rmod__(self, other: Any) -> Any:
        return self._binary("mod", other, True)

    def __pow__(self, other: Any) -> Any:
        return self._binary("pow", other)

    def __rpow__(self, other: Any) -> Any:
        return self._binary("pow", other, True)

    def __and__(self, other: Any) -> Any:
        return self._binary("and", other)

    def __rand__(self, other: Any) -> Any:
        return self._binary("and", other, True)

    def __or__(self, other: Any) -> Any:
        return self._binary("or", other)

    def __ror__(self, other: Any) -> Any:
        return self._binary("or", other, True)

    def __xor__(self, other: Any) -> Any:
        return self._binary("xor", other)

    def __rxor__(self, other: Any) -> Any:
        return self._binary("xor", other, True)

    def __eq__(self, other: Any) -> Any:
        return self._binary("eq", other)

    def __ne__(self, other: Any) -> Any:
        return self._binary("ne", other)

    def __lt__(self, other: Any) -> Any:
        return self._binary("lt", other)

    def __le__(self, other: Any) -> Any:
        return self._binary("le", other)

    def __gt__(self, other: Any) -> Any:
        return self._binary("gt", other)

    def __ge__(self, other: Any) -> Any:
        return self._binary("ge", other)

    def __neg__(self) -> Any:
        return self._unary("neg")

    def __pos__(self) -> Any:
        return self._unary("pos")

    def __abs__(self) -> Any:
        return self._unary("abs")

    def __invert__(self) -> Any:
        return self._unary("invert")


class OperatorMethods(Operators):
    """The methods `add`, `sub`, `lt` ... of frames and series, in terms of `_flexible`."""

    __slots__ = ()

    def _flexible(self, operation: str, other: Any, axis: Any, level: Any, fill: Any, reflected: bool = False) -> Any:
        raise NotImplementedError


def of_frames(operation: str, reflected: bool) -> Any:
    """The method of frames for an operation."""

    def method(self: Any, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Any:
        check_frame_axis(axis)
        axis = "index" if axis == "rows" else axis
        return self._flexible(operation, other, axis, level, fill_value, reflected)

    return method


def of_series(operation: str, reflected: bool) -> Any:
    """The method of series for an operation, whose arguments pandas has in another order."""

    def method(self: Any, other: Any, level: Any = None, fill_value: Any = None, axis: Any = 0) -> Any:
        if axis not in (0, "index", "rows", None):
            raise ValueError(f"No axis named {axis!r} for object type Series")
        if operation == "mod" and reflected and isinstance(other, str | bytes):
            kind = TypeError if isinstance(other, str) else NotImplementedError
            raise kind(f"Series cannot perform the operation mod: {other!r} would be formatted by it")
        return self._flexible(operation, other, axis, level, fill_value, reflected)

    return method


ARITHMETIC = {
    "add": "add", "sub": "sub", "mul": "mul", "div": "truediv", "truediv": "truediv", "floordiv": "floordiv",
    "mod": "mod", "pow": "pow", "subtract": "sub", "multiply": "mul", "divide": "truediv",
}  # fmt: skip


def add_methods(owner: type, make: Any) -> None:
    """Give a class the methods of all operations, made by `of_frames` or `of_series`."""
    for name, operation in ARITHMETIC.items():
        _add(owner, name, operation, False, make)
        if name not in ("subtract", "multiply", "divide"):
            _add(owner, f"r{name}", operation, True, make)
    for name in COMPARISONS:
        _add(owner, name, name, False, make)


def _add(owner: type, name: str, operation: str, reflected: bool, make: Any) -> None:
    method = make(operation, reflected)
    sign = f"other {operation} self" if reflected else f"self {operation} other"
    method.__name__ = name
    method.__qualname__ = f"{owner.__name__}.{name}"
    method.__doc__ = f"Elementwise `{sign}`; `fill_value` stands for a value that is missing on one side only."
    setattr(owner, name, method)


add_methods(OperatorMethods, of_frames)
