"""Clusters of a scheduler and workers that are each specified: a class, and what it is called with."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import os
import weakref
from contextlib import suppress
from typing import Any

from raskt.distributed import _arguments
from raskt.distributed._clusters import _loop
from raskt.distributed._clusters._contact import RETIRING_SECONDS, retire
from raskt.distributed._clusters._keys import Keys, Role
from raskt.distributed._clusters._logs import Lines, Log, joined
from raskt.distributed._clusters._planned import PlannedCluster
from raskt.distributed._clusters._process import FAILURES_MOST, ProcessInterface
from raskt.distributed._clusters._status import Status
from raskt.distributed._security import Security

GLANCE_SECONDS = 0.1
"""How often it is looked whether those who are waited for can come."""

LEAVING_SECONDS = 2.0
"""How long what runs on workers that go may take when the cluster goes on."""


class SpecCluster(PlannedCluster):
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
        self.worker_spec = _named_apart(workers or {})
        self.new_spec = None if worker is None else dict(worker)
        self.scheduler: ProcessInterface | None = None
        self.workers: dict[Any, ProcessInterface] = {}
        self._begun: dict[Any, dict[str, Any]] = {}
        self.shutdown_scheduler = shutdown_scheduler
        self.silence_logs = _arguments.level("silence_logs", silence_logs)
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
        is_there = self.scheduler is not None and not (self.is_closed and self.shutdown_scheduler)
        address = self.scheduler and (self.scheduler.external_address or self.scheduler.address)
        return address if is_there and address else super().scheduler_address

    @property
    def _has_scheduler(self) -> bool:
        return self.status == Status.running

    # --- following the plan ----------------------------------------------------------------------------------------

    async def _correct_state(self) -> None:
        """Has what there is follow what is specified."""
        async with self._lock:
            if self.status != Status.running:
                return
            surplus = [entry for entry in self.workers if entry not in self.worker_spec]
            await self._end(surplus)
            missing = [entry for entry in self.worker_spec if entry not in self.workers]
            await self._begin(missing)

    def _heed_ended(self) -> None:
        if self._lock.locked():
            # Some are just coming or going.
            return
        over = [entry for entry, worker in self.workers.items() if _is_over(worker)]
        for entry in over:
            self.worker_spec.pop(entry, None)
            leaving = asyncio.ensure_future(_see_off(None, [], [self._taken(entry)], self._kept, self._notes))
            _leaving.add(leaving)
            leaving.add_done_callback(_leaving.discard)

    async def _begin(self, entries: list[Any]) -> None:
        try:
            made = {e: self._made(self.worker_spec[e], {"name": e}, self._address_for_workers()) for e in entries}
        except BaseException:
            for entry in entries:
                del self.worker_spec[entry]
            raise
        self.workers |= made
        self._begun |= {entry: self.worker_spec[entry] for entry in entries}
        self._kept += made.values()
        try:
            started = await asyncio.gather(*made.values(), return_exceptions=True)
        except asyncio.CancelledError:
            # Whoever waits doesn't any more.
            for entry in entries:
                self.worker_spec.pop(entry, None)
                self._kept.remove(self.workers[entry])
                self._taken(entry).end_now()
            raise
        failed = {entry: e for entry, e in zip(entries, started) if isinstance(e, BaseException)}
        for entry in failed:
            self.worker_spec.pop(entry, None)
            self._kept.remove(self.workers[entry])
            with suppress(Exception):
                # Why it didn't begin is what counts.
                await _ended(self._taken(entry), 0.0)
        for error in failed.values():
            raise error

    async def _end(self, entries: list[Any]) -> None:
        """Ends workers when they have done what they have; who takes long for that is waited for by nobody."""
        if not entries:
            return
        for entry in entries:
            self.workers[entry].expect_end()
        names = [str(name) for entry in entries for name in self._names(entry)]
        client = await self._client_that_retires()
        workers = [self._taken(entry) for entry in entries]
        leaving = asyncio.ensure_future(_see_off(client, names, workers, self._kept, self._notes))
        _leaving.add(leaving)
        leaving.add_done_callback(_leaving.discard)
        await asyncio.wait({leaving}, timeout=RETIRING_SECONDS)
        if leaving.done():
            leaving.result()

    async def _client_that_retires(self) -> Any:
        with suppress(Exception):
            return await _loop.blocking(self._client)
        # The scheduler can't be asked: results that go are made again.
        return None

    def _taken(self, entry: Any) -> ProcessInterface:
        del self._begun[entry]
        return self.workers.pop(entry)

    async def _wait_for_workers(self, n_workers: int, timeout: float | None) -> None:
        waiting = asyncio.ensure_future(super()._wait_for_workers(n_workers, timeout))
        try:
            while not (await asyncio.wait({waiting}, timeout=GLANCE_SECONDS))[0]:
                await self._tell_failures(n_workers, FAILURES_MOST)
            waiting.result()
        except TimeoutError:
            await self._tell_failures(n_workers, 1)
            raise
        finally:
            waiting.cancel()

    async def _tell_failures(self, wanted: int, often: int) -> None:
        """Raises why there won't be as many workers as are wanted, if some have failed so often to begin."""
        failed = self._failures(often)
        if not failed:
            return
        others = {str(name) for entry in self.worker_spec if entry not in failed for name in self._names(entry)}
        # Who is there may have come just now, or from elsewhere.
        there = await _loop.blocking(lambda: set(map(str, self.observed)))
        if len(others | there) < wanted:
            name, (count, what) = next(iter(failed.items()))
            times = "once" if count == 1 else f"{count} times"
            raise RuntimeError(
                f"{len(failed)} of {len(self.workers)} workers of the cluster {self.name!r} don't come: {name} has "
                f"ended {times} before it was there, and at last it {what}"
            )

    def _failures(self, often: int) -> dict[Any, tuple[int, str]]:
        """Who has failed so often to begin, how often and of what."""
        each = {name: worker._failed() for name, worker in self.workers.items() if isinstance(worker, ProcessInterface)}
        return {name: why for name, why in each.items() if why is not None and why[0] >= often}

    def _made(self, spec: dict[str, Any], known: dict[str, Any], *arguments: Any) -> Any:
        """An object of a specification; it is given what it is to prove itself by, if it takes that."""
        kind = _imported(spec["cls"])
        options = {**known, **spec.get("options", {})}
        role: Role = "worker" if arguments else "scheduler"
        offered = {"keys": self._keys, "security": self._keys.security(role), "silence_logs": self.silence_logs}
        try:
            taken = inspect.signature(kind).parameters
        except ValueError as error:
            raise ValueError(f"{kind!r} (cls, or worker_class) is no class like ProcessInterface: {error}") from None
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
        try:
            async with self._lock:
                if not self.is_closed:
                    await self._close_in_order()
        except asyncio.CancelledError:
            # Whoever waits doesn't any more: what is left ends at once.
            if self.scheduler in self._kept and not self.shutdown_scheduler:
                self._kept.remove(self.scheduler)
            self._finalizer()
            self.status = Status.closed
            raise

    async def _close_in_order(self) -> None:
        self.status = Status.closing
        await super()._close()
        self.status = Status.closing
        await self._end_all(self._closing_seconds)
        self.status = Status.closed
        self._finalizer.detach()
        self._keys.close()

    async def _end_all(self, patience: float | None) -> None:
        """Ends everything: workers leave when the scheduler does."""
        workers = [each for each in self._kept if each is not self.scheduler]
        self.workers, self._begun, self.worker_spec = {}, {}, {}
        for worker in workers:
            worker.expect_end()
        if self.scheduler is not None and self.shutdown_scheduler:
            await _ended(self.scheduler, patience)
        await asyncio.gather(*(_ended(worker, patience) for worker in workers), return_exceptions=True)
        self._kept.clear()

    async def _log_of_scheduler(self) -> Log | None:
        said = self.scheduler.get_log() if self.scheduler is not None else None
        return joined(said, await super()._log_of_scheduler())

    async def _logs_of_workers(self, names: list[Any] | None) -> dict[str, Log]:
        wanted = None if names is None else set(map(str, names))
        logs = await super()._logs_of_workers(names)
        for name, worker in self.workers.items():
            log = joined(worker.get_log(), logs.get(str(name)))
            if log is not None and (wanted is None or str(name) in wanted):
                logs[str(name)] = log
        return logs


def _named_apart(workers: dict[Any, dict[str, Any]]) -> dict[Any, dict[str, Any]]:
    """The first workers, of which none is called as another is: they are known by how their names are written."""
    called: dict[str, Any] = {}
    for entry, spec in workers.items():
        for name in (f"{entry}{suffix}" for suffix in spec.get("group") or [""]):
            if name in called:
                raise ValueError(f"workers has two that are called {name!r}, by {called[name]!r} and {entry!r}")
            called[name] = entry
    return dict(workers)


def keys_of(security: Security | bool | None, is_tls: bool) -> Keys:
    """What processes prove themselves by, as `security=` says it."""
    if security is not None and not isinstance(security, (Security, bool)):
        raise TypeError(f"security is {security!r}; it is a raskt.distributed.Security, or True for certificates")
    if isinstance(security, Security):
        return Keys(security, security.tls_ca_file is not None)
    return Keys(None, is_tls or bool(security))


def _is_over(worker: Any) -> bool:
    """Whether it has ended for good; one that has failed to begin stays, for whoever wants to know why."""
    return isinstance(worker, ProcessInterface) and worker._is_over() and worker._failed() is None


_leaving: set[asyncio.Task[None]] = set()
"""What waits for workers that take their leave."""


async def _see_off(
    client: Any, names: list[str], workers: list[ProcessInterface], kept: list[ProcessInterface], notes: Lines
) -> None:
    """Ends workers when they have nothing to do any more, and others hold what they held."""
    if client is not None:
        try:
            await _loop.blocking(retire, client, names)
        except Exception as error:
            # Results that go with them are made again.
            notes.add(f"workers {names} go with what they hold: {error!r}")
    there = [worker for worker in workers if worker in kept]
    await asyncio.gather(*(_ended(worker, LEAVING_SECONDS) for worker in there))
    for worker in there:
        if worker in kept:
            kept.remove(worker)


async def _ended(process: ProcessInterface, patience: float | None) -> None:
    takes_patience = "timeout" in inspect.signature(process.close).parameters
    await (process.close(timeout=patience) if takes_patience else process.close())


def _imported(kind: Any) -> Any:
    if not isinstance(kind, str):
        return kind
    module, _, name = kind.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"{kind!r} (cls, or worker_class) is no class that can be imported: {error}") from None


def _forget(process: int, kept: list[ProcessInterface], keys: Keys) -> None:
    if process != os.getpid():
        # A fork: all of it is the parent's.
        return
    for each in reversed(kept):
        each.expect_end()
    for each in kept:
        with suppress(Exception):
            # Whoever can't be ended doesn't keep the others.
            each.end_now()
    keys.close()
