"""What stands between square brackets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_blocks, array_index, array_reshape, array_take
from raskt.array.base.conversion import asarray
from raskt.array.selection.where import where

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["Blocks", "VectorIndex", "assign", "select"]


def select(array: Array, key: Any) -> Array:
    """``array[key]`` with NumPy's rules, for one list of positions and for masks."""
    expr = array.__raskt_expr__
    if isinstance(key, tuple):
        wide = [at for at, part in enumerate(key) if _is_table(part)]
        lists = [part for part in key if isinstance(part, (list, np.ndarray)) and np.ndim(part)]
        if len(lists) > 1 and not any(np.asarray(part).dtype == bool for part in lists):
            raise NotImplementedError(
                "positions for several axes at once are not implemented in `x[...]`: use `x.vindex[...]` for points, "
                "or index one axis after the other for a grid of them"
            )
        if len(wide) == 1:
            return _select_table(array, key, wide[0])
    elif _is_table(key):
        return _select_table(array, (key,), 0)
    elif 1 < _mask_axes(key) < array.ndim:
        return _select_rows(array, key)
    return array.__class__(array_index(expr, key))


def _is_table(part: Any) -> bool:
    return isinstance(part, np.ndarray) and part.ndim > 1 and part.dtype.kind in "iu"


def _mask_axes(part: Any) -> int:
    """How many axes a mask has; 0 for what is no mask."""
    return part.ndim if getattr(part, "dtype", None) == bool and hasattr(part, "ndim") else 0


def _select_rows(array: Array, mask: Any) -> Array:
    """A mask over the first axes: they are made one."""
    if mask.shape != array.shape[: mask.ndim]:
        raise IndexError(f"a mask of shape {mask.shape} does not fit an array of shape {array.shape}")
    return array.reshape(-1, *array.shape[mask.ndim :])[mask.ravel()]


def _select_table(array: Array, key: tuple[Any, ...], at: int) -> Array:
    """Positions in several dimensions: taken along a line, and laid out after."""
    table = key[at]
    before = [part for part in key[:at] if not isinstance(part, (int, np.integer))]
    if any(part is Ellipsis for part in before):
        raise NotImplementedError("an index of several dimensions after `...` is not implemented")
    line = select(array, (*key[:at], table.ravel(), *key[at + 1 :]))
    axis = len(before)
    shape = (*line.shape[:axis], *table.shape, *line.shape[axis + 1 :])
    return array.__class__(array_reshape(line.__raskt_expr__, list(shape)))


def assign(array: Array, key: Any, value: Any) -> Array:
    """The array that ``array[key] = value`` leaves."""

    mask = _mask_of(array, key)
    if mask is None:
        raise NotImplementedError(
            "assignment takes a boolean mask of the array's shape, or slices and positions with a single number"
        )
    if np.ndim(value) and asarray(value).size != 1 and not _is_whole_mask(array, key):
        raise NotImplementedError("assignment of several values to a part of an array is not implemented: use `where`")
    value = asarray(value, dtype=array.dtype) if np.ndim(value) else array.dtype.type(value)
    result: Array = where(mask, value, array)
    if result.shape != array.shape:
        raise ValueError(f"cannot assign values of shape {np.shape(value)} to an array of shape {array.shape}")
    return result


def _is_whole_mask(array: Array, key: Any) -> bool:
    return hasattr(key, "dtype") and key.dtype == bool and key.shape == array.shape


def _mask_of(array: Array, key: Any) -> Any:
    """A mask of the array's shape with the elements that `key` picks."""
    if _is_whole_mask(array, key):
        return key
    parts = key if isinstance(key, tuple) else (key,)
    if any(part is None or hasattr(part, "__raskt_expr__") for part in parts):
        return None

    parts = _without_ellipsis(parts, array.ndim)
    mask: Any = None
    for axis, (part, length) in enumerate(zip(parts, array.shape, strict=False)):
        line = np.zeros(length, dtype=bool)
        line[part] = True
        along = asarray(line.reshape([-1 if axis == at else 1 for at in range(array.ndim)]))
        mask = along if mask is None else mask & along
    return mask if mask is not None else True


def _without_ellipsis(parts: tuple[Any, ...], ndim: int) -> tuple[Any, ...]:
    if len(parts) - any(part is Ellipsis for part in parts) > ndim:
        raise IndexError(f"too many indices: the array has {ndim} axes, and {len(parts)} were indexed")
    for at, part in enumerate(parts):
        if part is Ellipsis:
            return (*parts[:at], *[slice(None)] * (ndim - len(parts) + 1), *parts[at + 1 :])
    return parts


class Blocks:
    """Blocks of an array by their place in the grid; the result is an array of those blocks."""

    __slots__ = ("_array",)

    def __init__(self, array: Array) -> None:
        self._array = array

    def __getitem__(self, key: Any) -> Array:
        array = self._array
        parts = key if isinstance(key, tuple) else (key,)
        parts = _without_ellipsis(parts, array.ndim)
        parts += (slice(None),) * (array.ndim - len(parts))
        ranges = [_block_range(part, blocks) for part, blocks in zip(parts, array.numblocks, strict=True)]
        return array.__class__(array_blocks(array.__raskt_expr__, ranges))

    @property
    def shape(self) -> tuple[int, ...]:
        """How many blocks there are along each axis."""
        return self._array.numblocks

    @property
    def size(self) -> int:
        """How many blocks there are."""
        return self._array.npartitions

    def ravel(self) -> list[Array]:
        """The blocks one by one, in C order."""
        return [self[place] for place in np.ndindex(*self.shape)]


def _block_range(part: Any, blocks: int) -> tuple[int, int]:
    if isinstance(part, slice):
        start, stop, step = part.indices(blocks)
        if step != 1:
            raise NotImplementedError("blocks are picked one by one or in ranges without a step")
        return start, max(start, stop)
    try:
        at = part.__index__()
    except (AttributeError, TypeError):
        raise IndexError(f"blocks are picked by integers and slices, not by {part!r}") from None
    if not -blocks <= at < blocks:
        raise IndexError(f"block {at} does not exist: there are {blocks} along this axis")
    return at % blocks, at % blocks + 1


class VectorIndex:
    """Points of an array by their coordinates: ``x.vindex[rows, columns]``."""

    __slots__ = ("_array",)

    def __init__(self, array: Array) -> None:
        self._array = array

    def __getitem__(self, key: Any) -> Array:
        array = self._array
        parts = key if isinstance(key, tuple) else (key,)
        if len(parts) > array.ndim:
            raise IndexError(f"too many indices: the array has {array.ndim} axes, and {len(parts)} were indexed")
        if any(isinstance(part, slice) and part != slice(None) for part in parts):
            raise NotImplementedError("`vindex` takes positions and `:`; slice the array first")
        axes = [axis for axis, part in enumerate(parts) if not isinstance(part, slice)]
        rest = [axis for axis in range(array.ndim) if axis not in axes]
        points = np.broadcast_arrays(*[_positions(parts[axis], array.shape[axis]) for axis in axes])
        flat = np.ravel_multi_index(points, [array.shape[axis] for axis in axes])
        front = array.transpose(*axes, *rest).reshape(-1, *[array.shape[axis] for axis in rest])
        line = array.__class__(array_take(front.__raskt_expr__, flat.ravel().tolist(), 0))
        return line.reshape(*flat.shape, *[array.shape[axis] for axis in rest])


def _positions(part: Any, length: int) -> Any:
    positions = np.asarray(part)
    if positions.dtype.kind not in "iu":
        raise IndexError(f"`vindex` takes integer positions, not {positions.dtype}")
    if positions.size and not (-length <= positions.min() and positions.max() < length):
        raise IndexError(f"a position is out of bounds for an axis of length {length}")
    return np.where(positions < 0, positions + length, positions)
