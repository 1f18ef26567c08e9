"""How an array is cut into blocks, for functions that run in tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["Layout", "block_slices"]


class Layout:
    """How an array is laid out: what functions over its blocks need of it, without the array, which never travels.

    `bounds` says for each axis where its blocks begin, and where the last one ends.
    """

    __slots__ = ("bounds", "chunks", "dtype", "ndim", "numblocks", "shape")

    def __init__(self, array: Array) -> None:
        self.chunks, self.dtype, self.ndim = array.chunks, array.dtype, array.ndim
        self.numblocks, self.shape = array.numblocks, array.shape
        self.bounds = [[0, *np.cumsum(lengths).tolist()] for lengths in array.chunks]


def block_slices(layout: Layout, index: int) -> tuple[slice, ...]:
    """Where block `index` (in C order) stands in the array."""
    place = np.unravel_index(index, layout.numblocks) if layout.ndim else ()
    return tuple(slice(line[at], line[at + 1]) for line, at in zip(layout.bounds, place, strict=True))
