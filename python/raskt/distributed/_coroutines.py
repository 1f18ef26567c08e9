"""`async` tasks: one loop for all of a process, in a thread of its own."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine
from typing import Any

from raskt import _core
from raskt.distributed import _this_worker
from raskt.distributed._own_loop import OwnLoop

GLANCE_SECONDS = 0.05
"""How often it is looked whether somebody still wants the task."""

CLEANUP_SECONDS = 1.0
"""How long a task that nobody wants may take for its end."""

LENT_MOST = 256
"""So many tasks lend their slots while they are awaited: each has a thread, and others begin in their place."""

_lent = threading.BoundedSemaphore(LENT_MOST)
_own = OwnLoop("raskt-loop")


class _Ending:
    """Wants to end the interpreter: it would end the loop that all tasks share."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def awaited(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """What it returns, run by the loop of this process, while the calling thread waits."""
    future = asyncio.run_coroutine_threadsafe(_within(coroutine, _this_worker.here()), _own.get())
    loan = None
    try:
        while not concurrent.futures.wait([future], GLANCE_SECONDS).done:
            _core.cluster_check_cancelled()
            # It may wait for what needs the slot of its task.
            if loan is None and _lent.acquire(blocking=False):
                loan = _core.ClusterLoan(within=True)
    except BaseException:
        future.cancel()
        concurrent.futures.wait([future], CLEANUP_SECONDS)
        raise
    finally:
        if loan is not None:
            loan.close()
            _lent.release()
    result = future.result()
    if isinstance(result, _Ending):
        raise result.error
    return result


async def _within(coroutine: Coroutine[Any, Any, Any], worker: _this_worker.Worker | None) -> Any:
    _this_worker._coroutine_of.set(worker)
    try:
        return await coroutine
    except (SystemExit, KeyboardInterrupt) as error:
        return _Ending(error)
