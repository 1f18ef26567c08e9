"""Objects that can leave memory: how large they are, and what is written of them.

An object of a library is written as its pickle and the buffers that it has in memory (pickle's protocol 5), which are
not copied on the way.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

_KEPT_BYTES = 64 << 10
"""What is smaller than this stays in memory anyway."""


def measure(value: Any) -> tuple[int, bool | None]:
    """Bytes that an object of NumPy, pandas, Arrow or Polars holds, and whether nobody can change it.

    None in place of the second means that moving it costs more than it brings: it holds Python objects.
    """
    kind = type(value)
    if kind is np.ndarray:
        return value.nbytes, None if value.dtype.hasobject else False
    library = kind.__module__.partition(".")[0]
    if library == "pandas" and kind.__name__ in ("DataFrame", "Series"):
        return _of_pandas(value)
    if library == "polars" and kind.__name__ in ("DataFrame", "Series"):
        return value.estimated_size(), True
    nbytes = getattr(value, "nbytes", 0)
    return max(int(nbytes), 32), True if library == "pyarrow" else None


def _of_pandas(value: Any) -> tuple[int, bool | None]:
    arrays = [block.values for block in value._mgr.blocks]
    size = sum(array.nbytes for array in arrays)
    index = value.index
    # Numbered rows hold nothing.
    if type(index).__name__ != "RangeIndex":
        size += index.nbytes
    if size < _KEPT_BYTES:
        return size, None
    holds_objects = any(map(_holds_objects, [*arrays, index.array]))
    return size, None if holds_objects else False


def _holds_objects(array: Any) -> bool:
    own = getattr(array, "_ndarray", array)
    return isinstance(own, np.ndarray) and own.dtype.hasobject


def is_shared(value: Any) -> bool:
    """Whether another frame refers to the data of this one."""
    if type(value).__module__.partition(".")[0] != "pandas":
        return False
    return any(block.refs.has_reference() for block in value._mgr.blocks)


def dump(value: Any) -> tuple[list[Any], list[bool]]:
    """What is written of an object: arrays of bytes, the pickle first; and which of them can't be written to."""
    if type(value) in (bytes, bytearray):
        views = [memoryview(pickle.dumps(type(value))), memoryview(value)]
    else:
        buffers: list[pickle.PickleBuffer] = []
        head = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
        views = [memoryview(head), *(buffer.raw() for buffer in buffers)]
    return [_bytes_of(view) for view in views], [view.readonly for view in views]


def _bytes_of(view: memoryview) -> Any:
    return np.frombuffer(view, np.uint8) if view.nbytes else np.empty(0, np.uint8)


def load(arrays: list[Any]) -> Any:
    """The object that was written as those arrays."""
    head, *buffers = arrays
    value = pickle.loads(head, buffers=buffers)
    return value(buffers[0]) if value is bytes or value is bytearray else value
