"""Bags of Dask and its delayed calls."""

from __future__ import annotations

import collections
import threading
from operator import add

import pytest

import raskt.dask

dask = pytest.importorskip("dask")
db = pytest.importorskip("dask.bag")


@pytest.fixture
def numbers():
    return db.from_sequence(range(100), npartitions=7)


def test_bags(numbers, same):
    same(numbers.map(lambda x: x + 1).filter(lambda x: x % 3 == 0))
    same(numbers.sum(), numbers.mean(), numbers.max(), numbers.count())
    same(numbers.fold(add), numbers.map(lambda x: x % 5).frequencies(sort=True))
    same(numbers.foldby(lambda x: x % 4, add, 0))
    same(db.zip(numbers, numbers.map(str)), numbers.random_sample(0.5, 1), numbers.map(str).distinct())


def test_bags_in_groups(numbers, client):
    with dask.config.set(scheduler=client):
        groups = dict(numbers.groupby(lambda x: x % 3).compute())
    assert {key: sorted(items) for key, items in groups.items()} == {k: list(range(k, 100, 3)) for k in range(3)}


def test_delayed_calls(same):
    Point = collections.namedtuple("Point", "x y")
    inc = dask.delayed(lambda x: x + 1, pure=True)
    one = inc(0)
    same(one + 10, inc(inc(one)) * one, -one, one == 1)
    same(dask.delayed(sum)([one, [2][0], inc(2)]))
    same(dask.delayed({"a": [one, (inc(1), {"b"})], "c": {one}}))
    same(dask.delayed(Point(one, [inc(3)])))
    same(dask.delayed(dict)(x=one, y=inc(5)))
    same(dask.delayed("abc").upper().replace("A", dask.delayed("z")))
    first, second = dask.delayed(divmod, nout=2)(17, inc(4))
    same(first, second, first - second)


def test_a_chain_as_long_as_patience(client):
    last = 0
    step = dask.delayed(lambda x: x + 1)
    for _ in range(300):
        last = step(last)
    assert last.compute(scheduler=client) == 300


def test_computing_within_a_task(client):
    def inner(n):
        return dask.delayed(sum)([dask.delayed(abs)(-i) for i in range(n)]).compute()

    with dask.config.set(scheduler=client):
        # More tasks wait for tasks than there are threads.
        total = dask.delayed(sum)([dask.delayed(inner)(n) for n in range(12)]).compute()
    assert total == sum(sum(range(n)) for n in range(12))


def test_computing_from_several_threads(client):
    results = []

    def work(n):
        calls = [dask.delayed(add)(i, n) for i in range(50)]
        results.append((n, dask.compute(*calls, scheduler=client)))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert sorted(results) == [(n, tuple(range(n, n + 50))) for n in range(6)]


@pytest.mark.own_process
def test_the_number_of_workers():
    names = dask.delayed(lambda _: (threading.current_thread().ident, __import__("time").sleep(0.02))[0])
    calls = [names(i) for i in range(12)]

    def used(**kwargs):
        return set(dask.compute(*calls, **kwargs))

    assert len(used(scheduler=raskt.dask.get, num_workers=1)) == 1
    assert len(used(scheduler=raskt.dask.Client(num_workers=3))) == 3
    assert used(scheduler=raskt.dask.Client(scheduler="sync")) == {threading.current_thread().ident}
    with dask.config.set(num_workers=4):
        assert len(used(scheduler=raskt.dask.get)) == 4
