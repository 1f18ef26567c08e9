"""Operands that are no arrays, numbers or lists of numbers: Python's operators meet them by NumPy's rule.

NumPy leaves an operation to classes that have its protocols; of everything else it makes an array, if need be of
objects. Lazy arrays hold none, so that such an operand is refused, but for the equality of each element with it.
"""

from __future__ import annotations

import numbers
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import Delayed, Lazy
from raskt._errors import Unsupported
from raskt.array.base.binary import binary
from raskt.array.base.registry import wrap
from raskt.array.blocks.map_blocks import map_blocks

if TYPE_CHECKING:
    from raskt._core import ArrayExpr
    from raskt.array._array import Array

__all__ = ["with_foreign"]

_EQUALITIES = {"equal": operator.eq, "not_equal": operator.ne}

#: What Python calls of the right operand where the left one can't answer.
_REFLECTED = {
    "add": "radd",
    "subtract": "rsub",
    "multiply": "rmul",
    "divide": "rtruediv",
    "floor_divide": "rfloordiv",
    "remainder": "rmod",
    "power": "rpow",
    "bitwise_and": "rand",
    "bitwise_or": "ror",
    "bitwise_xor": "rxor",
    "left_shift": "rlshift",
    "right_shift": "rrshift",
    "less": "gt",
    "less_equal": "ge",
    "greater": "lt",
    "greater_equal": "le",
    "equal": "eq",
    "not_equal": "ne",
}


def with_foreign(name: str, array: Array, other: Any, is_left: bool = True) -> Any:
    """The expression of ufunc `name`, or ``NotImplemented`` if the class of `other` may know better.

    `is_left` says that the array is the left operand, so that Python would ask that class next.
    """
    if _knows_arrays(other):
        return NotImplemented
    found = np.asarray(other)
    if found.dtype.kind in "biufc":
        return binary(name, *((array.__raskt_expr__, found) if is_left else (found, array.__raskt_expr__)))
    if name in _EQUALITIES and not found.ndim:
        return _compared(array, other, name)
    if is_left and _has_own(other, f"__{_REFLECTED[name]}__"):
        return NotImplemented
    kind = type(other).__name__
    raise Unsupported(f"`{name}` of an array and a {kind} is not implemented: convert it to an array of numbers first")


def _knows_arrays(other: Any) -> bool:
    """Whether NumPy would leave the operation to the operand's class, or it is lazy itself."""
    kind = type(other)
    lazy = isinstance(other, (Lazy, Delayed)) or hasattr(kind, "to_raskt_array")
    return lazy or hasattr(kind, "__array_ufunc__") or getattr(kind, "__array_priority__", 0) > 11


def _has_own(other: Any, method: str) -> bool:
    if isinstance(other, (numbers.Number, str, bytes)):
        return False
    return getattr(type(other), method, None) is not getattr(object, method, None)


def _compared(array: Array, other: Any, name: str) -> ArrayExpr:
    """The elements compared with one object, as NumPy does it in each block."""
    compare = _EQUALITIES[name]

    def compared(block: Any) -> Any:
        return np.broadcast_to(np.asarray(compare(block, other), dtype=bool), block.shape)

    return map_blocks(compared, wrap(array.__raskt_expr__), name=name, dtype=bool).__raskt_expr__
