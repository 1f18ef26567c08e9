"""Futures travel, and calls that read them."""

from __future__ import annotations

import pickle

import raskt.futures
from raskt import delayed


def test_a_future_is_pickled():
    assert pickle.loads(pickle.dumps(raskt.futures.submit(int, "3"))).result() == 3


def test_a_call_that_reads_a_future():
    assert delayed(abs)(raskt.futures.submit(int, "-3")).compute() == 3
