"""What stands between square brackets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_blocks, array_index
from raskt.array.base.registry import wrap
from raskt.array.indexing.advanced import select_advanced
from raskt.array.indexing.key import is_basic, parse
from raskt.array.indexing.unknown import select_unknown

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["Blocks", "VectorIndex", "select"]


def select(array: Array, key: Any) -> Array:
    """``array[key]`` with NumPy's rules."""
    parts = key if isinstance(key, tuple) else (key,)
    if all(is_basic(part) for part in parts):
        if len(parts) == array.ndim == 1 and not array.__raskt_expr__.is_known and _is_place(parts[0]):
            return select_unknown(array, parts[0])
        return wrap(array_index(array.__raskt_expr__, key))
    found = parse(array, parts)
    if not found.positions and found.mask is None:
        return wrap(array_index(array.__raskt_expr__, found.basic))
    return select_advanced(array, found)


def _is_place(part: Any) -> bool:
    """Whether it is an element or a part of a line, and not all of it."""
    return isinstance(part, (int, np.integer)) or (isinstance(part, slice) and part != slice(None))


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


def _is_number(part: Any) -> bool:
    return not isinstance(part, (bool, np.bool_)) and np.ndim(part) == 0


class VectorIndex:
    """Points of an array by their coordinates: ``x.vindex[rows, columns]``."""

    __slots__ = ("_array",)

    def __init__(self, array: Array) -> None:
        self._array = array

    def __getitem__(self, key: Any) -> Array:
        array = self._array
        parts = key if isinstance(key, tuple) else (key,)
        if any(part is None or part is Ellipsis for part in parts):
            raise IndexError("`vindex` takes positions and slices, not `None` and `...`")
        if all(isinstance(part, slice) or _is_number(part) for part in parts):
            return select(array, key)
        # Integers beside lists are positions like others, so that they broadcast with them.
        parts = tuple(part if isinstance(part, slice) or np.ndim(part) else np.asarray(part)[None] for part in parts)
        found = parse(array, parts)
        if found.mask is not None:
            raise NotImplementedError("`vindex` by a lazy mask is not implemented: compute the mask first")
        if not found.positions:
            return select(array, key)
        return select_advanced(array, replace(found, is_apart=True))
