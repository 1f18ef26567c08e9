"""Futures in the order in which they are done."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Iterator
from typing import Any

from raskt._core import Arrivals, Future, futures_in
from raskt.futures import _clusters

__all__ = ["as_completed"]


class as_completed:
    """Iterates over futures in the order in which they are done.

    Futures may be added while it runs; it ends when none is left.

    Parameters
    ----------
    futures : iterable of Future, optional
        What to begin with.
    with_results : bool
        Whether to give pairs of a future and its result. What a future has failed with is raised then.
    raise_errors : bool
        With results: whether to raise errors, or to give the exception in place of the result.
    timeout : float, optional
        Seconds from now until the last of them has to be done.

    Raises
    ------
    TimeoutError
        When one isn't done in time.

    Examples
    --------
    >>> from raskt.futures import as_completed, map, submit
    >>> running = as_completed(map(abs, [-1, -2]))
    >>> results = []
    >>> for future in running:
    ...     results.append(future.result())
    ...     if len(results) < 4:
    ...         running.add(submit(abs, -9))
    >>> sorted(results)
    [1, 2, 9, 9, 9]
    """

    def __new__(cls, futures: Iterable[Future] | None = None, *args: Any, **kwargs: Any) -> Any:
        """Those of a cluster are waited for by `raskt.distributed.as_completed`."""
        if futures is not None and not isinstance(futures, Iterator) and _clusters.has_futures(futures):
            return _clusters.waiting().as_completed(futures, None, *args, **kwargs)
        return super().__new__(cls)

    def __init__(
        self,
        futures: Iterable[Future] | None = None,
        with_results: bool = False,
        raise_errors: bool = True,
        *,
        timeout: float | None = None,
    ) -> None:
        self._arrivals = Arrivals()
        self._with_results = with_results
        self._raise_errors = raise_errors
        self._timeout = timeout
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self.update(futures or [])

    def add(self, future: Future) -> None:
        """Add a future; it comes when it is done."""
        if not isinstance(future, Future):
            raise TypeError(f"as_completed() takes futures and not {type(future).__name__} objects")
        self._arrivals.add(future)

    def update(self, futures: Iterable[Future]) -> None:
        """Add futures, also those in containers."""
        for each in list(futures):
            found = futures_in([each])
            if not found and not isinstance(each, (list, tuple, set, dict)):
                raise TypeError(f"as_completed() takes futures and not {type(each).__name__} objects")
            for future in found:
                self._arrivals.add(future)

    def count(self) -> int:
        """How many futures are still to come."""
        return self._arrivals.count()

    def is_empty(self) -> bool:
        """Whether none is still to come."""
        return self.count() == 0

    def has_ready(self) -> bool:
        """Whether the next comes without waiting."""
        return self._arrivals.has_ready()

    def clear(self) -> None:
        """Forget the futures that are still to come; they go on."""
        self._arrivals.clear()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        future = self._arrivals.next(self._left(), self._timeout)
        if future is None:
            raise StopIteration
        return self._given(future)

    def next_batch(self, block: bool = True) -> list[Any]:
        """All that are done and haven't come yet; at least one, unless `block` is false."""
        batch = [next(self)] if block else []
        while (future := self._arrivals.next_ready()) is not None:
            batch.append(self._given(future))
        return batch

    def batches(self) -> Iterator[list[Any]]:
        """Iterate over lists of all that are done at a time.

        Examples
        --------
        >>> from raskt.futures import as_completed, map
        >>> sum(len(batch) for batch in as_completed(map(abs, range(100))).batches())
        100
        """
        while not self.is_empty():
            yield self.next_batch()

    def __aiter__(self) -> as_completed:
        return self

    async def __anext__(self) -> Any:
        future = self._arrivals.next_ready()
        if future is None:
            future = await asyncio.to_thread(self._arrivals.next, self._left(), self._timeout)
        if future is None:
            raise StopAsyncIteration
        return self._given(future)

    def _left(self) -> float | None:
        return None if self._deadline is None else self._deadline - time.monotonic()

    def _given(self, future: Future) -> Any:
        if not self._with_results:
            return future
        if self._raise_errors:
            return future, future.result()
        try:
            return future, future.result()
        except BaseException as error:
            return future, error
