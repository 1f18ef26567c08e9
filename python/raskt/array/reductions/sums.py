"""Sums and products."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from raskt.array.base.arguments import NO_VALUE
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.reductions.descriptions import AXIS, WIDE
from raskt.array.reductions.nan import without_nan
from raskt.array.reductions.reduce import reduce, reduce_all

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["nanprod", "nansum", "prod", "sum"]


@documented(WIDE, AXIS)
def sum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
    *,
    split_every: Any = None,
) -> Array:
    """The sum of elements; 0 where there is none.

    The order of additions is fixed, so that every run gives the same bits.

    >>> x = ra.arange(6, chunks=2).reshape(2, 3)
    >>> ra.sum(x, axis=0).compute()
    array([3, 5, 7])
    >>> ra.sum(x, where=x > 2, initial=100).compute()
    np.int64(112)
    """
    return _total(asarray(a), "sum", axis, dtype, out, keepdims, initial, where, split_every)


@documented(WIDE, AXIS)
def prod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
    *,
    split_every: Any = None,
) -> Array:
    """The product of elements; 1 where there is none. Integers wrap around, as NumPy's do.

    >>> ra.prod(ra.arange(1, 5, chunks=2)).compute()
    np.int64(24)
    """
    return _total(asarray(a), "prod", axis, dtype, out, keepdims, initial, where, split_every)


@documented(WIDE, AXIS)
def nansum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
    *,
    split_every: Any = None,
) -> Array:
    """The sum of elements that are not NaN; 0 where there is none.

    >>> ra.nansum(ra.asarray([1.0, ra.nan, 2.0])).compute()
    np.float64(3.0)
    """
    x = asarray(a) if dtype is None else without_nan(a, 0)
    return _total(x, "nansum", axis, dtype, out, keepdims, initial, where, split_every)


@documented(WIDE, AXIS)
def nanprod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
    *,
    split_every: Any = None,
) -> Array:
    """The product of elements that are not NaN; 1 where there is none.

    >>> ra.nanprod(ra.asarray([ra.nan, 2.0, 3.0])).compute()
    np.float64(6.0)
    """
    x = asarray(a) if dtype is None else without_nan(a, 1)
    return _total(x, "nanprod", axis, dtype, out, keepdims, initial, where, split_every)


def _total(
    x: Array, name: str, axis: Any, dtype: Any, out: Any, keepdims: Any, initial: Any, where: Any, split_every: Any
) -> Any:
    if axis is dtype is out is split_every is None and keepdims is initial is where is NO_VALUE:
        # The most usual call, and the one that small arrays feel.
        return reduce_all(x, name)
    options = {"keepdims": keepdims, "initial": initial, "where": where, "split_every": split_every}
    return reduce(x, name, axis, dtype=dtype, out=out, **options)
