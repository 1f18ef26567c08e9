"""Reductions as functions that take anything array-like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from raskt.array.base.conversion import asarray
from raskt.array.indexing.where import where
from raskt.array.reductions.reduce import reduce

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = [
    "all",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "max",
    "mean",
    "min",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
    "prod",
    "ptp",
    "std",
    "sum",
    "var",
]


def sum(
    a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, split_every: int | None = None, out: Any = None
) -> Array:
    """The sum of elements; see :meth:`Array.sum`."""
    return reduce(asarray(a), "sum", axis, keepdims, dtype, 0, split_every, out)


def prod(
    a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, split_every: int | None = None, out: Any = None
) -> Array:
    """The product of elements."""
    return reduce(asarray(a), "prod", axis, keepdims, dtype, 0, split_every, out)


def mean(
    a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, split_every: int | None = None, out: Any = None
) -> Array:
    """The arithmetic mean of elements; NaN where there is none."""
    return reduce(asarray(a), "mean", axis, keepdims, dtype, 0, split_every, out)


def std(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    ddof: float = 0,
    split_every: int | None = None,
    out: Any = None,
) -> Array:
    """The standard deviation of elements, with ``ddof`` degrees of freedom taken off."""
    return reduce(asarray(a), "std", axis, keepdims, dtype, ddof, split_every, out)


def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    ddof: float = 0,
    split_every: int | None = None,
    out: Any = None,
) -> Array:
    """The variance of elements, with ``ddof`` degrees of freedom taken off."""
    return reduce(asarray(a), "var", axis, keepdims, dtype, ddof, split_every, out)


def min(a: Any, axis: Any = None, keepdims: bool = False, split_every: int | None = None, out: Any = None) -> Array:
    """The smallest element; NaN where there is a NaN."""
    return reduce(asarray(a), "min", axis, keepdims, None, 0, split_every, out)


def max(a: Any, axis: Any = None, keepdims: bool = False, split_every: int | None = None, out: Any = None) -> Array:
    """The largest element; NaN where there is a NaN."""
    return reduce(asarray(a), "max", axis, keepdims, None, 0, split_every, out)


def any(a: Any, axis: Any = None, keepdims: bool = False, split_every: int | None = None, out: Any = None) -> Array:
    """Whether an element is not zero."""
    return reduce(asarray(a), "any", axis, keepdims, None, 0, split_every, out)


def all(a: Any, axis: Any = None, keepdims: bool = False, split_every: int | None = None, out: Any = None) -> Array:
    """Whether no element is zero."""
    return reduce(asarray(a), "all", axis, keepdims, None, 0, split_every, out)


def argmin(
    a: Any, axis: int | None = None, keepdims: bool = False, split_every: int | None = None, out: Any = None
) -> Array:
    """The position of the smallest element, of the first of equal ones."""
    return reduce(asarray(a), "argmin", axis, keepdims, None, 0, split_every, out)


def argmax(
    a: Any, axis: int | None = None, keepdims: bool = False, split_every: int | None = None, out: Any = None
) -> Array:
    """The position of the largest element, of the first of equal ones."""
    return reduce(asarray(a), "argmax", axis, keepdims, None, 0, split_every, out)


def nansum(
    a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, split_every: int | None = None, out: Any = None
) -> Array:
    """The sum of elements that are not NaN.

    >>> import raskt.array as ra
    >>> ra.nansum(ra.asarray([1.0, float("nan"), 2.0])).compute()
    np.float64(3.0)
    """
    return reduce(asarray(a), "nansum", axis, keepdims, dtype, 0, split_every, out)


def nanprod(
    a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, split_every: int | None = None, out: Any = None
) -> Array:
    """The product of elements that are not NaN."""
    return reduce(asarray(a), "nanprod", axis, keepdims, dtype, 0, split_every, out)


def nanmean(
    a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, split_every: int | None = None, out: Any = None
) -> Array:
    """The arithmetic mean of elements that are not NaN."""
    return reduce(asarray(a), "nanmean", axis, keepdims, dtype, 0, split_every, out)


def nanstd(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    ddof: float = 0,
    split_every: int | None = None,
    out: Any = None,
) -> Array:
    """The standard deviation of elements that are not NaN."""
    return reduce(asarray(a), "nanstd", axis, keepdims, dtype, ddof, split_every, out)


def nanvar(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    ddof: float = 0,
    split_every: int | None = None,
    out: Any = None,
) -> Array:
    """The variance of elements that are not NaN."""
    return reduce(asarray(a), "nanvar", axis, keepdims, dtype, ddof, split_every, out)


def nanmin(a: Any, axis: Any = None, keepdims: bool = False, split_every: int | None = None, out: Any = None) -> Array:
    """The smallest element that is not NaN."""
    return reduce(asarray(a), "nanmin", axis, keepdims, None, 0, split_every, out)


def nanmax(a: Any, axis: Any = None, keepdims: bool = False, split_every: int | None = None, out: Any = None) -> Array:
    """The largest element that is not NaN."""
    return reduce(asarray(a), "nanmax", axis, keepdims, None, 0, split_every, out)


def nanargmin(
    a: Any, axis: int | None = None, keepdims: bool = False, split_every: int | None = None, out: Any = None
) -> Array:
    """The position of the smallest element that is not NaN."""
    return reduce(asarray(a), "nanargmin", axis, keepdims, None, 0, split_every, out)


def nanargmax(
    a: Any, axis: int | None = None, keepdims: bool = False, split_every: int | None = None, out: Any = None
) -> Array:
    """The position of the largest element that is not NaN."""
    return reduce(asarray(a), "nanargmax", axis, keepdims, None, 0, split_every, out)


def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Array:
    """How many elements are not zero."""
    return reduce(asarray(a) != 0, "sum", axis, keepdims)


def cumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None, method: str | None = None) -> Array:
    """The running sum along ``axis``, or of all elements in C order."""
    return asarray(a).cumsum(axis, dtype, out)


def cumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None, method: str | None = None) -> Array:
    """The running product along ``axis``, or of all elements in C order."""
    return asarray(a).cumprod(axis, dtype, out)


def nancumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Array:
    """The running sum, NaN counting as 0."""
    return _without_nan(a, 0).cumsum(axis, dtype, out)


def nancumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Array:
    """The running product, NaN counting as 1."""
    return _without_nan(a, 1).cumprod(axis, dtype, out)


def _without_nan(a: Any, number: int) -> Array:
    x = asarray(a)
    return where(x != x, x.dtype.type(number), x) if x.dtype.kind in "fc" else x


def ptp(a: Any, axis: Any = None, keepdims: bool = False) -> Array:
    """The largest less the smallest element."""
    return max(a, axis, keepdims) - min(a, axis, keepdims)
