"""Objects that can leave memory: how large they are, and what is written of them.

An object of a library is written as its pickle and the buffers that it has in memory (pickle's protocol 5), which are
not copied on the way.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np

from raskt import _core
from raskt._moving import tables
from raskt._moving.arrays import Pickler, is_exact_type

_LOOKED_AT = 200
"""Objects of an array that are looked at to tell how large they are."""

_KEPT_BYTES = 64 << 10
"""What is smaller than this stays in memory anyway."""


def measure(value: Any) -> tuple[int, bool | None]:
    """Bytes that an object of NumPy, pandas, Arrow or Polars holds, and whether nobody can change it.

    None in place of the second means that moving it costs more than it brings: it holds Python objects.
    """
    kind = type(value)
    if kind is np.ndarray:
        return value.nbytes + _of_objects(value), False if is_exact_type(value.dtype) else None
    library = kind.__module__.partition(".")[0]
    if library == "pandas" and kind.__name__ in ("DataFrame", "Series"):
        return _of_pandas(value)
    if library == "polars" and kind.__name__ in ("DataFrame", "Series"):
        # They have methods that change them in place.
        return value.estimated_size(), False
    if library == "pyarrow":
        return _of_arrow(value)
    derived = {
        base.__module__.partition(".")[0] for base in kind.__mro__[1:] if base.__name__ in ("DataFrame", "Series")
    }
    # Of a class that somebody derived from a library's, nobody knows what else it refers to.
    if "pandas" in derived:
        return _of_pandas(value)[0], None
    if "polars" in derived:
        return value.estimated_size(), None
    return max(int(getattr(value, "nbytes", 0)), 32), None


def _of_arrow(value: Any) -> tuple[int, bool | None]:
    """Who gets one of its buffers may write to it."""
    import pyarrow

    size = value.size if isinstance(value, pyarrow.Buffer) else getattr(value, "nbytes", 0)
    holds_buffers = isinstance(
        value, pyarrow.Buffer | pyarrow.Array | pyarrow.ChunkedArray | pyarrow.RecordBatch | pyarrow.Table
    )
    return max(int(size), 32), False if holds_buffers else None


def _of_pandas(value: Any) -> tuple[int, bool | None]:
    arrays = [block.values for block in value._mgr.blocks]
    size = sum(array.nbytes + _of_objects(array) for array in arrays)
    if value.attrs:
        size += _core.size_of(value.attrs)
    index = value.index
    # Numbered rows hold nothing.
    if type(index).__name__ != "RangeIndex":
        size += index.nbytes
    if size < _KEPT_BYTES:
        return size, None
    # Texts and numbers are what columns and categories are called anyway.
    named = [value._mgr.axes[0], *(each for array in arrays for each in tables.categories_of(array))]
    holds_objects = any(map(tables.holds_objects, [*arrays, *tables.arrays_of(index)]))
    return size, None if holds_objects or not all(map(tables.are_constants, named)) else False


def _of_objects(array: Any) -> int:
    """About how many bytes the objects of an array hold: as much each as those that are looked at."""
    own = getattr(array, "_ndarray", array)
    if not (isinstance(own, np.ndarray) and own.dtype == object and own.size):
        return 0
    flat = own.flat[:: max(1, own.size // _LOOKED_AT)]
    return own.size * sum(map(_core.size_of, flat)) // len(flat)


def dump(value: Any) -> tuple[list[Any], list[bool], dict[int, Any]]:
    """What is written of an object: arrays of bytes, the pickle first; which of them are read-only; what stays."""
    kept: dict[int, Any] = {}
    if type(value) in (bytes, bytearray):
        views = [memoryview(pickle.dumps(type(value))), memoryview(value)]
    else:
        pickler = Pickler(head := io.BytesIO())
        pickler.dump(value)
        kept = pickler.kept
        views = [head.getbuffer(), *(buffer.raw() for buffer in pickler.buffers)]
    return [_bytes_of(view) for view in views], [view.readonly for view in views], kept


def _bytes_of(view: memoryview) -> Any:
    return np.frombuffer(view, np.uint8) if view.nbytes else np.empty(0, np.uint8)


class _Unpickler(pickle.Unpickler):
    """Reads what `Pickler` wrote."""

    def __init__(self, head: Any, buffers: list[Any], kept: dict[int, Any]) -> None:
        super().__init__(io.BytesIO(head), buffers=buffers)
        self._kept = kept

    def persistent_load(self, number: int) -> Any:
        return self._kept[number]


def load(arrays: list[Any], kept: dict[int, Any]) -> Any:
    """The object that was written as those arrays, and beside which that was kept."""
    head, *buffers = arrays
    value = _Unpickler(head, buffers, kept).load()
    return value(buffers[0]) if value is bytes or value is bytearray else value
