"""Arrays put together, spread out, repeated and turned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import (
    array_broadcast_to,
    array_concatenate,
    array_expand_dims,
    array_flip,
    array_moveaxis,
    array_stack,
    array_take,
)
from raskt.array._array import Array
from raskt.array._creation import asarray, full

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike

__all__ = [
    "append",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block",
    "broadcast_arrays",
    "broadcast_to",
    "concatenate",
    "delete",
    "dstack",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "hstack",
    "insert",
    "moveaxis",
    "pad",
    "ravel",
    "rechunk",
    "repeat",
    "reshape",
    "roll",
    "rollaxis",
    "rot90",
    "squeeze",
    "stack",
    "swapaxes",
    "take",
    "tile",
    "transpose",
    "vstack",
]


def concatenate(seq: Sequence[Any], axis: int | None = 0, dtype: DTypeLike | None = None, **kwargs: Any) -> Array:
    """Arrays one after the other along ``axis``; flattened first if that is ``None``.

    >>> import raskt.array as ra
    >>> ra.concatenate([ra.arange(2), ra.arange(3)]).compute()
    array([0, 1, 0, 1, 2])
    """
    arrays = [asarray(array) for array in seq]
    if axis is None:
        arrays, axis = [array.ravel() for array in arrays], 0
    if kwargs.pop("out", None) is not None:
        raise NotImplementedError("concatenate with `out` is not implemented")
    result = Array(array_concatenate([array.__raskt_expr__ for array in arrays], axis))
    return result if dtype is None else result.astype(dtype)


def stack(seq: Sequence[Any], axis: int = 0, **kwargs: Any) -> Array:
    """Arrays of one shape side by side along a new axis.

    >>> import raskt.array as ra
    >>> ra.stack([ra.zeros(3), ra.ones(3)], axis=1).shape
    (3, 2)
    """
    arrays = [asarray(array) for array in seq]
    return Array(array_stack([array.__raskt_expr__ for array in arrays], axis))


def vstack(tup: Sequence[Any], **kwargs: Any) -> Array:
    """Arrays one below the other."""
    return concatenate([atleast_2d(array) for array in tup], axis=0)


def hstack(tup: Sequence[Any], **kwargs: Any) -> Array:
    """Arrays side by side: along the second axis, or the first if there is no second."""
    arrays = [atleast_1d(array) for array in tup]
    return concatenate(arrays, axis=0 if arrays and arrays[0].ndim == 1 else 1)


def dstack(tup: Sequence[Any], **kwargs: Any) -> Array:
    """Arrays one behind the other, along the third axis."""
    return concatenate([atleast_3d(array) for array in tup], axis=2)


def block(arrays: Any) -> Array:
    """An array from nested lists of blocks: the innermost lists go along the last axis.

    >>> import raskt.array as ra
    >>> ra.block([[ra.eye(2), ra.zeros((2, 1))]]).shape
    (2, 3)
    """
    depth = _depth(arrays)
    ndim = max(depth, *(asarray(leaf).ndim for leaf in _leaves(arrays)))
    return _block(arrays, depth, ndim)


def _depth(arrays: Any) -> int:
    if not isinstance(arrays, list):
        return 0
    if not arrays:
        raise ValueError("block takes no empty lists")
    depths = {_depth(item) for item in arrays}
    if len(depths) > 1:
        raise ValueError("the lists that `block` takes must be nested equally deep")
    return depths.pop() + 1


def _leaves(arrays: Any) -> list[Any]:
    return [leaf for item in arrays for leaf in _leaves(item)] if isinstance(arrays, list) else [arrays]


def _block(arrays: Any, depth: int, ndim: int) -> Array:
    if not isinstance(arrays, list):
        leaf = asarray(arrays)
        return leaf.reshape((1,) * (ndim - leaf.ndim) + leaf.shape)
    return concatenate([_block(item, depth - 1, ndim) for item in arrays], axis=ndim - depth)


def append(arr: Any, values: Any, axis: int | None = None) -> Array:
    """``values`` after ``arr`` along ``axis``; both flattened if that is ``None``."""
    return concatenate([arr, values], axis=axis)


def _at_least(arrays: Sequence[Any], shape: Any) -> Any:
    found = [x.reshape(shape(x)) for x in map(asarray, arrays)]
    return found[0] if len(found) == 1 else found


def atleast_1d(*arys: Any) -> Any:
    """Arrays with at least one axis."""
    return _at_least(arys, lambda x: x.shape or (1,))


def atleast_2d(*arys: Any) -> Any:
    """Arrays with at least two axes; new ones come first."""
    return _at_least(arys, lambda x: (1,) * (2 - x.ndim) + x.shape)


def atleast_3d(*arys: Any) -> Any:
    """Arrays with at least three axes; a vector becomes ``(1, n, 1)``, a matrix ``(m, n, 1)``."""

    def shape(x: Array) -> tuple[int, ...]:
        return [(1, 1, 1), (1, *x.shape, 1), (*x.shape, 1)][x.ndim] if x.ndim < 3 else x.shape

    return _at_least(arys, shape)


def reshape(a: Any, shape: Any = None, *, merge_chunks: bool = True, limit: Any = None, newshape: Any = None) -> Array:
    """The elements in C order under another shape; one length may be -1."""
    lengths = newshape if shape is None else shape
    return asarray(a).reshape(lengths if isinstance(lengths, (tuple, list)) else (lengths,))


def ravel(a: Any) -> Array:
    """All elements in C order along one axis."""
    return asarray(a).ravel()


def transpose(a: Any, axes: Sequence[int] | None = None) -> Array:
    """The axes in another order; reversed if none is given."""
    return asarray(a).transpose(axes)


def swapaxes(a: Any, axis1: int, axis2: int) -> Array:
    """Two axes swapped."""
    return asarray(a).swapaxes(axis1, axis2)


def moveaxis(a: Any, source: int | Sequence[int], destination: int | Sequence[int]) -> Array:
    """Axes moved to other places; the others keep their order."""
    return Array(array_moveaxis(asarray(a).__raskt_expr__, source, destination))


def rollaxis(a: Any, axis: int, start: int = 0) -> Array:
    """``axis`` moved back until it stands before ``start``."""
    x = asarray(a)
    axis, start = axis % x.ndim, start + x.ndim if start < 0 else start
    return moveaxis(x, axis, start - 1 if axis < start else start)


def expand_dims(a: Any, axis: int | Sequence[int]) -> Array:
    """New axes of length 1."""
    return Array(array_expand_dims(asarray(a).__raskt_expr__, axis))


def squeeze(a: Any, axis: int | Sequence[int] | None = None) -> Array:
    """The array without axes of length 1."""
    return asarray(a).squeeze(axis)


def rechunk(
    x: Any,
    chunks: Any = "auto",
    threshold: Any = None,
    block_size_limit: int | None = None,
    balance: bool = False,
    method: str | None = None,
) -> Array:
    """The same array in other chunks; see :meth:`Array.rechunk`."""
    return asarray(x).rechunk(chunks, threshold, block_size_limit, balance, method)


def broadcast_to(x: Any, shape: Any, chunks: Any = None, meta: Any = None) -> Array:
    """The elements repeated along new axes and axes of length 1, without a copy."""
    lengths = [int(shape)] if np.ndim(shape) == 0 else [int(length) for length in shape]
    result = Array(array_broadcast_to(asarray(x).__raskt_expr__, lengths))
    return result if chunks is None else result.rechunk(chunks)


def broadcast_arrays(*args: Any, subok: bool = False) -> list[Array]:
    """Arrays broadcast to one shape."""
    arrays = [asarray(array) for array in args]
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    return [broadcast_to(array, shape) for array in arrays]


def flip(m: Any, axis: int | Sequence[int] | None = None) -> Array:
    """The elements in reverse order along axes; along all of them if none is given."""
    return Array(array_flip(asarray(m).__raskt_expr__, axis))


def flipud(m: Any) -> Array:
    """The elements in reverse order along the first axis."""
    return flip(m, 0)


def fliplr(m: Any) -> Array:
    """The elements in reverse order along the second axis."""
    return flip(m, 1)


def rot90(m: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    """The array turned by 90 degrees ``k`` times in the plane of two axes."""
    x = asarray(m)
    first, second = axes
    if k % 4 == 0:
        return x
    if k % 4 == 2:
        return flip(x, (first, second))
    return flip(x, second).swapaxes(first, second) if k % 4 == 1 else flip(x.swapaxes(first, second), second)


def roll(array: Any, shift: Any, axis: Any = None) -> Array:
    """The elements moved along axes; those that leave at the end come in at the start."""
    x = asarray(array)
    if axis is None:
        return roll(x.ravel(), int(np.sum(shift)), 0).reshape(x.shape)
    shifts, axes = np.broadcast_arrays(np.atleast_1d(shift), np.atleast_1d(axis))
    for by, along in zip(shifts.tolist(), axes.tolist(), strict=True):
        at = along % x.ndim
        by %= max(x.shape[at], 1)
        if by:
            before = (slice(None),) * at
            x = concatenate([x[(*before, slice(-by, None))], x[(*before, slice(None, -by))]], axis=at)
    return x


def take(a: Any, indices: Any, axis: int | None = 0) -> Array:
    """The elements at positions along ``axis``.

    >>> import raskt.array as ra
    >>> ra.take(ra.arange(5) * 10, [3, 0, -1]).compute()
    array([30,  0, 40])
    """
    x = asarray(a)
    if axis is None:
        x, axis = x.ravel(), 0
    if isinstance(indices, Array):
        raise NotImplementedError("take with lazy positions is not implemented: compute them first")
    positions = np.asarray(indices)
    if positions.ndim == 1 and positions.dtype.kind in "iu":
        return Array(array_take(x.__raskt_expr__, positions.tolist(), axis))
    return x[(slice(None),) * (axis % x.ndim) + (positions if positions.ndim else int(positions),)]


def repeat(a: Any, repeats: int, axis: int | None = None) -> Array:
    """Each element ``repeats`` times, beside itself."""
    x = asarray(a)
    if axis is None:
        x, axis = x.ravel(), 0
    if np.ndim(repeats):
        raise NotImplementedError("repeat takes one number for all elements")
    if repeats < 0:
        raise ValueError(f"elements cannot be repeated {repeats} times")
    axis %= x.ndim
    wide = broadcast_to(expand_dims(x, axis + 1), (*x.shape[: axis + 1], repeats, *x.shape[axis + 1 :]))
    return wide.reshape(*x.shape[:axis], x.shape[axis] * repeats, *x.shape[axis + 1 :])


def tile(A: Any, reps: int | Sequence[int]) -> Array:
    """The array repeated along each axis, as a pattern."""
    x = asarray(A)
    times = [int(number) for number in np.atleast_1d(reps)]
    ndim = max(x.ndim, len(times))
    x = x.reshape((1,) * (ndim - x.ndim) + x.shape)
    for axis, number in enumerate([1] * (ndim - len(times)) + times):
        if number < 0:
            raise ValueError(f"an array cannot be repeated {number} times")
        before = (slice(None),) * axis
        x = concatenate([x] * number, axis=axis) if number else x[(*before, slice(0, 0))]
    return x


def pad(array: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0, **kwargs: Any) -> Array:
    """The array with elements around it: a constant, the edge, the mirror image, or the other end.

    ``mode`` is ``"constant"``, ``"edge"``, ``"reflect"``, ``"symmetric"`` or ``"wrap"``.

    >>> import raskt.array as ra
    >>> ra.pad(ra.arange(3), 2, mode="reflect").compute()
    array([2, 1, 0, 1, 2, 1, 0])
    """
    x = asarray(array)
    widths = np.broadcast_to(np.asarray(pad_width, dtype=int), (x.ndim, 2)).tolist()
    if any(width < 0 for pair in widths for width in pair):
        raise ValueError(f"pad takes widths that are not negative, not {pad_width}")
    if mode == "constant":
        values = np.broadcast_to(np.asarray(constant_values), (x.ndim, 2))
        for axis, pair in enumerate(widths):
            x = _pad_constant(x, axis, pair, values[axis])
        return x
    if mode not in ("edge", "reflect", "symmetric", "wrap"):
        raise NotImplementedError(f"pad with mode {mode!r} is not implemented")
    for axis, pair in enumerate(widths):
        if any(pair):
            # NumPy pads the positions, and the elements are taken by them.
            positions = np.pad(np.arange(x.shape[axis]), pair, mode=mode, **kwargs)  # type: ignore[call-overload]
            x = take(x, positions, axis=axis)
    return x


def _pad_constant(x: Array, axis: int, widths: Sequence[int], values: Any) -> Array:
    parts = [x]
    for place, (width, value) in enumerate(zip(widths, values, strict=True)):
        if width:
            shape = (*x.shape[:axis], width, *x.shape[axis + 1 :])
            edge = full(shape, value, dtype=x.dtype, chunks=(*x.chunks[:axis], (width,), *x.chunks[axis + 1 :]))
            parts.insert(0 if place == 0 else len(parts), edge)
    return concatenate(parts, axis=axis) if len(parts) > 1 else x


def insert(arr: Any, obj: Any, values: Any, axis: int = 0) -> Array:
    """``values`` before positions along ``axis``."""
    x = asarray(arr)
    axis %= x.ndim
    positions = np.atleast_1d(np.arange(x.shape[axis])[obj] if isinstance(obj, slice) else np.asarray(obj))
    positions = np.where(positions < 0, positions + x.shape[axis], positions)
    if positions.size and not (0 <= positions.min() and positions.max() <= x.shape[axis]):
        raise IndexError(f"a position is out of bounds for an axis of length {x.shape[axis]}")
    count = len(positions)
    new = asarray(values).astype(x.dtype)
    if np.ndim(obj) == 0 and not isinstance(obj, slice) and new.ndim == x.ndim - 1:
        new = expand_dims(new, axis)
    elif new.ndim == x.ndim and np.ndim(obj) == 0 and not isinstance(obj, slice):
        count, positions = new.shape[axis], np.repeat(positions, new.shape[axis])
    new = broadcast_to(new, (*x.shape[:axis], count, *x.shape[axis + 1 :]))
    # Old elements keep their numbers, new ones come after them; the order of places says where each goes.
    places = np.concatenate([np.arange(x.shape[axis]) + 0.5, positions])
    return take(concatenate([x, new], axis=axis), np.argsort(places, kind="stable"), axis=axis)


def delete(arr: Any, obj: Any, axis: int | None = None) -> Array:
    """The array without the elements at positions along ``axis``; flattened first if that is ``None``."""
    x = asarray(arr)
    if axis is None:
        x, axis = x.ravel(), 0
    return take(x, np.delete(np.arange(x.shape[axis]), obj), axis=axis)
