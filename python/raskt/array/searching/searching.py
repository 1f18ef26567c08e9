"""Elements by what they are: positions, the largest, members, different ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_gather
from raskt.array.base.conversion import asarray
from raskt.array.base.registry import is_array, wrap
from raskt.array.blocks.blockwise import contract
from raskt.array.blocks.map_blocks import elementwise, map_blocks
from raskt.array.elementwise.conditional import select
from raskt.array.linalg.matrices import tri
from raskt.array.manipulation.joining import concatenate
from raskt.array.selection.nonzero import nonzero

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = [
    "argtopk",
    "choose",
    "compress",
    "extract",
    "isin",
    "ravel_multi_index",
    "searchsorted",
    "topk",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
    "union1d",
    "unique",
    "unravel_index",
]


def compress(condition: Any, a: Any, axis: int | None = None) -> Array:
    """The slices along ``axis`` where ``condition`` holds."""
    x = asarray(a)
    if axis is None:
        x, axis = x.ravel(), 0
    mask = asarray(condition).astype(bool)
    if mask.ndim != 1:
        raise ValueError(f"compress takes a condition of one axis, not of {mask.ndim}")
    axis %= x.ndim
    before = (slice(None),) * axis
    return x[(*before, slice(len(mask)))][(*before, mask)]


def extract(condition: Any, arr: Any) -> Array:
    """The elements, in C order, where ``condition`` holds."""
    return compress(asarray(condition).astype(bool).ravel(), asarray(arr).ravel())


def choose(a: Any, choices: Any) -> Array:
    """The element of ``choices[a]`` in each place."""
    numbers = asarray(a)
    return select([numbers == number for number in range(len(choices))], list(choices))


def isin(element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False) -> Array:
    """Whether each element is among ``test_elements``, which are few enough to be held in memory (by NumPy)."""
    if is_array(test_elements):
        raise NotImplementedError("isin takes test elements in memory: compute them first")
    wanted = np.asarray(test_elements)
    return elementwise(
        lambda block: np.isin(block, wanted, assume_unique=assume_unique, invert=invert),
        asarray(element),
        name="numpy.isin",
        dtype=bool,
    )


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Array:
    """Where each element of ``v`` would go in the sorted ``a``, which is held in memory (by NumPy)."""
    if sorter is not None:
        raise NotImplementedError("searchsorted with `sorter` is not implemented")
    if side not in ("left", "right"):
        raise ValueError(f"side must be `left` or `right`, not {side!r}")
    line, values = asarray(a), asarray(v)
    if line.ndim != 1:
        raise ValueError(f"searchsorted takes a sorted array of one axis, not of {line.ndim}")

    labels = list(range(1, values.ndim + 1))

    def call(sorted_line: Any, block: Any) -> Any:
        return np.searchsorted(sorted_line, block, side=side)  # type: ignore[call-overload]

    return contract(call, "numpy.searchsorted", labels, [line, values], [[0], labels], np.int64)


def topk(a: Any, k: int, axis: int = -1, split_every: int | None = None) -> Array:
    """The ``k`` largest elements along ``axis``, largest first; for a negative ``k`` the smallest, smallest first.

    >>> import raskt.array as ra
    >>> ra.topk(ra.asarray([5, 1, 3, 6]), 2).compute()
    array([6, 5])
    """

    def top(block: Any, at: int, count: int) -> Any:
        ordered = np.sort(block, axis=at)
        return _ends(ordered, at, count)

    return _top(top, "topk", a, k, axis, None)


def argtopk(a: Any, k: int, axis: int = -1, split_every: int | None = None) -> Array:
    """The positions of the ``k`` largest elements along ``axis``; of the smallest for a negative ``k``."""

    def top(block: Any, at: int, count: int) -> Any:
        return _ends(np.argsort(block, axis=at, kind="stable"), at, count)

    return _top(top, "argtopk", a, k, axis, np.int64)


def _ends(ordered: Any, axis: int, count: int) -> Any:
    """The last elements from behind, or the first ones for a negative count."""
    found = np.flip(ordered, axis) if count > 0 else ordered
    return found.take(range(min(abs(count), ordered.shape[axis])), axis=axis)


def _top(function: Any, name: str, a: Any, k: int, axis: int, dtype: Any) -> Array:
    x = asarray(a)
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"axis {axis} is out of bounds for an array of {x.ndim} axes")
    axis %= x.ndim
    x = x.rechunk({axis: -1})
    count = min(abs(k), x.shape[axis])
    chunks = [(count,) if at == axis else lengths for at, lengths in enumerate(x.chunks)]
    return map_blocks(function, x, axis, k, name=f"numpy.{name}", dtype=dtype or x.dtype, chunks=chunks)


def unique(ar: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The different elements, in order; how many shows when they are computed (by NumPy).

    Each block is reduced to its own different elements first. With the other arguments, the whole array is put in one
    block, and the result is a tuple.

    >>> import raskt.array as ra
    >>> ra.unique(ra.asarray([3, 1, 3])).compute()
    array([1, 3])
    """
    line = asarray(ar).ravel()
    wanted = [True, return_index, return_inverse, return_counts]
    if not any(wanted[1:]):
        parts = map_blocks(
            np.unique, line, name="numpy.unique", dtype=line.dtype, chunks=[(np.nan,) * line.npartitions]
        )
        return wrap(array_gather(_unique_of_all, "numpy.unique", parts.__raskt_expr__, line.dtype))
    whole = line.rechunk(-1)
    results: list[Array] = []
    dtypes: list[Any] = [line.dtype, np.int64, np.int64, np.int64]
    for number, dtype in enumerate(dtypes):
        if wanted[number]:

            def pick(block: Any, at: int = sum(wanted[:number])) -> Any:
                return np.unique(block, return_index, return_inverse, return_counts)[at].reshape(-1)  # type: ignore[call-overload]

            length = line.shape if number == 2 else (np.nan,)
            results.append(map_blocks(pick, whole, name="numpy.unique", dtype=dtype, chunks=[length]))
    return tuple(results)


def _unique_of_all(*blocks: Any) -> Any:
    return np.unique(np.concatenate(blocks))


def union1d(ar1: Any, ar2: Any) -> Array:
    """The different elements of two arrays, in order."""
    found: Array = unique(concatenate([asarray(ar1).ravel(), asarray(ar2).ravel()]))
    return found


def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Array, ...]:
    """The coordinates, in an array of ``shape``, of positions in C order."""
    if order != "C":
        raise NotImplementedError("unravel_index in Fortran order is not implemented")
    rest = asarray(indices)
    found = []
    for length in reversed(shape if np.ndim(shape) else (shape,)):
        found.append(rest % length)
        rest = rest // length
    return tuple(reversed(found))


def ravel_multi_index(multi_index: Any, dims: Any, mode: str = "raise", order: str = "C") -> Array:
    """The positions in C order, in an array of shape ``dims``, of coordinates."""
    if mode != "raise" or order != "C":
        raise NotImplementedError("ravel_multi_index takes no `mode` and `order` but NumPy's defaults")
    found = asarray(multi_index[0])
    for coordinates, length in zip(list(multi_index)[1:], list(dims)[1:], strict=True):
        found = found * length + asarray(coordinates)
    return found


def tril_indices(n: int, k: int = 0, m: int | None = None, chunks: Any = "auto") -> tuple[Array, ...]:
    """The positions at and below diagonal ``k`` of a matrix of ``n`` rows and ``m`` columns."""

    return nonzero(tri(n, m, k=k, dtype=bool, chunks=chunks))


def triu_indices(n: int, k: int = 0, m: int | None = None, chunks: Any = "auto") -> tuple[Array, ...]:
    """The positions at and above diagonal ``k`` of a matrix of ``n`` rows and ``m`` columns."""

    return nonzero(~tri(n, m, k=k - 1, dtype=bool, chunks=chunks))


def tril_indices_from(arr: Any, k: int = 0) -> tuple[Array, ...]:
    """The positions at and below diagonal ``k`` of a matrix."""
    rows, columns = _matrix_shape(arr)
    return tril_indices(rows, k, columns)


def triu_indices_from(arr: Any, k: int = 0) -> tuple[Array, ...]:
    """The positions at and above diagonal ``k`` of a matrix."""
    rows, columns = _matrix_shape(arr)
    return triu_indices(rows, k, columns)


def _matrix_shape(arr: Any) -> tuple[int, int]:
    x = asarray(arr)
    if x.ndim != 2:
        raise ValueError(f"a matrix has two axes, not {x.ndim}")
    return x.shape[0], x.shape[1]
