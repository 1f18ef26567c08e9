"""Clusters whose number of workers follows what there is to be done."""

from __future__ import annotations

import asyncio
import math
import time
import weakref
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from raskt.distributed import _arguments
from raskt.distributed._clusters import _decision, _loop, _options
from raskt.distributed._clusters._decision import Hysteresis, Load, WorkerLoad

if TYPE_CHECKING:
    from raskt.distributed._clusters._cluster import Cluster

INTERVAL_SECONDS = 1.0
WAIT_COUNT = 3
TARGET_SECONDS = 5.0
LOG_ENTRIES_MAX = 1000


class Adaptive:
    """What decides how many workers a cluster has, again and again. `Cluster.adapt` makes one.

    Workers are asked for as soon as there is work for them. They go when they were too many several times in a row, and
    had nothing to do; what they hold is brought to others before.

    Parameters
    ----------
    cluster : Cluster
        The cluster: it has ``plan``, ``requested``, ``observed``, ``scale_up`` and ``scale_down``.
    interval : float, str or timedelta, default 1 s
        How often it is decided; 0 for never but when `adapt` is called.
    minimum : int, default 0
        Workers at least.
    maximum : int or infinite, default infinite
        Workers at most.
    wait_count : int, default 3
        How often in a row a worker has to be too many until it goes.
    target_duration : float, str or timedelta, default 5 s
        In what time all that there is to be done is to be done.
    worker_key : callable, optional
        What a worker goes together with: gets an object with ``name``, ``nthreads`` and ``memory_limit``, and gives
        what all those have in common.

    Notes
    -----
    Subclasses override ``target``, which says how many workers there are to be, or ``workers_to_close``.

    Examples
    --------
    >>> from raskt.distributed import Adaptive, Cluster
    >>> class AlwaysTwo(Adaptive):
    ...     async def target(self):
    ...         return 2
    >>> class Hired(Cluster):
    ...     plan = requested = observed = frozenset({"a"})
    ...     def scale_up(self, n):
    ...         print(f"there are to be {n}")
    >>> cluster = Hired()
    >>> cluster.sync(AlwaysTwo(cluster, interval=0).adapt)
    there are to be 2
    """

    def __init__(
        self,
        cluster: Cluster,
        interval: str | float | timedelta | None = None,
        minimum: int | None = None,
        maximum: int | float | None = None,
        wait_count: int | None = None,
        target_duration: str | float | timedelta | None = None,
        worker_key: Callable[[WorkerLoad], Hashable] | None = None,
        **kwargs: Any,
    ) -> None:
        _options.refuse("Adaptive", kwargs)
        self._cluster = weakref.ref(cluster)
        self.interval = _arguments.span("interval", INTERVAL_SECONDS if interval is None else interval)
        self.minimum = 0 if minimum is None else _arguments.count("minimum", minimum)
        is_bounded = maximum is not None and maximum != math.inf
        self.maximum = _arguments.count("maximum", maximum) if is_bounded else math.inf
        self.wait_count = WAIT_COUNT if wait_count is None else _arguments.count("wait_count", wait_count, 1)
        target_duration = TARGET_SECONDS if target_duration is None else target_duration
        self.target_duration = _arguments.span("target_duration", target_duration)
        if worker_key is not None and not callable(worker_key):
            raise TypeError(f"worker_key is {worker_key!r}; it has to be a function of a worker")
        self.worker_key = worker_key
        self._check()
        self.log: deque[tuple[float, dict[str, Any]]] = deque(maxlen=LOG_ENTRIES_MAX)
        """What was decided, and when."""
        self._hysteresis = Hysteresis(self.wait_count)
        self._latest = Load()
        self._is_adapting = False
        self.state = "running" if self.interval else "inactive"
        if self.interval:
            asyncio.run_coroutine_threadsafe(_again_and_again(weakref.ref(self), self.interval), _loop.loop())

    def _check(self) -> None:
        if self.minimum > self.maximum:
            raise ValueError(f"minimum is {self.minimum} and maximum {self.maximum}: 0 <= minimum <= maximum is needed")
        if self.target_duration <= 0:
            raise ValueError(f"target_duration {self.target_duration} s is too short; it has to be more than 0 s")

    @property
    def cluster(self) -> Cluster:
        """The cluster."""
        cluster = self._cluster()
        if cluster is None:
            raise ReferenceError("the cluster that was adapted is gone")
        return cluster

    @property
    def plan(self) -> set[Any]:
        """The names of workers that there are to be."""
        return self.cluster.plan

    @property
    def requested(self) -> set[Any]:
        """The names of workers that were asked for."""
        return self.cluster.requested

    @property
    def observed(self) -> set[Any]:
        """The names of workers that have reached the scheduler."""
        return self.cluster.observed

    def stop(self, reason: str = "unknown") -> None:
        """Has the number of workers stay as it is."""
        if self.state == "running":
            self.state = "stopped"
            self.log.append((time.time(), {"status": "stopped", "reason": reason}))

    async def target(self) -> int:
        """How many workers there are to be, without regard to bounds."""
        self._latest = await _loop.blocking(self.cluster._load)
        self.cluster._heed_ended()
        return _decision.target(self._latest, self.target_duration)

    async def safe_target(self) -> int:
        """The same within bounds."""
        return int(max(self.minimum, min(await self.target(), self.maximum)))

    async def workers_to_close(self, target: int) -> list[Any]:
        """Which workers could go so that `target` stay; none that has something to do."""
        plan = self.plan
        there = tuple(worker for worker in self._latest.workers if worker.name in plan)
        key = _decision.together(there, self.cluster._entry_of, self.worker_key)
        return list(_decision.candidates(replace(self._latest, workers=there), target, key))

    async def recommendations(self, target: int) -> dict[str, Any]:
        """What is to be done so that there are `target` workers: ``"status"`` is "same", "up" or "down"."""
        plan, observed = self.plan, await _loop.blocking(lambda: self.observed)
        if target >= len(plan):
            self._hysteresis.firm(())
            return {"status": "up", "n": target} if target > len(plan) else {"status": "same"}
        surplus = len(plan) - target
        going = list(_decision.not_yet_there(surplus, self.requested, observed, self.cluster._entry_of))
        if len(going) < surplus:
            going += await self.workers_to_close(target)
        firm = self._hysteresis.firm(dict.fromkeys(going))
        return {"status": "down", "workers": list(firm)} if firm else {"status": "same"}

    async def adapt(self) -> None:
        """Decides once, and does what was decided."""
        if self._is_adapting:
            return
        self._is_adapting = True
        before = _decision.decides.set(self)
        try:
            state = self.state
            decided = await self.recommendations(await self.safe_target())
            if decided["status"] == "same" or self.state != state:
                return
            self.log.append((time.time(), dict(decided)))
            if decided["status"] == "up":
                await self.scale_up(decided["n"])
            else:
                await self.scale_down(decided["workers"])
        finally:
            _decision.decides.reset(before)
            self._is_adapting = False

    async def scale_up(self, n: int) -> None:
        """Has the cluster start workers until there are `n`."""
        await _done(self.cluster.scale_up, n)

    async def scale_down(self, workers: Any) -> None:
        """Has the cluster end workers."""
        await _done(self.cluster.scale_down, workers)


async def _done(function: Callable[..., Any], argument: Any) -> None:
    """Calls what may wait, or give something to be awaited."""
    result = await _loop.blocking(function, argument)
    if hasattr(result, "__await__"):
        await result


async def _again_and_again(adaptive: weakref.ref[Adaptive], interval: float) -> None:
    while True:
        await asyncio.sleep(interval)
        decides = adaptive()
        if decides is None or decides.state != "running":
            return
        cluster = decides._cluster()
        if cluster is None or cluster.is_closed:
            decides.stop(reason="the cluster is closed")
            return
        try:
            await decides.adapt()
        except Exception as error:
            cluster._notes.add(f"it couldn't be decided how many workers there are to be: {error!r}")
        del decides, cluster
