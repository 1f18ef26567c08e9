"""An engine that breaks down: everybody who waits is told, and what comes next works."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import raskt
import raskt.array as ra
from raskt import _core, delayed
from raskt.futures import as_completed, submit

SCHEDULERS = ["sync", "threads", "processes"]
SECONDS = 30


def slow(x):
    time.sleep(0.05)
    return x


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_those_who_wait_are_told_and_the_next_computation_works(scheduler, capfd):
    """
    1. Four threads compute, on two workers; one of them within a task.
    2. The engine breaks down. All that had not ended raise ``EngineBroken``, with the story; where each caller has an
       engine of its own, they end as if nothing had been.
    3. Data that was persisted before is there, and computations go on, also from within tasks.
    """
    kept = ra.arange(1000, chunks=10).persist(scheduler=scheduler, num_workers=2)

    def sums(count):
        return sum(raskt.compute(*[delayed(slow)(i) for i in range(count)], scheduler=scheduler, num_workers=2))

    ends = []

    def wait(count):
        try:
            ends.append(sums(count))
        except raskt.EngineBroken as error:
            ends.append(str(error))

    others = [threading.Thread(target=wait, args=[20], daemon=True) for _ in range(4)]
    for other in others:
        other.start()
    time.sleep(0.2)
    _core._break_engine(scheduler, 2)
    for other in others:
        other.join(SECONDS)
    assert len(ends) == 4, "nobody waits for ever"
    assert all(end == 190 or "asked to" in end and "flight-record" in end for end in ends)
    assert any(end != 190 for end in ends) == (scheduler != "sync")
    np.testing.assert_array_equal(kept.compute(scheduler=scheduler, num_workers=2), np.arange(1000))
    assert sums(5) == 10
    assert delayed(sums)(5).compute(scheduler=scheduler, num_workers=2) == 10
    assert capfd.readouterr().err == ""


def test_a_break_within_a_task_of_the_engine_is_an_error_of_its_computation():
    def breaks():
        _core._break_engine("threads", 2)
        return 1

    with pytest.raises(raskt.EngineBroken, match="asked to"):
        delayed(breaks)().compute(num_workers=2)
    assert delayed(slow)(1).compute(num_workers=2) == 1


def test_futures_in_line_are_run_after_a_break():
    """
    1. Futures of two threads: some run, some stand in line.
    2. The engine breaks down. Every future ends with its result: what runs goes on, and what waits gets threads anew.
    """
    with raskt.config.set({"num-workers": 2}):
        for _ in range(5):
            futures = [submit(slow, i, pure=False) for i in range(20)]
            time.sleep(0.02)
            _core._break_engine("threads", 2)
            ends = sorted(future.result(timeout=SECONDS) for future in as_completed(futures))
            assert ends == list(range(20))
