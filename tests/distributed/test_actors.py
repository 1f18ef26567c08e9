"""Actors: state on one worker."""

from __future__ import annotations

import asyncio
import os
import time

import pytest

from raskt.distributed import Actor, ActorFuture, BaseActorFuture, Client, get_client, get_worker


class Counter:
    n = 0

    def __init__(self, start=0):
        self.n = start
        self.log = []

    def add(self, number):
        self.log.append(number)
        self.n += number
        return self.n

    def fails(self):
        raise KeyError("no such thing")

    def where(self):
        return os.getpid()

    def slow(self):
        time.sleep(0.05)
        return self.n

    def asks(self):
        return get_client().submit(abs, -self.n).result()

    async def later(self, event=None):
        await asyncio.sleep(0)
        return self.n, get_worker().name


def test_an_actor_keeps_its_state(client):
    future = client.submit(Counter, 10, actor=True)
    counter = future.result()
    assert isinstance(counter, Actor) and "Counter" in repr(counter)
    calls = [counter.add(number) for number in range(50)]
    assert all(isinstance(call, ActorFuture) and isinstance(call, BaseActorFuture) for call in calls)
    assert calls[-1].result() == 10 + sum(range(50)) and all(call.done() for call in calls)
    assert [call.result() for call in calls][:3] == [10, 11, 13]
    assert (counter.n, counter.log) == (10 + sum(range(50)), list(range(50)))
    with pytest.raises(KeyError, match="no such thing"):
        counter.fails().result()
    with pytest.raises(AttributeError):
        counter.nothing
    with pytest.raises(AttributeError, match="method"):
        counter.n = 5
    with pytest.raises(TimeoutError):
        counter.slow().result(timeout=0.001)


def test_an_actor_in_tasks_and_of_other_clients(client, cluster):
    counter = client.submit(Counter, actor=True).result()
    names = list(client.nthreads())

    def adds(counter, number):
        return counter.add(number).result(), get_worker().name

    told = [client.submit(adds, counter, 1, workers=[name]).result() for name in names * 3]
    assert [total for total, _ in told] == [1, 2, 3, 4, 5, 6]
    future = client.submit(Counter, 5, actor=True)
    assert client.submit(adds, future, 2).result()[0] == 7
    with Client(cluster, set_as_default=False) as other, other.as_current():
        import pickle

        taken = pickle.loads(pickle.dumps(counter))
        assert taken.add(4).result() == 10


def test_actors_by_map_and_with_futures_as_arguments(client):
    start = client.submit(int, "7")
    counters = client.gather(client.map(Counter, [1, 2, 3], actor=True))
    assert [counter.n for counter in counters] == [1, 2, 3]
    assert client.submit(Counter, start, actor=True).result().n == 7


def test_methods_that_ask_the_cluster_and_async_ones():
    with Client(n_workers=1, threads_per_worker=1, set_as_default=False) as client:
        counter = client.submit(Counter, -3, actor=True).result()
        assert counter.asks().result(timeout=30) == 3
        assert counter.later().result() == (-3, next(iter(client.nthreads())))

        # The one thread is in a task that waits for the actor.
        def waits(counter):
            return counter.asks().result()

        assert client.submit(waits, counter).result(timeout=30) == 3

        async def awaits():
            return await counter.add(5)

        assert asyncio.run(awaits()) == 2


def test_an_actor_is_there_as_long_as_somebody_holds_it(client):
    counter = client.submit(Counter, actor=True).result()
    # The future is gone; the actor holds its own.
    assert counter.add(1).result() == 1

    def actors():
        return sum(type(actor._instance).__name__ == "Counter" for actor in get_worker()._actors.values())

    before = sum(client.run(actors).values())
    assert before >= 1
    del counter
    deadline = time.monotonic() + 30
    while sum(client.run(actors).values()) >= before:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_the_end_of_its_worker_is_told():
    with Client(n_workers=1, threads_per_worker=1, set_as_default=False) as client:
        future = client.submit(Counter, actor=True)
        counter = future.result()
        assert counter.add(1).result() == 1
        pid = counter.where().result()
        under_way = counter.slow()
        os.kill(pid, 9)
        with pytest.raises(OSError, match="is gone"):
            under_way.result(timeout=30)
        with pytest.raises(OSError, match="is gone"):
            counter.add(1).result(timeout=30)
        # Where it is known, another one without its state doesn't take its place.
        with pytest.raises(OSError, match="is gone"):
            future.result(timeout=60).add(1).result(timeout=60)
