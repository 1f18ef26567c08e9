"""Dask's arguments of how a result is to be computed, which change no value of it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

#: The arguments and their defaults: rows taken together at a time, partitions of the result, the way rows move.
ARGUMENTS = {"split_every": None, "split_out": None, "shuffle_method": None}


def tunable(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a method some of Dask's arguments, by name.

    The engine decides itself how many parts it takes together and how rows move, so that `split_every` and
    `shuffle_method` are checked and no more; `split_out` is the number of partitions of the result.
    """

    def decorate(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def call(*args: Any, **options: Any) -> Any:
            told = {name: options.pop(name) for name in names if name in options}
            check(told)
            result = method(*args, **options)
            return parted(result, told.get("split_out"))

        call.__signature__ = signature_with(method, names)  # type: ignore[attr-defined]
        return call

    return decorate


def signature_with(method: Callable[..., Any], names: tuple[str, ...]) -> inspect.Signature:
    """The signature of a method with the named arguments at its end."""
    own = inspect.signature(method)
    added = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=ARGUMENTS[name]) for name in names]
    parameters = list(own.parameters.values())
    at = next((k for k, one in enumerate(parameters) if one.kind is one.VAR_KEYWORD), len(parameters))
    return own.replace(parameters=[*parameters[:at], *added, *parameters[at:]])


def check(told: dict[str, Any]) -> None:
    """ValueError for values that Dask would not take either."""
    every, out = told.get("split_every"), told.get("split_out")
    if not (every is None or isinstance(every, bool) or (hasattr(every, "__index__") and every >= 2)):
        raise ValueError(f"split_every must be an integer of at least 2, not {every!r}")
    if not (out is None or isinstance(out, bool) or (hasattr(out, "__index__") and out >= 1)):
        raise ValueError(f"split_out must be a positive integer, not {out!r}")
    way = told.get("shuffle_method")
    if way not in (None, False, True, "tasks", "disk", "p2p"):
        raise ValueError(f"shuffle_method must be 'tasks', 'disk' or 'p2p', not {way!r}")


def parted(result: Any, split_out: Any) -> Any:
    """The result in so many partitions."""
    if split_out is None or isinstance(split_out, bool) or int(split_out) == 1:
        return result
    return result.repartition(npartitions=int(split_out))
