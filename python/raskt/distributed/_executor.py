"""A cluster behind the interface of `concurrent.futures`."""

from __future__ import annotations

import concurrent.futures
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from raskt import _core

if TYPE_CHECKING:
    from raskt.distributed._client import Client

TAKEN = frozenset(("workers", "resources", "retries", "priority", "allow_other_workers", "pure"))
"""Arguments of `submit` that may hold for all calls."""


class ClusterExecutor(concurrent.futures.Executor):
    """An executor as `concurrent.futures` has them, whose calls a cluster makes. Made by `Client.get_executor`."""

    def __init__(self, client: Client, **kwargs: Any) -> None:
        unknown = sorted(set(kwargs) - TAKEN)
        if unknown:
            raise TypeError(f"get_executor() takes no argument {unknown[0]!r}; known are {', '.join(sorted(TAKEN))}")
        self._client = client
        self._kwargs = kwargs
        self._is_shut_down = False
        self._running: dict[concurrent.futures.Future[Any], _core.ClusterFuture] = {}

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> concurrent.futures.Future[Any]:
        """Has the cluster call ``fn(*args, **kwargs)``."""
        if self._is_shut_down:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        work = self._client.submit(fn, *args, **self._kwargs, **kwargs)
        future.set_running_or_notify_cancel()
        self._running[future] = work
        work.add_done_callback(functools.partial(self._worked, future))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no further calls; wait for those that were submitted, or cancel them."""
        self._is_shut_down = True
        running = list(self._running.items())
        if cancel_futures:
            for _, work in running:
                work.cancel()
        if wait:
            concurrent.futures.wait([future for future, _ in running])

    def _worked(self, future: concurrent.futures.Future[Any], work: _core.ClusterFuture) -> None:
        self._running.pop(future, None)
        try:
            future.set_result(work.result())
        except BaseException as error:
            future.set_exception(error)
