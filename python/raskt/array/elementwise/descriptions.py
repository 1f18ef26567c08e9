"""What each ufunc does, what it gives, and an example: the documentation of all of them, in one table."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["DESCRIPTIONS", "Description"]


class Description(NamedTuple):
    """A ufunc in words: a summary, a key of the kinds of results, the operands of an example, and what it shows."""

    summary: str
    kind: str
    operands: str
    shown: str


DESCRIPTIONS: dict[str, Description] = {
    "absolute": Description(
        "The distance of each element from zero.",
        "S",
        "[-1.5, 2.0]",
        "array([1.5, 2. ])",
    ),
    "add": Description(
        "The sum of corresponding elements.",
        "P",
        "[1, 2], [10, 20]",
        "array([11, 22])",
    ),
    "arccos": Description(
        "The angle, from 0 to pi, whose cosine an element is; NaN outside of -1 to 1.",
        "F",
        "[1.0, 0.0]",
        "array([0.        , 1.57079633])",
    ),
    "arccosh": Description(
        "The number, not negative, whose hyperbolic cosine an element is; NaN below 1.",
        "F",
        "[1.0, 2.0]",
        "array([0.       , 1.3169579])",
    ),
    "arcsin": Description(
        "The angle, from -pi/2 to pi/2, whose sine an element is; NaN outside of -1 to 1.",
        "F",
        "[0.0, 1.0]",
        "array([0.        , 1.57079633])",
    ),
    "arcsinh": Description(
        "The number whose hyperbolic sine an element is.",
        "F",
        "[0.0, 1.0]",
        "array([0.        , 0.88137359])",
    ),
    "arctan": Description(
        "The angle, from -pi/2 to pi/2, whose tangent an element is.",
        "F",
        "[0.0, 1.0]",
        "array([0.        , 0.78539816])",
    ),
    "arctan2": Description(
        "The angle, from -pi to pi, of the point with ordinate ``x1`` and abscissa ``x2``.",
        "F",
        "[1.0, -1.0], [1.0, 0.0]",
        "array([ 0.78539816, -1.57079633])",
    ),
    "arctanh": Description(
        "The number whose hyperbolic tangent an element is; infinite at -1 and 1, NaN beyond.",
        "F",
        "[0.0, 0.5]",
        "array([0.        , 0.54930614])",
    ),
    "bitwise_and": Description(
        "The bits that both elements have; of booleans, whether both hold.",
        "P",
        "[12, 10], 6",
        "array([4, 2])",
    ),
    "bitwise_or": Description(
        "The bits that one of the elements has; of booleans, whether one holds.",
        "P",
        "[12, 10], 1",
        "array([13, 11])",
    ),
    "bitwise_xor": Description(
        "The bits that only one of the elements has; of booleans, whether just one holds.",
        "P",
        "[12, 10], 6",
        "array([10, 12])",
    ),
    "cbrt": Description(
        "The cube root of each element.",
        "F",
        "[8.0, -27.0]",
        "array([ 2., -3.])",
    ),
    "ceil": Description(
        "The smallest whole number that is not below each element.",
        "S",
        "[1.2, -1.2]",
        "array([ 2., -1.])",
    ),
    "conjugate": Description(
        "The complex conjugate of each element; real ones stay as they are.",
        "S",
        "[1 + 2j, 3j]",
        "array([1.-2.j, 0.-3.j])",
    ),
    "copysign": Description(
        "The size of ``x1`` with the sign of ``x2``, that of zeros and NaN included.",
        "F",
        "[1.0, -2.0], [-0.0, 3.0]",
        "array([-1.,  2.])",
    ),
    "cos": Description(
        "The cosine of angles in radians.",
        "F",
        "[0.0, 1.0]",
        "array([1.        , 0.54030231])",
    ),
    "cosh": Description(
        "The hyperbolic cosine of each element.",
        "F",
        "[0.0, 1.0]",
        "array([1.        , 1.54308063])",
    ),
    "deg2rad": Description(
        "Angles in degrees as radians.",
        "F",
        "[0.0, 180.0]",
        "array([0.        , 3.14159265])",
    ),
    "degrees": Description(
        "Angles in radians as degrees.",
        "F",
        "[0.0, 1.0]",
        "array([ 0.        , 57.29577951])",
    ),
    "divide": Description(
        "The quotient of corresponding elements, in floating point.",
        "F",
        "[1, 3], [2, 4]",
        "array([0.5 , 0.75])",
    ),
    "divmod": Description(
        "The quotient rounded down, and the remainder with the divisor's sign.",
        "P2",
        "[7, -7], 3",
        "(array([ 2, -3]), array([1, 2]))",
    ),
    "equal": Description(
        "Whether corresponding elements are equal.",
        "B",
        "[1, 2], [1, 3]",
        "array([ True, False])",
    ),
    "exp": Description(
        "The exponential of each element.",
        "F",
        "[0.0, 1.0]",
        "array([1.        , 2.71828183])",
    ),
    "exp2": Description(
        "Two to the power of each element.",
        "F",
        "[3.0, 0.5]",
        "array([8.        , 1.41421356])",
    ),
    "expm1": Description(
        "The exponential of each element less one, exact near zero.",
        "F",
        "[0.0, 1e-10]",
        "array([0.e+00, 1.e-10])",
    ),
    "fabs": Description(
        "The distance of each element from zero, in floating point.",
        "F",
        "[-1, 2]",
        "array([1., 2.])",
    ),
    "float_power": Description(
        "The first operand to the power of the second, in float64 or complex128.",
        "F",
        "[2, 3], -1",
        "array([0.5       , 0.33333333])",
    ),
    "floor": Description(
        "The largest whole number that is not above each element.",
        "S",
        "[1.8, -1.2]",
        "array([ 1., -2.])",
    ),
    "floor_divide": Description(
        "The quotient of corresponding elements, rounded down.",
        "P",
        "[7, -7], 2",
        "array([ 3, -4])",
    ),
    "fmax": Description(
        "The larger of corresponding elements; of NaN and a number the number.",
        "P",
        '[1.0, float("nan")], [3.0, 2.0]',
        "array([3., 2.])",
    ),
    "fmin": Description(
        "The smaller of corresponding elements; of NaN and a number the number.",
        "P",
        '[1.0, float("nan")], [3.0, 2.0]',
        "array([1., 2.])",
    ),
    "fmod": Description(
        "The remainder of corresponding elements, with the sign of the dividend, as in C.",
        "P",
        "[7, -7], 3",
        "array([ 1, -1])",
    ),
    "frexp": Description(
        "A mantissa from 1/2 to 1 and an exponent for each element: ``x = mantissa * 2**exponent``.",
        "M",
        "[8.0, 0.75]",
        "(array([0.5 , 0.75]), array([4, 0], dtype=int32))",
    ),
    "greater": Description(
        "Whether ``x1`` is greater than ``x2``.",
        "B",
        "[1, 3], 2",
        "array([False,  True])",
    ),
    "greater_equal": Description(
        "Whether ``x1`` is ``x2`` or greater.",
        "B",
        "[1, 2], 2",
        "array([False,  True])",
    ),
    "heaviside": Description(
        "The step function: 0 below zero, 1 above, and ``x2`` at zero.",
        "F",
        "[-1.0, 0.0, 2.0], 0.5",
        "array([0. , 0.5, 1. ])",
    ),
    "hypot": Description(
        "The length of the hypotenuse over two legs, without overflow in between.",
        "F",
        "[3.0, 5.0], [4.0, 12.0]",
        "array([ 5., 13.])",
    ),
    "invert": Description(
        "All bits turned; of booleans, whether an element does not hold.",
        "S",
        "[0, 5]",
        "array([-1, -6])",
    ),
    "isfinite": Description(
        "Whether each element is neither infinite nor NaN.",
        "B",
        '[1.0, float("inf")]',
        "array([ True, False])",
    ),
    "isinf": Description(
        "Whether each element is infinite, of either sign.",
        "B",
        '[1.0, float("-inf")]',
        "array([False,  True])",
    ),
    "isnan": Description(
        "Whether each element is NaN.",
        "B",
        '[1.0, float("nan")]',
        "array([False,  True])",
    ),
    "ldexp": Description(
        "``x1`` times two to the power of ``x2``.",
        "F",
        "[1.0, 3.0], [2, -1]",
        "array([4. , 1.5])",
    ),
    "left_shift": Description(
        "The bits of ``x1`` moved ``x2`` places up.",
        "P",
        "[1, 3], 2",
        "array([ 4, 12])",
    ),
    "less": Description(
        "Whether ``x1`` is less than ``x2``.",
        "B",
        "[1, 3], 2",
        "array([ True, False])",
    ),
    "less_equal": Description(
        "Whether ``x1`` is ``x2`` or less.",
        "B",
        "[1, 3], 1",
        "array([ True, False])",
    ),
    "log": Description(
        "The natural logarithm of each element; NaN below zero.",
        "F",
        "[1.0, 10.0]",
        "array([0.        , 2.30258509])",
    ),
    "log10": Description(
        "The logarithm to base 10 of each element; NaN below zero.",
        "F",
        "[1.0, 100.0]",
        "array([0., 2.])",
    ),
    "log1p": Description(
        "The natural logarithm of one more than each element, exact near zero.",
        "F",
        "[0.0, 1e-10]",
        "array([0.e+00, 1.e-10])",
    ),
    "log2": Description(
        "The logarithm to base 2 of each element; NaN below zero.",
        "F",
        "[1.0, 8.0]",
        "array([0., 3.])",
    ),
    "logaddexp": Description(
        "The logarithm of the sum of the exponentials of corresponding elements.",
        "F",
        "[0.0, 1000.0], [0.0, 1000.0]",
        "array([6.93147181e-01, 1.00069315e+03])",
    ),
    "logaddexp2": Description(
        "The base-2 logarithm of the sum of two to the powers of corresponding elements.",
        "F",
        "[0.0, 1000.0], [0.0, 1000.0]",
        "array([1.000e+00, 1.001e+03])",
    ),
    "logical_and": Description(
        "Whether neither of corresponding elements is zero.",
        "B",
        "[0, 2], [3, 4]",
        "array([False,  True])",
    ),
    "logical_not": Description(
        "Whether each element is zero.",
        "B",
        "[0, 2]",
        "array([ True, False])",
    ),
    "logical_or": Description(
        "Whether one of corresponding elements is not zero.",
        "B",
        "[0, 2], [0, 0]",
        "array([False,  True])",
    ),
    "logical_xor": Description(
        "Whether just one of corresponding elements is not zero.",
        "B",
        "[0, 2], [3, 4]",
        "array([ True, False])",
    ),
    "maximum": Description(
        "The larger of corresponding elements; NaN if one of them is.",
        "P",
        "[1, 5], [3, 2]",
        "array([3, 5])",
    ),
    "minimum": Description(
        "The smaller of corresponding elements; NaN if one of them is.",
        "P",
        "[1, 5], [3, 2]",
        "array([1, 2])",
    ),
    "modf": Description(
        "The fractional and the integral part of each element, both with its sign.",
        "F2",
        "[1.5, -2.25]",
        "(array([ 0.5 , -0.25]), array([ 1., -2.]))",
    ),
    "multiply": Description(
        "The product of corresponding elements.",
        "P",
        "[1, 2], [10, 20]",
        "array([10, 40])",
    ),
    "negative": Description(
        "Each element with the other sign.",
        "S",
        "[1, -2]",
        "array([-1,  2])",
    ),
    "nextafter": Description(
        "The next floating number after ``x1`` on the way to ``x2``.",
        "F",
        "[1.0], 2.0",
        "array([1.])",
    ),
    "not_equal": Description(
        "Whether corresponding elements differ.",
        "B",
        "[1, 2], [1, 3]",
        "array([False,  True])",
    ),
    "positive": Description(
        "Each element as it is.",
        "S",
        "[1, -2]",
        "array([ 1, -2])",
    ),
    "power": Description(
        "The first operand to the power of the second.",
        "P",
        "[2, 3], 2",
        "array([4, 9])",
    ),
    "rad2deg": Description(
        "Angles in radians as degrees.",
        "F",
        "[0.0, 1.0]",
        "array([ 0.        , 57.29577951])",
    ),
    "radians": Description(
        "Angles in degrees as radians.",
        "F",
        "[0.0, 180.0]",
        "array([0.        , 3.14159265])",
    ),
    "reciprocal": Description(
        "One divided by each element; of integers, rounded towards zero.",
        "S",
        "[2.0, 4.0]",
        "array([0.5 , 0.25])",
    ),
    "remainder": Description(
        "The remainder of corresponding elements, with the sign of the divisor, as of Python's ``%``.",
        "P",
        "[7, -7], 3",
        "array([1, 2])",
    ),
    "right_shift": Description(
        "The bits of ``x1`` moved ``x2`` places down.",
        "P",
        "[8, 9], 2",
        "array([2, 2])",
    ),
    "rint": Description(
        "The nearest whole number to each element, the even one of two.",
        "F",
        "[0.5, 1.7]",
        "array([0., 2.])",
    ),
    "sign": Description(
        "-1, 0 or 1 by the sign of each element; a complex one divided by its size.",
        "S",
        "[-2.0, 0.0, 3.0]",
        "array([-1.,  0.,  1.])",
    ),
    "signbit": Description(
        "Whether the sign of each element is minus, that of zeros and NaN included.",
        "B",
        "[-0.0, 1.0]",
        "array([ True, False])",
    ),
    "sin": Description(
        "The sine of angles in radians.",
        "F",
        "[0.0, 1.0]",
        "array([0.        , 0.84147098])",
    ),
    "sinh": Description(
        "The hyperbolic sine of each element.",
        "F",
        "[0.0, 1.0]",
        "array([0.        , 1.17520119])",
    ),
    "spacing": Description(
        "The distance from each element to the next floating number.",
        "F",
        "[1.0, 1024.0]",
        "array([2.22044605e-16, 2.27373675e-13])",
    ),
    "sqrt": Description(
        "The square root of each element; NaN below zero.",
        "F",
        "[4.0, 2.0]",
        "array([2.        , 1.41421356])",
    ),
    "square": Description(
        "Each element times itself.",
        "S",
        "[3, -4]",
        "array([ 9, 16])",
    ),
    "subtract": Description(
        "The difference of corresponding elements.",
        "P",
        "[10, 20], [1, 2]",
        "array([ 9, 18])",
    ),
    "tan": Description(
        "The tangent of angles in radians.",
        "F",
        "[0.0, 1.0]",
        "array([0.        , 1.55740772])",
    ),
    "tanh": Description(
        "The hyperbolic tangent of each element.",
        "F",
        "[0.0, 1.0]",
        "array([0.        , 0.76159416])",
    ),
    "trunc": Description(
        "Each element without its fraction.",
        "S",
        "[1.7, -1.7]",
        "array([ 1., -1.])",
    ),
}
