"""Whose memory the buffers of Arrow are.

What Arrow has allocated is taken to be nobody else's: as Arrow says, what is in an array isn't written to any more. But
arrays may be over memory that others go on to write to, of NumPy, of a file or of another library.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from raskt._moving.arrow_layout import layout, word

ALLOCATED = "allocated by Arrow or raskt"
UNKNOWN = "nobody knows"


class Memory(NamedTuple):
    """What is known of a buffer."""

    identity: int
    """The same for all Python objects that stand for it."""

    owner: Any
    """`ALLOCATED`, `UNKNOWN`, or the Python object whose memory it is."""


def buffers_of(value: Any) -> Iterator[Any]:
    """The buffers of an object of Arrow; None where there are some that can't be reached."""
    import pyarrow

    if isinstance(value, pyarrow.Buffer):
        # Others have more than what is written of them.
        yield value if type(value) is pyarrow.Buffer else None
    elif isinstance(value, pyarrow.Table | pyarrow.RecordBatch):
        for column in value.columns:
            yield from buffers_of(column)
    elif isinstance(value, pyarrow.ChunkedArray):
        for chunk in value.chunks:
            yield from buffers_of(chunk)
    elif isinstance(value, pyarrow.ExtensionArray):
        if isinstance(value.type, pyarrow.ExtensionType):
            # Of a class in Python, which may hold anything.
            yield None
        yield from buffers_of(value.storage)
    elif isinstance(value, pyarrow.Array):
        yield from (buffer for buffer in value.buffers() if buffer is not None)
        if isinstance(value, pyarrow.DictionaryArray):
            yield from buffers_of(value.dictionary)
        elif _has_dictionaries(value.type):
            yield None
    elif not isinstance(value, pyarrow.DataType | pyarrow.Field | pyarrow.Schema):
        yield None


def memory_of(buffer: Any) -> Memory:
    """What is known of a buffer, by that which it is a part of."""
    while (parent := buffer.parent) is not None:
        buffer = parent
    known = layout()
    if known is None:
        return Memory(buffer.address, UNKNOWN)
    identity = known.identity(buffer)
    kind = word(identity, 0)
    if kind == known.of_allocator or (kind in known.of_libraries and known.is_of_raskt(identity)):
        return Memory(identity, ALLOCATED)
    return Memory(identity, known.object_of(identity) if kind in known.of_objects else UNKNOWN)


def _has_dictionaries(kind: Any) -> bool:
    """Whether arrays of a type hold dictionaries, which aren't among their buffers."""
    import pyarrow

    if isinstance(kind, pyarrow.DictionaryType):
        return True
    if isinstance(kind, pyarrow.BaseExtensionType):
        return _has_dictionaries(kind.storage_type)
    return any(_has_dictionaries(kind.field(at).type) for at in range(kind.num_fields))
