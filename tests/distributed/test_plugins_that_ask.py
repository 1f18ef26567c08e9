"""Plugins whose `setup` asks for work, fails, or never ends."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from types import SimpleNamespace

import pytest

from raskt.distributed import Client, Event, LocalCluster, WorkerPlugin, _plugged, get_client, get_worker, wait

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

        _plugged.SETUP_SECONDS = 2.5

    lonely.run(hurry)
    with pytest.raises(TimeoutError, match=r"plugin 'never' wasn't set up after 2.5 s \(in wait, threading.py:\d+\)"):
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


def register_never(client):
    """Registers what never ends by a thread, and waits until the worker has it."""
    import threading

    told = []

    def no_patience():
        from raskt.distributed import _plugged

        _plugged.READY_SECONDS = 0.1

    def register():
        try:
            told.append(client.register_plugin(Never()))
        except Exception as error:
            told.append(error)

    client.run(no_patience)
    registering = threading.Thread(target=register)
    registering.start()
    until(lambda: client.run(lambda: hasattr(get_worker(), "lets_go")).popitem()[1])
    return registering, told


@pytest.mark.parametrize("again", [False, True])
def test_a_worker_whose_plugin_never_ends_is_asked_and_rid_of_it(lonely, again):
    registering, told = register_never(lonely)
    waits = lonely.submit(abs, -1)
    assert set(lonely.run(pow, 2, 10).values()) == {1024}
    assert waits.status == "pending"
    lonely.unregister_worker_plugin("never")
    assert waits.result(PATIENCE) == 1
    registering.join(PATIENCE)
    assert isinstance(told[0], RuntimeError) and "taken away" in str(told[0])
    if again:
        lonely.run(lambda: get_worker().lets_go.set())
        assert lonely.register_plugin(WaitsNever()) and lonely.submit(abs, -2).result(PATIENCE) == 2


class WaitsNever(WorkerPlugin):
    name = "never"


def test_a_cluster_whose_plugin_never_ends_is_restarted(lonely):
    registering, _ = register_never(lonely)
    waits = lonely.submit(abs, -2)
    before = lonely.run(os.getpid)
    lonely.restart(timeout=PATIENCE)
    assert waits.status == "cancelled"
    assert before != lonely.run(os.getpid)
    lonely.unregister_worker_plugin("never")
    assert lonely.submit(abs, -3).result(PATIENCE) == 3
    registering.join(PATIENCE)
    assert not registering.is_alive()


def test_a_plugin_that_never_ends_is_replaced(lonely):
    def no_patience():
        from raskt.distributed import _plugged

        _plugged.GIVEN_UP_SECONDS = 0.1

    registering, told = register_never(lonely)
    lonely.run(no_patience)
    assert lonely.register_plugin(WaitsNever())
    registering.join(PATIENCE)
    assert "replaced" in str(told[0])
    assert lonely.submit(lambda: type(get_worker().plugins["never"]).__name__).result(PATIENCE) == "WaitsNever"


def test_a_plugin_for_which_there_is_no_thread_keeps_nobody(lonely):
    def no_threads(more):
        from raskt.distributed import _plugged

        def start(self):
            raise RuntimeError("can't start new thread")

        if more:
            _plugged.Change.start = _plugged.Change.usual_start
        else:
            _plugged.Change.usual_start, _plugged.Change.start = _plugged.Change.start, start

    lonely.run(no_threads, False)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        lonely.register_plugin(WaitsNever())
    lonely.run(no_threads, True)
    assert lonely.submit(abs, -1).result(PATIENCE) == 1
    assert lonely.register_plugin(WaitsNever())


class HeldUp(WorkerPlugin):
    """Its setup goes on, on one worker or on all, when there is a file; that it has begun is another one."""

    name = "held-up"

    def __init__(self, folder, on=None):
        self.folder, self.on = folder, on

    def setup(self, worker):
        import time

        if self.on in (None, worker.name):
            (self.folder / f"begun-{worker.name}").touch()
            while not (self.folder / "go-on").exists():
                time.sleep(0.01)
        worker.was_held_up = True


@pytest.fixture
def pair():
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=PATIENCE)
        yield client


def held_up(client, plugin, count):
    """Registers it by a thread, and waits until so many workers are at it."""
    import threading

    registering = threading.Thread(target=client.register_plugin, args=(plugin,), daemon=True)
    registering.start()
    until(lambda: len(list(plugin.folder.glob("begun-*"))) == count)
    return registering


def test_a_worker_that_sets_up_a_plugin_keeps_no_task_from_others(pair, tmp_path):
    first, other = sorted(pair.run(lambda: get_worker().name).values())
    registering = held_up(pair, HeldUp(tmp_path, first), 1)
    futures = pair.map(lambda _: get_worker().name, range(8), pure=False)
    there = pair.submit(lambda: get_worker().was_held_up, workers=first)
    assert len(wait(futures, timeout=PATIENCE).done) == 8
    assert pair.gather(futures) == [other] * 8
    assert pair.submit(sum, pair.scatter([1, 2])).result(PATIENCE) == 3
    assert list(pair.nthreads().values()) == [1, 1]
    pair.wait_for_workers(2, timeout=PATIENCE)
    assert not there.done()
    (tmp_path / "go-on").touch()
    assert there.result(PATIENCE) is True
    registering.join(PATIENCE)
    assert not registering.is_alive()


def test_when_all_workers_set_a_plugin_up_tasks_wait_and_can_be_cancelled(pair, tmp_path):
    registering = held_up(pair, HeldUp(tmp_path), 2)
    futures = pair.map(lambda _: get_worker().was_held_up, range(8), pure=False)
    pair.submit(abs, -1).cancel()
    assert not any(future.done() for future in futures)
    (tmp_path / "go-on").touch()
    assert len(wait(futures, timeout=PATIENCE).done) == 8
    assert pair.gather(futures) == [True] * 8
    registering.join(PATIENCE)


class AsksByThreads(WorkerPlugin):
    """Its setup has work done by threads of its own, with a client from before, or one that they get."""

    name = "asks-by-threads"

    def __init__(self, where):
        self.where = where

    def setup(self, worker):
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(2) as threads:
            client = worker.kept_client if self.where == "kept" else threads.submit(lambda: worker.client).result()
            ask = lambda value: client.submit(pow, 2, value).result(PATIENCE)
            worker.asked = sum(threads.map(ask, [3, 4]))


@pytest.mark.parametrize("security", [None, True])
@pytest.mark.parametrize("where", ["kept", "got there"])
def test_a_setup_may_ask_by_threads_of_its_own(where, security):
    def keep_client():
        get_worker().kept_client = get_client()

    with (
        LocalCluster(n_workers=1, threads_per_worker=1, security=security) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        client.run(keep_client)
        client.register_plugin(AsksByThreads(where))
        assert client.submit(lambda: get_worker().asked).result(PATIENCE) == 24


def test_a_plugin_is_gone_when_that_is_said_whatever_is_set_up(lonely, tmp_path):
    lonely.register_plugin(WaitsNever())
    registering = held_up(lonely, HeldUp(tmp_path), 1)
    assert {told["status"] for told in lonely.unregister_worker_plugin("never").values()} == {"OK"}
    assert set(lonely.run(lambda: "never" in get_worker().plugins).values()) == {False}
    (tmp_path / "go-on").touch()
    registering.join(PATIENCE)


def test_how_it_went_with_a_plugin_that_was_given_up_stays_so():
    changes, replaced = _plugged.Changes(), _plugged.Replaced("another one has come")
    changes.outcomes["1"] = replaced
    changes.settle(SimpleNamespace(versions=["1"]), None)
    assert changes.outcome("1") is replaced


def test_what_others_ask_of_a_worker_lets_no_task_go_before_its_plugin(lonely, tmp_path):
    registering = held_up(lonely, HeldUp(tmp_path), 1)

    def ask():
        return get_client().submit(lambda: get_worker().was_held_up)

    (asked,) = lonely.run(ask).values()
    assert not asked.done()
    (tmp_path / "go-on").touch()
    assert asked.result(PATIENCE) is True
    registering.join(PATIENCE)


class EndsItsProcess(WorkerPlugin):
    name = "ends"

    def setup(self, worker):
        os._exit(3)


def test_a_plugin_that_ends_all_workers_is_taken_back(lonely):
    with pytest.raises(RuntimeError, match="all workers ended while they set plugin 'ends' up"):
        lonely.register_plugin(EndsItsProcess())
    assert lonely.submit(abs, -1).result(PATIENCE) == 1


class IsSlow(WorkerPlugin):
    name = "slow"

    def setup(self, worker):
        time.sleep(3)


def test_one_that_ends_all_workers_is_taken_back_though_another_is_still_set_up(lonely):
    lonely.register_plugin(IsSlow())
    with pytest.raises(RuntimeError, match="taken back"):
        lonely.register_plugin(EndsItsProcess())
    assert lonely.submit(abs, -1).result(PATIENCE) == 1


class SetUpOnce(WorkerPlugin):
    name = "once"

    def __init__(self, folder):
        self.folder = folder

    def setup(self, worker):
        (self.folder / f"{os.getpid()}-{time.monotonic_ns()}").touch()
        time.sleep(0.5)


def test_the_same_plugin_of_several_clients_is_set_up_once(tmp_path):
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, ExitStack() as stack:
        clients = [stack.enter_context(Client(cluster, set_as_default=False)) for _ in range(4)]
        with ThreadPoolExecutor(len(clients)) as threads:
            told = list(threads.map(lambda client: client.register_plugin(SetUpOnce(tmp_path)), clients))
        assert all(set(map(str, each.values())) == {"{'status': 'OK'}"} and len(each) == 2 for each in told)
        # While one is set up the others join it; who comes after that sets it up anew, as one of that name does.
        assert 2 <= len(list(tmp_path.iterdir())) < 2 * len(clients)
        assert clients[0].submit(abs, -1).result(PATIENCE) == 1
        # One that is taken away meanwhile is so for all.
        (tmp_path / "again").mkdir()
        with ThreadPoolExecutor(2) as threads:
            both = [threads.submit(client.register_plugin, SetUpOnce(tmp_path / "again")) for client in clients[:2]]
            until(lambda: len(list((tmp_path / "again").iterdir())) == 2)
            clients[2].unregister_worker_plugin("once")
            for each in both:
                with suppress(_plugged.Replaced, ValueError):
                    each.result(PATIENCE)
        assert clients[0].submit(abs, -2).result(PATIENCE) == 2
