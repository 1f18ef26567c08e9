"""Products of matrices, and sums over diagonals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_dot, array_matmul, array_tensordot
from raskt.array.base.conversion import asarray
from raskt.array.base.out import write_out
from raskt.array.base.registry import wrap
from raskt.array.blocks.blockwise import contract
from raskt.array.linalg.matrices import diagonal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike

    from raskt.array._array import Array

__all__ = ["dot", "einsum", "matmul", "outer", "tensordot", "trace", "vdot"]


def matmul(x1: Any, x2: Any, out: Any = None) -> Array:
    """The product of matrices, or of stacks of them; vectors are rows on the left and columns on the right.

    >>> import raskt.array as ra
    >>> (ra.eye(3, chunks=2) @ ra.arange(3)).compute()
    array([0., 1., 2.])
    """
    result = wrap(array_matmul(asarray(x1).__raskt_expr__, asarray(x2).__raskt_expr__))
    if out is None:
        return result

    written: Array = write_out(result, out)
    return written


def dot(a: Any, b: Any) -> Array:
    """NumPy's dot product: of vectors a number, of matrices their product, with a number the multiple."""
    x, y = asarray(a), asarray(b)
    if not x.ndim or not y.ndim:
        return x * y
    return wrap(array_dot(x.__raskt_expr__, y.__raskt_expr__))


def vdot(a: Any, b: Any) -> Array:
    """The dot product of all elements in C order, those of ``a`` conjugated."""
    return dot(asarray(a).conj().ravel(), asarray(b).ravel())


def outer(a: Any, b: Any) -> Array:
    """Each element of ``a`` times each of ``b``, both in C order: a matrix.

    >>> import raskt.array as ra
    >>> ra.outer([1, 2], [3, 4]).compute()
    array([[3, 4],
           [6, 8]])
    """
    return asarray(a).reshape(-1, 1) * asarray(b).reshape(1, -1)


def tensordot(lhs: Any, rhs: Any, axes: Any = 2) -> Array:
    """The sum of products over pairs of axes: the last and first ``axes`` of them, or those in two lists."""
    x, y = asarray(lhs), asarray(rhs)
    if isinstance(axes, (int, np.integer)):
        if axes > min(x.ndim, y.ndim):
            raise ValueError(f"tensordot over {axes} axes needs arrays of as many, not of {x.ndim} and {y.ndim}")
        left, right = list(range(x.ndim - axes, x.ndim)), list(range(axes))
    else:
        left, right = ([int(side)] if np.ndim(side) == 0 else [int(axis) for axis in side] for side in axes)
    return wrap(array_tensordot(x.__raskt_expr__, y.__raskt_expr__, left, right))


def einsum(*operands: Any, dtype: DTypeLike | None = None, **kwargs: Any) -> Array:
    """Sums of products by Einstein's convention, with NumPy on each block.

    Summed axes are put in one block each. ``optimize`` is passed on; ``out`` is not taken.

    >>> import raskt.array as ra
    >>> ra.einsum("ij,j->i", ra.ones((2, 3)), ra.arange(3)).compute()
    array([3., 3.])
    """
    if not isinstance(operands[0], str):
        raise NotImplementedError("einsum takes a string of subscripts first")
    if kwargs.pop("out", None) is not None:
        raise NotImplementedError("einsum with `out` is not implemented")
    text, *arrays = operands
    inputs, output = _subscripts(text, [asarray(array) for array in arrays])
    if any(len(set(labels)) != len(labels) for labels in inputs):
        raise NotImplementedError("einsum over a diagonal (a repeated subscript of one operand) is not implemented")
    found = [asarray(array) for array in arrays]
    wanted: Any = np.result_type(*(array.dtype for array in found)) if dtype is None else np.dtype(dtype)
    subscripts = f"{','.join(inputs)}->{output}"

    def call(*blocks: Any) -> Any:
        return np.einsum(subscripts, *blocks, dtype=wanted, **kwargs)

    return contract(call, f"numpy.einsum({subscripts})", output, found, inputs, wanted)


def _subscripts(text: str, arrays: Sequence[Array]) -> tuple[list[str], str]:
    """The labels of each operand and of the result, with letters in place of dots."""
    text = text.replace(" ", "")
    left, arrow, right = text.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(arrays):
        raise ValueError(f"einsum `{text}` names {len(inputs)} operands, and {len(arrays)} were given")
    free = [letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" if letter not in text]
    spread = [
        max(array.ndim - len(labels) + 3, 0) if "..." in labels else 0
        for labels, array in zip(inputs, arrays, strict=True)
    ]
    dots = "".join(free[: max(spread, default=0)])
    inputs = [
        labels.replace("...", dots[len(dots) - extra :] if extra else "")
        for labels, extra in zip(inputs, spread, strict=True)
    ]
    for labels, array in zip(inputs, arrays, strict=True):
        if len(labels) != array.ndim:
            raise ValueError(f"einsum labels `{labels}` do not fit an operand of {array.ndim} axes")
    if arrow:
        return inputs, right.replace("...", dots)
    joined = "".join(inputs)
    once = sorted(letter for letter in set(joined) if joined.count(letter) == 1 and letter not in dots)
    return inputs, dots + "".join(once)


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike | None = None) -> Array:
    """The sum of a diagonal."""
    return diagonal(a, offset, axis1, axis2).sum(axis=-1, dtype=dtype)
