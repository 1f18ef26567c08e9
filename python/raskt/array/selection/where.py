"""Elements chosen by a condition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from raskt._core import array_where
from raskt.array.base.conversion import operand_of
from raskt.array.base.registry import wrap
from raskt.array.selection.nonzero import nonzero

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["where"]


@overload
def where(condition: Any) -> tuple[Array, ...]: ...
@overload
def where(condition: Any, x: Any, y: Any) -> Array: ...
def where(condition: Any, x: Any = None, y: Any = None) -> Array | tuple[Array, ...]:
    """Elements of ``x`` where ``condition`` holds and of ``y`` elsewhere, all broadcast.

    With the condition alone, the positions where it holds, as :func:`nonzero` gives them.

    >>> import raskt.array as ra
    >>> v = ra.arange(4, chunks=2)
    >>> ra.where(v > 1, v, -1).compute()
    array([-1, -1,  2,  3])
    """
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("where takes a condition alone, or a condition and two arrays")
    return wrap(array_where(operand_of(condition), operand_of(x), operand_of(y)))
