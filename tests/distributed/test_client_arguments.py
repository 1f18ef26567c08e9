"""Arguments of methods of a client that say how to wait, and for how long."""

from __future__ import annotations

import asyncio
import inspect
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest

from raskt.distributed import Client, Future


def waiting(client: Client) -> Future:
    """A call that nobody can make: it stays as it is."""
    return client.submit(abs, -1, resources={"NONE": 1}, pure=False)


def fail_once(path: Path) -> str:
    if not path.exists():
        path.write_text("failed")
        raise ValueError("the first time")
    return "again"


def test_cancel_takes_what_dask_takes_in_its_order(client: Client) -> None:
    future = waiting(client)
    awaited = client.cancel([future], True)
    assert inspect.isawaitable(awaited) and not future.cancelled()
    assert asyncio.run(_await(awaited)) is None and future.cancelled()
    other = waiting(client)
    assert client.cancel(other, False, True) is None and other.cancelled()
    with pytest.raises(CancelledError):
        other.result()
    with pytest.raises(TypeError, match="asynchronous"):
        client.cancel([], asynchronous="no")


async def _await(awaitable: Any) -> Any:
    return await awaitable


def test_retry_is_awaited_where_that_is_asked_for(client: Client, tmp_path: Path) -> None:
    future = client.submit(fail_once, tmp_path / "one", pure=False)
    with pytest.raises(ValueError, match="the first time"):
        future.result()
    asyncio.run(_await(client.retry(future, asynchronous=True)))
    assert future.result() == "again"


def test_sync_calls_functions_and_awaits_coroutines(client: Client) -> None:
    async def twice(x: int, *, by: int = 2) -> int:
        await asyncio.sleep(0)
        return x * by

    assert client.sync(twice, 3, by=5) == 15
    assert client.sync(twice, 3, callback_timeout="5 s") == 6
    assert asyncio.run(_await(client.sync(twice, 4, asynchronous=True))) == 8
    assert client.sync(max, 3, 4) == 4
    assert asyncio.run(_await(client.sync(max, 3, 4, asynchronous=True))) == 4
    with pytest.raises(TimeoutError):
        client.sync(asyncio.sleep, 10, callback_timeout=0.05)
    with pytest.raises(NotImplementedError, match="callback_timeout"):
        client.sync(max, 3, 4, callback_timeout=1)
    with pytest.raises(ValueError, match="callback_timeout"):
        client.sync(twice, 3, callback_timeout="soon")


def test_close_gives_what_runs_the_time_that_it_is_told() -> None:
    client = Client(n_workers=1, threads_per_worker=1, set_as_default=False)
    with pytest.raises(ValueError, match="timeout"):
        client.close(timeout="nonsense")
    assert client.status == "running"
    client.close(timeout=5)
    assert client.status == "closed"
    client.close(timeout=1)
