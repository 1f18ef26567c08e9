"""Where in the objects of Arrow's C++ library it says whose memory a buffer is.

A buffer may be of Arrow's allocator, over an object of Python, or of another library. Python isn't told. But these are
objects of different classes in C++, whose first word says which, and those over an object or a library refer to it.
Where, is found out with some whose owner is known. What isn't found is unknown.

While that is found out, words may be taken for addresses that are none. So memory is read then as a file, which gives
an error where none is; where the system has no such file, everything is unknown.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from raskt import _core

_WORD = ctypes.sizeof(ctypes.c_void_p)

_WORDS = range(5, 20)
"""Where in a buffer a reference to its owner may be: behind the address and the size."""

_LOWEST = 1 << 16
"""Below that are no objects."""

_HIGHEST = (1 << 63) - 4096
"""Nor above that, and files have no such places."""

_RELEASE = 8
"""Which word of an array in Arrow's C interface is the function that releases it."""

_LENGTH = 4241
"""Elements of an array that is found by having so many."""


class Layout(NamedTuple):
    """Where something is in objects of Arrow, in words."""

    place: int
    """In a Python object, the address of its buffer in C++."""

    of_allocator: int
    """The first word of a buffer of Arrow's allocator."""

    of_objects: dict[int, int]
    """By the first word, where in a buffer over a Python object the reference to that is."""

    of_libraries: dict[int, int]
    """By the first word, where in a buffer of another library the address of the array in the C interface is."""

    def identity(self, buffer: Any) -> int:
        """The address of a buffer in C++."""
        return word(id(buffer), self.place)

    def object_of(self, identity: int) -> Any:
        """The Python object that a buffer is over."""
        return ctypes.py_object.from_address(identity + self.of_objects[word(identity, 0)] * _WORD).value

    def is_of_raskt(self, identity: int) -> bool:
        """Whether a buffer of another library is of this one, by which function releases it."""
        found = _Symbol()
        array = word(identity, self.of_libraries[word(identity, 0)])
        is_known = ctypes.CDLL(None).dladdr(ctypes.c_void_p(word(array, _RELEASE)), ctypes.byref(found))
        return bool(is_known) and os.path.realpath(os.fsdecode(found.file)) == os.path.realpath(_core.__file__)


class _Symbol(ctypes.Structure):
    """What `dladdr` tells."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


@functools.cache
def layout() -> Layout | None:
    """What was found out; None if that isn't enough to tell any owner, or the system has no such file.

    Raises OSError where it can't be opened now: then it is asked again.
    """
    try:
        with _Probe() as probe:
            return probe.layout()
    except (FileNotFoundError, PermissionError):
        return None


def word(address: int, place: int) -> int:
    """A word of memory that is there."""
    return ctypes.c_size_t.from_address(address + place * _WORD).value


class _Probe:
    """Reads the memory of this process, whether something is there or not."""

    def __enter__(self) -> _Probe:
        self._memory = os.open("/proc/self/mem", os.O_RDONLY | os.O_CLOEXEC)
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._memory)

    def layout(self) -> Layout | None:
        """Where something is, as far as it is found in buffers whose owners are known."""
        import pyarrow

        array, text = np.arange(64.0), bytes(64)
        own = pyarrow.allocate_buffer(512)
        made = pyarrow.array(array)
        over = [(array, made.buffers()[1]), (array, pyarrow.py_buffer(array)), (text, pyarrow.py_buffer(text))]
        places = {self._place(buffer) for buffer in (own, *(buffer for _, buffer in over))}
        place = places.pop()
        if places or place is None:
            return None
        of_allocator = word(word(id(own), place), 0)
        if of_allocator in {word(word(id(buffer), place), 0) for _, buffer in over}:
            return None
        of_objects = dict(self._references([(id(owner), word(id(buffer), place)) for owner, buffer in over]))
        return Layout(place, of_allocator, of_objects, dict(self._of_libraries(place)))

    def _word(self, address: int, place: int) -> int | None:
        """A word of memory; None if there is none, or no object may be at such an address."""
        if address < _LOWEST or address % _WORD or address > _HIGHEST:
            return None
        try:
            found = os.pread(self._memory, _WORD, address + place * _WORD)
        except OSError:
            return None
        return int.from_bytes(found, sys.byteorder) if len(found) == _WORD else None

    def _place(self, buffer: Any) -> int | None:
        """Which word of a Python object is the address of a buffer: that which has its address and size in it."""
        for place in range(2, type(buffer).__basicsize__ // _WORD):
            words = [self._word(word(id(buffer), place), at) for at in range(_WORDS.start)]
            if (buffer.address, buffer.size) in zip(words, words[1:], strict=False):
                return place
        return None

    def _references(self, over: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """By the first words of buffers over objects, where the addresses of those are."""
        for owner, identity in over:
            at = next((at for at in _WORDS if self._word(identity, at) == owner), None)
            if at is not None:
                yield word(identity, 0), at

    def _of_libraries(self, place: int) -> Iterator[tuple[int, int]]:
        """The same for buffers of other libraries: where the address of the array in the C interface is."""
        import pyarrow

        array = pyarrow.array(np.zeros(_LENGTH))
        if not hasattr(array, "__arrow_c_array__"):
            return
        buffer = pyarrow.Array._import_from_c_capsule(*array.__arrow_c_array__()).buffers()[1]
        identity = word(id(buffer), place)
        for at in _WORDS:
            found = self._word(identity, at)
            # Its length, and how many buffers it has.
            if found is not None and (self._word(found, 0), self._word(found, 3)) == (_LENGTH, 2):
                yield word(identity, 0), at
                return
