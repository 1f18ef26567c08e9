"""BLAS, OpenMP and Arrow are held to one thread for each task while Python tasks run in parallel."""

from __future__ import annotations

import os
import threading

import numpy as np
import pyarrow
import pytest

import raskt
from raskt import delayed

threadpoolctl = pytest.importorskip("threadpoolctl")

PROCESSORS = len(os.sched_getaffinity(0))
WORKERS = 2


def blas():
    return [pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]


@pytest.fixture(autouse=True)
def many_threads():
    """As many threads as there are processors and one more, so that a limit shows on any machine."""
    np.ones((2, 2)) @ np.ones((2, 2))
    arrow = pyarrow.cpu_count()
    pyarrow.set_cpu_count(PROCESSORS + 1)
    with threadpoolctl.threadpool_limits(PROCESSORS + 1):
        yield
    pyarrow.set_cpu_count(arrow)


def measured(how, workers=WORKERS):
    """What tasks see that all run at the same time."""
    barrier = threading.Barrier(workers)

    def look():
        barrier.wait(20)
        # A thread that came first has looked before there were two: now all are there.
        seen = blas(), pyarrow.cpu_count()
        barrier.wait(20)
        return seen

    # The first round brings all threads to work; the second is theirs from its start.
    raskt.compute(*[delayed(look)() for _ in range(workers)], num_workers=workers, **how)
    return raskt.compute(*[delayed(look)() for _ in range(workers)], num_workers=workers, **how)


@pytest.mark.skipif(not blas(), reason="NumPy's BLAS is one that can't be asked")
def test_libraries_are_held_while_tasks_run_in_parallel_and_let_go_afterwards():
    before = blas(), pyarrow.cpu_count()
    for threads, arrow in measured({}):
        assert set(threads) == {1} and arrow == 1
    assert (blas(), pyarrow.cpu_count()) == before


@pytest.mark.skipif(not blas(), reason="NumPy's BLAS is one that can't be asked")
def test_a_task_by_itself_has_all_threads():
    before = blas()
    assert delayed(blas)().compute() == before
    assert delayed(blas)().compute(scheduler="sync") == before


@pytest.mark.skipif(not blas(), reason="NumPy's BLAS is one that can't be asked")
def test_tasks_that_wait_for_one_count_for_nothing():
    before = blas()
    outer = delayed(lambda: delayed(lambda: delayed(blas)().compute())().compute())
    # The innermost is the only one at work, whichever threads they are on.
    assert outer().compute(num_workers=3) == before
    assert blas() == before


@pytest.mark.skipif(not blas(), reason="NumPy's BLAS is one that can't be asked")
def test_users_may_leave_them_alone():
    before = blas(), pyarrow.cpu_count()
    with raskt.config.set({"library-threads": "free"}):
        for seen in measured({}):
            assert seen == before
    with pytest.raises(ValueError, match="library-threads"), raskt.config.set({"library-threads": "some"}):
        pass


@pytest.mark.skipif(not blas(), reason="NumPy's BLAS is one that can't be asked")
def test_an_error_gives_them_back():
    before = blas()

    def fail():
        raise ValueError("no")

    for _ in range(5):
        with pytest.raises(ValueError, match="no"):
            raskt.compute(*[delayed(fail)() for _ in range(8)], num_workers=WORKERS)
    raskt.compute(delayed(abs)(1), num_workers=WORKERS)
    assert blas() == before
