"""Clusters inside of a cluster of `dask.distributed` that is there already."""

from __future__ import annotations

import asyncio
import threading
import time
import uuid
from contextlib import suppress
from typing import Any

from raskt.distributed import _arguments
from raskt.distributed._clusters import _loop, _options
from raskt.distributed._clusters._dask_tasks import LEFT, be_scheduler, be_worker
from raskt.distributed._clusters._keys import Keys
from raskt.distributed._clusters._logs import Lines, Log
from raskt.distributed._clusters._process import ProcessInterface
from raskt.distributed._clusters._spec import SpecCluster
from raskt.distributed._clusters._status import Status
from raskt.distributed._security import Security

READY_SECONDS = 120.0
"""How long Dask has to start the scheduler."""

GLANCE_SECONDS = 0.05
"""How often it is looked whether it has."""

LEAVING_SECONDS = 5.0
"""How long a task has to end, unless somebody says otherwise."""

AGAIN_SECONDS = 1.0
"""How long until Dask is asked once more for a worker that has come to an end."""


class DaskProcess(ProcessInterface):
    """A task of Dask that is a scheduler or a worker. It ends with the client that asked for it, however that ends."""

    def __init__(self, scheduler: str | None, name: Any, client: Any) -> None:
        super().__init__(scheduler, name)
        self.client = client
        self.future: Any = None
        self._is_ending = False
        self._lines = Lines()

    def expect_end(self) -> None:
        """From now on it isn't started again."""
        self._is_ending = True

    async def close(self, timeout: float | None = None) -> None:
        """Has it leave; Dask is waited for."""
        self.expect_end()
        deadline = time.monotonic() + (LEAVING_SECONDS if timeout is None else timeout)
        if self.future is not None:
            future, self.future = self.future, None
            await _loop.blocking(self._cancel, future)
            while time.monotonic() < deadline and await _loop.blocking(self._runs, future.key):
                await asyncio.sleep(GLANCE_SECONDS)
        await super().close()

    def _cancel(self, future: Any) -> None:
        with suppress(Exception):
            # Dask may be gone, and all that runs in it.
            future.cancel()

    def _runs(self, key: str) -> bool:
        with suppress(Exception):
            return any(key in keys for keys in self.client.processing().values())
        return False

    def end_now(self) -> None:
        """Lets go of it."""
        self.expect_end()
        future, self.future = self.future, None
        if future is not None and self.client.status == "running":
            self._cancel(future)

    def get_log(self) -> Log | None:
        """When it has come to an end, and why."""
        return self._lines.log()


class DaskScheduler(DaskProcess):
    """A scheduler as a task of Dask."""

    def __init__(self, client: Any, port: int = 0, submit_options: dict[str, Any] | None = None, *, keys: Keys) -> None:
        super().__init__(None, "scheduler", client)
        self._port, self._files, self._submit_options = port, keys.files("scheduler"), dict(submit_options or {})

    async def start(self) -> None:
        """Submits the task, and hears where it listens."""
        topic = f"raskt-scheduler-{uuid.uuid4().hex}"
        arguments = (be_scheduler, self._files, self._port, topic)
        options = {"priority": 1000, **self._submit_options}
        self.future = await _loop.blocking(
            self.client.submit, *arguments, key=topic, pure=False, undo=self._cancel, **options
        )
        deadline = time.monotonic() + READY_SECONDS
        while not (told := await _loop.blocking(self.client.get_events, topic)):
            if self.future.done() or time.monotonic() > deadline:
                await _loop.blocking(self._fail)
            await asyncio.sleep(GLANCE_SECONDS)
        self.address = told[0][1]["address"]
        await super().start()

    def _fail(self) -> None:
        status = self.future.status
        error = self.future.exception() if status == "error" else None
        self.end_now()
        raise RuntimeError(f"Dask hasn't started the scheduler: its task is {status}") from error


class DaskWorker(DaskProcess):
    """A worker as a task of Dask, which takes a slot of a Dask worker for as long as it is there."""

    def __init__(
        self,
        scheduler: str,
        name: Any = None,
        client: Any = None,
        nthreads: int | None = None,
        memory_limit: Any = "auto",
        preload: Any = None,
        place: int = 0,
        submit_options: dict[str, Any] | None = None,
        *,
        keys: Keys,
    ) -> None:
        super().__init__(scheduler, name, client)
        self._options = _options.of_guest(name, nthreads, memory_limit, preload)
        self._files, self._place, self._submit_options = keys.files("worker"), place, dict(submit_options or {})

    async def start(self) -> None:
        """Submits the task; it may take until there is a slot for it."""
        await _loop.blocking(self._submit, undo=lambda _: self.end_now())
        await super().start()

    def _submit(self) -> None:
        there = sorted(self.client.scheduler_info(n_workers=-1)["workers"])
        # One for each in turn, as far as they are there and Dask finds it sensible.
        where = {"workers": [there[self._place % len(there)]], "allow_other_workers": True} if there else {}
        arguments = (be_worker, self.scheduler, self._files, self._options)
        key = f"raskt-worker-{self.name}-{uuid.uuid4().hex}"
        self.future = self.client.submit(*arguments, key=key, pure=False, **{**where, **self._submit_options})
        self.future.add_done_callback(self._ended)

    def _ended(self, future: Any) -> None:
        if self._is_ending or future.status == "cancelled" or self.client.status != "running":
            return
        why = LEFT if future.status == "finished" else repr(future.exception())
        self._lines.add(f"worker {self.name} has come to an end ({why}); Dask is asked for it again")
        again = threading.Timer(AGAIN_SECONDS, self._submit_again)
        again.daemon = True
        again.start()

    def _submit_again(self) -> None:
        if not self._is_ending and self.status == Status.running and self.client.status == "running":
            self._submit()


class DaskCluster(SpecCluster):
    """raskt inside of a running cluster of `dask.distributed`: its scheduler and workers are long tasks.

    Dask's scheduler says on which of its workers they run, and starts them elsewhere when those die. They speak with
    each other, and with this process, by TLS, with certificates of the cluster's own, which travel with the tasks. They
    end with the cluster, and with the client of Dask, also when it is killed.

    Parameters
    ----------
    client : distributed.Client, cluster or str, optional
        Dask's client, which stays open as long as the cluster is there, or what one is made for. Default: the current
        one.
    n_workers : int, optional
        Workers, each of which takes a slot of a Dask worker. Default: one for each Dask worker.
    threads_per_worker : int, optional
        Threads of each. Default: those of the Dask worker that it runs on.
    memory_limit : "auto", int, float, str or None, default "auto"
        What each worker may hold, as for `LocalCluster`; by default half of what the Dask worker has.
    preload : str or list of str, optional
        Modules or files that are run in each worker before it begins.
    submit_options : dict, optional
        What else Dask is told of workers: ``resources``, ``workers``, ``allow_other_workers``, ``priority``.
    scheduler_options : dict, optional
        ``port``, and ``submit_options`` of the scheduler.
    name : str, optional
        What the cluster is called.
    asynchronous : bool, default False
        Whether it is started by ``await``, and what waits gives something to be awaited.
    security : Security, optional
        By what its processes know each other, instead of its own certificates.

    Examples
    --------
    >>> import distributed
    >>> from raskt.distributed import Client, DaskCluster
    >>> theirs = distributed.Client("tcp://scheduler:8786")  # doctest: +SKIP
    >>> with DaskCluster(theirs) as cluster, Client(cluster) as client:  # doctest: +SKIP
    ...     client.submit(sum, [1, 2]).result()
    3
    """

    _is_tls = True

    def __init__(
        self,
        client: Any = None,
        n_workers: int | None = None,
        threads_per_worker: int | None = None,
        *,
        memory_limit: Any = "auto",
        preload: Any = None,
        submit_options: dict[str, Any] | None = None,
        scheduler_options: dict[str, Any] | None = None,
        name: str | None = None,
        asynchronous: bool = False,
        security: Security | None = None,
    ) -> None:
        self.dask_client, self._has_own_client = _client_of(client)
        options = {
            "client": self.dask_client,
            "nthreads": threads_per_worker,
            "memory_limit": memory_limit,
            "preload": preload,
            "submit_options": submit_options,
        }
        try:
            there = len(self.dask_client.scheduler_info(n_workers=-1)["workers"])
            self._first_workers = max(1, there) if n_workers is None else _arguments.count("n_workers", n_workers)
            super().__init__(
                scheduler={"cls": DaskScheduler, "options": {"client": self.dask_client, **(scheduler_options or {})}},
                worker={"cls": DaskWorker, "options": options},
                name=name,
                asynchronous=asynchronous,
                security=security,
            )
        except BaseException:
            self._let_go()
            raise

    def new_worker_spec(self) -> dict[Any, dict[str, Any]]:
        """The name and the specification of one more worker, which goes to the next of Dask's workers in turn."""
        [(name, spec)] = super().new_worker_spec().items()
        return {name: {**spec, "options": {"place": self._number - 1, **spec["options"]}}}

    def _new_worker_name(self, worker_number: int) -> str:
        return f"{self.name}-worker-{worker_number}"

    async def _close(self) -> None:
        try:
            await super()._close()
        finally:
            await _loop.blocking(self._let_go)

    def _let_go(self) -> None:
        if self._has_own_client:
            self.dask_client.close()


def _client_of(client: Any) -> tuple[Any, bool]:
    """Dask's client, and whether it is the cluster's own."""
    try:
        import distributed
    except ImportError:
        raise ImportError("DaskCluster needs Dask: `pip install distributed`") from None
    if client is None:
        try:
            client = distributed.Client.current()  # type: ignore[no-untyped-call]
        except ValueError:
            raise RuntimeError(
                "there is no client of dask.distributed: make one, or say where its scheduler is"
            ) from None
    if not isinstance(client, distributed.Client):
        return distributed.Client(client, set_as_default=False), True  # type: ignore[no-untyped-call]
    if client.asynchronous:
        raise NotImplementedError(
            "this client of Dask is asynchronous: say where its scheduler is, and it has another one"
        )
    return client, False
