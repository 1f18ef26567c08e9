"""What a cluster asks for by a specification: a scheduler or a worker, and its life."""

from __future__ import annotations

import asyncio
import html
from collections.abc import Generator
from types import TracebackType
from typing import Any

from raskt.distributed._clusters import _loop
from raskt.distributed._clusters._logs import Log
from raskt.distributed._clusters._status import Status

ENDING_SECONDS = 5.0
"""How long a process has to end when nobody can wait any longer: its cluster was forgotten, or the program ends."""


FAILURES_MOST = 3
"""Who has ended so often before he was there isn't waited for."""


class ProcessInterface:
    """A scheduler or a worker that a `SpecCluster` starts and ends, somewhere. Subclasses say where.

    All of its methods are called on the loop of clusters, and none may hold it up.

    Parameters
    ----------
    scheduler : str, optional
        Where the scheduler is, for workers.
    name : str, optional
        What the worker is called. The scheduler has to know it by this name (as text).

    Notes ----- A subclass overrides `start`, which returns when the process was asked for (for a scheduler: when
    `address` is known), and `close`, which returns when it is gone. Either calls the method that it overrides. If the
    class has a parameter `security`, it is given what the process proves itself by.

    Examples
    --------
    >>> from raskt.distributed import ProcessInterface
    >>> class Job(ProcessInterface):
    ...     async def start(self):
    ...         self.job = "submitted"
    ...         await super().start()
    """

    def __init__(self, scheduler: str | None = None, name: Any = None) -> None:
        self.scheduler = scheduler
        self.name = name
        self.address: str | None = getattr(self, "address", None)
        self.external_address: str | None = None
        self.lock = asyncio.Lock()
        self.status = Status.created
        self._event_finished = asyncio.Event()

    @property
    def status(self) -> Status:
        """How far it has come."""
        return self._status

    @status.setter
    def status(self, status: Status) -> None:
        if not isinstance(status, Status):
            raise TypeError(f"status is {status!r}; it is one of raskt.distributed.Status")
        self._status = status

    async def start(self) -> None:
        """Asks for the process."""
        self.status = Status.running

    async def close(self, timeout: float | None = None) -> None:
        """Ends it. The scheduler was told before; what it still runs has `timeout` seconds."""
        self.status = Status.closed
        self._event_finished.set()

    async def finished(self) -> None:
        """Waits until it has ended."""
        await self._event_finished.wait()

    def expect_end(self) -> None:
        """From now on its end is no fault."""

    def end_now(self) -> None:
        """Ends it without ceremony, from any thread."""
        if _loop.is_here():
            self._ending = asyncio.ensure_future(self.close())
        else:
            _loop.run(self.close(), ENDING_SECONDS)

    def get_log(self) -> Log | None:
        """What it has said, if that is known here."""
        return None

    def _is_over(self) -> bool:
        """Whether it has ended for good, which nobody here has asked for: the scheduler has had it leave, say."""
        return self.status == Status.closed

    def _failed(self) -> tuple[int, str] | None:
        """How often it has ended before it was there, since it last was, and how at last; None if it is there."""
        return None

    def __await__(self) -> Generator[Any, None, ProcessInterface]:
        return self._started().__await__()

    async def _started(self) -> ProcessInterface:
        async with self.lock:
            if self.status == Status.created:
                self.status = Status.starting
                try:
                    await self.start()
                except BaseException:
                    self.status = Status.failed
                    raise
        return self

    async def __aenter__(self) -> ProcessInterface:
        return await self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: {self.status.name}>"

    def _repr_html_(self) -> str:
        about = {"name": self.name, "status": self.status.name, "address": self.address, "scheduler": self.scheduler}
        rows = (f"<tr><th>{key}</th><td>{html.escape(str(value))}</td></tr>" for key, value in about.items() if value)
        return f"<strong>{type(self).__name__}</strong><table>{''.join(rows)}</table>"
