"""Clients: the door to a cluster."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import inspect
import itertools
import os
import weakref
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Literal

import raskt
from raskt import _core
from raskt.distributed import _arguments, _current, _left_behind, _plugged, _waiting, _words
from raskt.distributed._addresses import checked, listening, nearest, read_scheduler_file
from raskt.distributed._calls import Calls
from raskt.distributed._clusters import Cluster, LocalCluster, _loop
from raskt.distributed._durations import seconds
from raskt.distributed._folders import Folder
from raskt.distributed._nested import as_container, futures_asked
from raskt.distributed._orders import Orders
from raskt.distributed._plugins import Plugins
from raskt.distributed._questions import Questions
from raskt.distributed._security import Security
from raskt.distributed._sharing import Sharing
from raskt.distributed._threads import in_thread, running_loop
from raskt.distributed._usual import Found, missing, security_at

TIMEOUT_SECONDS = 30.0
"""How long a client waits for its scheduler, if nobody says otherwise."""

CLOSING_SECONDS = 0.2
"""How long what was said has to arrive when a client is closed."""


class Client(Calls, Questions, Orders, Plugins, Sharing):
    """A client of a cluster. As long as it is there, everything that raskt computes is computed on it.

    Parameters
    ----------
    address : str or Cluster, optional
        Where the scheduler is (``tcp://host:port``, ``tls://…``, ``unix:///path``), or a cluster of this process.
        Default: a `LocalCluster`, which ends with the client.
    timeout : float or str, default 30
        Seconds that are waited for the scheduler, or a text such as "10s".
    set_as_default : bool, default True
        Whether computations that name no scheduler run on it.
    scheduler_file : path, optional
        The file of a running scheduler, which says where it is and by what token it knows others. At ``tcp://`` that
        token is for the scheduler which listens there itself: where the port is forwarded, name it in a `Security`.
    security : Security, optional
        By what the cluster knows this process. Default: what a cluster of this process has whose address that is;
        within a host else the token of this user's schedulers (``~/.config/raskt/token``). That one is for a scheduler
        which listens at `address` itself: where the port is forwarded (``ssh -L``), name the file in a `Security`.
    asynchronous : bool, default False
        Whether what waits gives something to be awaited: all methods that ask the cluster for something, such as
        `gather`, `run` and `close`, and those of futures, such as `result`.
    name : str, optional
        What the client is called.
    **cluster_kwargs
        Arguments of `LocalCluster`, where there is no address.

    Raises
    ------
    ValueError
        If the address is none, or an argument isn't what it has to be.
    ConnectionError
        If there is no scheduler, or nothing by which it knows this process.

    Notes
    -----
    A client that is everybody's default stays until it is closed; another one that nobody keeps ends with the last of
    its results.

    Examples
    --------
    >>> from raskt.distributed import Client
    >>> import raskt.array as ra
    >>> with Client(n_workers=2, threads_per_worker=1) as client:
    ...     ra.ones(10, chunks=5).sum().compute()
    ...     client.submit(pow, 2, 10).result()
    np.float64(10.0)
    1024
    """

    _numbers = itertools.count()

    _finalizer: weakref.finalize[..., Any]
    """Ends it."""

    def __init__(
        self,
        address: str | Cluster | None = None,
        timeout: float | str = TIMEOUT_SECONDS,
        set_as_default: bool = True,
        *,
        scheduler_file: str | os.PathLike[str] | None = None,
        security: Security | None = None,
        asynchronous: bool = False,
        name: str | None = None,
        **cluster_kwargs: Any,
    ) -> None:
        _plugged.asks()
        self.name = _arguments.text("name", name) if name else f"Client-{os.getpid()}-{next(self._numbers)}"
        self._is_asynchronous = asynchronous
        self._loop = running_loop()
        patience = _arguments.span("timeout", timeout)
        if address is not None and not isinstance(address, (str, Cluster)):
            raise TypeError(f"address is {address!r}; it is a text such as 'tcp://host:8786', or a cluster")
        address = checked("address", address) if isinstance(address, str) else address
        if security is not None and not isinstance(security, Security):
            raise TypeError(f"security is {security!r}; it is a raskt.distributed.Security")
        own: LocalCluster | None = None
        if scheduler_file is not None:
            if address is not None:
                raise TypeError("a client has an address or a scheduler_file, and not both")
            address, known = read_scheduler_file(scheduler_file)
            security = security or known
        if address is None:
            address = own = LocalCluster(**cluster_kwargs)
        elif cluster_kwargs:
            names = ", ".join(f"{key}=" for key in cluster_kwargs)
            raise TypeError(f"{names} is for a new LocalCluster, and there is one already: {address!r}")
        self.cluster = address if isinstance(address, Cluster) else None
        folder = Folder("client-")
        try:
            if isinstance(address, Cluster):
                security = security or getattr(address, "security", None)
                address = address.scheduler_address
            self._raskt_cluster_client = self._connect(
                address, listening(address, str(folder.path)), security, patience
            )
        except BaseException:
            if own is not None:
                own.close()
            folder.remove()
            raise
        self._address = address
        if asynchronous:
            self._raskt_cluster_client.is_asynchronous()
        self._dask: _core.DaskScheduler | None = None
        self._ending = _Ending(os.getpid(), own, folder)
        self._ends()
        if own is not None and own.size:
            self._raskt_cluster_client.wait_for_workers(1, patience)
        self._begin()
        if set_as_default:
            _current.add_default(self)
        else:
            _left_behind.watch()

    def _ends(self) -> None:
        """When it is closed, or the program ends, or nobody keeps it and what it has given."""
        again = functools.partial(_again, type(self), dict(vars(self)))
        client, ending = self._raskt_cluster_client, self._ending
        is_needed, end = (
            functools.partial(_has_results, client, ending.process),
            functools.partial(_close, client, ending),
        )
        _left_behind.note(self, again, is_needed, end)

    def _begin(self) -> None:
        # Some workers write where this process does.
        if self.cluster is None or not self.cluster._writes_here:
            _words.show(self)

    def _connect(self, address: str, listen: str, security: Security | None, patience: float) -> _core.ClusterClient:
        if security is None:
            security = security_at(address)
        self._security = security
        if security.token_file is None and security.tls_ca_file is None:
            raise ConnectionError(missing(address))
        credentials: dict[str, Any] = {**security.credentials(), "is_found": isinstance(security, Found)}
        return _core.ClusterClient(nearest(address), listen, credentials, self.name, patience)

    @property
    def asynchronous(self) -> bool:
        """Whether whoever calls here gets something to be awaited.

        While the loop of an asynchronous client runs, calls from threads without one wait, as in callbacks of futures.
        """
        if not self._is_asynchronous or self._loop is None or not self._loop.is_running():
            return self._is_asynchronous
        return running_loop() is not None

    @property
    def is_closed(self) -> bool:
        """Whether it was closed."""
        return not self._finalizer.alive

    @property
    def status(self) -> str:
        """ "running" or "closed"."""
        return "closed" if self.is_closed else "running"

    @property
    def get(self) -> _core.DaskScheduler:
        """What Dask takes for a scheduler: ``dask.config.set(scheduler=client)`` computes its collections here."""
        if self._dask is None:
            from raskt.dask import _shuffles

            # As long as there is one, dataframes are shuffled by tasks.
            _shuffles.hold()
            weakref.finalize(self, _shuffles.let_go)
            self._dask = _core.DaskScheduler(None, self)
        return self._dask

    def sync(
        self,
        func: Callable[..., Any],
        *args: Any,
        asynchronous: bool | None = None,
        callback_timeout: float | str | None = None,
        **kwargs: Any,
    ) -> Any:
        """``func(*args, **kwargs)``, or something to await that gives it if the client is asynchronous.

        Parameters
        ----------
        asynchronous : bool, optional
            Whether to give something to be awaited. Default: as the client is.
        callback_timeout : float or str, optional
            Seconds that are waited for what an ``async def`` function gives. Other functions can't be ended from here:
            NotImplementedError.
        """
        is_asynchronous = self.asynchronous if asynchronous is None else _arguments.flag("asynchronous", asynchronous)
        patience = None if callback_timeout is None else _arguments.span("callback_timeout", callback_timeout)
        if inspect.iscoroutinefunction(func):
            called = func(*args, **kwargs)
            if is_asynchronous:
                return called if patience is None else asyncio.wait_for(called, patience)
            return _loop.run(called, patience)
        if patience is not None:
            raise NotImplementedError(
                "callback_timeout is for `async def` functions; calls of a client have a timeout= of their own"
            )
        if is_asynchronous:
            return in_thread(func, *args, **kwargs)
        return func(*args, **kwargs)

    # --- results --------------------------------------------------------------------------------------------------

    def gather(
        self,
        futures: Any,
        errors: Literal["raise", "skip"] = "raise",
        direct: bool | None = None,
        asynchronous: bool | None = None,
    ) -> Any:
        """Waits for futures and gives their results in their places.

        Parameters
        ----------
        futures : Future, or containers of them
            Lists, tuples, sets and dictionaries are looked through, and come back with results in place of futures; an
            iterator comes back as a list.
        errors : {"raise", "skip"}
            Whether to raise what a future has failed with as soon as one has, or to leave such futures out.
        direct : bool, optional
            Results always come straight from the workers that hold them; it changes nothing.
        asynchronous : bool, optional
            Whether to give something to be awaited. Default: as the client is.

        Raises
        ------
        Exception
            What the first future raised that failed, unless they are skipped.
        """
        if direct is not None:
            _arguments.flag("direct", direct)
        if self.asynchronous if asynchronous is None else asynchronous:
            return in_thread(_waiting.gather, futures, errors)
        return _waiting.gather(futures, errors)

    def cancel(self, futures: Any, asynchronous: bool | None = None, force: bool = False) -> Any:
        """Cancels calls: those that haven't begun aren't made, and what others give counts for nothing.

        Parameters
        ----------
        futures : Future, or containers of them
            The calls.
        asynchronous : bool, optional
            Whether to give something to be awaited. Default: as the client is.
        force : bool, default False
            Whether to cancel them for others, too.
        """
        force = _arguments.flag("force", force)
        every = futures_asked(as_container(futures), "cancel()")
        cancel_all = functools.partial(_cancel, every, force)
        return self.sync(cancel_all, asynchronous=asynchronous)

    def retry(self, futures: Any, asynchronous: bool | None = None) -> Any:
        """Has failed calls made again, with those before them whose failure was the reason.

        Parameters
        ----------
        futures : Future, or containers of them
            The calls.
        asynchronous : bool, optional
            Whether to give something to be awaited. Default: as the client is.
        """
        every = futures_asked(as_container(futures), "retry()")
        return self.sync(_core.cluster_retry, every, asynchronous=asynchronous)

    def futures_of(self, futures: Any) -> list[_core.ClusterFuture]:
        """The futures in an object and in its containers, and those of persisted collections."""
        return _waiting.futures_of(futures)

    # --- collections ----------------------------------------------------------------------------------------------

    def persist(
        self,
        collections: Any,
        optimize_graph: bool = True,
        workers: str | Sequence[str] | None = None,
        allow_other_workers: bool | None = None,
        resources: Mapping[str, float] | None = None,
        retries: int | None = None,
        priority: int | None = None,
        fifo_timeout: Any = None,
        actors: bool | None = None,
        **kwargs: Any,
    ) -> Any:
        """Computes collections, and gives them back with their results on the workers.

        Arrays of known chunks and delayed objects stay there, and this returns before they are computed. Frames, and
        arrays whose chunks aren't known, are fetched into this process.

        Parameters
        ----------
        collections : collection, or list of them
            What to compute.
        optimize_graph : bool
            Of no effect: expressions are always optimised.
        workers, allow_other_workers, resources, retries, priority, fifo_timeout
            As for `submit`.
        """
        if kwargs:
            raise TypeError(f"persist() takes no argument {next(iter(kwargs))!r}")
        if fifo_timeout is not None:
            _arguments.span("fifo_timeout", fifo_timeout)
        if actors is not None and _arguments.flag("actors", actors):
            raise NotImplementedError("what is persisted has no actors: submit(..., actor=True) makes one")
        with raskt.annotate(
            workers=workers,
            allow_other_workers=allow_other_workers,
            resources=resources,
            retries=retries,
            priority=priority,
        ):
            if isinstance(collections, (list, tuple, set)):
                persisted = raskt.persist(*collections, optimize_graph=optimize_graph, scheduler=self)
                return type(collections)(persisted)
            return raskt.persist(collections, optimize_graph=optimize_graph, scheduler=self)[0]

    # --- the cluster ----------------------------------------------------------------------------------------------

    def wait_for_workers(self, n_workers: int, timeout: float | str | None = None) -> Any:
        """Waits until there are so many workers.

        Raises
        ------
        TimeoutError
            If there aren't after `timeout` seconds.
        """
        patience = None if timeout is None else seconds(timeout)
        _arguments.count("n_workers", n_workers, 0, _arguments.COUNT_MAX)
        return self.sync(self._raskt_cluster_client.wait_for_workers, n_workers, patience)

    def as_current(self) -> AbstractContextManager[Client]:
        """Makes it the client of this thread (or asyncio task) for the length of a ``with`` block."""
        return _current.as_current(self)

    @classmethod
    def current(cls, allow_global: bool = True) -> Client:
        """The client on which computations run here.

        Raises
        ------
        ValueError
            If there is none.
        """
        return _current.default_client(allow_global=allow_global)

    def close(self, timeout: float | str | None = None) -> Any:
        """Leaves the cluster; one that was made for this client ends with it.

        Parameters
        ----------
        timeout : float or str, optional
            Seconds that what was said has to arrive, and that what runs has to end if the cluster ends with the client.
        """
        if timeout is not None:
            self._ending.timeout = _arguments.span("timeout", timeout)
        _current.remove_default(self)
        return self.sync(self._finalizer)

    def __await__(self) -> Generator[Any, None, Client]:
        return _itself(self).__await__()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _current.remove_default(self)
        await in_thread(self._finalizer)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _current.remove_default(self)
        self._finalizer()

    def __repr__(self) -> str:
        if self.is_closed:
            return f"<Client {self.name!r}, closed>"
        threads = {about["name"]: about["nthreads"] for about in self._raskt_cluster_client.workers()}
        return f"<Client {self.name!r} of {self._address}: {len(threads)} workers, {sum(threads.values())} threads>"

    def __reduce__(self) -> Any:
        raise TypeError("a client can't be pickled: within a task, compute as anywhere else, or pass futures to it")


async def _itself(client: Client) -> Client:
    return client


@dataclasses.dataclass
class _Ending:
    """How a client ends."""

    process: int
    own: LocalCluster | None
    """The cluster that ends with it."""
    folder: Folder
    """Where it listens."""
    timeout: float | None = None
    """Seconds that whoever closes it gives it."""


def _cancel(futures: list[_core.ClusterFuture], force: bool) -> None:
    for future in futures:
        future.cancel(force=force)


def _again(kind: type[Client], about: dict[str, Any]) -> Client:
    """The same client, for somebody who has a result of it."""
    client = object.__new__(kind)
    vars(client).update(about)
    return client


def _has_results(client: _core.ClusterClient, process: int) -> bool:
    # In a fork all of it is the parent's.
    return process == os.getpid() and client.has_results()


def _close(client: _core.ClusterClient, ending: _Ending) -> None:
    if ending.process != os.getpid():
        # A fork: all of it is the parent's.
        return
    client.close(CLOSING_SECONDS if ending.timeout is None else ending.timeout)
    if ending.own is not None:
        ending.own.close(ending.timeout)
    ending.folder.remove()
