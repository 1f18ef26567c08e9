"""Pickles without the data in them: what is large travels beside, once, wherever it stands."""

from __future__ import annotations

import functools
import io
import operator
import pickle
from collections.abc import Callable
from typing import Any

from raskt import _core
from raskt._process import codec, known

LARGE_BYTES = 64 << 10
"""Objects of as many bytes are taken out of pickles."""

WHOLE_BYTES = 1 << 20
"""A pickle that has as many bytes without them is such an object itself."""

PLAIN = frozenset((int, float, complex, bool, type(None), str, bytes, _core.Slot))
"""What anybody can read as it is, and what stands for results."""

Way = Callable[..., bytes]
"""How something is pickled: `keep` is asked about buffers, and `place` about objects."""


def dump_function(function: Any) -> bytes | None:
    """The pickle of a function; nothing if there is something large in it."""
    return known.pickled(function, _dump_function)


def _dump_function(function: Any) -> bytes | None:
    return _if_small(function, codec.dump_by_value)


def dump_arguments(arguments: tuple[Any, ...]) -> bytes | None:
    """The pickle of the arguments of a call; nothing if there is something large in it."""
    if PLAIN.issuperset(map(type, arguments)):
        data = pickle.dumps(arguments, protocol=5)
        return data if len(data) < LARGE_BYTES else None
    return _if_small(arguments, _by_either)


def load(data: bytes) -> Any:
    """What was pickled, with what was taken out of it; only a task that has that reads it."""
    reader = pickle.Unpickler(io.BytesIO(data))
    reader.persistent_load = _core._taken  # type: ignore[method-assign]
    return reader.load()


class Apart:
    """What is large in some pickles.

    `whole` are objects that are taken out as they are; `shared` has the numbers of those that stand elsewhere, by their
    addresses.
    """

    def __init__(self, whole: list[Any] | None = None, shared: dict[int, int] | None = None) -> None:
        self.objects: list[Any] = []
        self._places: dict[int, int] = {}
        self._whole = {id(thing) for thing in whole or ()}
        self._shared = shared or {}

    def dump_function(self, function: Any) -> bytes:
        """The pickle of a function."""
        return self._small(codec.dump_by_value(function, place=self._place))

    def dump_arguments(self, arguments: tuple[Any, ...]) -> bytes:
        """The pickle of the arguments of a call."""
        data = codec.dump_by_name(arguments, place=self._place)
        if data is None:
            # What this has taken needn't be met once more.
            self.objects, self._places = [], {}
            data = codec.dump_by_value(arguments, place=self._place)
        return self._small(data)

    def _small(self, data: bytes) -> bytes:
        """The pickle; what reads it if it is to be an object beside."""
        if len(data) < WHOLE_BYTES:
            return data
        at = self._take(data)
        return codec.dump_by_value(_Later(data), place=lambda thing: at if thing is data else None)

    def _place(self, thing: Any) -> int | None:
        address = id(thing)
        found = self._places.get(address)
        if found is None:
            found = self._shared.get(address)
        if found is None and (address in self._whole or _bytes_of(type(thing))(thing) >= LARGE_BYTES):
            found = self._take(thing)
        return found

    def _take(self, thing: Any) -> int:
        at = self._places[id(thing)] = len(self.objects)
        self.objects.append(thing)
        return at


class _Later:
    """Is pickled as the call that reads another pickle."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __reduce__(self) -> tuple[Any, ...]:
        return load, (self.data,)


def _if_small(thing: Any, way: Way) -> bytes | None:
    found = False

    def keep(buffer: pickle.PickleBuffer) -> bool:
        nonlocal found
        is_large = memoryview(buffer).nbytes >= LARGE_BYTES
        found = found or is_large
        return not is_large

    data = way(thing, keep=keep)
    return None if found or len(data) >= LARGE_BYTES else data


def _by_either(thing: Any, keep: codec.Keep | None = None, place: codec.Place | None = None) -> bytes:
    data = codec.dump_by_name(thing, keep, place)
    return codec.dump_by_value(thing, keep, place) if data is None else data


@functools.lru_cache(maxsize=1024)
def _bytes_of(kind: type) -> Callable[[Any], int]:
    """What counts the bytes of data of objects of that type; others are looked into as they are pickled."""
    if kind in (bytes, bytearray, str):
        return len
    if kind.__module__.partition(".")[0] in ("numpy", "pandas", "pyarrow"):
        if kind.__name__ == "DataFrame":
            return lambda frame: int(frame.memory_usage().sum())
        if hasattr(kind, "nbytes"):
            return operator.attrgetter("nbytes")
    return lambda _: 0
