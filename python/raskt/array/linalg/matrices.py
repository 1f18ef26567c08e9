"""Diagonals and triangles of matrices, and matrices that have nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from raskt._core import array_tri
from raskt.array.base.conversion import asarray
from raskt.array.base.registry import wrap
from raskt.array.base.settings import block_bytes
from raskt.array.creation.constructors import arange
from raskt.array.manipulation.padding import pad
from raskt.array.selection.where import where

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from raskt.array._array import Array

__all__ = ["diag", "diagonal", "tri", "tril", "triu"]


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


def diag(v: Any, k: int = 0) -> Array:
    """The diagonal ``k`` of a matrix, or a matrix with ``v`` on its diagonal ``k``."""
    x = asarray(v)
    if x.ndim == 2:
        return diagonal(x, k)
    if x.ndim != 1:
        raise ValueError(f"diag takes an array of one or two axes, not of {x.ndim}")

    before, after = max(k, 0), max(-k, 0)
    matrix = where(arange(len(x))[:, None] == arange(len(x)), x, x.dtype.type(0))
    return pad(matrix, ((after, before), (before, after)), mode="constant") if k else matrix


def tri(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = float, chunks: Any = "auto") -> Array:
    """A matrix with ones at and below diagonal ``k``."""
    return wrap(array_tri((N, N if M is None else M), k, float if dtype is None else dtype, chunks, block_bytes()))


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
