"""Slices and elements of a line whose blocks have lengths that are not known yet."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_gather
from raskt.array.base.registry import wrap
from raskt.array.blocks.map_blocks import map_blocks

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["select_unknown"]


def select_unknown(line: Array, part: Any) -> Array:
    """``line[part]`` for a slice or an integer: what can be in it of each block is brought together in one."""
    kept = _kept(part)
    if kept != slice(None):
        lengths = [(np.nan,) * line.npartitions]
        line = map_blocks(operator.itemgetter(kept), line, name="getitem", dtype=line.dtype, chunks=lengths)

    def slice_of(*blocks: Any) -> Any:
        return np.concatenate(blocks)[part]

    def element_of(*blocks: Any) -> Any:
        whole = np.concatenate(blocks)
        if not -len(whole) <= part < len(whole):
            raise IndexError(f"index {part} is out of bounds for axis 0 with size {len(whole)}")
        return whole[part].reshape(1)

    if isinstance(part, slice):
        return wrap(array_gather(slice_of, "getitem", line.__raskt_expr__, line.dtype))
    found = wrap(array_gather(element_of, "getitem", line.__raskt_expr__, line.dtype))
    return map_blocks(np.squeeze, found, name="getitem", dtype=line.dtype, drop_axis=0)


def _kept(part: Any) -> slice:
    """Which elements of each block may be wanted."""
    if not isinstance(part, slice):
        return slice(part + 1) if part >= 0 else slice(part, None)
    start, stop, step = part.start or 0, part.stop, 1 if part.step is None else part.step
    if step < 0:
        return slice(None)
    if start >= 0 and stop is not None and stop >= 0:
        return slice(stop)
    return slice(start, None) if start < 0 and stop is None and step == 1 else slice(None)
