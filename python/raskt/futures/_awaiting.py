"""`await future`, in any loop of asyncio."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from raskt._core import Future


async def awaiting(future: Future) -> Any:
    """The result of `future`; the loop goes on meanwhile."""
    if not future.done():
        loop = asyncio.get_running_loop()
        arrived = asyncio.Event()

        def tell(_: Future) -> None:
            # The loop may be closed by the time that the future is done; nobody waits any more then.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(arrived.set)

        future.add_done_callback(tell)
        await arrived.wait()
    return future.result()
