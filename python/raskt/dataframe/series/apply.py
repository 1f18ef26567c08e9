"""Methods of series that work on each value."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..base.array_arguments import is_lazy_array
from ..base.checks import no_default, refuse_engine
from ..base.collection import has_labels, is_collection, is_column
from ..base.lazy_arrays import operand
from ..base.lists import exploded
from ..base.meta import empty, infer, is_full, sample_of
from ..base.of_values import of_values
from ..base.pandas_methods import Method, by_partition, gathered, native_or
from ..base.partitionwise import WithNames, over_all, over_partitions, over_rows
from ..base.registry import wrap
from ..base.steps import with_steps_of
from ..base.storage import is_plain
from ..base.whole import is_foreign, is_labelled, over_whole, sample_rows, unmet
from ..generic.alignment import Named, with_values
from ..generic.elementwise import Elementwise
from ..generic.operands import bound, may_be_objects
from ..generic.operators import add_methods, of_series

#: Types of which pandas maps values to one of several types, by what is found.
UNSETTLED = re.compile(r"\[pyarrow\]$|^U?Int|^Float|^boolean$|^string$")


class SeriesValues(Elementwise):
    """The part of `Series` about values."""

    __slots__ = ()

    def between(self, left: Any, right: Any, inclusive: Any = "both") -> Any:
        """True where a value lies between two others; `inclusive`: both, neither, left or right."""
        if inclusive not in ("both", "neither", "left", "right"):
            raise ValueError(f"inclusive must be 'both', 'neither', 'left' or 'right', not {inclusive!r}")
        left, right = (operand(self, one, True) if is_lazy_array(one) else one for one in (left, right))
        if is_labelled(left) or is_labelled(right):
            low = self >= left if inclusive in ("both", "left") else self > left
            return low & (self <= right if inclusive in ("both", "right") else self < right)
        call = lambda rows, low, high: rows.between(low, high, inclusive)
        native = lambda: wrap(self._expr.between(bound(self._expr, left), bound(self._expr, right), inclusive))
        found = native_or(native, lambda: with_values(call, self, left, right, name="between"))
        alike = all(not is_column(one) or one.name == self.name for one in (left, right))
        return found.rename(self.name if alike else None)

    def map(self, func: Any = None, na_action: Any = None, engine: Any = None, meta: Any = None, **kwargs: Any) -> Any:
        """Values replaced as a dictionary, a series or a function says; missing where it has no answer.

        Dictionaries run natively, functions (which get `kwargs` as well) in pandas for each partition. For a lazy
        series all rows are gathered, and so are objects that a dictionary or a series maps by anything but texts: which
        of them are found all of them together tell.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> rd.from_pandas(pd.Series([1, 2]), npartitions=1).map({1: "one", 2: "two"}).compute().tolist()
        ['one', 'two']
        """
        refuse_engine("map", engine, None)
        if na_action not in (None, "ignore"):
            raise ValueError(f"na_action must either be 'ignore' or None, {na_action} was passed")
        if is_collection(func):
            if meta is None:
                refuse_unsettled(self.dtype, func.dtype)
            by = lambda s, mapper: s.map(mapper, na_action=na_action)
            return over_whole(by, self, func, name="map", meta=meta, same_rows=True, may_miss=True)
        call = lambda s: s.map(func, na_action=na_action, **kwargs)
        is_plain_dict = isinstance(func, dict) and not hasattr(func, "__missing__")
        alike = na_action is None or (isinstance(func, dict) and not any(map(is_nothing, func)))
        of_all = (is_plain_dict or has_labels(func)) and self._is_told_by_all(func)
        if meta is None and is_plain_dict and alike:
            native = lambda: wrap(self._expr.map_values(list(func), list(func.values())))
            meta, how = mapped_values(empty(self), func), {"same_rows": True, "plainly": True, "may_miss": True}
            if not of_all:
                in_pandas = lambda: over_partitions(call, (self,), {}, name="map", meta=meta, **how)
                return native_or(native, in_pandas) if func else in_pandas()
        elif meta is None and has_labels(func):
            meta = infer(call, (self,), {}, "map", plainly=True)
            if not of_all:
                how = {"same_rows": True, "plainly": True, "may_miss": True, "by_labels": False}
                return over_partitions(call, (self,), {}, name="map", meta=meta, **how)
        if of_all:
            return over_whole(call, self, name="map", meta=meta, same_rows=True, may_miss=True)
        if not callable(func):
            return over_rows(call, self, name="map", meta=meta)
        given = {"na_action": na_action, **kwargs}
        return of_values(Method("map"), self, func, given, meta=meta)

    def _is_told_by_all(self, mapper: Any) -> bool:
        """Whether all values together tell which of them are mapped: pandas makes labels of objects by what all of them
        are, and finds truth values equal to numbers, unless all are truth values. Only texts are found in any case."""
        import pandas as pd

        if not (self.dtype == "object" or may_be_objects(self._expr)):
            return False
        labels = list(mapper) if isinstance(mapper, dict) else mapper.index
        are_plain = isinstance(labels, list) or isinstance(labels, pd.Index) and type(labels) is pd.Index
        return not (are_plain and all(isinstance(label, str) for label in labels))

    def apply(
        self,
        func: Any,
        args: Any = (),
        *,
        by_row: Any = "compat",
        convert_dtype: Any = no_default,
        meta: Any = None,
        **kwargs: Any,
    ) -> Any:
        """A function of each value, in pandas for each partition; `args` and `kwargs` are more arguments of it.

        With `by_row=False`, or for names of methods and lists of functions, it gets all rows, gathered. `convert_dtype`
        is Dask's, and was pandas'; it is refused, since pandas has no such argument any more.
        """
        if convert_dtype is not no_default:
            raise NotImplementedError("apply(convert_dtype=): convert the result by astype")
        options = {"args": args, "by_row": by_row, **kwargs}
        if callable(func) and by_row == "compat" and not is_ufunc(func):
            return of_values(Method("apply"), self, func, options, meta=meta)
        over = over_rows if callable(func) and by_row == "compat" and not is_ufunc(func) else over_all
        over = over_rows if is_ufunc(func) else over
        call = WithNames(Method("apply"), list(options))  # which may have any name
        return over(call, self, func, *options.values(), name=getattr(func, "__name__", "apply"), meta=meta)

    def case_when(self, caselist: list[Any]) -> Any:
        """Values replaced where a condition holds; the first condition that holds counts."""
        if not isinstance(caselist, list):
            raise TypeError(f"The caselist argument should be a list; instead got {type(caselist)}")
        result = self._widened(caselist)
        for condition, value in reversed(caselist):
            result = result.mask(condition, value)
        return result

    def _widened(self, caselist: list[Any]) -> Any:
        """The series in the type that pandas finds for its values and for all that replace some."""
        few = sample_of(self)
        everywhere = few.isna() | few.notna()
        values = [value(self) if callable(value) and not is_collection(value) else value for _, value in caselist]
        try:
            found = few.case_when([(everywhere, sample_rows(value)) for value in values]).dtype
        except (TypeError, ValueError, NotImplementedError):
            return self
        return self if found == few.dtype else self.astype(found)

    def combine_first(self, other: Any) -> Any:
        """Values of this series, and of another one of the same rows where they are missing."""
        if is_foreign(self, other):
            gaps = unmet(Named("combine_first"), self, other)
            return over_whole(Named("combine_first"), self, other, name="combine_first", may_miss=gaps)
        if self.dtype == other.dtype:
            return self.fillna(other)
        if "M" in (self.dtype.kind, other.dtype.kind):
            raise NotImplementedError(
                "combine_first of times and values of another type: convert one of them by astype"
            )
        return with_steps_of(over_whole(Named("combine_first"), self, other, name="combine_first"), self)

    def combine(self, other: Any, func: Callable[..., Any], fill_value: Any = None) -> Any:
        """A function of pairs of values of two series, in pandas for each partition; of other rows, gathered."""
        call = lambda a, b: a.combine(b, func, fill_value)
        names_lost = is_column(other) and self._as_frame().index_names != other._as_frame().index_names
        if names_lost or is_foreign(self, other):
            return over_whole(call, self, other, name="combine", may_miss=True)
        return over_rows(call, self, other, name="combine")

    def compare(
        self,
        other: Any,
        align_axis: Any = 1,
        keep_shape: bool = False,
        keep_equal: bool = False,
        result_names: Any = ("self", "other"),
    ) -> Any:
        """The values that differ from those of another series of the same rows (gathered, in pandas)."""
        options = {"align_axis": align_axis, "keep_shape": keep_shape, "keep_equal": keep_equal}
        found = gathered("compare", self, other, result_names=result_names, **options)
        return with_steps_of(found, self) if keep_shape and align_axis in (1, "columns") else found

    def explode(self, ignore_index: bool = False) -> Any:
        """A row for each item of each list, in pandas for each partition; numbered anew with `ignore_index`."""
        rows = by_partition("explode", self, meta=exploded(self))
        return rows.reset_index(drop=True) if ignore_index else rows


add_methods(SeriesValues, of_series)


def is_nothing(key: Any) -> bool:
    """Whether a key of a dictionary is what pandas takes for a missing value."""
    import pandas as pd

    return bool(pd.api.types.is_scalar(key) and pd.isna(key))


def is_ufunc(func: Any) -> bool:
    """Whether a function is one of NumPy's, which pandas calls with all values at once."""
    import numpy as np

    return isinstance(func, np.ufunc)


def mapped_values(meta: Any, values: dict[Any, Any]) -> Any:
    """The empty series of what a dictionary says, among which values may be missing."""
    import pandas as pd

    if isinstance(meta.dtype, pd.CategoricalDtype) and has_categories(meta.dtype):
        return meta.map(values) if isinstance(meta, pd.Series) else meta.to_series().map(values)
    found = pd.Series([*values.values()]) if values else pd.Series([], dtype="float64")
    if UNSETTLED.search(str(meta.dtype)) and not (found.dtype == "str" or found.dtype.kind in "mM"):
        raise NotImplementedError(
            f"map of values of {meta.dtype} to values of {found.dtype}: pandas makes their type by what is found, "
            "which only computing could tell; pass meta="
        )
    found = pd.Series([*values.values(), None]) if values and not is_full(found.dtype) else found
    dtype = found.dtype if not isinstance(meta.dtype, pd.CategoricalDtype) else object
    return pd.Series([], dtype=dtype, name=meta.name, index=meta.index if isinstance(meta, pd.Series) else meta)


def refuse_unsettled(dtype: Any, values: Any) -> None:
    """NotImplementedError for values that are mapped by a series of such `values`, where their type depends on which of
    them are found."""
    import numpy as np

    nullable = UNSETTLED.search(str(dtype)) is not None
    objects = values == np.dtype(object) and (nullable or dtype == "str")
    arrow = any(str(one).endswith("[pyarrow]") for one in (dtype, values))
    if arrow or objects or (nullable and is_plain(values) and values.kind in "iu"):
        raise NotImplementedError(
            f"map of values of {dtype} by a series of {values}: pandas makes their type by what is found, which only "
            "computing could tell; pass meta="
        )


def has_categories(dtype: Any) -> bool:
    """Whether the categories of a type are known."""
    return dtype.categories is not None and len(dtype.categories) > 0
