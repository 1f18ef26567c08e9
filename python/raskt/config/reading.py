"""Settings read from files and variables, and defaults of libraries."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any

from . import nested
from .deprecations import deprecations
from .files import changed_paths
from .layers import Entries, canonical, checked, defaults, is_within, put, read, state
from .layers import nested as as_dict
from .view import settings

__all__ = ["collect", "refresh", "update_defaults"]


def collect(
    paths: Iterable[str | os.PathLike[str]] | None = None, env: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Read the settings that files and variables write, over the defaults, without putting them in force.

    Parameters
    ----------
    paths : iterable of path-like, optional
        YAML files, or folders of them. By default ``raskt.config.paths``.
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
    return as_dict(_collected(paths, env).values(), depth=0)


def _collected(paths: Iterable[str | os.PathLike[str]] | None, env: Mapping[str, str] | None) -> Entries:
    entries = read(env, changed_paths() if paths is None else paths)
    for old, new in deprecations.items():
        for name in [name for name in entries if is_within(name, old)]:
            _rename_entry(entries, name, old, new)
    return entries


def _rename_entry(entries: Entries, name: str, old: str, new: str | None) -> None:
    parts, value = entries.pop(name)
    if new is None:
        warnings.warn(f"the setting {name!r} has been removed", FutureWarning, stacklevel=5)
        return
    target = new + name[len(old) :]
    # Who says the new name as well means that.
    if canonical(target) not in entries:
        warnings.warn(f"the setting {name!r} is called {target!r} now", FutureWarning, stacklevel=5)
        put(entries, checked({target: value}))


def refresh(
    config: dict[str, Any] | None = None,
    defaults: list[Mapping[str, Any]] = defaults,
    paths: Iterable[str | os.PathLike[str]] | None = None,
    env: Mapping[str, str] | None = None,
) -> None:
    """Read files and variables again, and forget what the program has set.

    Parameters
    ----------
    config : dict, optional
        A dictionary to fill, instead of those in force.
    defaults : list of mappings
        What is under all of it, in such a dictionary; the earlier win.
    paths : iterable of path-like, optional
        YAML files, or folders of them. By default ``raskt.config.paths``.
    env : mapping, optional
        Environment variables. By default those of this process.

    Examples
    --------
    >>> import raskt
    >>> _ = raskt.config.set(num_workers=2)
    >>> raskt.config.refresh()
    >>> raskt.config.get("num-workers") is None
    True
    """
    entries = _collected(paths, env)
    if config is None or config is settings:
        state.replace(entries)
        return
    config.clear()
    for each in defaults:
        nested.update(config, each, priority="old")
    nested.update(config, as_dict(entries.values(), depth=0))


def update_defaults(
    new: Mapping[str, Any],
    config: MutableMapping[str, Any] = settings,
    defaults: list[Mapping[str, Any]] = defaults,
) -> None:
    """Add defaults of a library's own settings. What files, variables or programs say wins over them.

    Parameters
    ----------
    new : mapping
        The defaults; they win over those that were added before.
    config : dict, optional
        A dictionary to add them to, instead of those in force.
    defaults : list of mappings
        The defaults so far, of which they become the last.

    Examples
    --------
    >>> import raskt
    >>> raskt.config.update_defaults({"myproject": {"size": 1}})
    >>> raskt.config.get("myproject.size")
    1
    >>> _ = raskt.config.defaults.pop()
    >>> raskt.config.refresh()
    """
    if config is settings:
        state.add_defaults(new)
        return
    so_far = nested.merge(*defaults)
    defaults.append(new)
    nested.update(config, new, priority="new-defaults", defaults=so_far)  # type: ignore[arg-type]
