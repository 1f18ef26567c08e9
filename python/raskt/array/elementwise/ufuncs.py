"""The ufuncs of NumPy, each under its name."""

from __future__ import annotations

from raskt.array.elementwise.ufunc import ufunc

__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_count",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "cbrt",
    "ceil",
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
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "gcd",
    "greater",
    "greater_equal",
    "heaviside",
    "hypot",
    "invert",
    "isfinite",
    "isinf",
    "isnan",
    "lcm",
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
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "power",
    "rad2deg",
    "radians",
    "reciprocal",
    "remainder",
    "right_shift",
    "rint",
    "sign",
    "signbit",
    "sin",
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
acos = ufunc("acos")
acosh = ufunc("acosh")
add = ufunc("add")
arccos = ufunc("arccos")
arccosh = ufunc("arccosh")
arcsin = ufunc("arcsin")
arcsinh = ufunc("arcsinh")
arctan = ufunc("arctan")
arctan2 = ufunc("arctan2")
arctanh = ufunc("arctanh")
asin = ufunc("asin")
asinh = ufunc("asinh")
atan = ufunc("atan")
atan2 = ufunc("atan2")
atanh = ufunc("atanh")
bitwise_and = ufunc("bitwise_and")
bitwise_count = ufunc("bitwise_count")
bitwise_invert = ufunc("bitwise_invert")
bitwise_left_shift = ufunc("bitwise_left_shift")
bitwise_not = ufunc("bitwise_not")
bitwise_or = ufunc("bitwise_or")
bitwise_right_shift = ufunc("bitwise_right_shift")
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
divmod = ufunc("divmod")
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
frexp = ufunc("frexp")
gcd = ufunc("gcd")
greater = ufunc("greater")
greater_equal = ufunc("greater_equal")
heaviside = ufunc("heaviside")
hypot = ufunc("hypot")
invert = ufunc("invert")
isfinite = ufunc("isfinite")
isinf = ufunc("isinf")
isnan = ufunc("isnan")
lcm = ufunc("lcm")
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
modf = ufunc("modf")
multiply = ufunc("multiply")
negative = ufunc("negative")
nextafter = ufunc("nextafter")
not_equal = ufunc("not_equal")
positive = ufunc("positive")
pow = ufunc("pow")
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
