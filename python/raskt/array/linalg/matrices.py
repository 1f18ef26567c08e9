"""Diagonals and triangles of matrices, and matrices that have nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.lib.array_utils import normalize_axis_index

from raskt._core import array_tri
from raskt.array.base.arguments import check_like
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.base.registry import wrap
from raskt.array.base.settings import block_bytes
from raskt.array.creation.constructors import arange, zeros
from raskt.array.manipulation.padding import pad
from raskt.array.selection.where import where

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from raskt.array._array import Array

__all__ = ["diag", "diagonal", "tri", "tril", "triu"]


@documented(
    "Of the array's type, with the diagonal along a last axis in place of the two.",
    {"ValueError": "If there are no two axes, or they are the same."},
)
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """The elements of a diagonal.

    >>> ra.diagonal([[1, 2], [3, 4]]).compute()
    array([1, 4])
    """
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
    first, second = normalize_axis_index(axis1, x.ndim), normalize_axis_index(axis2, x.ndim)
    if first == second:
        raise ValueError("axis1 and axis2 cannot be the same")
    rest = [axis for axis in range(x.ndim) if axis not in (first, second)]
    return x.transpose([*rest, first, second])


@documented(
    "Of the array's type: a vector for a matrix, a matrix for a vector.",
    {"ValueError": "If there are neither one nor two axes."},
)
def diag(v: Any, k: int = 0) -> Array:
    """The diagonal of a matrix, or a matrix with a vector on its diagonal.

    >>> ra.diag([1, 2]).compute()
    array([[1, 0],
           [0, 2]])
    """
    x = asarray(v)
    if x.ndim == 2:
        return diagonal(x, k)
    if x.ndim != 1:
        raise ValueError(f"diag takes an array of one or two axes, not of {x.ndim}")

    before, after = max(k, 0), max(-k, 0)
    # The blocks are those of a matrix, and not as high as the vector is long.
    rows, columns = (arange(len(x), chunks=(lengths,)) for lengths in zeros((len(x), len(x)), x.dtype).chunks)
    matrix = where(rows[:, None] == columns, x, x.dtype.type(0))
    return pad(matrix, ((after, before), (before, after)), mode="constant") if k else matrix


@documented(
    "Of `dtype`, with `N` rows and `M` columns.",
    {"NotImplementedError": "For `like` of another class."},
    N="int: How many rows there are.",
    M="int: How many columns there are; as many as rows if not given.",
)
def tri(
    N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = float, *, like: Any = None, chunks: Any = "auto"
) -> Array:
    """A matrix with ones at and below a diagonal, and zeros above.

    >>> ra.tri(2).compute()
    array([[1., 0.],
           [1., 1.]])
    """
    check_like("tri", like)
    rows, columns = max(N, 0), max(N if M is None else M, 0)  # As NumPy, which makes no rows of fewer than none.
    k = max(-rows, min(k, columns))
    return wrap(array_tri((rows, columns), k, float if dtype is None else dtype, chunks, block_bytes()))


def _triangle(m: Any, k: int, upper: bool) -> Array:
    x = asarray(m)
    if not x.ndim:
        raise TypeError("a triangle needs an array of at least one axis")
    zero = x.dtype.type(0)
    # A vector is each row of a square matrix.
    rows, lines = (x.shape[-1], x.chunks[-1]) if x.ndim == 1 else (x.shape[-2], x.chunks[-2])
    below = tri(rows, x.shape[-1], k - 1 if upper else k, dtype=bool, chunks=(lines, x.chunks[-1]))
    return where(below, zero, x) if upper else where(below, x, zero)


@documented(
    "Of the array's type, shape and chunks.",
    {"TypeError": "If there are no axes."},
    m="array_like: The matrix, or a stack of matrices in the last two axes; a vector is each row of a square matrix.",
)
def tril(m: Any, k: int = 0) -> Array:
    """The array with zeros above a diagonal of its last two axes.

    >>> ra.tril([[1, 2], [3, 4]]).compute()
    array([[1, 0],
           [3, 4]])
    """
    return _triangle(m, k, upper=False)


@documented(
    "Of the array's type, shape and chunks.",
    {"TypeError": "If there are no axes."},
    m="array_like: The matrix, or a stack of matrices in the last two axes; a vector is each row of a square matrix.",
)
def triu(m: Any, k: int = 0) -> Array:
    """The array with zeros below a diagonal of its last two axes.

    >>> ra.triu([[1, 2], [3, 4]]).compute()
    array([[1, 2],
           [0, 4]])
    """
    return _triangle(m, k, upper=True)
