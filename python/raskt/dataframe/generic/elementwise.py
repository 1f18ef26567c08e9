"""Methods of frames and series that work on each value, or on each column, without changing the rows."""

from __future__ import annotations

import warnings
from functools import lru_cache, partial
from typing import Any

from raskt._core import Delayed, Lazy

from ..base.array_arguments import is_lazy_array
from ..base.checks import check_boolean, check_frame_axis, check_series_axis, deprecated_copy, no_default, refuse_given
from ..base.collection import has_labels, is_collection, is_column, is_frame, is_index, is_labels, is_scalar, native
from ..base.dependent import changed_meta, extremes, made_of, refuse_retyped, with_missing
from ..base.labels import encode_label
from ..base.lazy_arrays import (
    CONDITION,
    EQUAL,
    OTHER,
    column_beside,
    frame_operand,
    operand,
    same_shape,
    values_of,
)
from ..base.meta import columns_of, dtypes_of, empty, sample_of, types_in
from ..base.pandas_methods import changing, elementwise, gathered_rows, native_or
from ..base.partitionwise import over_all, over_rows
from ..base.registry import wrap
from ..base.storage import MASKED, is_plain
from ..base.whole import over_whole, sample_rows, unmet
from .alignment import Named, align_with, by_columns, differs, is_elsewhere, needs_alignment, with_values
from .numpy_functions import numpy_function
from .operands import bound, elements, may_be_objects
from .operators import FUNCTIONS, OperatorMethods
from .running import Running

#: NumPy's functions of one argument that the native side has, by its names.
UNARY = {
    "negative": "neg",
    "positive": "pos",
    "absolute": "abs",
    "invert": "invert",
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
    "bitwise_and": "and",
    "bitwise_or": "or",
    "bitwise_xor": "xor",
}


#: What NumPy's functions of two arguments are when they reduce.
REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}


class Elementwise(OperatorMethods, Running):
    """Elementwise methods in terms of `_each(function)`, which applies a function of expressions to each column."""

    __slots__ = ()

    def _each(self, function: Any) -> Any:
        raise NotImplementedError

    def _unary(self, operation: str) -> Any:
        function = FUNCTIONS.get(operation) or getattr(numpy(), operation, None)
        return self._native_or_pandas(
            lambda: self._each(lambda column: unary(column, operation)), function, name=operation
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
        if kwargs.get("out") is not None:
            raise NotImplementedError(f"np.{ufunc.__name__}(out=): a lazy object is not written into; use the result")
        kwargs.pop("out", None)
        inputs = tuple(map(without_dimension, inputs))
        if method == "__call__":
            inputs = beside_rows(inputs, ufunc.__name__ in COMPARED)
        if method == "reduce":
            return self._reduced(ufunc, *inputs[1:], **kwargs)
        if method != "__call__":
            return NotImplemented
        name = ufunc.__name__
        if not kwargs and len(inputs) == 1 and name in UNARY:
            if not all(map(is_plain, dtypes_of(empty(self)))):
                check_missing(ufunc, inputs, kwargs)
            native_form = lambda: self._each(lambda column: unary(column, UNARY[name]))
            return self._native_or_pandas(native_form, ufunc, name=name)
        if not kwargs and len(inputs) == 2 and name in BINARY:
            left, right = inputs
            if isinstance(left, Elementwise):
                return left._binary(BINARY[name], right)
            return right._binary(BINARY[name], left, True)
        check_missing(ufunc, inputs, kwargs)
        return with_values(ufunc, *inputs, name=name, **kwargs)

    def _reduced(self, ufunc: Any, axis: Any = 0, **kwargs: Any) -> Any:
        """`np.add.reduce(df)` and the like: the reduction of that meaning."""
        if ufunc.__name__ not in REDUCTIONS or kwargs:
            raise NotImplementedError(f"np.{ufunc.__name__}.reduce of a lazy object: compute first")
        return getattr(self, REDUCTIONS[ufunc.__name__])(axis=axis, skipna=False)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """NumPy's functions that are methods here stay lazy; others get the computed values."""
        return numpy_function(func, args, kwargs)

    def abs(self) -> Any:
        """Absolute values."""
        return self._unary("abs")

    def round(self, decimals: Any = 0) -> Any:
        """Values rounded to a number of decimals; for a frame also a dictionary from columns to numbers.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> rd.from_pandas(pd.Series([1.26, 2.0]), npartitions=1).round(1).compute().tolist()
        [1.3, 2.0]
        """
        if self.ndim == 2 and hasattr(decimals, "items") and not is_collection(decimals):
            known = [(name, self[name].round(places)) for name, places in decimals.items() if name in self]
            return self._with_columns(known)
        is_frame = self.ndim == 2
        rounded = lambda column: column if is_frame and is_left_alone(column) else column.round(decimals)
        return self._each_or(rounded, "round", decimals)

    def astype(self, dtype: Any, copy: Any = no_default, errors: str = "raise") -> Any:
        """Values as another type; for a frame also a dictionary from columns to types.

        Types that only pandas has (`Int64`, `category`, periods) are converted by pandas for each partition. The
        categories of `astype("category")` are those of all its rows, which the first operation on the result computes.

        Errors: TypeError for an unknown type at the call; ValueError at `compute` for a value that does not convert.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> rd.from_pandas(pd.Series([1, 2]), npartitions=1).astype("float32").dtype
        dtype('float32')
        """
        deprecated_copy(copy)
        if errors not in ("raise", "ignore"):
            raise ValueError(f"Expected value of kwarg 'errors' to be one of ['raise', 'ignore']. Got {errors!r}")
        refuse_given("astype", {"errors": (errors, "raise")}, "whether a value converts only computing can tell")
        if hasattr(dtype, "items"):
            if self.ndim == 1:
                raise KeyError("Only the Series name can be used for the key in Series dtype mappings.")
            return self._with_columns([(name, self[name].astype(one)) for name, one in dtype.items()])
        wanted = dtype_object(dtype)
        convert = lambda rows: rows.astype(dtype)
        meta = as_categories(self, wanted)
        own = types_in(self) if self.ndim == 2 or not is_labels(self) else dtypes_of(empty(self))
        if meta is None and any(depends_on_all(one, wanted) for one in own):
            known = empty(self).astype(wanted) if str(wanted) in MASKED else None
            return over_whole(convert, self, name="astype", meta=known, same_rows=True)
        if "str" in map(str, own) and str(wanted).startswith(("datetime64", "timedelta64")):
            # Only pandas reads all the ways in which it reads times.
            return over_rows(convert, self, name="astype", meta=empty(self).astype(wanted), plainly=True)
        if str(wanted) == "bool" and any(map(may_be_objects, columns_of(self))):
            return over_rows(convert, self, name="astype", meta=empty(self).astype(wanted), plainly=True)
        times = [one for one in own if str(one).startswith(("datetime64", "timedelta64"))]
        if not is_plain(wanted) or (times and str(wanted) == "bool"):
            return over_rows(convert, self, name="astype", meta=meta, plainly=True)
        check_castable(self, own, wanted)
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

    def fillna(self, value: Any, *, axis: Any = None, inplace: bool = False, limit: int | None = None) -> Any:
        """Missing values replaced by a scalar, lazy or not, or for series by another series of the same rows.

        For frames, a dictionary or a series (a lazy one, too: `df.mean()`) has the value of each column. With `limit`,
        at most so many are replaced in a column (gathered, in pandas).

        >>> import pandas as pd, raskt.dataframe as rd
        >>> rd.from_pandas(pd.Series([1.0, None]), npartitions=1).fillna(0).compute().tolist()
        [1.0, 0.0]
        """
        filled = self._filled(value, axis, limit)
        if inplace is True and dtypes_of(empty(filled)) != dtypes_of(empty(self)):
            raise NotImplementedError(
                "fillna in place by values of another type, which pandas refuses: assign the result"
            )
        return self._changed(filled, inplace)

    def _filled(self, value: Any, axis: Any, limit: int | None) -> Any:
        if self.ndim == 2 and is_column(value):
            return self._filled_by_columns(value, axis, limit)
        in_pandas = lambda run, **options: self._filled_in_pandas(run, value, **options)
        if axis in (1, "columns") or value is None:
            return elementwise("fillna", self, value, axis=axis, limit=limit)
        if limit is not None or axis not in (None, 0, "index", "rows"):
            return in_pandas(gathered_rows, axis=axis, limit=limit)
        if needs_alignment(self, value):
            refuse_fillers(self, value)
            return align_with(Named("fillna"), self, value, name="fillna")
        if not is_collection(value) and hasattr(value, "items"):
            if self.ndim == 1:
                return in_pandas(elementwise)
            if getattr(value, "ndim", 1) == 1:
                return self._with_columns(
                    [(name, self[name].fillna(one)) for name, one in value.items() if name in self]
                )
        return native_or(
            lambda: self._each(lambda column: column.fillna(native(value))), lambda: in_pandas(elementwise)
        )

    def _filled_by_columns(self, values: Any, axis: Any, limit: int | None) -> Any:
        """Each column filled by the value of a lazy series whose labels are columns, such as `df.mean()`."""
        if limit is not None or axis not in (None, 0, "index", "rows"):
            raise NotImplementedError("fillna(limit=, axis=) by a lazy series: compute the series first")
        if empty(values).dtype == bool:
            raise NotImplementedError("fillna of a frame by a lazy series of truth values: compute the series first")
        return by_columns(Named("fillna"), self, values, name="fillna", meta=empty(self))

    def _filled_in_pandas(self, run: Any, value: Any, **options: Any) -> Any:
        changed = lambda: with_missing(self).fillna(extremes(value))
        run = gathered_rows if self.ndim == 1 and depends_on_others(self, value) else run
        return changing(run, changed, "fillna", self, value, **options)

    def isin(self, values: Any) -> Any:
        """True where a value is one of `values`: a list, set, array, lazy or not, or pandas object.

        For frames, a dictionary has the values of each column, and a pandas object is met by its labels.
        """
        if is_lazy_array(values):
            if self.ndim == 2 and values.ndim != 1:
                raise NotImplementedError("isin of a frame by a lazy array of two dimensions: pass array.ravel()")
            return over_whole(is_in, self, values_of(values.ravel()), name="isin", same_rows=True)
        if is_collection(values):
            met = is_in if is_column(values) and self.ndim == 1 else Named("isin")
            return over_whole(met, self, values, name="isin", same_rows=True)
        if holds_lazy(values):
            raise NotImplementedError(
                "isin takes no delayed objects, and no lazy values in a list: give a lazy array or series, or compute "
                "them first"
            )
        if isinstance(values, str) or not hasattr(values, "__iter__"):
            raise TypeError(f"only list-like objects are allowed to be passed to isin(), not {type(values).__name__}")
        if self.ndim == 2 and (hasattr(values, "items") or hasattr(values, "columns")):
            return elementwise("isin", self, values)
        values = values if hasattr(values, "__len__") else list(values)
        return self._each_or(lambda column: column.isin(elements(column, list(values))), "isin", values)

    def clip(self, lower: Any = None, upper: Any = None, *, axis: Any = None, inplace: bool = False) -> Any:
        """Values below `lower` raised to it and values above `upper` lowered to it.

        Bounds are numbers, lazy or not, lazy series of the same rows (of frames, with `axis=0`), or pandas series by
        labels: of columns with `axis=1`.
        """
        (check_series_axis if self.ndim == 1 else check_frame_axis)(axis)
        lower, upper = (None if is_missing(one) else one for one in (lower, upper))
        lower, upper = self._bound_beside(lower, axis), self._bound_beside(upper, axis)
        bounds = [bound for bound in (lower, upper) if bound is not None]
        values = [one for one in bounds if not is_collection(one) and not has_labels(one)]
        refuse_missing_texts(self, values)
        if any(hasattr(one, "__len__") and not isinstance(one, str) for one in values):
            raise NotImplementedError("clip by an array or a list: give a pandas Series, whose labels say what is met")
        lazy = any(is_collection(one) for one in bounds)
        by_labels = any(has_labels(one) for one in bounds)
        by_rows = self.ndim == 2 and any(is_collection(one) and not is_scalar(one) for one in bounds)
        if len(bounds) == 2 and not lazy and not by_labels and lower > upper:
            lower, upper = upper, lower
        # Where bounds cross, pandas takes the upper one first.
        crossing = len(bounds) == 2 and lazy
        if by_labels or crossing or (by_rows and axis not in (0, "index", "rows")) or axis in (1, "columns"):
            clipped = self._clipped_in_pandas(lower, upper, axis=axis)
        else:
            options = {"axis": axis} if by_rows else {}
            in_pandas = lambda: self._clipped_in_pandas(lower, upper, **options)
            one = lambda column: column.clip(bound(column, lower), bound(column, upper))
            clipped = native_or(lambda: self._each(one), in_pandas)
        return self._changed(clipped, inplace, *bounds)

    def _bound_beside(self, bound: Any, axis: Any) -> Any:
        """A bound of `clip` that is a lazy array as a series of the same rows."""
        if is_collection(bound) and any(str(dtype) == "category" for dtype in types_in(bound)):
            raise NotImplementedError(
                "clip by a column of categories, which pandas refuses where one is missing: convert it by astype first"
            )
        if not is_lazy_array(bound):
            return bound
        if self.ndim == 2 and bound.ndim and (bound.ndim == 2 or axis not in (0, "index", "rows")):
            raise NotImplementedError("clip of a frame by a lazy array: give one dimension, and axis=0")
        return column_beside(self, bound, EQUAL)

    def _clipped_in_pandas(self, lower: Any, upper: Any, **options: Any) -> Any:
        changed = lambda: extremes(self).clip(extremes(lower), extremes(upper), **options)
        over = partial(elementwise, by_labels=None if options.get("axis") not in (1, "columns") else False)
        return changing(over, changed, "clip", self, lower, upper, **options)

    def where(
        self, cond: Any, other: Any = no_default, *, inplace: bool = False, axis: Any = None, level: Any = None
    ) -> Any:
        """Values where `cond` holds, and `other` (missing by default) elsewhere.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> x = rd.from_pandas(pd.Series([1, 2, 3]), npartitions=1)
        >>> x.where(x > 1, 0).compute().tolist()
        [0, 2, 3]
        """
        return self._changed(self._choose("where", cond, other, axis, level), inplace, other)

    def mask(
        self, cond: Any, other: Any = no_default, *, inplace: bool = False, axis: Any = None, level: Any = None
    ) -> Any:
        """Values where `cond` does not hold, and `other` (missing by default) elsewhere."""
        return self._changed(self._choose("mask", cond, other, axis, level), inplace, other)

    def _choose(self, method: str, cond: Any, other: Any, axis: Any, level: Any) -> Any:
        cond = cond(self) if callable(cond) and not is_collection(cond) else cond
        other = other(self) if callable(other) and not is_collection(other) else other
        if is_lazy_array(cond):
            cond = same_shape(self, cond, CONDITION)
        if is_lazy_array(other):
            alone = not other.ndim or (self.ndim == 1 and other.ndim == 1 and other.shape[0] == 1)
            other = column_beside(self, other.reshape(())) if alone else same_shape(self, other, OTHER)
        if is_elsewhere(self, cond, other) or (is_frame(self) and (differs(self, cond) or differs(self, other))):
            other = float("nan") if other is no_default else other
            how = {} if is_index(self) else {"axis": axis, "level": level}  # those of an index have neither
            gaps = unmet(partial(Named(method), **how), self, cond, other)
            return over_whole(Named(method), self, cond, other, name=method, same_rows=True, may_miss=gaps, **how)
        for value in (cond, other):
            if hasattr(value, "__len__") and not (is_collection(value) or has_labels(value) or isinstance(value, str)):
                raise NotImplementedError(f"{method} by an array or a list: give a lazy or a pandas object with labels")
        if level is not None:
            raise NotImplementedError(f"{method}(level=): reset the index first")
        labelled = has_labels(other) or (is_frame(self) and is_column(other))
        if not is_collection(cond) or axis is not None or labelled or other is None:
            run = gathered_rows if self.ndim == 1 and depends_on_others(self, other) else elementwise
            return changing(run, self._all_chosen(other, axis), method, self, cond, other=other, axis=axis)
        return self._chosen_natively(cond if method == "where" else ~cond, None if other is no_default else other)

    def _all_chosen(self, other: Any, axis: Any) -> Any:
        """A call by which each value of a sample becomes the other one."""
        few = sample_of(self)
        given = {} if other is no_default else {"other": extremes(other)}
        return lambda: few.where(few.isna() & few.notna(), axis=axis, **given)

    def _chosen_natively(self, cond: Any, other: Any) -> Any:
        if hasattr(cond, "columns") or hasattr(other, "columns"):
            return self._choose_by_column(cond, other)

        def in_pandas() -> Any:
            over_rows(chosen, self, cond, other, name="where", plainly=True)
            over = over_all if self.ndim == 1 and depends_on_others(self, other) else over_rows
            meta = changed_meta(self._all_chosen(no_default if other is None else other, None))
            return over(chosen, self, cond, other, name="where", meta=meta, plainly=True)

        return native_or(lambda: self._each(lambda column: column.where(cond._expr, native(other))), in_pandas)

    def replace(
        self, to_replace: Any = None, value: Any = no_default, *, inplace: bool = False, regex: Any = False
    ) -> Any:
        """Values replaced: one by one, a list by a list or by one value, or as a dictionary says.

        Regular expressions, dictionaries by column and None as a value are done in pandas for each partition.
        """

        def in_pandas() -> Any:
            old = to_replace if isinstance(to_replace, dict | list | tuple | set) else [to_replace]
            options = {"regex": regex} if value is no_default else {"value": value, "regex": regex}
            changed = lambda: made_of(self, list(old)).replace(to_replace, **options)
            return changing(elementwise, changed, "replace", self, to_replace, value=value, regex=regex)

        if not self._is_replaced_natively(to_replace, value, regex):
            return self._changed(in_pandas(), inplace)
        old, new = replacements(to_replace, value)
        return self._changed(native_or(lambda: self._each(lambda column: column.replace(old, new)), in_pandas), inplace)

    def _is_replaced_natively(self, to_replace: Any, value: Any, regex: Any) -> bool:
        if regex is not False or is_collection(to_replace) or is_collection(value) or value is None:
            return False
        if isinstance(to_replace, dict):
            new = list(to_replace.values())
            return value is no_default and not any(one is None or isinstance(one, dict | list) for one in new)
        if (
            to_replace is None
            or value is no_default
            or hasattr(to_replace, "index")
            and not isinstance(to_replace, list)
        ):
            return isinstance(to_replace, str) and value is not no_default
        new = list(value) if isinstance(value, list | tuple) else [value]
        return not isinstance(value, dict) and None not in new

    def _with_columns(self, columns: list[tuple[Any, Any]]) -> Any:
        """The frame with some columns replaced."""
        # The categories of several of them are computed together.
        return wrap(self._expr.assign([(encode_label(label), value._plan) for label, value in columns]))

    def _changed(self, result: Any, inplace: Any, *values: Any) -> Any:
        """The result, or this collection with the result in its place, as pandas gives it of such methods.

        Where it is said which `values` came there, they have to be of the types of those whose place they take.
        """
        if not check_boolean("inplace", inplace):
            return result
        refuse_retyped(types_in(self), types_in(result), values)
        self._in_place(result, True)
        return self


#: Comparisons by NumPy's names.
COMPARED = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")


def beside_rows(inputs: tuple[Any, ...], is_comparison: bool) -> tuple[Any, ...]:
    """The operands of a function of NumPy, lazy arrays brought to the rows that they stand beside."""
    if not any(map(is_lazy_array, inputs)):
        return inputs
    rows = next(one for one in inputs if isinstance(one, Elementwise))
    met = lambda one: frame_operand(rows, one) if rows.ndim == 2 else operand(rows, one, is_comparison)
    return tuple(met(one) if is_lazy_array(one) else one for one in inputs)


def holds_lazy(values: Any) -> bool:
    """Whether something is lazy, or holds what is: a list, a dictionary, objects of pandas or NumPy."""
    if isinstance(values, Lazy | Delayed):
        return True
    if isinstance(values, dict):
        return any(map(holds_lazy, values.values()))
    objects = getattr(values, "dtype", None) == object and getattr(values, "ndim", 0) == 1
    if objects or isinstance(values, list | tuple | set | frozenset):
        return any(isinstance(value, Lazy | Delayed) for value in values)
    return False


def unary(column: Any, operation: str) -> Any:
    """An operation of a column; NotImplementedError for signs of points of time, which pandas refuses."""
    if operation == "pos" and column.dtype.startswith("datetime64"):
        raise NotImplementedError("points of time have no sign")
    return column.unary(operation)


def is_in(rows: Any, values: Any) -> Any:
    """Which of the rows are among some values, in the way of each class: of labels it is an array in pandas."""
    import pandas as pd

    values = values.to_numpy() if rows.ndim == 2 else values
    found = rows.isin(values)
    return found if hasattr(found, "iloc") else pd.Series(found, index=rows)


def numpy() -> Any:
    """NumPy, imported when it is needed."""
    import numpy as np

    return np


def without_dimension(value: Any) -> Any:
    """An array of no dimension, which NumPy makes of its scalars, as the scalar."""
    return value[()] if type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0 else value


def depends_on_others(rows: Any, value: Any) -> bool:
    """Whether a value is a lazy series whose values are of a type that depends on all of them, beside other types."""
    return is_column(value) and value._expr.codec is not None and value._expr.codec != rows._expr.codec


def is_number(column: Any) -> bool:
    """Whether an expression has a numeric type, booleans left out."""
    return column.dtype.lower().startswith(("int", "uint", "float"))


def is_never_missing(column: Any) -> bool:
    """Whether an expression has a type without missing values: plain integers and truth values."""
    return column.codec is None and column.dtype.startswith(("int", "uint", "bool"))


def is_ordered_number(column: Any) -> bool:
    """Whether an expression has a plain type whose values are numbers to pandas: times and truth values as well."""
    kinds = ("int", "uint", "float", "bool", "datetime64", "timedelta64")
    return column.codec is None and column.dtype.startswith(kinds)


def is_left_alone(column: Any) -> bool:
    """Whether a frame's rounding leaves a column as it is: a plain one of no numbers."""
    return column.codec is None and not is_number(column)


def depends_on_all(dtype: Any, wanted: Any) -> bool:
    """Whether what pandas makes of a value depends on other rows: the text of times, numbers in categories, objects
    that it takes for nullable numbers only if all of them are of one kind."""
    import pandas as pd

    if dtype == object:
        return str(wanted) in MASKED
    if isinstance(dtype, pd.CategoricalDtype):
        words = dtype.categories is not None and isinstance(dtype.categories.dtype, pd.StringDtype)
        return not isinstance(wanted, pd.CategoricalDtype) and not (words and isinstance(wanted, pd.StringDtype))
    return isinstance(wanted, pd.StringDtype) and str(dtype).startswith(("datetime64", "timedelta64"))


def check_castable(collection: Any, own: list[Any], wanted: Any) -> None:
    """An error, pandas' own, where it has no way from one type to the other."""
    try:
        for one in own:
            _cast_nothing(one, wanted)
    except (TypeError, ValueError):
        # In the words that pandas has for such a collection.
        empty(collection).astype(wanted)


@lru_cache(maxsize=256)
def _cast_nothing(own: Any, wanted: Any) -> None:
    import pandas as pd

    pd.Series([], dtype=own).astype(wanted)


def as_categories(collection: Any, dtype: Any) -> Any:
    """What `astype` with a category type that leaves the categories open gives; None for other types.

    Their categories are those of all rows, which only computing tells.
    """
    import pandas as pd

    if not isinstance(dtype, pd.CategoricalDtype) or dtype.categories is not None:
        return None
    meta = empty(collection)

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


def check_missing(ufunc: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """NotImplementedError if what a function of NumPy gives is of another type where values are missing."""
    try:
        plain = ufunc(*map(sample_of, inputs), **kwargs)
        missing = ufunc(*map(with_missing, inputs), **kwargs)
    except Exception:
        return
    if hasattr(plain, "ndim") and dtypes_of(plain) != dtypes_of(missing):
        raise NotImplementedError(
            f"np.{ufunc.__name__} of these types gives other ones where values are missing, which only computing could "
            "tell: convert the columns by astype first"
        )


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


def refuse_fillers(rows: Any, value: Any) -> None:
    """NotImplementedError for values of other rows that change the type if a missing value meets one of them."""
    lost, few = with_missing(rows), sample_rows(value)
    if lost.ndim != 1 or getattr(few, "ndim", 0) != 1 or not hasattr(few, "iloc"):
        return
    few = few.iloc[: len(lost)]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            filled = lost.fillna(few.set_axis(lost.index[: len(few)]))
    except Exception:  # what pandas thinks of such values is told when there are any
        return
    if str(filled.dtype) != str(lost.dtype):
        raise NotImplementedError(
            f"fillna of {lost.dtype} by {few.dtype} of other rows, which makes {filled.dtype} of them if a missing "
            "value meets one: convert one of them by astype first"
        )


def refuse_missing_texts(rows: Any, bounds: list[Any]) -> None:
    """NotImplementedError for texts that pandas reads as missing times."""
    import pandas as pd

    times = any(getattr(dtype, "kind", "") in "mM" for dtype in types_in(rows))
    if times and any(isinstance(one, str) and pd.isna(pd.to_datetime(one, errors="coerce")) for one in bounds):
        raise NotImplementedError("clip of times by a text that stands for no time: leave the bound out")


def is_missing(value: Any) -> bool:
    """Whether a bound is a missing value, and so none."""
    import pandas as pd

    return pd.api.types.is_scalar(value) and bool(pd.isna(value))
