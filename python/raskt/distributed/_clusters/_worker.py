"""What workers of this host have in common, whether they are processes or threads."""

from __future__ import annotations

import os
from typing import Any

from raskt.distributed._addresses import checked
from raskt.distributed._clusters import _options, _places
from raskt.distributed._clusters._keys import Keys
from raskt.distributed._clusters._process import ProcessInterface
from raskt.distributed._security import Security

CLOSING_SECONDS = 0.3
"""How long what runs has to end when a cluster is closed."""

GLANCE_SECONDS = 0.1
"""How often it is looked whether a worker is over."""


class LocalWorker(ProcessInterface):
    """A worker of this host, which proves itself by keys of its cluster or its own."""

    _kind = "a worker"
    """What it is called where options are refused."""

    def __init__(
        self,
        scheduler: str,
        name: Any,
        nthreads: int | None,
        memory_limit: Any,
        preload: Any,
        security: Security | None,
        keys: Keys | None,
        others: dict[str, Any],
    ) -> None:
        _options.refuse(self._kind, others)
        super().__init__(scheduler, name)
        self.nthreads = _options.threads_of(nthreads)
        self.memory_limit = _options.memory_of(memory_limit, self.nthreads)
        self._preload = _options.modules_here(preload)
        self._keys = keys or Keys(security or Security())
        self._own_keys = keys is None
        self._credentials = (security or self._keys.security("worker")).credentials()

    def _settle(self) -> tuple[str, str]:
        """Has a name, and an address at which it listens; gives that of the scheduler, and its own."""
        assert self.scheduler is not None
        self.name = self.name if self.name is not None else f"worker-{os.getpid()}-{id(self):x}"
        self.address = _places.of_worker(self.scheduler, self._keys.folder)
        return self.scheduler, self.address

    async def close(self, timeout: float | None = None) -> None:
        """Lets go of what is its own."""
        if self._own_keys:
            self._keys.close()
        await super().close()


def scheduler_of(scheduler: str | None, port: int | None) -> str:
    """The address of a scheduler, as workers are told it."""
    if not isinstance(scheduler, str):
        raise TypeError(f"the scheduler is {scheduler!r}; it is an address such as 'tcp://127.0.0.1:8786'")
    if "://" in scheduler or not scheduler.strip():
        return checked("the scheduler", scheduler)
    if port is None:
        raise ValueError(f"the scheduler is {scheduler!r}; its port is missing")
    return checked("the scheduler", _places.address_of("tcp", scheduler, port))
