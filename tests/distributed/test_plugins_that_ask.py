"""Plugins whose `setup` asks for work, fails, or never ends."""

from __future__ import annotations

import pytest

from raskt.distributed import Client, Event, LocalCluster, WorkerPlugin, get_client, get_worker

PATIENCE = 60


@pytest.fixture
def lonely():
    with Client(n_workers=1, threads_per_worker=1, set_as_default=False) as client:
        yield client


def keep(name, value):
    setattr(get_worker(), name, value)


def until(is_so):
    import time

    end = time.monotonic() + PATIENCE
    while not is_so() and time.monotonic() < end:
        time.sleep(0.01)


def asked_by_now():
    """What the plugin was answered, on this worker: its tasks don't wait for that."""
    worker = get_worker()
    until(lambda: hasattr(worker, "asked"))
    return worker.asked


class Asks(WorkerPlugin):
    name = "asks"

    def __init__(self, how):
        self.how = how

    def setup(self, worker):
        client = worker.client if self.how == "worker" else get_client()
        worker.asked = client.submit(pow, 2, 10).result(PATIENCE)

    def teardown(self, worker):
        worker.torn = get_client().submit(abs, -1).result(PATIENCE)


class AsksLater(Asks):
    async def setup(self, worker):
        worker.asked = await get_client().submit(pow, 2, 10)


class WaitsForName(WorkerPlugin):
    name = "waits"

    def setup(self, worker):
        worker.came = Event("plugin-may-go-on").wait(PATIENCE)


class Never(WorkerPlugin):
    name = "never"

    def setup(self, worker):
        import threading

        worker.lets_go = threading.Event()
        worker.lets_go.wait()
        worker.is_over = True

    def teardown(self, worker):
        worker.is_torn = True


@pytest.mark.parametrize("plugin", [Asks("worker"), Asks("client"), AsksLater("client")])
def test_a_setup_may_ask_the_cluster_for_work_and_a_teardown_too(lonely, plugin):
    assert [told["status"] for told in lonely.register_plugin(plugin).values()] == ["OK"]
    assert lonely.submit(lambda: get_worker().asked).result(PATIENCE) == 1024
    lonely.unregister_worker_plugin("asks")
    assert lonely.submit(lambda: get_worker().torn).result(PATIENCE) == 1


def test_a_setup_may_wait_for_what_a_task_does(lonely):
    with lonely.as_current():
        import threading

        told = []
        registering = threading.Thread(target=lambda: told.append(lonely.register_plugin(WaitsForName())))
        registering.start()
        lonely.submit(lambda: Event("plugin-may-go-on").set()).result(PATIENCE)
        registering.join(PATIENCE)
        assert told and lonely.submit(lambda: get_worker().came).result(PATIENCE) is True


def test_a_worker_that_comes_later_may_ask_too():
    with LocalCluster(n_workers=1, threads_per_worker=1) as cluster, Client(cluster, set_as_default=False) as client:
        client.register_plugin(Asks("worker"))
        cluster.scale(2)
        client.wait_for_workers(2, timeout=PATIENCE)
        assert client.run(asked_by_now) == dict.fromkeys(client.nthreads(), 1024)


def test_a_setup_that_never_ends_is_told_and_tasks_go_on(lonely):
    def hurry():
        from raskt.distributed import _plugged

        _plugged.SETUP_SECONDS = 0.5

    lonely.run(hurry)
    with pytest.raises(TimeoutError, match=r"plugin 'never' wasn't set up after 0.5 s \(in wait, threading.py:\d+\)"):
        lonely.register_plugin(Never())
    assert lonely.submit(abs, -1).result(PATIENCE) == 1
    with pytest.raises(ValueError, match="no plugin"):
        lonely.unregister_worker_plugin("never")
    # It is nobody's any more: when it ends after all, it is torn down.
    lonely.run(lambda: get_worker().lets_go.set())

    def is_torn():
        worker = get_worker()
        until(lambda: getattr(worker, "is_torn", False))
        return worker.is_over and worker.is_torn and "never" not in worker.plugins

    assert set(lonely.run(is_torn).values()) == {True}


def test_tasks_that_come_later_wait_for_a_setup_that_asks_for_nothing(lonely):
    class Slow(WorkerPlugin):
        name = "slow"

        def setup(self, worker):
            import time

            time.sleep(0.3)
            worker.is_slow = True

    import threading

    registering = threading.Thread(target=lonely.register_plugin, args=(Slow(),))
    registering.start()
    # Whatever comes once the plugin is there finds it ready.
    while not lonely.run(lambda: "slow" in get_worker()._changes).popitem()[1]:
        pass
    assert lonely.submit(lambda: get_worker().is_slow).result(PATIENCE) is True
    registering.join(PATIENCE)
