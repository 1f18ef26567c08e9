"""Whether somebody beside the store refers to what is in an object, or may write to its memory.

An object of which that is so stays as it is: letting it go would free nothing, or what comes back wouldn't be what the
others see. What isn't known counts as shared.
"""

from __future__ import annotations

import collections
import datetime
import decimal
import fractions
import gc
import sys
import types
import uuid
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from raskt import _core

_CONSTANTS = (
    *(bool, int, float, complex, type(None), type(Ellipsis), type(NotImplemented)),
    *(datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone),
    *(decimal.Decimal, fractions.Fraction, uuid.UUID, range),
)
"""Kinds of which nobody can change an object: it makes no difference whether others refer to it."""

_BY_NAME = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)
"""What is written as a name, so that the same comes back."""

_LEAVES = (bytes, bytearray, str, np.generic, *_BY_NAME)
"""What refers to nothing that counts."""

_SMALL = 4096
"""Immutable bytes and texts of no more characters may be everybody's: they free nothing that counts."""

_CONSTANT_ELEMENTS = 1000
"""Elements of tuples that are looked at to see that nobody can change them."""

_FRAMES = ("DataFrame", "Series")

_ARROW_ALIGNMENT = 64
"""Where Arrow's own memory begins."""


def is_shared(value: Any) -> bool:
    """Whether somebody refers to what is in `value`, or may write to its memory.

    Who refers to `value` itself isn't looked at.
    """
    if _is_watched(value):
        return True
    inside = _Inside()
    inside.look_into(value)
    return inside.is_shared or inside.has_other_references() or inside.has_overlaps()


class _Inside:
    """What is in an object, and how often it is referred to from there."""

    def __init__(self) -> None:
        self.is_shared = False
        # The first shows how many references there are while they are counted.
        self._met: list[Any] = [object()]
        self._references: dict[int, int] = {}
        # Where arrays begin and end, by the memory that they are of.
        self._ends: dict[int, dict[int, tuple[int, int]]] = {}

    def look_into(self, value: Any) -> None:
        """Look at all that `value` refers to, until something is shared."""
        left = [value]
        while left and not self.is_shared:
            for element in self._elements(left.pop()):
                if _is_constant(element):
                    continue
                if isinstance(element, bytearray):
                    self._ends.setdefault(id(element), {})[id(element)] = _byte_bounds(np.frombuffer(element, "u1"))
                if isinstance(element, np.ndarray) and element.size:
                    self._ends.setdefault(id(_owner(element)), {})[id(element)] = _byte_bounds(element)
                if self._meet(element):
                    left.append(element)

    def has_other_references(self) -> bool:
        """Whether more refer to something in it than what is in it does."""
        usual = None
        for each in self._met:
            found = sys.getrefcount(each) - self._references.get(id(each), 0)
            if usual is None:
                usual = found
            elif found > usual:
                return True
        return False

    def has_overlaps(self) -> bool:
        """Whether arrays show the same elements of one piece of memory: they come back as pieces of their own."""
        for bounds in self._ends.values():
            ends = sorted(bounds.values())
            if any(end > start for (_, end), (start, _) in zip(ends, ends[1:], strict=False)):
                return True
        return False

    def _meet(self, each: Any) -> bool:
        """Count a reference; whether it is the first."""
        seen = self._references.get(id(each), 0)
        self._references[id(each)] = seen + 1
        if not seen:
            self._met.append(each)
            self.is_shared |= _is_watched(each)
        return not seen

    def _elements(self, value: Any) -> Iterator[Any]:
        """What an object refers to; what is neither in it nor its own makes it shared."""
        if isinstance(value, dict):
            yield from value
            yield from value.values()
            if isinstance(value, collections.defaultdict):
                yield value.default_factory
        elif isinstance(value, tuple | list | set | frozenset):
            yield from value
        elif isinstance(value, np.ndarray):
            start, end = _byte_bounds(value)
            # An element that is there twice would come back as two.
            self.is_shared |= end - start < value.nbytes
            self._meet_bases(value)
        elif not isinstance(value, _LEAVES):
            yield from self._of_library(value)

    def _of_library(self, value: Any) -> Iterator[Any]:
        kind = type(value)
        library = kind.__module__.partition(".")[0]
        if library == "pandas" and kind.__name__ in _FRAMES:
            yield from self._of_frame(value)
        elif library == "pandas" and hasattr(value, "_from_sequence"):
            yield from self._of_extension(value)
        elif library == "pyarrow":
            self.is_shared |= any(map(_is_of_others, buffers_of(value)))
        elif library != "polars" or kind.__name__ not in _FRAMES:
            # Nobody knows what it refers to.
            self.is_shared = True

    def _of_frame(self, frame: Any) -> Iterator[Any]:
        """The arrays of a frame, and what somebody has put beside them.

        Frames and labels share labels, which nobody changes. Only whose memory they are in counts.
        """
        for block in frame._mgr.blocks:
            self.is_shared |= block.refs.has_reference()
            yield block.values
        if frame._attrs:
            yield frame._attrs
        for labels in frame.axes:
            for level in labels.levels if labels.nlevels > 1 else [labels]:
                if type(level).__name__ != "RangeIndex":
                    self._meet_memory_of(level.array)

    def _of_extension(self, array: Any) -> Iterator[Any]:
        """The arrays that an array of pandas consists of."""
        parts = [part for name, part in getattr(array, "__dict__", {}).items() if name not in ("_cache", "_dtype")]
        own = getattr(array, "_ndarray", None)
        for part in parts if own is None else [*parts, own]:
            library = type(part).__module__.partition(".")[0]
            if isinstance(part, np.ndarray):
                yield part
            elif library == "pyarrow":
                self.is_shared |= any(map(_is_of_others, buffers_of(part)))
            elif hasattr(part, "_from_sequence"):
                yield part

    def _meet_bases(self, array: Any) -> None:
        """Count the references to what the memory of an array belongs to."""
        base = array.base
        while isinstance(base, np.ndarray):
            if not self._meet(base):
                return
            array, base = base, base.base
        self._meet_owner(array, base)

    def _meet_memory_of(self, labels: Any) -> None:
        """The same for labels, without the arrays that they share with others."""
        array = getattr(labels, "_ndarray", labels)
        while isinstance(array, np.ndarray):
            if not isinstance(array.base, np.ndarray):
                self._meet_owner(array, array.base)
            array = array.base

    def _meet_owner(self, array: Any, owner: Any) -> None:
        """Count the references to what owns the memory of an array, where they can be counted."""
        if owner is None:
            # Extensions may show memory of theirs and not say so.
            self.is_shared |= not array.flags.owndata
        elif isinstance(owner, _core.ChunkOwner) or _is_of_arrow(owner):
            return
        elif isinstance(owner, bytes | bytearray):
            self._meet(owner)
        elif isinstance(owner, memoryview):
            self._meet_view(owner)
        else:
            self.is_shared = True

    def _meet_view(self, view: memoryview) -> None:
        """Several views may share an object between them and what they show, which holds that."""
        between = gc.get_referents(view)
        shown = view.obj
        if len(between) != 1 or not isinstance(shown, bytes | bytearray | np.ndarray):
            self.is_shared = True
        elif self._meet(view) and self._meet(between[0]) and self._meet(shown) and isinstance(shown, np.ndarray):
            self._meet_bases(shown)


def _is_watched(value: Any) -> bool:
    """Whether somebody has a weak reference: he may change it while it is written, and nobody sees that.

    The flags of a frame have one to it, so that those of others aren't found.
    """
    is_frame = type(value).__module__.partition(".")[0] == "pandas" and type(value).__name__ in _FRAMES
    return not is_frame and weakref.getweakrefcount(value) > 0


def _owner(array: Any) -> Any:
    """The object that the memory of an array belongs to."""
    while True:
        if isinstance(array, np.ndarray) and array.base is not None:
            array = array.base
        elif isinstance(array, memoryview):
            array = array.obj
        else:
            return array


def _byte_bounds(array: Any) -> tuple[int, int]:
    """Where the first and behind the last byte of an array is."""
    start = end = array.__array_interface__["data"][0]
    for length, stride in zip(array.shape, array.strides, strict=True):
        reach = (length - 1) * stride
        start, end = start + min(reach, 0), end + max(reach, 0)
    return start, end + array.itemsize


def _is_of_arrow(owner: Any) -> bool:
    """Whether Arrow made the memory for a frame: what it only shows has another name."""
    return type(owner).__name__ == "PyCapsule" and repr(owner).startswith('<capsule object "arrow::Buffer"')


def _is_constant(value: Any) -> bool:
    """Whether nobody can change it, and it is too small to count: it may be everybody's, as literals and `()` are."""
    left, looked_at = [value], 0
    while left and looked_at < _CONSTANT_ELEMENTS:
        looked_at += 1
        each = left.pop()
        kind = type(each)
        if kind in (tuple, frozenset):
            if len(each) > _CONSTANT_ELEMENTS:
                return False
            left.extend(each)
        elif kind in (str, bytes):
            if len(each) > _SMALL:
                return False
        elif isinstance(each, float | complex | decimal.Decimal | np.inexact) and each != each:
            # It is found in containers by what object it is.
            return False
        elif kind not in _CONSTANTS and not isinstance(each, _BY_NAME):
            if not isinstance(each, np.generic) or isinstance(each, np.void | np.object_):
                return False
    return not left


def buffers_of(value: Any) -> Iterator[Any]:
    """The buffers of an object of Arrow that holds data."""
    import pyarrow

    if isinstance(value, pyarrow.Buffer):
        yield value
    elif isinstance(value, pyarrow.Table | pyarrow.RecordBatch):
        for column in value.columns:
            yield from buffers_of(column)
    elif isinstance(value, pyarrow.ChunkedArray):
        for chunk in value.chunks:
            yield from buffers_of(chunk)
    elif isinstance(value, pyarrow.Array):
        yield from (buffer for buffer in value.buffers() if buffer is not None)
        if isinstance(value, pyarrow.DictionaryArray):
            yield from buffers_of(value.dictionary)


def _is_of_others(buffer: Any) -> bool:
    """Whether a buffer of Arrow shows memory that somebody else may write to: an array's of NumPy most likely.

    Arrow doesn't tell whose it is. But its own begins at certain addresses, and what can't be written to is of bytes or
    of files.
    """
    while (parent := buffer.parent) is not None:
        buffer = parent
    return buffer.is_mutable and buffer.size > 0 and buffer.address % _ARROW_ALIGNMENT != 0
