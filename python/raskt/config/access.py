"""Settings read and set: those in force, or those of a dictionary that somebody hands in."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, MutableMapping
from contextlib import AbstractContextManager
from typing import Any, Literal

from . import nested
from .deprecations import check_deprecations, deprecations
from .layers import Entries, Layer, canonical, checked, is_within, put, state
from .layers import nested as as_dict
from .nested import MISSING, Change, assign, look_up, take_back, take_out
from .view import Settings, settings

__all__ = ["config_lock", "get", "pop", "rename", "set", "update"]

config_lock = threading.Lock()
"""Is held while something is set."""


class set:
    """Set values, from here on or for the length of a ``with`` block.

    Parameters
    ----------
    arg : mapping, optional
        Values by name. Names have dots between their groups, or groups are mappings themselves.
    config : dict, optional
        A dictionary to set them in, instead of those in force; nothing is checked there.
    lock : lock, optional
        Is held meanwhile.
    **kwargs
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

    def __init__(
        self,
        arg: Mapping[str, Any] | None = None,
        config: MutableMapping[str, Any] | None = None,
        lock: AbstractContextManager[Any] = config_lock,
        **kwargs: Any,
    ) -> None:
        self.config: MutableMapping[str, Any] = settings if config is None else config
        self._changes: list[Change] = []
        self._layer: Layer | None = None
        keywords = {name.replace("__", "."): value for name, value in kwargs.items()}
        given = [*(arg or {}).items(), *keywords.items()]
        given = [(check_deprecations(name) if isinstance(name, str) else name, value) for name, value in given]
        with lock:
            if self.config is settings:
                self._layer = Layer(_checked_in_order(given))
                state.add(self._layer)
            else:
                self._assign(given)

    def _assign(self, given: Iterable[tuple[str, Any]]) -> None:
        try:
            for name, value in given:
                self._changes.append(assign(name.split("."), value, self.config))
        except BaseException:
            self._take_back()
            raise

    def _take_back(self) -> None:
        for change in reversed(self._changes):
            take_back(change, self.config)

    def __enter__(self) -> MutableMapping[str, Any]:
        if self._layer is not None:
            self._layer.entered = True
        return self.config

    def __exit__(self, *error: object) -> Literal[False]:
        if self._layer is not None:
            state.remove(self._layer)
        self._take_back()
        return False

    def __del__(self) -> None:
        layer = getattr(self, "_layer", None)
        if layer is not None:
            layer.owned = False


def _checked_in_order(given: Iterable[tuple[str, Any]]) -> Entries:
    entries: Entries = {}
    for name, value in given:
        put(entries, checked({name: value}))
    return entries


def get(key: str, default: Any = MISSING, config: Mapping[str, Any] | None = None, override_with: Any = None) -> Any:
    """The value of a setting, or of a whole group as nested dictionaries.

    Parameters
    ----------
    key : str
        The name, with dots between the groups.
    default : optional
        What to return if there is no such setting.
    config : mapping, optional
        A dictionary to look into, instead of those in force.
    override_with : optional
        Is returned as it is, unless it is None.

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
    if override_with is not None:
        return override_with
    if config is not None and config is not settings:
        return look_up(key, default, config)
    entries = state.current()
    name = canonical(key)
    if name in entries:
        return entries[name][1]
    group = [entry for other, entry in entries.items() if is_within(other, name)]
    if group:
        return as_dict(group, depth=name.count(".") + 1)
    # What stands in a value of others' that is a mapping itself.
    outer = name.rpartition(".")[0]
    while outer and outer not in entries:
        outer = outer.rpartition(".")[0]
    if outer and isinstance(entries[outer][1], Mapping):
        return look_up(key[len(outer) + 1 :], default, entries[outer][1])
    if default is MISSING:
        raise KeyError(key)
    return default


def pop(key: str, default: Any = MISSING, config: MutableMapping[str, Any] = settings) -> Any:
    """The value of a setting, which isn't set any more. A setting of raskt's has its default again.

    Parameters
    ----------
    key : str
        The name, with dots between the groups.
    default : optional
        What to return if there is no such setting.
    config : dict, optional
        A dictionary to take it out of, instead of those in force.

    Raises
    ------
    KeyError
        If there is no such setting and no default.

    Examples
    --------
    >>> import raskt
    >>> _ = raskt.config.set({"myproject.colour": "red"})
    >>> raskt.config.pop("myproject.colour"), raskt.config.get("myproject.colour", None)
    ('red', None)
    """
    if config is not settings:
        return take_out(key, default, config)
    value = get(key, MISSING if default is MISSING else default)
    state.take_out(canonical(key))
    return value


def update(
    old: MutableMapping[str, Any],
    new: Mapping[str, Any],
    priority: Literal["old", "new", "new-defaults"] = "new",
    defaults: Mapping[str, Any] | None = None,
) -> MutableMapping[str, Any]:
    """Merge nested dictionaries of settings into another, or into those in force, in place.

    Parameters
    ----------
    old : dict
        Is changed, and returned.
    new : mapping
        What to merge into it.
    priority : {"new", "old", "new-defaults"}
        Whose value stays where both have one. With "old", a value also stays where the new dictionary has a group. With
        "new-defaults", the new one if the old is what `defaults` has.
    defaults : mapping, optional
        The defaults so far.

    Examples
    --------
    >>> import raskt
    >>> raskt.config.update({"a": {"x-y": 1}}, {"a": {"x_y": 2, "z": 3}})
    {'a': {'x-y': 2, 'z': 3}}
    """
    if not isinstance(old, Settings):
        return nested.update(old, new, priority, defaults)  # type: ignore[arg-type]
    merged = nested.update(old.as_dict(), new, priority, defaults)
    for name, value in merged.items():
        if name not in old or old[name] != value:
            old[name] = value
    return old


def rename(
    deprecations: Mapping[str, str | None] = deprecations, config: MutableMapping[str, Any] = settings
) -> dict[str, str | None]:
    """Give settings with old names their new ones; those that are gone are taken out.

    Parameters
    ----------
    deprecations : mapping
        Old names with new ones, or None.
    config : dict, optional
        A dictionary to do so in, instead of those in force.

    Returns
    -------
    dict
        The old names that were there, with the new ones.

    Examples
    --------
    >>> import raskt
    >>> mine = {"old": 1}
    >>> raskt.config.rename({"old": "a.new"}, mine), mine
    ({'old': 'a.new'}, {'a': {'new': 1}})
    """
    found = {}
    for old, new in deprecations.items():
        try:
            value = pop(old, config=config)
        except nested.NOT_THERE:
            continue
        found[old] = new
        if new:
            set({new: value}, config=config)
    return found
