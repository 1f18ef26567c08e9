"""What waits, beside a loop of asyncio."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import Any


async def in_thread(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """``function(*args, **kwargs)``, by a thread of its own: the loop has few, and one that waits can't be stopped."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def settle(result: Any, error: BaseException | None) -> None:
        # Nobody waits any more for one that was cancelled.
        if done.done():
            return
        if isinstance(error, StopIteration):
            error = RuntimeError(f"a StopIteration can't be raised into a coroutine: {error!r}")
        if error is None:
            done.set_result(result)
        else:
            done.set_exception(error)

    def run() -> None:
        result, failure = None, None
        try:
            result = context.run(function, *args, **kwargs)
        except BaseException as error:
            failure = error
        try:
            loop.call_soon_threadsafe(settle, result, failure)
        except RuntimeError:
            # The loop was closed meanwhile.
            return

    threading.Thread(target=run, name="raskt-await", daemon=True).start()
    return await done
