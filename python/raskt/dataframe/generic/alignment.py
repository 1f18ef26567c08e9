"""Operations between collections with different rows, and with what is in memory: labels are aligned by pandas."""

from __future__ import annotations

import operator
from functools import partial
from typing import Any

from ..base.checks import no_default
from ..base.collection import is_collection, is_frame, is_labels, is_scalar, native
from ..base.dependent import changed_meta, with_missing, zeros
from ..base.meta import columns_of, dtypes_of, empty, empty_of, retypable, sample_of, types_in
from ..base.pandas_methods import trial
from ..base.partitionwise import over_rows
from ..base.registry import wrap
from ..base.samples import sample_values
from ..base.samples import with_missing as one_missing
from ..base.storage import is_plain
from ..base.whole import has_rows, is_foreign, is_labelled, over_whole, sample_rows, unmet
from .operands import COMPARISONS
from .operators import check_division, is_tried_first, refuse_intervals

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
        self.name, self.reflected = f"r{name}" if reflected else name, reflected

    def __call__(self, left: Any, right: Any, **options: Any) -> Any:
        """`left.method(right, **options)`; comparisons take no `fill_value`."""
        if options.get("fill_value", no_default) is None:
            del options["fill_value"]
        return getattr(left, self.name)(right, **options)


def needs_alignment(left: Any, right: Any) -> bool:
    """Whether pandas has to bring the rows (or the columns) of two operands together."""
    if is_foreign(left, right):
        return True
    return is_frame(left) and is_frame(right) and left._plan.columns != right._plan.columns


def aligned(name: str, left: Any, right: Any, reflected: bool = False) -> Any:
    """`left op right` of operands whose rows differ."""
    refuse_zeros(name, left, right, reflected)
    return align_with(Operation(name, reflected), left, right, name=name)


def refuse_zeros(name: str, left: Any, right: Any, reflected: bool) -> None:
    """NotImplementedError where values that aren't lazy are divided by nullable numbers: zeros among them change the
    type of the quotients.
    """
    if name not in ("floordiv", "mod") or not reflected or is_labelled(right) or all(map(is_plain, types_in(left))):
        return
    function = Operation(name, reflected)
    try:
        plain, by_zero = (dtypes_of(function(few, sample_rows(right))) for few in (sample_of(left), zeros(left)))
    except Exception:  # what pandas thinks of zeros is told when there are any
        return
    if list(map(str, plain)) != list(map(str, by_zero)):
        raise NotImplementedError(
            f"`{name}` by a column that may have zeros in it, which would make {by_zero[0]} of {plain[0]}: "
            'convert the columns by astype("float64") first'
        )


def align_with(function: Any, left: Any, right: Any, *, name: str, **options: Any) -> Any:
    """A function of two operands that pandas aligns: by row labels, by column labels, or by position for arrays."""
    if is_frame(left) and is_collection(right) and not is_frame(right) and not is_scalar(right):
        if options.get("axis") not in (0, "index"):
            return by_columns(function, left, right, name=name, **options)
    if is_frame(left) and not is_collection(right) and meets_columns(right, options):
        return over_rows(lambda rows: function(rows, right, **options), left, name=name, plainly=True)
    if not is_foreign(left, right):
        check_division(name, function, left, right, getattr(function, "reflected", False))
        if name not in COMPARISONS:
            refuse_intervals(left, right)
        if is_tried_first(left, right):
            return over_whole(function, left, right, name=name, same_rows=True, **options)
        return over_rows(function, left, right, name=name, plainly=True, **options)
    keeps_rows = not is_labelled(right)
    if keeps_rows and is_scalar(left):
        left, right = right, left
    meta = None
    if not keeps_rows and options.get("fill_value") is not None:
        meta = as_floats(function(sample_rows(left), sample_rows(right), **options))
    aligned = not keeps_rows and name not in COMPARISONS
    may_miss = unmet(partial(function, **options), left, right) if aligned and meta is None else aligned
    if not keeps_rows and isinstance(function, Operation) and name in COMPARISONS:
        meta = compared_meta(function, left, right)
    return over_whole(function, left, right, name=name, meta=meta, same_rows=keeps_rows, may_miss=may_miss, **options)


def with_values(function: Any, *args: Any, name: str, **options: Any) -> Any:
    """A function of each row, in pandas, among whose arguments may be values in memory: those of all rows go with all
    rows, and are aligned if they have labels. Those for the columns of a frame go with each partition.
    """
    base = next(value for value in args if is_collection(value) and not is_scalar(value))
    values = [value for value in args if not is_collection(value) and has_rows(value)]
    if not values or (is_frame(base) and all(meets_columns(value, {}) for value in values)):
        return over_rows(function, *args, name=name, plainly=True, **options)
    labelled = any(map(is_labelled, values))
    may_miss = unmet(partial(function, **options), *args) if labelled else False
    return over_whole(function, *args, name=name, same_rows=not labelled, may_miss=may_miss, **options)


def compared_meta(function: Operation, left: Any, right: Any) -> Any:
    """What a comparison gives: pandas compares equal labels alone, which samples of two kinds of labels have not."""
    few, others = sample_rows(left), sample_rows(right)
    return empty_of(function(few, others.set_axis(few.index) if few.ndim == others.ndim else others))


def by_columns(function: Any, frame: Any, series: Any, *, name: str, meta: Any = None, **options: Any) -> Any:
    """A function of a frame and a lazy series whose labels are the frame's columns, such as `df.mean()`.

    Where they turn out to be others, so that the result has other columns, NotImplementedError is raised.
    """
    if meta is None:
        meta = meta_by_columns(function, frame, series, options)
    return over_whole(function, frame, series, name=name, meta=meta, same_rows=True, **options)


def meta_by_columns(function: Any, frame: Any, series: Any, options: dict[str, Any]) -> Any:
    """What a function gives of a few rows and a value for each column."""
    import pandas as pd

    few, dtype = sample_of(frame), empty(series).dtype
    value = sample_values(dtype)[-1]
    labels = pd.Series([value] * few.shape[1], few.columns, dtype)
    meta = changed_meta(lambda: function(few, labels, **options))
    return function(few, labels, **options) if meta is None else meta


def filled_up(call: Any, left: Any, right: Any, name: str) -> Any:
    """An operation with `fill_value`, in pandas for each partition.

    Where it makes objects of all values if one of them is missing, it is done to all rows at once: pandas computes
    objects otherwise. So it is where only missing values tell whether pandas refuses it.
    """
    few, others = sample_of(left), sample_of(right)
    lacking = lambda one, rows: one_missing(rows) if is_collection(one) and not is_scalar(one) else rows
    filling = [is_done(call, *pair) for pair in ((lacking(left, few), others), (few, lacking(right, others)))]
    if any(filling) and not is_done(call, few, others):
        raise NotImplementedError(
            f"{name}(fill_value=) of these types, which pandas refuses unless a value is missing: fill by fillna first"
        )
    meta = filled_meta(call, left, right)
    if not all(filling) or any(
        dtype == object for one in (left, right) if is_collection(one) for dtype in types_in(one)
    ):
        return over_whole(call, left, right, name=name, meta=meta, same_rows=True)
    if meta is not None and any(dtype == object for dtype in dtypes_of(meta)):
        return over_whole(call, left, right, name=name, meta=meta, same_rows=True)
    return over_rows(call, left, right, name=name, meta=meta, plainly=True)


def is_done(call: Any, *args: Any) -> bool:
    """Whether a call raises nothing."""
    try:
        call(*args)
    except Exception:
        return False
    return True


def filled_meta(call: Any, left: Any, right: Any) -> Any:
    """What an operation with `fill_value` gives where values are missing on one side; None if it always gives that.

    A fill value of another type than the column's makes objects of all.
    """
    plain = trial(call, (left, right), {})
    for pair in ((with_missing(left), sample_of(right)), (sample_of(left), with_missing(right))):
        found = changed_meta(lambda pair=pair: call(*pair))
        if found is not None and list(map(str, dtypes_of(found))) != list(map(str, dtypes_of(plain))):
            return found
    return None


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
    meta = whole_meta(value) if is_collection(value) and not is_scalar(value) else None
    return over_whole(place, base, value, name=name, meta=meta, same_rows=True, may_miss=not is_scalar(value))


def whole_meta(value: Any) -> Any:
    """What placing integers or truth values that may be missing gives, of which none may turn out to be; else None."""
    import pandas as pd

    if value.ndim != 1 or is_labels(value) or not retypable(value):
        return None
    (column,) = columns_of(value)
    whole = "bool" if column.is_truth else pd.api.types.pandas_dtype(column.whole_type).numpy_dtype
    return pd.Series([], dtype=whole, name="value")


def place(rows: Any, value: Any) -> Any:
    """`value` as a column of a pandas frame, which keeps its rows; pandas gives one without rows those of `value`."""
    if len(rows) or not has_rows(value) or not len(value):
        return unrounded(rows.assign(value=value)["value"], value)
    if not hasattr(value, "iloc"):
        raise ValueError(f"Length of values ({len(value)}) does not match length of index (0)")
    return value.reindex(rows.index).rename("value")


def unrounded(placed: Any, value: Any) -> Any:
    """Values that were brought to other rows; NotImplementedError if pandas has rounded integers on the way."""
    whole = getattr(getattr(value, "dtype", None), "kind", "") in ("i", "u")
    if whole and placed.dtype.kind == "f" and any(abs(int(value.agg(extreme))) > 2**53 for extreme in ("min", "max")):
        raise NotImplementedError(
            "integers beyond 2**53 are brought to rows of which some have none, and pandas would round them to floats: "
            'convert them by astype("Int64") first'
        )
    return placed


def own_rows(rows: Any, value: Any) -> Any:
    """The expression of an operand, brought to the rows of `rows` if it has others; a value as it is."""
    if is_frame(value) or not is_foreign(rows, value):
        return native(value)
    return native(placed(rows, value))


def nothing(rows: Any, value: Any = None) -> Any:
    """A column of a missing value in each row, of the type that pandas gives it: objects, or times."""
    import pandas as pd

    dtype = pd.DataFrame(index=[0]).assign(column=value)["column"].dtype
    call = lambda index: pd.Series([value] * len(index), index=index, dtype=dtype)
    return over_rows(call, rows.index, name="nothing", meta=pd.Series([], dtype=dtype))


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
    return is_frame(value) and value._plan.columns != frame._plan.columns
