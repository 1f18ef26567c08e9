"""What all clusters have in common: a scheduler somewhere, and a number of workers that can be changed."""

from __future__ import annotations

import contextlib
import datetime
import inspect
import itertools
import os
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable, Generator, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from raskt.distributed import _arguments, _usual
from raskt.distributed._clusters import _decision, _loop
from raskt.distributed._clusters._contact import Contact, log_of_scheduler, logs_of_workers
from raskt.distributed._clusters._decision import Load
from raskt.distributed._clusters._load import Asks, load_of
from raskt.distributed._clusters._logs import Lines, Log, Logs
from raskt.distributed._clusters._page import page
from raskt.distributed._clusters._status import Status
from raskt.distributed._durations import seconds
from raskt.distributed._security import Security

if TYPE_CHECKING:
    from raskt.distributed._client import Client
    from raskt.distributed._clusters._adaptive import Adaptive

T = TypeVar("T")

_numbers: defaultdict[str, Iterator[int]] = defaultdict(itertools.count)
"""How many clusters of a kind have had no name."""


class Cluster:
    """The class that all clusters derive from.

    A subclass has at least `scheduler_address`, `security` where there is something to prove, and `scale`; or it sets
    ``_supports_scaling = False``. For that it has logs, adaptivity, clients, a representation in notebooks, and
    contexts. Whoever starts workers one by one derives from `SpecCluster`.

    Parameters
    ----------
    asynchronous : bool, default False
        Whether what waits gives something to be awaited. Such a cluster is started by ``await`` or ``async with``.
    loop : None
        Clusters have a loop of their own; no other is taken.
    quiet : bool, default False
        Whether what the cluster notes is kept for `get_logs` only, and not printed.
    name : str, optional
        What it is called.
    scheduler_sync_interval : float or str, default 1
        How old what is known of the scheduler may be, at most. It is asked each time, so it is never older.

    Examples
    --------
    >>> from raskt.distributed import Cluster
    >>> class Hired(Cluster):
    ...     scheduler_address = "tcp://127.0.0.1:8786"
    ...     def scale(self, n):
    ...         print(f"there are to be {n} workers")
    >>> Hired(name="mine").scale(3)
    there are to be 3 workers
    """

    _supports_scaling = True

    _writes_here = False
    """Whether its workers write where this process does, so that clients need not show what tasks print."""

    security: Security | None = None
    """By what clients are known to its scheduler."""

    def __init__(
        self,
        asynchronous: bool = False,
        loop: Any = None,
        quiet: bool = False,
        name: str | None = None,
        scheduler_sync_interval: float | str = 1,
    ) -> None:
        if loop is not None:
            raise NotImplementedError(
                "clusters have a loop of their own (`loop`), and run on no other: leave out loop="
            )
        if name is not None and not isinstance(name, str):
            raise TypeError(f"name is {name!r}; a cluster is called by a text. Numbers of workers are n_workers=")
        if name is not None and "\0" in name:
            raise ValueError(f"name is {name!r}; it has to be a text without zeros")
        kind = type(self).__name__
        self._name = name or f"{kind}-{next(_numbers[kind])}"
        self.status = Status.created
        self.quiet = quiet
        self._sync_interval = _arguments.span("scheduler_sync_interval", scheduler_sync_interval)
        self._asynchronous = asynchronous
        self._adaptive: Adaptive | None = None
        self._adapting = threading.RLock()
        """Is held by who changes what decides; what that does as it is stopped may be to change it again."""
        self._contact = Contact()
        self._notes = Lines()
        self._process = os.getpid()
        self._closing_seconds: float | None = None
        _usual.note(self)

    # --- what is where --------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """What it is called."""
        return self._name

    @property
    def scheduler_address(self) -> str:
        """Where the scheduler listens."""
        raise RuntimeError(f"the cluster {self.name!r} has no scheduler (it is {self.status.name})")

    @property
    def dashboard_link(self) -> str:
        """Where its dashboard is; nowhere, since there is none."""
        return ""

    @property
    def asynchronous(self) -> bool:
        """Whether what waits gives something to be awaited."""
        return self._asynchronous or _loop.is_here()

    @property
    def loop(self) -> Any:
        """The asyncio loop on which the clusters of this process live."""
        return _loop.loop()

    @property
    def called_from_running_loop(self) -> bool:
        """Whether who asks runs on that loop, and must not wait."""
        return _loop.is_here()

    @property
    def is_closed(self) -> bool:
        """Whether it was closed."""
        return self.status in (Status.closed, Status.failed)

    @property
    def _has_scheduler(self) -> bool:
        """Whether there is somebody to be asked."""
        try:
            return not self.is_closed and bool(self.scheduler_address)
        except RuntimeError:
            return False

    def _is_at(self, address: str) -> bool:
        # A class of somebody else may not be ready yet, or may break down.
        with contextlib.suppress(Exception):
            return self._has_scheduler and self.scheduler_address == address
        return False

    @property
    def scheduler_info(self) -> dict[str, Any]:
        """What the scheduler knows of itself and all workers."""
        if not self._has_scheduler:
            return {"type": "Scheduler", "n_workers": 0, "workers": {}}
        return self._client().scheduler_info(n_workers=-1)

    @property
    def observed(self) -> set[Any]:
        """The names of workers that have reached the scheduler."""
        return {about["name"] for about in self.scheduler_info["workers"].values()}

    @property
    def requested(self) -> set[Any]:
        """The names of workers that were asked for."""
        return self.observed

    @property
    def plan(self) -> set[Any]:
        """The names of workers that there are to be."""
        return self.requested

    @classmethod
    def from_name(cls, name: str) -> Cluster:
        """The cluster of that name that is there already, for those that outlive who made them."""
        raise NotImplementedError(
            f"a {cls.__name__} isn't found by its name; Client(scheduler_file=...) finds a scheduler"
        )

    # --- changing it ----------------------------------------------------------------------------------------------

    def scale(self, n: int) -> Any:
        """Starts or ends workers until there are `n`."""
        raise NotImplementedError(f"{type(self).__name__} has no scale(): the number of its workers is fixed")

    def scale_up(self, n: int) -> Any:
        """Starts workers until there are `n`."""
        return self.scale(n)

    def scale_down(self, workers: Any) -> Any:
        """Ends the workers of these names."""
        raise NotImplementedError(f"{type(self).__name__} has no scale_down(): it can't end workers by name")

    def adapt(self, Adaptive: Any = None, **kwargs: Any) -> Any:
        """Has the number of workers follow what there is to be done.

        Parameters
        ----------
        Adaptive : type, optional
            What decides; `raskt.distributed.Adaptive` unless this is another.
        **kwargs
            What it takes: ``minimum``, ``maximum``, ``interval``, ``wait_count``, ``target_duration``, ``worker_key``.

        Returns
        -------
        Adaptive
            What decides from now on, in the place of what did so far.

        Raises
        ------
        RuntimeError
            If the cluster is closed, or another process's.
        """
        from raskt.distributed._clusters import _adaptive

        if not self._supports_scaling:
            raise NotImplementedError(f"{type(self).__name__} can't adapt: the number of its workers is fixed")
        if Adaptive is not None and not callable(Adaptive):
            raise TypeError(f"Adaptive is {Adaptive!r}; it has to be a class like raskt.distributed.Adaptive")
        self._check_open()
        if _decision.is_over() and self._adaptive is not None:
            # What calls was stopped meanwhile, and somebody else has said what decides.
            return self._adaptive
        decides = (Adaptive or _adaptive.Adaptive)(self, **kwargs)
        with self._adapting:
            if self._adaptive is not None:
                self._adaptive.stop(reason="another takes its place")
            self._adaptive = decides
        return decides

    def _end_adapting(self, reason: str) -> None:
        # What decides may call what users call. Looked at before it is seen whether that is over: whoever has taken its
        # place has stopped it first.
        deciding = self._adaptive
        if deciding is not None and not _decision.is_over() and _decision.decides.get() is not deciding:
            deciding.stop(reason=reason)

    def _check_open(self) -> None:
        if self._process != os.getpid():
            raise RuntimeError(
                f"this process was forked from process {self._process}, whose cluster {self.name!r} is: workers are "
                "started and ended there"
            )
        if self.status in (Status.closing, Status.closed, Status.failed):
            raise RuntimeError(f"the cluster {self.name!r} is closed")

    def _load(self) -> Load:
        """What there is to be done, and who does it, by the names that the plan has. This waits."""
        return load_of(cast(Asks, self._client()._raskt_cluster_client))

    def _heed_ended(self) -> None:
        """Workers that have ended for good, which the cluster hasn't asked for, are none of its own any more."""

    def _entry_of(self, worker: Any) -> Any:
        """What a worker comes and goes with: all workers of one entry."""
        return worker

    # --- looking at it --------------------------------------------------------------------------------------------

    def get_client(self) -> Client:
        """The current client, if it is one of this cluster; else a new one."""
        from raskt.distributed import _current
        from raskt.distributed._client import Client

        current = _current.current()
        return current if current is not None and current.cluster is self else Client(self)

    def wait_for_workers(self, n_workers: int, timeout: float | str | None = None) -> Any:
        """Waits until so many workers have reached the scheduler.

        Raises
        ------
        TimeoutError
            If there aren't after `timeout` seconds.
        RuntimeError
            If workers of the cluster end before they are there, again and again; it says of what.
        """
        n_workers = _arguments.count("n_workers", n_workers, 1)
        timeout = None if timeout is None else _arguments.span("timeout", timeout)
        return self.sync(self._wait_for_workers, n_workers, timeout)

    async def _wait_for_workers(self, n_workers: int, timeout: float | None) -> None:
        await self._ask("wait_for_workers", n_workers, timeout=timeout)

    def get_logs(self, cluster: bool = True, scheduler: bool = True, workers: Any = True) -> Any:
        """What the cluster and its processes have said of late, by their names.

        Parameters
        ----------
        cluster, scheduler : bool
            Whether to give what the cluster notes, and what the scheduler says.
        workers : bool or list of names
            Which workers' lines to give.
        """
        return self.sync(self._get_logs, cluster, scheduler, workers)

    def logs(self, *args: Any, **kwargs: Any) -> Any:
        """The same as `get_logs`."""
        return self.get_logs(*args, **kwargs)

    async def _get_logs(self, cluster: bool, scheduler: bool, workers: Any) -> Logs:
        logs = Logs()
        if cluster:
            logs["Cluster"] = self._notes.log()
        if scheduler and (log := await self._log_of_scheduler()) is not None:
            logs["Scheduler"] = log
        if workers:
            logs.update(await self._logs_of_workers(None if workers is True else list(workers)))
        return logs

    async def _log_of_scheduler(self) -> Log | None:
        """What the scheduler says, if it can be asked."""
        return await self._asked(log_of_scheduler)

    async def _logs_of_workers(self, names: list[Any] | None) -> dict[str, Log]:
        """What workers say, if they can be asked."""
        logs = await self._asked(logs_of_workers) or {}
        wanted = None if names is None else set(map(str, names))
        return {name: log for name, log in logs.items() if wanted is None or name in wanted}

    async def _asked(self, question: Callable[[Any], T]) -> T | None:
        if not self._has_scheduler:
            return None
        return await _loop.blocking(lambda: question(self._client()))

    def _log(self, note: str) -> None:
        """Notes something for whoever asks for logs."""
        self._notes.add(f"{datetime.datetime.now().isoformat(timespec='seconds')} {note}")
        if not self.quiet:
            print(f"raskt: {note}")

    # --- its life -------------------------------------------------------------------------------------------------

    def sync(
        self,
        func: Callable[..., Any],
        *args: Any,
        asynchronous: bool | None = None,
        callback_timeout: float | str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Calls a function on the loop of clusters, and waits for what it gives; or gives something to be awaited, if
        the cluster is asynchronous."""
        called = _called(func, *args, **kwargs)
        if self.asynchronous if asynchronous is None else asynchronous:
            return _loop.Begun(called)
        return _loop.run(called, None if callback_timeout is None else seconds(callback_timeout))

    def close(self, timeout: float | str | None = None) -> Any:
        """Ends it. What runs has `timeout` seconds to end."""
        if self._process != os.getpid():
            # A fork: it is the parent's.
            return None
        self._closing_seconds = None if timeout is None else _arguments.span("timeout", timeout)
        return self.sync(self._close)

    async def _start(self) -> None:
        self.status = Status.running

    async def _close(self) -> None:
        if self._adaptive is not None:
            self._adaptive.stop(reason="the cluster is closed")
        await _loop.blocking(self._contact.close)
        self.status = Status.closed

    def _client(self) -> Client:
        """A client of the cluster's own. This waits."""
        return self._contact.client(self.scheduler_address, self.security)

    async def _ask(self, question: str, *args: Any, **kwargs: Any) -> Any:
        """What a method of that client gives."""
        return await _loop.blocking(lambda: getattr(self._client(), question)(*args, **kwargs))

    def __enter__(self) -> Any:
        if self._asynchronous:
            raise TypeError("this cluster is asynchronous: use `async with`")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __await__(self) -> Generator[Any, None, Any]:
        return self._opened().__await__()

    async def _opened(self) -> Any:
        await _loop.Begun(self._start())
        return self

    async def __aenter__(self) -> Any:
        return await self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.sync(self.close, asynchronous=True)

    def __repr__(self) -> str:
        if not self._has_scheduler:
            return f"<{type(self).__name__} {self.name!r}, {self.status.name}>"
        return f"<{type(self).__name__} {self.name!r} at {self.scheduler_address}, {len(self.requested)} workers>"

    def _repr_html_(self, cluster_status: str | None = None) -> str:
        return page(self, cluster_status)


async def _called(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    result: Awaitable[Any] | Any = func(*args, **kwargs)
    return await result if inspect.isawaitable(result) else result
