"""Workers in processes of their own, which are started again when they die."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from pathlib import Path
from typing import Any

from raskt.distributed import _arguments
from raskt.distributed._addresses import nearest
from raskt.distributed._clusters import _loop, _options
from raskt.distributed._clusters._keys import Keys
from raskt.distributed._clusters._logs import Lines, Log
from raskt.distributed._clusters._worker import CLOSING_SECONDS, GLANCE_SECONDS, LocalWorker, scheduler_of
from raskt.distributed._security import Security
from raskt.distributed._supervised import Job, Supervisor, say

_lock = threading.Lock()
_supervisors: dict[int, Supervisor] = {}
"""Who looks after the workers of a process: of this one, and of those that it was forked from."""


class Nanny(LocalWorker):
    """A worker in a process of its own, and what starts it again whenever it dies. It ends with this process.

    Parameters
    ----------
    scheduler_ip : str
        Where the scheduler is: an address, or a host beside `scheduler_port`.
    scheduler_port : int, optional
        Its port.
    nthreads : int, optional
        Threads; as many as there are processors unless this says otherwise.
    name : str, optional
        What it is called.
    local_directory : path, optional
        The folder in which results lie that don't fit into memory.
    memory_limit : "auto", int, float, str or None
        Bytes that it may take, as for `LocalCluster`: a process that takes more is ended, and started anew.
    security : Security, optional
        By what others know it.
    preload : str or list of str
        Modules or files that are run in the worker before it begins.
    env : dict, optional
        Variables of its environment, beside those of this process.
    silence_logs : int or bool
        The level of `logging` up to which nothing is printed. That a worker has died is a warning.
    **options
        What nannies of `dask.distributed` have beside; it is refused.

    Examples
    --------
    >>> import asyncio
    >>> from raskt.distributed import Client, Nanny, Scheduler
    >>> async def main():
    ...     async with Scheduler() as scheduler:
    ...         async with Nanny(scheduler.address, nthreads=1, security=scheduler.security):
    ...             async with Client(scheduler.address, security=scheduler.security, asynchronous=True) as client:
    ...                 return await client.submit(abs, -1)
    >>> asyncio.run(main())
    1
    """

    _kind = "a nanny"

    def __init__(
        self,
        scheduler_ip: str | None = None,
        scheduler_port: int | None = None,
        *,
        nthreads: int | None = None,
        name: Any = None,
        local_directory: str | Path | None = None,
        memory_limit: Any = "auto",
        security: Security | None = None,
        preload: Any = None,
        env: dict[str, str] | None = None,
        silence_logs: int | bool | None = None,
        keys: Keys | None = None,
        **options: Any,
    ) -> None:
        scheduler = scheduler_of(scheduler_ip, scheduler_port)
        super().__init__(scheduler, name, nthreads, memory_limit, preload, security, keys, options)
        self._local_directory = (
            None if local_directory is None else _arguments.folder("local_directory", local_directory)
        )
        self._environment = _options.environment_of(env)
        self._is_silent = _arguments.level("silence_logs", silence_logs) > logging.WARNING
        self._lines = Lines()
        self._job: Job | None = None

    @property
    def process(self) -> Any:
        """The process that it is just now."""
        return self._job and self._job.process

    @property
    def pid(self) -> int | None:
        """The number of that process."""
        return None if self.process is None else int(self.process.pid)

    async def start(self) -> None:
        """Starts the process."""
        scheduler, listen = self._settle()
        about = {
            "scheduler": nearest(scheduler),
            "listen": listen,
            "credentials": _texts(self._credentials),
            "of_tasks": _texts(self._keys.of_tasks() or {}),
            "name": str(self.name),
            "threads": self.nthreads,
            "memory_limit": self.memory_limit,
            "local_directory": self._local_directory,
            "preload": self._preload,
        }
        self._job = await _loop.blocking(
            supervisor().start, about, self._environment, self._note, undo=lambda job: supervisor().end(job, 0.0)
        )
        await super().start()

    def expect_end(self) -> None:
        """From now on it isn't started again."""
        if self._job is not None:
            self._job.is_wanted = False

    async def close(self, timeout: float | None = None) -> None:
        """Ends the process; what runs has `timeout` seconds to end."""
        job, self._job = self._job, None
        if job is not None:
            await _loop.blocking(supervisor().end, job, CLOSING_SECONDS if timeout is None else timeout)
        await super().close()

    async def finished(self) -> None:
        """Waits until it has ended for good."""
        while self._job is not None and not self._job.has_ended:
            await asyncio.sleep(GLANCE_SECONDS)

    def end_now(self) -> None:
        """Ends the process and what it has started."""
        if self._job is not None:
            supervisor().end(self._job, 0.0)

    def get_log(self) -> Log | None:
        """When it has died, and of what."""
        return self._lines.log()

    def _is_over(self) -> bool:
        return super()._is_over() or (self._job is not None and self._job.has_ended)

    def _failed(self) -> tuple[int, str] | None:
        job = self._job
        return None if job is None or job.has_begun or not job.failures else (job.failures, job.failure)

    def _note(self, story: str) -> None:
        self._lines.add(story)
        if not self._is_silent:
            say(story)


def _texts(credentials: dict[str, Path | None]) -> dict[str, str | None]:
    return {kind: None if path is None else str(path) for kind, path in credentials.items()}


def supervisor() -> Supervisor:
    """Who looks after the workers of this process."""
    with _lock:
        return _supervisors.setdefault(os.getpid(), Supervisor())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: globals().update(_lock=threading.Lock()))
