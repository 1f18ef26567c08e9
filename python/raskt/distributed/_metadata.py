"""Metadata: nested dictionaries that the scheduler keeps, by keys and keys within them."""

from __future__ import annotations

import pickle
from typing import Any

from raskt._process import codec
from raskt.distributed._names import read, written
from raskt.distributed._session import Session

DEPTH = 32
"""Keys within keys; a dictionary that is further down is kept as it is."""


def set_metadata(session: Session, keys: list[Any] | tuple[Any, ...], value: Any) -> None:
    """Puts a value under a key, and keys within it."""
    if not keys:
        raise ValueError("metadata has a key at least")
    entries: list[tuple[list[str], bytes]] = []
    _flatten(value, [], DEPTH - len(keys), entries)
    session.native.set_metadata([written(key) for key in keys], entries)


def get_metadata(session: Session, keys: list[Any] | tuple[Any, ...]) -> Any:
    """What is under it."""
    entries = session.native.get_metadata([written(key) for key in keys])
    if len(entries) == 1 and not entries[0][0]:
        return pickle.loads(entries[0][1])
    found: dict[Any, Any] = {}
    for path, data in entries:
        place = found
        for key in path[:-1]:
            place = place.setdefault(read(key), {})
        place[read(path[-1])] = pickle.loads(data)
    return found


def _flatten(value: Any, path: list[str], depth: int, entries: list[tuple[list[str], bytes]]) -> None:
    # What is empty has no keys to be kept by.
    if type(value) is dict and value and depth > 0:
        try:
            names = [written(key) for key in value]
        except (TypeError, ValueError):
            names = []
        if names and len(set(names)) == len(names):
            for name, item in zip(names, value.values()):
                _flatten(item, [*path, name], depth - 1, entries)
            return
    entries.append((path, codec.dump_by_value(value)))
