"""A cluster on this machine: a scheduler in this process, workers in processes of their own."""

from __future__ import annotations

import logging
from typing import Any

from raskt.distributed import _arguments, _sizes
from raskt.distributed._clusters import _options, _places
from raskt.distributed._clusters._process import ProcessInterface
from raskt.distributed._clusters._spec import SpecCluster
from raskt.distributed._security import Security

OF_COMMANDS = ("resources", "lifetime", "lifetime_stagger", "lifetime_restart", "death_timeout")
"""What the command `raskt worker` honours: workers with such options are processes of it."""


STARTING_SECONDS = 10.0
"""How long it is waited for the first workers; those that take longer come when they come."""


class LocalCluster(SpecCluster):
    """A scheduler and workers on this machine: all are there when it is, unless they take more than ten seconds.

    Nothing of it can be reached from other machines unless `host` says so, and within this one only by whoever may read
    the token, a file of this user.

    Parameters
    ----------
    name : str, optional
        What the cluster is called.
    n_workers : int, optional
        Workers. Default: so many that they and their threads use all processors.
    threads_per_worker : int, optional
        Threads of each, and of numerical libraries there; a query of frames, which is one task, uses all processors.
    processes : bool, default True
        Whether each worker is a process. If not, all are in this one and share its interpreter, which is enough for
        native work and for functions that leave the interpreter alone. Threads can't be ended: ``memory_limit`` then
        bounds what results take, and not what tasks take.
    loop, start : None
        Clusters have a loop of their own, on which they start.
    host : str, optional
        Where the scheduler listens. Beyond this host (``"0.0.0.0"``) all speak by TLS, with certificates of the
        cluster's own: ``cluster.security`` names those of clients.
    ip : str, optional
        The same.
    scheduler_port : int, default 0
        The scheduler's port; 0 for any that is free.
    silence_logs : int or bool, default logging.WARN
        The level of `logging` up to which nothing is printed: above ``logging.WARN``, deaths of workers aren't.
    dashboard_address, worker_dashboard_address, services, worker_services, service_kwargs, blocked_handlers : None
        There is no dashboard and are no services.
    asynchronous : bool, default False
        Whether it is started by ``await``, and what waits gives something to be awaited.
    security : Security or bool, optional
        By what its processes know each other. Default: a token of its own; True for certificates.
    protocol : str, optional
        "tcp" within this host, or "tls".
    interface : str, optional
        The network interface at whose address the scheduler listens.
    worker_class : type or str, optional
        What workers are: `Nanny`, `Worker`, or a class like `ProcessInterface`.
    scheduler_kwargs : dict, optional
        More arguments of `Scheduler`.
    scheduler_sync_interval : float or str, default 1
        As for `Cluster`.
    **worker_kwargs
        Arguments of each worker. ``memory_limit``: bytes that it may take, a text such as "4 GiB", a fraction of the
        machine, None or 0 for no limit, or "auto" for a share of what raskt may take. Results beyond it go to the disk;
        a worker process that takes more all the same (for some seconds, or at once if it is much more) is ended and
        started anew, and a task to which that happens again and again fails with `KilledWorker`, which says so. Nobody
        is ended below 128 MiB, which an interpreter takes by itself. ``local_directory``: where
        results lie that don't fit into memory. ``preload``: modules that are run before. ``env``: variables of its
        environment. With ``resources``, ``lifetime``, ``lifetime_stagger``, ``lifetime_restart`` or ``death_timeout``,
        workers are processes of the command `raskt worker`.

    Raises
    ------
    FileNotFoundError
        If a file that is to be run first isn't there.
    RuntimeError
        If workers end before they are there, three times or until ten seconds have passed; it says of what.

    Examples
    --------
    >>> from raskt.distributed import Client, LocalCluster
    >>> import raskt.array as ra
    >>> with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster):
    ...     ra.arange(10, chunks=5).sum().compute()
    np.int64(45)
    """

    _writes_here = True

    def __init__(
        self,
        name: str | None = None,
        n_workers: int | None = None,
        threads_per_worker: int | None = None,
        processes: bool | None = None,
        loop: Any = None,
        start: Any = None,
        host: str | None = None,
        ip: str | None = None,
        scheduler_port: int = 0,
        silence_logs: int | bool = logging.WARN,
        dashboard_address: Any = None,
        worker_dashboard_address: Any = None,
        services: Any = None,
        worker_services: Any = None,
        service_kwargs: Any = None,
        asynchronous: bool = False,
        security: Security | bool | None = None,
        protocol: str | None = None,
        blocked_handlers: Any = None,
        interface: str | None = None,
        worker_class: Any = None,
        scheduler_kwargs: dict[str, Any] | None = None,
        scheduler_sync_interval: float | str = 1,
        **worker_kwargs: Any,
    ) -> None:
        _options.refuse(
            "LocalCluster",
            {
                "start": start,
                "dashboard_address": dashboard_address,
                "worker_dashboard_address": worker_dashboard_address,
                "services": services,
                "worker_services": worker_services,
                "service_kwargs": service_kwargs,
                "blocked_handlers": blocked_handlers,
            },
        )
        workers, self._threads = _options.shares(n_workers, threads_per_worker)
        if worker_class is not None and not (callable(worker_class) or isinstance(worker_class, str)):
            raise TypeError(
                f"worker_class is {worker_class!r}; it has to be a class like ProcessInterface, or its name"
            )
        self._processes = processes is None or _arguments.flag("processes", processes)
        scheduler_kwargs = _arguments.mapping("scheduler_kwargs", scheduler_kwargs)
        host = next((_arguments.text(name, at) for name, at in (("host", host), ("ip", ip)) if at is not None), None)
        where = _places.of_interface(interface) if interface is not None else host
        has_certificates = security is True or (isinstance(security, Security) and security.tls_ca_file is not None)
        protocol = "tls" if has_certificates and protocol is None else _places.protocol_of(protocol, where)
        self._is_tls = protocol == "tls"
        scheduler = {
            "host": host,
            "interface": interface,
            "port": _arguments.port("scheduler_port", scheduler_port),
            "protocol": protocol,
        }
        if worker_class is None and "preload" in worker_kwargs:
            worker_kwargs["preload"] = _options.modules_here(worker_kwargs["preload"])
        options = {
            "nthreads": self._threads,
            **worker_kwargs,
            "memory_limit": _sizes.memory_share(worker_kwargs.get("memory_limit", "auto"), workers),
        }
        self._first_workers = workers
        super().__init__(
            scheduler={"cls": "raskt.distributed.Scheduler", "options": {**scheduler, **scheduler_kwargs}},
            worker={"cls": self._kind(worker_kwargs) if worker_class is None else worker_class, "options": options},
            asynchronous=asynchronous,
            loop=loop,
            security=security,
            silence_logs=silence_logs,
            name=name,
            scheduler_sync_interval=scheduler_sync_interval,
        )

    def _kind(self, options: dict[str, Any]) -> str:
        if not self._processes:
            return "raskt.distributed.Worker"
        if any(options.get(name) is not None for name in OF_COMMANDS):
            return "raskt.distributed._clusters._subprocess.SubprocessWorker"
        return "raskt.distributed.Nanny"

    async def _start(self) -> None:
        await super()._start()
        # Whoever has something done by all workers right away means all that were asked for.
        if not self._first_workers:
            return
        try:
            await self._wait_for_workers(self._first_workers, STARTING_SECONDS)
        except TimeoutError:
            # They may come yet.
            pass
        except BaseException:
            await self._give_up()
            raise

    def _new_worker_name(self, worker_number: int) -> str:
        return f"{self.name}-worker-{worker_number}"

    def start_worker(self, **options: Any) -> Any:
        """Starts one more worker, with these arguments in the place of those that others have."""
        return self.sync(self._start_worker, options)

    async def _start_worker(self, options: dict[str, Any]) -> ProcessInterface:
        self._check_open()
        [(name, spec)] = self.new_worker_spec().items()
        self.worker_spec[name] = {**spec, "options": {**spec["options"], **options}}
        await self._correct_state()
        return self.workers[name]

    def __repr__(self) -> str:
        if not self._has_scheduler:
            return f"<LocalCluster {self.name!r}, {self.status.name}>"
        sort = "processes" if self._processes else "in this process"
        workers = f"{self.size} workers ({sort}) of {self._threads} threads"
        return f"<LocalCluster {self.name!r} at {self.scheduler_address}, {workers}>"
