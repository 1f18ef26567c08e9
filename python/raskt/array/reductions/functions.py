"""Reductions as functions that take anything array-like; the methods of arrays are the same functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from raskt.array.base.arguments import NO_VALUE
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.base.out import write_out
from raskt.array.reductions.moments import mean as _mean
from raskt.array.reductions.moments import spread as _spread
from raskt.array.reductions.reduce import cumulate, reduce
from raskt.array.selection.where import where as choose

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

_SHAPE = "Without the reduced axes, whose blocks are combined; the others keep their chunks."
_WIDE = f"Of int64 or uint64 for smaller integers and booleans, else of the array's type, or `dtype`. {_SHAPE}"
_SAME = f"Of the array's type. {_SHAPE}"
_BOOL = f"Of bool. {_SHAPE}"
_FLOAT = f"Of float64 for integers and booleans, else of the array's type, or `dtype`. {_SHAPE}"
_REAL = f"Of the array's type (its real part), of float64 for integers and booleans, or of `dtype`. {_SHAPE}"
_PLACE = f"Of int64. {_SHAPE}"
_RUNNING = "Of int64 or uint64 for smaller integers and booleans, else of the array's type, or `dtype`."
_RUN = f"{_RUNNING} It has the shape and the chunks of `a`, or one axis of all elements if no axis is given."
_EMPTY = {"ValueError": "If there is no element, and no `initial`; if `where` is given without `initial`."}
_NONE = {"ValueError": "If there is no element."}
_AXIS = {"ValueError": "If an axis is named that the array has not got (``numpy.exceptions.AxisError``)."}
_ONE_AXIS = "int: The axis along which it works; all elements in C order if not given."


@documented(_WIDE, _AXIS)
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
    return reduce(
        asarray(a),
        "sum",
        axis,
        dtype=dtype,
        out=out,
        keepdims=keepdims,
        initial=initial,
        where=where,
        split_every=split_every,
    )


@documented(_WIDE, _AXIS)
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
    return reduce(
        asarray(a),
        "prod",
        axis,
        dtype=dtype,
        out=out,
        keepdims=keepdims,
        initial=initial,
        where=where,
        split_every=split_every,
    )


@documented(_FLOAT, _AXIS)
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
    return _mean(asarray(a), "mean", axis, dtype, out, keepdims, where, split_every)


@documented(_REAL, {"ValueError": "If both `ddof` and `correction` are given."})
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
    return _spread(asarray(a), "std", axis, dtype, out, ddof, keepdims, where, mean, correction, split_every)


@documented(_REAL, {"ValueError": "If both `ddof` and `correction` are given."})
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
    return _spread(asarray(a), "var", axis, dtype, out, ddof, keepdims, where, mean, correction, split_every)


@documented(_SAME, _EMPTY)
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
    return reduce(
        asarray(a),
        "min",
        axis,
        out=out,
        keepdims=keepdims,
        initial=initial,
        where=where,
        split_every=split_every,
    )


@documented(_SAME, _EMPTY)
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
    return reduce(
        asarray(a),
        "max",
        axis,
        out=out,
        keepdims=keepdims,
        initial=initial,
        where=where,
        split_every=split_every,
    )


@documented(_BOOL, _AXIS)
def any(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
    split_every: Any = None,
) -> Array:
    """Whether an element is not zero; False where there is none.

    >>> ra.any(ra.asarray([[0, 1], [0, 0]]), axis=1).compute()
    array([ True, False])
    """
    return reduce(asarray(a), "any", axis, out=out, keepdims=keepdims, where=where, split_every=split_every)


@documented(_BOOL, _AXIS)
def all(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
    split_every: Any = None,
) -> Array:
    """Whether no element is zero; True where there is none.

    >>> ra.all(ra.asarray([[0, 1], [1, 1]]), axis=1).compute()
    array([False,  True])
    """
    return reduce(asarray(a), "all", axis, out=out, keepdims=keepdims, where=where, split_every=split_every)


@documented(_PLACE, _NONE, axis=_ONE_AXIS)
def argmin(
    a: Any, axis: int | None = None, out: Any = None, *, keepdims: Any = NO_VALUE, split_every: Any = None
) -> Array:
    """The position of the smallest element, of the first of equal ones; of the first NaN where there is one.

    >>> ra.argmin(ra.asarray([3, 1, 2, 1])).compute()
    np.int64(1)
    """
    return reduce(asarray(a), "argmin", axis, out=out, keepdims=keepdims, split_every=split_every)


@documented(_PLACE, _NONE, axis=_ONE_AXIS)
def argmax(
    a: Any, axis: int | None = None, out: Any = None, *, keepdims: Any = NO_VALUE, split_every: Any = None
) -> Array:
    """The position of the largest element, of the first of equal ones; of the first NaN where there is one.

    >>> ra.argmax(ra.asarray([3, 1, 2, 3])).compute()
    np.int64(0)
    """
    return reduce(asarray(a), "argmax", axis, out=out, keepdims=keepdims, split_every=split_every)


@documented(_WIDE, _AXIS)
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
    return reduce(
        asarray(a),
        "nansum",
        axis,
        dtype=dtype,
        out=out,
        keepdims=keepdims,
        initial=initial,
        where=where,
        split_every=split_every,
    )


@documented(_WIDE, _AXIS)
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
    return reduce(
        asarray(a),
        "nanprod",
        axis,
        dtype=dtype,
        out=out,
        keepdims=keepdims,
        initial=initial,
        where=where,
        split_every=split_every,
    )


@documented(_FLOAT, {"TypeError": "If floating elements are to be averaged as a `dtype` that isn't floating."})
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
    return _mean(asarray(a), "nanmean", axis, dtype, out, keepdims, where, split_every)


@documented(_REAL, {"ValueError": "If both `ddof` and `correction` are given."})
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
    return _spread(asarray(a), "nanstd", axis, dtype, out, ddof, keepdims, where, mean, correction, split_every)


@documented(_REAL, {"ValueError": "If both `ddof` and `correction` are given."})
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
    return _spread(asarray(a), "nanvar", axis, dtype, out, ddof, keepdims, where, mean, correction, split_every)


@documented(_SAME, _EMPTY)
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
    return reduce(
        asarray(a),
        "nanmin",
        axis,
        out=out,
        keepdims=keepdims,
        initial=initial,
        where=where,
        split_every=split_every,
    )


@documented(_SAME, _EMPTY)
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
    return reduce(
        asarray(a),
        "nanmax",
        axis,
        out=out,
        keepdims=keepdims,
        initial=initial,
        where=where,
        split_every=split_every,
    )


@documented(_PLACE, _NONE, axis=_ONE_AXIS)
def nanargmin(
    a: Any, axis: int | None = None, out: Any = None, *, keepdims: Any = NO_VALUE, split_every: Any = None
) -> Array:
    """The position of the smallest element that is not NaN.

    >>> ra.nanargmin(ra.asarray([ra.nan, 2.0, 1.0])).compute()
    np.int64(2)
    """
    return reduce(asarray(a), "nanargmin", axis, out=out, keepdims=keepdims, split_every=split_every)


@documented(_PLACE, _NONE, axis=_ONE_AXIS)
def nanargmax(
    a: Any, axis: int | None = None, out: Any = None, *, keepdims: Any = NO_VALUE, split_every: Any = None
) -> Array:
    """The position of the largest element that is not NaN.

    >>> ra.nanargmax(ra.asarray([ra.nan, 2.0, 1.0])).compute()
    np.int64(1)
    """
    return reduce(asarray(a), "nanargmax", axis, out=out, keepdims=keepdims, split_every=split_every)


@documented(_PLACE, _AXIS)
def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False, split_every: Any = None) -> Array:
    """How many elements are not zero.

    >>> ra.count_nonzero(ra.asarray([[0, 1], [2, 3]]), axis=0).compute()
    array([1, 2])
    """
    return reduce(asarray(a) != 0, "sum", axis, keepdims=keepdims, split_every=split_every)


@documented(_RUN, _AXIS, axis=_ONE_AXIS)
def cumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None, *, method: str | None = None) -> Array:
    """The running sum along an axis, or of all elements in C order.

    >>> ra.cumsum(ra.arange(4, chunks=2)).compute()
    array([0, 1, 3, 6])
    """
    _check_method(method)
    return cumulate(asarray(a), "sum", axis, dtype, out)


@documented(_RUN, _AXIS, axis=_ONE_AXIS)
def cumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None, *, method: str | None = None) -> Array:
    """The running product along an axis, or of all elements in C order.

    >>> ra.cumprod(ra.arange(1, 5, chunks=2)).compute()
    array([ 1,  2,  6, 24])
    """
    _check_method(method)
    return cumulate(asarray(a), "prod", axis, dtype, out)


@documented(_RUN, _AXIS, axis=_ONE_AXIS)
def nancumsum(
    a: Any, axis: int | None = None, dtype: Any = None, out: Any = None, *, method: str | None = None
) -> Array:
    """The running sum, NaN counting as 0.

    >>> ra.nancumsum(ra.asarray([1.0, ra.nan, 2.0])).compute()
    array([1., 1., 3.])
    """
    _check_method(method)
    return cumulate(_without_nan(a, 0), "sum", axis, dtype, out)


@documented(_RUN, _AXIS, axis=_ONE_AXIS)
def nancumprod(
    a: Any, axis: int | None = None, dtype: Any = None, out: Any = None, *, method: str | None = None
) -> Array:
    """The running product, NaN counting as 1.

    >>> ra.nancumprod(ra.asarray([2.0, ra.nan, 3.0])).compute()
    array([2., 2., 6.])
    """
    _check_method(method)
    return cumulate(_without_nan(a, 1), "prod", axis, dtype, out)


def _check_method(method: str | None) -> None:
    """Dask has two ways to make running sums; here there is one, with the same result."""
    if method not in (None, "sequential", "blelloch"):
        raise ValueError(f"`method` must be `sequential` or `blelloch`, not {method!r}")


def _without_nan(a: Any, number: int) -> Array:
    x = asarray(a)
    return choose(x != x, x.dtype.type(number), x) if x.dtype.kind in "fc" else x


@documented(_SAME, _NONE)
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE, *, split_every: Any = None) -> Array:
    """The largest less the smallest element.

    >>> ra.ptp(ra.asarray([[3, 1], [2, 5]]), axis=1).compute()
    array([2, 3])
    """
    x = asarray(a)
    largest = reduce(x, "max", axis, keepdims=keepdims, split_every=split_every)
    smallest = reduce(x, "min", axis, keepdims=keepdims, split_every=split_every)
    result = largest - smallest
    return result if out is None else write_out(result, out)
