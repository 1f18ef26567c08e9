"""Threads that hinder each other take turns; nothing that has to run at the same time waits for it."""

from __future__ import annotations

import threading
import time

import numpy as np
import pandas as pd
import pytest

import raskt
import raskt.dask

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")


def pandas_calls(count: int) -> list:
    """Tasks that hold the interpreter nearly all the time, and let it go often."""
    table = pd.DataFrame({"a": np.arange(20.0), "b": 1.0})

    def work(number):
        return float(table.assign(c=table.a + number)[["c"]].sum().iloc[0])

    return [dask.delayed(work, pure=False)(number) for number in range(count)]


@pytest.fixture
def in_turns():
    """Threads have just been found to hinder each other."""
    with raskt.dask.Client(num_workers=2):
        dask.compute(*pandas_calls(600))


def test_results_are_the_same_in_turns(in_turns):
    expected = [float(sum(range(20)) + 20 * number) for number in range(400)]
    for workers in (2, 5):
        with raskt.dask.Client(num_workers=workers):
            assert list(dask.compute(*pandas_calls(400))) == expected


@pytest.mark.own_process
def test_tasks_that_meet_find_each_other(in_turns):
    meeting = threading.Barrier(3, timeout=60)
    meet = dask.delayed(lambda _: meeting.wait(), pure=False)
    with raskt.dask.Client(num_workers=3):
        met = dask.compute(*[meet(number) for number in range(3)], *pandas_calls(200))[:3]
    assert sorted(met) == [0, 1, 2]


@pytest.mark.own_process
def test_tasks_that_sleep_run_at_the_same_time(in_turns):
    running, most, lock = 0, 0, threading.Lock()

    def sleep(_):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.002)
        with lock:
            running -= 1

    with raskt.dask.Client(num_workers=4):
        dask.compute(*[dask.delayed(sleep, pure=False)(number) for number in range(400)])
    assert most == 4


def test_computations_within_tasks_go_on_in_their_turn(in_turns):
    def total(number):
        return sum(raskt.compute(*[raskt.delayed(abs)(-number) for _ in range(3)], scheduler="sync"))

    with raskt.dask.Client(num_workers=3):
        totals = dask.compute(*[dask.delayed(total, pure=False)(number) for number in range(60)], *pandas_calls(200))
    assert list(totals[:60]) == [3 * number for number in range(60)]
