"""Operations between collections with different rows, and with what is in memory: labels are aligned by pandas."""

from __future__ import annotations

import operator
from typing import Any

from ..base.collection import is_collection, is_frame, is_scalar, native
from ..base.partitionwise import over_rows
from ..base.registry import wrap
from ..base.whole import has_rows, is_foreign, is_labelled, over_whole, sample_rows

OPERATIONS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}


class Operation:
    """An operator as a function of two pandas objects."""

    def __init__(self, name: str, reflected: bool) -> None:
        self.name, self.reflected = name, reflected

    def __call__(self, left: Any, right: Any) -> Any:
        """`left op right`, or `right op left` if it is reflected."""
        function = OPERATIONS[self.name]
        return function(right, left) if self.reflected else function(left, right)


class Method:
    """The method of an operator (`add`, `radd`, `eq`...) as a function of two pandas objects."""

    def __init__(self, name: str, reflected: bool) -> None:
        self.name = f"r{name}" if reflected else name

    def __call__(self, left: Any, right: Any, **options: Any) -> Any:
        """`left.method(right, **options)`."""
        return getattr(left, self.name)(right, **options)


def needs_alignment(left: Any, right: Any) -> bool:
    """Whether pandas has to bring the rows (or the columns) of two operands together."""
    if is_foreign(left, right):
        return True
    return is_frame(left) and is_frame(right) and left._expr.columns != right._expr.columns


def aligned(name: str, left: Any, right: Any, reflected: bool = False) -> Any:
    """`left op right` of operands whose rows differ."""
    return align_with(Operation(name, reflected), left, right, name=name)


def align_with(function: Any, left: Any, right: Any, *, name: str, **options: Any) -> Any:
    """A function of two operands that pandas aligns: by row labels, by column labels, or by position for arrays."""
    if is_frame(left) and is_collection(right) and not is_frame(right) and not is_scalar(right):
        if options.get("axis") not in (0, "index"):
            raise NotImplementedError(
                "a frame and a lazy series meet by column labels, which only computing could tell: compute the series, "
                "or use df.add(series, axis=0) and the like to meet by rows"
            )
    if is_frame(left) and not is_collection(right) and meets_columns(right, options):
        return over_rows(lambda rows: function(rows, right, **options), left, name=name, plainly=True)
    if not is_foreign(left, right):
        return over_rows(function, left, right, name=name, plainly=True, **options)
    keeps_rows = not is_labelled(right)
    if keeps_rows and is_scalar(left):
        left, right = right, left
    meta = None
    if not keeps_rows and options.get("fill_value") is not None:
        meta = as_floats(function(sample_rows(left), sample_rows(right), **options))
    return over_whole(
        function, left, right, name=name, meta=meta, same_rows=keeps_rows, may_miss=not keeps_rows, **options
    )


def as_floats(trial: Any) -> Any:
    """A trial result whose integers are floats: where labels are filled up, pandas had missing values among them."""
    if trial.ndim == 1:
        return trial.astype("float64") if trial.dtype.kind in "iu" else trial
    return trial.astype({label: "float64" for label, dtype in trial.dtypes.items() if dtype.kind in "iu"})


def meets_columns(value: Any, options: dict[str, Any]) -> bool:
    """Whether a value in memory meets the columns of a frame, and not its rows: each row is computed alone then."""
    if not has_rows(value) or options.get("axis") in (0, "index"):
        return False
    return not hasattr(value, "ndim") or value.ndim == 1


def placed(rows: Any, value: Any, *, name: str = "align") -> Any:
    """The values of a series (or of an array) of other rows as a series with the rows of `rows`, by label."""
    base = wrap(rows._as_frame().project([]))
    return over_whole(place, base, value, name=name, same_rows=True, may_miss=True)


def place(rows: Any, value: Any) -> Any:
    """`value` as a column of a pandas frame."""
    return rows.assign(value=value)["value"]


def own_rows(rows: Any, value: Any) -> Any:
    """The expression of an operand, brought to the rows of `rows` if it has others; a value as it is."""
    if is_frame(value) or not is_foreign(rows, value):
        return native(value)
    return native(placed(rows, value))


def is_elsewhere(rows: Any, *values: Any) -> bool:
    """Whether one of the arguments has other rows than `rows`, or is a pandas object."""
    return any(is_foreign(rows, value) for value in values)


class Named:
    """A method as a function of the object that has it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, rows: Any, *args: Any, **options: Any) -> Any:
        """`rows.method(*args, **options)`."""
        return getattr(rows, self.name)(*args, **options)


def differs(frame: Any, value: Any) -> bool:
    """Whether a value is a lazy frame with other columns."""
    return is_frame(value) and value._expr.columns != frame._expr.columns
