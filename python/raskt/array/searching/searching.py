"""Elements by what they are: positions, the largest, members, different ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from raskt._core import array_gather
from raskt.array.base.conversion import asarray
from raskt.array.base.out import write_out
from raskt.array.base.registry import is_array, wrap
from raskt.array.blocks.blockwise import contract
from raskt.array.blocks.map_blocks import elementwise, map_blocks
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
    axis = normalize_axis_index(axis, x.ndim)
    before = (slice(None),) * axis
    if len(mask) > x.shape[axis]:
        if is_array(condition) or np.any(np.asarray(condition)[x.shape[axis] :]):
            raise IndexError(f"a condition of length {len(mask)} is longer than axis {axis} of length {x.shape[axis]}")
        mask = mask[: x.shape[axis]]
    return x[(*before, slice(len(mask)))][(*before, mask)]


def extract(condition: Any, arr: Any) -> Array:
    """The elements, in C order, where ``condition`` holds."""
    return compress(asarray(condition).astype(bool).ravel(), asarray(arr).ravel())


def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Array:
    """The element of ``choices[a]`` in each place (by NumPy); a number without a choice is a ``ValueError``.

    ``mode`` is ``"raise"``, ``"wrap"`` or ``"clip"``.
    """
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    arrays = [asarray(choice) for choice in choices]
    dtype = np.result_type(*(array.dtype for array in arrays))

    def function(block: Any, *options: Any) -> Any:
        return np.choose(block, options, mode=mode)  # type: ignore[arg-type]

    found = elementwise(function, asarray(a), *arrays, name="numpy.choose", dtype=dtype)
    return found if out is None else write_out(found, out)


def isin(
    element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, kind: str | None = None
) -> Array:
    """Whether each element is among ``test_elements``, which are put in one block (by NumPy)."""
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    x, wanted = asarray(element), asarray(test_elements).ravel()
    if wanted.npartitions > 1 and not wanted.__raskt_expr__.is_known:
        wanted = wrap(array_gather(_joined, "numpy.concatenate", wanted.__raskt_expr__, wanted.dtype))

    def function(block: Any, tests: Any) -> Any:
        return np.isin(block, tests, assume_unique=assume_unique, invert=invert, kind=kind)  # type: ignore[arg-type]

    labels = [f"axis {axis}" for axis in range(x.ndim)]
    return contract(function, "numpy.isin", labels, [x, wanted], [labels, ["tests"]], bool)


def _joined(*blocks: Any) -> Any:
    return np.concatenate(blocks)


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


def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """The different elements, in order; how many shows when they are computed (by NumPy).

    Each block is reduced to its own different elements first. With the other arguments, the whole array is put in one
    block, and the result is a tuple; the inverse has the shape of the array.

    >>> import raskt.array as ra
    >>> ra.unique(ra.asarray([3, 1, 3])).compute()
    array([1, 3])
    """
    if axis is not None:
        raise NotImplementedError("unique along an axis is not implemented: compute the array first")
    x = asarray(ar)
    line = x.ravel()
    wanted = [True, return_index, return_inverse, return_counts]
    if not any(wanted[1:]):

        def of_block(block: Any) -> Any:
            return np.unique(block, equal_nan=equal_nan)

        def of_all(*blocks: Any) -> Any:
            return np.unique(np.concatenate(blocks), equal_nan=equal_nan)

        chunks = [(np.nan,) * line.npartitions]
        parts = map_blocks(of_block, line, name="numpy.unique", dtype=line.dtype, chunks=chunks)
        return wrap(array_gather(of_all, "numpy.unique", parts.__raskt_expr__, line.dtype))
    whole = line.rechunk(-1)
    results: list[Array] = []
    dtypes: list[Any] = [line.dtype, np.int64, np.int64, np.int64]
    for number, dtype in enumerate(dtypes):
        if wanted[number]:

            def pick(block: Any, at: int = sum(wanted[:number])) -> Any:
                options: Any = (return_index, return_inverse, return_counts)
                return np.unique(block, *options, equal_nan=equal_nan)[at].reshape(-1)

            length = line.shape if number == 2 else (np.nan,)
            found = map_blocks(pick, whole, name="numpy.unique", dtype=dtype, chunks=[length])
            results.append(found.reshape(x.shape) if number == 2 and x.ndim != 1 else found)
    return tuple(results)


def union1d(ar1: Any, ar2: Any) -> Array:
    """The different elements of two arrays, in order."""
    found: Array = unique(concatenate([asarray(ar1).ravel(), asarray(ar2).ravel()]))
    return found


def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Array, ...]:
    """The coordinates, in an array of ``shape``, of positions (by NumPy); those beyond are a ``ValueError``."""
    lengths = (int(shape),) if np.ndim(shape) == 0 else tuple(int(length) for length in shape)
    x = asarray(indices)
    np.unravel_index(np.zeros(0, x.dtype), lengths, order)  # type: ignore[call-overload]

    def coordinate(axis: int) -> Array:
        def unravel_index(block: Any) -> Any:
            return np.unravel_index(block, lengths, order)[axis]  # type: ignore[call-overload]

        return elementwise(unravel_index, x, name="numpy.unravel_index", dtype=np.intp)

    return tuple(coordinate(axis) for axis in range(len(lengths)))


def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> Array:
    """The positions, in an array of shape ``dims``, of coordinates (by NumPy); those beyond are a ``ValueError``."""
    arrays = [asarray(coordinates) for coordinates in multi_index]
    lengths = (int(dims),) if np.ndim(dims) == 0 else tuple(int(length) for length in dims)
    trial = tuple(np.zeros(0, array.dtype) for array in arrays)
    np.ravel_multi_index(trial, lengths, mode, order)  # type: ignore[call-overload]

    def ravel_multi_index(*blocks: Any) -> Any:
        return np.ravel_multi_index(blocks, lengths, mode, order)  # type: ignore[call-overload]

    return elementwise(ravel_multi_index, *arrays, name="numpy.ravel_multi_index", dtype=np.intp)


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
