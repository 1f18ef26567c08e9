"""Blocks written into an object that can be assigned to."""

from __future__ import annotations

import threading
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._compute import compute as run
from raskt.array.base.layout import block_slices
from raskt.array.base.registry import is_array
from raskt.array.blocks.map_blocks import map_blocks

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["store"]


def store(
    sources: Any,
    targets: Any,
    lock: Any = True,
    regions: Any = None,
    compute: bool = True,
    return_stored: bool = False,
    **kwargs: Any,
) -> Any:
    """Write arrays block by block into objects that can be assigned to (NumPy, Zarr, HDF5).

    Parameters
    ----------
    sources, targets
        An array and an object, or as many of each.
    lock
        ``True`` for a lock of our own while a block is written, ``False`` for none, or a lock.
    regions
        Where in each target to write: slices, a tuple for each source.
    compute
        Whether to write now; else lazy arrays whose computation writes come back.

    >>> import numpy as np
    >>> import raskt.array as ra
    >>> target = np.zeros(4)
    >>> ra.store(ra.arange(4, chunks=2), target)
    >>> target
    array([0., 1., 2., 3.])
    """
    if return_stored:
        raise NotImplementedError("store with `return_stored` is not implemented")
    if is_array(sources):
        sources, targets, regions = [sources], [targets], [regions]
    regions = [None] * len(sources) if regions is None else list(regions) if isinstance(regions, list) else [regions]
    if not len(sources) == len(targets) == len(regions):
        raise ValueError(f"{len(sources)} sources, {len(targets)} targets and {len(regions)} regions do not fit")
    holder: Any = threading.Lock() if lock is True else lock if lock else nullcontext()
    written = [_writing(*parts, holder) for parts in zip(sources, targets, regions, strict=True)]
    if not compute:
        return written
    run(*written, **kwargs)
    return None


def _writing(source: Any, target: Any, region: Any, lock: Any) -> Array:
    """An array of a byte for each block, which computing writes."""
    if not is_array(source):
        raise TypeError(f"store takes raskt arrays, not {type(source).__name__}")
    shape = getattr(target, "shape", None)
    if region is None and shape is not None and tuple(shape) != source.shape:
        raise ValueError(f"a target of shape {tuple(shape)} does not fit an array of shape {source.shape}")

    ones = tuple((1,) * blocks for blocks in source.numblocks)

    def write(block: Any, block_id: tuple[int, ...] = ()) -> Any:
        index = int(np.ravel_multi_index(block_id, source.numblocks)) if block_id else 0
        with lock:
            target[_within(region, block_slices(source, index))] = block
        return np.zeros((1,) * block.ndim, np.uint8)

    # The target may be memory of this process, and the lock is: worker processes leave both alone.
    write.__raskt_stays__ = True  # type: ignore[attr-defined]
    return map_blocks(write, source, name="store", dtype=np.uint8, chunks=ones)


def _within(region: Any, part: tuple[slice, ...]) -> Any:
    """The slices of a block, moved to where the region begins."""
    if region is None:
        return part
    region = region if isinstance(region, tuple) else (region,)
    if any(isinstance(axis, slice) and axis.step not in (None, 1) for axis in region):
        raise NotImplementedError("store into a region with a step is not implemented")
    own = iter(part)
    moved = []
    for axis in region:
        if isinstance(axis, slice):
            here, start = next(own), axis.start or 0
            moved.append(slice(here.start + start, here.stop + start))
        else:
            moved.append(axis)
    return (*moved, *own)
