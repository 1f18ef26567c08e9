"""What processes share by name: locks, semaphores, events, variables, queues, metadata, datasets, topics."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import raskt.array as ra
from raskt import delayed
from raskt.distributed import Client, Event, LocalCluster, Lock, MultiLock, Queue, Semaphore, Variable, wait

PATIENCE = 20.0


def until(is_so: Callable[[], object]) -> None:
    """Waits until something is so."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.002)


@pytest.fixture
def other(cluster: LocalCluster) -> Iterator[Client]:
    """A second client, which isn't the current one."""
    with Client(cluster, set_as_default=False) as other:
        yield other


# --- locks --------------------------------------------------------------------------------------------------------


def test_a_lock_has_one_holder(client):
    lock, other = Lock("one"), Lock("one")
    assert lock.acquire() is True and lock.locked() and other.get_value() == 1
    assert other.acquire(timeout="10 ms") is False
    assert other.acquire(blocking=False) is False
    with pytest.raises(RuntimeError, match="isn't held by this object"):
        other.release()
    lock.release()
    with other:
        assert not lock.acquire(timeout=0)
    assert not lock.locked()
    with pytest.raises(ValueError, match="doesn't block"):
        lock.acquire(blocking=False, timeout=1)
    with pytest.raises(NotImplementedError, match="scheduler_rpc"):
        Lock("one", scheduler_rpc=1)
    assert Lock().name != Lock().name


def add_slowly(name: str, variable: str, times: int) -> None:
    for _ in range(times):
        with Lock(name):
            seen = Variable(variable).get()
            time.sleep(0.001)
            Variable(variable).set(seen + 1)


def test_tasks_and_clients_take_turns(client):
    Variable("turns").set(0)
    futures = [client.submit(add_slowly, "turns", "turns", 10) for _ in range(2)]
    add_slowly("turns", "turns", 10)
    client.gather(futures)
    assert Variable("turns").get() == 30


def test_a_lock_is_free_when_its_client_or_its_object_is_gone(cluster, client):
    gone = Client(cluster)
    lock = Lock("free")
    lock.acquire()
    threading.Timer(0.02, gone.close).start()
    with client.as_current():
        assert Lock("free").acquire(timeout=PATIENCE)
        left = Lock("left")
        left.acquire()
        del left
        gc.collect()
        assert Lock("left").acquire(timeout=PATIENCE)


def test_a_lock_is_free_when_the_process_that_holds_it_is_killed(cluster, client):
    told = {"address": cluster.scheduler_address, "token": os.fspath(cluster.security.token_file)}
    program = (
        "import json, sys, time\n"
        "from raskt.distributed import Client, Lock, Security\n"
        "told = json.loads(sys.argv[1])\n"
        "client = Client(told['address'], security=Security(token_file=told['token']))\n"
        "lock = Lock('killed')\n"
        "lock.acquire()\n"
        "print('held', flush=True)\n"
        "time.sleep(100)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program, json.dumps(told)], stdout=subprocess.PIPE) as holder:
        try:
            assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
            assert not Lock("killed").acquire(blocking=False)
        finally:
            holder.kill()
    assert Lock("killed").acquire(timeout=10)


def ask_in_a_fork() -> str:
    """What a forked process is told that asks in its parent's name."""
    reads, writes = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            Lock("forked").acquire()
        except BaseException as error:
            os.write(writes, f"{type(error).__name__}: {error}".encode())
        os._exit(0)
    os.close(writes)
    os.waitpid(process, 0)
    return os.read(reads, 1000).decode()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_has_no_session(client):
    assert "was forked" in ask_in_a_fork()
    assert "there is no client" in client.submit(ask_in_a_fork).result(PATIENCE)
    assert Lock("forked").acquire(timeout=PATIENCE)


def test_copies_are_other_holders_of_the_same_lock(client):
    lock = Lock(("a", 1))
    lock.acquire()
    copy = pickle.loads(pickle.dumps(lock))
    assert copy.name == ("a", 1) and copy.locked() and not copy.acquire(timeout=0)


def test_several_locks_at_once(client):
    both, one = MultiLock(["m1", "m2"]), Lock("m2")
    with both:
        assert both.locked() and one.locked()
        assert not MultiLock(["m2", "m3"]).acquire(timeout="5 ms")
        assert MultiLock(["m2", "m3"]).acquire(num_locks=np.int64(1)), "one of them is free"
        with pytest.raises(RuntimeError, match="already"):
            both.acquire()
    assert not one.locked()
    with pytest.raises(ValueError, match="aren't held"):
        both.release()
    for count in (0, 3, True):
        with pytest.raises((ValueError, TypeError), match="num_locks"):
            MultiLock(["m1", "m2"]).acquire(num_locks=count)
    with pytest.raises(ValueError, match="twice"):
        MultiLock(["m1", "m1"]).acquire()


def test_semaphores(client, other):
    semaphore = Semaphore(2, "s")
    assert semaphore.acquire() and semaphore.acquire() and not semaphore.acquire(timeout="5 ms")
    assert semaphore.get_value() == 2
    with pytest.raises(ValueError, match="size of 2"):
        Semaphore(3, "s").acquire()
    assert semaphore.release() is True
    with pickle.loads(pickle.dumps(semaphore)):
        assert semaphore.get_value() == 2
    assert semaphore.release()
    with pytest.raises(RuntimeError, match="as often"):
        semaphore.release()
    semaphore.acquire()
    semaphore.close()
    assert semaphore.release() is False
    for leases in (0, -1, True, "2"):
        with pytest.raises((TypeError, ValueError), match=r"^max_leases is .*; it has to be"):
            Semaphore(leases)


def test_whoever_waits_for_a_semaphore_that_is_closed_is_told(client):
    # And whoever has a place.
    with pytest.raises(RuntimeError, match="`closed` isn't held"), Semaphore(1, "closed"):
        with ThreadPoolExecutor(1) as pool:
            waits = pool.submit(Semaphore(1, "closed").acquire)
            time.sleep(0.02)
            Semaphore(1, "closed").close()
            with pytest.raises(RuntimeError, match="closed or deleted"):
                waits.result(PATIENCE)


def interrupted(what: Callable[[], object]) -> None:
    """Calls it, and presses Ctrl-C meanwhile."""
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        what()
        time.sleep(PATIENCE)


def test_whoever_is_interrupted_leaves_nothing_behind(client):
    held = Lock("interrupted")
    held.acquire()
    interrupted(Lock("interrupted").acquire)
    held.release()
    assert Lock("interrupted").acquire(timeout=PATIENCE), "nobody else has it"
    queue = Queue("interrupted")
    interrupted(queue.get)
    queue.put(1)
    assert queue.get(timeout=PATIENCE) == 1


def test_the_lock_is_free_whenever_the_interruption_comes(client):
    """Interruptions at moments about that in which the lock is given."""
    for delay in np.linspace(0, 2e-3, 15):
        held = Lock("moment")
        held.acquire()
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        lock = Lock("moment")
        try:
            threading.Timer(1e-3, held.release).start()
            # On a slow machine it may come before the lock is asked for.
            signal.setitimer(signal.ITIMER_REAL, 1e-3 + delay)
            lock.acquire()
            time.sleep(PATIENCE)
        except KeyboardInterrupt:
            pass
        del lock, held
        gc.collect()
        last = Lock("moment")
        assert last.acquire(timeout=PATIENCE)
        last.release()


# --- events, variables, queues ------------------------------------------------------------------------------------


def test_events(client):
    event = Event("e")
    assert not event.is_set() and event.wait(timeout=0.005) is False
    waiting = client.submit(lambda: Event("e").wait(timeout=PATIENCE))
    event.set()
    assert waiting.result() is True and event.wait() and event.is_set()
    event.clear()
    assert not Event("e").is_set()


def test_variables(client, other):
    with pytest.raises(TimeoutError, match="has no value"):
        Variable("v").get(timeout="5 ms")
    Variable("v").set([1, {"a": (2,)}])
    assert Variable("v", client=other).get() == [1, {"a": (2,)}]
    assert client.submit(lambda: Variable("v").get()).result() == [1, {"a": (2,)}]
    Variable("v").delete()
    Variable("v").delete()
    with pytest.raises(TimeoutError):
        Variable("v").get(timeout=0)


def test_queues(client, other):
    queue = Queue("q", maxsize=2)
    queue.put(1)
    queue.put(2)
    with pytest.raises(TimeoutError, match="no room"):
        Queue("q").put(3, timeout="5 ms")
    assert Queue("q", client=other).qsize() == 2
    assert queue.get() == 1 and queue.get(batch=1) == [2] and queue.get(batch=True) == []
    with pytest.raises(TimeoutError, match="too few"):
        queue.get(timeout=0.005)
    with pytest.raises(ValueError, match="size of 2"):
        Queue("q", maxsize=3).put(1)
    client.gather([client.submit(lambda i=i: Queue("q").put(i), pure=False) for i in range(2)])
    assert sorted(queue.get(batch=np.int64(2))) == [0, 1]
    copy = pickle.loads(pickle.dumps(queue))
    assert (copy.name, copy.maxsize) == ("q", 2)
    for batch in (0, -1, 1.5, "2"):
        with pytest.raises((ValueError, TypeError), match="batch"):
            queue.get(batch=batch)
    queue.close()
    assert queue.qsize() == 0


def test_many_clients_at_once(cluster, client):
    def take(index: int) -> list[int]:
        with Client(cluster, set_as_default=False) as own:
            for i in range(20):
                Queue("many", client=own).put(100 * index + i)
            return [Queue("many", client=own).get(timeout=PATIENCE) for _ in range(20)]

    with ThreadPoolExecutor(6) as pool:
        taken = [item for items in pool.map(take, range(6)) for item in items]
    assert sorted(taken) == [100 * index + i for index in range(6) for i in range(20)]


def test_futures_in_queues_and_variables_outlive_those_who_put_them(cluster, client):
    with Client(cluster) as gone:
        future = gone.submit(pow, 2, 5, key="thirty-two")
        Queue("futures").put({"a": [future]})
        Variable("futures").set(gone.scatter(np.arange(5)))
        del future
    with client.as_current():
        found = Queue("futures").get()["a"][0]
        assert found.key == "thirty-two" and found.result() == 32
        assert client.submit(abs, found).result() == 32
        # And once more, by one who didn't make it.
        Queue("futures").put(found)
        del found
        assert Queue("futures").get().result() == 32
        data = Variable("futures").get()
        Variable("futures").delete()
        assert data.result().sum() == 10


def test_a_future_that_fails_does_so_for_everybody(client, other):
    Variable("failing").set(client.submit(lambda: 1 / 0))
    future = Variable("failing", client=other).get()
    with pytest.raises(ZeroDivisionError):
        future.result()


def test_what_was_cancelled_is_not_shared(client):
    future = client.submit(time.sleep, 0)
    future.release()
    with pytest.raises(Exception, match="cancelled or released"):
        Variable("cancelled").set([future])


def test_futures_of_another_client_and_of_another_cluster(client, other):
    Variable("theirs").set(other.submit(abs, -3))
    other.close()
    assert Variable("theirs").get().result() == 3
    with LocalCluster(n_workers=1, threads_per_worker=1) as elsewhere, Client(elsewhere, set_as_default=False) as far:
        with pytest.raises(ValueError, match="another cluster"):
            Variable("theirs", client=client).set(far.submit(abs, -3))
    Variable("theirs").delete()


def test_large_values_go_to_the_workers(cluster, client):
    array = np.arange(3_000_000)
    with Client(cluster):
        Queue("large").put(["large", array], timeout=PATIENCE)
    with client.as_current():
        text, found = Queue("large").get()
        assert text == "large" and np.array_equal(found, array)


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary() | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.integers(), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.recursive(
    st.text(st.characters(), max_size=20)
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.binary(max_size=9),
    lambda inner: st.tuples(inner) | st.tuples(inner, inner),
    max_leaves=3,
)
SOME = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@SOME
@given(name=NAMES, value=ODD)
def test_whatever_is_put_under_whatever_name_comes_back(client, name, value):
    Variable(name or "empty").set(value)
    assert Variable(name or "empty").get() == value
    Queue(name or "empty").put(value)
    assert Queue(name or "empty").get(batch=True) == [value]
    client.publish_dataset({name: value}, override=True)
    assert name in client.list_datasets() and client.get_dataset(name) == value
    client.unpublish_dataset(name)
    client.log_event("odd", value)
    assert client.get_events("odd")[-1][1] == value


@SOME
@given(keys=st.lists(st.text(max_size=9) | st.integers(), min_size=1, max_size=4), value=ODD)
def test_metadata_is_nested_dictionaries(client, keys, value):
    client.set_metadata(keys, value)
    assert client.get_metadata(keys) == value
    found = client.get_metadata([])
    for key in keys:
        found = found[key]
    assert found == value


def test_names_that_are_none(client):
    for name in ([1], {"a": 1}, float("nan"), float("inf"), object(), (1, [2])):
        with pytest.raises(TypeError, match="a name is a text"):
            Lock(name)
        with pytest.raises(TypeError, match="a name is a text"):
            client.get_dataset((name,))
    with pytest.raises(ValueError, match="bytes in a name"):
        Event("x" * 2000).set()


def test_values_that_cannot_be_pickled(client):
    for act in (Variable("unpicklable").set, Queue("unpicklable").put, lambda value: client.publish_dataset(x=value)):
        with pytest.raises(TypeError):
            act(threading.Lock())
    with pytest.raises(TypeError, match="can be pickled"):
        client.log_event("unpicklable", threading.Lock())
    assert Queue("unpicklable").qsize() == 0


def test_without_a_client_there_is_nobody_to_ask(cluster):
    with pytest.raises(ValueError, match="there is no client"):
        Lock("nobody").acquire()
    with Client(cluster) as client:
        lock = Lock("nobody")
        lock.acquire()
        closed = Variable("nobody", client=client)
    with pytest.raises(ConnectionError):
        closed.set(1)
    # The one or the other is known first.
    lost = "lock `nobody` was lost before it was released.*the session was closed|the session is over"
    with pytest.raises((RuntimeError, ConnectionError), match=lost):
        lock.release()
    with pytest.raises(TypeError, match="is a raskt.distributed.Client"):
        Event("x", client="tcp://")


# --- metadata, datasets, topics -----------------------------------------------------------------------------------


def test_a_tuple_may_be_one_key_of_metadata(client):
    client.set_metadata(("p", "q"), 6)
    assert client.get_metadata(("p", "q")) == client.get_metadata([("p", "q")]) == 6
    client.set_metadata(["p", "q"], 7)
    # What lies there by two keys comes first.
    assert client.get_metadata(("p", "q")) == client.get_metadata(["p", "q"]) == 7
    assert client.get_metadata(("p", "r"), default=None) is None
    with pytest.raises(KeyError):
        client.get_metadata(("p", "r"))


def test_metadata(client):
    client.set_metadata("x", {"y": 1, "w": {"z": []}})
    client.set_metadata(["x", "w", "v"], (2,))
    assert client.get_metadata("x") == {"y": 1, "w": {"z": [], "v": (2,)}}
    client.set_metadata(["x", "y", "deeper"], 3)
    assert client.get_metadata(["x", "y"]) == {"deeper": 3}
    client.set_metadata("x", {})
    assert client.get_metadata("x") == {}
    with pytest.raises(KeyError, match="nothing"):
        client.get_metadata("nothing")
    assert client.get_metadata(["x", "nothing"], default=7) == 7


def test_datasets_outlive_those_who_publish_them(cluster, client):
    with Client(cluster) as gone:
        array = ra.arange(12, chunks=4)
        lazy = gone.persist(delayed(pow)(2, 3))
        gone.publish_dataset(
            array=gone.persist(array), uncomputed=array + 1, lazy=lazy, futures=[gone.submit(abs, -1)], plain={"a": 1}
        )
    with client.as_current():
        assert {"array", "uncomputed", "lazy", "futures", "plain"} <= set(client.list_datasets())
        found = client.get_dataset("array")
        assert np.array_equal(found.compute(), np.arange(12)) and found.chunks == ((4, 4, 4),)
        assert found[3:].sum().compute() == sum(range(3, 12))
        assert found.sum().compute(scheduler="threads") == 66
        assert client.get_dataset("uncomputed").sum().compute() == 78
        assert client.get_dataset("lazy").compute() == 8
        assert client.get_dataset("futures")[0].result() == 1
        client.unpublish_dataset(["array", "uncomputed", "lazy", "futures", "not there"])
        assert np.array_equal(found.compute(), np.arange(12)), "who has it keeps it"
        client.unpublish_dataset("plain")


def test_names_of_datasets(client, other):
    client.publish_dataset(1, 2, name=("t", 1))
    client.publish_dataset({"x": 1}, y=2)
    assert set(other.list_datasets()) == {("t", 1), "x", "y"}
    assert other.get_dataset(["y", ("t", 1)]) == [2, (1, 2)]
    with pytest.raises(KeyError, match="already exists"):
        other.publish_dataset(x=3)
    other.publish_dataset(x=3, override=True)
    assert client.datasets["x"] == 3 and len(client.datasets) == 3 and set(client.datasets) == {("t", 1), "x", "y"}
    with pytest.raises(KeyError, match="not found"):
        client.get_dataset("zz")
    assert client.get_dataset("zz", default=None) is None
    with pytest.raises(ValueError, match="has a name"):
        client.publish_dataset(5)
    with pytest.raises(ValueError, match="names what else"):
        client.publish_dataset(name="x")
    client.datasets["z"] = [1]
    del client.datasets["z"]
    assert "z" not in client.datasets
    client.unpublish_dataset(["x", "y", ("t", 1)])
    assert client.list_datasets() == []


def test_topics(client, other):
    heard: list[tuple[float, object]] = []
    other.subscribe_topic("news", lambda event: 1 / 0)
    other.subscribe_topic("news", heard.append)
    began = time.time()
    client.log_event(["news", "olds"], {"a": 1})
    client.log_event("news", 2)
    until(lambda: len(heard) == 2)
    assert [message for _, message in heard] == [{"a": 1}, 2] and abs(heard[0][0] - began) < 5
    assert client.get_events("news") == tuple(heard) and client.get_events("never") == ()
    assert [message for _, message in client.get_events()["olds"]] == [{"a": 1}]
    other.unsubscribe_topic("news")
    with pytest.raises(ValueError, match="nobody listens"):
        other.unsubscribe_topic("news")
    client.log_event("news", 3)
    other.subscribe_topic("news", heard.append)
    client.log_event("news", 4)
    until(lambda: len(heard) == 3)
    assert heard[-1][1] == 4
    other.unsubscribe_topic("news")
    with pytest.raises(TypeError, match="called with each event"):
        client.subscribe_topic("news", 5)


# --- asyncio ------------------------------------------------------------------------------------------------------


def test_asynchronous_clients(cluster):
    async def work() -> None:
        async with Client(cluster, asynchronous=True) as client:
            lock = await Lock("async")
            async with lock:
                assert await Lock("async").acquire(timeout=0.005) is False
            with pytest.raises(TypeError, match="async with"), lock:
                pass
            async with Semaphore(1, "async") as semaphore:
                assert await semaphore.get_value() == 1
            async with MultiLock(["async"]) as several:
                assert several.locked()
            await Event("async").set()
            assert await Event("async").wait()
            await Variable("async").set(client.submit(abs, -2))
            assert await (await Variable("async").get()) == 2
            await Variable("async").delete()
            queue = await Queue("async")
            await queue.put(1)
            assert await queue.qsize() == 1 and await queue.get() == 1 and await queue.get(batch=True) == []
            with pytest.raises(TimeoutError):
                await queue.get(timeout=0.005)
            await client.set_metadata("async", 1)
            assert await client.get_metadata("async") == 1
            await client.publish_dataset(asynchronous=[1])
            assert await client.get_dataset("asynchronous") == [1]
            assert [name async for name in client.datasets if name == "asynchronous"] == ["asynchronous"]
            await client.unpublish_dataset("asynchronous")
            heard: asyncio.Queue[object] = asyncio.Queue()

            async def hear(event: tuple[float, object]) -> None:
                await heard.put(event[1])

            client.subscribe_topic("async", hear)
            await client.log_event("async", "x")
            assert await asyncio.wait_for(heard.get(), PATIENCE) == "x"
            client.unsubscribe_topic("async")

    asyncio.run(work())


def test_whoever_is_cancelled_leaves_nothing_behind(cluster):
    async def work() -> None:
        async with Client(cluster, asynchronous=True):
            semaphore = Semaphore(1, "cancelled")
            await semaphore.acquire()
            held = Lock("cancelled")
            await held.acquire()
            for wait_for in (Lock("cancelled").acquire, Queue("cancelled").get, Semaphore(1, "cancelled").acquire):
                task = asyncio.ensure_future(wait_for())
                await asyncio.sleep(0.005)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            await semaphore.release()
            await held.release()
            # At moments about that in which it is given.
            for delay in range(10):
                await held.acquire()
                last = Lock("cancelled")
                task = asyncio.ensure_future(last.acquire())
                await asyncio.sleep(0.001)
                await held.release()
                await asyncio.sleep(delay * 1e-4)
                task.cancel()
                if (await asyncio.gather(task, return_exceptions=True))[0] is True:
                    await last.release()
            assert await Lock("cancelled").acquire(timeout=PATIENCE)
            await Queue("cancelled").put(1)
            assert await Queue("cancelled").get(timeout=PATIENCE) == 1
            assert await Semaphore(1, "cancelled").acquire(timeout=PATIENCE)

    asyncio.run(work())


def test_items_that_came_to_nobody_are_first_again(client):
    """An item whose reading is interrupted is the next one's."""
    queue = Queue("interrupted-reading")
    queue.put(Interrupts())
    queue.put("next")
    with pytest.raises(KeyboardInterrupt):
        queue.get(timeout=PATIENCE)
    Interrupts.is_over = True
    assert queue.get(timeout=PATIENCE) == "read" and queue.get(timeout=PATIENCE) == "next"


class Interrupts:
    is_over = False

    def __reduce__(self):
        return _read, ()


def _read() -> str:
    if not Interrupts.is_over:
        raise KeyboardInterrupt
    return "read"


def read_in_a_task() -> str:
    try:
        return str(Queue("in a task").get(timeout=PATIENCE).result())
    except ValueError as error:
        return str(error)


def test_a_task_reads_a_future_if_it_has_a_client_and_else_leaves_it(client):
    Queue("in a task").put(client.submit(abs, -7))
    read = client.submit(read_in_a_task).result(PATIENCE)
    if "there is no client here" in read:
        assert Queue("in a task").get(timeout=PATIENCE).result() == 7
    else:
        assert read == "7"


def test_nothing_is_left_when_all_is_gone(cluster, client):
    """What names have kept alive goes with them."""
    gone = client.persist(ra.ones(100, chunks=10))
    client.publish_dataset(left=gone)
    del gone
    found = client.get_dataset("left")
    client.unpublish_dataset("left")
    wait([client.submit(abs, 1)])
    assert found.sum().compute() == 100


@pytest.mark.parametrize("is_asynchronous", [False, True])
def test_what_a_block_has_raised_counts_more_than_that_its_lock_was_lost(client, monkeypatch, is_asynchronous):
    lock = Lock("raises")
    release = lock.release

    def lost():
        release()
        raise RuntimeError("it was lost meanwhile")

    monkeypatch.setattr(lock, "release", lost)

    async def block():
        async with lock:
            raise ValueError("my own")

    with pytest.raises(ValueError, match="my own") as told:
        if is_asynchronous:
            asyncio.run(block())
        with lock:
            raise ValueError("my own")
    assert "it was lost meanwhile" in "".join(getattr(told.value, "__notes__", ["it was lost meanwhile"]))
    with pytest.raises(RuntimeError, match="it was lost"), lock:
        pass
