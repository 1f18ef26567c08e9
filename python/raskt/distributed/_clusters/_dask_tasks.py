"""What runs inside of `dask.distributed`: long tasks that are a scheduler and workers of raskt.

A task hears that it is to end by Dask's own word: it is cancelled, also when nobody wants it any more since the client
that wanted it is gone.
"""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import urlsplit

from raskt.distributed._clusters._guest import GRACE_SECONDS, TOLD_TO_LEAVE, GuestScheduler, GuestWorker

GLANCE_SECONDS = 0.1
"""How often it is looked whether a task is still wanted."""

SHARE = 0.5
"""What part of a Dask worker's memory a worker of raskt may hold: Dask ends workers that take more than they have."""

LEFT = "left"
"""What a task gives that ended because it was to."""


def be_scheduler(files: dict[str, str], port: int, topic: str) -> str:
    """Is a scheduler until nobody wants it, and says under `topic` where. It takes no slot away from other tasks."""
    import distributed

    task = _Task()
    guest = GuestScheduler(task.host(), files, port)
    task.worker.log_event(topic, {"address": guest.address})
    distributed.secede()  # type: ignore[no-untyped-call]
    try:
        while task.is_wanted():
            task.rest()
    finally:
        guest.leave(GRACE_SECONDS)
    return LEFT


def be_worker(scheduler: str, files: dict[str, str], options: dict[str, Any]) -> str:
    """Is a worker until nobody wants it; what it lacks is taken from the Dask worker that it runs on."""
    task = _Task()
    guest = GuestWorker(scheduler, files, task.filled(options))
    why = None
    try:
        while task.is_wanted() and (why := guest.wait(GLANCE_SECONDS)) is None:
            pass
    finally:
        guest.leave(GRACE_SECONDS)
    if why is None or why == TOLD_TO_LEAVE:
        return LEFT
    raise ConnectionError(f"worker {options['name']}: {why}")


class _Task:
    """The task that runs on this thread."""

    def __init__(self) -> None:
        import distributed

        self.worker = distributed.get_worker()
        self._key = self.worker.get_current_task()

    def is_wanted(self) -> bool:
        """Whether anybody waits for it."""
        state = self.worker.state.tasks.get(self._key)
        is_there = self.worker.status.name in ("running", "paused")
        return is_there and state is not None and state.state in ("executing", "long-running")

    def rest(self) -> None:
        """Passes the time until the next look."""
        time.sleep(GLANCE_SECONDS)

    def host(self) -> str:
        """Where the Dask worker is reached by others."""
        address = urlsplit(self.worker.address)
        return address.hostname or "127.0.0.1" if address.scheme in ("tcp", "tls", "ws", "wss") else "127.0.0.1"

    def filled(self, options: dict[str, Any]) -> dict[str, Any]:
        """Threads and memory of the Dask worker, where options don't say them."""
        theirs = getattr(self.worker.memory_manager, "memory_limit", None)
        is_auto = options["memory_limit"] == "auto"
        return {
            **options,
            "nthreads": options["nthreads"] or self.worker.state.nthreads,
            "memory_limit": int(theirs * SHARE) if is_auto and theirs else options["memory_limit"],
        }
