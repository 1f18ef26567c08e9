"""A cluster on this machine: a scheduler in this process, workers in processes of their own."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
import threading
import weakref
from pathlib import Path
from types import TracebackType
from typing import Any

from raskt import _core
from raskt.distributed import _sizes
from raskt.distributed._durations import seconds
from raskt.distributed._security import Security
from raskt.distributed._supervised import Job, Supervisor

CLOSING_SECONDS = 0.3
"""How long workers have to leave when a cluster is closed."""

ANY_PORT = 0


class LocalCluster:
    """A scheduler and workers on this machine.

    Nothing of it can be reached from other machines, and within this one only by whoever may read the token, a file of
    this user.

    Parameters
    ----------
    n_workers : int, optional
        Workers. Default: so many that they and their threads use all processors.
    threads_per_worker : int, optional
        Threads of each.
    processes : bool, default True
        Whether each worker is a process. If not, all are in this one and share its interpreter, which is enough for
        native work and for functions that leave the interpreter alone.
    memory_limit : "auto", int, float, str or None, default "auto"
        Bytes that each worker may take: a number, a text such as "4 GiB", a fraction of the machine; None or 0 for no
        limit. By default a share of what raskt may take.
    name : str, optional
        What the cluster is called.
    scheduler_port : int, default 0
        Where the scheduler listens; 0 for any port that is free.
    local_directory : path, optional
        Where results that don't fit into memory lie.

    Examples
    --------
    >>> from raskt.distributed import Client, LocalCluster
    >>> import raskt.array as ra
    >>> with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster):
    ...     ra.arange(10, chunks=5).sum().compute()
    np.int64(45)
    """

    _numbers = itertools.count()

    def __init__(
        self,
        n_workers: int | None = None,
        threads_per_worker: int | None = None,
        processes: bool = True,
        *,
        memory_limit: int | float | str | None = "auto",
        name: str | None = None,
        scheduler_port: int = ANY_PORT,
        local_directory: str | Path | None = None,
    ) -> None:
        _check_count("n_workers", n_workers, least=0)
        _check_count("threads_per_worker", threads_per_worker, least=1)
        workers, threads = _sizes.shares(n_workers, threads_per_worker)
        self.name = name or f"LocalCluster-{next(self._numbers)}"
        self._processes, self._threads = processes, threads
        self._memory = _sizes.memory_share(memory_limit, workers)
        self._spill = None if local_directory is None else str(local_directory)
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._names = itertools.count()
        self._folder = Path(tempfile.mkdtemp(prefix="raskt-"))
        self._workers: dict[str, Job | _core.ClusterWorker] = {}
        self._supervisor = Supervisor()
        self._finalizer = weakref.finalize(self, _forget, os.getpid(), self._supervisor, self._folder)
        try:
            self.security = Security(token_file=self._folder / "token")
            _core.cluster_token(self._folder / "token")
            self._scheduler = _core.ClusterScheduler(f"tcp://127.0.0.1:{scheduler_port}", self.security.credentials())
            self.scale(workers)
        except BaseException:
            self._finalizer()
            raise

    @property
    def scheduler_address(self) -> str:
        """Where the scheduler listens."""
        return self._scheduler.address

    @property
    def size(self) -> int:
        """How many workers there are to be."""
        return len(self._workers)

    @property
    def is_closed(self) -> bool:
        """Whether it was closed."""
        return not self._finalizer.alive

    def scale(self, n: int) -> None:
        """Starts or ends workers until there are `n`; the last that were started end first."""
        _check_count("n", n, least=0)
        with self._lock:
            self._check_open()
            while len(self._workers) < n:
                name = f"{self.name}-worker-{next(self._names)}"
                self._workers[name] = self._start(name)
            while len(self._workers) > n:
                _, worker = self._workers.popitem()
                self._end(worker)

    def _start(self, name: str) -> Job | _core.ClusterWorker:
        listen = f"unix://{self._folder}/{name}"
        credentials = self.security.credentials()
        if not self._processes:
            return _core.ClusterWorker(
                self.scheduler_address,
                listen,
                credentials,
                name=name,
                threads=self._threads,
                memory_limit=self._memory if self._memory is not None else _core.memory_report()["limit"],
            )
        about = {
            "scheduler": self.scheduler_address,
            "listen": listen,
            "credentials": {key: None if path is None else str(path) for key, path in credentials.items()},
            "name": name,
            "threads": self._threads,
            "memory_limit": self._memory,
            "local_directory": self._spill,
        }
        return self._supervisor.start(about)

    def _end(self, worker: Job | _core.ClusterWorker) -> None:
        if isinstance(worker, Job):
            self._supervisor.end(worker)
        else:
            worker.shut_down(CLOSING_SECONDS)

    def close(self, timeout: float | str | None = None) -> None:
        """Ends workers and scheduler. What runs has `timeout` seconds (0.3 by default) to end."""
        patience = CLOSING_SECONDS if timeout is None else seconds(timeout)
        if self._process != os.getpid():
            return
        with self._lock:
            if self.is_closed:
                return
            workers, self._workers = self._workers, {}
            self._supervisor.expect_ends()
            self._scheduler.shut_down(patience)
            for worker in workers.values():
                if not isinstance(worker, Job):
                    worker.shut_down(patience)
            self._supervisor.close(patience)
            self._finalizer()

    def get_client(self) -> Any:
        """A client of this cluster, which doesn't become the one of everybody."""
        from raskt.distributed._client import Client

        return Client(self, set_as_default=False)

    def _check_open(self) -> None:
        if self.is_closed:
            raise RuntimeError(f"the cluster `{self.name}` is closed")

    def __enter__(self) -> LocalCluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.is_closed:
            return f"<LocalCluster {self.name!r}, closed>"
        sort = "processes" if self._processes else "in this process"
        workers = f"{len(self._workers)} workers ({sort}) of {self._threads} threads"
        return f"<LocalCluster {self.name!r} at {self.scheduler_address}, {workers}>"


def _forget(process: int, supervisor: Supervisor, folder: Path) -> None:
    if process != os.getpid():
        # A fork: all of it is the parent's.
        return
    supervisor.close(0.0)
    shutil.rmtree(folder, ignore_errors=True)


def _check_count(name: str, count: int | None, least: int) -> None:
    if count is None:
        return
    if isinstance(count, bool) or not isinstance(count, int):
        raise TypeError(f"{name} is {count!r}; it has to be a whole number")
    if count < least:
        raise ValueError(f"{name} is {count}; the least is {least}")
