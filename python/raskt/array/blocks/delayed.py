"""Blocks as delayed objects, and delayed objects as blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import Delayed, array_from_delayed, delayed_block
from raskt.array.base.registry import wrap
from raskt.delayed import delayed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike

    from raskt.array._array import Array

__all__ = ["from_delayed", "to_delayed"]


def from_delayed(
    value: Any, shape: Sequence[float], dtype: DTypeLike | None = None, meta: Any = None, name: str | None = None
) -> Array:
    """An array of one block that a delayed call makes.

    Parameters
    ----------
    value
        A delayed object whose result is a NumPy array, or what NumPy makes one of.
    shape
        The shape of that array; NaN for a length that only shows when it is computed.
    dtype
        Its data type (or that of ``meta``).

    >>> import numpy as np
    >>> import raskt
    >>> import raskt.array as ra
    >>> block = raskt.delayed(np.ones)(3)
    >>> ra.from_delayed(block, shape=(3,), dtype=float).sum().compute()
    np.float64(3.0)
    """
    if dtype is None:
        dtype = getattr(meta, "dtype", None)
    if dtype is None:
        raise ValueError("from_delayed needs the data type of the block: pass `dtype`")
    source = value if isinstance(value, Delayed) else delayed(value)
    lengths = [None if length != length else int(length) for length in shape]
    return wrap(array_from_delayed(source, name or "from delayed", lengths, np.dtype(dtype)))


def to_delayed(array: Array) -> Any:
    """A NumPy array of delayed objects, one for each block, which give NumPy arrays."""
    blocks = np.empty(array.numblocks, dtype=object)
    for index in range(array.npartitions):
        blocks[np.unravel_index(index, blocks.shape)] = delayed_block(array, index)
    return blocks
