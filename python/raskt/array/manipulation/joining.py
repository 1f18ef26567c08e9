"""Arrays put together, repeated, and put into or taken out of one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_concatenate, array_stack
from raskt.array.base.conversion import asarray
from raskt.array.base.registry import wrap
from raskt.array.creation.constructors import full
from raskt.array.manipulation.axes import atleast_1d, atleast_2d, atleast_3d, broadcast_to, expand_dims, take

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike

    from raskt.array._array import Array

__all__ = [
    "append",
    "block",
    "concatenate",
    "delete",
    "dstack",
    "hstack",
    "insert",
    "pad",
    "repeat",
    "roll",
    "stack",
    "tile",
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
    result = wrap(array_concatenate([array.__raskt_expr__ for array in arrays], axis))
    return result if dtype is None else result.astype(dtype)


def stack(seq: Sequence[Any], axis: int = 0, **kwargs: Any) -> Array:
    """Arrays of one shape side by side along a new axis.

    >>> import raskt.array as ra
    >>> ra.stack([ra.zeros(3), ra.ones(3)], axis=1).shape
    (3, 2)
    """
    arrays = [asarray(array) for array in seq]
    return wrap(array_stack([array.__raskt_expr__ for array in arrays], axis))


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
    if positions.size and not (positions.min() >= 0 and positions.max() <= x.shape[axis]):
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
