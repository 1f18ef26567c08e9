"""Functions of elements that NumPy composes of ufuncs: limits, rounding, closeness, special values."""

from __future__ import annotations

import builtins
import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_clip
from raskt.array.base.arguments import NO_VALUE
from raskt.array.base.conversion import asarray, operand_of, weak_or_array
from raskt.array.base.documentation import documented
from raskt.array.base.lengths import has_unknown, lengths_of, shapes_differ
from raskt.array.base.out import write_out
from raskt.array.base.registry import is_array, wrap
from raskt.array.blocks.map_blocks import elementwise
from raskt.array.elementwise.complex import imag, real
from raskt.array.elementwise.options import call_with_options
from raskt.array.elementwise.ufuncs import (
    abs,
    add,
    divide,
    equal,
    isfinite,
    isnan,
    less_equal,
    logical_not,
    maximum,
    minimum,
    multiply,
    positive,
    rint,
    subtract,
    trunc,
)
from raskt.array.selection.where import where as choose

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = [
    "allclose",
    "around",
    "clip",
    "fix",
    "i0",
    "isclose",
    "isneginf",
    "isnull",
    "isposinf",
    "nan_to_num",
    "notnull",
    "round",
    "sinc",
]

_BOOL = "Of bool, of the array's shape and chunks."
_SAME = "Of the array's type, shape and chunks."
_TOLERANCE = {"rtol": "float or array_like: The relative tolerance, of the elements of `b`."}
_OTHER = "array_like: The array that is taken as right: the relative tolerance is of its elements."


@documented(
    "Of the type that NumPy promotes array and bounds to, of their broadcast shape.",
    {"ValueError": "If bounds are given by both pairs of names.", "TypeError": "If only one of a pair is given."},
    a_min="array_like: The lower bound; none if it is `None`.",
    a_max="array_like: The upper bound; none if it is `None`.",
    min="array_like: Another name of `a_min`.",
    max="array_like: Another name of `a_max`.",
    where="array_like of bool: Which elements of `out` are replaced; `out` is needed with it.",
    dtype="data-type: The type that is computed with, and of the result.",
)
def clip(
    a: Any,
    a_min: Any = NO_VALUE,
    a_max: Any = NO_VALUE,
    out: Any = None,
    *,
    min: Any = NO_VALUE,
    max: Any = NO_VALUE,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    dtype: Any = None,
    subok: bool = True,
    signature: Any = None,
) -> Array:
    """The elements, none of them below the lower or above the upper bound.

    Where the bounds cross, the upper one holds.

    >>> ra.clip(ra.arange(5), 1, 3).compute()
    array([1, 1, 2, 3, 3])
    """
    if a_min is NO_VALUE and a_max is NO_VALUE:
        low, high = (None if bound is NO_VALUE else bound for bound in (min, max))
    elif a_min is NO_VALUE or a_max is NO_VALUE:
        missing = "a_min" if a_min is NO_VALUE else "a_max"
        raise TypeError(f"clip() missing 1 required positional argument: '{missing}'")
    elif min is not NO_VALUE or max is not NO_VALUE:
        raise ValueError("Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.")
    else:
        low, high = a_min, a_max
    options = {"casting": casting, "order": order, "dtype": dtype, "signature": signature, "where": where, "out": out}
    low, high = _within(asarray(a).dtype, low, high)
    if low is None or high is None:
        bounds = [bound for bound in (low, high) if bound is not None]
        one = maximum if low is not None else minimum if high is not None else positive
        return one(a, *bounds, **options)
    umath: Any = np._core.umath  # type: ignore[attr-defined]
    return call_with_options(umath.clip, _clipped, [a, low, high], **options)


def _within(dtype: np.dtype[Any], low: Any, high: Any) -> tuple[Any, Any]:
    """The bounds, without whole numbers of Python's own that are beyond all that the type holds."""
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        low = None if type(low) is int and low <= limits.min else low
        high = None if type(high) is int and high >= limits.max else high
    return low, high


def _clipped(a: Any, low: Any, high: Any) -> Array:
    # All three have one type, for which numbers of Python's own count less than arrays do.
    types = [asarray(bound).dtype for bound in (low, high) if type(bound) not in (int, float, complex)]
    if len(types) == 1:
        a = asarray(a).astype(np.result_type(asarray(a).dtype, *types))
    operands = asarray(a).__raskt_expr__, operand_of(low), operand_of(high)
    with lengths_of(*operands):
        return wrap(array_clip(*operands))


@documented(_SAME)
def round(a: Any, decimals: int = 0, out: Any = None) -> Array:
    """The elements rounded to a number of decimal places; of two nearest values the even one.

    >>> ra.round(ra.asarray([0.5, 1.25, 2.675]), 1).compute()
    array([0.5, 1.2, 2.7])
    """
    x = asarray(a)
    place = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    kind = getattr(place, "dtype", None)
    if kind is None or (kind == x.dtype and kind.kind != "b"):
        result = _rounded(x, decimals)
    else:
        function = _RoundedIn(kind, operator.index(decimals))
        function(np.zeros((1,) * x.ndim, x.dtype))  # What NumPy refuses of these types is refused here.
        result = elementwise(function, x, name="numpy.round", dtype=kind)
    shapes = [] if out is None else [tuple(array.shape) for array in (result, place)]
    # NumPy looks at the number of elements alone: axes of length 1 may stand in front.
    fits = not any(map(has_unknown, shapes)) and len({math.prod(shape) for shape in shapes}) == 1
    return result if out is None else write_out(result, out, broadcast=fits)


class _RoundedIn:
    """`numpy.round` with an `out` of a type, in which NumPy rounds."""

    __slots__ = ("_decimals", "_dtype")

    def __init__(self, dtype: np.dtype[Any], decimals: int) -> None:
        self._dtype, self._decimals = dtype, decimals

    def __call__(self, block: Any) -> Any:
        return np.round(block, self._decimals, out=np.empty(block.shape, self._dtype))


#: The largest power of ten that float64 holds.
_MOST_DECIMALS = 308


def _rounded(x: Array, decimals: int) -> Array:
    decimals = operator.index(decimals)
    if x.dtype.kind in "iub" and decimals >= 0:
        return x if x.dtype.kind != "b" else x.astype("float16")
    if decimals == 0:
        return rint(x)
    if x.dtype.kind == "f" and 0 < decimals <= _MOST_DECIMALS:
        scale = x.dtype.type(10.0**decimals)
        return divide(rint(x * scale), scale)
    if x.dtype.kind in "iu" and decimals >= -_MOST_DECIMALS:
        # As NumPy does it, but natively: where the type doesn't hold a result, NumPy's depends on neighbours.
        power = 10.0**-decimals
        found: Array = multiply(rint(divide(x, power)), power).astype(x.dtype)
        return found
    return elementwise(np.round, x, decimals=decimals)


@documented(_SAME)
def around(a: Any, decimals: int = 0, out: Any = None) -> Array:
    """The elements rounded to a number of decimal places: another name of :func:`round`.

    >>> ra.around(ra.asarray([1.25, 1.35]), 1).compute()
    array([1.2, 1.4])
    """
    return round(a, decimals, out)


@documented(_SAME)
def fix(x: Any, out: Any = None) -> Array:
    """The elements rounded towards zero.

    >>> ra.fix(ra.asarray([1.7, -1.7])).compute()
    array([ 1., -1.])
    """
    array = asarray(x)
    result = trunc(array) if array.dtype.kind in "fc" else array
    return result if out is None else write_out(result, out, broadcast=True)


@documented(_BOOL, {"TypeError": "For complex elements, which have many infinities."})
def isposinf(x: Any, out: Any = None) -> Array:
    """Whether each element is positive infinity.

    >>> ra.isposinf(ra.asarray([1.0, ra.inf, -ra.inf])).compute()
    array([False,  True, False])
    """
    return _is_infinity(x, np.inf, out)


@documented(_BOOL, {"TypeError": "For complex elements, which have many infinities."})
def isneginf(x: Any, out: Any = None) -> Array:
    """Whether each element is negative infinity.

    >>> ra.isneginf(ra.asarray([1.0, ra.inf, -ra.inf])).compute()
    array([False, False,  True])
    """
    return _is_infinity(x, -np.inf, out)


def _is_infinity(x: Any, infinity: float, out: Any) -> Array:
    array = asarray(x)
    if array.dtype.kind == "c":
        raise TypeError(f"This operation is not supported for {array.dtype} values because it would be ambiguous.")
    result = array == infinity
    return result if out is None else write_out(result, out, broadcast=True)


@documented(_BOOL, values="array_like: The array.")
def isnull(values: Any) -> Array:
    """Whether each element is missing, which is to say NaN.

    >>> ra.isnull(ra.asarray([1.0, ra.nan])).compute()
    array([False,  True])
    """
    return isnan(values)


@documented(_BOOL, values="array_like: The array.")
def notnull(values: Any) -> Array:
    """Whether each element is not missing, which is to say not NaN.

    >>> ra.notnull(ra.asarray([1.0, ra.nan])).compute()
    array([ True, False])
    """
    return logical_not(isnan(values))


@documented("Of bool, of the broadcast shape.", b=_OTHER)
def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Array:
    """Whether elements differ by at most ``atol + rtol * abs(b)``.

    >>> ra.isclose(ra.asarray([1.0, 2.0]), [1.0, 2.1]).compute()
    array([ True, False])
    """
    x, y, rtol, atol = (weak_or_array(operand) for operand in (a, b, rtol, atol))
    if not is_array(x) and not is_array(y):
        x, y = asarray(x), asarray(y)
    if is_array(y):
        y = y if y.dtype.kind in "fc" else y.astype(np.float64)
    elif type(y) is not complex:
        y = float(y)
    size, finite = (abs(y), isfinite(y)) if is_array(y) else (builtins.abs(y), bool(np.isfinite(y)))
    # By functions, which take numbers of Python's own in either place.
    room = add(atol, multiply(rtol, size)) if any(map(is_array, (atol, rtol, size))) else atol + rtol * size
    close = (less_equal(abs(subtract(x, y)), room) & finite) | equal(x, y)
    return close | (isnan(x) & isnan(y)) if equal_nan else close


@documented(
    "Of bool, without axes.",
    b=_OTHER,
    differences="the answer is lazy, where ``numpy.allclose`` gives a bool; so does it of lazy arrays.",
)
def allclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Array:
    """Whether all elements differ by at most ``atol + rtol * abs(b)``.

    >>> ra.allclose(ra.asarray([1.0, 2.0]), [1.0, 2.1]).compute()
    np.False_
    """
    return isclose(a, b, rtol, atol, equal_nan).all()


@documented("Floating, of the array's shape and chunks. NumPy computes each block.")
def i0(x: Any) -> Array:
    """The modified Bessel function of the first kind and order 0.

    >>> ra.i0(ra.asarray([0.0, 1.0])).compute()
    array([1.        , 1.26606588])
    """
    return elementwise(np.i0, x)


@documented("Floating, of the array's shape and chunks. NumPy computes each block.")
def sinc(x: Any) -> Array:
    """``sin(pi * x) / (pi * x)``, and 1 at 0.

    >>> ra.sinc(ra.asarray([0.0, 0.5])).compute()
    array([1.        , 0.63661977])
    """
    return elementwise(np.sinc, x)


@documented(
    _SAME,
    copy="bool: Whether the result is another array; else `x` takes it over, which has to be an array.",
    nan="float or array_like: What NaN becomes.",
    posinf="float or array_like: What positive infinity becomes; the largest number there is if not given.",
    neginf="float or array_like: What negative infinity becomes; the least number there is if not given.",
)
def nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Array:
    """The elements with numbers in place of NaN and infinities.

    >>> ra.nan_to_num(ra.asarray([1.0, ra.nan, ra.inf]), posinf=9).compute()
    array([1., 0., 9.])
    """
    if not copy and not is_array(x) and not isinstance(x, np.ndarray):
        raise ValueError("Unable to avoid copy while creating an array as requested: `x` is no array")
    array = asarray(x)
    result = _numbers(array, nan, posinf, neginf)
    if shapes_differ(result.shape, array.shape):
        raise ValueError(f"numbers of shape {result.shape} do not fit in an array of shape {array.shape}")
    return result if copy else write_out(result, x)


def _numbers(array: Array, nan: Any, posinf: Any, neginf: Any) -> Array:
    if array.dtype.kind not in "fc":
        return array
    if array.dtype.kind == "c":
        if any(is_array(number) or np.ndim(number) for number in (nan, posinf, neginf)):
            parts = [_numbers(part, nan, posinf, neginf) for part in (real(array), imag(array))]
            return elementwise(_complex_of, *parts, name="complex", dtype=array.dtype)
        return elementwise(np.nan_to_num, array, nan=nan, posinf=posinf, neginf=neginf)
    limits = np.finfo(array.dtype)
    found = choose(isnan(array), _of_type(nan, array), array)
    found = choose(array == np.inf, _of_type(limits.max if posinf is None else posinf, array), found)
    return choose(array == -np.inf, _of_type(limits.min if neginf is None else neginf, array), found)


def _complex_of(real: Any, imaginary: Any) -> Any:
    """Complex numbers from their parts, which no multiplication may touch: infinity times 0 is NaN."""
    found = np.empty(np.broadcast_shapes(real.shape, imaginary.shape), np.result_type(real, 1j))
    found.real, found.imag = real, imaginary
    return found


def _of_type(number: Any, array: Array) -> Any:
    """What takes the place of an element: cast as `numpy.copyto` does it, which refuses complex for real numbers."""
    if is_array(number):
        if not np.can_cast(number.dtype, array.dtype, "same_kind"):
            raise TypeError(f"Cannot cast from {number.dtype} to {array.dtype} according to the rule 'same_kind'")
        return number.astype(array.dtype)
    found = np.zeros(np.shape(number), array.dtype)
    np.copyto(found, number)
    return found
