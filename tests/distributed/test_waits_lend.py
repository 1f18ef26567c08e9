"""Tasks that wait for what has a name lend their slot, as those do that wait for futures."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from raskt.distributed import Client, Event, Lock, Queue, Semaphore, Variable, get_client, wait
from raskt.distributed import as_completed as as_they_come

PATIENCE = 60


@pytest.fixture(scope="module")
def lonely():
    """A client of one worker with one thread: what waits for anything without lending its slot stays for ever."""
    with Client(n_workers=1, threads_per_worker=1, set_as_default=False) as client:
        yield client


def waits(how, name):
    Event(f"{name}-begun").set()
    if how == "event":
        return Event(name).wait(PATIENCE)
    if how == "lock":
        return Lock(name).acquire(timeout=PATIENCE)
    if how == "semaphore":
        return Semaphore(1, name).acquire(timeout=PATIENCE)
    if how == "get":
        return Queue(name).get(PATIENCE)
    if how == "put":
        return Queue(name, maxsize=1).put(2, PATIENCE) is None
    return Variable(name).get(PATIENCE)


def lets(how, name):
    Event(f"{name}-begun").wait(PATIENCE)
    if how == "event":
        Event(name).set()
    elif how == "get":
        Queue(name).put(True)
    elif how == "put":
        Queue(name, maxsize=1).get(PATIENCE)
    elif how == "variable":
        Variable(name).set(True)


@pytest.mark.parametrize("how", ["event", "get", "put", "variable"])
def test_what_a_task_waits_for_another_does_on_the_same_thread(lonely, how):
    with lonely.as_current():
        if how == "put":
            Queue("put", maxsize=1).put(1)
        first = lonely.submit(waits, how, how)
        second = lonely.submit(lets, how, how)
        assert first.result(PATIENCE) is True
        second.result(PATIENCE)


@pytest.mark.parametrize("how", ["lock", "semaphore"])
def test_what_a_task_waits_for_another_lets_go_of_on_the_same_thread(lonely, how):
    def holds(name):
        held = Lock(name) if name == "lock" else Semaphore(1, name)
        assert held.acquire()
        Event(f"{name}-held").set()
        # It has the lock while the other begins to wait for it.
        Event(f"{name}-begun").wait(PATIENCE)
        held.release()

    with lonely.as_current():
        holder = lonely.submit(holds, how)
        Event(f"{how}-held").wait(PATIENCE)
        assert lonely.submit(waits, how, how).result(PATIENCE) is True
        holder.result(PATIENCE)


@pytest.mark.parametrize("how", ["result", "gather", "wait", "as_completed", "await"])
def test_futures_of_tasks_do_so_as_well(lonely, how):
    def asks(how):
        client = get_client()
        futures = client.map(abs, [-1, -2])
        if how == "result":
            return sum(future.result() for future in futures)
        if how == "gather":
            return sum(client.gather(futures))
        if how == "wait":
            return sum(future.result() for future in wait(futures).done)
        return sum(future.result() for future in as_they_come(futures))

    async def awaits():
        return sum([await future for future in get_client().map(abs, [-1, -2])])

    future = lonely.submit(awaits) if how == "await" else lonely.submit(asks, how)
    assert future.result(PATIENCE) == 3


def test_many_that_wait_for_one_lock_take_a_bounded_number_of_threads_and_the_user_hears_of_it(lonely):
    def takes(number):
        with Lock("crowd"):
            return number

    def holds():
        with Lock("crowd"):
            Event("crowd-held").set()
            Event("crowd-goes-on").wait(PATIENCE)

    def threads():
        import os

        return len(os.listdir("/proc/self/task"))

    def is_told():
        (records,) = lonely.get_worker_logs().values()
        return any("others that wait for locks, events, queues or variables keep theirs" in line for _, line in records)

    with lonely.as_current():
        # The first thing that the worker logs is kept, too.
        lonely.get_worker_logs()
        holder = lonely.submit(holds)
        Event("crowd-held").wait(PATIENCE)
        futures = lonely.map(takes, range(400))
        end = time.monotonic() + PATIENCE
        while not is_told() and time.monotonic() < end:
            time.sleep(0.05)
        assert is_told() and max(lonely.run(threads).values()) < 350
        Event("crowd-goes-on").set()
        assert lonely.gather(futures) == list(range(400))
        holder.result(PATIENCE)


class Waits:
    """Its pickling waits for that of the last one."""

    def __init__(self, number: int, last: int) -> None:
        self.number, self.last = number, last

    def __getstate__(self):
        if self.number == self.last:
            Event("pickled").set()
        return {"has_come": Event("pickled").wait(PATIENCE)}


def test_however_many_objects_wait_while_they_are_pickled_the_others_are(lonely):
    # A client has 16 transfers of a worker under way at most, and what it asks for at once is packed as one.
    each, count = 14, 84
    with ExitStack() as clients, ThreadPoolExecutor(count) as pool:
        found = []
        for first in range(0, count, each):
            client = clients.enter_context(Client(lonely.cluster, set_as_default=False))
            futures = client.map(Waits, range(first, first + each), last=count - 1)
            wait(futures, PATIENCE)
            for future in futures:
                found.append(pool.submit(future.result, PATIENCE))
                time.sleep(0.02)
        assert all(waited.result().has_come for waited in found)
