"""Blocks as delayed objects, and delayed objects as blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import Delayed, array_from_delayed, delayed_block
from raskt.array.base.documentation import documented
from raskt.array.base.registry import wrap
from raskt.delayed import delayed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike

    from raskt.array._array import Array

__all__ = ["from_delayed", "to_delayed"]


@documented(
    "Of `dtype`, in one block.",
    {"ValueError": "If no data type is given."},
    value="Delayed or object: A delayed object whose result is a NumPy array, or what NumPy makes one of.",
    shape="sequence of int: The shape of that array; NaN for a length that only shows when it is computed.",
    dtype="data-type: Its data type; that of `meta` if not given.",
    name="str: What it is called in `explain()`.",
)
def from_delayed(
    value: Any, shape: Sequence[float], dtype: DTypeLike | None = None, meta: Any = None, name: str | None = None
) -> Array:
    """An array of one block that a delayed call makes.

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


@documented(
    "Of objects, with a delayed object for each block, in the shape of the grid.",
    kind="numpy.ndarray",
    optimize_graph="bool: Whether Dask optimises first; blocks are optimised when they are computed here.",
)
def to_delayed(array: Array, optimize_graph: bool = True) -> Any:
    """Blocks as delayed objects, which give NumPy arrays.

    >>> ra.arange(4, chunks=2).to_delayed()[1].compute()
    array([2, 3])
    """
    blocks = np.empty(array.numblocks, dtype=object)
    for index in range(array.npartitions):
        blocks[np.unravel_index(index, blocks.shape)] = delayed_block(array, index)
    return blocks
