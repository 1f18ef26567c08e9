"""Calls that a cluster makes: what of a client submits work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from raskt import _core
from raskt._annotations import annotation_set, get_annotations
from raskt.distributed import _actors, _arguments, _errands, _executor, _orders, _running
from raskt.distributed._threads import in_thread
from raskt.futures._pure import content_key

BATCH = 100_000
"""Calls of one `map` that are sent at a time."""

USUAL = 0
"""The priority of what nothing is said of."""


class Calls:
    """What of a client submits work."""

    _raskt_cluster_client: _core.ClusterClient

    @property
    def asynchronous(self) -> bool:
        """As `Client.asynchronous`."""
        raise NotImplementedError

    def sync(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """As `Client.sync`."""
        raise NotImplementedError

    def submit(
        self,
        func: Callable[..., Any],
        *args: Any,
        key: str | None = None,
        workers: str | Sequence[str] | None = None,
        resources: Mapping[str, float] | None = None,
        retries: int | None = None,
        priority: int = 0,
        fifo_timeout: Any = None,
        allow_other_workers: bool = False,
        actor: bool = False,
        actors: bool = False,
        pure: bool | None = None,
        **kwargs: Any,
    ) -> _core.ClusterFuture:
        """Has a worker call ``func(*args, **kwargs)`` while this program goes on.

        Parameters
        ----------
        func : callable
            What is called.
        *args, **kwargs
            Its arguments. Futures among them, also in lists, tuples, sets and dictionaries, are replaced by their
            results; nothing waits for them here.
        key : str, optional
            The name of the call; a call with the name of a future that somebody holds is that future.
        workers : str or sequence of str, optional
            The names of the workers that may make it; with `allow_other_workers`, of those that are preferred.
        resources : mapping, optional
            What it takes of its worker's resources, by name.
        retries : int, optional
            How often it is made again if it fails.
        priority : int, default 0
            Calls of a higher one are made first.
        fifo_timeout
            Of no effect: calls of one priority are made in their order.
        actor, actors : bool, default False
            Whether the call makes an object that stays on its worker: the result is an `Actor`.
        pure : bool, default False
            Whether equal calls are one call.

        Returns
        -------
        Future
        """
        _check_callable(func)
        words = _words(workers, resources, retries, priority, allow_other_workers, fifo_timeout)
        if _are_actors(actor, actors):
            client: Any = self
            return _actors.create(client, func, args, kwargs, key, words)
        if key is not None:
            _check_key(key)
        if _is_pure(pure) and key is None:
            key = content_key(func, args, kwargs)
        return self._raskt_cluster_client.submit(func, args, kwargs or None, key, _set_of(words))

    def map(
        self,
        func: Callable[..., Any],
        *iterables: Iterable[Any],
        key: str | Sequence[str] | None = None,
        workers: str | Sequence[str] | None = None,
        retries: int | None = None,
        resources: Mapping[str, float] | None = None,
        priority: int = 0,
        allow_other_workers: bool = False,
        fifo_timeout: Any = None,
        actor: bool = False,
        actors: bool = False,
        pure: bool | None = None,
        batch_size: int | None = None,
        **kwargs: Any,
    ) -> list[_core.ClusterFuture]:
        """Has workers call `func` with each item, or with the items of several iterables side by side.

        Parameters
        ----------
        func : callable
            What is called.
        *iterables
            Its arguments, an item of each for each call; the shortest says how many calls there are.
        key : str or sequence of str, optional
            What the names of the calls begin with, or the name of each.
        batch_size : int, optional
            Calls that are sent at a time. Default: 100,000.
        workers, retries, resources, priority, allow_other_workers, fifo_timeout, actor, actors, pure
            As for `submit`.
        **kwargs
            Further arguments, the same for each call.

        Returns
        -------
        list of Future

        Raises
        ------
        ValueError
            If there are fewer or more keys than calls.
        """
        if not iterables:
            raise TypeError("map() needs at least one iterable beside the function")
        _check_callable(func)
        if batch_size is not None:
            batch_size = _arguments.count("batch_size", batch_size, 1, _arguments.COUNT_MAX)
        rows = list(zip(*iterables))
        keys = _keys(key, len(rows))
        if _are_actors(actor, actors):
            client: Any = self
            words = _words(workers, resources, retries, priority, allow_other_workers, fifo_timeout)
            named: Sequence[str | None] = keys or [None] * len(rows)
            return [_actors.create(client, func, row, kwargs, name, words) for row, name in zip(rows, named)]
        if _is_pure(pure) and keys is None:
            keys = [content_key(func, row, kwargs) for row in rows]
        said = _said(workers, resources, retries, priority, allow_other_workers, fifo_timeout)
        size, futures = batch_size or BATCH, []
        for start in range(0, len(rows), size):
            part = slice(start, start + size)
            own = None if keys is None else keys[part]
            futures += self._raskt_cluster_client.map(func, rows[part], kwargs or None, own, said)
        return futures

    def scatter(
        self,
        data: Any,
        workers: str | Sequence[str] | None = None,
        broadcast: bool | int = False,
        direct: bool | None = None,
        hash: bool = True,
        timeout: Any = None,
        asynchronous: bool | None = None,
    ) -> Any:
        """Moves objects to the workers, and gives futures of them.

        Parameters
        ----------
        data : object
            A list, tuple, set or range gives a future for each item, a dictionary one for each value; any other object
            one future.
        workers : str or sequence of str, optional
            Those that are to hold them. Others may hold some as well, since whoever is free takes them over.
        broadcast : bool or int, default False
            Whether each of these workers is to hold all of it; or how many are to, of those that there are.
        direct : bool, optional
            Objects always go straight to workers; it changes nothing.
        hash : bool, default True
            Of no effect: objects aren't told apart by what is in them.
        timeout : float or str, optional
            For so long it is waited until the data is with workers; but for `workers` and `broadcast` nothing waits.

        Returns
        -------
        Future, or list, tuple, set or dict of futures

        Raises
        ------
        ValueError, TypeError
            If there is no such worker, or `broadcast` is no such number.
        TimeoutError
            If the data isn't with workers in time.
        """
        if isinstance(broadcast, (bool, np.bool_)):
            broadcast = bool(broadcast)
        else:
            broadcast = _arguments.count("broadcast", broadcast, 0, _arguments.COUNT_MAX)
        for name, value in (("hash", hash), ("direct", direct)):
            if value is not None:
                _arguments.flag(name, value)
        if timeout is not None:
            timeout = _arguments.span("timeout", timeout)
        places = None if workers is None and not broadcast else (workers, broadcast, timeout)
        arguments = (self._raskt_cluster_client, data, places)
        if self.asynchronous if asynchronous is None else asynchronous:
            return in_thread(_scattered, *arguments)
        return _scattered(*arguments)

    def compute(
        self,
        collections: Any,
        sync: bool = False,
        optimize_graph: bool = True,
        workers: str | Sequence[str] | None = None,
        allow_other_workers: bool = False,
        resources: Mapping[str, float] | None = None,
        retries: int | None = 0,
        priority: int = 0,
        fifo_timeout: Any = None,
        actors: bool | None = None,
        traverse: bool = True,
        **kwargs: Any,
    ) -> Any:
        """Has collections and delayed objects computed, and gives futures of their results.

        Parameters
        ----------
        collections : collection, or list of them
            What to compute.
        sync : bool, default False
            Whether to wait, and give results.
        optimize_graph : bool
            Of no effect: expressions are always optimised.
        workers, allow_other_workers, resources, retries, priority, fifo_timeout
            As for `submit`.
        traverse : bool, default True
            Whether lists, tuples, sets and dictionaries are looked through.

        Returns
        -------
        Future, or list of futures
        """
        if kwargs:
            raise TypeError(f"compute() takes no argument {next(iter(kwargs))!r}")
        if actors is not None and _arguments.flag("actors", actors):
            raise NotImplementedError("what is computed has no actors: submit(..., actor=True) makes one")
        is_one = not isinstance(collections, (list, tuple, set, frozenset))
        objects = [collections] if is_one else list(collections)
        said = _said(workers, resources, retries, priority, allow_other_workers, fifo_timeout)
        futures = self._raskt_cluster_client.give(objects, not traverse and not is_one, None, said)
        if sync:
            return self.sync(_results, futures, is_one)
        return futures[0] if is_one else futures

    def run(
        self,
        function: Callable[..., Any],
        *args: Any,
        workers: str | Sequence[str] | None = None,
        wait: bool = True,
        nanny: bool = False,
        on_error: Literal["raise", "return", "ignore"] = "raise",
        **kwargs: Any,
    ) -> Any:
        """Has each worker call ``function(*args, **kwargs)``, before whatever else waits for one of its threads.

        Parameters
        ----------
        function : callable
            What is called; an argument `dask_worker` gets the worker.
        workers : str or sequence of str, optional
            The names of the workers that are to call it. Default: all.
        wait : bool, default True
            Whether to wait for what it gives.
        on_error : {"raise", "return", "ignore"}
            What becomes of exceptions.

        Returns
        -------
        dict
            What it gave, by the names of the workers; nothing if nobody waits.
        """
        if nanny:
            raise NotImplementedError("functions can't be called in the processes that supervise workers")
        return self.sync(_running.run, self._raskt_cluster_client, function, args, kwargs, workers, wait, on_error)

    def get_executor(self, **kwargs: Any) -> _executor.ClusterExecutor:
        """The cluster behind the interface of `concurrent.futures`.

        Parameters
        ----------
        **kwargs
            Arguments of `submit` that hold for all calls, such as ``priority`` and ``retries``.
        """
        client: Any = self
        return _executor.ClusterExecutor(client, **kwargs)


def _results(futures: list[_core.ClusterFuture], is_one: bool) -> Any:
    results = _core.cluster_gather(futures)
    return results[0] if is_one else results


def _are_actors(actor: Any, actors: Any) -> bool:
    given = [(name, value) for name, value in (("actor", actor), ("actors", actors)) if value is not None]
    return any([_arguments.flag(name, value) for name, value in given])


def _check_callable(func: Any) -> None:
    if not callable(func):
        raise TypeError(f"func is {func!r}; it is what workers call, and can't be called")


def _check_key(key: Any) -> None:
    if not isinstance(key, str):
        raise TypeError(f"key is {key!r}; the name of a call is a text")
    if not key:
        raise ValueError("key is ''; the name of a call has a letter at least")


def _is_pure(pure: bool | None) -> bool:
    return pure is not None and _arguments.flag("pure", pure)


def _scattered(client: _core.ClusterClient, data: Any, places: tuple[Any, bool | int, Any] | None) -> Any:
    """Futures in the places of objects that workers are given; and these workers hold them, if any are named."""
    if places is None:
        return _given(client.give, data)
    workers, broadcast, timeout = places
    # Who isn't there is told of before anything is sent.
    workers = _errands.listed(workers)
    _errands.some(client, workers)
    futures = _given(client.give, data)
    every = futures.values() if isinstance(futures, dict) else futures
    every = [every] if isinstance(every, _core.ClusterFuture) else list(every)
    # True is a number, too.
    copies = None if broadcast is True else max(1, int(broadcast))
    _orders.replicate(client, every, copies, workers, timeout)
    return futures


def _given(give: Callable[[list[Any], bool], list[_core.ClusterFuture]], data: Any) -> Any:
    if isinstance(data, dict):
        return dict(zip(data, give(list(data.values()), True)))
    if isinstance(data, (list, tuple, set, frozenset)):
        futures = give(list(data), True)
        kind: Any = type(data)
        return kind._make(futures) if hasattr(kind, "_fields") else kind(futures)
    return give(list(data), True) if isinstance(data, (Iterator, range)) else give([data], True)[0]


def _keys(key: str | Sequence[str] | None, count: int) -> list[str] | None:
    if key is None:
        return None
    if not isinstance(key, (str, Iterable)):
        raise TypeError(f"key is {key!r}; it is what the names of the calls begin with, or a name for each")
    keys = [f"{key}-{index}" for index in range(count)] if isinstance(key, str) else list(key)
    for each in keys:
        _check_key(each)
    if len(set(keys)) < len(keys):
        twice, _ = Counter(keys).most_common(1)[0]
        raise ValueError(f"key {twice!r} is that of several calls; each has a name of its own")
    if len(keys) != count:
        raise ValueError(f"there are {len(keys)} keys for {count} calls; give a key for each, or one beginning")
    return keys


def _words(
    workers: str | Sequence[str] | None,
    resources: Mapping[str, float] | None,
    retries: int | None,
    priority: int,
    allow_other_workers: bool,
    fifo_timeout: Any,
) -> dict[str, Any]:
    """What is said of calls, over what `raskt.annotate` says here; nothing if no more than that is."""
    said: dict[str, Any] = {}
    if fifo_timeout is not None:
        _arguments.span("fifo_timeout", fifo_timeout)
    if workers is None and allow_other_workers is not False:
        raise ValueError("allow_other_workers goes with workers=: without them any worker may")
    if workers is not None:
        said["workers"] = workers
        said["allow_other_workers"] = allow_other_workers
    if resources is not None:
        said["resources"] = resources
    if retries is not None:
        said["retries"] = retries
    # Of what isn't the usual, also what counts as false is looked at.
    if priority is not USUAL:
        said["priority"] = priority
    return get_annotations() | said if said else {}


def _said(*words: Any) -> _core.AnnotationSet | None:
    """The same in the engine's words."""
    return _set_of(_words(*words))


def _set_of(words: dict[str, Any]) -> _core.AnnotationSet | None:
    return annotation_set(**words) if words else None
