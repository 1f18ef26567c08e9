"""Blocks that are read from an object which can be sliced: Zarr, HDF5, netCDF and what looks like them."""

from __future__ import annotations

import threading
import uuid
import weakref
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


class _Turns:
    """A lock that is one lock in each process, under one name in all of them."""

    def __init__(self, name: str) -> None:
        self.name, self.lock = name, threading.Lock()

    def __enter__(self) -> None:
        self.lock.acquire()

    def __exit__(self, *error: object) -> None:
        self.lock.release()

    def __reduce__(self) -> Any:
        return _lock_of, (self.name,)


_locks: weakref.WeakValueDictionary[str, _Turns] = weakref.WeakValueDictionary()
_finding = threading.Lock()


def _lock_of(name: str) -> _Turns:
    """The lock of a name in this process."""
    with _finding:
        found = _locks.get(name)
        if found is None:
            found = _locks[name] = _Turns(name)
        return found


def from_sliceable(x: Any, chunks: Any, lock: Any, getitem: Any = None) -> Array:
    """An array whose blocks are slices of `x`, read when they are computed."""
    holder: Any = _lock_of(uuid.uuid4().hex) if lock is True else lock if lock else nullcontext()
    made: list[Layout] = []

    def read(index: int) -> Any:
        part = block_slices(made[0], index)
        with holder:
            found = x[part] if getitem is None else getitem(x, part)
            check_plain(found)
            return np.asarray(found)

    # An open file belongs to this process: worker processes leave it alone.
    read.__raskt_stays__ = True  # type: ignore[attr-defined]
    shape = [int(length) for length in x.shape]
    name = f"read {type(x).__name__}"
    result = wrap(array_from_function(read, name, shape, np.dtype(x.dtype), chunks, block_bytes(), None))
    made.append(Layout(result))
    return result
