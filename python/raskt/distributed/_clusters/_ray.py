"""Clusters inside of a Ray cluster that is there already."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from raskt.distributed import _arguments, _sizes
from raskt.distributed._clusters import _loop, _options
from raskt.distributed._clusters._guest import GRACE_SECONDS
from raskt.distributed._clusters._keys import Keys
from raskt.distributed._clusters._process import ProcessInterface
from raskt.distributed._clusters._ray_actors import SchedulerActor, WorkerActor
from raskt.distributed._clusters._spec import SpecCluster
from raskt.distributed._security import Security

READY_SECONDS = 120.0
"""How long Ray has to start the scheduler."""

ANSWER_SECONDS = 5.0
"""How long an actor has to answer when it is to leave."""


class RayProcess(ProcessInterface):
    """An actor of Ray that is a scheduler or a worker. It ends with this program, whichever way that ends."""

    def __init__(self, scheduler: str | None = None, name: Any = None) -> None:
        super().__init__(scheduler, name)
        self.actor: Any = None
        self._answer: Any = None
        """What Ray gives as soon as it has started the actor."""

    async def close(self, timeout: float | None = None) -> None:
        """Has it leave; what runs has `timeout` seconds to end."""
        if self.actor is not None:
            await _loop.blocking(self._leave, GRACE_SECONDS if timeout is None else timeout)
        self.end_now()
        await super().close()

    def _leave(self, grace: float) -> None:
        import ray

        with suppress(ray.exceptions.RayError):
            if not ray.wait([self._answer], timeout=0)[0]:
                return
            ray.get(self.actor.leave.remote(grace), timeout=grace + ANSWER_SECONDS)

    def end_now(self) -> None:
        """Kills the actor."""
        import ray

        actor, self.actor = self.actor, None
        if actor is not None and ray.is_initialized():
            ray.kill(actor, no_restart=True)


class RayScheduler(RayProcess):
    """A scheduler as an actor; it takes no processor away from others."""

    def __init__(self, port: int = 0, actor_options: dict[str, Any] | None = None, *, keys: Keys) -> None:
        super().__init__(None, "scheduler")
        self._port, self._files = port, keys.files("scheduler")
        self._actor_options = {"num_cpus": 0, **(actor_options or {})}

    async def start(self) -> None:
        """Starts the actor, and asks where it listens."""
        self.address = await _loop.blocking(self._start, undo=lambda _: self.end_now())
        await super().start()

    def _start(self) -> str:
        import ray

        self.actor = ray.remote(SchedulerActor).options(**self._actor_options).remote(self._files, self._port)
        self._answer = self.actor.address.remote()
        return str(ray.get(self._answer, timeout=READY_SECONDS))


class RayWorker(RayProcess):
    """A worker as an actor, with as many of Ray's processors as it has threads. Ray starts it again when it dies."""

    def __init__(
        self,
        scheduler: str,
        name: Any = None,
        nthreads: int = 1,
        memory_limit: Any = "auto",
        preload: Any = None,
        actor_options: dict[str, Any] | None = None,
        *,
        keys: Keys,
    ) -> None:
        super().__init__(scheduler, name)
        self.nthreads = _options.threads_of(nthreads)
        self._options = _options.of_guest(name, self.nthreads, memory_limit, preload)
        self._files = keys.files("worker")
        reserved = {} if not isinstance(memory_limit, int) or not memory_limit else {"memory": memory_limit}
        usual = {"num_cpus": self.nthreads, "max_restarts": -1, "scheduling_strategy": "SPREAD", **reserved}
        self._actor_options = {**usual, **(actor_options or {})}

    async def start(self) -> None:
        """Asks Ray for the actor; it may take until there are processors for it."""
        await _loop.blocking(self._start, undo=lambda _: self.end_now())
        await super().start()

    def _start(self) -> None:
        import ray

        kind = ray.remote(WorkerActor).options(**self._actor_options)
        self.actor = kind.remote(self.scheduler, self._files, self._options)
        self._answer = self.actor.process.remote()


class RayCluster(SpecCluster):
    """raskt inside of a running Ray cluster: its scheduler and workers are actors.

    Ray says on which hosts they run, and counts what they use. They speak with each other, and with this process, by
    TLS, with certificates of the cluster's own. They end with the cluster and with this program, also when it is
    killed.

    Parameters
    ----------
    n_workers : int, optional
        Workers. Default: one for each host of the Ray cluster.
    threads_per_worker : int, optional
        Threads of each, which are as many of Ray's processors. Default: those of the smallest host.
    address : str, optional
        Where the Ray cluster is, if this process isn't in one yet (``ray.init``).
    memory_limit : "auto", int, float, str or None, default "auto"
        What each worker may hold, as for `LocalCluster`. Bytes, and texts such as "4 GiB", are asked of Ray as well.
    preload : str or list of str, optional
        Modules or files that are run in each worker before it begins.
    actor_options : dict, optional
        What else Ray is told of workers: ``num_gpus``, ``resources``, ``scheduling_strategy``, ``runtime_env``, …
    scheduler_options : dict, optional
        ``port``, and ``actor_options`` of the scheduler.
    name : str, optional
        What the cluster is called.
    asynchronous : bool, default False
        Whether it is started by ``await``, and what waits gives something to be awaited.
    security : Security, optional
        By what its processes know each other, instead of its own certificates.

    Examples
    --------
    >>> import ray  # doctest: +SKIP
    >>> from raskt.distributed import Client, RayCluster
    >>> ray.init()  # doctest: +SKIP
    >>> with RayCluster(n_workers=4, threads_per_worker=8) as cluster, Client(cluster) as client:  # doctest: +SKIP
    ...     client.submit(sum, [1, 2]).result()
    3
    """

    _is_tls = True

    def __init__(
        self,
        n_workers: int | None = None,
        threads_per_worker: int | None = None,
        *,
        address: str | None = None,
        memory_limit: Any = "auto",
        preload: Any = None,
        actor_options: dict[str, Any] | None = None,
        scheduler_options: dict[str, Any] | None = None,
        name: str | None = None,
        asynchronous: bool = False,
        security: Security | None = None,
    ) -> None:
        _enter(address)
        processors = _processors()
        self._first_workers = len(processors) if n_workers is None else _arguments.count("n_workers", n_workers)
        threads = min(processors) if threads_per_worker is None else threads_per_worker
        options = {
            "nthreads": _options.threads_of(threads),
            "memory_limit": _sizes.bytes_of(memory_limit) if _is_size(memory_limit) else memory_limit,
            "preload": _options.modules_of(preload),
            "actor_options": actor_options,
        }
        super().__init__(
            scheduler={"cls": RayScheduler, "options": dict(scheduler_options or {})},
            worker={"cls": RayWorker, "options": options},
            name=name,
            asynchronous=asynchronous,
            security=security,
        )

    def _new_worker_name(self, worker_number: int) -> str:
        return f"{self.name}-worker-{worker_number}"


def _is_size(limit: Any) -> bool:
    return bool(limit) and limit != "auto" and isinstance(limit, (int, str))


def _enter(address: str | None) -> None:
    """Sees to it that this process is a part of the Ray cluster."""
    try:
        import ray
    except ImportError:
        raise ImportError("RayCluster needs Ray: `pip install ray`") from None
    if ray.is_initialized():
        if address is not None:
            raise ValueError(f"address is {address!r}, and this process is in a Ray cluster already")
    elif address is None:
        raise RuntimeError("this process is in no Ray cluster: call ray.init(), or say where one is (address=)")
    else:
        ray.init(address=address, log_to_driver=False)


def _processors() -> list[int]:
    """The processors of each host."""
    import ray

    nodes = ray.nodes()  # type: ignore[no-untyped-call]
    each = [int(node["Resources"].get("CPU", 0)) for node in nodes if node["Alive"]]
    return [count for count in each if count] or [1]
