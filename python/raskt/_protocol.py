"""Collections of other libraries that follow Dask's protocol: their graphs run on raskt.

A graph is a mapping of keys to tasks: tuples of a function and its arguments, Dask's own task objects, or data.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

from raskt._core import Delayed, compute, delayed_task, tokenize_bytes

__all__ = ["Collection", "get", "is_dask_collection", "istask", "optimize"]


class Collection:
    """A collection of another library, as `compute`, `persist` and arguments of delayed calls see it."""

    def __init__(self, collection: Any) -> None:
        self._collection = collection
        self._keys = list(collection.__dask_keys__())
        self._flat = list(_flattened(self._keys))
        graph = _optimized(collection, self._keys)
        self._calls = calls_of(graph, self._flat)

    @property
    def values(self) -> Delayed:
        """The values of all its keys, one after the other."""
        from raskt.delayed import delayed

        values: Delayed = delayed(list, traverse=False)([self._calls[key] for key in self._flat])
        return values

    @property
    def whole(self) -> Delayed:
        """What computing it gives."""
        from raskt.delayed import delayed

        whole: Delayed = delayed(self.finish, traverse=False)(self.values)
        return whole

    def finish(self, values: list[Any]) -> Any:
        """What the values of its keys come to together."""
        function, arguments = self._collection.__dask_postcompute__()
        found = dict(zip(self._flat, values))
        return function(_nested(self._keys, found), *arguments)

    def rebuild(self, values: list[Any]) -> Any:
        """The same collection over values that are there."""
        function, arguments = self._collection.__dask_postpersist__()
        return function(dict(zip(self._flat, values)), *arguments)


def is_dask_collection(x: object) -> bool:
    """Whether `x` follows the protocol of collections: it has a graph.

    >>> import raskt
    >>> raskt.is_dask_collection(1)
    False
    """
    return (
        not isinstance(x, type)
        and hasattr(type(x), "__dask_graph__")
        and hasattr(type(x), "__dask_postcompute__")
        and x.__dask_graph__() is not None  # type: ignore[attr-defined]
    )


def istask(x: object) -> bool:
    """Whether `x` is a task as graphs write it: a tuple that begins with a function.

    >>> import raskt
    >>> raskt.istask((abs, -1)), raskt.istask((1, 2))
    (True, False)
    """
    return type(x) is tuple and bool(x) and callable(x[0])


def get(
    dsk: Mapping[Any, Any],
    keys: Any,
    cache: None = None,
    num_workers: int | None = None,
    pool: None = None,
    *,
    scheduler: str | None = None,
) -> Any:
    """The values of `keys` of a graph: one key, or lists of them, which come back as tuples.

    Parameters
    ----------
    dsk : mapping
        Tasks by key: tuples that begin with a function, keys of other tasks, or values.
    keys : key or nested list of keys
        What is wanted.
    cache, pool : None
        There for the sake of Dask's order of arguments; raskt keeps results and threads itself.
    num_workers : int, optional
        Threads or processes that run the tasks; the setting ``num-workers`` by default.
    scheduler : {"threads", "processes", "sync"}, optional
        Where the tasks run; the setting ``scheduler`` by default.

    Returns
    -------
    object
        The value of the key, or a tuple of values, nested as the lists are.

    Raises
    ------
    KeyError
        For a key that isn't in the graph.
    NotImplementedError
        For a `cache` or a `pool`.

    Examples
    --------
    >>> import raskt
    >>> raskt.get({"x": 1, "y": (abs, -2), "z": (max, "x", "y")}, ["z", ["x"]])
    (2, (1,))
    """
    if cache is not None or pool is not None:
        raise NotImplementedError(
            f"raskt.get(cache={cache!r}, pool={pool!r}): results and threads are raskt's own; say num_workers= for the "
            "number of threads"
        )
    flat = list(_flattened(keys if isinstance(keys, list) else [keys]))
    calls = calls_of(dsk, flat)
    values = dict(zip(flat, compute(*[calls[key] for key in flat], scheduler=scheduler, num_workers=num_workers)))
    found = _nested(keys if isinstance(keys, list) else [keys], values)
    return _tuples(found) if isinstance(keys, list) else found[0]


def optimize(*args: Any, traverse: bool = True) -> tuple[Any, ...]:
    """Equal collections that are ready to run.

    raskt optimises expressions and merges equal calls whenever something is computed, so its own collections come
    back as they are. Collections of other libraries come back over the graph that their own optimiser makes.

    >>> import raskt
    >>> call = raskt.delayed(abs)(-1)
    >>> raskt.optimize(call)[0] is call
    True
    """
    return tuple(_each_optimized(arg, traverse) for arg in args)


def calls_of(graph: Mapping[Any, Any], wanted: list[Any]) -> dict[Any, Delayed]:
    """Delayed calls for `wanted` keys of a graph. One key is one task, whichever graphs it is in."""
    made: dict[Any, Delayed] = {}
    stack = list(wanted)
    while stack:
        key = stack[-1]
        if key in made:
            stack.pop()
            continue
        if key not in graph:
            raise KeyError(f"key {key!r} is not in the graph")
        function, reads = _call(graph, graph[key])
        missing = [read for read in reads if read not in made]
        if missing:
            if len(stack) > len(graph) + len(wanted):
                raise ValueError(f"the graph goes round in a circle through {key!r}")
            stack.extend(missing)
            continue
        made[key] = delayed_task(function, [made[read] for read in reads], _text(key), tokenize_bytes(("key", key)))
        stack.pop()
    return made


def _call(graph: Mapping[Any, Any], task: Any) -> tuple[Callable[..., Any], list[Any]]:
    """A function of the values of other keys that does `task`, and those keys."""
    if hasattr(type(task), "dependencies") and callable(task):
        # One of Dask's task objects: it is called with the values of what it depends on.
        reads = list(task.dependencies)
        return lambda *values: task(dict(zip(reads, values))), reads
    reads = list(dict.fromkeys(_reads(graph, task)))
    return lambda *values: _evaluate(task, dict(zip(reads, values))), reads


def _reads(graph: Mapping[Any, Any], part: Any) -> Any:
    if istask(part):
        for item in part[1:]:
            yield from _reads(graph, item)
    elif _is_key(graph, part):
        yield part
    elif type(part) is list:
        for item in part:
            yield from _reads(graph, item)
    elif type(part) is dict:
        for item in part.values():
            yield from _reads(graph, item)


def _evaluate(part: Any, values: dict[Any, Any]) -> Any:
    if istask(part):
        return part[0](*[_evaluate(item, values) for item in part[1:]])
    if _is_key(values, part):
        return values[part]
    if type(part) is list:
        return [_evaluate(item, values) for item in part]
    if type(part) is dict:
        return {key: _evaluate(item, values) for key, item in part.items()}
    return part


def _is_key(graph: Mapping[Any, Any], part: Any) -> bool:
    if type(part) not in (str, bytes, int, float, tuple):
        return False
    try:
        return part in graph
    except TypeError:
        return False


def _optimized(collection: Any, keys: list[Any]) -> Mapping[Any, Any]:
    graph = collection.__dask_graph__()
    optimizer = getattr(collection, "__dask_optimize__", None)
    if optimizer is not None:
        graph = optimizer(graph, keys)
    return graph if isinstance(graph, dict) else dict(graph)


def _each_optimized(arg: Any, traverse: bool) -> Any:
    if is_dask_collection(arg):
        keys = list(arg.__dask_keys__())
        function, arguments = arg.__dask_postpersist__()
        return function(_optimized(arg, keys), *arguments)
    if traverse and type(arg) in (list, tuple, set):
        return type(arg)(_each_optimized(item, traverse) for item in arg)
    if traverse and type(arg) is dict:
        return {key: _each_optimized(item, traverse) for key, item in arg.items()}
    return arg


def _flattened(keys: Any) -> Any:
    for key in keys:
        if isinstance(key, list):
            yield from _flattened(key)
        else:
            yield key


def _nested(keys: Any, values: dict[Any, Any]) -> Any:
    return [_nested(key, values) if isinstance(key, list) else values[key] for key in keys]


def _tuples(values: Any) -> Any:
    return tuple(_tuples(value) if isinstance(value, list) else value for value in values)


def _text(key: Hashable) -> str:
    return key if isinstance(key, str) else repr(key)
