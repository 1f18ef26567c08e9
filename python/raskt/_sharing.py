"""Whether somebody beside the store refers to what is in an object, or may write to its memory.

An object of which that is so stays as it is: letting it go would free nothing, or what comes back wouldn't be what the
others see. What isn't known counts as shared.
"""

from __future__ import annotations

import collections
import gc
import sys
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from raskt import _core
from raskt._moving import arrow, tables
from raskt._moving.arrays import byte_bounds, is_exact_type
from raskt._moving.constants import is_constant, is_plain_container, keeps_order

_LEAVES = (bytes, bytearray, str)
"""What refers to nothing. Those of derived classes may have something beside them."""

_CONTAINERS = (dict, list, tuple, set, frozenset)


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
        self._buffers: set[int] = set()
        self._labels: dict[int, Any] = {}

    def look_into(self, value: Any) -> None:
        """Look at all that `value` refers to, until something is shared."""
        left = [value]
        while left and not self.is_shared:
            for element in self._elements(left.pop()):
                if is_constant(element):
                    continue
                self._note_bounds(element)
                if self._meet(element):
                    left.append(element)

    def _note_bounds(self, element: Any) -> None:
        """Note which part of a piece of memory an element shows."""
        if isinstance(element, bytes | bytearray):
            self._ends.setdefault(id(element), {})[id(element)] = byte_bounds(np.frombuffer(element, np.uint8))
        elif isinstance(element, np.ndarray) and element.size:
            self._ends.setdefault(id(_owner(element)), {})[id(element)] = byte_bounds(element)

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
        if isinstance(value, _CONTAINERS):
            yield from self._of_container(value)
        elif type(value) is np.ndarray:
            start, end = byte_bounds(value)
            # An element that is there twice would come back as two.
            self.is_shared |= end - start < value.nbytes or not (value.dtype.hasobject or is_exact_type(value.dtype))
            if value.dtype.names is not None:
                # Whoever has it may call its fields otherwise.
                self._meet(value.dtype)
            self._meet_bases(value)
        elif not _is_leaf(value) and not tables.are_flags(value):
            yield from self._of_library(value)

    def _of_container(self, value: Any) -> Iterator[Any]:
        self.is_shared |= not is_plain_container(value)
        # Methods of a class that somebody derived may show something else.
        own = next(kind for kind in _CONTAINERS if isinstance(value, kind))
        if own in (set, frozenset):
            # Any other could come to stand elsewhere.
            self.is_shared |= not (all(map(is_constant, own.__iter__(value))) and keeps_order(value))
            return
        yield from own.__iter__(value)
        if own is dict:
            yield from dict.values(value)
        if isinstance(value, collections.defaultdict):
            yield value.default_factory

    def _of_library(self, value: Any) -> Iterator[Any]:
        if tables.is_frame(value):
            yield from self._of_frame(value)
        elif _is_of_library(value, "pandas") and tables.is_array(value):
            self._meet_labels(tables.categories_of(value))
            self.is_shared |= not tables.is_plain_type(value.dtype)
            parts = list(tables.parts_of_array(value))
            of_arrow = [part for part in parts if _is_of_library(part, "pyarrow")]
            # Nobody changes these, so that it doesn't matter who refers to them.
            self._meet_memory(of_arrow)
            yield from (part for part in parts if not _is_of_library(part, "pyarrow"))
        elif _is_of_library(value, "pyarrow"):
            self._meet_buffers(value)
        elif not _is_of_library(value, "polars") or type(value).__name__ not in tables.FRAMES:
            # Nobody knows what it refers to.
            self.is_shared = True

    def _of_frame(self, frame: Any) -> Iterator[Any]:
        """The arrays of a frame, and what somebody has put beside them."""
        self.is_shared |= tables.has_own_attributes(frame)
        for block in frame._mgr.blocks:
            self.is_shared |= block.refs.has_reference()
            yield block.values
        if frame._attrs:
            yield frame._attrs
        # Who has them changes the frame by them.
        yield from tables.flags_of(frame)
        self._meet_labels(tables.labels_of(frame))

    def _meet_labels(self, labels: list[Any]) -> None:
        """Count the references to the memory of labels.

        Frames and labels share labels, which nobody changes: only who refers to their memory beside such counts.
        """
        for each in labels:
            if id(each) not in self._labels:
                self.is_shared |= not tables.are_constants(each)
                for holder in tables.holders_of(each):
                    if id(holder) not in self._labels:
                        self._labels[id(holder)] = holder
                        self._meet_memory(tables.held_by(holder))

    def _meet_memory(self, parts: list[Any]) -> None:
        """Count the references to arrays of labels."""
        for part in parts:
            if _is_of_library(part, "pyarrow"):
                self._meet_buffers(part)
            elif isinstance(part, np.ndarray):
                if self._meet(part):
                    self._meet_bases(part)
            elif not is_constant(part) and self._meet(part):
                self._meet_labels(tables.categories_of(part))
                self._meet_memory(list(tables.parts_of_array(part)))

    def _meet_buffers(self, value: Any) -> None:
        """Count the references to the memory that an object of Arrow is over."""
        for buffer in arrow.buffers_of(value):
            if buffer is None:
                self.is_shared = True
            elif buffer.size:
                memory = arrow.memory_of(buffer)
                if memory.identity not in self._buffers:
                    self._buffers.add(memory.identity)
                    self._meet_owner_of(buffer, memory.owner)

    def _meet_owner_of(self, buffer: Any, owner: Any) -> None:
        if owner is arrow.ALLOCATED:
            return
        if not isinstance(owner, np.ndarray | bytes | bytearray | memoryview):
            self.is_shared = True
            return
        bounds = buffer.address, buffer.address + buffer.size
        self._ends.setdefault(id(_owner(owner)), {})[id(buffer)] = bounds
        if isinstance(owner, memoryview):
            self._meet_view(owner)
        elif self._meet(owner) and isinstance(owner, np.ndarray):
            self._meet_bases(owner)

    def _meet_bases(self, array: Any) -> None:
        """Count the references to what the memory of an array belongs to."""
        base = array.base
        while isinstance(base, np.ndarray):
            # One of another class may have more beside its elements.
            self.is_shared |= type(base) is not np.ndarray
            if not self._meet(base):
                return
            array, base = base, base.base
        self._meet_owner(array, base)

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
        elif not array.flags.writeable and _is_of_library(owner, "pyarrow"):
            self._meet_buffers(owner)
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
    return not tables.is_frame(value) and weakref.getweakrefcount(value) > 0


def _is_leaf(value: Any) -> bool:
    """Whether an object refers to nothing that counts."""
    kind = type(value)
    return kind in _LEAVES or (isinstance(value, np.generic) and kind.__module__ == "numpy" and not _may_refer(value))


def _may_refer(value: Any) -> bool:
    """Whether one element of an array may refer to other objects, or is a part of an array."""
    return isinstance(value, np.void | np.object_)


def _is_of_library(value: Any, name: str) -> bool:
    return type(value).__module__.partition(".")[0] == name


def _owner(array: Any) -> Any:
    """The object that the memory of an array belongs to."""
    while True:
        if isinstance(array, np.ndarray) and array.base is not None:
            array = array.base
        elif isinstance(array, memoryview):
            array = array.obj
        else:
            return array


def _is_of_arrow(owner: Any) -> bool:
    """Whether Arrow made the memory for a frame: what it only shows has another name."""
    return type(owner).__name__ == "PyCapsule" and repr(owner).startswith('<capsule object "arrow::Buffer"')
