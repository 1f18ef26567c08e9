"""Reductions of series: a value for a column."""

from __future__ import annotations

from typing import Any

from ..base.array_arguments import is_lazy_array
from ..base.checks import check_boolean, check_series_axis, without_effect
from ..base.collection import has_labels, is_collection
from ..base.dependent import changed_meta
from ..base.lazy_arrays import PRODUCT, column_beside
from ..base.meta import is_categorical, sample_of
from ..base.pandas_methods import gathered, gathered_value, native_or
from ..base.partitionwise import one_value
from ..base.registry import wrap
from ..base.tuning import tunable
from ..base.whole import is_foreign
from ..generic.operands import is_number
from ..generic.reductions import Reductions, check_quantile_method, is_rows_axis, with_axis
from ..generic.summaries import describe_series, value_counts
from ..io.creation import from_pandas


class SeriesReductions(Reductions):
    """The part of `Series` about reductions."""

    __slots__ = ()

    def _reduce(self, method: Any, axis: Any, numeric_only: bool, native: dict[Any, Any] | None, **options: Any) -> Any:
        if axis is not None and not is_rows_axis(axis):
            raise ValueError(f"No axis named {axis!r} for object type Series")
        numeric_only = bool(numeric_only)
        in_pandas = lambda: gathered_value(method, self, numeric_only=numeric_only, **options)
        if native is None or (numeric_only and not is_number(self._expr.dtype)):
            return in_pandas()
        return native_or(lambda: wrap(self._expr.reduce(method, **native)), in_pandas)

    def _truth(self, method: Any, axis: Any, bool_only: bool, skipna: bool) -> Any:
        if axis is not None and not is_rows_axis(axis):
            raise ValueError(f"No axis named {axis!r} for object type Series")
        in_pandas = lambda: gathered_value(method, self, bool_only=bool_only, skipna=skipna)
        if bool_only:
            return in_pandas()
        skipna = check_boolean("skipna", skipna)
        return native_or(lambda: wrap(self._expr.reduce(method, skipna=skipna)), in_pandas)

    def cumsum(self, axis: Any = 0, skipna: bool = True) -> Any:
        """Running sums; a missing value stays missing and counts as nothing, or ends them unless `skipna`."""
        return self._cumulative("cumsum", axis, skipna)

    def cumprod(self, axis: Any = 0, skipna: bool = True) -> Any:
        """Running products."""
        return self._cumulative("cumprod", axis, skipna)

    def cummin(self, axis: Any = 0, skipna: bool = True) -> Any:
        """Running minima."""
        return self._cumulative("cummin", axis, skipna)

    def cummax(self, axis: Any = 0, skipna: bool = True) -> Any:
        """Running maxima."""
        return self._cumulative("cummax", axis, skipna)

    @tunable("split_every")
    def count(self) -> Any:
        """How many values are there, missing ones left out, as a lazy scalar."""
        return native_or(lambda: wrap(self._expr.reduce("count")), lambda: self.notna().sum())

    @tunable("split_every")
    def idxmax(self, axis: Any = 0, skipna: bool = True) -> Any:
        """The index label of the greatest value (gathered, in pandas)."""
        return gathered_value("idxmax", self, axis=axis, skipna=skipna)

    @tunable("split_every")
    def idxmin(self, axis: Any = 0, skipna: bool = True) -> Any:
        """The index label of the least value (gathered, in pandas)."""
        return gathered_value("idxmin", self, axis=axis, skipna=skipna)

    @tunable("split_every", "split_out")
    def mode(self, dropna: bool = True) -> Any:
        """The values that come most often, in order (gathered, in pandas)."""
        return gathered("mode", self, dropna=dropna)

    @tunable("split_every", "split_out")
    def nunique(self, dropna: bool = True) -> Any:
        """How many different values there are; a missing one counts as one unless `dropna`."""
        in_pandas = lambda: wrap(gathered("nunique", self, meta=(None, "int64"), dropna=dropna)._expr.reduce("only"))
        return wrap(native_or(lambda: self._different(dropna), in_pandas)._plan.counted())

    def _different(self, dropna: bool) -> Any:
        count = wrap(self._expr.reduce("nunique"))
        if dropna:
            return count
        missing = self._expr.unary("isna").reduce("any").cast("int64")
        return wrap(count._expr.binary("add", missing))

    def quantile(self, q: Any = 0.5, interpolation: Any = "linear", method: Any = "default") -> Any:
        """The quantile `q` between 0 and 1, exact; for a list of them, a series (gathered, in pandas).

        Parameters
        ----------
        q : float or list of floats
            Between 0 and 1.
        interpolation : {"linear", "lower", "higher", "midpoint", "nearest"}
            What lies between two values; all but `linear` are gathered, in pandas.
        method : {"default", "dask", "tdigest"}
            Dask's ways, all of which are exact here.

        Returns
        -------
        Scalar or Series
            A lazy value, or a series labelled by `q` in one partition.
        """
        check_quantile_method(method)
        if hasattr(q, "__iter__") and not list(q) and is_categorical(self.dtype):
            raise NotImplementedError("no quantiles of categories: give numbers between 0 and 1")
        if hasattr(q, "__iter__"):
            return gathered("quantile", self, list(q), interpolation=interpolation)
        if not 0 <= q <= 1:
            raise ValueError(f"percentiles should all be in the interval [0, 1]. Try {q / 100} instead.")
        in_pandas = lambda: gathered_value("quantile", self, q, interpolation=interpolation)
        if interpolation != "linear":
            return in_pandas()
        return native_or(lambda: wrap(self._expr.reduce("quantile", q=float(q))), in_pandas)

    def agg(self, func: Any = None, axis: Any = 0, *args: Any, **kwargs: Any) -> Any:
        """A reduction by its name, or several of them as a series: `s.agg(["min", "max"])`.

        Parameters
        ----------
        func : str, callable, list or dict
            What is done; functions, and what has more arguments, are gathered, in pandas.
        axis : {0}
            Kept for pandas' sake.
        *args, **kwargs
            More arguments of `func`, or results named by keywords.

        Returns
        -------
        Scalar or Series
            A lazy value for one aggregation, a series labelled by their names for several.
        """
        check_series_axis(axis)
        if isinstance(func, str):
            return getattr(self, func)(*args, **kwargs)
        if isinstance(func, list) and all(isinstance(one, str) for one in func) and not args and not kwargs:
            meta = lambda: changed_meta(lambda: enough_of(self).agg(func))
            return native_or(lambda: self._laid_out(func), lambda: gathered("agg", self, func, meta=meta()))
        if callable(func):
            name = getattr(func, "__name__", "agg")
            if gives_rows(func, self, args, kwargs):
                return gathered("agg", self, func, 0, *args, **kwargs)
            return one_value(lambda rows: rows.agg(func, 0, *args, **kwargs), self, name=name)
        return gathered("agg", self, func, 0, *args, **kwargs)

    aggregate = agg

    def _laid_out(self, names: list[Any]) -> Any:
        values = [getattr(self, name)() for name in names]
        if not all(is_collection(value) and getattr(value._expr, "kind", None) == "scalar" for value in values):
            raise NotImplementedError
        cells = self._as_frame().cells(list(names), [(None, [value._expr for value in values])])
        return wrap(cells.column_at(0).rename(self._plan.name))

    @tunable("split_every")
    def describe(self, percentiles: Any = None, include: Any = None, exclude: Any = None) -> Any:
        """Count, mean, standard deviation, least value, quantiles and greatest value, by the rules of pandas.

        Parameters
        ----------
        percentiles : list of floats, optional
            Between 0 and 1; the quartiles by default.
        include, exclude
            Kept for pandas' sake, where they mean nothing for a series.

        Returns
        -------
        Series
            In one partition; natively for numbers, gathered, in pandas, for other types.
        """
        without_effect(include, exclude)
        return describe_series(self, percentiles)

    @tunable("split_every", "split_out")
    def value_counts(
        self,
        normalize: bool = False,
        sort: bool = True,
        ascending: bool = False,
        bins: Any = None,
        dropna: bool = True,
    ) -> Any:
        """How often each value comes, most often first; `normalize` gives parts of the whole.

        Parameters
        ----------
        normalize : bool, default False
            Parts of the whole instead of counts.
        sort : bool, default True
            By count; otherwise in the order in which values come first.
        ascending : bool, default False
            Whether the rarest come first.
        bins : None
            Not supported: cut the values first.
        dropna : bool, default True
            Whether missing values are left out.

        Returns
        -------
        Series
            Labelled by the values, in one partition.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> rd.from_pandas(pd.Series(["b", "a", "b"]), npartitions=2).value_counts().compute().to_dict()
        {'b': 2, 'a': 1}
        """
        if bins is not None:
            raise NotImplementedError("value_counts(bins=): cut the values first, by map_partitions(pandas.cut, ...)")
        return value_counts(self, sort, ascending, dropna, normalize)

    def corr(self, other: Any, method: Any = "pearson", min_periods: Any = None) -> Any:
        """The correlation with another series of the same rows (gathered, in pandas)."""
        return gathered_value("corr", self, other, method=method, min_periods=min_periods)

    def cov(self, other: Any, min_periods: Any = None, ddof: int = 1) -> Any:
        """The covariance with another series of the same rows (gathered, in pandas)."""
        return gathered_value("cov", self, other, min_periods=min_periods, ddof=ddof)

    def autocorr(self, lag: int = 1) -> Any:
        """The correlation with the same series shifted by `lag` rows (gathered, in pandas)."""
        return gathered_value("autocorr", self, lag)

    def dot(self, other: Any) -> Any:
        """The sum of the products with another series of the same rows."""
        if is_lazy_array(other):
            if other.ndim != 1:
                raise NotImplementedError("dot with a lazy array of two dimensions: use the columns one by one")
            other = column_beside(self, other, PRODUCT)
        other = from_pandas(other, npartitions=1, sort=False) if has_labels(other) and other.ndim == 1 else other
        column = is_collection(other) and other.ndim == 1 and not is_foreign(self, other)
        if column and self._expr.dtype == other._expr.dtype in ("int64", "float64"):
            return (self * other).sum(skipna=False)
        return gathered_value("dot", self, other)

    def memory_usage(self, index: bool = True, deep: bool = False) -> Any:
        """Bytes in pandas' layout, as a lazy scalar (gathered, in pandas)."""
        return gathered_value("memory_usage", self, index=index, deep=deep)

    def memory_usage_per_partition(self, index: bool = True, deep: bool = False) -> Any:
        """Bytes of each partition in pandas' layout, as a series."""
        return self.map_partitions(lambda part: part.memory_usage(index=index, deep=deep), meta=(None, "int64"))

    @property
    def is_unique(self) -> Any:
        """Whether no value comes twice, as a lazy scalar (gathered, in pandas)."""
        return one_value(lambda rows: rows.is_unique, self, name="is_unique")

    @property
    def hasnans(self) -> Any:
        """Whether some value is missing, as a lazy scalar."""
        return self.isna().any()

    @property
    def is_monotonic_increasing(self) -> Any:
        """Whether no value is less than the one before it, as a lazy scalar (gathered, in pandas)."""
        return one_value(lambda rows: rows.is_monotonic_increasing, self, name="is_monotonic_increasing")

    @property
    def is_monotonic_decreasing(self) -> Any:
        """Whether no value is greater than the one before it, as a lazy scalar (gathered, in pandas)."""
        return one_value(lambda rows: rows.is_monotonic_decreasing, self, name="is_monotonic_decreasing")


for _name in ("sum", "prod", "std", "var", "sem"):
    setattr(SeriesReductions, _name, with_axis(getattr(Reductions, _name), None))
SeriesReductions.product = SeriesReductions.prod  # type: ignore[attr-defined]


def gives_rows(func: Any, rows: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a function that aggregates a series gives another one, as far as a few rows show it."""
    try:
        return bool(getattr(sample_of(rows).agg(func, 0, *args, **kwargs), "ndim", 0))
    except Exception:
        return False


def enough_of(series: Any) -> Any:
    """A sample of a series with rows enough for every statistic."""
    import pandas as pd

    return pd.concat([sample_of(series)] * 3, ignore_index=True)
