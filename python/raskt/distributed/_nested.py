"""Futures in lists, tuples, sets and dictionaries, and those of the collections in them."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Iterator, KeysView, ValuesView
from typing import Any

from raskt._compute import is_raskt_collection
from raskt._core import ClusterFuture, cluster_futures_of

DEPTH = 200
"""Containers in containers are followed this far."""

CONTAINERS = (list, tuple, set, frozenset, dict, deque, KeysView, ValuesView)
"""What futures are looked for in, with what derives from it."""

LEFT_OUT = object()
"""In the place of a future: it is to be left out of its container."""


def futures_in(value: Any) -> list[ClusterFuture]:
    """The futures in `value`, in order.

    >>> futures_in([1, {"a": 2}])
    []
    """
    found: list[ClusterFuture] = []
    _find(value, found, 0)
    return found


def futures_of(value: Any) -> list[ClusterFuture]:
    """The same, with those of what a cluster computes, or has computed, of collections.

    >>> futures_of([1, {"a": 2}])
    []
    """
    found: list[ClusterFuture] = []
    _find(value, found, 0, lambda collection: cluster_futures_of(collection)[0])
    return found


def futures_asked(value: Any, what: str) -> list[ClusterFuture]:
    """The same for `what`, which is about nothing else, and of which nothing is to be said that nobody has asked for.

    >>> futures_asked(5, "wait()")
    Traceback (most recent call last):
    TypeError: wait() takes futures of a cluster, persisted collections, and containers of them, not 5
    """

    def asked(collection: Any) -> list[ClusterFuture]:
        futures, is_there = cluster_futures_of(collection)
        if not is_there:
            raise TypeError(
                f"{what} is about what a cluster computes, and nobody has asked for this {type(collection).__name__} "
                "yet: persist() it, and pass what that gives"
            )
        return futures

    kinds = "futures of a cluster, persisted collections, and containers of them"
    if not isinstance(value, (ClusterFuture, *CONTAINERS)) and not is_raskt_collection(value):
        raise TypeError(f"{what} takes {kinds}, not {value!r}")
    found: list[ClusterFuture] = []
    _find(value, found, 0, asked)
    if not found:
        for stray in _strays(value):
            raise TypeError(f"{what} takes {kinds}; there is none in {type(value).__name__}: it has {stray!r}")
    return found


def _strays(value: Any) -> Iterator[Any]:
    """What is neither a container nor a collection; keys may be anything."""
    if isinstance(value, CONTAINERS):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strays(item)
    elif not is_raskt_collection(value):
        yield value


def as_container(value: Any) -> Any:
    """Iterators, and views of dictionaries, as lists."""
    return list(value) if isinstance(value, (Iterator, KeysView, ValuesView)) else value


def _find(
    value: Any,
    found: list[ClusterFuture],
    depth: int,
    of_collection: Callable[[Any], list[ClusterFuture]] | None = None,
) -> None:
    if type(value) is ClusterFuture:
        found.append(value)
        return
    if not isinstance(value, CONTAINERS):
        if of_collection is not None and is_raskt_collection(value):
            found += of_collection(value)
        return
    if depth == DEPTH:
        raise RecursionError(f"futures are looked for in containers up to {DEPTH} deep")
    for item in (*value.keys(), *value.values()) if isinstance(value, dict) else value:
        _find(item, found, depth + 1, of_collection)


def replaced(value: Any, result: Callable[[ClusterFuture], Any]) -> Any:
    """`value` with ``result(future)`` in the place of each future.

    >>> replaced([1, {"a": (2,)}], repr)
    [1, {'a': (2,)}]
    """
    if type(value) is ClusterFuture:
        return result(value)
    if isinstance(value, dict):
        pairs = [(replaced(key, result), replaced(item, result)) for key, item in value.items()]
        kept = {key: item for key, item in pairs if key is not LEFT_OUT and item is not LEFT_OUT}
        return kept if type(value) is dict else _like(value, kept)
    if isinstance(value, (KeysView, ValuesView)):
        return list(_items(value, result))
    if isinstance(value, CONTAINERS):
        if not futures_in(value):
            return value
        items = list(_items(value, result))
        if hasattr(value, "_fields"):
            kind: Any = type(value)
            return kind._make(items) if len(items) == len(value) else tuple(items)
        return _like(value, items)
    return value


def _like(value: Any, items: Any) -> Any:
    """A container like `value`, with other items. One that can't be made otherwise is a plain one."""
    base = next(base for base in (list, tuple, set, frozenset, dict, deque) if isinstance(value, base))
    if type(value) is base and base is not deque:
        return base(items)
    try:
        if base in (tuple, frozenset):
            return type(value)(items)
        new = copy.copy(value)
        new.clear()
        if base is dict:
            for key, item in items.items():
                new[key] = item
        elif base is set:
            new.update(items)
        else:
            new.extend(items)
    except Exception:
        return base(items)
    return new


def _items(values: Any, result: Callable[[ClusterFuture], Any]) -> Iterator[Any]:
    for each in values:
        item = replaced(each, result)
        if item is not LEFT_OUT:
            yield item
