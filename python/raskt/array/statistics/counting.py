"""Elements counted by where they fall: histograms, numbers of bins, numbers of occurrences."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_gather
from raskt._errors import UnknownLengths, Unsupported
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.base.lengths import has_unknown, shapes_differ
from raskt.array.base.plain import held_copy
from raskt.array.base.registry import is_array, wrap
from raskt.array.blocks.blockwise import contract
from raskt.array.blocks.map_blocks import elementwise, map_blocks
from raskt.array.creation.constructors import zeros
from raskt.array.manipulation.joining import stack

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from raskt.array._array import Array

__all__ = ["bincount", "digitize", "histogram"]


@documented(
    "Of int64, of the array's shape and chunks.",
    {"ValueError": "If the edges neither rise nor fall; of lazy ones that shows when they are computed."},
    x="array_like: The elements.",
    bins="array_like: The edges of bins, rising or falling.",
    right="bool: Whether a bin has its right edge, and not its left one.",
)
def digitize(x: Any, bins: Any, right: bool = False) -> Array:
    """The number of the bin that each element falls in. NumPy looks in each block.

    >>> ra.digitize(ra.asarray([0.5, 2.5]), [1, 2, 3]).compute()
    array([0, 2])
    """
    array = asarray(x)
    trial = np.zeros((1,) * array.ndim, array.dtype)
    if not is_array(bins):
        edges = held_copy(bins)
        np.digitize(trial, edges, right)  # Edges that are in no order are told of here.
        return elementwise(lambda block: np.digitize(block, edges, right), array, name="numpy.digitize", dtype=np.int64)
    np.digitize(trial, np.zeros((1,) * bins.ndim, bins.dtype), right)
    labels = [f"axis {axis}" for axis in range(array.ndim)]

    def call(block: Any, edges: Any) -> Any:
        return np.digitize(block, edges, right)

    return contract(call, "numpy.digitize", labels, [array, bins], [labels, ["edges"]], np.int64)


@documented(
    "Of int64, or of the type of the weights; floating with `density`. The edges are a NumPy array if they are known "
    "at the call, else a lazy one.",
    {"ValueError": "If the edges don't rise, or the range is not finite; of what is lazy, when it is computed."},
    kind="Array, numpy.ndarray or Array",
    bins=(
        "int, array_like or str: How many bins there are in the range, or their edges, or how NumPy is to find their "
        "number, such as `auto`; then the array is put in one block."
    ),
    range="pair of float: The outer edges; the smallest and the largest element if not given.",
    density="bool: Whether the counts are scaled so that the integral is 1.",
)
def histogram(a: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None) -> Any:
    """How many elements fall in each bin, and the edges of the bins.

    >>> counts, edges = ra.histogram(ra.arange(10, chunks=4), bins=2, range=(0, 10))
    >>> counts.compute()
    array([5, 5])
    """
    x = asarray(a)
    x = x.astype(np.uint8) if x.dtype == bool else x
    if weights is not None and shapes_differ(asarray(weights).shape, x.shape):
        raise ValueError("weights should have the same shape as a.")
    if range is not None and (is_array(range) or any(map(is_array, range))):
        raise NotImplementedError("histogram takes `range` in memory: compute it first")
    range = None if range is None else tuple(range)
    lines = [x.ravel()] if weights is None else [x.ravel(), asarray(weights).ravel()]
    if weights is not None and lines[1].chunks != lines[0].chunks and not has_unknown(lines[0].shape):
        lines[1] = lines[1].rechunk(lines[0].chunks)
    if isinstance(bins, str):
        counts, edges = _in_found_bins(lines, bins, range)
    elif is_array(bins) or np.ndim(bins):
        counts, edges = _between_edges(lines, bins, range)
    else:
        counts, edges = _in_equal_bins(lines, bins, range)
    if density:
        wide = edges if is_array(edges) else np.asarray(edges)
        counts = counts / _widths(wide) / counts.sum()
    return counts, edges


def _widths(edges: Any) -> Array:
    """The widths of bins; edges whose number shows when they are computed are one block."""
    if not has_unknown(edges.shape):
        return asarray((edges[1:] - edges[:-1]).astype(float))
    return map_blocks(np.diff, edges, name="numpy.diff", dtype=edges.dtype, chunks=[(np.nan,)]).astype(float)


def _in_equal_bins(lines: Sequence[Array], bins: Any, range: Any) -> tuple[Array, Any]:
    """Counts in a number of bins of one width."""
    line = lines[0]
    try:
        number = operator.index(bins)
    except TypeError:
        raise TypeError("`bins` must be an integer, a string, or an array") from None
    trial = np.zeros(0 if line.shape == (0,) else 1, line.dtype)
    found = np.histogram_bin_edges(trial, number, range)  # What NumPy refuses is refused here.

    def counts_of(block: Any, weights: Any, ends: Any = range) -> Any:
        return np.histogram(block, number, ends, weights=weights)[0]

    if range is not None:
        return _count(lines, (), number, "numpy.histogram", counts_of), found
    if line.shape == (0,):
        return _count(lines, (), number, "numpy.histogram", lambda *parts: counts_of(*parts, (0, 1))), found
    ends = stack([line.min(), line.max()]).rechunk(-1)

    def edges_of(ends: Any) -> Any:
        return np.histogram_bin_edges(ends, number)

    edges = map_blocks(edges_of, ends, name="numpy.histogram_bin_edges", dtype=found.dtype, chunks=[(number + 1,)])

    def between(block: Any, weights: Any, ends: Any) -> Any:
        return counts_of(block, weights, (ends[0], ends[1]))

    return _count(lines, [ends], number, "numpy.histogram", between), edges


def _between_edges(lines: Sequence[Array], bins: Any, range: Any) -> tuple[Array, Any]:
    """Counts between edges that are given."""
    edges = bins if is_array(bins) else held_copy(bins)
    if edges.ndim != 1:
        raise ValueError("`bins` must be 1d, when an array")
    trial = np.zeros(2, edges.dtype) if is_array(edges) else edges
    np.histogram_bin_edges(np.zeros(1, lines[0].dtype), trial, range)  # What NumPy refuses is refused here.
    if edges.shape[0] != edges.shape[0]:
        raise UnknownLengths("histogram needs the number of edges: call `compute_chunk_sizes()` on `bins` first")
    shared = [edges] if is_array(edges) else []

    def counts_of(block: Any, weights: Any, given: Any = edges) -> Any:
        return np.histogram(block, given, weights=weights)[0]

    return _count(lines, shared, max(edges.shape[0] - 1, 0), "numpy.histogram", counts_of), edges


def _in_found_bins(lines: Sequence[Array], bins: str, range: Any) -> tuple[Array, Array]:
    """Counts in as many bins as NumPy finds fitting, of the line in one block."""
    if len(lines) > 1:
        raise TypeError("Automated estimation of the number of bins is not supported for weighted data")
    line = lines[0].rechunk(-1)
    # Nothing is in no order: NumPy takes complex numbers then.
    kind = np.histogram_bin_edges(np.zeros(0 if line.shape == (0,) else 1, line.dtype), bins, range).dtype

    def part(at: int, dtype: Any) -> Array:
        def call(block: Any) -> Any:
            return np.histogram(block, bins, range)[at]

        return map_blocks(call, line, name="numpy.histogram", dtype=dtype, chunks=[(np.nan,)])

    return part(0, np.int64), part(1, kind)


def _count(
    lines: Sequence[Array], shared: Sequence[Array], bins: int, name: str, function: Callable[..., Any]
) -> Array:
    """Counts of each block, a row for each, natively summed. `shared` lines come whole to every block."""
    number = len(lines)
    dtype = np.dtype(np.int64) if number == 1 else lines[1].dtype

    def call(*blocks: Any) -> Any:
        own = [block.reshape(-1) for block in blocks]
        weights = own[1] if number > 1 else None
        return function(own[0], weights, *own[number:]).astype(dtype, copy=False)[None, :]

    columns = [line[:, None] for line in lines]
    wholes = [line.rechunk(-1)[None, :] for line in shared]
    rows = [(1,) * columns[0].numblocks[0], (bins,)]
    return map_blocks(call, *columns, *wholes, name=name, dtype=dtype, chunks=rows).sum(axis=0, dtype=dtype)


@documented(
    "Of int64, or of float64 with weights; of the length `minlength`, or, if that is not given, of one that is not "
    "known before it is computed.",
    {
        "ValueError": "If a number is negative, when it is computed.",
        "TypeError": "If elements are no whole numbers that int64 has.",
        "NotImplementedError": "If a number of a lazy array is as large as `minlength`, when it is computed.",
    },
    x="array_like of int: The numbers, along one axis.",
    minlength="int: The length of the result, where it must be known at the call.",
)
def bincount(x: Any, weights: Any = None, minlength: int = 0, split_every: Any = None) -> Array:
    """How often each whole number from zero appears.

    >>> ra.bincount(ra.asarray([0, 1, 1, 3]), minlength=4).compute()
    array([1, 2, 0, 1])
    """
    arrays = [asarray(x)] if weights is None else [asarray(x), asarray(weights)]
    trial = [
        np.zeros(tuple(1 if length != length else min(length, 1) for length in array.shape), array.dtype)
        for array in arrays
    ]
    np.bincount(*trial, minlength=minlength)  # type: ignore[call-overload]  # What NumPy refuses is refused here.
    if arrays[0].shape == (0,):
        return zeros(minlength, dtype=np.int64)  # NumPy doesn't look at the weights then.
    if weights is not None and shapes_differ(arrays[0].shape, arrays[1].shape):
        raise ValueError("The weights and list don't have the same length.")
    line = arrays[0].astype(np.int64)
    lines = [line] if weights is None else [line, arrays[1].astype(np.float64)]
    if weights is not None and lines[1].chunks != line.chunks and not has_unknown(line.shape):
        lines[1] = lines[1].rechunk(line.chunks)
    if minlength and not is_array(x) and np.size(x):
        # How many there are is known then, and may be more.
        minlength = max(operator.index(minlength), int(np.max(x)) + 1)
    if minlength:

        def bounded(block: Any, part: Any) -> Any:
            found = np.bincount(block, part, minlength)
            if len(found) > minlength:
                raise Unsupported(
                    f"bincount met the number {len(found) - 1}, and `minlength` is {minlength}: pass a larger one, or "
                    "none, so that the length is found when it is computed"
                )
            return found

        return _count(lines, (), minlength, "numpy.bincount", bounded)
    dtype = np.dtype(np.int64 if weights is None else np.float64)

    def of_block(block: Any, part: Any = None) -> Any:
        return np.bincount(block, part)

    lengths = [(np.nan,) * line.numblocks[0]]
    parts = map_blocks(of_block, *lines, name="numpy.bincount", dtype=dtype, chunks=lengths)
    return wrap(array_gather(_summed, "sum of counts", parts.__raskt_expr__, dtype))


def _summed(*counts: Any) -> Any:
    """Lines of different lengths added up, shorter ones as if zeros came after them."""
    total = np.zeros(max(map(len, counts)), counts[0].dtype)
    for line in counts:
        total[: len(line)] += line
    return total
