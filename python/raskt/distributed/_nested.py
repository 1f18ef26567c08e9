"""Futures in lists, tuples, sets and dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from raskt._core import ClusterFuture

DEPTH = 200
"""Containers in containers are followed this far."""

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


def _find(value: Any, found: list[ClusterFuture], depth: int) -> None:
    kind = type(value)
    if kind is ClusterFuture:
        found.append(value)
        return
    if kind not in (list, tuple, set, frozenset, dict):
        return
    if depth == DEPTH:
        raise RecursionError(f"futures are looked for in containers up to {DEPTH} deep")
    for item in (*value.keys(), *value.values()) if kind is dict else value:
        _find(item, found, depth + 1)


def replaced(value: Any, result: Callable[[ClusterFuture], Any]) -> Any:
    """`value` with ``result(future)`` in the place of each future.

    >>> replaced([1, {"a": (2,)}], repr)
    [1, {'a': (2,)}]
    """
    kind = type(value)
    if kind is ClusterFuture:
        return result(value)
    if kind in (list, tuple, set, frozenset):
        return kind(_items(value, result))
    if kind is dict:
        pairs = ((replaced(key, result), replaced(item, result)) for key, item in value.items())
        return {key: item for key, item in pairs if key is not LEFT_OUT and item is not LEFT_OUT}
    return value


def _items(values: Any, result: Callable[[ClusterFuture], Any]) -> Iterator[Any]:
    for each in values:
        item = replaced(each, result)
        if item is not LEFT_OUT:
            yield item
