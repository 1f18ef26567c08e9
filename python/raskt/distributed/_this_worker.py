"""Workers of this process, as their tasks and plugins see them."""

from __future__ import annotations

import os
import threading
import weakref
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from raskt import _core
from raskt._process import errands
from raskt.distributed._folders import Folder

if TYPE_CHECKING:
    from raskt.distributed import _plugged
    from raskt.distributed._client import Client

_lock = threading.RLock()
_workers: dict[int, Worker] = {}
"""By the number that each has in this process."""
credentials_of_tasks: dict[str, Any] = {}
"""By what tasks are known as clients, by the address of their scheduler, if not by what their workers are known by."""
_coroutine_of: ContextVar[Worker | None] = ContextVar("raskt-coroutine-of", default=None)
"""The worker whose `async` task runs here: not in the task's thread."""


class Worker:
    """A worker of a cluster, in its own process: what `get_worker` gives.

    There is one of it for each worker, and it is there as long as the worker: what a task or plugin sets as an
    attribute, others find there.

    Attributes
    ----------
    name, address : str
        What it is called, and where it gives results.
    id : int
        The number by which its scheduler knows it.
    nthreads, memory_limit : int
        Tasks that it runs at a time, and bytes that it may hold.
    plugins : dict
        The plugins that it has, by name.

    Examples
    --------
    >>> from raskt.distributed import Client, get_worker
    >>> with Client(n_workers=1, threads_per_worker=1) as client:
    ...     client.submit(lambda: get_worker().nthreads).result()
    1
    """

    def __init__(self, about: dict[str, Any]) -> None:
        self._number: int = about["number"]
        self._identity: str = about["identity"]
        self.name: str = about["name"]
        self.addresses: list[str] = about["addresses"]
        self.address = self.addresses[0] if self.addresses else ""
        self.scheduler_address: str = about["scheduler"]
        self.nthreads: int = about["nthreads"]
        self.memory_limit: int = about["memory_limit"]
        self.plugins: dict[str, Any] = {}
        self._changed_at = -1.0
        """When a plugin was last to come or go, or did."""
        self._changes: dict[str, _plugged.Changes] = {}
        """Of plugins, by name."""
        self._actors: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()
        self._client: Client | None = None
        self._client_lock = threading.Lock()
        self._folder: Folder | None = None

    @property
    def id(self) -> int | None:
        """The number by which its scheduler knows it."""
        return next((about["id"] for about in _core.cluster_workers() if about["number"] == self._number), None)

    @property
    def contact_address(self) -> str:
        """The same as `address`."""
        return self.address

    worker_address = contact_address

    @property
    def status(self) -> str:
        """ "running" or "closed"."""
        return "running" if _workers.get(self._number) is self else "closed"

    @property
    def local_directory(self) -> str:
        """A folder of its own, which goes with it."""
        with _lock:
            if self._folder is None:
                self._folder = Folder(f"worker-{os.getpid()}-")
            return str(self._folder.path)

    @property
    def client(self) -> Client:
        """The client of its tasks; the same as `get_client` gives them."""
        from raskt.distributed._in_tasks import client_of_worker

        return client_of_worker(self)

    @property
    def data(self) -> Any:
        """Refused: what a worker holds is its engine's, and futures are the way to it."""
        raise NotImplementedError(
            "what a worker holds can't be looked through from within: pass futures to the calls that need results, or "
            "ask client.has_what()"
        )

    def get_current_task(self) -> str:
        """The key of the task that runs in this thread.

        Raises
        ------
        ValueError
            If none does.
        """
        task = _core.cluster_task_name()
        if task is None:
            raise ValueError("no task runs in this thread")
        return task[1]

    def __repr__(self) -> str:
        return f"<Worker {self.name!r} at {self.address}, {self.status}, threads: {self.nthreads}>"

    def __reduce__(self) -> Any:
        raise TypeError("a worker can't be pickled: call get_worker() where it is needed")

    def _close(self) -> None:
        with self._client_lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()
        with _lock:
            folder, self._folder = self._folder, None
        if folder is not None:
            folder.remove()


def get_worker() -> Worker:
    """The worker whose task this is.

    Returns
    -------
    Worker
        One object for each worker, which may have attributes of yours.

    Raises
    ------
    ValueError
        Outside of tasks.

    Examples
    --------
    >>> from raskt.distributed import Client, get_worker
    >>> with Client(n_workers=1, threads_per_worker=1) as client:
    ...     client.submit(lambda: get_worker().name).result() in client.nthreads()
    True
    """
    worker = here()
    if worker is None:
        raise ValueError("this is no task of a worker: get_worker() is for functions that a cluster calls")
    return worker


def here() -> Worker | None:
    """The worker whose task, coroutine or errand this is, if it is one."""
    number = _core.cluster_task()
    if number is not None:
        return of_number(number)
    own = _coroutine_of.get()
    if own is not None:
        return own
    errand = getattr(errands.current, "worker", None)
    if errand is None:
        return None
    return next((of_number(about["number"]) for about in _core.cluster_workers() if about["id"] == errand), None)


def all_here() -> list[Worker]:
    """The workers that this process is."""
    found = (of_number(about["number"]) for about in _core.cluster_workers())
    return [worker for worker in found if worker is not None]


def sole() -> Worker | None:
    """The worker that this process is, if it is one."""
    workers = _core.cluster_workers()
    return of_number(workers[0]["number"]) if len(workers) == 1 else None


def of_number(number: int) -> Worker | None:
    """The worker that has that number in this process."""
    with _lock:
        if number not in _workers:
            about = next((about for about in _core.cluster_workers() if about["number"] == number), None)
            if about is None:
                return None
            _workers[number] = Worker(about)
        return _workers[number]


def ended(number: int) -> None:
    """That worker is over. Called by the native module."""
    with _lock:
        worker = _workers.pop(number, None)
    if worker is None:
        return
    if worker.plugins:
        from raskt.distributed import _plugged

        for name in list(worker.plugins):
            _plugged.tear_down(worker, name)
    worker._close()
