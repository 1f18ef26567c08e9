"""Axes moved, added, dropped and turned."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from raskt._core import (
    array_broadcast_to,
    array_expand_dims,
    array_flip,
    array_moveaxis,
    array_squeeze,
    array_swapaxes,
    array_take,
    array_transpose,
)
from raskt._errors import UnknownLengths
from raskt.array.base.arguments import check_meta
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.base.lengths import lengths_of
from raskt.array.base.out import write_back
from raskt.array.base.registry import is_array, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from raskt.array._array import Array

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_to",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "matrix_transpose",
    "moveaxis",
    "permute_dims",
    "rollaxis",
    "rot90",
    "squeeze",
    "swapaxes",
    "take",
    "transpose",
]

_SAME = "Of the array's type; the blocks are those of the array."
_AXIS_ERROR = {"AxisError": "If there is no such axis."}


def _at_least(arrays: Sequence[Any], axes: Any) -> Any:
    """Arrays with new axes, whose places depend on how many axes there are."""
    found = tuple(expand_dims(x, axes[x.ndim]) if x.ndim < len(axes) else x for x in map(asarray, arrays))
    return found[0] if len(found) == 1 else found


@documented(_SAME, kind="Array or tuple of Array")
def atleast_1d(*arys: Any) -> Any:
    """Arrays with at least one axis.

    >>> ra.atleast_1d(3).shape
    (1,)
    """
    return _at_least(arys, [0])


@documented(_SAME, kind="Array or tuple of Array")
def atleast_2d(*arys: Any) -> Any:
    """Arrays with at least two axes; new ones come first.

    >>> ra.atleast_2d([1, 2, 3]).shape
    (1, 3)
    """
    return _at_least(arys, [(0, 1), 0])


@documented(_SAME, kind="Array or tuple of Array")
def atleast_3d(*arys: Any) -> Any:
    """Arrays with at least three axes; a vector becomes ``(1, n, 1)``, a matrix ``(m, n, 1)``.

    >>> ra.atleast_3d([1, 2, 3]).shape
    (1, 3, 1)
    """
    return _at_least(arys, [(0, 1, 2), (0, 2), 2])


@documented(
    _SAME,
    {"ValueError": "If `axes` isn't a permutation of the axes."},
    axes="tuple of int: The axes in their new order; reversed if not given.",
)
def transpose(a: Any, axes: Sequence[int] | None = None) -> Array:
    """The axes in another order.

    >>> ra.transpose(ra.ones((2, 3, 4)), (1, 0, 2)).shape
    (3, 2, 4)
    """
    order = None if axes is None else [operator.index(axis) for axis in (axes if np.ndim(axes) else [axes])]
    return wrap(array_transpose(asarray(a).__raskt_expr__, order))


permute_dims = transpose


@documented(_SAME, {"ValueError": "If there are no two axes."}, x="array_like: A matrix, or a stack of them.")
def matrix_transpose(x: Any, /) -> Array:
    """Matrices in the last two axes, transposed.

    >>> ra.matrix_transpose(ra.ones((2, 3, 4))).shape
    (2, 4, 3)
    """
    array = asarray(x)
    if array.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {array.ndim}")
    return swapaxes(array, -1, -2)


@documented(_SAME, _AXIS_ERROR, axis1="int: The one axis.", axis2="int: The other axis.")
def swapaxes(a: Any, axis1: int, axis2: int) -> Array:
    """Two axes swapped.

    >>> ra.swapaxes(ra.ones((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    return wrap(array_swapaxes(asarray(a).__raskt_expr__, axis1, axis2))


@documented(
    _SAME,
    _AXIS_ERROR,
    source="int or sequence of int: The axes that move.",
    destination="int or sequence of int: Where they go; the others keep their order.",
)
def moveaxis(a: Any, source: int | Sequence[int], destination: int | Sequence[int]) -> Array:
    """Axes moved to other places.

    >>> ra.moveaxis(ra.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    return wrap(array_moveaxis(asarray(a).__raskt_expr__, source, destination))


@documented(
    _SAME,
    _AXIS_ERROR,
    axis="int: The axis that moves.",
    start="int: The axis that it stands before afterwards.",
)
def rollaxis(a: Any, axis: int, start: int = 0) -> Array:
    """An axis moved back until it stands before another one.

    >>> ra.rollaxis(ra.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    x = asarray(a)
    if not -x.ndim <= axis < x.ndim:
        raise np.exceptions.AxisError(axis, x.ndim)
    if not -x.ndim <= start <= x.ndim:
        raise np.exceptions.AxisError(
            f"'start' arg requires {-x.ndim} <= start < {x.ndim + 1}, but {start} was passed in"
        )
    axis, start = axis % x.ndim, start + x.ndim if start < 0 else start
    return moveaxis(x, axis, start - 1 if axis < start else start)


@documented(_SAME, _AXIS_ERROR, axis="int or tuple of int: Where new axes stand in the result.")
def expand_dims(a: Any, axis: int | Sequence[int]) -> Array:
    """New axes of length 1.

    >>> ra.expand_dims(ra.ones(3), 0).shape
    (1, 3)
    """
    return wrap(array_expand_dims(asarray(a).__raskt_expr__, axis))


@documented(
    _SAME,
    {
        "ValueError": "If an axis in `axis` is longer than 1.",
        "NotImplementedError": "If the length of such an axis is not known yet.",
    },
    axis="int or tuple of int: The axes that go; all of length 1 if not given.",
)
def squeeze(a: Any, axis: int | Sequence[int] | None = None) -> Array:
    """The array without axes of length 1.

    >>> ra.squeeze(ra.ones((1, 3, 1))).shape
    (3,)
    """
    x = asarray(a)
    if not x.ndim and isinstance(axis, (int, np.integer)) and axis in (0, -1):
        return x
    gone = range(x.ndim) if axis is None else normalize_axis_tuple(axis, x.ndim)
    if any(x.shape[at] != x.shape[at] for at in gone):
        raise UnknownLengths("squeezing needs lengths that are not known yet: call `compute_chunk_sizes()` first")
    return wrap(array_squeeze(x.__raskt_expr__, axis))


@documented(
    "Of the array's type. Blocks along an axis of length 1 are repeated, without a copy.",
    {"ValueError": "If the array does not broadcast to the shape, or `meta` is of another type."},
    meta="numpy.ndarray: An example of a block, of the array's type.",
)
def broadcast_to(array: Any, shape: Any, subok: bool = False, *, chunks: Any = None, meta: Any = None) -> Array:
    """The elements repeated along new axes and axes of length 1.

    >>> ra.broadcast_to([1, 2, 3], (2, 3)).compute()
    array([[1, 2, 3],
           [1, 2, 3]])
    """
    x = asarray(array)
    check_meta("broadcast_to", meta, x.dtype)
    lengths = [operator.index(length) for length in (shape if np.ndim(shape) else [shape])]
    with lengths_of(x.__raskt_expr__):
        result = wrap(array_broadcast_to(x.__raskt_expr__, lengths))
    return result if chunks is None else result.rechunk(chunks)


@documented(
    "Each of its own type, all of the broadcast shape.",
    {"ValueError": "If the shapes don't broadcast."},
    kind="tuple of Array",
    args="array_like: Arrays.",
)
def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Array, ...]:
    """Arrays broadcast to one shape.

    >>> [x.shape for x in ra.broadcast_arrays([1, 2, 3], [[4], [5]])]
    [(2, 3), (2, 3)]
    """
    arrays = [asarray(array) for array in args]
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    return tuple(broadcast_to(array, shape) for array in arrays)


@documented("Of the array's type and shape; its blocks in reverse order.", _AXIS_ERROR)
def flip(m: Any, axis: int | Sequence[int] | None = None) -> Array:
    """The elements in reverse order along axes.

    >>> ra.flip(ra.arange(3)).compute()
    array([2, 1, 0])
    """
    return wrap(array_flip(asarray(m).__raskt_expr__, axis))


@documented("Of the array's type and shape; its blocks in reverse order.", {"ValueError": "If there is no axis."})
def flipud(m: Any) -> Array:
    """The elements in reverse order along the first axis.

    >>> ra.flipud([[1, 2], [3, 4]]).compute()
    array([[3, 4],
           [1, 2]])
    """
    x = asarray(m)
    if x.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return flip(x, 0)


@documented("Of the array's type and shape; its blocks in reverse order.", {"ValueError": "If there are not two axes."})
def fliplr(m: Any) -> Array:
    """The elements in reverse order along the second axis.

    >>> ra.fliplr([[1, 2], [3, 4]]).compute()
    array([[2, 1],
           [4, 3]])
    """
    x = asarray(m)
    if x.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return flip(x, 1)


@documented(
    "Of the array's type; the lengths of the two axes are swapped for odd `k`.",
    {"ValueError": "If `axes` aren't two different axes of the array."},
    k="int: How many times; negative numbers turn the other way.",
    axes="tuple of int: The plane, turned from its first towards its second axis.",
)
def rot90(m: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    """The array turned by 90 degrees in the plane of two axes.

    >>> ra.rot90([[1, 2], [3, 4]]).compute()
    array([[2, 4],
           [1, 3]])
    """
    x = asarray(m)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    first, second = axes
    if first == second or abs(first - second) == x.ndim:
        raise ValueError("Axes must be different.")
    if not all(-x.ndim <= axis < x.ndim for axis in axes):
        raise ValueError(f"Axes={tuple(axes)} out of range for array of ndim={x.ndim}.")
    if k % 4 == 0:
        return x
    if k % 4 == 2:
        return flip(x, (first, second))
    return flip(x, second).swapaxes(first, second) if k % 4 == 1 else flip(x.swapaxes(first, second), second)


@documented(
    "Of the array's type, with the axes of `indices` in place of `axis`.",
    {
        "IndexError": "If a position is out of bounds and `mode` is `raise`.",
        "ValueError": "If there is no such mode.",
    },
    indices="array_like of int: Positions; negative ones count from the end.",
    axis="int: The axis; if not given, positions are of all elements in C order.",
    mode="str: What becomes of positions out of bounds: `raise`, `wrap` (counted round), or `clip` (the nearest one).",
)
def take(a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise") -> Array:
    """The elements at positions along an axis.

    >>> ra.take(ra.arange(5) * 10, [3, 0, -1]).compute()
    array([30,  0, 40])
    """
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    x = asarray(a)
    if axis is None or (not x.ndim and axis in (0, -1)):
        x, axis = x.ravel(), 0
    if not -x.ndim <= axis < x.ndim:
        raise np.exceptions.AxisError(axis, x.ndim)
    if mode != "raise":
        indices = _within(indices, x.shape[axis], mode)
    result = _taken(x, indices, axis % x.ndim)
    return result if out is None else write_back(result, out)


def _within(indices: Any, length: int, mode: str) -> Any:
    """Positions brought within the bounds of an axis."""
    places = indices if is_array(indices) else np.asarray(indices)
    if not np.can_cast(places.dtype, np.intp, "same_kind") and (is_array(indices) or places.size):
        raise TypeError(f"Cannot cast positions from {places.dtype} to whole numbers")
    if not length and 0 not in places.shape:
        raise IndexError("cannot do a non-empty take from an empty axes.")
    if not is_array(places) and not places.size:
        return places.astype(np.intp)
    return places % length if mode == "wrap" else places.clip(0, length - 1)


def _taken(x: Array, indices: Any, axis: int) -> Array:
    before = (slice(None),) * axis
    if is_array(indices):
        if indices.dtype.kind not in "iu":
            raise TypeError(f"positions are whole numbers, not {indices.dtype}")
        return x[(*before, indices)]
    if isinstance(indices, np.ndarray) and not np.can_cast(indices.dtype, np.intp, "same_kind"):
        raise TypeError(f"Cannot cast positions from {indices.dtype} to whole numbers")
    positions = np.asarray(indices, dtype=np.intp)
    if positions.ndim == 1:
        return wrap(array_take(x.__raskt_expr__, positions.tolist(), axis))
    return x[(*before, positions if positions.ndim else int(positions))]
