"""How many workers there are to be, and which go: pure functions of what is known, and of nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

UNKNOWN_SECONDS = 0.5
"""How long a task takes of which nothing is known."""

ROOM = 2.0
"""Workers that stay have room for so many times what all of them hold."""


@dataclass(frozen=True)
class WorkerLoad:
    """What a worker has to do, and holds."""

    name: Hashable
    nthreads: int = 1
    running: int = 0
    """Tasks that it was given and that haven't ended."""
    held_bytes: int = 0
    """What others would have to make again if it went."""
    memory_limit: int | None = None
    is_preparing: bool = False
    """It gets nothing to do yet, since plugins are being set up."""


@dataclass(frozen=True)
class Load:
    """What there is to be done, and who does it."""

    workers: tuple[WorkerLoad, ...] = ()
    waiting: int = 0
    """Tasks that no worker was given yet, whether they can run or not."""
    seconds_each: float | None = None
    """What a task takes, as far as that is known."""
    can_move: bool = False
    """Whether what a worker holds can be brought to others before it goes."""

    @property
    def tasks(self) -> int:
        """All that hasn't ended."""
        return self.waiting + sum(worker.running for worker in self.workers)

    def is_busy(self, worker: WorkerLoad) -> bool:
        """Whether it has something to do, or would have if its plugins were there."""
        return worker.running > 0 or (worker.is_preparing and self.waiting > 0)


@dataclass(frozen=True)
class Same:
    """Nothing is to be done."""


@dataclass(frozen=True)
class Up:
    """There are to be so many workers."""

    n: int


@dataclass(frozen=True)
class Down:
    """These workers are to go."""

    workers: tuple[Hashable, ...]


decides: ContextVar[Any] = ContextVar("raskt-decides", default=None)
"""What is deciding how many workers there are to be, where something is done for that."""


def is_over() -> bool:
    """Whether what is done here was decided by what decides no longer."""
    by = decides.get()
    return by is not None and by.state == "stopped"


def target(load: Load, target_seconds: float) -> int:
    """How many workers do all that there is in that time; as many as are busy, at least.

    No more than have something to do at once: a thread does a task at a time.

    >>> target(Load(waiting=100, seconds_each=1.0), 10.0)
    10
    >>> target(Load(waiting=3, seconds_each=1000.0), 10.0)
    3
    """
    busy = sum(load.is_busy(worker) for worker in load.workers)
    if not load.tasks:
        return 1 if any(worker.held_bytes for worker in load.workers) else 0
    threads = min((worker.nthreads for worker in load.workers), default=1)
    each = UNKNOWN_SECONDS if load.seconds_each is None else load.seconds_each
    in_time = math.ceil(load.tasks * each / target_seconds) if target_seconds > 0 else load.tasks
    return max(busy, math.ceil(max(1, min(in_time, load.tasks)) / threads))


def candidates(load: Load, wanted: int, key: Callable[[WorkerLoad], Hashable] | None = None) -> tuple[Hashable, ...]:
    """Which workers go so that `wanted` stay, or a few more.

    None that has something to do goes, and none whose results can't be brought to those that stay. Those of one key go
    together. Who holds least goes first.
    """
    groups: dict[Hashable, list[WorkerLoad]] = {}
    for worker in load.workers:
        groups.setdefault(key(worker) if key else worker.name, []).append(worker)
    idle = [group for group in groups.values() if not any(load.is_busy(worker) for worker in group)]
    staying = {worker.name: worker for worker in load.workers}
    gone: list[Hashable] = []
    for group in sorted(idle, key=lambda group: (sum(w.held_bytes for w in group), str(group[0].name))):
        rest = [worker for name, worker in staying.items() if name not in {member.name for member in group}]
        if len(rest) < wanted or not _have_room(rest, load, sum(worker.held_bytes for worker in group)):
            continue
        staying = {worker.name: worker for worker in rest}
        gone += [worker.name for worker in group]
    return tuple(gone)


def _have_room(rest: list[WorkerLoad], load: Load, moved: int) -> bool:
    if not moved:
        return True
    if not load.can_move or not rest:
        return False
    held = sum(worker.held_bytes for worker in load.workers)
    limits = [worker.memory_limit for worker in rest]
    return None in limits or sum(limit or 0 for limit in limits) >= ROOM * held


@dataclass
class Hysteresis:
    """Workers go when they were to go several times in a row: what has just ended may begin again."""

    wait_count: int = 3
    counts: dict[Hashable, int] = field(default_factory=dict)

    def firm(self, going: Iterable[Hashable]) -> tuple[Hashable, ...]:
        """Those of `going` that were named so often that they go now."""
        counts = {worker: self.counts.get(worker, 0) + 1 for worker in going}
        firm = tuple(worker for worker, count in counts.items() if count >= self.wait_count)
        self.counts = {worker: count for worker, count in counts.items() if worker not in firm}
        return firm


def not_yet_there(
    surplus: int, requested: Iterable[Any], observed: set[Any], entry_of: Callable[[Any], Hashable]
) -> tuple[Any, ...]:
    """Which of the workers that were asked for and haven't come are let go, of so many that are too many.

    Those of one entry come and go together, so that none goes of an entry whose others are there.
    """
    entries: dict[Hashable, list[Any]] = {}
    for worker in sorted(requested, key=str):
        entries.setdefault(entry_of(worker), []).append(worker)
    gone: list[Any] = []
    for workers in entries.values():
        if observed.isdisjoint(workers) and len(gone) + len(workers) <= surplus:
            gone += workers
    return tuple(gone)


def together(
    workers: Iterable[WorkerLoad],
    entry_of: Callable[[Any], Hashable],
    key: Callable[[WorkerLoad], Hashable] | None = None,
) -> Callable[[WorkerLoad], Hashable]:
    """By what workers go together: what their first one's key is, for all of an entry."""
    first: dict[Hashable, WorkerLoad] = {}
    for worker in workers:
        first.setdefault(entry_of(worker.name), worker)
    if key is None:
        return lambda worker: entry_of(worker.name)
    return lambda worker: key(first[entry_of(worker.name)])
