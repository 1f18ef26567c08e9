"""Futures that were pickled, and what of them only Python knows."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from raskt import _core
from raskt.distributed import _current, _this_worker
from raskt.distributed._threads import in_thread

if TYPE_CHECKING:
    from raskt.distributed._client import Client

Name = tuple[bytes, int, int, int]
"""The cluster with the mark of the run, the run, the layer and the index of the task whose result it is."""

_CLUSTER_BYTES = 16


def future_of(name: Name | None, key: str) -> _core.ClusterFuture:
    """The future that was pickled as `name`, held by a client of its cluster that is here, if there is one."""
    client = None if name is None else client_for(bytes(name[0])[:_CLUSTER_BYTES])
    return _core.cluster_named_future(name, key, client)


def client_of(future: _core.ClusterFuture) -> Client | None:
    """The client that holds it."""
    return next((client for client in _current.known() if client._raskt_cluster_client.holds(future)), None)


def type_of(future: _core.ClusterFuture) -> type | None:
    """The type of its result, of which nothing else is fetched."""
    client = client_of(future) if future.status == "finished" else None
    if client is None:
        return None
    if client.asynchronous:
        # A loop doesn't wait for that.
        here = future._at_once()
        return None if here is None else here[0].__class__
    return client._raskt_cluster_client.submit(type, (future,)).result()


async def awaiting(future: _core.ClusterFuture) -> Any:
    """The result of `future`; the loop goes on meanwhile, and holds nothing of it once nobody waits any more."""
    if not future.done():
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        future._when_done(_teller(loop, done))
        await done
    here = future._at_once()
    return await in_thread(future.result) if here is None else here[0]


def _teller(loop: asyncio.AbstractEventLoop, done: asyncio.Future[None]) -> Callable[[], None]:
    def settle() -> None:
        if not done.done():
            done.set_result(None)

    def tell() -> None:
        # The loop may be closed by then; nobody waits any more.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(settle)

    return tell


def beside(method: Callable[..., Any], *args: Any) -> Any:
    """A method of a future, awaited beside the loop."""
    return in_thread(method, *args)


def known(value: Any) -> asyncio.Future[Any]:
    """Something to await that has its value already."""
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    future.set_result(value)
    return future


def client_for(cluster: bytes) -> _core.ClusterClient | None:
    """The client of the task, the current one, or any of the cluster: that is here, or that a worker here can have."""
    from raskt.distributed._in_tasks import client_of_worker

    own = _this_worker.here()
    current = _current.current()
    candidates = [client_of_worker(own)] if own is not None else []
    candidates += [current] if current is not None else []
    for client in [*candidates, *_current.known()]:
        if not client.is_closed and client._raskt_cluster_client.cluster == cluster:
            return client._raskt_cluster_client
    for worker in _this_worker.all_here():
        native = None if worker is own else client_of_worker(worker)._raskt_cluster_client
        if native is not None and native.cluster == cluster:
            return native
    return None
