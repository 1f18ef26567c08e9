"""Reductions of frames and series."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from ..base.arguments import check_boolean
from ..base.mixin import Mixin
from ..base.pandas_methods import gathered
from ..base.tuning import tunable


class Reductions(Mixin):
    """Reductions in terms of `_reduce(method, axis, numeric_only, native, options)`."""

    __slots__ = ()

    def _reduce(self, method: str, axis: Any, numeric_only: bool, native: dict[str, Any] | None, **options: Any) -> Any:
        """A reduction of each column.

        `native` are the options of the native form, or None where the arguments have none; pandas gets `options`.
        """
        raise NotImplementedError

    @tunable("split_every")
    def sum(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, min_count: int = 0) -> Any:
        """The sum of each column; of nothing, 0, or missing where fewer than `min_count` values are there.

        Parameters
        ----------
        axis : {0, 1, None}
            0 down the rows, 1 along each row, None for one number of all columns.
        skipna : bool, default True
            Whether missing values are left out; otherwise one makes the result missing.
        numeric_only : bool, default False
            Whether only columns of numbers and booleans are looked at.
        min_count : int, default 0
            How many values there must be.
        split_every : int, optional
            Dask's hint for trees of partial sums, which the engine arranges itself.

        Returns
        -------
        Scalar or Series
            A lazy value of a series; a series of a value for each column of a frame, or for each row.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> float(rd.from_pandas(pd.Series([1.0, None, 2.0]), npartitions=2).sum().compute())
        3.0
        """
        return self._counted("sum", axis, skipna, numeric_only, min_count)

    @tunable("split_every")
    def prod(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, min_count: int = 0) -> Any:
        """The product of each column; see `sum`."""
        return self._counted("prod", axis, skipna, numeric_only, min_count)

    def _counted(self, method: str, axis: Any, skipna: bool, numeric_only: bool, min_count: int) -> Any:
        native = {"skipna": check_boolean("skipna", skipna), **({"min_count": min_count} if min_count > 0 else {})}
        return self._reduce(method, axis, numeric_only, native, skipna=skipna, min_count=min_count)

    @tunable("split_every")
    def mean(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The mean of each column; see `sum`."""
        return self._skipping("mean", axis, skipna, numeric_only)

    @tunable("split_every")
    def min(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The least value of each column; see `sum`."""
        return self._skipping("min", axis, skipna, numeric_only)

    @tunable("split_every")
    def max(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The greatest value of each column; see `sum`."""
        return self._skipping("max", axis, skipna, numeric_only)

    @tunable("split_every")
    def median(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The median of each column, exact; see `sum`."""
        return self._skipping("median", axis, skipna, numeric_only)

    def median_approximate(
        self, axis: Any = 0, method: str = "default", skipna: bool = True, numeric_only: bool = False
    ) -> Any:
        """The median; it is exact here, whatever `method` says."""
        check_quantile_method(method)
        return self._skipping("median", axis, skipna, numeric_only)

    @tunable("split_every")
    def skew(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The skewness of each column, corrected for bias as pandas does (gathered, in pandas); see `sum`."""
        return self._reduce("skew", axis, numeric_only, None, skipna=skipna)

    @tunable("split_every")
    def kurt(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The excess kurtosis of each column, corrected for bias as pandas does (gathered, in pandas); see `sum`."""
        return self._reduce("kurt", axis, numeric_only, None, skipna=skipna)

    def _skipping(self, method: str, axis: Any, skipna: bool, numeric_only: bool) -> Any:
        native = {"skipna": check_boolean("skipna", skipna)}
        return self._reduce(method, axis, numeric_only, native, skipna=skipna)

    @tunable("split_every")
    def std(self, axis: Any = 0, skipna: bool = True, ddof: int = 1, numeric_only: bool = False) -> Any:
        """The standard deviation of each column, with `n - ddof` as divisor; see `sum`."""
        return self._spread("std", axis, skipna, ddof, numeric_only)

    @tunable("split_every")
    def var(self, axis: Any = 0, skipna: bool = True, ddof: int = 1, numeric_only: bool = False) -> Any:
        """The variance of each column, with `n - ddof` as divisor; see `sum`."""
        return self._spread("var", axis, skipna, ddof, numeric_only)

    @tunable("split_every")
    def sem(self, axis: Any = 0, skipna: bool = True, ddof: int = 1, numeric_only: bool = False) -> Any:
        """The standard error of the mean of each column, with `n - ddof` as divisor; see `sum`."""
        return self._spread("sem", axis, skipna, ddof, numeric_only)

    def _spread(self, method: str, axis: Any, skipna: bool, ddof: int, numeric_only: bool) -> Any:
        native = {"skipna": check_boolean("skipna", skipna), "ddof": ddof}
        return self._reduce(method, axis, numeric_only, native, skipna=skipna, ddof=ddof)

    @tunable("split_every")
    def any(self, axis: Any = 0, bool_only: bool = False, skipna: bool = True) -> Any:
        """Whether some value of each column is true; with `bool_only`, of the columns of booleans alone."""
        return self._truth("any", axis, bool_only, skipna)

    @tunable("split_every")
    def all(self, axis: Any = 0, bool_only: bool = False, skipna: bool = True) -> Any:
        """Whether every value of each column is true; with `bool_only`, of the columns of booleans alone."""
        return self._truth("all", axis, bool_only, skipna)

    def _truth(self, method: str, axis: Any, bool_only: bool, skipna: bool) -> Any:
        raise NotImplementedError

    def nunique_approx(self, split_every: Any = None) -> Any:
        """How many different values there are; it is exact here."""
        return self.nunique()

    def _gathered(self, method: str, **options: Any) -> Any:
        return gathered(method, self, **options)


Reductions.product = Reductions.prod  # type: ignore[attr-defined]
Reductions.kurtosis = Reductions.kurt  # type: ignore[attr-defined]


def with_axis(method: Callable[..., Any], axis: Any) -> Callable[..., Any]:
    """The same method with another default for `axis`: pandas has 0 for frames and None for some methods of series."""
    own: Any = method.__wrapped__  # type: ignore[attr-defined]
    defaults = (axis, *own.__defaults__[1:])
    copied = types.FunctionType(own.__code__, own.__globals__, own.__name__, defaults, own.__closure__)
    copied.__doc__, copied.__qualname__ = own.__doc__, own.__qualname__
    copied.__annotations__ = own.__annotations__
    return tunable("split_every")(copied)


def is_rows_axis(axis: Any) -> bool:
    """Whether an `axis` argument means a reduction down the rows; ValueError for what is no axis."""
    if axis in (0, "index", "rows"):
        return True
    if axis in (1, "columns"):
        return False
    raise ValueError(f"No axis named {axis!r}: it is 0 or 'index', or 1 or 'columns'")


def check_quantile_method(method: Any) -> None:
    """ValueError for what is none of Dask's ways to find quantiles, all of which are exact here."""
    if method not in ("default", "dask", "tdigest"):
        raise ValueError(f"method must be 'default', 'dask' or 'tdigest', not {method!r}")
