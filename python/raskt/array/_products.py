"""Products of matrices and sums over diagonals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_dot, array_matmul, array_tensordot, array_tri
from raskt.array._array import Array
from raskt.array._creation import arange, asarray
from raskt.array._elementwise import where
from raskt.array._settings import block_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike

__all__ = ["diag", "diagonal", "dot", "einsum", "matmul", "outer", "tensordot", "trace", "tri", "tril", "triu", "vdot"]


def matmul(x1: Any, x2: Any, out: Any = None) -> Array:
    """The product of matrices, or of stacks of them; vectors are rows on the left and columns on the right.

    >>> import raskt.array as ra
    >>> (ra.eye(3, chunks=2) @ ra.arange(3)).compute()
    array([0., 1., 2.])
    """
    result = Array(array_matmul(asarray(x1).__raskt_expr__, asarray(x2).__raskt_expr__))
    if out is None:
        return result
    from raskt.array._protocols import write_out

    written: Array = write_out(result, out)

    return written


def dot(a: Any, b: Any) -> Array:
    """NumPy's dot product: of vectors a number, of matrices their product, with a number the multiple."""
    x, y = asarray(a), asarray(b)
    if not x.ndim or not y.ndim:
        return x * y
    return Array(array_dot(x.__raskt_expr__, y.__raskt_expr__))


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
    return Array(array_tensordot(x.__raskt_expr__, y.__raskt_expr__, left, right))


def einsum(*operands: Any, dtype: DTypeLike | None = None, **kwargs: Any) -> Array:
    """Sums of products by Einstein's convention, with NumPy on each block.

    Summed axes are put in one block each. ``optimize`` is passed on; ``out`` is not taken.

    >>> import raskt.array as ra
    >>> ra.einsum("ij,j->i", ra.ones((2, 3)), ra.arange(3)).compute()
    array([3., 3.])
    """
    from raskt.array._contraction import contract

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


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """The elements of a diagonal, along a new last axis."""
    x = asarray(a)
    if x.ndim < 2:
        raise ValueError("a diagonal needs an array of at least two axes")
    x = _to_the_end(x, axis1, axis2)
    rows, columns = x.shape[-2:]
    length = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    if length == 0:
        return x[..., 0, :0] if rows else x[..., :0].reshape(*x.shape[:-2], 0)
    # The elements of a diagonal of a matrix stand `columns + 1` apart.
    first = -min(offset, 0) * columns + max(offset, 0)
    return x.reshape(*x.shape[:-2], rows * columns)[..., first :: columns + 1][..., :length]


def _to_the_end(x: Array, axis1: int, axis2: int) -> Array:
    first, second = axis1 % x.ndim, axis2 % x.ndim
    if first == second:
        raise ValueError(f"a diagonal needs two different axes, not {axis1} and {axis2}")
    rest = [axis for axis in range(x.ndim) if axis not in (first, second)]
    return x.transpose([*rest, first, second])


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike | None = None) -> Array:
    """The sum of a diagonal."""
    return diagonal(a, offset, axis1, axis2).sum(axis=-1, dtype=dtype)


def diag(v: Any, k: int = 0) -> Array:
    """The diagonal ``k`` of a matrix, or a matrix with ``v`` on its diagonal ``k``."""
    x = asarray(v)
    if x.ndim == 2:
        return diagonal(x, k)
    if x.ndim != 1:
        raise ValueError(f"diag takes an array of one or two axes, not of {x.ndim}")
    from raskt.array._joining import pad

    before, after = max(k, 0), max(-k, 0)
    matrix = where(arange(len(x))[:, None] == arange(len(x)), x, x.dtype.type(0))
    return pad(matrix, ((after, before), (before, after)), mode="constant") if k else matrix


def tri(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = float, chunks: Any = "auto") -> Array:
    """A matrix with ones at and below diagonal ``k``."""
    return Array(array_tri((N, N if M is None else M), k, float if dtype is None else dtype, chunks, block_bytes()))


def _triangle(m: Any, k: int, upper: bool) -> Array:
    x = asarray(m)
    if x.ndim < 2:
        raise ValueError(f"a triangle needs an array of at least two axes, not of {x.ndim}")
    zero = x.dtype.type(0)
    below = tri(x.shape[-2], x.shape[-1], k - 1 if upper else k, dtype=bool, chunks=x.chunks[-2:])
    return where(below, zero, x) if upper else where(below, x, zero)


def tril(m: Any, k: int = 0) -> Array:
    """The array with zeros above diagonal ``k`` of its last two axes."""
    return _triangle(m, k, upper=False)


def triu(m: Any, k: int = 0) -> Array:
    """The array with zeros below diagonal ``k`` of its last two axes."""
    return _triangle(m, k, upper=True)
