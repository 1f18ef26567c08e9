"""Functions of two operands, one of which may be a number of Python's own that no type of 64 bits holds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from raskt._core import ArrayExpr, array_astype, array_binary, array_unary
from raskt._errors import TooLarge
from raskt.array.base.lengths import of_lengths

__all__ = ["binary"]

_COMPARISONS = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}
_FLOATING = {"divide", "true_divide", "float_power"}


def binary(name: str, x: Any, y: Any) -> ArrayExpr | None:
    """The expression of ufunc `name`, or None if an operand is of an unknown type."""
    if name == "power" and _is_root(x, y):
        return array_unary("sqrt", array_astype(x, np.result_type(x.dtype, y.dtype)))
    if name == "float_power":
        # Numbers of Python's own take the type that is computed in, and not that of the array.
        x, y = (_widened(operand) for operand in (x, y))
    try:
        return array_binary(name, x, y)
    except TooLarge:
        operands = x, y
        sizes = [operand for operand in operands if type(operand) is int]
        kinds = [operand.dtype.kind for operand in operands if isinstance(operand, ArrayExpr)]
        if len(sizes) != 1 or not kinds or -(2**63) <= sizes[0] < 2**64:
            raise
        number = _as_float(name, sizes[0], kinds[0])
        if number is None:
            raise
    except ValueError as error:
        if (told := of_lengths(error, x, y)) is error:
            raise
        raise told from None
    return array_binary(name, *(number if type(operand) is int else operand for operand in operands))


def _widened(operand: Any) -> Any:
    """An expression in the type that `float_power` computes in."""
    if not isinstance(operand, ArrayExpr) or operand.dtype.kind not in "fc":
        return operand
    return array_astype(operand, np.complex128 if operand.dtype.kind == "c" else np.float64)


def _is_root(x: Any, y: Any) -> bool:
    """Whether it is a real number to the power of 0.5, for which NumPy takes the square root.

    Of negative infinity and zero that is another number. The engine knows it of Python's own 0.5.
    """
    if not isinstance(y, (np.floating, np.ndarray)) or np.ndim(y) or not isinstance(x, ArrayExpr):
        return False
    return x.dtype.kind == "f" and y.dtype.kind == "f" and y.dtype.itemsize <= 8 and bool(y == 0.5)


def _as_float(name: str, number: int, kind: str) -> float | None:
    """What NumPy computes with in place of the integer: beside integers only where the result isn't one."""
    if (kind in "fc" and not name.startswith("logical_")) or name in _FLOATING:
        return float(number)
    return math.copysign(math.inf, number) if name in _COMPARISONS and kind in "iu" else None
