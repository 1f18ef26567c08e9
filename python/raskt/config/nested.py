"""Nested dictionaries of settings: merged, looked into and changed, whosever they are.

Hyphens and underscores of names are the same; a name is kept as whoever came first has written it.
"""

from __future__ import annotations

import ast
import base64
import builtins
import json
import os
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any, Literal

__all__ = [
    "canonical_name",
    "deserialize",
    "expand_environment_variables",
    "interpret_value",
    "merge",
    "serialize",
]

MISSING: Any = object()
NOT_THERE = (TypeError, IndexError, KeyError)
"""What looking for a name in something raises that doesn't have it, or has no names."""


def canonical_name(k: str, config: Any) -> str:
    """The name as a dictionary spells it, with hyphens or underscores; itself if it isn't there.

    Parameters
    ----------
    k : str
        The name.
    config : mapping
        The dictionary.

    Examples
    --------
    >>> import raskt
    >>> raskt.config.canonical_name("chunk_size", {"chunk-size": 1})
    'chunk-size'
    """
    try:
        if k in config:
            return k
    except TypeError:
        # It has no names.
        return k
    other = k.replace("_", "-") if "_" in k else k.replace("-", "_")
    return other if other in config else k


def update(
    old: dict[str, Any],
    new: Mapping[str, Any],
    priority: Literal["old", "new", "new-defaults"] = "new",
    defaults: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Merges nested dictionaries into another, in place; `raskt.config.update` says how."""
    for written, value in new.items():
        name = canonical_name(written, old)
        if isinstance(value, Mapping):
            if not isinstance(old.get(name), dict):
                if old.get(name) is not None and priority == "old":
                    continue
                old[name] = {}
            update(old[name], value, priority, defaults.get(name) if defaults else None)
        elif priority == "new" or name not in old or (priority == "new-defaults" and _is_default(old, name, defaults)):
            old[name] = value
    return old


def _is_default(old: Mapping[str, Any], name: str, defaults: Mapping[str, Any] | None) -> bool:
    return bool(defaults) and isinstance(defaults, Mapping) and name in defaults and bool(defaults[name] == old[name])


def merge(*dicts: Mapping[str, Any]) -> dict[str, Any]:
    """Merge nested dictionaries into a new one; the later win.

    Parameters
    ----------
    *dicts : mapping
        The dictionaries.

    Examples
    --------
    >>> import raskt
    >>> raskt.config.merge({"x": 1, "y": {"a": 2}}, {"y": {"b": 3}})
    {'x': 1, 'y': {'a': 2, 'b': 3}}
    """
    result: dict[str, Any] = {}
    for each in dicts:
        update(result, each)
    return result


def look_up(key: str, default: Any, config: Any) -> Any:
    """What nested dictionaries have under a name with dots."""
    result = config
    for part in key.split("."):
        try:
            result = result[canonical_name(part, result)]
        except NOT_THERE:
            if default is MISSING:
                raise
            return default
    return result


def take_out(key: str, default: Any, config: Any) -> Any:
    """The same, and it is there no more."""
    *groups, last = key.split(".")
    try:
        group = config
        for part in groups:
            group = group[canonical_name(part, group)]
        return group.pop(canonical_name(last, group))
    except (*NOT_THERE, AttributeError) as error:
        if default is not MISSING:
            return default
        # A value that isn't a group has no members; to whoever asks, the name isn't there.
        raise KeyError(key) if isinstance(error, AttributeError) else error


Change = tuple[tuple[str, ...], Any]
"""Where something was changed, and what was there before, or that nothing was."""


def assign(keys: Sequence[str], value: Any, config: MutableMapping[str, Any]) -> Change:
    """Puts a value under a name, and says what takes it back."""
    path: tuple[str, ...] = ()
    group: Any = config
    change: Change | None = None
    for position, part in enumerate(keys):
        name = canonical_name(part, group)
        path = (*path, name)
        is_last = position == len(keys) - 1
        if change is None and (is_last or name not in group):
            # Not by `get`: what has no names says so as it does elsewhere.
            change = (path, group[name] if name in group else MISSING)  # noqa: SIM401
        if is_last:
            group[name] = value
        elif name not in group:
            group[name] = {}
        group = group[name]
    assert change is not None, "a name has a part"
    return change


def take_back(change: Change, config: MutableMapping[str, Any]) -> None:
    """Has there what was there before."""
    (*groups, last), before = change
    group: Any = config
    for name in groups:
        if before is MISSING and name not in group:
            return
        group = group.setdefault(name, {})
    if before is MISSING:
        group.pop(last, None)
    else:
        group[last] = before


def expand_environment_variables(config: Any) -> Any:
    """Replace ``$NAME`` by the environment variable, in the texts of nested dictionaries, lists, tuples and sets.

    Parameters
    ----------
    config : object
        A dictionary, list, tuple, set or text; anything else stays what it is.

    Examples
    --------
    >>> import os, raskt
    >>> os.environ["RASKT_DOC_USER"] = "ada"
    >>> raskt.config.expand_environment_variables({"x": [1, "$RASKT_DOC_USER"]})
    {'x': [1, 'ada']}
    >>> del os.environ["RASKT_DOC_USER"]
    """
    if isinstance(config, Mapping):
        return {name: expand_environment_variables(value) for name, value in config.items()}
    if isinstance(config, str):
        return os.path.expandvars(config)
    if isinstance(config, (list, tuple, builtins.set)):
        return type(config)(expand_environment_variables(value) for value in config)
    return config


def interpret_value(value: str) -> Any:
    """The Python value that a text writes, or the text itself; "null", "none", "true", "false" in any case are values.

    Parameters
    ----------
    value : str
        The text.

    Examples
    --------
    >>> import raskt
    >>> [raskt.config.interpret_value(text) for text in ("[1, 'a']", "TRUE", "1 GiB")]
    [[1, 'a'], True, '1 GiB']
    """
    try:
        return ast.literal_eval(value)
    except (SyntaxError, ValueError):
        words = {"none": None, "null": None, "false": False, "true": True}
        return words.get(value.lower(), value)


def serialize(data: Any) -> str:
    """Write settings as one word, such as an environment variable can hold.

    Parameters
    ----------
    data : object
        What JSON can write; mappings of any kind.

    Examples
    --------
    >>> import raskt
    >>> raskt.config.deserialize(raskt.config.serialize({"x": [1, 2]}))
    {'x': [1, 2]}
    """
    return base64.urlsafe_b64encode(json.dumps(data, default=_as_dict).encode()).decode()


def deserialize(data: str) -> Any:
    """Read what `serialize` has written.

    Parameters
    ----------
    data : str
        The word.

    Examples
    --------
    >>> import raskt
    >>> raskt.config.deserialize("eyJ4IjogMX0=")
    {'x': 1}
    """
    return json.loads(base64.urlsafe_b64decode(data.encode()).decode())


def _as_dict(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"an object of type {type(value).__name__} can't be written as JSON")
