"""Means, standard deviations and variances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from raskt.array.base.arguments import NO_VALUE
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.reductions.descriptions import AXIS, FLOAT, REAL
from raskt.array.reductions.moments import mean as mean_of
from raskt.array.reductions.moments import spread as spread_of

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["mean", "nanmean", "nanstd", "nanvar", "std", "var"]


@documented(FLOAT, AXIS)
def mean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
    split_every: Any = None,
) -> Array:
    """The arithmetic mean of elements; NaN where there is none.

    >>> ra.mean(ra.arange(5, chunks=2)).compute()
    np.float64(2.0)
    """
    return mean_of(asarray(a), "mean", axis, dtype, out, keepdims, where, split_every)


@documented(REAL, {"ValueError": "If both `ddof` and `correction` are given."})
def std(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
    mean: Any = NO_VALUE,
    correction: Any = NO_VALUE,
    split_every: Any = None,
) -> Array:
    """The standard deviation of elements: the root of the mean squared distance to the mean.

    >>> ra.std(ra.asarray([1.0, 3.0])).compute()
    np.float64(1.0)
    """
    return spread_of(asarray(a), "std", axis, dtype, out, ddof, keepdims, where, mean, correction, split_every)


@documented(REAL, {"ValueError": "If both `ddof` and `correction` are given."})
def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
    mean: Any = NO_VALUE,
    correction: Any = NO_VALUE,
    split_every: Any = None,
) -> Array:
    """The variance of elements: their mean squared distance to the mean.

    >>> ra.var(ra.asarray([1.0, 3.0, 5.0]), ddof=1).compute()
    np.float64(4.0)
    """
    return spread_of(asarray(a), "var", axis, dtype, out, ddof, keepdims, where, mean, correction, split_every)


@documented(FLOAT, {"TypeError": "If floating elements are to be averaged as a `dtype` that isn't floating."})
def nanmean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
    split_every: Any = None,
) -> Array:
    """The arithmetic mean of elements that are not NaN; NaN where there is none.

    >>> ra.nanmean(ra.asarray([1.0, ra.nan, 3.0])).compute()
    np.float64(2.0)
    """
    return mean_of(asarray(a), "nanmean", axis, dtype, out, keepdims, where, split_every)


@documented(REAL, {"ValueError": "If both `ddof` and `correction` are given."})
def nanstd(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
    mean: Any = NO_VALUE,
    correction: Any = NO_VALUE,
    split_every: Any = None,
) -> Array:
    """The standard deviation of elements that are not NaN.

    >>> ra.nanstd(ra.asarray([1.0, ra.nan, 3.0])).compute()
    np.float64(1.0)
    """
    return spread_of(asarray(a), "nanstd", axis, dtype, out, ddof, keepdims, where, mean, correction, split_every)


@documented(REAL, {"ValueError": "If both `ddof` and `correction` are given."})
def nanvar(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
    mean: Any = NO_VALUE,
    correction: Any = NO_VALUE,
    split_every: Any = None,
) -> Array:
    """The variance of elements that are not NaN.

    >>> ra.nanvar(ra.asarray([1.0, ra.nan, 5.0])).compute()
    np.float64(4.0)
    """
    return spread_of(asarray(a), "nanvar", axis, dtype, out, ddof, keepdims, where, mean, correction, split_every)
