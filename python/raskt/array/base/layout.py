"""How an array is cut into blocks, for functions that run in tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["Layout", "block_slices"]


class Layout:
    """How an array is laid out: what functions over its blocks need of it, without the array, which never travels."""

    __slots__ = ("chunks", "dtype", "ndim", "numblocks", "shape")

    def __init__(self, array: Array) -> None:
        self.chunks, self.dtype, self.ndim = array.chunks, array.dtype, array.ndim
        self.numblocks, self.shape = array.numblocks, array.shape


def block_slices(array: Array | Layout, index: int) -> tuple[slice, ...]:
    """Where block `index` (in C order) stands in the array."""
    place = np.unravel_index(index, array.numblocks) if array.ndim else ()
    starts = [sum(lengths[:at]) for lengths, at in zip(array.chunks, place, strict=True)]
    return tuple(
        slice(int(start), int(start) + lengths[at])
        for start, lengths, at in zip(starts, array.chunks, place, strict=True)
    )
