"""A cluster behind the interface of `concurrent.futures`."""

from __future__ import annotations

import concurrent.futures
import functools
import inspect
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from raskt import _core
from raskt.distributed import _arguments

if TYPE_CHECKING:
    from raskt.distributed._client import Client

TAKEN = frozenset(("workers", "resources", "retries", "priority", "allow_other_workers", "pure"))
"""Arguments of `submit` that may hold for all calls."""


@functools.cache
def _words(client: type[Client]) -> frozenset[str]:
    """The words that mean something to `submit` of a client."""
    words = inspect.signature(client.submit).parameters.values()
    return frozenset(word.name for word in words if word.kind is word.KEYWORD_ONLY)


class ClusterExecutor(concurrent.futures.Executor):
    """An executor as `concurrent.futures` has them, whose calls a cluster makes. Made by `Client.get_executor`."""

    def __init__(self, client: Client, **kwargs: Any) -> None:
        unknown = sorted(set(kwargs) - TAKEN)
        if unknown:
            raise TypeError(f"get_executor() takes no argument {unknown[0]!r}; known are {', '.join(sorted(TAKEN))}")
        self._client = client
        self._kwargs = kwargs
        self._is_shut_down = False
        self._works: dict[concurrent.futures.Future[Any], _core.ClusterFuture] = {}

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> concurrent.futures.Future[Any]:
        """Has the cluster call ``fn(*args, **kwargs)``.

        The future can be cancelled until it is done: a function that runs already isn't stopped then, and its result
        counts for nothing. So it is never ``running()``, which says that it can't be cancelled any more.
        """
        self._check()
        # Words that mean something to submit() are the function's here.
        call = functools.partial(fn, **kwargs) if kwargs.keys() & _words(type(self._client)) else fn
        given = {} if call is not fn else kwargs
        return self._followed(self._client.submit(call, *args, **self._kwargs, **given))

    def map(
        self, fn: Callable[..., Any], *iterables: Iterable[Any], timeout: float | None = None, chunksize: int = 1
    ) -> Iterator[Any]:
        """Has the cluster call ``fn`` with each row of the iterables, and gives the results in their order.

        Parameters
        ----------
        fn : callable
            What is called.
        *iterables : iterable
            Its arguments. They are read at once, and end with the shortest.
        timeout : float, optional
            Seconds from now until the last result has to be there.
        chunksize : int, default 1
            Calls that one task makes, one after the other.

        Raises
        ------
        TimeoutError
            If a result isn't there in time.
        """
        chunksize = _arguments.count("chunksize", chunksize, 1, _arguments.COUNT_MAX)
        self._check()
        deadline = None if timeout is None else time.monotonic() + timeout
        rows = list(zip(*iterables))
        parts = [rows[start : start + chunksize] for start in range(0, len(rows), chunksize)]
        works = self._client.map(functools.partial(_each, fn), parts, **self._kwargs) if parts else []
        return _results([self._followed(work) for work in works], deadline)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no further calls; wait for those that were submitted, or cancel them."""
        self._is_shut_down = True
        futures = list(self._works)
        if cancel_futures:
            for future in futures:
                future.cancel()
        if wait:
            concurrent.futures.wait(futures)

    def _check(self) -> None:
        if self._is_shut_down:
            raise RuntimeError("cannot schedule new futures after shutdown")

    def _followed(self, work: _core.ClusterFuture) -> concurrent.futures.Future[Any]:
        """A future that comes to its end with `work`, and that is cancelled with it, whichever is first."""
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        self._works[future] = work
        future.add_done_callback(functools.partial(_cancelled_too, work))
        work.add_done_callback(functools.partial(self._worked, future))
        return future

    def _worked(self, future: concurrent.futures.Future[Any], work: _core.ClusterFuture) -> None:
        self._works.pop(future, None)
        if work.cancelled():
            future.cancel()
        # Those who wait hear of it now that it was cancelled.
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(work.result())
        except BaseException as error:
            future.set_exception(error)


def _cancelled_too(work: _core.ClusterFuture, future: concurrent.futures.Future[Any]) -> None:
    if future.cancelled() and not work.done():
        work.cancel()


def _each(fn: Callable[..., Any], rows: list[tuple[Any, ...]]) -> list[Any]:
    return [fn(*row) for row in rows]


def _results(futures: list[concurrent.futures.Future[Any]], deadline: float | None) -> Iterator[Any]:
    futures.reverse()
    try:
        while futures:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            results = futures[-1].result(left)
            futures.pop()
            yield from results
    finally:
        # Nobody asks for the others.
        for future in futures:
            future.cancel()
