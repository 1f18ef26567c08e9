"""The settings in force: defaults, what was read, and the layers that the program sets on top."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from raskt import _core

from .files import inherited, variable_names, without_inherited

Entries = dict[str, tuple[tuple[str, ...], Any]]
"""Values by canonical key, each with the key's parts as they were written."""


class Layer:
    """What one ``set`` has set."""

    def __init__(self, entries: Entries) -> None:
        self.entries = entries
        self.entered = False
        """Whether it ends with a ``with`` block."""
        self.owned = True
        """Whether its ``set`` object lives, and so may still be entered."""


class State:
    """The settings in force: defaults of other libraries and what was read, under the layers of the program."""

    def __init__(self, defaults: list[Mapping[str, Any]]) -> None:
        self._lock = threading.Lock()
        self._defaults = defaults
        self._read: Entries | None = None
        self._layers: list[Layer] = []
        self._gone: dict[str, None] = {}
        """Defaults that were taken out."""
        self._current: Entries | None = None
        """All of it merged; None after a change."""

    def current(self) -> Entries:
        # One read of an attribute: what is found there is whole, and is never changed in place.
        current = self._current
        return current if current is not None else self._merge()

    def is_set(self, key: str) -> bool:
        """Whether the program has set it, rather than a file, a variable or nobody."""
        with self._lock:
            return any(key in layer.entries for layer in self._layers)

    def add(self, layer: Layer) -> None:
        with self._lock:
            self._layers.append(layer)
            self._settle()
            self._current = None

    def remove(self, layer: Layer) -> None:
        with self._lock:
            if layer in self._layers:
                self._layers.remove(layer)
            self._current = None

    def replace(self, entries: Entries) -> None:
        with self._lock:
            self._read, self._layers, self._gone, self._current = entries, [], {}, None

    def add_defaults(self, new: Mapping[str, Any]) -> None:
        """These win over those before; what was taken out of those is there again."""
        names = checked(new)
        with self._lock:
            self._defaults.append(new)
            self._gone = {key: None for key in self._gone if not any(is_within(name, key) for name in names)}
            self._current = None

    def take_out(self, key: str) -> None:
        """Takes a name, or a group of them, out of everything; a setting of raskt's has its default again."""
        self.current()
        with self._lock:
            table = read({}, [])
            for entries in [self._read or {}, *(layer.entries for layer in self._layers)]:
                for name in [name for name in entries if is_within(name, key)]:
                    del entries[name]
            own = {name: entry for name, entry in table.items() if is_within(name, key)}
            self._read = {**(self._read or {}), **own}
            self._gone[key] = None
            self._current = None

    def _merge(self) -> Entries:
        with self._lock:
            if self._read is None:
                self._read = read()
            table = read({}, [])
            merged = dict(table)
            for defaults in self._defaults:
                entries = checked(defaults)
                put(merged, {name: entries[name] for name in entries if not self._is_gone(name)})
            # What has the value of raskt's own default leaves it to the defaults of others.
            put(merged, {name: entry for name, entry in self._read.items() if not _is_same(table.get(name), entry)})
            for layer in self._layers:
                put(merged, layer.entries)
            self._current = merged
            return merged

    def _is_gone(self, name: str) -> bool:
        return any(is_within(name, key) for key in self._gone)

    def _settle(self) -> None:
        """Make one of neighbouring layers that stay for good, so that ``set`` in a loop takes no more memory."""
        settled: list[Layer] = []
        for layer in self._layers:
            if settled and all(not (each.owned or each.entered) for each in (settled[-1], layer)):
                put(settled[-1].entries, layer.entries)
            else:
                settled.append(layer)
        self._layers = settled


def read(env: Mapping[str, str] | None = None, paths: Iterable[str | os.PathLike[str]] | None = None) -> Entries:
    """What files and variables write, over raskt's own defaults."""
    env = dict(os.environ if env is None else env)
    files = None if paths is None else [os.fspath(path) for path in paths]
    given, env = inherited(env), without_inherited(env)
    entries = _read(env, files)
    if not given:
        return entries
    # What a parent process hands on wins over files, and variables win over it.
    variables = variable_names(env)
    of_files = _read({name: value for name, value in env.items() if name not in variables}, files)
    put(of_files, checked(given))
    own = [canonical(name) for name in variables.values()]
    put(of_files, {name: entry for name, entry in entries.items() if any(is_within(name, key) for key in own)})
    return of_files


def _read(env: Mapping[str, str], files: list[str] | None) -> Entries:
    return {canonical(".".join(parts)): (tuple(parts), value) for parts, value in _core.config_read(dict(env), files)}


def checked(values: Mapping[str, Any]) -> Entries:
    """The values by canonical key, each as its setting holds it."""
    entries: Entries = {}
    for parts, value in _leaves((), values):
        put(entries, {canonical(".".join(parts)): (parts, _core.config_check(".".join(parts), value))})
    return entries


def _leaves(parts: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, Mapping) and (value or not parts) and all(isinstance(name, str) for name in value):
        for name, item in value.items():
            yield from _leaves((*parts, *name.split(".")), item)
    else:
        yield parts, value


def put(entries: Entries, new: Entries) -> None:
    """Put values in; a name is a value or a group, and the new says which."""
    for key, entry in new.items():
        related = [other for other in entries if other.startswith(key + ".") or key.startswith(other + ".")]
        for other in related:
            del entries[other]
        # The first spelling stays: raskt's own names keep their hyphens.
        entries[key] = (entries[key][0] if key in entries else entry[0], entry[1])


def nested(entries: Iterable[tuple[tuple[str, ...], Any]], depth: int) -> dict[str, Any]:
    """Entries as nested dictionaries, without the first parts of their names."""
    result: dict[str, Any] = {}
    for parts, value in entries:
        group = result
        for part in parts[depth:-1]:
            group = group.setdefault(part, {})
        group[parts[-1]] = value
    return result


def is_within(name: str, key: str) -> bool:
    """Whether a canonical name is `key`, or in the group of that name."""
    return name == key or name.startswith(key + ".")


def canonical(key: str) -> str:
    if not isinstance(key, str):
        raise TypeError(f"the name of a setting is a text, and not {key!r}")
    return key.replace("_", "-")


def _is_same(default: tuple[tuple[str, ...], Any] | None, entry: tuple[tuple[str, ...], Any]) -> bool:
    return default is not None and type(default[1]) is type(entry[1]) and bool(default[1] == entry[1])


defaults: list[Mapping[str, Any]] = []
state = State(defaults)
