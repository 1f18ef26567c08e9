"""The ufuncs, and functions of elements that are made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt.array.base.conversion import asarray
from raskt.array.base.out import write_out
from raskt.array.blocks.map_blocks import elementwise
from raskt.array.creation.constructors import zeros_like
from raskt.array.elementwise.ufunc import frompyfunc, ufunc
from raskt.array.indexing.where import where

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = [
    "abs",
    "absolute",
    "add",
    "allclose",
    "angle",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "around",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "cbrt",
    "ceil",
    "clip",
    "conj",
    "conjugate",
    "copysign",
    "cos",
    "cosh",
    "deg2rad",
    "degrees",
    "divide",
    "divmod",
    "equal",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "fix",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "frompyfunc",
    "greater",
    "greater_equal",
    "heaviside",
    "hypot",
    "i0",
    "imag",
    "invert",
    "isclose",
    "iscomplex",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isnull",
    "isposinf",
    "isreal",
    "ldexp",
    "left_shift",
    "less",
    "less_equal",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "modf",
    "multiply",
    "nan_to_num",
    "negative",
    "nextafter",
    "not_equal",
    "notnull",
    "piecewise",
    "positive",
    "power",
    "rad2deg",
    "radians",
    "real",
    "reciprocal",
    "remainder",
    "right_shift",
    "rint",
    "round",
    "select",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "spacing",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "true_divide",
    "trunc",
]

abs = ufunc("abs")
absolute = ufunc("absolute")
add = ufunc("add")
arccos = ufunc("arccos")
arccosh = ufunc("arccosh")
arcsin = ufunc("arcsin")
arcsinh = ufunc("arcsinh")
arctan = ufunc("arctan")
arctan2 = ufunc("arctan2")
arctanh = ufunc("arctanh")
bitwise_and = ufunc("bitwise_and")
bitwise_not = ufunc("bitwise_not")
bitwise_or = ufunc("bitwise_or")
bitwise_xor = ufunc("bitwise_xor")
cbrt = ufunc("cbrt")
ceil = ufunc("ceil")
conj = ufunc("conj")
conjugate = ufunc("conjugate")
copysign = ufunc("copysign")
cos = ufunc("cos")
cosh = ufunc("cosh")
deg2rad = ufunc("deg2rad")
degrees = ufunc("degrees")
divide = ufunc("divide")
equal = ufunc("equal")
exp = ufunc("exp")
exp2 = ufunc("exp2")
expm1 = ufunc("expm1")
fabs = ufunc("fabs")
float_power = ufunc("float_power")
floor = ufunc("floor")
floor_divide = ufunc("floor_divide")
fmax = ufunc("fmax")
fmin = ufunc("fmin")
fmod = ufunc("fmod")
greater = ufunc("greater")
greater_equal = ufunc("greater_equal")
heaviside = ufunc("heaviside")
hypot = ufunc("hypot")
invert = ufunc("invert")
isfinite = ufunc("isfinite")
isinf = ufunc("isinf")
isnan = ufunc("isnan")
ldexp = ufunc("ldexp")
left_shift = ufunc("left_shift")
less = ufunc("less")
less_equal = ufunc("less_equal")
log = ufunc("log")
log10 = ufunc("log10")
log1p = ufunc("log1p")
log2 = ufunc("log2")
logaddexp = ufunc("logaddexp")
logaddexp2 = ufunc("logaddexp2")
logical_and = ufunc("logical_and")
logical_not = ufunc("logical_not")
logical_or = ufunc("logical_or")
logical_xor = ufunc("logical_xor")
maximum = ufunc("maximum")
minimum = ufunc("minimum")
mod = ufunc("mod")
multiply = ufunc("multiply")
negative = ufunc("negative")
nextafter = ufunc("nextafter")
not_equal = ufunc("not_equal")
positive = ufunc("positive")
power = ufunc("power")
rad2deg = ufunc("rad2deg")
radians = ufunc("radians")
reciprocal = ufunc("reciprocal")
remainder = ufunc("remainder")
right_shift = ufunc("right_shift")
rint = ufunc("rint")
sign = ufunc("sign")
signbit = ufunc("signbit")
sin = ufunc("sin")
sinh = ufunc("sinh")
spacing = ufunc("spacing")
sqrt = ufunc("sqrt")
square = ufunc("square")
subtract = ufunc("subtract")
tan = ufunc("tan")
tanh = ufunc("tanh")
true_divide = ufunc("true_divide")
trunc = ufunc("trunc")


def clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None) -> Array:
    """The elements of ``a``, none below ``a_min`` or above ``a_max``."""
    result = asarray(a).clip(a_min if min is None else min, a_max if max is None else max)
    return result if out is None else write_out(result, out)


def round(a: Any, decimals: int = 0, out: Any = None) -> Array:
    """The elements rounded to ``decimals`` decimal places, halves to even, as NumPy rounds.

    >>> import raskt.array as ra
    >>> ra.round(ra.asarray([0.5, 1.25, 2.675]), 1).compute()
    array([0.5, 1.2, 2.7])
    """
    x = asarray(a)
    if x.dtype.kind in "iub" and decimals >= 0:
        return x if x.dtype.kind != "b" else x.astype("float16")
    if decimals == 0:
        return rint(x)
    if x.dtype.kind == "f" and decimals > 0:
        scale = x.dtype.type(10.0**decimals)
        return divide(rint(x * scale), scale)

    return elementwise(np.round, x, decimals=decimals)


around = round


def real(a: Any) -> Array:
    """The real parts of the elements."""
    return _part(a, "real")


def imag(a: Any) -> Array:
    """The imaginary parts of the elements."""
    return _part(a, "imag")


def _part(a: Any, name: str) -> Array:
    x = asarray(a)
    if x.dtype.kind != "c":
        return x if name == "real" else zeros_like(x)
    part = ufunc(name)
    return part(x)


def angle(z: Any, deg: bool = False) -> Array:
    """The angles of complex elements, in radians, or in degrees."""
    x = asarray(z)
    found = arctan2(imag(x), real(x))
    return found * (180 / np.pi) if deg else found


def isreal(x: Any) -> Array:
    """Whether the imaginary part is zero."""
    return imag(x) == 0


def iscomplex(x: Any) -> Array:
    """Whether the imaginary part is not zero."""
    return imag(x) != 0


def isposinf(x: Any) -> Array:
    """Whether an element is positive infinity."""
    return asarray(x) == np.inf


def isneginf(x: Any) -> Array:
    """Whether an element is negative infinity."""
    return asarray(x) == -np.inf


def isnull(values: Any) -> Array:
    """Whether an element is missing: NaN."""
    return isnan(values)


def notnull(values: Any) -> Array:
    """Whether an element is not missing."""
    return logical_not(isnan(values))


def isclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Array:
    """Whether elements differ by at most ``atol + rtol * abs(b)``.

    >>> import raskt.array as ra
    >>> ra.isclose(ra.asarray([1.0, 2.0]), [1.0, 2.1]).compute()
    array([ True, False])
    """
    x, y = asarray(a), asarray(b)
    near = abs(x - y) <= atol + rtol * abs(y)
    finite = isfinite(y)
    close = (near & finite) | (x == y)
    return close | (isnan(x) & isnan(y)) if equal_nan else close


def allclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Array:
    """Whether all elements are close; see :func:`isclose`. The answer is lazy."""
    return isclose(a, b, rtol, atol, equal_nan).all()


def divmod(x: Any, y: Any) -> tuple[Array, Array]:
    """The quotient rounded down, and the remainder."""
    return floor_divide(x, y), remainder(x, y)


def modf(x: Any) -> tuple[Array, Array]:
    """The fractional and the integral part, both with the sign of the element."""
    return ufunc("fraction of modf", lambda block: np.modf(block)[0])(x), trunc(_as_float(x))


def frexp(x: Any) -> tuple[Array, Array]:
    """Mantissa and exponent: ``x = mantissa * 2**exponent``."""

    return elementwise(_mantissa, x), elementwise(_exponent, x)


def _mantissa(block: Any) -> Any:
    return np.frexp(block)[0]


def _exponent(block: Any) -> Any:
    return np.frexp(block)[1]


def _as_float(x: Any) -> Array:
    array = asarray(x)
    return array if array.dtype.kind == "f" else array.astype(np.result_type(array.dtype, np.float16))


def fix(x: Any, out: Any = None) -> Array:
    """The elements rounded towards zero."""
    result = trunc(_as_float(x)) if asarray(x).dtype.kind == "f" else asarray(x)
    return result if out is None else write_out(result, out)


def i0(x: Any) -> Array:
    """The modified Bessel function of the first kind, order 0 (by NumPy)."""

    return elementwise(np.i0, x)


def sinc(x: Any) -> Array:
    """``sin(pi * x) / (pi * x)``, and 1 at 0 (by NumPy)."""

    return elementwise(np.sinc, x)


def nan_to_num(x: Any, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Array:
    """The elements with NaN replaced by ``nan``, and infinities by numbers: the largest there are if not given."""
    array = asarray(x)
    if array.dtype.kind not in "fc":
        return array
    if array.dtype.kind == "c":
        return elementwise(np.nan_to_num, array, nan=nan, posinf=posinf, neginf=neginf)
    limits = np.finfo(array.dtype)
    array = where(isnan(array), float(nan), array)
    array = where(array == np.inf, float(limits.max if posinf is None else posinf), array)
    return where(array == -np.inf, float(limits.min if neginf is None else neginf), array)


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Array:
    """Elements of the first choice whose condition holds, ``default`` where none does."""
    if len(condlist) != len(choicelist):
        raise ValueError(f"select needs a choice for each condition, not {len(choicelist)} for {len(condlist)}")
    result = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        result = where(condition, choice, result)
    return asarray(result)


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kwargs: Any) -> Array:
    """A function defined piece by piece: ``funclist[i]`` (a function or a number) where ``condlist[i]`` holds."""
    array = asarray(x)
    pieces = [piece(array, *args, **kwargs) if callable(piece) else piece for piece in funclist]
    default = pieces.pop() if len(pieces) == len(condlist) + 1 else 0
    return select(condlist, pieces, default).astype(array.dtype)
