"""Raskt's threads behind the interface of `concurrent.futures`."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable
from typing import Any

from raskt._core import Future, FuturePool, wait_futures

__all__ = ["Executor"]


class Executor(concurrent.futures.Executor):
    """An executor as `concurrent.futures` has them, on the threads that run raskt's tasks.

    For code that is written to take an executor: ``asyncio.loop.run_in_executor``, libraries with an ``executor=`` or
    ``pool=``. Futures of raskt's own may stand among the arguments.

    Parameters
    ----------
    max_workers : int, optional
        Calls that run at a time. Default: the setting ``num-workers``.
    scheduler : str, optional
        "threads", or "sync" to make each call in the thread that submits it. Default: the setting ``scheduler``.

    Examples
    --------
    >>> from raskt.futures import Executor
    >>> with Executor(max_workers=2) as executor:
    ...     list(executor.map(abs, [-1, -2]))
    [1, 2]
    """

    def __init__(self, max_workers: int | None = None, *, scheduler: str | None = None) -> None:
        if max_workers is not None:
            if isinstance(max_workers, bool) or not isinstance(max_workers, int):
                raise TypeError(f"max_workers is {max_workers!r}; it has to be a whole number")
            if max_workers < 1:
                raise ValueError(f"max_workers is {max_workers}; at least one thread has to make the calls")
        self._pool = FuturePool(scheduler, max_workers)
        self._is_shut_down = False
        self._running: dict[Future, concurrent.futures.Future[Any]] = {}
        """The futures of raskt's that work for those that were handed out and aren't done."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> concurrent.futures.Future[Any]:
        """Make the call ``fn(*args, **kwargs)`` in parallel to what the caller goes on to do."""
        if self._is_shut_down:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        work = self._pool.submit(_work, (future, fn, *args), kwargs)
        self._running[work] = future
        work.add_done_callback(self._worked)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no further calls; wait for those that were submitted, or cancel those that haven't begun."""
        self._is_shut_down = True
        running = list(self._running.items())
        if cancel_futures:
            for _, future in running:
                future.cancel()
        if wait:
            wait_futures([work for work, _ in running])

    def _worked(self, work: Future) -> None:
        """End a future whose call wasn't made, since an input failed or was cancelled, and forget it."""
        future = self._running.pop(work)
        if work.status == "finished":
            return
        if work.cancelled():
            future.cancel()
        if future.set_running_or_notify_cancel():
            future.set_exception(work.exception())


def _work(future: concurrent.futures.Future[Any], fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = fn(*args, **kwargs)
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)
