"""Clusters whose scheduler and workers are processes of the command `raskt` on this host."""

from __future__ import annotations

import logging
from typing import Any

from raskt.distributed import _arguments, _sizes
from raskt.distributed._clusters import _options, _places
from raskt.distributed._clusters._command import CommandProcess
from raskt.distributed._clusters._command_line import arguments, log_level, security_arguments
from raskt.distributed._clusters._keys import Keys
from raskt.distributed._clusters._spec import SpecCluster

NANNY, WORKER = "raskt.distributed.Nanny", "raskt.distributed.Worker"


class SubprocessScheduler(CommandProcess):
    """`raskt scheduler` as a process of this host."""

    _command = "scheduler"

    def __init__(
        self, scheduler_kwargs: dict[str, Any] | None = None, *, keys: Keys, silence_logs: int | bool | None = None
    ) -> None:
        options = _arguments_here("scheduler", {"port": 0, **(scheduler_kwargs or {})})
        known = security_arguments(keys.security("scheduler"))
        super().__init__(None, "scheduler", [log_level(silence_logs), *options, *known])


class SubprocessWorker(CommandProcess):
    """`raskt worker` as a process of this host, with a nanny of its own."""

    def __init__(
        self,
        scheduler: str,
        name: Any = None,
        worker_class: Any = NANNY,
        *,
        keys: Keys,
        silence_logs: int | bool | None = None,
        env: dict[str, str] | None = None,
        **options: Any,
    ) -> None:
        _options.refuse("`raskt worker`", {"env": env})
        own = _arguments_here("worker", {"name": str(name), **options})
        known = security_arguments(keys.security("worker"))
        super().__init__(scheduler, name, [log_level(silence_logs), *own, *known, *nanny_of(worker_class)])


def check(scheduler: dict[str, Any], worker: dict[str, Any], worker_class: Any) -> None:
    """Refuses options that processes wouldn't take, before there are any."""
    arguments("scheduler", scheduler)
    arguments("worker", worker)
    nanny_of(worker_class)


def _arguments_here(command: str, options: dict[str, Any]) -> list[str]:
    """Options as arguments of a command on this host: what they name has to be there."""
    if "preload" in options:
        options = {**options, "preload": _options.modules_here(options["preload"])}
    return arguments(command, options)


def nanny_of(worker_class: Any) -> list[str]:
    """Whether a worker has a nanny, as `worker_class=` says it."""
    called = f"raskt.distributed.{worker_class.__name__}" if isinstance(worker_class, type) else worker_class
    if called not in (NANNY, WORKER):
        raise NotImplementedError(
            f"worker_class is {worker_class!r}; processes of `raskt worker` are {NANNY!r} or {WORKER!r}"
        )
    return [] if called == NANNY else ["--no-nanny"]


def SubprocessCluster(
    host: str | None = None,
    scheduler_port: int = 0,
    scheduler_kwargs: dict[str, Any] | None = None,
    dashboard_address: Any = None,
    worker_class: Any = NANNY,
    n_workers: int | None = None,
    threads_per_worker: int | None = None,
    worker_kwargs: dict[str, Any] | None = None,
    silence_logs: int | bool = logging.WARN,
    **kwargs: Any,
) -> SpecCluster:
    """A cluster whose scheduler and workers are processes of this host, each of the command `raskt`.

    Parameters
    ----------
    host : str, optional
        Where the scheduler listens. Beyond this host all speak by TLS.
    scheduler_port : int, default 0
        The scheduler's port; 0 for any that is free.
    scheduler_kwargs : dict, optional
        Options of `raskt scheduler`, such as ``{"idle_timeout": "1 h"}``.
    dashboard_address : None
        There is no dashboard.
    worker_class : str or type
        Whether workers have a nanny ("raskt.distributed.Nanny") or not ("raskt.distributed.Worker").
    n_workers, threads_per_worker : int, optional
        Workers, and threads of each. Default: so many that all processors are used.
    worker_kwargs : dict, optional
        Options of `raskt worker`, such as ``{"resources": {"GPU": 1}, "lifetime": "1 h"}``.
    silence_logs : int or bool, default logging.WARN
        The level of `logging` from which on processes log.
    **kwargs
        Arguments of `SpecCluster`.

    Returns
    -------
    SpecCluster

    Examples
    --------
    >>> from raskt.distributed import Client, SubprocessCluster
    >>> with SubprocessCluster(n_workers=1, threads_per_worker=1) as cluster, Client(cluster) as client:
    ...     client.submit(sum, [1, 2]).result()
    3
    """
    _options.refuse("SubprocessCluster", {"dashboard_address": dashboard_address})
    workers, threads = _options.shares(n_workers, threads_per_worker)
    port = _arguments.port("scheduler_port", scheduler_port)
    scheduler = {"host": host, "port": port, **_arguments.mapping("scheduler_kwargs", scheduler_kwargs)}
    where = scheduler["host"] or (_places.of_interface(scheduler["interface"]) if "interface" in scheduler else None)
    is_tls = _places.protocol_of(scheduler.get("protocol"), where) == "tls"
    options = {"nthreads": threads, **_arguments.mapping("worker_kwargs", worker_kwargs)}
    options["memory_limit"] = _sizes.memory_share(options.get("memory_limit", "auto"), workers)
    check(scheduler, options, worker_class)
    for each in (scheduler, options):
        _options.modules_here(each.get("preload"))
    if options.get("local_directory") is not None:
        _arguments.folder("local_directory", options["local_directory"])
    worker = {"cls": SubprocessWorker, "options": {"worker_class": worker_class, **options}}
    return SpecCluster(
        workers=dict.fromkeys(range(workers), worker),
        scheduler={"cls": SubprocessScheduler, "options": {"scheduler_kwargs": scheduler}},
        worker=worker,
        silence_logs=silence_logs,
        **{"name": "SubprocessCluster", "security": True if is_tls else None, **kwargs},
    )
