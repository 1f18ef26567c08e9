"""Methods of frames and series that work on each value, or on each column, without changing the rows."""

from __future__ import annotations

from typing import Any

from ..base.collection import is_collection, is_frame, native
from ..base.meta import dtypes_of, empty
from ..base.mixin import Mixin
from ..base.pandas_methods import native_or
from ..base.partitionwise import over_all, over_rows
from ..base.storage import is_plain
from ..base.whole import over_whole
from .alignment import Named, align_with, differs, is_elsewhere, needs_alignment
from .operators import FUNCTIONS, OperatorMethods

#: NumPy's functions of one argument that the native side has, by its names.
UNARY = {
    "negative": "neg",
    "positive": "pos",
    "absolute": "abs",
    "fabs": "abs",
    "invert": "invert",
    "logical_not": "invert",
    "isnan": "isna",
    **{
        name: name
        for name in (
            [
                "sqrt",
                "exp",
                "log",
                "log2",
                "log10",
                "log1p",
                "expm1",
                "sin",
                "cos",
                "tan",
                "arcsin",
                "arccos",
                "arctan",
                "sinh",
                "cosh",
                "tanh",
                "floor",
                "ceil",
                "sign",
            ]
        )
    },
}
BINARY = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "truediv",
    "true_divide": "truediv",
    "floor_divide": "floordiv",
    "remainder": "mod",
    "power": "pow",
    "equal": "eq",
    "not_equal": "ne",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
    "logical_and": "and",
    "logical_or": "or",
    "bitwise_and": "and",
    "bitwise_or": "or",
}


class Elementwise(OperatorMethods, Mixin):
    """Elementwise methods in terms of `_each(function)`, which applies a function of expressions to each column."""

    __slots__ = ()

    def _each(self, function: Any) -> Any:
        raise NotImplementedError

    def _unary(self, operation: str) -> Any:
        function = FUNCTIONS.get(operation) or getattr(numpy(), operation, None)
        return self._native_or_pandas(
            lambda: self._each(lambda column: column.unary(operation)), function, name=operation
        )

    def _native_or_pandas(
        self, native_form: Any, function: Any, *args: Any, name: str, gather: bool = False, meta: Any = None
    ) -> Any:
        """The native form, or, where it has none, `function` in pandas: of each partition, or of the gathered rows."""
        over = over_all if gather else over_rows
        return native_or(native_form, lambda: over(function, self, *args, name=name, meta=meta, plainly=True))

    def _each_or(self, column_form: Any, name: str, *args: Any, gather: bool = False, **options: Any) -> Any:
        """A form of each column, or the method `name` of pandas with such arguments."""
        call = lambda rows, *given: getattr(rows, name)(*given, **options)
        return self._native_or_pandas(lambda: self._each(column_form), call, *args, name=name, gather=gather)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """NumPy's functions: native where there is a form, otherwise on each partition."""
        if method != "__call__" or kwargs.get("out") is not None:
            return NotImplemented
        name = ufunc.__name__
        if not kwargs and len(inputs) == 1 and name in UNARY:
            return self._native_or_pandas(lambda: self._unary(UNARY[name]), ufunc, name=name)
        if not kwargs and len(inputs) == 2 and name in BINARY:
            left, right = inputs
            if isinstance(left, Elementwise):
                return left._binary(BINARY[name], right)
            return right._binary(BINARY[name], left, True)
        return over_rows(ufunc, *inputs, name=name, **kwargs)

    def abs(self) -> Any:
        """Absolute values."""
        return self._unary("abs")

    def round(self, decimals: Any = 0) -> Any:
        """Values rounded to a number of decimals; for a frame also a dictionary from columns to numbers.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> rd.from_pandas(pd.Series([1.26, 2.0]), npartitions=1).round(1).compute().tolist()
        [1.3, 2.0]
        """
        if isinstance(decimals, dict):
            return self.assign(**{name: self[name].round(places) for name, places in decimals.items()})
        is_frame = self.ndim == 2
        rounded = lambda column: column if is_frame and is_left_alone(column) else column.round(decimals)
        return self._each_or(rounded, "round", decimals)

    def astype(self, dtype: Any) -> Any:
        """Values as another type; for a frame also a dictionary from columns to types.

        Types that only pandas has (`Int64`, `category`, periods) are converted by pandas for each partition. The
        categories of `astype("category")` are those that are found when the rows are computed.

        Errors: TypeError for an unknown type at the call; ValueError at `compute` for a value that does not convert.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> rd.from_pandas(pd.Series([1, 2]), npartitions=1).astype("float32").dtype
        dtype('float32')
        """
        if isinstance(dtype, dict):
            return self.assign(**{name: self[name].astype(one) for name, one in dtype.items()})
        wanted = dtype_object(dtype)
        convert = lambda rows: rows.astype(dtype)
        meta = as_categories(empty(self), wanted)
        if not is_plain(wanted):
            return over_rows(convert, self, name="astype", meta=meta, plainly=True)
        if wanted == dtype_object(str) and any(is_time(one) for one in dtypes_of(empty(self))):
            # The form of times depends on all rows of a column.
            return over_all(convert, self, name="astype", plainly=True)
        return self._native_or_pandas(
            lambda: self._each(lambda column: column.cast(str(wanted))), convert, name="astype"
        )

    def isna(self) -> Any:
        """True where a value is missing (None, NaN or NaT)."""
        return self._unary("isna")

    def notna(self) -> Any:
        """True where a value is there."""
        return self._unary("notna")

    isnull, notnull = isna, notna

    def fillna(self, value: Any = None, axis: Any = None) -> Any:
        """Missing values replaced by a scalar, lazy or not, a series of the same rows, or (frames) by a dictionary.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> rd.from_pandas(pd.Series([1.0, None]), npartitions=1).fillna(0).compute().tolist()
        [1.0, 0.0]
        """
        refuse_axis(axis, "fillna")
        if value is None:
            raise ValueError("fillna needs a value; ffill and bfill fill from the rows before and after")
        if isinstance(value, dict):
            known = {name: one for name, one in value.items() if name in self.columns}
            return self.assign(**{name: self[name].fillna(one) for name, one in known.items()})
        if needs_alignment(self, value):
            return align_with(Named("fillna"), self, value, name="fillna")
        return self._each_or(lambda column: column.fillna(native(value)), "fillna", value)

    def ffill(self, axis: Any = None, limit: int | None = None) -> Any:
        """Missing values replaced by the last value before them; at most `limit` in a row (in pandas, gathered)."""
        return self._fill("ffill", axis, limit)

    def bfill(self, axis: Any = None, limit: int | None = None) -> Any:
        """Missing values replaced by the next value after them; at most `limit` in a row (in pandas, gathered)."""
        return self._fill("bfill", axis, limit)

    def _fill(self, name: str, axis: Any, limit: int | None) -> Any:
        refuse_axis(axis, name)
        if limit is not None:
            return over_all(lambda rows: getattr(rows, name)(limit=limit), self, name=name)
        return self._each_or(lambda column: getattr(column, name)(), name, gather=True)

    def isin(self, values: Any) -> Any:
        """True where a value is one of `values` (a list, set, array or pandas object)."""
        if is_collection(values):
            return over_whole(Named("isin"), self, values, name="isin", same_rows=True)
        if isinstance(values, str) or not hasattr(values, "__iter__"):
            raise TypeError(f"only list-like objects are allowed to be passed to isin(), not {type(values).__name__}")
        if isinstance(values, dict):
            chosen = {name: list(one) for name, one in values.items()}
            names = self._expr.columns
            columns = [(name, self._expr.column(name).isin(chosen.get(name, []))) for name in names]
            return self._framed(lambda frame: frame.select(columns))
        return self._each_or(lambda column: column.isin(list(values)), "isin", values)

    def clip(self, lower: Any = None, upper: Any = None, axis: Any = None) -> Any:
        """Values below `lower` raised to it and values above `upper` lowered to it."""
        refuse_axis(axis, "clip")
        if is_elsewhere(self, lower, upper):
            return over_whole(Named("clip"), self, lower, upper, name="clip", same_rows=True, may_miss=True,
                              axis=0 if axis is None else axis)  # fmt: skip
        clipped = lambda column: column.clip(native(lower), native(upper))
        return self._each_or(clipped, "clip", lower, upper)

    def where(self, cond: Any, other: Any = None) -> Any:
        """Values where `cond` holds, and `other` (missing by default) elsewhere.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> x = rd.from_pandas(pd.Series([1, 2, 3]), npartitions=1)
        >>> x.where(x > 1, 0).compute().tolist()
        [0, 2, 3]
        """
        return self._choose(cond, other, keep=True)

    def mask(self, cond: Any, other: Any = None) -> Any:
        """Values where `cond` does not hold, and `other` (missing by default) elsewhere."""
        return self._choose(cond, other, keep=False)

    def _choose(self, cond: Any, other: Any, keep: bool) -> Any:
        cond = cond(self) if callable(cond) and not is_collection(cond) else cond
        other = other(self) if callable(other) and not is_collection(other) else other
        if is_elsewhere(self, cond, other) or (is_frame(self) and (differs(self, cond) or differs(self, other))):
            other = float("nan") if other is None else other
            return over_whole(Named("where" if keep else "mask"), self, cond, other, name="where", same_rows=True,
                              may_miss=True)  # fmt: skip
        if not is_collection(cond):
            raise TypeError(f"the condition must be a lazy boolean series or frame, not {type(cond).__name__}")
        cond = cond if keep else ~cond
        if hasattr(cond, "columns") or hasattr(other, "columns"):
            return self._choose_by_column(cond, other)
        return self._native_or_pandas(
            lambda: self._each(lambda column: column.where(cond._expr, native(other))),
            chosen, cond, other, name="where",
        )  # fmt: skip

    def replace(self, to_replace: Any = None, value: Any = None, regex: Any = False) -> Any:
        """Values replaced: one by one, a list by a list or by one value, or as a dictionary says.

        Regular expressions and dictionaries by column are done in pandas for each partition.
        """
        plain = regex is False and not (
            isinstance(to_replace, dict) and any(isinstance(v, dict) for v in to_replace.values())
        )
        if isinstance(to_replace, dict) and value is not None:
            plain = False
        if not plain:
            return over_rows(lambda part: part.replace(to_replace, value, regex=regex), self, name="replace")
        old, new = replacements(to_replace, value)
        return self._native_or_pandas(
            lambda: self._each(lambda column: column.replace(old, new)),
            lambda part: (
                part.replace(to_replace, value) if not isinstance(to_replace, dict) else part.replace(to_replace)
            ),
            name="replace",
        )

    def cumsum(self, axis: Any = None, skipna: bool = True) -> Any:
        """Running sums; a missing value stays missing and counts as nothing."""
        return self._cumulative("cumsum", axis, skipna)

    def cumprod(self, axis: Any = None, skipna: bool = True) -> Any:
        """Running products."""
        return self._cumulative("cumprod", axis, skipna)

    def cummin(self, axis: Any = None, skipna: bool = True) -> Any:
        """Running minima."""
        return self._cumulative("cummin", axis, skipna)

    def cummax(self, axis: Any = None, skipna: bool = True) -> Any:
        """Running maxima."""
        return self._cumulative("cummax", axis, skipna)

    def _cumulative(self, name: str, axis: Any, skipna: bool) -> Any:
        if axis in (1, "columns"):
            return over_rows(lambda part: getattr(part, name)(axis=1, skipna=skipna), self, name=name)
        if not skipna:
            return over_all(lambda rows: getattr(rows, name)(skipna=False), self, name=name)
        return self._each_or(lambda column: column.cumulative(name), name, gather=True)

    def shift(self, periods: int = 1, freq: Any = None, axis: Any = None, fill_value: Any = None) -> Any:
        """Values moved by `periods` rows (back if negative); the rows left empty hold `fill_value`, or are missing."""
        refuse_axis(axis, "shift")
        if freq is not None:
            raise NotImplementedError("shift(freq=) moves the index: add the offset to the index column instead")
        options = {} if fill_value is None else {"fill_value": fill_value}
        moved = lambda column: column.shift(int(periods), native(fill_value))
        return self._each_or(moved, "shift", int(periods), gather=True, **options)

    def diff(self, periods: int = 1, axis: Any = None) -> Any:
        """Each value less the one `periods` rows before it."""
        refuse_axis(axis, "diff")
        return self._each_or(lambda column: column.diff(int(periods)), "diff", int(periods), gather=True)

    def rank(self, axis: Any = None, method: str = "average", ascending: bool = True, **kwargs: Any) -> Any:
        """The place of each value in the order of its column, from one; ties by `method`."""
        refuse_axis(axis, "rank")
        if kwargs:
            return over_all(lambda rows: rows.rank(method=method, ascending=ascending, **kwargs), self, name="rank")
        ranked = lambda column: column.rank(method, ascending)
        return self._each_or(ranked, "rank", gather=True, method=method, ascending=ascending)


def numpy() -> Any:
    """NumPy, imported when it is needed."""
    import numpy as np

    return np


def is_number(column: Any) -> bool:
    """Whether an expression has a numeric type, booleans left out."""
    return column.dtype.lower().startswith(("int", "uint", "float"))


def is_left_alone(column: Any) -> bool:
    """Whether a frame's rounding leaves a column as it is: a plain one of no numbers."""
    return column.codec is None and not is_number(column)


def is_time(dtype: Any) -> bool:
    """Whether values are points or lengths of time."""
    return str(dtype).startswith(("datetime64", "timedelta64"))


def as_categories(meta: Any, dtype: Any) -> Any:
    """What `astype` with a category type that leaves the categories open gives; None for other types.

    Their categories are those that are found when the rows are computed.
    """
    import pandas as pd

    if not isinstance(dtype, pd.CategoricalDtype) or dtype.categories is not None:
        return None

    def of(column: Any) -> Any:
        own = column.dtype
        if isinstance(own, pd.CategoricalDtype):
            return column
        kind = pd.CategoricalDtype(pd.Index([], dtype=own), dtype.ordered)
        return pd.Series([], index=column.index, name=column.name, dtype=kind)

    if meta.ndim == 1:
        return of(meta if isinstance(meta, pd.Series) else meta.to_series())
    columns = {at: of(meta.iloc[:, at]) for at in range(meta.shape[1])}
    return pd.DataFrame(columns, index=meta.index).set_axis(meta.columns, axis=1)


def chosen(rows: Any, condition: Any, other: Any) -> Any:
    """`where`, with pandas' own missing values where there is no other."""
    return rows.where(condition) if other is None else rows.where(condition, other)


def refuse_axis(axis: Any, name: str) -> None:
    """NotImplementedError for work across columns that only pandas has."""
    if axis not in (None, 0, "index", "rows"):
        raise NotImplementedError(f"{name}(axis={axis!r}): use map_partitions(lambda part: part.{name}(axis=1))")


def dtype_object(dtype: Any) -> Any:
    """A type as pandas has it; TypeError if there is no such type."""
    import pandas as pd

    return pd.StringDtype(na_value=float("nan")) if dtype in (str, "str") else pd.api.types.pandas_dtype(dtype)


def dtype_name(dtype: Any) -> str:
    """The name of a type as pandas prints it; TypeError if there is no such type."""
    return str(dtype_object(dtype))


def replacements(to_replace: Any, value: Any) -> tuple[list[Any], list[Any]]:
    """Old and new values side by side."""
    if isinstance(to_replace, dict):
        return list(to_replace), list(to_replace.values())
    old = list(to_replace) if isinstance(to_replace, list | tuple | set) else [to_replace]
    new = list(value) if isinstance(value, list | tuple) else [value] * len(old)
    if len(old) != len(new):
        raise ValueError(f"replacement lists must match in length: {len(old)} values by {len(new)}")
    return old, new
