"""Reductions of series: a value for a column."""

from __future__ import annotations

from typing import Any

from ..base.partitionwise import one_value, over_all
from ..base.registry import wrap
from ..generic.reductions import Reductions, is_rows_axis
from ..generic.summaries import describe_series, value_counts


class SeriesReductions(Reductions):
    """The part of `Series` about reductions."""

    __slots__ = ()

    def _reduce(self, name: Any, axis: Any = 0, numeric_only: bool = False, **options: Any) -> Any:
        if not is_rows_axis(axis):
            raise ValueError(f"No axis named {axis!r} for a series")
        return wrap(self._expr.reduce(name, **options))

    def _gathered_reduction(self, name: Any, axis: Any, numeric_only: bool) -> Any:
        return one_value(lambda rows: getattr(rows, name)(), self, name=name)

    def nunique(self, dropna: bool = True, **kwargs: Any) -> Any:
        """How many different values there are; a missing one counts as one unless `dropna`."""
        count = wrap(self._expr.reduce("nunique"))
        if dropna:
            return count
        missing = self._expr.unary("isna").reduce("any").cast("int64")
        return wrap(count._expr.binary("add", missing))

    def quantile(self, q: Any = 0.5, method: Any = "default") -> Any:
        """The quantile `q` between 0 and 1, exact and interpolated; for a list, a series (gathered, in pandas)."""
        if hasattr(q, "__iter__"):
            return over_all(lambda rows: rows.quantile(list(q)), self, name="quantile")
        if not 0 <= q <= 1:
            raise ValueError(f"percentiles should all be in the interval [0, 1], not {q}")
        return wrap(self._expr.reduce("quantile", q=float(q)))

    def agg(self, func: Any, **kwargs: Any) -> Any:
        """A reduction by its name, or several of them as a series: `s.agg(["min", "max"])`."""
        if isinstance(func, str):
            return getattr(self, func)(**kwargs)
        if callable(func):
            return one_value(lambda rows: rows.agg(func), self, name=getattr(func, "__name__", "agg"))
        values = [getattr(self, name)()._expr for name in func]
        return wrap(self._as_frame().cells(list(func), [(None, values)]).column_at(0).rename(self._expr.name))

    aggregate = agg

    def describe(self, percentiles: Any = None, **kwargs: Any) -> Any:
        """Count, mean, standard deviation, least value, quantiles and greatest value of a numeric series."""
        return describe_series(self, percentiles)

    def value_counts(
        self,
        sort: bool = True,
        ascending: bool = False,
        dropna: bool = True,
        normalize: bool = False,
        bins: Any = None,
        **kwargs: Any,
    ) -> Any:
        """How often each value comes, most often first; `normalize` gives parts of the whole.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> rd.from_pandas(pd.Series(["b", "a", "b"]), npartitions=2).value_counts().compute().to_dict()
        {'b': 2, 'a': 1}
        """
        if bins is not None:
            raise NotImplementedError("value_counts(bins=): cut the values first, by map_partitions(pandas.cut, ...)")
        return value_counts(self, sort, ascending, dropna, normalize)

    def corr(self, other: Any, method: Any = "pearson", min_periods: Any = None) -> Any:
        """The correlation with another series of the same rows (gathered, in pandas)."""
        return one_value(lambda a, b: a.corr(b, method=method, min_periods=min_periods), self, other, name="corr")

    def cov(self, other: Any, min_periods: Any = None) -> Any:
        """The covariance with another series of the same rows (gathered, in pandas)."""
        return one_value(lambda a, b: a.cov(b, min_periods=min_periods), self, other, name="cov")

    def autocorr(self, lag: int = 1) -> Any:
        """The correlation with the same series shifted by `lag` rows."""
        return self.corr(self.shift(lag))

    def dot(self, other: Any) -> Any:
        """The sum of the products with another series of the same rows."""
        return (self * other).sum(skipna=False)

    def memory_usage(self, index: bool = True, deep: bool = False) -> Any:
        """Bytes in pandas' layout, as a lazy scalar (gathered, in pandas)."""
        return one_value(lambda rows: rows.memory_usage(index=index, deep=deep), self, name="memory_usage")

    @property
    def is_monotonic_increasing(self) -> Any:
        """Whether no value is less than the one before it, as a lazy scalar (gathered, in pandas)."""
        return one_value(lambda rows: rows.is_monotonic_increasing, self, name="is_monotonic_increasing")

    @property
    def is_monotonic_decreasing(self) -> Any:
        """Whether no value is greater than the one before it, as a lazy scalar (gathered, in pandas)."""
        return one_value(lambda rows: rows.is_monotonic_decreasing, self, name="is_monotonic_decreasing")
