"""What is done with many futures of a cluster at a time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from raskt._core import ClusterArrivals, ClusterFuture, cluster_gather, cluster_wait
from raskt.distributed import _nested
from raskt.distributed._durations import seconds, told
from raskt.distributed._futures import client_of
from raskt.distributed._nested import LEFT_OUT, as_container, futures_asked, futures_in, replaced
from raskt.distributed._threads import in_thread, running_loop
from raskt.distributed._waits import awaited
from raskt.futures import DoneAndNotDone
from raskt.futures._errors import timeout_error

GLANCE_SECONDS = 0.01
"""How often it is looked whether somebody puts back what was last."""

Errors = Literal["raise", "skip"]

RETURN_WHEN = ("ALL_COMPLETED", "FIRST_COMPLETED", "FIRST_EXCEPTION")
"""How many futures have to be done for `wait` to be over."""


def gather(futures: Any, errors: Errors = "raise") -> Any:
    """The results of futures in their places."""
    if errors not in ("raise", "skip"):
        raise ValueError(f"errors is {errors!r}; known are 'raise' and 'skip'")
    futures = as_container(futures)
    # What `map` gives isn't looked through one by one.
    if errors == "raise" and type(futures) is list and set(map(type, futures)) == {ClusterFuture}:
        return cluster_gather(futures)
    found = futures_in(futures)
    if errors == "skip":
        cluster_wait(found)
        found = [future for future in found if future.status == "finished"]
        # What can't be sent, or read here, is left out as well.
        results = dict(zip(map(id, found), cluster_gather(found, LEFT_OUT)))
    else:
        results = dict(zip(map(id, found), cluster_gather(found)))
    kept = replaced(futures, lambda future: results.get(id(future), LEFT_OUT))
    return None if kept is LEFT_OUT else kept


def wait(
    fs: Any,
    timeout: float | str | None = None,
    return_when: Literal["ALL_COMPLETED", "FIRST_COMPLETED", "FIRST_EXCEPTION"] = "ALL_COMPLETED",
) -> Any:
    """Waits until futures are done; they may have failed. Those of an asynchronous client are awaited.

    Parameters
    ----------
    fs : Future, persisted collection, or containers of them
        What to wait for.
    timeout : float or str, optional
        Seconds to wait at most, or a text such as "10s".
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
    """
    if return_when not in RETURN_WHEN:
        known = ", ".join(map(repr, RETURN_WHEN))
        raise ValueError(f"return_when is {return_when!r}; known are {known}")
    futures = futures_asked(as_container(fs), "wait()")
    if futures and running_loop() is not None and getattr(client_of(futures[0]), "asynchronous", False):
        return in_thread(_waited, futures, timeout, return_when)
    return _waited(futures, timeout, return_when)


def _waited(futures: list[ClusterFuture], timeout: float | str | None, return_when: str) -> DoneAndNotDone:
    if not cluster_wait(futures, timeout, return_when):
        unfinished = sum(not future.done() for future in futures)
        raise timeout_error(f"{unfinished} of {len(futures)} futures aren't done after {told(timeout)}")
    done = {future for future in futures if future.done()}
    return DoneAndNotDone(done, {future for future in futures if future not in done})  # type: ignore[arg-type]


def futures_of(o: Any, client: Any = None) -> list[ClusterFuture]:
    """The futures in an object and in the lists, tuples, sets and dictionaries that it holds.

    Those of a persisted collection are what the cluster computes, or has computed, of it. A frame has none: what is
    persisted of it is here.
    """
    return _nested.futures_of(as_container(o))


def fire_and_forget(obj: Any) -> None:
    """Sees to it that calls are made though nobody holds their futures.

    Parameters
    ----------
    obj : Future, persisted collection, or containers of them
        What is to be done.
    """
    for future in futures_asked(as_container(obj), "fire_and_forget()"):
        # A future with a callback is held until the callback was called.
        future.add_done_callback(_nothing)


def _nothing(_: ClusterFuture) -> None:
    pass


class as_completed:
    """Iterates over futures in the order in which they are done.

    Futures may be added while it runs; it ends when none is left.

    Parameters
    ----------
    futures : iterable of Future, optional
        What to begin with.
    loop : None
        Of no effect: nothing of this runs in a loop.
    with_results : bool, default False
        Whether to give pairs of a future and its result.
    raise_errors : bool, default True
        With results: whether to raise what a future has failed with, or to give the exception in place of the result.
    timeout : float or str, optional
        Seconds from now until the last of them has to be done.

    Raises
    ------
    TimeoutError
        When one isn't done in time.
    """

    def __init__(
        self,
        futures: Iterable[Any] | None = None,
        loop: None = None,
        with_results: bool = False,
        raise_errors: bool = True,
        *,
        timeout: float | str | None = None,
    ) -> None:
        self._arrivals = ClusterArrivals()
        self._ready: deque[ClusterFuture] = deque()
        self._with_results = with_results
        self._raise_errors = raise_errors
        self._timeout = timeout
        self._deadline = None if timeout is None else time.monotonic() + seconds(timeout)
        self.update(futures or [])

    def add(self, future: ClusterFuture) -> None:
        """Add a future; it comes when it is done."""
        if not isinstance(future, ClusterFuture):
            raise TypeError(f"as_completed() takes futures of a cluster and not {type(future).__name__} objects")
        self._arrivals.add([future])

    def update(self, futures: Iterable[Any]) -> None:
        """Add futures, also those in containers."""
        found: list[ClusterFuture] = []
        for each in list(futures):
            found += futures_asked(each, "as_completed()")
        self._arrivals.add(found)

    def count(self) -> int:
        """How many futures are still to come."""
        return len(self._ready) + len(self._arrivals)

    def is_empty(self) -> bool:
        """Whether none is still to come."""
        return self.count() == 0

    def has_ready(self) -> bool:
        """Whether the next comes without waiting."""
        self._ready.extend(self._arrivals.next(0.0))
        return bool(self._ready)

    def clear(self) -> None:
        """Forget the futures that are still to come; they go on."""
        self._arrivals.clear()
        self._arrivals.given(len(self._ready))
        self._ready.clear()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        future = self._next()
        if future is None:
            raise StopIteration
        self._arrivals.given(1)
        return self._given(future)

    def _next(self) -> ClusterFuture | None:
        if not self._ready:
            left = None if self._deadline is None else max(0.0, self._deadline - time.monotonic())
            self._ready.extend(self._arrivals.next(left))
        if self._ready:
            return self._ready.popleft()
        if self.count():
            raise timeout_error(f"{self.count()} futures aren't done after {self._timeout} s")
        return None

    def next_batch(self, block: bool = True) -> list[Any]:
        """All that are done and haven't come yet; at least one, unless `block` is false."""
        batch = [next(self)] if block else []
        self._ready.extend(self._arrivals.next(0.0))
        while self._ready:
            future = self._ready.popleft()
            self._arrivals.given(1)
            batch.append(self._given(future))
        return batch

    def batches(self) -> Iterator[list[Any]]:
        """Iterate over lists of all that are done at a time."""
        while not self.is_empty():
            yield self.next_batch()

    def __aiter__(self) -> as_completed:
        return self

    async def __anext__(self) -> Any:
        future = await awaited(lambda _stop: self._next_of_all(), self._put_back)
        if future is None:
            raise StopAsyncIteration
        self._arrivals.given(1)
        return await in_thread(self._given, future) if self._with_results else future

    def _next_of_all(self) -> ClusterFuture | None:
        # Somebody who was cancelled may have the last one, and puts it back.
        while (future := self._next()) is None and self._arrivals.taken():
            if self._deadline is not None and time.monotonic() >= self._deadline:
                raise timeout_error(f"a future that somebody else waits for isn't given after {self._timeout} s")
            time.sleep(GLANCE_SECONDS)
        return future

    def _put_back(self, future: ClusterFuture | None) -> None:
        """Whoever waited for it was cancelled."""
        if future is not None:
            self._ready.appendleft(future)

    def _given(self, future: ClusterFuture) -> Any:
        if not self._with_results:
            return future
        if self._raise_errors:
            return future, future.result()
        try:
            return future, future.result()
        except Exception as error:
            return future, error
