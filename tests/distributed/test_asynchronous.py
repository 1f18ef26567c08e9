"""Asynchronous clients: whatever goes over the network is awaited, and the loop goes on meanwhile."""

from __future__ import annotations

import asyncio
import gc
import inspect
import time
import weakref

import numpy as np
import pytest

from raskt.distributed import Client, Event, LocalCluster, WorkerPlugin, as_completed, get_worker, wait

PATIENCE = 60

LOCAL = frozenset(
    (
        *("submit", "map", "compute", "persist", "futures_of", "get_executor", "as_current", "current"),
        *("write_scheduler_file", "sync", "get", "subscribe_topic", "unsubscribe_topic", "is_closed", "status"),
        *("asynchronous", "datasets", "unforward_logging"),
    )
)
"""What asks nobody: it sends, or says what is known here."""

REFUSED = frozenset(("run_on_scheduler", "forward_logging", "unregister_scheduler_plugin"))
"""They raise at once."""


class Plugin(WorkerPlugin):
    name = "asynchronous"


def called(client, futures, tmp_path):
    """A call of each method that is to be awaited."""
    module = tmp_path / "raskt_asynchronously.py"
    module.write_text("")
    return {
        "benchmark_hardware": client.benchmark_hardware,
        "call_stack": client.call_stack,
        "cancel": lambda: client.cancel(client.submit(abs, -100)),
        "dump_cluster_state": lambda: client.dump_cluster_state(str(tmp_path / "dump"), format="yaml"),
        "gather": lambda: client.gather(futures),
        "get_dataset": lambda: client.get_dataset("x", default=None),
        "get_events": client.get_events,
        "get_metadata": lambda: client.get_metadata("x", default=None),
        "get_scheduler_logs": client.get_scheduler_logs,
        "get_task_stream": client.get_task_stream,
        "get_versions": client.get_versions,
        "get_worker_logs": client.get_worker_logs,
        "has_what": client.has_what,
        "list_datasets": client.list_datasets,
        "log_event": lambda: client.log_event("x", 1),
        "nbytes": client.nbytes,
        "ncores": client.ncores,
        "nthreads": client.nthreads,
        "processing": client.processing,
        "profile": lambda: client.profile(seconds=0.1),
        "publish_dataset": lambda: client.publish_dataset(x=1),
        "register_plugin": lambda: client.register_plugin(Plugin()),
        "register_worker_callbacks": lambda: client.register_worker_callbacks(abs_nothing),
        "rebalance": lambda: client.rebalance(futures),
        "replicate": lambda: client.replicate(futures),
        "retry": lambda: client.retry(futures),
        "run": lambda: client.run(time.sleep, 0.1),
        "scatter": lambda: client.scatter([1, 2]),
        "scheduler_info": client.scheduler_info,
        "set_metadata": lambda: client.set_metadata("x", 1),
        "story": lambda: client.story(futures),
        "unpublish_dataset": lambda: client.unpublish_dataset("x"),
        "unregister_worker_plugin": lambda: client.unregister_worker_plugin("asynchronous"),
        "upload_file": lambda: client.upload_file(module),
        "wait_for_workers": lambda: client.wait_for_workers(1),
        "waiting": client.waiting,
        "who_has": lambda: client.who_has(futures),
        # What ends or changes the cluster comes last.
        "restart_workers": lambda: client.restart_workers([]),
        "restart": client.restart,
        "retire_workers": lambda: client.retire_workers(n=0),
        "shutdown": client.shutdown,
        "close": client.close,
    }


def abs_nothing():
    pass


class Heart:
    """Beats as long as the loop goes on."""

    def __init__(self):
        self.beats = 0

    async def __aenter__(self):
        self._task = asyncio.create_task(self._beat())
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *_):
        self._task.cancel()

    async def _beat(self):
        while True:
            await asyncio.sleep(0.005)
            self.beats += 1


def test_every_method_that_asks_the_cluster_is_awaited(tmp_path):
    public = {name for name in dir(Client) if not name.startswith("_")} - LOCAL - REFUSED

    async def main():
        async with LocalCluster(n_workers=1, threads_per_worker=1, asynchronous=True) as cluster:
            async with Client(cluster, asynchronous=True, set_as_default=False) as client:
                futures = client.map(abs, [-1, -2])
                calls = called(client, futures, tmp_path)
                assert set(calls) == public - {"cluster", "name"}
                for name, call in calls.items():
                    begun = time.monotonic()
                    async with Heart() as heart:
                        given = call()
                        assert inspect.isawaitable(given), name
                        await asyncio.wait_for(given, PATIENCE)
                    assert heart.beats > 2 or time.monotonic() - begun < 0.1, name

    asyncio.run(main())


@pytest.fixture
def asynchronously(cluster):
    """Runs a coroutine function with an asynchronous client."""

    def run(main):
        async def within():
            async with Client(cluster, asynchronous=True, set_as_default=False) as client:
                return await asyncio.wait_for(main(client), PATIENCE)

        return asyncio.run(within())

    return run


def test_futures_are_awaited_and_so_are_their_methods(asynchronously):
    def fails():
        raise LookupError("no")

    async def main(client):
        future, failed = client.submit(pow, 2, 10), client.submit(fails)
        assert await future == 1024 and await future.result() == 1024
        assert await future.exception() is None and await future.traceback() is None
        assert isinstance(await failed.exception(), LookupError)
        for awaited in (failed, failed.result(), failed.result(timeout=10)):
            with pytest.raises(LookupError):
                await awaited
        with pytest.raises(TimeoutError):
            await client.submit(time.sleep, 1).result(timeout=0.01)
        done = await wait(client.map(abs, range(3)))
        assert len(done.done) == 3
        assert sorted([await each async for each in as_completed(client.map(abs, range(3)))]) == [0, 1, 2]
        assert await client.compute(client.submit(abs, -3), sync=True) == 3
        # Beside the loop there is nobody who would await.
        assert await asyncio.to_thread(lambda: client.submit(abs, -5).result()) == 5
        assert await asyncio.to_thread(lambda: client.gather(client.map(abs, [-5]))) == [5]

    asynchronously(main)


def test_futures_are_cancelled_and_retried_whether_that_is_awaited_or_not(asynchronously, tmp_path):
    def fails_once(path):
        if not path.exists():
            path.touch()
            raise LookupError("no")
        return "made"

    async def main(client):
        never, forgotten = (client.submit(Event(f"cancelled-{n}").wait) for n in range(2))
        assert await never.cancel() is True and never.cancelled() and await never.cancel() is False
        forgotten.cancel()
        assert forgotten.cancelled()
        forgotten.release()
        assert await forgotten.cancel() is False
        failed = client.submit(fails_once, tmp_path / "once")
        assert isinstance(await failed.exception(), LookupError)
        assert await failed.retry() is None
        assert await failed == "made"
        # Beside the loop there is nobody who would await.
        assert await asyncio.to_thread(never.cancel) is False

    asynchronously(main)


def test_the_loop_goes_on_while_large_results_come(asynchronously):
    class Slow:
        """Takes its time to be read, as what is large does."""

        def __reduce__(self):
            return slowly, ()

    async def main(client):
        future = client.submit(Slow)
        await wait(future)
        for awaited in (future, future.result(), client.gather(future)):
            async with Heart() as heart:
                assert await awaited == "read"
            assert heart.beats > 20
        large = await client.submit(np.zeros, 1 << 22)
        assert large.shape == (1 << 22,)

    asynchronously(main)


def slowly():
    time.sleep(0.5)
    return "read"


@pytest.mark.parametrize("how", ["await", "result", "gather", "wait"])
def test_what_is_cancelled_while_it_is_awaited_is_held_no_longer(asynchronously, how):
    async def main(client):
        def never():
            return Event("never").wait()

        future = client.submit(never)
        seen = weakref.ref(future)
        waits = {"await": awaits, "result": lambda f: f.result(), "gather": client.gather, "wait": wait}[how]
        task = asyncio.ensure_future(waits(future))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        del task, future
        end = time.monotonic() + PATIENCE
        while seen() is not None and time.monotonic() < end:
            gc.collect()
            await asyncio.sleep(0.01)
        assert seen() is None
        await asyncio.to_thread(free, client)

    asynchronously(main)


async def awaits(future):
    return await future


def free(client):
    """The worker that has waited for the event is free again."""
    with client.as_current():
        Event("never").set()
        client.gather(client.map(lambda _: get_worker().name, range(4)))
        Event("never").clear()
