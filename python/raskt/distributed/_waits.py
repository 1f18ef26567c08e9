"""Waiting for what processes share: here, or beside a loop of asyncio, where whoever waits can be cancelled."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from raskt._core import ClusterStop
from raskt.distributed._durations import seconds

T = TypeVar("T")


def timeout_seconds(timeout: object) -> float | None:
    """Seconds of a timeout; None is for ever, and what is over already is no time."""
    return None if timeout is None else max(0.0, seconds(timeout))


async def awaited(wait: Callable[[ClusterStop], T], undo: Callable[[T], Any] | None = None) -> T:
    """What `wait` gives, which runs in a thread of its own.

    Whoever is cancelled meanwhile stops it. What it has got all the same is undone: nobody would know of it.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()
    stop, context = ClusterStop(), contextvars.copy_context()

    def settle(result: Any, error: BaseException | None) -> None:
        if done.done():
            if error is None and undo is not None:
                threading.Thread(target=undo, args=(result,), name="raskt-undo", daemon=True).start()
        elif error is None:
            done.set_result(result)
        elif isinstance(error, StopIteration):
            done.set_exception(RuntimeError(f"a StopIteration can't be raised into a coroutine: {error!r}"))
        else:
            done.set_exception(error)

    def run() -> None:
        nonlocal wait
        result, failure = None, None
        try:
            result = context.run(wait, stop)
        except BaseException as error:
            failure = error
        # What it holds goes with it.
        del wait
        try:
            loop.call_soon_threadsafe(settle, result, failure)
        except RuntimeError:
            # The loop was closed meanwhile.
            if failure is None and undo is not None:
                undo(result)  # type: ignore[arg-type]
        finally:
            del result, failure

    threading.Thread(target=run, name="raskt-await", daemon=True).start()
    try:
        return await done
    except asyncio.CancelledError:
        stop.stop()
        if done.done() and not done.cancelled() and done.exception() is None and undo is not None:
            # It came at the very moment.
            await asyncio.shield(_in_thread(undo, done.result()))
        raise


async def _in_thread(function: Callable[..., Any], *args: Any) -> None:
    thread = threading.Thread(target=function, args=args, name="raskt-undo", daemon=True)
    thread.start()
    while thread.is_alive():
        await asyncio.sleep(0.001)
