"""Clients: the door to a cluster."""

from __future__ import annotations

import itertools
import os
import tempfile
import weakref
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any

from raskt import _core
from raskt.distributed import _current
from raskt.distributed._local import LocalCluster
from raskt.distributed._security import Security

TIMEOUT_SECONDS = 30.0
"""How long a client waits for its scheduler, if nobody says otherwise."""

CLOSING_SECONDS = 0.2
"""How long what was said has to arrive when a client is closed."""


class Client:
    """A client of a cluster. As long as it is there, everything that raskt computes is computed on it.

    Parameters
    ----------
    address : str or LocalCluster, optional
        Where the scheduler is (``tcp://host:port``, ``tls://…``, ``unix:///path``), or a cluster of this process.
        Default: a `LocalCluster`, which ends with the client.
    timeout : float, default 30
        Seconds that are waited for the scheduler.
    set_as_default : bool, default True
        Whether computations that name no scheduler run on it.
    security : Security, optional
        By what the cluster knows this process.
    name : str, optional
        What the client is called.
    **cluster_kwargs
        Arguments of `LocalCluster`, where there is no address.

    Examples
    --------
    >>> from raskt.distributed import Client
    >>> import raskt.array as ra
    >>> with Client(n_workers=2, threads_per_worker=1) as client:
    ...     ra.ones(10, chunks=5).sum().compute()
    np.float64(10.0)
    """

    _numbers = itertools.count()

    def __init__(
        self,
        address: str | LocalCluster | None = None,
        timeout: float = TIMEOUT_SECONDS,
        set_as_default: bool = True,
        *,
        security: Security | None = None,
        name: str | None = None,
        **cluster_kwargs: Any,
    ) -> None:
        self.name = name or f"Client-{os.getpid()}-{next(self._numbers)}"
        own: LocalCluster | None = None
        if address is None:
            address = own = LocalCluster(**cluster_kwargs)
        elif cluster_kwargs:
            names = ", ".join(f"{key}=" for key in cluster_kwargs)
            raise TypeError(f"{names} is for a new LocalCluster, and there is one already: {address!r}")
        self.cluster = address if isinstance(address, LocalCluster) else None
        try:
            if isinstance(address, LocalCluster):
                security = security or address.security
                address = address.scheduler_address
            folder = tempfile.mkdtemp(prefix="raskt-client-")
            credentials = (security or Security()).credentials()
            self._raskt_cluster_client = _core.ClusterClient(
                address, f"unix://{folder}/data", credentials, self.name, timeout
            )
        except BaseException:
            if own is not None:
                own.close()
            raise
        self._address = address
        self._finalizer = weakref.finalize(self, _close, self._raskt_cluster_client, own, folder)
        if own is not None:
            self.wait_for_workers(min(1, len(own._workers)), timeout)
        if set_as_default:
            _current.add_default(self)

    @property
    def is_closed(self) -> bool:
        """Whether it was closed."""
        return not self._finalizer.alive

    @property
    def status(self) -> str:
        """ "running" or "closed"."""
        return "closed" if self.is_closed else "running"

    def compute(self, collections: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def wait_for_workers(self, n_workers: int, timeout: float | None = None) -> None:
        """Waits until there are so many workers.

        Raises
        ------
        TimeoutError
            If there aren't after `timeout` seconds.
        """
        self._raskt_cluster_client.wait_for_workers(n_workers, timeout)

    def as_current(self) -> AbstractContextManager[Client]:
        """Makes it the client of this thread (or asyncio task) for the length of a ``with`` block."""
        return _current.as_current(self)

    def nthreads(self) -> dict[str, int]:
        """The threads of each worker, by its name."""
        return {about["name"]: about["nthreads"] for about in self._raskt_cluster_client.workers()}

    def close(self, timeout: float | None = None) -> None:
        """Leaves the cluster; one that was made for this client ends with it."""
        _current.remove_default(self)
        self._finalizer()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.is_closed:
            return f"<Client {self.name!r}, closed>"
        threads = self.nthreads()
        return f"<Client {self.name!r} of {self._address}: {len(threads)} workers, {sum(threads.values())} threads>"


def _close(client: _core.ClusterClient, own: LocalCluster | None, folder: str) -> None:
    client.close(CLOSING_SECONDS)
    if own is not None:
        own.close()
    path = Path(folder)
    for file in path.iterdir():
        file.unlink(missing_ok=True)
    path.rmdir()
