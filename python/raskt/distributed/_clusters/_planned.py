"""Clusters whose workers are planned one by one: which there are to be, and how more come and some go."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any

from raskt.distributed import _arguments
from raskt.distributed._clusters import _decision
from raskt.distributed._clusters._cluster import Cluster
from raskt.distributed._clusters._decision import Load
from raskt.distributed._clusters._process import ProcessInterface

CORES_MAX = _arguments.WORKERS_MAX * _arguments.THREADS_MAX
"""Threads of all workers, at most."""

NAMED_MOST = 20
"""So many names a sentence has."""


class PlannedCluster(Cluster):
    """A cluster with a plan: entries, each of which is a worker, or several that come and go together.

    What there is follows the plan by `_correct_state`, which subclasses have.
    """

    worker_spec: dict[Any, dict[str, Any]]
    """The plan: names, and what each is."""
    new_spec: dict[str, Any] | None
    """What one more is."""
    workers: dict[Any, ProcessInterface]
    """What there is."""
    _begun: dict[Any, dict[str, Any]]
    """What each of these is."""
    _number = 0
    """How many names have been given."""

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
        spec = self.worker_spec.get(entry) or self._begun.get(entry) or {}
        group = spec.get("group")
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

        What has adapted their number until now (`adapt`) decides no longer.

        Parameters
        ----------
        n : int
            Workers.
        memory : int or str, optional
            So many that they have this much memory in all.
        cores : int, optional
            So many that they have this many threads in all.
        """
        wanted = self._wanted(n, memory, cores)
        self._end_adapting("scale() was called")
        return self.sync(self._scale, wanted)

    def scale_up(self, n: int = 0, memory: int | str | None = None, cores: int | None = None) -> Any:
        """Starts workers until there are `n`, as `scale` does, and leaves to `adapt` what that decides."""
        return self.sync(self._scale, self._wanted(n, memory, cores))

    def _wanted(self, n: int, memory: int | str | None, cores: int | None) -> int:
        return _arguments.count("n", max(_arguments.count("n", n), self._workers_for(memory, cores)))

    def scale_down(self, workers: Iterable[Any]) -> Any:
        """Ends the workers of these names; what they hold is brought to others before, if the scheduler can do that.

        Raises
        ------
        ValueError
            If there are no workers of some of these names. None is ended then.
        """
        names = [workers] if isinstance(workers, str) or not isinstance(workers, Iterable) else list(workers)
        if None in names or not all(isinstance(name, Hashable) for name in names):
            raise TypeError(f"workers is {workers!r}; it has to be a list of names of workers")
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
        least = max(_arguments.count("minimum", minimum), self._workers_for(minimum_memory, minimum_cores, "minimum_"))
        bounds = [maximum if maximum == math.inf else _arguments.count("maximum", maximum)]
        if maximum_cores is not None:
            bounds.append(_arguments.count("maximum_cores", maximum_cores, most=CORES_MAX) // self._threads_each())
        if maximum_memory is not None:
            bounds.append(_arguments.memory("maximum_memory", maximum_memory) // self._memory_each())
        return super().adapt(Adaptive, minimum=least, maximum=min(bounds), **kwargs)

    def _workers_for(self, memory: int | str | None, cores: int | None, prefix: str = "") -> int:
        of_memory = of_cores = 0
        if memory is not None:
            of_memory = math.ceil(_arguments.memory(f"{prefix}memory", memory) / self._memory_each())
        if cores is not None:
            of_cores = math.ceil(_arguments.count(f"{prefix}cores", cores, most=CORES_MAX) / self._threads_each())
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
        return _arguments.memory("memory_limit", limit) * self._workers_each()

    def _workers_each(self) -> int:
        return len((self.new_spec or {}).get("group") or [None])

    def _option(self, name: str) -> Any:
        return (self.new_spec or {}).get("options", {}).get(name)

    async def _scale(self, wanted: int) -> None:
        self._check_open()
        if _decision.is_over():
            return
        self._heed_ended()
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
        if _decision.is_over():
            return
        going = set(map(str, names))
        # Who retired a moment ago is known, and gone.
        self._check_known(going)
        self._heed_ended()
        entries = []
        for entry in list(self.worker_spec):
            of_entry = set(map(str, self._names(entry)))
            if of_entry & going and not of_entry <= going:
                raise ValueError(
                    f"workers {sorted(of_entry)} come and go together; {sorted(going)} are some of them only"
                )
            if of_entry <= going:
                entries.append(entry)
        for entry in entries:
            del self.worker_spec[entry]
        await self._correct_state()

    def _check_known(self, names: set[str]) -> None:
        if _decision.decides.get() is not None:
            # It was decided of what there was then.
            return
        known = set(map(str, self.plan | self.requested))
        if unknown := sorted(names - known):
            there = f"it has {_some(sorted(known))}" if known else "it has none"
            raise ValueError(f"the cluster {self.name!r} has no workers {_some(unknown)}: {there}")

    async def _correct_state(self) -> None:
        """Has what there is follow the plan."""
        raise NotImplementedError(f"{type(self).__name__} doesn't say how what there is follows the plan")


def _some(names: list[str]) -> str:
    """Names as a sentence has them.

    >>> _some(["a", "b"])
    "'a', 'b'"
    """
    more = len(names) - NAMED_MOST
    return ", ".join(map(repr, names[:NAMED_MOST])) + (f" and {more} more" if more > 0 else "")
