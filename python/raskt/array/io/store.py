"""Blocks written into an object that can be assigned to."""

from __future__ import annotations

import operator
import threading
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._compute import compute as run
from raskt._errors import UnknownLengths
from raskt.array.base.documentation import documented
from raskt.array.base.layout import Layout, block_slices
from raskt.array.base.registry import is_array
from raskt.array.blocks.map_blocks import map_blocks
from raskt.delayed import delayed

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["store"]


@documented(
    "Nothing where it writes now; else a delayed object, whose computation writes and gives nothing.",
    {
        "ValueError": "If there are not as many of all, or shapes don't fit.",
        "NotImplementedError": "For `return_stored=True`, and regions with steps.",
    },
    kind="None or Delayed",
    sources="Array or list of Array: The arrays.",
    targets="object or list of object: What is written to, by assignment to slices: NumPy, Zarr, HDF5.",
    lock="bool or lock: `True` for a lock of our own while a block is written, `False` for none, or a lock.",
    regions="tuple of slice or list of them: Where in each target to write.",
    compute="bool: Whether to write now.",
    return_stored="bool: Whether arrays that read the targets come back; only `False` is implemented.",
    kwargs="object: Settings of the computation; see :func:`raskt.compute`.",
)
def store(
    sources: Any,
    targets: Any,
    lock: Any = True,
    regions: Any = None,
    compute: bool = True,
    return_stored: bool = False,
    **kwargs: Any,
) -> Any:
    """Write arrays block by block into objects that can be assigned to.

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
        return delayed(_nothing)(written)
    run(*written, **kwargs)
    return None


def _nothing(written: Any) -> None:
    """What comes of blocks that are written."""


def _writing(source: Any, target: Any, region: Any, lock: Any) -> Array:
    """An array of a byte for each block, which computing writes."""
    if not is_array(source):
        raise TypeError(f"store takes raskt arrays, not {type(source).__name__}")
    if not source.__raskt_expr__.is_known:
        raise UnknownLengths("store needs to know where each block goes: call `compute_chunk_sizes()` first")
    shape = getattr(target, "shape", None)
    if region is None and shape is not None and tuple(shape) != source.shape:
        raise ValueError(f"a target of shape {tuple(shape)} does not fit an array of shape {source.shape}")
    region = None if region is None else _checked(region, shape, source.shape)

    ones = tuple((1,) * blocks for blocks in source.numblocks)
    layout = Layout(source)

    write = _Write(target, region, layout, lock)
    return map_blocks(write, source, name="store", dtype=np.uint8, chunks=ones)


class _Write:
    """Writes a block into its place in a target."""

    # The target may be memory of this process, and the lock is: worker processes leave both alone.
    __raskt_stays__ = True

    def __init__(self, target: Any, region: Any, layout: Layout, lock: Any) -> None:
        self.target, self.region, self.layout, self.lock = target, region, layout, lock

    def __call__(self, block: Any, block_id: tuple[int, ...] = ()) -> Any:
        index = int(np.ravel_multi_index(block_id, self.layout.numblocks)) if block_id else 0
        with self.lock:
            self.target[_within(self.region, block_slices(self.layout, index))] = block
        return np.zeros((1,) * block.ndim, np.uint8)

    def __reduce__(self) -> Any:
        # A copy would be written to, and nobody would see it.
        kind = type(self.target).__name__
        raise TypeError(
            f"store writes into a {kind} of this process, which can't be sent to another; write files instead"
        )


def _checked(region: Any, shape: Any, source: tuple[int, ...]) -> tuple[Any, ...]:
    """The region with slices that begin and end within the target, if the array fits it: an assignment to a slice that
    ends early would lose elements without a word.
    """
    parts = region if isinstance(region, tuple) else (region,)
    if not all(isinstance(part, slice) or hasattr(part, "__index__") for part in parts):
        raise NotImplementedError("store into a region takes slices and integers")
    if any(isinstance(part, slice) and part.step not in (None, 1) for part in parts):
        raise NotImplementedError("store into a region with a step is not implemented")
    if shape is None:
        if any(isinstance(part, slice) and ((part.start or 0) < 0 or (part.stop or 0) < 0) for part in parts):
            raise NotImplementedError("store into a region that counts from the end needs a target with a shape")
        return parts
    if len(parts) > len(shape):
        raise IndexError(f"the region has {len(parts)} axes, and the target {len(shape)}")
    parts += (slice(None),) * (len(shape) - len(parts))
    found = [
        slice(*part.indices(length)[:2]) if isinstance(part, slice) else operator.index(part)
        for part, length in zip(parts, shape, strict=True)
    ]
    lengths = tuple(max(part.stop - part.start, 0) for part in found if isinstance(part, slice))
    if lengths != source:
        raise ValueError(f"a region of shape {lengths} does not fit an array of shape {source}")
    return tuple(found)


def _within(region: Any, part: tuple[slice, ...]) -> Any:
    """The slices of a block, moved to where the region begins."""
    if region is None:
        return part
    own = iter(part)
    moved = []
    for axis in region:
        if isinstance(axis, slice):
            here, start = next(own), axis.start or 0
            moved.append(slice(here.start + start, here.stop + start))
        else:
            moved.append(axis)
    return (*moved, *own)
