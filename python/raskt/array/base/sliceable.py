"""Blocks that are read from an object which can be sliced: Zarr, HDF5, netCDF and what looks like them."""

from __future__ import annotations

import threading
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_from_function
from raskt.array.base.layout import Layout, block_slices
from raskt.array.base.plain import check_plain
from raskt.array.base.registry import wrap
from raskt.array.base.settings import block_bytes

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["from_sliceable"]


def from_sliceable(x: Any, chunks: Any, lock: Any, getitem: Any = None) -> Array:
    """An array whose blocks are slices of `x`, read when they are computed."""
    holder: Any = threading.Lock() if lock is True else lock if lock else nullcontext()
    made: list[Layout] = []

    def read(index: int) -> Any:
        part = block_slices(made[0], index)
        with holder:
            found = x[part] if getitem is None else getitem(x, part)
            check_plain(found)
            return np.asarray(found)

    # An open file belongs to this process, and so does a lock: worker processes leave it alone.
    read.__raskt_stays__ = True  # type: ignore[attr-defined]
    shape = [int(length) for length in x.shape]
    name = f"read {type(x).__name__}"
    result = wrap(array_from_function(read, name, shape, np.dtype(x.dtype), chunks, block_bytes(), None))
    made.append(Layout(result))
    return result
