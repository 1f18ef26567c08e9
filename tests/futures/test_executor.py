"""The executor, beside the one of the standard library."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor

import pytest

from raskt.futures import Executor, submit


def inc(x):
    return x + 1


@pytest.fixture(params=[Executor, ThreadPoolExecutor], ids=["raskt", "library"])
def executor(request):
    """What holds for the library's executor has to hold for ours."""
    with request.param(max_workers=2) as executor:
        yield executor


def test_submit(executor):
    future = executor.submit(pow, 2, exp=5)
    assert isinstance(future, concurrent.futures.Future)
    assert future.result(20) == 32 and future.done() and not future.running()


def test_map(executor):
    assert list(executor.map(pow, [1, 2, 3], [2, 2, 2])) == [1, 4, 9]
    with pytest.raises(ZeroDivisionError):
        list(executor.map(lambda x: 1 / x, [1, 0]))
    with pytest.raises(concurrent.futures.TimeoutError):
        list(executor.map(time.sleep, [0.3], timeout=0.01))


def test_errors(executor):
    future = executor.submit(lambda: 1 / 0)
    assert isinstance(future.exception(20), ZeroDivisionError)
    assert isinstance(executor.submit(exit).exception(20), SystemExit)


def test_wait_and_as_completed_of_the_library(executor):
    futures = [executor.submit(inc, i) for i in range(20)]
    assert concurrent.futures.wait(futures, 20).not_done == set()
    assert sorted(future.result() for future in concurrent.futures.as_completed(futures)) == list(range(1, 21))


def test_a_cancelled_call_is_not_made(executor):
    gate, called = threading.Event(), []
    running = [executor.submit(gate.wait, 20) for _ in range(2)]
    waiting = executor.submit(called.append, 1)
    assert waiting.cancel() and waiting.cancelled()
    told = []
    waiting.add_done_callback(told.append)
    with pytest.raises(CancelledError):
        waiting.result()
    gate.set()
    assert all(future.result() for future in running)
    concurrent.futures.wait([waiting], 20)
    assert (called, told) == ([], [waiting])


def test_a_running_call_is_not_cancelled(executor):
    gate, began = threading.Event(), threading.Event()
    future = executor.submit(lambda: began.set() or gate.wait(20))
    assert began.wait(20)
    assert future.running() and not future.cancel()
    gate.set()
    assert future.result(20) is True


def test_shutdown_waits(executor):
    future = executor.submit(time.sleep, 0.05)
    executor.shutdown()
    assert future.done()
    with pytest.raises(RuntimeError, match="after shutdown"):
        executor.submit(inc, 1)
    executor.shutdown()


def test_shutdown_without_waiting_lets_calls_go_on(executor):
    gate = threading.Event()
    futures = [executor.submit(gate.wait, 20) for _ in range(4)]
    executor.shutdown(wait=False)
    gate.set()
    assert [future.result(20) for future in futures] == [True] * 4


def test_shutdown_may_cancel_what_waits(executor):
    gate, began = threading.Event(), threading.Semaphore(0)
    running = [executor.submit(lambda: began.release() or gate.wait(20)) for _ in range(2)]
    assert began.acquire(timeout=20) and began.acquire(timeout=20)
    waiting = [executor.submit(inc, i) for i in range(3)]
    executor.shutdown(wait=False, cancel_futures=True)
    assert all(future.cancelled() for future in waiting)
    gate.set()
    assert [future.result(20) for future in running] == [True, True]


def test_run_in_executor(executor):
    async def main():
        loop = asyncio.get_running_loop()
        results = await asyncio.gather(*(loop.run_in_executor(executor, inc, i) for i in range(50)))
        with pytest.raises(ZeroDivisionError):
            await loop.run_in_executor(executor, lambda: 1 / 0)
        return results

    assert asyncio.run(main()) == list(range(1, 51))


def test_it_runs_so_many_at_a_time(executor):
    lock, now, most = threading.Lock(), [0], [0]

    def work(_):
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.002)
        with lock:
            now[0] -= 1

    list(executor.map(work, range(30)))
    assert most[0] <= 2


@pytest.mark.own_process
def test_futures_of_raskt_are_arguments():
    with Executor(1) as executor:
        assert executor.submit(sum, [submit(inc, 1), 2]).result(20) == 4
        assert isinstance(executor.submit(inc, submit(lambda: 1 / 0)).exception(20), ZeroDivisionError)
        gate = threading.Event()
        cancelled = submit(inc, submit(gate.wait, 20))
        future = executor.submit(inc, cancelled)
        cancelled.cancel()
        with pytest.raises(CancelledError):
            future.result(20)
        gate.set()


def test_calls_of_an_executor_may_wait_for_each_other():
    with Executor(1) as executor:
        outer = executor.submit(lambda: submit(inc, submit(inc, 1)).result())
        assert outer.result(20) == 3


def test_in_the_thread_that_submits():
    with Executor(scheduler="sync") as executor:
        assert executor.submit(threading.get_ident).result(0) == threading.get_ident()


def test_without_threads_there_is_no_executor():
    with pytest.raises(ValueError, match="max_workers is 0"):
        Executor(0)
    for wrong in ("two", 1.5, True):
        with pytest.raises(TypeError, match="whole number"):
            Executor(max_workers=wrong)
