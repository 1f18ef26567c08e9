"""What is done with many futures at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from raskt._compute import is_raskt_collection
from raskt._core import Future, finished_future, futures_in, gather_futures, submit, wait_futures
from raskt.futures import _clusters
from raskt.futures._errors import timeout_error

__all__ = ["DoneAndNotDone", "fire_and_forget", "futures_of", "gather", "map", "scatter", "wait"]


class DoneAndNotDone(NamedTuple):
    """What `wait` gives."""

    done: set[Future]
    not_done: set[Future]


def map(
    func: Callable[..., Any],
    *iterables: Iterable[Any],
    key: str | Sequence[str] | None = None,
    pure: bool | None = None,
    priority: int = 0,
    retries: int = 0,
    batch_size: int | None = None,
    **kwargs: Any,
) -> list[Future]:
    """Submits a call for each item, or for the items of several iterables side by side.

    Parameters
    ----------
    func : callable
        What is called.
    *iterables
        Its arguments, an item of each for each call; the shortest says how many calls there are.
    key : str or sequence of str, optional
        What the names of the calls begin with, or the name of each.
    pure, priority, retries
        As for `submit`.
    batch_size : int, optional
        Calls aren't sent anywhere on one machine; it changes nothing.
    **kwargs
        Further arguments, the same for each call.

    Returns
    -------
    list of Future

    Raises
    ------
    ValueError
        If there are fewer or more keys than calls.

    Examples
    --------
    >>> from raskt.futures import gather, map
    >>> gather(map(pow, [2, 3, 4], [5, 2, 1]))
    [32, 9, 4]
    """
    if not iterables:
        raise TypeError("map() needs at least one iterable beside the function")
    calls = list(zip(*iterables))
    if key is None:
        return [submit(func, *call, pure=pure, priority=priority, retries=retries, **kwargs) for call in calls]
    keys = [f"{key}-{index}" for index in range(len(calls))] if isinstance(key, str) else list(key)
    if len(keys) != len(calls):
        raise ValueError(f"there are {len(keys)} keys for {len(calls)} calls; give a key for each, or one beginning")
    return [
        submit(func, *call, key=name, pure=pure, priority=priority, retries=retries, **kwargs)
        for name, call in zip(keys, calls)
    ]


def gather(futures: Any, errors: Literal["raise", "skip"] = "raise", direct: bool | None = None) -> Any:
    """Waits for futures and gives their results in their places.

    Parameters
    ----------
    futures : Future, or containers of them
        Lists, tuples, sets and dictionaries are looked through, and come back with results in place of futures;
        an iterator comes back as a list.
    errors : {"raise", "skip"}
        Whether to raise what a future has failed with as soon as one has, or to leave such futures out.
    direct : bool, optional
        There is no way around on one machine; it changes nothing.

    Raises
    ------
    Exception
        What the first future raised that failed, unless they are skipped.

    Examples
    --------
    >>> from raskt.futures import gather, submit
    >>> gather({"a": submit(abs, -1), "b": [submit(abs, -2), 3]})
    {'a': 1, 'b': [2, 3]}
    >>> gather([submit(abs, -1), submit(abs, "no number")], errors="skip")
    [1]
    """
    if errors not in ("raise", "skip"):
        raise ValueError(f"errors is {errors!r}; known are 'raise' and 'skip'")
    if isinstance(futures, Iterator):
        futures = list(futures)
    if _clusters.has_futures(futures, of_collections=False):
        return _clusters.waiting().gather(futures, errors)
    if errors == "raise":
        return gather_futures(futures)
    wait_futures(futures_in(futures))
    kept = _without_failed(futures)
    return None if kept is _FAILED else kept


_FAILED = object()


def _without_failed(value: Any) -> Any:
    """Results in the place of futures; what failed is left out."""
    if isinstance(value, Future):
        return value.result() if value.status == "finished" else _FAILED
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(item for item in (_without_failed(each) for each in value) if item is not _FAILED)
    if type(value) is dict:
        pairs = ((_without_failed(key), _without_failed(item)) for key, item in value.items())
        return {key: item for key, item in pairs if key is not _FAILED and item is not _FAILED}
    return value


def wait(
    fs: Any,
    timeout: float | None = None,
    return_when: Literal["ALL_COMPLETED", "FIRST_COMPLETED", "FIRST_EXCEPTION"] = "ALL_COMPLETED",
) -> DoneAndNotDone:
    """Waits until futures are done; they may have failed.

    Parameters
    ----------
    fs : Future, or containers of them
        What to wait for.
    timeout : float, optional
        Seconds to wait at most.
    return_when : {"ALL_COMPLETED", "FIRST_COMPLETED", "FIRST_EXCEPTION"}
        How many have to be done.

    Returns
    -------
    DoneAndNotDone
        The sets ``done`` and ``not_done``.

    Raises
    ------
    TimeoutError
        If they aren't done by then.

    Examples
    --------
    >>> from raskt.futures import map, wait
    >>> done, not_done = wait(map(abs, [-1, -2]))
    >>> len(done), len(not_done)
    (2, 0)
    """
    fs = list(fs) if isinstance(fs, Iterator) else fs
    if _clusters.has_futures(fs):
        return _clusters.waiting().wait(fs, timeout, return_when)
    futures = futures_in(fs)
    if not wait_futures(futures, timeout, return_when):
        unfinished = sum(not future.done() for future in futures)
        raise timeout_error(f"{unfinished} of {len(futures)} futures aren't done after {timeout} s")
    # Looked at once, since futures go on to be done.
    done = {future for future in futures if future.done()}
    return DoneAndNotDone(done, {future for future in futures if future not in done})


def scatter(
    data: Any,
    workers: None = None,
    broadcast: bool = False,
    direct: bool | None = None,
    hash: bool = True,
    timeout: float | None = None,
) -> Any:
    """Futures of objects that are there already.

    Parameters
    ----------
    data : object
        A list, tuple or set gives a future for each item, a dictionary one for each value; any other
        object one future.
    workers, broadcast, direct, hash, timeout
        For clusters; on one machine the objects stay where they are. Where there is a client of a cluster, the objects
        go to its workers.

    Examples
    --------
    >>> from raskt.futures import scatter, submit
    >>> table = scatter({"limits": [0, 10]})
    >>> submit(max, table["limits"]).result()
    10
    """
    client = _clusters.client()
    if client is not None:
        return client.scatter(data, workers, broadcast, direct, hash, timeout)
    if type(data) in (list, tuple, set, frozenset):
        return type(data)(finished_future(item) for item in data)
    if type(data) is dict:
        return {key: finished_future(item) for key, item in data.items()}
    if isinstance(data, Iterator):
        return [finished_future(item) for item in data]
    return finished_future(data)


def futures_of(obj: Any) -> list[Future]:
    """The futures in an object and in the lists, tuples, sets and dictionaries that it holds.

    Examples
    --------
    >>> from raskt.futures import futures_of, submit
    >>> future = submit(abs, -1)
    >>> futures_of({"a": [future]}) == [future]
    True
    """
    return [*futures_in(obj), *_clusters.futures_in(obj)]


def fire_and_forget(obj: Any) -> None:
    """Sees to it that calls are made though nobody holds their futures.

    Parameters
    ----------
    obj : Future, delayed object or collection, or containers of futures
        What is to be done.

    Examples
    --------
    >>> from raskt.futures import fire_and_forget, submit
    >>> fire_and_forget(submit(print, end=""))
    """
    if is_raskt_collection(obj):
        obj = submit(obj.compute)
    for future in futures_of(obj):
        # A future with a callback is held until the callback was called.
        future.add_done_callback(_nothing)


def _nothing(_: Future) -> None:
    pass
