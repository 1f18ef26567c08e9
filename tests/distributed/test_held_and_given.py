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
