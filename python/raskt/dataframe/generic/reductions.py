"""Reductions of frames and series."""

from __future__ import annotations

from typing import Any

from ..base.mixin import Mixin
from ..base.partitionwise import over_all, over_rows


class Reductions(Mixin):
    """Reductions in terms of `_reduce(name, axis, numeric_only, **options)`."""

    __slots__ = ()

    def _reduce(self, name: str, axis: Any = 0, numeric_only: bool = False, **options: Any) -> Any:
        raise NotImplementedError

    def sum(
        self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, min_count: int = 0, **kwargs: Any
    ) -> Any:
        """The sum of each column; of nothing, 0, or missing where fewer than `min_count` values are there.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> float(rd.from_pandas(pd.Series([1.0, None, 2.0]), npartitions=2).sum().compute())
        3.0
        """
        options = {"min_count": min_count} if min_count else {}
        return self._reduce("sum", axis, numeric_only, skipna=skipna, **options)

    def prod(
        self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, min_count: int = 0, **kwargs: Any
    ) -> Any:
        """The product of each column."""
        options = {"min_count": min_count} if min_count else {}
        return self._reduce("prod", axis, numeric_only, skipna=skipna, **options)

    product = prod

    def mean(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, **kwargs: Any) -> Any:
        """The mean of each column."""
        return self._reduce("mean", axis, numeric_only, skipna=skipna)

    def std(self, axis: Any = 0, skipna: bool = True, ddof: int = 1, numeric_only: bool = False, **kwargs: Any) -> Any:
        """The standard deviation of each column, with `n - ddof` as divisor."""
        return self._reduce("std", axis, numeric_only, skipna=skipna, ddof=ddof)

    def var(self, axis: Any = 0, skipna: bool = True, ddof: int = 1, numeric_only: bool = False, **kwargs: Any) -> Any:
        """The variance of each column, with `n - ddof` as divisor."""
        return self._reduce("var", axis, numeric_only, skipna=skipna, ddof=ddof)

    def sem(self, axis: Any = 0, skipna: bool = True, ddof: int = 1, numeric_only: bool = False, **kwargs: Any) -> Any:
        """The standard error of the mean of each column."""
        return self._reduce("sem", axis, numeric_only, skipna=skipna, ddof=ddof)

    def min(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, **kwargs: Any) -> Any:
        """The least value of each column."""
        return self._reduce("min", axis, numeric_only, skipna=skipna)

    def max(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, **kwargs: Any) -> Any:
        """The greatest value of each column."""
        return self._reduce("max", axis, numeric_only, skipna=skipna)

    def median(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, **kwargs: Any) -> Any:
        """The median of each column, exact."""
        return self._reduce("median", axis, numeric_only, skipna=skipna)

    def median_approximate(self, axis: Any = 0, method: str = "default", **kwargs: Any) -> Any:
        """The median; it is exact here."""
        return self.median(axis, **kwargs)

    def count(self, axis: Any = 0, numeric_only: bool = False, **kwargs: Any) -> Any:
        """How many values of each column are there."""
        return self._reduce("count", axis, numeric_only)

    def any(self, axis: Any = 0, skipna: bool = True, **kwargs: Any) -> Any:
        """Whether some value of each column is true."""
        return self._reduce("any", axis, skipna=skipna)

    def all(self, axis: Any = 0, skipna: bool = True, **kwargs: Any) -> Any:
        """Whether every value of each column is true."""
        return self._reduce("all", axis, skipna=skipna)

    def nunique_approx(self, split_every: Any = None) -> Any:
        """How many different values there are; it is exact here."""
        return self.nunique()

    def skew(self, axis: Any = 0, bias: bool = True, nan_policy: str = "propagate", numeric_only: bool = False) -> Any:
        """The skewness of each column, corrected for bias as pandas does (gathered, in pandas)."""
        return self._gathered_reduction("skew", axis, numeric_only)

    def kurtosis(self, axis: Any = 0, fisher: bool = True, bias: bool = True, numeric_only: bool = False) -> Any:
        """The excess kurtosis of each column, corrected for bias as pandas does (gathered, in pandas)."""
        return self._gathered_reduction("kurt", axis, numeric_only)

    kurt = kurtosis

    def idxmax(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The index label of the greatest value of each column (gathered, in pandas)."""
        return self._gathered_reduction("idxmax", axis, numeric_only)

    def idxmin(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The index label of the least value of each column (gathered, in pandas)."""
        return self._gathered_reduction("idxmin", axis, numeric_only)

    def mode(self, axis: Any = 0, dropna: bool = True, **kwargs: Any) -> Any:
        """The values that come most often (gathered, in pandas)."""
        return over_all(lambda rows: rows.mode(dropna=dropna), self, name="mode")

    def _gathered_reduction(self, name: str, axis: Any, numeric_only: bool) -> Any:
        raise NotImplementedError


def along_rows(frame: Any, name: str, numeric_only: bool, options: dict[str, Any]) -> Any:
    """A reduction of each row, in pandas for each partition."""
    if name not in ("any", "all", "nunique"):
        options = {**options, "numeric_only": numeric_only}
    return over_rows(lambda part: getattr(part, name)(axis=1, **options), frame, name=f"{name} of rows")


def is_rows_axis(axis: Any) -> bool:
    """Whether an `axis` argument means a reduction down the rows; ValueError for what is no axis."""
    if axis in (0, "index", "rows", None):
        return True
    if axis in (1, "columns"):
        return False
    raise ValueError(f"No axis named {axis!r}: it is 0 or 'index', or 1 or 'columns'")
