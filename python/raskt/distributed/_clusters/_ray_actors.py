"""What runs inside of Ray: actors whose processes are a scheduler and workers of raskt."""

from __future__ import annotations

import os
import threading
from typing import Any

from raskt.distributed._clusters._guest import TOLD_TO_LEAVE, GuestScheduler, GuestWorker

GLANCE_SECONDS = 0.5
"""How often it is looked whether a worker is over."""


class SchedulerActor:
    """A scheduler, in the process of an actor."""

    def __init__(self, files: dict[str, str], port: int) -> None:
        from ray.util import get_node_ip_address

        self._guest = GuestScheduler(str(get_node_ip_address()), files, port)  # type: ignore[no-untyped-call]

    def address(self) -> str:
        """Where it listens."""
        return self._guest.address

    def leave(self, grace: float) -> None:
        """Tells workers to leave."""
        self._guest.leave(grace)


class WorkerActor:
    """A worker, in the process of an actor. If it loses its scheduler, Ray starts the actor again."""

    def __init__(self, scheduler: str, files: dict[str, str], options: dict[str, Any]) -> None:
        self._guest = GuestWorker(scheduler, files, options)
        threading.Thread(target=self._watch, name="raskt-watch", daemon=True).start()

    def _watch(self) -> None:
        while (why := self._guest.wait(GLANCE_SECONDS)) is None:
            pass
        if why != TOLD_TO_LEAVE:
            os._exit(1)

    def process(self) -> int:
        """The number of its process."""
        return os.getpid()

    def leave(self, grace: float) -> None:
        """Leaves; what runs has `grace` seconds to end."""
        self._guest.leave(grace)
