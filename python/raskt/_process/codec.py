"""Objects in messages.

A message is a header and a body. The body is a pickle of whatever the two sides tell each other, in which objects of
users are pickles of their own, so that one that can't be read harms no other. Buffers of `SHARED_BYTES_LEAST` or more
(arrays, columns) stay out of it: they lie in anonymous memory whose descriptor goes with the message, and the reader
maps them. A body that is too long for a message lies there too.
"""

from __future__ import annotations

import io
import mmap
import os
import pickle
import struct
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

from raskt._core import map_shared
from raskt._process import importable

SHARED_BYTES_LEAST = 64 << 10
"""Buffers smaller than this are copied into the message: a mapping costs as much as copying so many bytes."""

BODY_BYTES_MOST = 64 << 10
"""A body longer than this goes into shared memory; the native side reads messages of up to 96 KiB."""

HEADER = struct.Struct("<QQ")
"""Bytes of shared memory, and where in it the body starts; a start of `INLINE` means that the body follows."""

INLINE = 2**64 - 1
ALIGNMENT = 64

Keep = Callable[[pickle.PickleBuffer], bool]
"""Whether a buffer stays in a pickle."""

Place = Callable[[Any], Any]
"""Where an object is that isn't in a pickle; `None` if it is."""

Entry = tuple[bytes, int]
"""An object: its pickle, and how many shared buffers it has."""


def dump(thing: object, buffers: list[memoryview]) -> Entry:
    """Pickles `thing`; its large buffers are added to `buffers`.

    What lives in the user's main module, or another one that no process could import, goes by value (cloudpickle).
    """
    start = len(buffers)
    keep = _Keep(buffers)
    data = dump_by_name(thing, keep)
    if data is None:
        del buffers[start:]
        try:
            data = dump_by_value(thing, keep)
        except BaseException:
            del buffers[start:]
            raise
    return data, len(buffers) - start


def dump_by_name(thing: object, keep: Keep | None = None, place: Place | None = None) -> bytes | None:
    """Pickles `thing` with functions and classes by their names; nothing if one can't be imported elsewhere.

    `place` says of an object where it is to be found if it isn't to be in the pickle.
    """
    file = io.BytesIO()
    try:
        _placing(_ByName(file, protocol=5, buffer_callback=keep), place).dump(thing)
    except Exception:
        return None
    data = file.getvalue()
    # The name may stand in it for another reason; then the slower way gives the same.
    return None if b"__main__" in data else data


class _ByName(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        if importable.is_here_only(obj):
            raise pickle.PicklingError(f"{obj!r} can't be imported elsewhere")
        return NotImplemented


def dump_by_value(thing: object, keep: Keep | None = None, place: Place | None = None) -> bytes:
    """Pickles `thing` with functions and classes that can't be imported elsewhere in it."""
    file = io.BytesIO()
    _placing(_by_value()(file, protocol=5, buffer_callback=keep), place).dump(thing)
    return file.getvalue()


def _placing(pickler: pickle.Pickler, place: Place | None) -> pickle.Pickler:
    if place is not None:
        pickler.persistent_id = place  # type: ignore[method-assign]
    return pickler


@cache
def _by_value() -> Any:
    import cloudpickle

    class Pickler(cloudpickle.Pickler):
        def reducer_override(self, obj: Any) -> Any:
            if importable.is_here_only(obj):
                return self._by_value(obj)
            if isinstance(obj, memoryview):
                return _parts_of_view(obj)
            if not isinstance(obj, CodeType):
                return super().reducer_override(obj)
            # Newer versions leave out where code comes from, and with it the user's lines in tracebacks.
            make, parts = self.dispatch_table[CodeType](obj)
            return make, tuple(obj.co_filename if part == "<dynamic-code>" else part for part in parts)

        def _by_value(self, obj: Any) -> Any:
            # The registry of modules that go by value is one for all threads, so that it isn't used.
            if isinstance(obj, ModuleType):
                state = {name: value for name, value in vars(obj).items() if name != "__builtins__"}
                return cloudpickle.cloudpickle.dynamic_subimport, (obj.__name__, state)
            if isinstance(obj, FunctionType):
                return self._dynamic_function_reduce(obj)
            return cloudpickle.cloudpickle._dynamic_class_reduce(obj)

    return Pickler


def _parts_of_view(view: memoryview) -> Any:
    """How a view of memory travels: with what it is a view of, where cloudpickle would give its bytes alone."""
    memory = view.tobytes() if view.readonly else bytearray(view.tobytes())
    if (view.format, view.ndim) == ("B", 1):
        return memoryview, (memory,)
    with suppress(TypeError, ValueError):
        memoryview(bytes(view.itemsize)).cast(view.format)
        if view.nbytes:
            return _view, (memory, view.format, view.shape)
    kind = f"a memoryview of format {view.format!r} and shape {view.shape}"
    raise TypeError(f"{kind} can't be sent to another process: send an array, or its tobytes()")


def _view(memory: bytes | bytearray, form: str, shape: tuple[int, ...]) -> memoryview:
    return memoryview(memory).cast(form, shape)  # type: ignore[call-overload]


SHARED_FUTURE = "raskt.future"
"""What a pickle says instead of a future that stays where it is."""


def dump_sharing(thing: object, refer: Callable[[Any], Any]) -> bytes:
    """Pickles `thing` by value; in the place of a future of a cluster stands what `refer` gives."""
    from raskt._core import ClusterFuture

    def place(obj: Any) -> Any:
        return (SHARED_FUTURE, refer(obj), obj.key) if type(obj) is ClusterFuture else None

    # A class of its own would keep what `refer` has until garbage is collected.
    return dump_by_value(thing, None, place)


class _Keep:
    """Takes large buffers out of a pickle."""

    def __init__(self, buffers: list[memoryview]) -> None:
        self.buffers = buffers

    def __call__(self, buffer: pickle.PickleBuffer) -> bool:
        try:
            view = buffer.raw()
        except BufferError:
            return True
        if view.nbytes < SHARED_BYTES_LEAST:
            return True
        self.buffers.append(view)
        return False


def seal(content: object, buffers: Sequence[memoryview]) -> tuple[bytes, int]:
    """The message of `content`, and the descriptor of its shared memory (-1 if it has none), which the caller owns."""
    body = pickle.dumps((content, [view.nbytes for view in buffers]), protocol=5)
    is_inline = len(body) <= BODY_BYTES_MOST
    if not buffers and is_inline:
        return HEADER.pack(0, INLINE) + body, -1
    descriptor = os.memfd_create("raskt", os.MFD_CLOEXEC)
    try:
        end = 0
        for view in buffers:
            end = _write(descriptor, view, _aligned(end))
        start = INLINE if is_inline else _aligned(end)
        length = end if is_inline else _write(descriptor, body, start)
    except BaseException:
        os.close(descriptor)
        raise
    return HEADER.pack(length, start) + (body if is_inline else b""), descriptor


def open_sealed(message: bytes, descriptor: int) -> tuple[Any, list[memoryview]]:
    """What `seal` was given: the content, and views of the shared buffers. The descriptor stays the caller's."""
    length, start = HEADER.unpack_from(message)
    shared = memoryview(map_shared(descriptor, length)) if length else memoryview(b"")
    content, sizes = pickle.loads(message[HEADER.size :] if start == INLINE else shared[start:])
    views, end = [], 0
    for size in sizes:
        begin = _aligned(end)
        end = begin + size
        views.append(shared[begin:end])
    return content, views


def load(entry: Entry, views: list[memoryview], start: int) -> Any:
    """The object of an entry whose buffers begin at `start` of `views`."""
    data, count = entry
    return pickle.loads(data, buffers=views[start : start + count])


def _aligned(offset: int) -> int:
    return -(-offset // ALIGNMENT) * ALIGNMENT


def _write(descriptor: int, data: bytes | memoryview, offset: int) -> int:
    """Writes all of `data` and gives the offset behind it. One call writes 2 GiB at most."""
    rest = memoryview(data).cast("B")
    while rest.nbytes:
        written = os.pwrite(descriptor, rest, offset)
        offset += written
        rest = rest[written:]
    return offset


def shared_words(descriptor: int) -> memoryview:
    """The words that a process and its parent both see."""
    return memoryview(mmap.mmap(descriptor, 16)).cast("Q")
