"""What tasks may ask for: a client of their cluster, and to give their slot to others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from raskt import _core
from raskt.distributed import _current, _plugged, _this_worker
from raskt.distributed._client import TIMEOUT_SECONDS, Client
from raskt.distributed._durations import seconds
from raskt.distributed._security import Security


class WorkerClient(Client):
    """The client of a worker's tasks: known by what the worker is known by, and gone with it."""

    def __init__(self, worker: _this_worker.Worker, timeout: float | str = TIMEOUT_SECONDS) -> None:
        self._worker_number = worker._number
        super().__init__(worker.scheduler_address, timeout, set_as_default=False, name=f"Client-worker-{worker.name}")

    def _begin(self) -> None:
        """Nobody looks on here."""

    def _connect(self, address: str, listen: str, security: Security | None, patience: float) -> _core.ClusterClient:
        try:
            own = _this_worker.credentials_of_tasks.get(address)
            if own is not None:
                client = _core.ClusterClient(address, listen, own, self.name, patience)
                client.is_of_tasks(self._worker_number)
                return client
            return _core.ClusterClient.of_worker(self._worker_number, listen, self.name, patience)
        except ConnectionError as error:
            raise ConnectionError(
                f"{error}; a task's client is known by what its worker is known by, and a worker whose token or "
                "certificate is for workers alone may be no client. Client(address, security=...) makes one in a task, "
                "by a client's token or certificate that its host has"
            ) from None


def get_client(address: str | None = None, timeout: float | str | None = None, resolve_address: bool = True) -> Client:
    """The client by which a task submits work; outside of tasks the current client.

    A worker has one for all its tasks, made when the first one asks, and closed with the worker. It isn't the client on
    which `compute` runs by itself: ``with get_client().as_current():`` makes it that. A task that waits for a future,
    here or by `gather`, lends its slot meanwhile, so that what it waits for finds one.

    Parameters
    ----------
    address : str, optional
        The scheduler that is meant; it has to be the task's own.
    timeout : float or str, optional
        Seconds that are waited for the scheduler.
    resolve_address : bool
        Of no effect: addresses are compared as they are.

    Raises
    ------
    ValueError
        If this is no task, and there is no client.

    Examples
    --------
    >>> from raskt.distributed import Client, get_client
    >>> def factorial(n):
    ...     return 1 if n == 0 else n * get_client().submit(factorial, n - 1).result()
    >>> with Client(n_workers=1, threads_per_worker=1) as client:
    ...     client.submit(factorial, 5).result()
    120
    """
    worker = _this_worker.here()
    client = _current.current() if worker is None else client_of_worker(worker, timeout)
    if client is None and (worker := _this_worker.sole()) is not None:
        client = client_of_worker(worker, timeout)
    if client is None:
        raise ValueError(
            "this is no task of a worker, and there is no client: make one first, by raskt.distributed.Client()"
        )
    if address is not None and address != client._address:
        raise NotImplementedError(
            f"get_client() is for the scheduler of the task, at {client._address}, and not for {address!r}: "
            "Client(address) makes a client of another one"
        )
    return client


def client_of_worker(worker: _this_worker.Worker, timeout: float | str | None = None) -> Client:
    """The client of a worker's tasks, made if there is none."""
    _plugged.asks()
    with worker._client_lock:
        if worker._client is None or worker._client.is_closed:
            worker._client = WorkerClient(worker, TIMEOUT_SECONDS if timeout is None else seconds(timeout))
        return worker._client


@contextmanager
def worker_client(timeout: float | str | None = None, separate_thread: bool = True) -> Iterator[Client]:
    """The client of a task's worker, on which `compute` runs as well for the length of a ``with`` block.

    Parameters
    ----------
    timeout : float or str, optional
        Seconds that are waited for the scheduler.
    separate_thread : bool, default True
        Whether the task lends its slot for the whole block, as `secede` does, and not only while it waits.

    Raises
    ------
    ValueError
        Outside of tasks.

    Examples
    --------
    >>> from raskt.distributed import Client, worker_client
    >>> import raskt.array as ra
    >>> def total(n):
    ...     with worker_client():
    ...         return int(ra.arange(n, chunks=2).sum().compute())
    >>> with Client(n_workers=1, threads_per_worker=1) as client:
    ...     client.submit(total, 5).result()
    10
    """
    client = client_of_worker(_this_worker.get_worker(), timeout)
    if separate_thread:
        secede()
    try:
        with client.as_current():
            yield client
    finally:
        if separate_thread:
            rejoin()


def secede() -> None:
    """Lends the slot of this task to others, until `rejoin` or its end: for tasks that wait for something for long.

    A task that waits for futures or computations of its cluster lends its slot by itself.

    Raises
    ------
    ValueError
        Outside of tasks.
    """
    if not _core.cluster_secede():
        raise ValueError("this is no task of a worker: secede() is for functions that a cluster calls")


def rejoin() -> None:
    """Takes back what `secede` has lent.

    Raises
    ------
    ValueError
        Outside of tasks.
    """
    if not _core.cluster_rejoin():
        raise ValueError("this is no task of a worker: rejoin() is for functions that a cluster calls")


@contextmanager
def local_client(*args: Any, **kwargs: Any) -> Iterator[Client]:
    """The same as `worker_client`, by an older name."""
    with worker_client(*args, **kwargs) as client:
        yield client
