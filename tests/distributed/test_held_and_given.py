"""What a cluster holds and what is given, side by side."""

from __future__ import annotations

import numpy as np

import raskt.array as ra
from raskt import delayed
from raskt.graph_manipulation import bind, clone


def test_copies_of_what_the_workers_hold(client):
    x = (ra.arange(40, chunks=20) + 1).persist()
    for copy in (clone(x), bind(x, delayed(int)("1")), clone(bind(x, delayed(int)("1")))):
        np.testing.assert_array_equal(copy.compute(), np.arange(1, 41))


def test_a_future_beside_a_delayed_function(client):
    futures = client.map(abs, [-1, -2])
    assert delayed(max)(futures, key=delayed(lambda x: -x)).compute() == 1


def test_one_call_that_reads_more_than_a_message_names(client):
    """In no order, so that each is named by itself; whoever is sent that ends no worker."""
    count = 230_000
    futures = client.scatter(list(range(count)))
    order = np.random.default_rng(1).permutation(count)
    before = set(client.scheduler_info()["workers"])
    assert client.submit(sum, [futures[at] for at in order]).result(timeout=60) == count * (count - 1) // 2
    assert set(client.scheduler_info()["workers"]) == before
