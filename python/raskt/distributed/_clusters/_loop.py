"""The loop on which clusters live: one of this process, on a thread of its own.

What a cluster has is changed by coroutines of this loop alone, so that nothing needs a lock. Whoever calls from another
thread waits, and whoever calls from a loop of his own awaits.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from raskt.distributed._threads import in_thread

T = TypeVar("T")

logger = logging.getLogger("raskt.distributed")

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def loop() -> asyncio.AbstractEventLoop:
    """The loop, which is started when it is first asked for."""
    global _loop
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="raskt-clusters", daemon=True).start()
        return _loop


def is_here() -> bool:
    """Whether this is called by something that runs on the loop."""
    try:
        return asyncio.get_running_loop() is _loop
    except RuntimeError:
        return False


def run(coroutine: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
    """Waits for what a coroutine gives; if the wait is interrupted, so is the coroutine."""
    if is_here():
        coroutine.close()
        raise RuntimeError("what runs on the loop of clusters can't wait for something else on it: await it")
    future = asyncio.run_coroutine_threadsafe(coroutine, loop())
    try:
        return future.result(timeout)
    except BaseException:
        future.cancel()
        raise


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


async def blocking(function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """What a function gives that waits: by a thread of its own, as long as there may be new ones."""
    if not threading.main_thread().is_alive():
        # The program ends. Nothing goes on any more that could be held up.
        return function(*args, **kwargs)
    result: T = await in_thread(function, *args, **kwargs)
    return result


def _forget() -> None:
    """In a fork the thread isn't there."""
    global _loop, _lock
    _loop, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
