"""What waits, beside a loop of asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from raskt._core import ClusterStop
from raskt.distributed._waits import awaited


async def in_thread(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """``function(*args, **kwargs)``, by a thread of its own: the loop has few.

    Whoever is cancelled meanwhile ends what it waits for, and nothing of it is held any longer.
    """

    def call(stop: ClusterStop) -> Any:
        with stop:
            return function(*args, **kwargs)

    return await awaited(call)


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The loop of asyncio that runs in this thread."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
