"""Elements chosen by a condition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy as np

from raskt._core import array_where
from raskt.array.base.conversion import WEAK, asarray, operand_of
from raskt.array.base.documentation import documented
from raskt.array.base.lengths import lengths_of
from raskt.array.base.registry import is_array, wrap
from raskt.array.selection.nonzero import nonzero

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["where"]


@overload
def where(condition: Any, /) -> tuple[Array, ...]: ...
@overload
def where(condition: Any, x: Any, y: Any, /) -> Array: ...
@documented(
    "Of the type that NumPy promotes `x` and `y` to, of the broadcast shape; positions as `nonzero` gives them.",
    {"ValueError": "If one of `x` and `y` is given alone."},
    kind="Array or tuple of Array",
    condition="array_like of bool: Where to take elements of `x`.",
    x="array_like: Elements for where it holds.",
    y="array_like: Elements for where it does not.",
)
def where(condition: Any, x: Any = None, y: Any = None, /) -> Array | tuple[Array, ...]:
    """Elements of one array where a condition holds, and of another elsewhere.

    With the condition alone, the positions where it holds.

    >>> v = ra.arange(4, chunks=2)
    >>> ra.where(v > 1, v, -1).compute()
    array([-1, -1,  2,  3])
    """
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("where takes a condition alone, or a condition and two arrays")
    operands = [operand_of(operand) for operand in (condition, *_wrapped(x, y))]
    with lengths_of(*operands):
        return wrap(array_where(*operands))


def _wrapped(x: Any, y: Any) -> tuple[Any, Any]:
    """Both, of which one that is an integer of Python's own is one of the type of the result, as NumPy wraps it."""
    if int not in (type(x), type(y)):
        return x, y
    kinds = [type(one)(0) if type(one) in (bool, *WEAK) else _dtype(one) for one in (x, y)]
    dtype = np.result_type(*kinds)
    if dtype.kind not in "iu":
        return x, y
    first, second = (int(np.asarray(one).astype(dtype)) if type(one) is int else one for one in (x, y))
    return first, second


def _dtype(x: Any) -> np.dtype[Any]:
    return x.dtype if is_array(x) or isinstance(x, (np.ndarray, np.generic)) else asarray(x).dtype
