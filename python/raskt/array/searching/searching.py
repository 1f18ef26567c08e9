"""Elements by what they are: positions, the largest, members, different ones."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from raskt._core import array_gather
from raskt.array.base.conversion import asarray, common_type, in_type
from raskt.array.base.documentation import documented
from raskt.array.base.out import write_back, write_out
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


@documented(
    "Of the array's type; how many slices there are is not known before they are computed.",
    {"ValueError": "If the condition has not one axis."},
    condition="array_like of bool: Which slices stay.",
    axis="int: The axis; if not given, the array is flattened first.",
)
def compress(condition: Any, a: Any, axis: int | None = None, out: Any = None) -> Array:
    """The slices along an axis where a condition holds.

    >>> ra.compress([True, False, True], ra.arange(3)).compute()
    array([0, 2])
    """
    x = asarray(a)
    if axis is None or (not x.ndim and axis in (0, -1)):
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
    result = x[(*before, slice(len(mask)))][(*before, mask)]
    return result if out is None else write_back(result, out)


@documented(
    "Of the array's type, of one axis and a length that is not known before it is computed.",
    condition="array_like of bool: Which elements stay, in C order.",
)
def extract(condition: Any, arr: Any) -> Array:
    """The elements where a condition holds.

    >>> x = ra.arange(5, chunks=2)
    >>> ra.extract(x > 2, x).compute()
    array([3, 4])
    """
    return compress(asarray(condition).astype(bool).ravel(), asarray(arr).ravel())


@documented(
    "Of the type that NumPy promotes the choices to, of the broadcast shape.",
    {"ValueError": "If a number has no choice, and `mode` is `raise`."},
    a="array_like of int: The number of the choice for each element.",
    choices="sequence of array_like: The choices.",
    mode="str: What becomes of numbers without a choice: `raise`, `wrap` or `clip`.",
)
def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Array:
    """Elements of several arrays, picked by number.

    >>> ra.choose([0, 1, 0], [[1, 2, 3], [10, 20, 30]]).compute()
    array([ 1, 20,  3])
    """
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    choices = list(choices)
    dtype = common_type(choices)
    arrays = [in_type(choice, dtype) for choice in choices]

    def function(block: Any, *options: Any) -> Any:
        return np.choose(block, options, mode=mode)  # type: ignore[arg-type]

    found = elementwise(function, asarray(a), *arrays, name="numpy.choose", dtype=dtype)
    return found if out is None else write_out(found, out, "unsafe")


@documented(
    "Of bool, of the shape of `element`.",
    element="array_like: The elements.",
    test_elements="array_like: What they are looked for in; it is brought together in each block.",
    assume_unique="bool: Whether nothing is there twice, so that NumPy may be quicker.",
    invert="bool: Whether to tell which are not there.",
    kind="Array",
)
def isin(
    element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, kind: str | None = None
) -> Array:
    """Whether each element is among others.

    >>> ra.isin(ra.arange(4, chunks=2), [1, 3]).compute()
    array([False,  True, False,  True])
    """
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


@documented(
    "Of int64, of the shape of `v`.",
    {
        "ValueError": "If `a` has not one axis, or `side` is neither `left` nor `right`.",
        "NotImplementedError": "For `sorter`.",
    },
    a="array_like: The sorted line; it is brought together in one block.",
    v="array_like: What is looked for.",
    side="str: Before equal elements (`left`) or after them (`right`).",
    sorter="array_like of int: Refused: sort the line first.",
)
def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Array:
    """Where elements would go in a sorted line.

    >>> ra.searchsorted(ra.asarray([1, 3, 5]), [2, 5]).compute()
    array([1, 2])
    """
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


@documented(
    "Of the array's type, with `abs(k)` places along the axis, which is put in one block.",
    {"ValueError": "If there is no such axis."},
    k="int: How many; negative for the smallest.",
    axis="int: The axis along which it looks.",
)
def topk(a: Any, k: int, axis: int = -1, split_every: int | None = None) -> Array:
    """The largest elements along an axis, largest first; or the smallest, smallest first.

    >>> ra.topk(ra.asarray([5, 1, 3, 6]), 2).compute()
    array([6, 5])
    """

    def top(block: Any, at: int, count: int) -> Any:
        ordered = np.sort(block, axis=at)
        return _ends(ordered, at, count)

    return _top(top, "topk", a, k, axis, None)


@documented(
    "Of int64, with `abs(k)` places along the axis, which is put in one block.",
    {"ValueError": "If there is no such axis."},
    k="int: How many; negative for the smallest.",
    axis="int: The axis along which it looks.",
)
def argtopk(a: Any, k: int, axis: int = -1, split_every: int | None = None) -> Array:
    """The positions of the largest elements along an axis, of the largest first.

    >>> ra.argtopk(ra.asarray([5, 1, 3, 6]), 2).compute()
    array([3, 0])
    """

    def top(block: Any, at: int, count: int) -> Any:
        return _ends(np.argsort(block, axis=at, kind="stable"), at, count)

    return _top(top, "argtopk", a, k, axis, np.int64)


def _ends(ordered: Any, axis: int, count: int) -> Any:
    """The last elements from behind, or the first ones for a negative count."""
    found = np.flip(ordered, axis) if count > 0 else ordered
    return found.take(range(min(abs(count), ordered.shape[axis])), axis=axis)


def _top(function: Any, name: str, a: Any, k: int, axis: int, dtype: Any) -> Array:
    x = asarray(a)
    axis, k = normalize_axis_index(axis, x.ndim), operator.index(k)
    x = x.rechunk({axis: -1})
    count = min(abs(k), x.shape[axis])
    chunks = [(count,) if at == axis else lengths for at, lengths in enumerate(x.chunks)]
    return map_blocks(function, x, axis, k, name=f"numpy.{name}", dtype=dtype or x.dtype, chunks=chunks)


@documented(
    "The elements, of the array's type, in order and of a length that is not known before they are computed; with the "
    "other arguments a tuple, with positions, numbers and counts of int64.",
    {"NotImplementedError": "For `axis`."},
    kind="Array or tuple of Array",
    return_index="bool: Whether to tell where each first appears, in C order.",
    return_inverse="bool: Whether to tell which of them each element of the array is.",
    return_counts="bool: Whether to tell how often each appears.",
    axis="int: Refused: along which axis slices are compared.",
    sorted="bool: Whether they come in order; they always do.",
)
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
    """The different elements. Each block is reduced to its own first; other arguments put the array in one block.

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
            return _different(block, equal_nan)

        def of_all(*blocks: Any) -> Any:
            return _different(np.concatenate(blocks), equal_nan)

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


def _different(block: Any, equal_nan: bool) -> Any:
    """The different elements; of zeros of both signs the positive one, however the array is cut."""
    found = np.unique(block, equal_nan=equal_nan)
    if block.dtype.kind == "f" and (zeros := found == 0).any():
        found[zeros] = -0.0 if np.signbit(block[block == 0]).all() else 0.0
    return found


@documented(
    "Of the promoted type, in order, of a length that is not known before it is computed.",
    ar1="array_like: The one array.",
    ar2="array_like: The other array.",
)
def union1d(ar1: Any, ar2: Any) -> Array:
    """The different elements of two arrays.

    >>> ra.union1d([1, 2], [2, 3]).compute()
    array([1, 2, 3])
    """
    found: Array = unique(concatenate([ar1, ar2], axis=None))
    return found


@documented(
    "Of int64, an array for each axis of `shape`, in the shape of `indices`.",
    {"ValueError": "If a position is out of bounds, when it is computed."},
    kind="tuple of Array",
    indices="array_like of int: The positions.",
    shape="int or tuple of int: The lengths of the axes.",
    order="str: How positions are counted: `C`, with the last axis fastest, or `F`, with the first.",
)
def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Array, ...]:
    """The coordinates of positions in an array.

    >>> [x.compute() for x in ra.unravel_index(ra.asarray([1, 5]), (2, 3))]
    [array([0, 1]), array([1, 2])]
    """
    lengths = tuple(operator.index(length) for length in (shape if np.ndim(shape) else [shape]))
    x = asarray(indices)
    np.unravel_index(np.zeros(0, x.dtype), lengths, order)  # type: ignore[call-overload]

    def coordinate(axis: int) -> Array:
        def unravel_index(block: Any) -> Any:
            return np.unravel_index(block, lengths, order)[axis]  # type: ignore[call-overload]

        return elementwise(unravel_index, x, name="numpy.unravel_index", dtype=np.intp)

    return tuple(coordinate(axis) for axis in range(len(lengths)))


@documented(
    "Of int64, of the broadcast shape of the coordinates.",
    {"ValueError": "If coordinates are out of bounds, when they are computed."},
    multi_index="sequence of array_like of int: The coordinates, an array for each axis.",
    dims="tuple of int: The lengths of the axes.",
    mode="str: What becomes of coordinates out of bounds: `raise`, `wrap` or `clip`.",
    order="str: How positions are counted: `C`, with the last axis fastest, or `F`, with the first.",
)
def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> Array:
    """The positions of coordinates in an array.

    >>> ra.ravel_multi_index([ra.asarray([0, 1]), ra.asarray([1, 2])], (2, 3)).compute()
    array([1, 5])
    """
    arrays = [asarray(coordinates) for coordinates in multi_index]
    lengths = tuple(operator.index(length) for length in (dims if np.ndim(dims) else [dims]))
    trial = tuple(np.zeros(0, array.dtype) for array in arrays)
    np.ravel_multi_index(trial, lengths, mode, order)  # type: ignore[call-overload]

    def ravel_multi_index(*blocks: Any) -> Any:
        return np.ravel_multi_index(blocks, lengths, mode, order)  # type: ignore[call-overload]

    return elementwise(ravel_multi_index, *arrays, name="numpy.ravel_multi_index", dtype=np.intp)


@documented(
    "Of int64, rows and columns; their length is not known before they are computed.",
    kind="tuple of Array",
    n="int: How many rows there are.",
    m="int: How many columns there are; as many as rows if not given.",
)
def tril_indices(n: int, k: int = 0, m: int | None = None, chunks: Any = "auto") -> tuple[Array, ...]:
    """The positions at and below a diagonal of a matrix.

    >>> ra.stack(ra.tril_indices(2), axis=1).compute().tolist()
    [[0, 0], [1, 0], [1, 1]]
    """

    return nonzero(tri(n, m, k=k, dtype=bool, chunks=chunks))


@documented(
    "Of int64, rows and columns; their length is not known before they are computed.",
    kind="tuple of Array",
    n="int: How many rows there are.",
    m="int: How many columns there are; as many as rows if not given.",
)
def triu_indices(n: int, k: int = 0, m: int | None = None, chunks: Any = "auto") -> tuple[Array, ...]:
    """The positions at and above a diagonal of a matrix.

    >>> ra.stack(ra.triu_indices(2), axis=1).compute().tolist()
    [[0, 0], [0, 1], [1, 1]]
    """

    return nonzero(~tri(n, m, k=k - 1, dtype=bool, chunks=chunks))


@documented(
    "Of int64, rows and columns; their length is not known before they are computed.",
    {"ValueError": "If the array has not two axes."},
    kind="tuple of Array",
    arr="array_like: The matrix.",
)
def tril_indices_from(arr: Any, k: int = 0) -> tuple[Array, ...]:
    """The positions at and below a diagonal of a matrix that is given.

    >>> ra.stack(ra.tril_indices_from(ra.ones((2, 2))), axis=1).compute().tolist()
    [[0, 0], [1, 0], [1, 1]]
    """
    rows, columns = _matrix_shape(arr)
    return tril_indices(rows, k, columns)


@documented(
    "Of int64, rows and columns; their length is not known before they are computed.",
    {"ValueError": "If the array has not two axes."},
    kind="tuple of Array",
    arr="array_like: The matrix.",
)
def triu_indices_from(arr: Any, k: int = 0) -> tuple[Array, ...]:
    """The positions at and above a diagonal of a matrix that is given.

    >>> ra.stack(ra.triu_indices_from(ra.ones((2, 2))), axis=1).compute().tolist()
    [[0, 0], [0, 1], [1, 1]]
    """
    rows, columns = _matrix_shape(arr)
    return triu_indices(rows, k, columns)


def _matrix_shape(arr: Any) -> tuple[int, int]:
    x = asarray(arr)
    if x.ndim != 2:
        raise ValueError(f"a matrix has two axes, not {x.ndim}")
    return x.shape[0], x.shape[1]
