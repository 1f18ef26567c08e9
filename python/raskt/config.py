"""Settings: defaults, YAML files, ``RASKT_…`` variables, and what the program sets; the later wins.

===================  ==========  ============================================================================
name                 default     what it does
===================  ==========  ============================================================================
array.chunk-size     16 MiB      how large the blocks of an array are when its chunks are chosen automatically
flight-record        None        the folder in which each engine writes down what happens to its scheduler, to find
                                 faults by; None means nowhere
library-threads      "held"      "held": BLAS, OpenMP and Arrow get a task's share of the processors while Python
                                 tasks run in parallel; "free": they start as many threads as they like
memory.disk-limit    None        bytes of results that may lie on disk; None means all that is free
memory.limit         None        bytes that this process may take; results that don't fit are spilled to disk. None
                                 means eight tenths of what the machine or the container has
memory.spill-path    None        the folder in which spilled results lie; None means with other temporary files
num-workers          None        threads (or processes) that run tasks; None means one for each processor
progress.interval    0.1         seconds between two drawings of a progress bar
progress.minimum     0.0         seconds that a computation runs before its progress bar is drawn
progress.width       40          characters between the brackets of a progress bar
scheduler            "threads"   "threads"; "processes": Python functions in processes of their own; "sync": one
                                 task after the other in the calling thread
===================  ==========  ============================================================================

The files are ``/etc/raskt/*.yaml``, ``~/.config/raskt/*.yaml`` and the file or folder that ``RASKT_CONFIG`` names. The
variable ``RASKT_ARRAY__CHUNK_SIZE=64MiB`` sets ``array.chunk-size``. Hyphens and underscores are the same. Other
programs may keep settings here under a name of their own (``myproject.colour``); those aren't checked.

The table of settings, their checks and the reading of files and variables are in Rust (the crate ``raskt-config``), for
Rust users too. This module reads them once, at first use, and keeps what the program sets on top: a list of layers, one
for each ``set`` that is in force. Leaving a ``with set(...)`` takes its own layer away, whichever others came or went
meanwhile, in whichever thread.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from raskt import _core

__all__ = ["collect", "get", "refresh", "set", "update"]

_MISSING: Any = object()
_Entries = dict[str, tuple[tuple[str, ...], Any]]
"""Values by canonical key, each with the key's parts as they were written."""


class set:
    """Set values, from here on or for the length of a ``with`` block.

    Parameters
    ----------
    values : mapping, optional
        Values by name. Names have dots between their groups, or groups are mappings themselves.
    **keywords
        The same with two underscores for a dot: ``array__chunk_size="64MiB"``.

    Raises
    ------
    ValueError
        For a name of raskt's that doesn't exist, and for a value that its setting doesn't allow. Nothing is set then.

    Examples
    --------
    >>> import raskt
    >>> with raskt.config.set({"array.chunk-size": "64MiB"}, num_workers=2):
    ...     raskt.config.get("array.chunk-size"), raskt.config.get("num-workers")
    (67108864, 2)
    >>> raskt.config.get("array.chunk-size")
    16777216
    """

    def __init__(self, values: Mapping[str, Any] | None = None, /, **keywords: Any) -> None:
        given = {**(values or {}), **{name.replace("__", "."): value for name, value in keywords.items()}}
        self._layer = _Layer(_checked(given))
        _state.add(self._layer)

    def __enter__(self) -> dict[str, Any]:
        self._layer.entered = True
        return _in_force()

    def __exit__(self, *error: object) -> Literal[False]:
        _state.remove(self._layer)
        return False

    def __del__(self) -> None:
        layer = getattr(self, "_layer", None)
        if layer is not None:
            layer.owned = False


def get(key: str, default: Any = _MISSING) -> Any:
    """The value of a setting, or of a whole group as nested dictionaries.

    Parameters
    ----------
    key : str
        The name, with dots between the groups.
    default : optional
        What to return if there is no such setting.

    Raises
    ------
    KeyError
        If there is no such setting and no default.

    Examples
    --------
    >>> import raskt
    >>> raskt.config.get("scheduler")
    'threads'
    >>> raskt.config.get("progress")
    {'interval': 0.1, 'minimum': 0.0, 'width': 40}
    >>> raskt.config.get("myproject.colour", "red")
    'red'
    """
    entries = _state.current()
    canonical = _canonical(key)
    if canonical in entries:
        return entries[canonical][1]
    group = {name: entry for name, entry in entries.items() if name.startswith(canonical + ".")}
    if group:
        return _nested(group.values(), depth=canonical.count(".") + 1)
    if default is _MISSING:
        raise KeyError(key)
    return default


def refresh() -> None:
    """Read files and variables again, and forget what the program has set.

    Examples
    --------
    >>> import raskt
    >>> _ = raskt.config.set(num_workers=2)
    >>> raskt.config.refresh()
    >>> raskt.config.get("num-workers") is None
    True
    """
    _state.replace(_read())


def collect(
    paths: Iterable[str | os.PathLike[str]] | None = None, env: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Read the settings that files and variables write, over the defaults, without putting them in force.

    Parameters
    ----------
    paths : iterable of path-like, optional
        YAML files, or folders of them. By default those that the environment names.
    env : mapping, optional
        Environment variables. By default those of this process.

    Returns
    -------
    dict
        Nested dictionaries.

    Examples
    --------
    >>> import raskt
    >>> raskt.config.collect(paths=[], env={"RASKT_NUM_WORKERS": "3"})["num-workers"]
    3
    """
    return _nested(_read(paths, env).values(), depth=0)


def update(old: dict[str, Any], new: Mapping[str, Any], priority: Literal["new", "old"] = "new") -> dict[str, Any]:
    """Merge nested dictionaries of settings into another, in place.

    Parameters
    ----------
    old : dict
        Is changed, and returned.
    new : mapping
        What to merge into it.
    priority : {"new", "old"}
        Whose value stays where both have one.

    Examples
    --------
    >>> import raskt
    >>> raskt.config.update({"a": {"x-y": 1}}, {"a": {"x_y": 2, "z": 3}})
    {'a': {'x-y': 2, 'z': 3}}
    """
    spelled = {_canonical(name): name for name in old}
    for written, value in new.items():
        name = spelled.get(_canonical(written), written)
        if isinstance(value, Mapping):
            if not isinstance(old.get(name), dict):
                if name in old and priority == "old":
                    continue
                old[name] = {}
            update(old[name], value, priority)
        elif priority == "new" or name not in old:
            old[name] = value
    return old


def _in_force() -> dict[str, Any]:
    """All settings that are in force, as nested dictionaries."""
    return _nested(_state.current().values(), depth=0)


class _Layer:
    """What one ``set`` has set."""

    def __init__(self, entries: _Entries) -> None:
        self.entries = entries
        self.entered = False
        """Whether it ends with a ``with`` block."""
        self.owned = True
        """Whether its ``set`` object lives, and so may still be entered."""


class _State:
    """The settings in force: what was read, under the layers of the program."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._read: _Entries | None = None
        self._layers: list[_Layer] = []
        self._current: _Entries | None = None
        """All of it merged; None after a change."""

    def current(self) -> _Entries:
        # One read of an attribute: what is found there is whole, and is never changed in place.
        current = self._current
        return current if current is not None else self._merge()

    def is_set(self, key: str) -> bool:
        """Whether the program has set it, rather than a file, a variable or nobody."""
        with self._lock:
            return any(key in layer.entries for layer in self._layers)

    def add(self, layer: _Layer) -> None:
        with self._lock:
            self._layers.append(layer)
            self._settle()
            self._current = None

    def remove(self, layer: _Layer) -> None:
        with self._lock:
            if layer in self._layers:
                self._layers.remove(layer)
            self._current = None

    def replace(self, read: _Entries) -> None:
        with self._lock:
            self._read, self._layers, self._current = read, [], None

    def _merge(self) -> _Entries:
        with self._lock:
            if self._read is None:
                self._read = _read()
            merged = dict(self._read)
            for layer in self._layers:
                _put(merged, layer.entries)
            self._current = merged
            return merged

    def _settle(self) -> None:
        """Make one of neighbouring layers that stay for good, so that ``set`` in a loop takes no more memory."""
        settled: list[_Layer] = []
        for layer in self._layers:
            if settled and all(not (each.owned or each.entered) for each in (settled[-1], layer)):
                _put(settled[-1].entries, layer.entries)
            else:
                settled.append(layer)
        self._layers = settled


def _read(paths: Iterable[str | os.PathLike[str]] | None = None, env: Mapping[str, str] | None = None) -> _Entries:
    files = None if paths is None else [os.fspath(path) for path in paths]
    read = _core.config_read(dict(os.environ if env is None else env), files)
    return {_canonical(".".join(parts)): (tuple(parts), value) for parts, value in read}


def _checked(values: Mapping[str, Any]) -> _Entries:
    """The values by canonical key, each as its setting holds it."""
    entries: _Entries = {}
    for parts, value in _leaves((), values):
        checked = _core.config_check(".".join(parts), value)
        _put(entries, {_canonical(".".join(parts)): (parts, checked)})
    return entries


def _leaves(parts: tuple[str, ...], value: Any) -> Iterable[tuple[tuple[str, ...], Any]]:
    if isinstance(value, Mapping) and (value or not parts) and all(isinstance(name, str) for name in value):
        for name, item in value.items():
            yield from _leaves((*parts, *name.split(".")), item)
    else:
        yield parts, value


def _put(entries: _Entries, new: _Entries) -> None:
    """Put values in; a name is a value or a group, and the new says which."""
    for key, entry in new.items():
        related = [other for other in entries if other.startswith(key + ".") or key.startswith(other + ".")]
        for other in related:
            del entries[other]
        # The first spelling stays: raskt's own names keep their hyphens.
        entries[key] = (entries[key][0] if key in entries else entry[0], entry[1])


def _nested(entries: Iterable[tuple[tuple[str, ...], Any]], depth: int) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for parts, value in entries:
        group = nested
        for part in parts[depth:-1]:
            group = group.setdefault(part, {})
        group[parts[-1]] = value
    return nested


def _canonical(key: str) -> str:
    if not isinstance(key, str):
        raise TypeError(f"the name of a setting is a text, and not {key!r}")
    return key.replace("_", "-")


_state = _State()
