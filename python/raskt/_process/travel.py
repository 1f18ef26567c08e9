"""Pickles of what ops have when they go to another process."""

from __future__ import annotations

import pickle
import threading
from typing import Any

from raskt._process import codec, culprit, errors


def dump(thing: Any) -> bytes:
    """Pickles a function or another object of an op; what can't be imported elsewhere goes by value."""
    return codec.dump_by_value(thing)


def refused(name: str, parts: dict[str, Any], error: BaseException) -> BaseException:
    """Says of an error that `name` could not be sent, why, and what would work."""
    story = f'`{name}` or its arguments can\'t be sent to another process; scheduler="threads" needs to send nothing'
    told = errors.with_note(error, story).with_traceback(None)
    if isinstance(error, Exception):
        found = next(filter(None, (culprit.find(part, called) for called, part in parts.items())), None)
        return errors.with_note(told, found) if found else told
    return told


def dump_object(thing: Any) -> tuple[bytes, list[Any], list[bool]]:
    """The pickle of a result, its large buffers as arrays of bytes, and which of them are read-only."""
    import numpy as np

    buffers: list[memoryview] = []
    data, _ = codec.dump(thing, buffers)
    return data, [np.frombuffer(view, np.uint8) for view in buffers], [view.readonly for view in buffers]


_leaving = threading.local()


def dump_leaving(thing: Any) -> tuple[bytes, list[Any], list[bool]]:
    """The same of a result that leaves the memory of this process, and comes back when somebody wants it.

    Raises
    ------
    Exception
        If it has something in it that is nothing but in memory, and would come back as a name of what is gone.
    """
    _leaving.is_so = True
    try:
        return dump_object(thing)
    finally:
        _leaving.is_so = False


def is_leaving() -> bool:
    """Whether what this thread pickles leaves memory."""
    return getattr(_leaving, "is_so", False)


def load_object(data: bytes, buffers: list[Any]) -> Any:
    """The result of which `dump_object` has given that."""
    return pickle.loads(data, buffers=buffers)
