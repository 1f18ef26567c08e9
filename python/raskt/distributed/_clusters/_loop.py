"""The loop on which clusters live: one of this process, on a thread of its own.

What a cluster has is changed by coroutines of this loop alone, so that nothing needs a lock. Whoever calls from another
thread waits, and whoever calls from a loop of his own awaits.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from raskt.distributed._own_loop import OwnLoop
from raskt.distributed._threads import in_thread
from raskt.distributed._waits import awaited

T = TypeVar("T")

logger = logging.getLogger("raskt.distributed")

_own = OwnLoop("raskt-clusters")

loop, is_here = _own.get, _own.is_here


def run(coroutine: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
    """Waits for what a coroutine gives; if the wait is interrupted, so is the coroutine."""
    if is_here():
        coroutine.close()
        raise RuntimeError("what runs on the loop of clusters can't wait for something else on it: await it")
    awaited = _Awaited(coroutine)
    try:
        return asyncio.run_coroutine_threadsafe(awaited.result(), loop()).result(timeout)
    except BaseException:
        # An interrupt may come when it has begun, and before there is a future for it here.
        loop().call_soon_threadsafe(awaited.cancel)
        raise


class _Awaited(Generic[T]):
    """A coroutine that is cancelled whether it has begun or not."""

    def __init__(self, coroutine: Coroutine[Any, Any, T]) -> None:
        self._coroutine = coroutine
        self._task: asyncio.Task[Any] | None = None
        self._is_cancelled = False

    async def result(self) -> T:
        if self._is_cancelled:
            self._coroutine.close()
            raise asyncio.CancelledError
        self._task = asyncio.current_task()
        return await self._coroutine

    def cancel(self) -> None:
        self._is_cancelled = True
        if self._task is not None:
            self._task.cancel()


class Begun(Generic[T]):
    """A coroutine that was begun on the loop, and may be awaited by anyone, or by no one."""

    def __init__(self, coroutine: Coroutine[Any, Any, T]) -> None:
        self._is_awaited = False
        self._future = asyncio.run_coroutine_threadsafe(coroutine, loop())

    def __await__(self) -> Generator[Any, None, T]:
        self._is_awaited = True
        return asyncio.wrap_future(self._future).__await__()

    def __del__(self) -> None:
        if not self._is_awaited:
            self._future.add_done_callback(_tell_failure)


def _tell_failure(future: Future[Any]) -> None:
    """Nobody else will hear of it."""
    if not future.cancelled() and (error := future.exception()) is not None:
        logger.error("what a cluster was to do has failed, and nobody has awaited it: %r", error)


async def blocking(function: Callable[..., T], *args: Any, undo: Callable[[T], Any] | None = None, **kwargs: Any) -> T:
    """What a function gives that waits: by a thread of its own, as long as there may be new ones.

    If whoever awaits it is cancelled meanwhile, `undo` gets what it gives all the same: nobody else would know of it.
    """
    if not threading.main_thread().is_alive():
        # The program ends. Nothing goes on any more that could be held up.
        return function(*args, **kwargs)
    if undo is not None:
        return await awaited(lambda _stop: function(*args, **kwargs), undo)
    result: T = await in_thread(function, *args, **kwargs)
    return result
