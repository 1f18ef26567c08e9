"""A scheduler and workers within this process."""

from __future__ import annotations

import asyncio
from typing import Any

from raskt import _core
from raskt._cli import preload as run_module
from raskt.distributed import _this_worker
from raskt.distributed._addresses import let_near, nearest
from raskt.distributed._clusters import _loop, _options, _places
from raskt.distributed._clusters._keys import Keys
from raskt.distributed._clusters._process import ProcessInterface
from raskt.distributed._clusters._worker import CLOSING_SECONDS, GLANCE_SECONDS, LocalWorker, scheduler_of
from raskt.distributed._folders import Folder
from raskt.distributed._security import Security


class Scheduler(ProcessInterface):
    """A scheduler whose threads are this process's.

    Parameters
    ----------
    host, interface : str, optional
        Where it listens: a name or number of this host, or a network interface. Default: within this host.
    port : int, default 0
        The port; 0 for any that is free.
    protocol : str, optional
        "tcp" within this host, or "tls".
    security : Security, optional
        By what others know it. Default: a token of its own, which ``security`` names then.
    preload : str or list of str
        Modules or files that are run before.
    **options
        What schedulers of `dask.distributed` have beside; it is refused.

    Examples
    --------
    >>> import asyncio
    >>> from raskt.distributed import Scheduler
    >>> async def main():
    ...     async with Scheduler() as scheduler:
    ...         return scheduler.address.startswith("tcp://127.0.0.1:"), scheduler.status.name
    >>> asyncio.run(main())
    (True, 'running')
    """

    def __init__(
        self,
        *,
        host: str | None = None,
        port: int = 0,
        protocol: str | None = None,
        interface: str | None = None,
        security: Security | None = None,
        preload: Any = None,
        **options: Any,
    ) -> None:
        _options.refuse("a scheduler in this process", options)
        super().__init__()
        if host is not None and interface is not None:
            raise TypeError("a scheduler has a host or an interface, and not both")
        host = _places.of_interface(interface) if interface is not None else host or _places.LOOPBACK[0]
        self._listen = _places.address_of(_places.protocol_of(protocol, host), host, port)
        self._keys = None if security is not None else Keys(is_tls=self._listen.startswith("tls://"))
        self.security = security or (self._keys and self._keys.security("client"))
        own = security or (self._keys and self._keys.security("scheduler"))
        self._credentials = own.credentials() if own else {}
        self._preload = _options.modules_here(preload)
        self._server: _core.ClusterScheduler | None = None
        self._folder: Folder | None = None
        """Of the folder of the socket at which this host's processes come."""

    async def start(self) -> None:
        """Listens."""
        for module in self._preload:
            run_module(module)
        near = self._near()
        also = [] if near is None else [near]
        self._server = await _loop.blocking(
            _core.ClusterScheduler, self._listen, self._credentials, also, undo=lambda server: server.shut_down(0.0)
        )
        self.address = _places.reachable(self._server.address)
        let_near(self.address, near)
        await super().start()

    def _near(self) -> str | None:
        """A socket in the file system, beside the port: it is faster, and tells at once when a process ends."""
        if not self._listen.startswith("tcp://"):
            return None
        self._folder = Folder()
        return f"unix://{self._folder.path}/scheduler"

    async def close(self, timeout: float | None = None) -> None:
        """Tells workers to leave; what was said has `timeout` seconds to arrive."""
        server, self._server = self._server, None
        let_near(self.address or "", None)
        if server is not None:
            await _loop.blocking(server.shut_down, CLOSING_SECONDS if timeout is None else timeout)
        if self._keys is not None:
            self._keys.close()
        if self._folder is not None:
            self._folder.remove()
        await super().close()

    def end_now(self) -> None:
        """Tells workers to leave."""
        if self._server is not None:
            self._server.shut_down(0.0)


class Worker(LocalWorker):
    """A worker whose threads are this process's. It shares the interpreter with it: `Nanny` has a process of its own.

    Parameters
    ----------
    scheduler_ip : str
        Where the scheduler is: an address, or a host beside `scheduler_port`.
    scheduler_port : int, optional
        Its port.
    nthreads : int, optional
        Threads; as many as there are processors unless this says otherwise.
    name : str, optional
        What it is called.
    memory_limit : "auto", int, float, str or None
        Bytes that its results may take, as for `LocalCluster`. A task that takes more can't be ended: it is a thread of
        this process.
    security : Security, optional
        By what others know it.
    preload : str or list of str
        Modules or files that are run before.
    **options
        What workers of `dask.distributed` have beside; it is refused.

    Examples
    --------
    >>> import asyncio
    >>> from raskt.distributed import Client, Scheduler, Worker
    >>> async def main():
    ...     async with Scheduler() as scheduler:
    ...         async with Worker(scheduler.address, nthreads=1, security=scheduler.security):
    ...             async with Client(scheduler.address, security=scheduler.security, asynchronous=True) as client:
    ...                 return await client.submit(abs, -1)
    >>> asyncio.run(main())
    1
    """

    _kind = "a worker in this process"

    def __init__(
        self,
        scheduler_ip: str | None = None,
        scheduler_port: int | None = None,
        *,
        nthreads: int | None = None,
        name: Any = None,
        memory_limit: Any = "auto",
        security: Security | None = None,
        preload: Any = None,
        keys: Keys | None = None,
        **options: Any,
    ) -> None:
        scheduler = scheduler_of(scheduler_ip, scheduler_port)
        super().__init__(scheduler, name, nthreads, memory_limit, preload, security, keys, options)
        self.memory_limit = self.memory_limit or int(_core.memory_report()["limit"])
        self._server: _core.ClusterWorker | None = None

    async def start(self) -> None:
        """Begins to look for the scheduler."""
        for module in self._preload:
            run_module(module)
        scheduler, listen = self._settle()
        _this_worker.credentials_of_tasks[nearest(scheduler)] = self._keys.of_tasks()
        self._server = await _loop.blocking(
            _core.ClusterWorker,
            nearest(scheduler),
            listen,
            self._credentials,
            name=str(self.name),
            threads=self.nthreads,
            memory_limit=self.memory_limit,
            undo=lambda server: server.shut_down(0.0),
        )
        await super().start()

    async def close(self, timeout: float | None = None) -> None:
        """Leaves; what runs has `timeout` seconds to end."""
        server, self._server = self._server, None
        if server is not None:
            await _loop.blocking(server.shut_down, CLOSING_SECONDS if timeout is None else timeout)
        await super().close()

    async def finished(self) -> None:
        """Waits until it has left, or the scheduler has ended it."""
        while self._server is not None and self._server.wait(0.0) is None:
            await asyncio.sleep(GLANCE_SECONDS)

    def _is_over(self) -> bool:
        return super()._is_over() or (self._server is not None and self._server.wait(0.0) is not None)

    def end_now(self) -> None:
        """Leaves at once."""
        if self._server is not None:
            self._server.shut_down(0.0)
