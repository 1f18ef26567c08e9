"""Clusters of a scheduler and workers that are each specified: a class, and what it is called with."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import math
import os
import weakref
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from raskt.distributed import _sizes
from raskt.distributed._clusters import _loop
from raskt.distributed._clusters._cluster import Cluster
from raskt.distributed._clusters._contact import RETIRING_SECONDS, retire
from raskt.distributed._clusters._decision import Load
from raskt.distributed._clusters._keys import Keys, Role
from raskt.distributed._clusters._logs import Log
from raskt.distributed._clusters._process import ProcessInterface
from raskt.distributed._clusters._status import Status
from raskt.distributed._security import Security

WORKERS_MAX = 10_000
"""Workers of a cluster, at most."""

LEAVING_SECONDS = 2.0
"""How long what runs on workers that go may take when the cluster goes on."""


class SpecCluster(Cluster):
    """A cluster whose scheduler and workers are each a class and its arguments.

    Parameters
    ----------
    workers : dict, optional
        The first workers: names, and for each a dictionary with ``"cls"`` (a class like `ProcessInterface`, or where it
        is imported from), ``"options"`` (its arguments by name) and, if one entry stands for several workers,
        ``"group"``: what is added to its name for each.
    scheduler : dict, optional
        The same for the scheduler. Default: a `Scheduler` in this process.
    worker : dict, optional
        The same for each worker that `scale` adds.
    asynchronous : bool, default False
        Whether it is started by ``await``, and what waits gives something to be awaited.
    loop : None
        Clusters have a loop of their own.
    security : Security or bool, optional
        By what its processes know each other. Default: a token of its own; True for certificates of its own.
    silence_logs : int or bool, default False
        The level of `logging` up to which nothing is printed about processes.
    name : str, optional
        What it is called.
    shutdown_on_close : bool, default True
        Whether it ends with this program.
    scheduler_sync_interval : float or str, default 1
        As for `Cluster`.
    shutdown_scheduler : bool, default True
        Whether `close` ends the scheduler as well.

    Examples
    --------
    >>> from raskt.distributed import Client, Nanny, SpecCluster
    >>> worker = {"cls": Nanny, "options": {"nthreads": 1}}
    >>> with SpecCluster(workers={"mine": worker}, worker=worker) as cluster, Client(cluster) as client:
    ...     cluster.scale(2)
    ...     client.wait_for_workers(2)
    ...     sorted(map(str, cluster.worker_spec))
    ['0', 'mine']
    """

    _is_tls = False
    _first_workers = 0
    """How many workers it begins with, at least."""

    def __init__(
        self,
        workers: dict[Any, dict[str, Any]] | None = None,
        scheduler: dict[str, Any] | None = None,
        worker: dict[str, Any] | None = None,
        asynchronous: bool = False,
        loop: Any = None,
        security: Security | bool | None = None,
        silence_logs: int | bool = False,
        name: str | None = None,
        shutdown_on_close: bool = True,
        scheduler_sync_interval: float | str = 1,
        shutdown_scheduler: bool = True,
    ) -> None:
        super().__init__(asynchronous, loop, name=name, scheduler_sync_interval=scheduler_sync_interval)
        self.scheduler_spec = dict(scheduler or {}) or {"cls": "raskt.distributed.Scheduler", "options": {}}
        self.worker_spec = dict(workers or {})
        self.new_spec = None if worker is None else dict(worker)
        self.scheduler: ProcessInterface | None = None
        self.workers: dict[Any, ProcessInterface] = {}
        self.shutdown_scheduler = shutdown_scheduler
        self.silence_logs = silence_logs
        self._number = 0
        self._lock = asyncio.Lock()
        self._keys = keys_of(security, self._is_tls)
        self.security = self._keys.security("client")
        self._kept: list[ProcessInterface] = []
        self._finalizer = weakref.finalize(self, _forget, os.getpid(), self._kept, self._keys)
        self._finalizer.atexit = shutdown_on_close
        if not asynchronous:
            self.sync(self._start)

    # --- what is where --------------------------------------------------------------------------------------------

    @property
    def scheduler_address(self) -> str:
        """Where the scheduler listens."""
        address = self.scheduler and (self.scheduler.external_address or self.scheduler.address)
        return address or super().scheduler_address

    @property
    def _has_scheduler(self) -> bool:
        return self.status == Status.running

    @property
    def size(self) -> int:
        """How many workers there are to be."""
        return len(self.plan)

    @property
    def plan(self) -> set[Any]:
        """The names of workers that there are to be."""
        return {name for entry in list(self.worker_spec) for name in self._names(entry)}

    @property
    def requested(self) -> set[Any]:
        """The names of workers that were asked for."""
        return {name for entry in list(self.workers) for name in self._names(entry)}

    @property
    def observed(self) -> set[Any]:
        """The names of workers that have reached the scheduler."""
        known = {str(name): name for name in self.plan | self.requested}
        return {known.get(name, name) for name in super().observed}

    def _entry_of(self, worker: Any) -> Any:
        return next((entry for entry in list(self.worker_spec) if worker in self._names(entry)), worker)

    def _load(self) -> Load:
        load = super()._load()
        known = {str(name): name for name in self.plan}
        return replace(load, workers=tuple(replace(w, name=known.get(str(w.name), w.name)) for w in load.workers))

    def _names(self, entry: Any) -> list[Any]:
        """The workers of an entry."""
        group = self.worker_spec.get(entry, {}).get("group")
        return [f"{entry}{suffix}" for suffix in group] if group else [entry]

    # --- changing it ----------------------------------------------------------------------------------------------

    def new_worker_spec(self) -> dict[Any, dict[str, Any]]:
        """The name and the specification of one more worker, which is started when it is put into ``worker_spec``."""
        if self.new_spec is None:
            raise ValueError(f"the cluster {self.name!r} doesn't know what more workers are: name worker=")
        while (name := self._new_worker_name(self._number)) in self.worker_spec:
            self._number += 1
        self._number += 1
        return {name: self.new_spec}

    def _new_worker_name(self, worker_number: int) -> Any:
        """What one more worker is called."""
        return worker_number

    def scale(self, n: int = 0, memory: int | str | None = None, cores: int | None = None) -> Any:
        """Starts or ends workers until there are `n`; the last that were started end first.

        Parameters
        ----------
        n : int
            Workers.
        memory : int or str, optional
            So many that they have this much memory in all.
        cores : int, optional
            So many that they have this many threads in all.
        """
        wanted = max(_count("n", n), self._workers_for(memory, cores))
        return self.sync(self._scale, wanted)

    scale_up = scale

    def scale_down(self, workers: Iterable[Any]) -> Any:
        """Ends the workers of these names; what they hold is brought to others before, if the scheduler can do that."""
        names = [workers] if isinstance(workers, str) else list(workers)
        return self.sync(self._scale_down, names)

    def adapt(
        self,
        Adaptive: Any = None,
        minimum: int = 0,
        maximum: float = math.inf,
        minimum_cores: int | None = None,
        maximum_cores: int | None = None,
        minimum_memory: int | str | None = None,
        maximum_memory: int | str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Has the number of workers follow what there is to be done.

        Parameters
        ----------
        Adaptive : type, optional
            What decides; `raskt.distributed.Adaptive` unless this is another.
        minimum, maximum : int
            Workers, at least and at most.
        minimum_cores, maximum_cores : int, optional
            The same in threads.
        minimum_memory, maximum_memory : int or str, optional
            The same in memory.
        **kwargs
            What else it takes: ``interval``, ``wait_count``, ``target_duration``, ``worker_key``.

        Returns
        -------
        Adaptive
            What decides from now on, in the place of what did so far.
        """
        least = max(minimum, self._workers_for(minimum_memory, minimum_cores))
        bounds = [maximum]
        if maximum_cores is not None:
            bounds.append(maximum_cores // self._threads_each())
        if maximum_memory is not None:
            bounds.append(_sizes.bytes_of(maximum_memory) // self._memory_each())
        return super().adapt(Adaptive, minimum=least, maximum=min(bounds), **kwargs)

    def _workers_for(self, memory: int | str | None, cores: int | None) -> int:
        of_memory = 0 if memory is None else math.ceil(_sizes.bytes_of(memory) / self._memory_each())
        of_cores = 0 if cores is None else math.ceil(cores / self._threads_each())
        return max(of_memory, of_cores)

    def _threads_each(self) -> int:
        threads = self._option("nthreads")
        if threads is None:
            raise ValueError("cores can't be counted, since the specification of a worker doesn't say its nthreads")
        return int(threads) * self._workers_each()

    def _memory_each(self) -> int:
        limit = self._option("memory_limit")
        if limit in (None, 0, "auto"):
            raise ValueError(
                "memory can't be counted, since the specification of a worker doesn't say its memory_limit"
            )
        return _sizes.bytes_of(limit) * self._workers_each()

    def _workers_each(self) -> int:
        return len((self.new_spec or {}).get("group") or [None])

    def _option(self, name: str) -> Any:
        return (self.new_spec or {}).get("options", {}).get(name)

    async def _scale(self, wanted: int) -> None:
        self._check_open()
        while len(self.plan) < wanted:
            self.worker_spec.update(self.new_worker_spec())
        for entry in self._latest_first():
            if len(self.plan) - len(self._names(entry)) >= wanted:
                del self.worker_spec[entry]
        await self._correct_state()

    def _latest_first(self) -> list[Any]:
        """Entries in the order in which they go: what hasn't been asked for costs nothing."""
        entries = list(reversed(self.worker_spec))
        return [entry for entry in entries if entry not in self.workers] + [e for e in entries if e in self.workers]

    async def _scale_down(self, names: list[Any]) -> None:
        self._check_open()
        going = set(map(str, names))
        for entry in list(self.worker_spec):
            of_entry = set(map(str, self._names(entry)))
            if of_entry & going and not of_entry <= going:
                raise ValueError(
                    f"workers {sorted(of_entry)} come and go together; {sorted(going)} are some of them only"
                )
            if of_entry <= going:
                del self.worker_spec[entry]
        await self._correct_state()

    async def _correct_state(self) -> None:
        """Has what there is follow what is specified."""
        async with self._lock:
            if self.status != Status.running:
                return
            surplus = [entry for entry in self.workers if entry not in self.worker_spec]
            await self._end(surplus)
            missing = [entry for entry in self.worker_spec if entry not in self.workers]
            await self._begin(missing)

    async def _begin(self, entries: list[Any]) -> None:
        try:
            made = {e: self._made(self.worker_spec[e], {"name": e}, self._address_for_workers()) for e in entries}
        except BaseException:
            for entry in entries:
                del self.worker_spec[entry]
            raise
        self.workers |= made
        self._kept += made.values()
        started = await asyncio.gather(*(self.workers[entry] for entry in entries), return_exceptions=True)
        failed = {entry: e for entry, e in zip(entries, started) if isinstance(e, BaseException)}
        for entry in failed:
            self.worker_spec.pop(entry, None)
            await _ended(self._taken(entry), 0.0)
        for error in failed.values():
            raise error

    async def _end(self, entries: list[Any]) -> None:
        if not entries:
            return
        names = [str(entry) for entry in entries]
        for entry in entries:
            self.workers[entry].expect_end()
        try:
            retiring = _loop.blocking(lambda: retire(self._client(), names))
            await asyncio.wait_for(retiring, RETIRING_SECONDS)
        except Exception as error:
            # Results that go with them are made again.
            self._notes.add(f"workers {names} go with what they hold: {error!r}")
        await asyncio.gather(*(_ended(self._taken(entry), LEAVING_SECONDS) for entry in entries))

    def _taken(self, entry: Any) -> ProcessInterface:
        worker = self.workers.pop(entry)
        self._kept.remove(worker)
        return worker

    def _made(self, spec: dict[str, Any], known: dict[str, Any], *arguments: Any) -> Any:
        """An object of a specification; it is given what it is to prove itself by, if it takes that."""
        kind = _imported(spec["cls"])
        options = {**known, **spec.get("options", {})}
        role: Role = "worker" if arguments else "scheduler"
        offered = {"keys": self._keys, "security": self._keys.security(role), "silence_logs": self.silence_logs}
        taken = inspect.signature(kind).parameters
        options = {**{name: value for name, value in offered.items() if name in taken}, **options}
        return kind(*arguments, **options)

    def _address_for_workers(self) -> Any:
        return self.scheduler and self.scheduler.address

    # --- its life -------------------------------------------------------------------------------------------------

    async def _start(self) -> None:
        async with self._lock:
            if self.status == Status.running:
                return
            self._check_open()
            self.status = Status.starting
            try:
                self.scheduler = self._made(self.scheduler_spec, {})
                self._kept.append(self.scheduler)
                await self.scheduler
                await super()._start()
            except BaseException:
                await self._give_up()
                raise
        try:
            await self._scale(max(self._first_workers, self.size))
        except BaseException:
            await self._give_up()
            raise

    async def _give_up(self) -> None:
        await self._end_all(0.0)
        self.status = Status.failed
        self._finalizer.detach()
        self._keys.close()

    async def _close(self) -> None:
        async with self._lock:
            if self.is_closed:
                return
            self.status = Status.closing
            await super()._close()
            self.status = Status.closing
            await self._end_all(self._closing_seconds)
            self.status = Status.closed
            self._finalizer.detach()
            self._keys.close()

    async def _end_all(self, patience: float | None) -> None:
        """Ends everything: workers leave when the scheduler does."""
        workers, self.workers = list(self.workers.values()), {}
        self.worker_spec = {}
        for worker in workers:
            worker.expect_end()
        if self.scheduler is not None and self.shutdown_scheduler:
            await _ended(self.scheduler, patience)
        await asyncio.gather(*(_ended(worker, patience) for worker in workers), return_exceptions=True)
        self._kept.clear()

    def _check_open(self) -> None:
        if self.status in (Status.closing, Status.closed, Status.failed):
            raise RuntimeError(f"the cluster {self.name!r} is closed")

    async def _log_of_scheduler(self) -> Log | None:
        return self.scheduler.get_log() if self.scheduler is not None else None

    async def _logs_of_workers(self, names: list[Any] | None) -> dict[str, Log]:
        wanted = None if names is None else set(map(str, names))
        logs = {str(name): worker.get_log() for name, worker in self.workers.items()}
        return {name: log for name, log in logs.items() if log is not None and (wanted is None or name in wanted)}


def keys_of(security: Security | bool | None, is_tls: bool) -> Keys:
    """What processes prove themselves by, as `security=` says it."""
    if security is not None and not isinstance(security, (Security, bool)):
        raise TypeError(f"security is {security!r}; it is a raskt.distributed.Security, or True for certificates")
    if isinstance(security, Security):
        return Keys(security, security.tls_ca_file is not None)
    return Keys(None, is_tls or bool(security))


async def _ended(process: ProcessInterface, patience: float | None) -> None:
    takes_patience = "timeout" in inspect.signature(process.close).parameters
    await (process.close(timeout=patience) if takes_patience else process.close())


def _imported(kind: Any) -> Any:
    if not isinstance(kind, str):
        return kind
    module, _, name = kind.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _count(name: str, count: Any) -> int:
    if isinstance(count, bool) or not isinstance(count, int):
        raise TypeError(f"{name} is {count!r}; it has to be a whole number")
    if not 0 <= count <= WORKERS_MAX:
        raise ValueError(f"{name} is {count}; it has to be from 0 to {WORKERS_MAX}")
    return count


def _forget(process: int, kept: list[ProcessInterface], keys: Keys) -> None:
    if process != os.getpid():
        # A fork: all of it is the parent's.
        return
    for each in reversed(kept):
        each.expect_end()
    for each in kept:
        each.end_now()
    keys.close()
