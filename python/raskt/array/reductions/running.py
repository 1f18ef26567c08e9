"""Running sums and products."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.reductions.descriptions import AXIS, ONE_AXIS, RUN
from raskt.array.reductions.nan import without_nan
from raskt.array.reductions.reduce import cumulate

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["cumprod", "cumsum", "nancumprod", "nancumsum"]


@documented(RUN, AXIS, axis=ONE_AXIS)
def cumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None, *, method: str | None = None) -> Array:
    """The running sum along an axis, or of all elements in C order.

    >>> ra.cumsum(ra.arange(4, chunks=2)).compute()
    array([0, 1, 3, 6])
    """
    _check_method(method)
    return cumulate(asarray(a), "sum", axis, dtype, out)


@documented(RUN, AXIS, axis=ONE_AXIS)
def cumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None, *, method: str | None = None) -> Array:
    """The running product along an axis, or of all elements in C order.

    >>> ra.cumprod(ra.arange(1, 5, chunks=2)).compute()
    array([ 1,  2,  6, 24])
    """
    _check_method(method)
    return cumulate(asarray(a), "prod", axis, dtype, out)


@documented(RUN, AXIS, axis=ONE_AXIS)
def nancumsum(
    a: Any, axis: int | None = None, dtype: Any = None, out: Any = None, *, method: str | None = None
) -> Array:
    """The running sum, NaN counting as 0.

    >>> ra.nancumsum(ra.asarray([1.0, ra.nan, 2.0])).compute()
    array([1., 1., 3.])
    """
    _check_method(method)
    return cumulate(without_nan(a, 0), "sum", axis, dtype, out)


@documented(RUN, AXIS, axis=ONE_AXIS)
def nancumprod(
    a: Any, axis: int | None = None, dtype: Any = None, out: Any = None, *, method: str | None = None
) -> Array:
    """The running product, NaN counting as 1.

    >>> ra.nancumprod(ra.asarray([2.0, ra.nan, 3.0])).compute()
    array([2., 2., 6.])
    """
    _check_method(method)
    return cumulate(without_nan(a, 1), "prod", axis, dtype, out)


def _check_method(method: str | None) -> None:
    """Dask has two ways to make running sums; here there is one, with the same result."""
    if method not in (None, "sequential", "blelloch"):
        raise ValueError(f"`method` must be `sequential` or `blelloch`, not {method!r}")
