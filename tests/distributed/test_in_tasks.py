"""What a task sees on its worker: the worker, a client, slots that it lends, and that it is to be run again."""

from __future__ import annotations

import asyncio
import os
import threading
import time

import pytest

import raskt.array as ra
from raskt import delayed
from raskt.distributed import (
    Client,
    LocalCluster,
    Reschedule,
    _this_worker,
    get_client,
    get_worker,
    rejoin,
    secede,
    wait,
    worker_client,
)


@pytest.fixture
def lonely():
    """A client of one worker with one thread: what waits for anything without lending its slot stays for ever."""
    with Client(n_workers=1, threads_per_worker=1, set_as_default=False) as client:
        yield client


def fib(n):
    if n < 2:
        return n
    client = get_client()
    first, second = client.submit(fib, n - 1), client.submit(fib, n - 2)
    return first.result() + second.result()


def test_a_worker_is_one_object_for_all_its_tasks(client):
    def count():
        worker = get_worker()
        worker.calls = getattr(worker, "calls", 0) + 1
        return worker.name, worker.id, worker.nthreads, worker.address, worker.calls, os.getpid()

    told = [client.submit(count, workers=[name]).result() for name in client.nthreads() for _ in range(3)]
    assert [calls for *_, calls, _ in told] == [1, 2, 3] * 2
    assert len({pid for *_, pid in told}) == 2
    known = {about["name"]: about for about in client.scheduler_info()["workers"].values()}
    for name, number, threads, address, *_ in told:
        about = known[name]
        assert (number, threads, [address]) == (about["id"], about["nthreads"], about["addresses"][:1])


def test_there_is_a_worker_in_delayed_calls_and_errands_and_none_elsewhere(client):
    names = set(client.nthreads())
    assert delayed(lambda: get_worker().name)().compute(scheduler=client) in names
    assert client.run(lambda: get_worker().name) == {name: name for name in names}
    for ask in (get_worker, secede, rejoin):
        with pytest.raises(ValueError, match="no task of a worker"):
            ask()
    with pytest.raises(ValueError, match="no task"), worker_client():
        pass


def test_the_key_of_the_task_that_runs(client):
    assert client.submit(lambda: get_worker().get_current_task(), key="mine").result() == "mine"
    with pytest.raises(ValueError, match="no task runs"):
        raise client.run(lambda: get_worker().get_current_task(), on_error="return").popitem()[1]


def test_a_worker_has_a_folder_and_no_pickle(client):
    def look():
        folder = get_worker().local_directory
        return folder == get_worker().local_directory and os.path.isdir(folder), folder

    is_one, folder = client.submit(look).result()
    assert is_one
    with pytest.raises(TypeError, match="can't be pickled"):
        client.submit(get_worker).result()
    with pytest.raises(NotImplementedError, match="futures"):
        client.submit(lambda: get_worker().data).result()


def test_folders_of_workers_go_with_them():
    with Client(n_workers=1, threads_per_worker=1, set_as_default=False) as client:
        folder = client.submit(lambda: get_worker().local_directory).result()
        assert os.path.isdir(folder)
    assert not os.path.isdir(folder)


def test_a_client_is_made_once_for_a_worker(lonely):
    def look():
        first, second = get_client(), get_worker().client
        return first is second, first.name, first.submit(abs, -5).result()

    (same, name, five), (_, again, _) = lonely.submit(look).result(), lonely.submit(look).result()
    assert same and name == again and five == 5


@pytest.mark.parametrize("how", ["result", "gather", "wait", "as_completed", "compute", "worker_client"])
def test_a_task_that_waits_lends_its_slot(lonely, how):
    def waits(how):
        client = get_client()
        if how == "result":
            return sum(future.result() for future in client.map(abs, [-1, -2, -3]))
        if how == "gather":
            return sum(client.gather(client.map(abs, [-1, -2, -3])))
        if how == "wait":
            return sum(future.result() for future in wait(client.map(abs, [-1, -2, -3])).done)
        if how == "as_completed":
            from raskt.distributed import as_completed

            return sum(result for _, result in as_completed(client.map(abs, [-1, -2, -3]), with_results=True))
        if how == "compute":
            return int(ra.arange(4, chunks=1).sum().compute(scheduler=client))
        with worker_client():
            return int(ra.arange(4, chunks=1).sum().compute())

    assert lonely.submit(waits, how).result(timeout=30) == 6


def test_recursion_on_one_thread(lonely):
    assert lonely.submit(fib, 8).result(timeout=60) == 21


def test_recursion_of_many_at_once(client):
    assert client.gather(client.map(fib, [5, 6, 7, 6, 5])) == [5, 8, 13, 8, 5]


def test_a_task_that_secedes_has_its_slot_back_afterwards(lonely):
    def holds(name):
        secede()
        secede()
        # Nothing waits for anything here: only the slot that was lent lets the other call run.
        deadline = time.monotonic() + 30
        while not os.path.exists(name):
            assert time.monotonic() < deadline
            time.sleep(0.001)
        rejoin()
        rejoin()
        return True

    def touches(name):
        open(name, "w").close()
        return True

    name = f"/tmp/raskt-test-secede-{os.getpid()}"
    try:
        first = lonely.submit(holds, name)
        assert lonely.submit(touches, name).result(timeout=30) and first.result(timeout=30)
    finally:
        os.unlink(name)

    def ends_seceded():
        secede()

    lonely.gather([lonely.submit(ends_seceded) for _ in range(20)])

    # Slots that were lent are back: one thread runs one task at a time.
    def at_once():
        worker = get_worker()
        worker.running = getattr(worker, "running", 0) + 1
        worker.most = max(getattr(worker, "most", 0), worker.running)
        time.sleep(0.002)
        worker.running -= 1
        return worker.most

    assert max(lonely.gather(lonely.map(lambda _: at_once(), range(30), pure=False))) == 1


def test_a_computation_within_a_task_of_one_within_another(lonely):
    def total(depth):
        with worker_client() as client:
            if depth == 0:
                return int(ra.ones(8, chunks=2).sum().compute())
            return client.submit(total, depth - 1).result() + 1

    assert lonely.submit(total, 4).result(timeout=60) == 12


def test_tasks_fail_and_are_cancelled_through_nested_ones(lonely):
    def outer():
        return get_client().submit(lambda: 1 / 0).result()

    with pytest.raises(ZeroDivisionError):
        lonely.submit(outer).result(timeout=30)


def test_get_client_outside_of_tasks_is_the_current_one(client):
    assert get_client() is client
    assert get_client(client._address) is client
    with pytest.raises(NotImplementedError, match="another one"):
        get_client("tcp://127.0.0.1:1")


def test_workers_of_this_process_are_told_apart():
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=False) as cluster, Client(cluster) as client:
        client.wait_for_workers(2)
        names = [client.submit(lambda: get_worker().name, workers=[name]).result() for name in client.nthreads()]
        assert sorted(names) == sorted(client.nthreads())
        assert client.submit(fib, 5).result(timeout=30) == 5
        pids = client.gather([client.submit(lambda: id(get_client()), workers=[name]) for name in client.nthreads()])
        assert len(set(pids)) == 2


# --- tasks that ask to be run again -------------------------------------------------------------------------------


def test_a_task_that_asks_for_it_is_run_again(client):
    def third_time(name):
        with open(name, "a") as tries:
            tries.write("x")
        if os.path.getsize(name) < 3:
            raise Reschedule
        return os.path.getsize(name)

    name = f"/tmp/raskt-test-again-{os.getpid()}"
    try:
        assert client.submit(third_time, name).result(timeout=30) == 3
    finally:
        os.unlink(name)


def test_a_task_that_asks_for_it_without_end_fails(client):
    def never():
        raise Reschedule("not here")

    future = client.submit(never)
    assert isinstance(future.exception(timeout=30), Reschedule)
    assert client.submit(abs, -1).result() == 1


# --- async tasks --------------------------------------------------------------------------------------------------


def test_async_functions_are_awaited(client):
    async def double(n):
        await asyncio.sleep(0)
        return 2 * n

    async def fails():
        raise KeyError("gone")

    assert client.gather(client.map(double, range(5))) == [0, 2, 4, 6, 8]
    assert client.submit(double, client.submit(double, 1)).result() == 4
    assert delayed(double)(4).compute(scheduler=client) == 8
    with pytest.raises(KeyError, match="gone"):
        client.submit(fails).result()


def test_async_functions_know_their_worker_and_wait_for_futures(lonely):
    async def asks(n):
        worker, client = get_worker(), get_client()
        return worker.name, await client.submit(abs, n), threading.current_thread().name

    name, value, thread = lonely.submit(asks, -4).result(timeout=30)
    assert (name, value) == (next(iter(lonely.nthreads())), 4) and thread == "raskt-loop"


def test_async_functions_of_a_worker_have_one_loop(client):
    async def loop():
        return id(asyncio.get_running_loop())

    (name, *_) = client.nthreads()
    assert len({client.submit(loop, workers=[name]).result() for _ in range(5)}) == 1


def test_an_async_function_that_wants_to_exit_ends_nobody_elses(client):
    async def leaves():
        raise KeyboardInterrupt

    assert client.submit(leaves).exception(timeout=30) is not None

    async def three():
        return 3

    assert client.gather(client.map(lambda _: 1, range(4))) == [1] * 4
    assert client.submit(three).result(timeout=30) == 3


@pytest.mark.parametrize("processes", [True, False])
def test_a_task_of_a_cluster_with_certificates_has_a_client(processes):
    def ask():
        with worker_client() as client:
            return get_client() is client, client.submit(pow, 2, 10).result(), int(ra.ones(4, chunks=2).sum().compute())

    with (
        LocalCluster(n_workers=1, threads_per_worker=1, security=True, processes=processes) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        assert cluster.scheduler_address.startswith("tls://")
        assert client.submit(ask).result(60) == (True, 1024, 4)


def test_a_task_whose_worker_may_be_no_client_is_told_what_would_work():
    def ask(security):
        _this_worker.credentials_of_tasks.clear()
        with pytest.raises(ConnectionError, match=r"Client\(address, security=...\) makes one"):
            get_client()
        with Client(get_worker().scheduler_address, security=security, set_as_default=False) as client:
            return client.submit(pow, 2, 10).result()

    with (
        LocalCluster(n_workers=1, threads_per_worker=1, security=True) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        assert client.submit(ask, cluster.security).result(60) == 1024


def test_futures_that_workers_give_beside_tasks_stay_until_they_are_read(lonely):
    from raskt.distributed import _errands

    def slow():
        time.sleep(2.0)
        return 7

    native = lonely._raskt_cluster_client
    errand = _errands.send(native, list(_errands.numbers(native, None)), lambda: get_client().submit(slow))
    # Its worker holds it no longer, and whoever has asked hasn't read it.
    time.sleep(1.5)
    ((_, future, error),) = _errands.given(errand, 60)
    assert error is None and future.result(30) == 7
