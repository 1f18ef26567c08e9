"""Which part of an object is it that can't be pickled?"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from raskt._process import codec

DEPTH = 20
"""Parts of parts are looked into this far."""

PARTS = 10_000
"""So many parts are tried at the most."""


def find(thing: object, name: str) -> str | None:
    """Where in `thing`, which is called `name`, the part lies that can't be pickled, and what it is, if there is one.

    >>> import threading
    >>> find({"a": [1, threading.Lock()]}, "data")
    "data['a'][1] is a _thread.lock, which can't be pickled"
    """
    if _can_be_pickled(thing):
        return None
    tried = 0
    for _ in range(DEPTH):
        for before, after, part in _parts(thing):
            tried += 1
            if tried <= PARTS and not _can_be_pickled(part):
                thing, name = part, f"{before}{name}{after}"
                break
        else:
            break
    kind = type(thing)
    prefix = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return f"{name} is a {prefix}{kind.__qualname__}, which can't be pickled"


def _parts(thing: Any) -> Iterator[tuple[str, str, Any]]:
    """What `thing` is made of: each part with what stands before and after the name of `thing` in its own."""
    if isinstance(thing, dict):
        for key, value in thing.items():
            yield "a key of ", "", key
            yield "", f"[{key!r}]", value
    elif isinstance(thing, (list, tuple)):
        for index, item in enumerate(thing):
            yield "", f"[{index}]", item
    elif isinstance(thing, (set, frozenset)):
        for item in thing:
            yield "an item of ", "", item
    elif isinstance(thing, FunctionType):
        for variable, value in inspect.getclosurevars(thing).nonlocals.items():
            yield f"the variable `{variable}` of ", "", value
        for variable, value in inspect.getclosurevars(thing).globals.items():
            yield f"the global variable `{variable}` that is used by ", "", value
    elif not isinstance(thing, type):
        for attribute, value in _state(thing).items():
            yield "", f".{attribute}", value


def _state(thing: Any) -> dict[str, Any]:
    state = getattr(thing, "__dict__", {})
    slots = [name for kind in type(thing).__mro__ for name in _slots(kind)]
    return {**state, **{name: getattr(thing, name) for name in slots if hasattr(thing, name)}}


def _slots(kind: type) -> tuple[str, ...]:
    slots = vars(kind).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _can_be_pickled(thing: object) -> bool:
    try:
        # Large buffers aren't copied.
        codec.dump(thing, [])
    except Exception:
        return False
    return True
