"""Every ufunc and operator over all data types, pairs of them, and scalars of every kind and size."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import raskt.array as ra

from .array_data import DTYPES, NUMBERS
from .case import Case, Cases

# The engine and NumPy have exponentials and the like from libraries of their own: the last bits may differ.
ROUGH = set(
    "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh cbrt "
    "arctan2 hypot logaddexp logaddexp2 power float_power square reciprocal divide true_divide sqrt absolute "
    "abs multiply "
    "pow truediv mul sign angle acos acosh asin asinh atan atan2 atanh".split()
)
EXACT_UNLESS_COMPLEX = set("square reciprocal divide true_divide sqrt multiply truediv mul absolute abs sign".split())
LAST_BITS = 4e-15

UNARY = sorted(
    name
    for name in dir(np)
    if isinstance(getattr(np, name), np.ufunc) and getattr(np, name).nin == 1 and hasattr(ra, name)
)
BINARY = sorted(
    name
    for name in dir(np)
    if isinstance(getattr(np, name), np.ufunc) and getattr(np, name).nin == 2 and hasattr(ra, name)
)
OTHER_UNARY = ["real", "imag", "angle", "conj", "iscomplex", "isreal", "isneginf", "isposinf", "nan_to_num", "sinc",
    "i0", "fix", "round", "around", "copy", "isnull", "notnull",]  # fmt: skip
OPERATORS: dict[str, Callable[..., Any]] = {
    name: getattr(operator, name)
    for name in "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift eq ne lt le gt ge".split()
} | {"divmod": divmod}
UNARY_OPERATORS: dict[str, Callable[..., Any]] = {
    "neg": operator.neg,
    "pos": operator.pos,
    "invert": operator.invert,
    "abs": abs,
}
SCALARS: list[Any] = [True, 0, 1, -1, 2, 7, 300, 70_000, 2**40, -(2**40), 2**63, 2**70, 0.5, -1.5, 3.0, 1e300,
    float("nan"), float("inf"), 1j, 2 - 3j, np.bool_(True), np.int8(5), np.int16(-300), np.int64(-3), np.uint8(200),
    np.uint64(2**63 + 1), np.float16(0.5), np.float32(0.1), np.float64(1.5), np.complex64(1j), np.array(3, "int16"),
    np.array(2.5, "float32"),]  # fmt: skip


def tolerance(name: str, *dtypes: str) -> float:
    """How far results may be apart: nothing where IEEE says what comes out."""
    if name not in ROUGH:
        return 0.0
    is_complex = any("complex" in dtype for dtype in dtypes)
    if name in EXACT_UNLESS_COMPLEX:
        return LAST_BITS if is_complex else 0.0
    # A complex power goes by the logarithm, whose last bits grow with the exponent.
    return 300 * LAST_BITS if is_complex and "pow" in name else LAST_BITS


def unary() -> Cases:
    for name, dtype, words in itertools.product(UNARY + OTHER_UNARY, DTYPES, ("", "|plain", "|2d", "|0d", "|empty")):
        if hasattr(ra, name) and hasattr(np, name):
            yield _case(name, (dtype,), words[1:], partial(_function, name), (dtype + words,))
    for (name, function), dtype in itertools.product(UNARY_OPERATORS.items(), DTYPES):
        yield _case(name, (dtype,), "operator", partial(_operator, function), (dtype,))


def binary() -> Cases:
    for name, left, right, words in itertools.product(BINARY, NUMBERS, NUMBERS, ("", "|plain")):
        yield _case(name, (left, right), words[1:], partial(_function, name), (left + words, right + words + "|roll"))
    for name, left, right in itertools.product(BINARY, NUMBERS, NUMBERS):
        yield _case(name, (left, right), "0d", partial(_function, name), (left + "|plain", right + "|0d|plain"))
        yield _case(name, (left, right), "shapes", partial(_function, name), (left + "|2d|plain", right + "|one|plain"))
    for (name, function), left, right in itertools.product(OPERATORS.items(), DTYPES, DTYPES):
        if name in ("pow", "lshift") and "object" in (left, right):
            continue  # Python's own integers grow until memory or the day ends
        yield _case(
            name, (left, right), "operator", partial(_operator, function), (left + "|plain", right + "|roll|plain")
        )


def scalars() -> Cases:
    for (name, function), dtype, scalar in itertools.product(OPERATORS.items(), NUMBERS, SCALARS):
        for words in ("", "|plain"):
            text = f"{type(scalar).__name__} {scalar!r}{words}"
            inputs = (dtype + words,)
            yield _case(name, (dtype,), f"x, {text}", partial(_right, function, scalar), inputs)
            yield _case(name, (dtype,), f"{text}, x", partial(_left, function, scalar), inputs)
    for name, dtype, scalar in itertools.product(BINARY, NUMBERS, SCALARS):
        text = f"{type(scalar).__name__} {scalar!r}"
        yield _case(name, (dtype,), f"ufunc, {text}", partial(_ufunc_right, name, scalar), (dtype + "|plain",))


def _case(
    name: str, dtypes: tuple[str, ...], arguments: str, call: Callable[..., Any], inputs: tuple[str, ...]
) -> Case:
    rough = tolerance(name, *dtypes, *(("complex",) if "complex" in arguments or "j" in arguments else ()))
    return Case("arrays.operators", name, " ".join(dtypes), arguments, call, inputs, rough)


def _function(name: str, library: Any, *arrays: Any) -> Any:
    return getattr(library, name)(*arrays)


def _operator(function: Callable[..., Any], library: Any, *arrays: Any) -> Any:
    return function(*arrays)


def _right(function: Callable[..., Any], scalar: Any, library: Any, x: Any) -> Any:
    return function(x, scalar)


def _left(function: Callable[..., Any], scalar: Any, library: Any, x: Any) -> Any:
    return function(scalar, x)


def _ufunc_right(name: str, scalar: Any, library: Any, x: Any) -> Any:
    return getattr(library, name)(x, scalar)
