"""The smallest and the largest elements, and where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from raskt.array.base.arguments import NO_VALUE
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.base.out import write_out
from raskt.array.reductions.descriptions import EMPTY, NONE, ONE_AXIS, PLACE, SAME
from raskt.array.reductions.reduce import in_type_of, reduce

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["amax", "amin", "argmax", "argmin", "max", "min", "nanargmax", "nanargmin", "nanmax", "nanmin", "ptp"]


@documented(SAME, EMPTY)
def min(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
    *,
    split_every: Any = None,
) -> Array:
    """The smallest element; NaN where there is a NaN.

    >>> ra.min(ra.asarray([[3, 1], [2, 5]]), axis=1).compute()
    array([1, 2])
    """
    return _extreme(asarray(a), "min", axis, out, keepdims, initial, where, split_every)


@documented(SAME, EMPTY)
def max(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
    *,
    split_every: Any = None,
) -> Array:
    """The largest element; NaN where there is a NaN.

    >>> ra.max(ra.asarray([[3, 1], [2, 5]]), axis=1).compute()
    array([3, 5])
    """
    return _extreme(asarray(a), "max", axis, out, keepdims, initial, where, split_every)


amax, amin = max, min


@documented(SAME, EMPTY)
def nanmin(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
    *,
    split_every: Any = None,
) -> Array:
    """The smallest element that is not NaN; NaN where there is none.

    >>> ra.nanmin(ra.asarray([ra.nan, 2.0, 1.0])).compute()
    np.float64(1.0)
    """
    return _extreme(asarray(a), "nanmin", axis, out, keepdims, initial, where, split_every)


@documented(SAME, EMPTY)
def nanmax(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
    *,
    split_every: Any = None,
) -> Array:
    """The largest element that is not NaN; NaN where there is none.

    >>> ra.nanmax(ra.asarray([ra.nan, 2.0, 1.0])).compute()
    np.float64(2.0)
    """
    return _extreme(asarray(a), "nanmax", axis, out, keepdims, initial, where, split_every)


@documented(SAME, NONE)
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE, *, split_every: Any = None) -> Array:
    """The largest less the smallest element.

    >>> ra.ptp(ra.asarray([[3, 1], [2, 5]]), axis=1).compute()
    array([2, 3])
    """
    x = asarray(a)
    largest = reduce(in_type_of(x, out), "max", axis, keepdims=keepdims, split_every=split_every)
    smallest = reduce(x, "min", axis, keepdims=keepdims, split_every=split_every)
    result = largest - smallest
    return result if out is None else write_out(result, out)


@documented(PLACE, NONE, axis=ONE_AXIS)
def argmin(
    a: Any, axis: int | None = None, out: Any = None, *, keepdims: Any = NO_VALUE, split_every: Any = None
) -> Array:
    """The position of the smallest element, of the first of equal ones; of the first NaN where there is one.

    >>> ra.argmin(ra.asarray([3, 1, 2, 1])).compute()
    np.int64(1)
    """
    return reduce(asarray(a), "argmin", axis, out=out, keepdims=keepdims, split_every=split_every)


@documented(PLACE, NONE, axis=ONE_AXIS)
def argmax(
    a: Any, axis: int | None = None, out: Any = None, *, keepdims: Any = NO_VALUE, split_every: Any = None
) -> Array:
    """The position of the largest element, of the first of equal ones; of the first NaN where there is one.

    >>> ra.argmax(ra.asarray([3, 1, 2, 3])).compute()
    np.int64(0)
    """
    return reduce(asarray(a), "argmax", axis, out=out, keepdims=keepdims, split_every=split_every)


@documented(PLACE, NONE, axis=ONE_AXIS)
def nanargmin(
    a: Any, axis: int | None = None, out: Any = None, *, keepdims: Any = NO_VALUE, split_every: Any = None
) -> Array:
    """The position of the smallest element that is not NaN.

    >>> ra.nanargmin(ra.asarray([ra.nan, 2.0, 1.0])).compute()
    np.int64(2)
    """
    return reduce(asarray(a), "nanargmin", axis, out=out, keepdims=keepdims, split_every=split_every)


@documented(PLACE, NONE, axis=ONE_AXIS)
def nanargmax(
    a: Any, axis: int | None = None, out: Any = None, *, keepdims: Any = NO_VALUE, split_every: Any = None
) -> Array:
    """The position of the largest element that is not NaN.

    >>> ra.nanargmax(ra.asarray([ra.nan, 2.0, 1.0])).compute()
    np.int64(1)
    """
    return reduce(asarray(a), "nanargmax", axis, out=out, keepdims=keepdims, split_every=split_every)


def _extreme(
    x: Array, name: str, axis: Any, out: Any, keepdims: Any, initial: Any, where: Any, split_every: Any
) -> Any:
    options = {"keepdims": keepdims, "initial": initial, "where": where, "split_every": split_every}
    return reduce(x, name, axis, out=out, **options)
