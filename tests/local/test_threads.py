"""Threads of an engine: computations within computations, from several threads, after a fork, at the end."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import time
from typing import Any

import numpy as np
import pytest

import raskt
import raskt.array as ra
from raskt import _core, delayed

SECONDS = 30
SCHEDULERS = ["sync", "threads", "processes"]


def program(text: str, code: int = 0) -> str:
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", textwrap.dedent(text)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert (done.returncode, done.stderr) == (code, "")
    return done.stdout


# --- computations within computations ---


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_tasks_that_compute_lend_their_slots(workers):
    def total(depth):
        if depth == 0:
            return 1
        return sum(raskt.compute(*[delayed(total)(depth - 1) for _ in range(3)], num_workers=workers))

    assert delayed(total)(4).compute(num_workers=workers) == 81


def test_a_task_may_compute_by_any_scheduler():
    def inner(scheduler):
        return delayed(abs)(-7).compute(scheduler=scheduler)

    work = [delayed(inner)(scheduler) for scheduler in SCHEDULERS]
    for scheduler in SCHEDULERS:
        assert raskt.compute(*work, scheduler=scheduler) == (7, 7, 7)


def test_an_error_within_comes_out_with_both_keys():
    def outer():
        return delayed(int)("x", dask_key_name="inner-task").compute()

    with pytest.raises(ValueError, match="invalid literal") as caught:
        delayed(outer)(dask_key_name="outer-task").compute()
    if sys.version_info >= (3, 11):
        notes = "\n".join(caught.value.__notes__)
        assert "inner-task" in notes and "outer-task" in notes


# --- several threads at once ---


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_many_threads_compute_at_once(scheduler):
    """Each thread has results of its own, and an error of one is none of the others'."""
    shared = [delayed(abs)(-i) for i in range(50)]
    found = {}

    def compute(n):
        try:
            bad = [delayed(int)("x")] if n % 3 == 0 else []
            own = raskt.compute(*shared, *[delayed(pow)(n, i) for i in range(20)], *bad, scheduler=scheduler)
            found[n] = own[50:]
        except ValueError as error:
            found[n] = str(error)

    threads = [threading.Thread(target=compute, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    for n in range(8):
        if n % 3 == 0:
            assert "invalid literal" in found[n]
        else:
            assert found[n] == tuple(n**i for i in range(20))


def test_arrays_and_functions_at_once():
    x = ra.arange(100_000, chunks=10_000)
    results = []

    def compute():
        results.append(raskt.compute(x.sum(), delayed(sum)(range(100))))

    threads = [threading.Thread(target=compute) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert results == [(4_999_950_000, 4950)] * 6


# --- panics ---


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_panic_in_a_kernel_fails_that_computation_and_nothing_else(scheduler, capfd):
    """
    1. A computation runs in another thread.
    2. A kernel panics meanwhile: its computation fails and says so.
    3. The other one ends well, the next one does, and nothing was printed.
    """
    from raskt.array._array import Array

    others = []
    other = threading.Thread(
        target=lambda: others.append(sum(raskt.compute(*[delayed(slow)(i) for i in range(20)], scheduler=scheduler)))
    )
    other.start()
    broken = Array(_core._panicking_array())
    with pytest.raises(
        RuntimeError, match=r"a kernel panicked, which is a bug in raskt: asked to \(panicking.rs:\d+\)"
    ):
        (broken + 1).compute(scheduler=scheduler)
    other.join(SECONDS)
    assert others == [190]
    np.testing.assert_array_equal(ra.arange(10, chunks=3).compute(scheduler=scheduler), np.arange(10))
    assert capfd.readouterr().err == ""


def slow(x):
    time.sleep(0.005)
    return x


# --- forks ---


def test_a_fork_computes_with_an_engine_of_its_own():
    out = program("""
        import os
        from raskt import delayed
        import raskt.array as ra
        x = ra.arange(1000, chunks=100)
        assert delayed(abs)(-1).compute() == 1 and int(x.sum().compute()) == 499500
        worker = delayed(os.getpid)().compute(scheduler="processes", num_workers=1)
        if (child := os.fork()) == 0:
            assert delayed(abs)(-2).compute() == 2 and int(x.sum().compute()) == 499500
            assert delayed(abs)(-2).compute(scheduler="processes") == 2
            print("child", flush=True)
            raise SystemExit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert delayed(os.getpid)().compute(scheduler="processes", num_workers=1) == worker
        print("parent")
    """)
    assert out == "child\nparent\n"


def test_forks_of_a_process_with_many_idle_threads():
    """The threads that wait in the parent are no threads of its forks, which have as many of their own."""
    program("""
        import os
        from raskt import delayed
        def work():
            counts = [workers for workers in range(1, 9) for _ in range(3)]
            return all(delayed(abs)(-3).compute(num_workers=workers) == 3 for workers in counts)
        assert work()
        for _ in range(10):
            if (child := os.fork()) == 0:
                os._exit(0 if work() else 1)
            assert os.waitpid(child, 0)[1] == 0
    """)


def test_a_fork_while_others_compute():
    program("""
        import os, threading, time
        import raskt
        from raskt import delayed
        stop = False
        def churn():
            while not stop:
                raskt.compute(*[delayed(abs)(i) for i in range(200)])
        threads = [threading.Thread(target=churn) for _ in range(3)]
        for thread in threads: thread.start()
        for _ in range(20):
            if (child := os.fork()) == 0:
                os._exit(0 if raskt.compute(*[delayed(abs)(-i) for i in range(50)])[-1] == 49 else 1)
            assert os.waitpid(child, 0)[1] == 0
        stop = True
    """)


def test_a_fork_says_that_dataframes_are_not_for_it():
    program("""
        import os
        import pandas as pd, raskt.dataframe as rd
        frame = rd.from_pandas(pd.DataFrame({"a": range(1000), "b": 1}), npartitions=4)
        assert int(frame.groupby("b").sum().compute().iloc[0, 0]) == 499500
        if (child := os.fork()) == 0:
            try:
                frame.groupby("b").sum().compute()
            except RuntimeError as error:
                os._exit(0 if "'spawn' or 'forkserver'" in str(error) else 2)
            os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
    """)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_pools_of_multiprocessing(method, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(f"""
        import multiprocessing
        import raskt
        from raskt import delayed

        def work(i):
            return sum(raskt.compute(*[delayed(pow)(i, 2) for _ in range(10)]))

        if __name__ == "__main__":
            assert work(2) == 40
            with multiprocessing.get_context("{method}").Pool(2) as pool:
                print(pool.map(work, range(4)))
        """)
    )
    command = [sys.executable, "-W", "ignore::DeprecationWarning", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "[0, 10, 40, 90]\n")


def test_a_task_may_fork():
    program("""
        import os
        from raskt import delayed
        def fork():
            if (child := os.fork()) == 0:
                os._exit(delayed(abs)(-5).compute())
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert delayed(fork)().compute() == 5
        assert delayed(fork)().compute(scheduler="sync") == 5
        assert delayed(fork)().compute(scheduler="processes") == 5
    """)


# --- the end ---

IN_FLIGHT = {
    "asleep": "time.sleep(60)",
    "busy": "\n    while True: pass",
    "in C": "sum(range(10**11))",
    "computing": "raskt.compute(*[delayed(time.sleep)(60) for _ in range(3)])",
}


@pytest.mark.parametrize("work", IN_FLIGHT)
@pytest.mark.parametrize("scheduler", ["threads", "sync"])
def test_leaving_with_work_in_flight_is_quick_and_quiet(work, scheduler):
    text = f"""
import threading, time
import raskt
from raskt import delayed
def work(): {IN_FLIGHT[work]}
def compute(): raskt.compute(*[delayed(work)() for _ in range(3)], scheduler="{scheduler}")
threading.Thread(target=compute, daemon=True).start()
time.sleep(0.3)
"""
    if work == "in C":
        # Nothing can interrupt it, nor take the interpreter from it: it ends, or the user kills it.
        text = text.replace("10**11", "3 * 10**7")
    begun = time.monotonic()
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=SECONDS, check=False)
    # A second or so on an idle machine.
    assert time.monotonic() - begun < 10
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_leaving_while_an_array_is_computed():
    program("""
        import threading, time
        import raskt.array as ra
        x = ra.random.default_rng(0).random((20_000, 20_000), chunks=1000)
        threading.Thread(target=lambda: (x @ x).sum().compute(), daemon=True).start()
        time.sleep(0.5)
    """)


def test_leaving_by_an_exception_in_the_middle():
    command = [sys.executable, "-c", "import raskt\nfrom raskt import delayed\ndelayed(int)('x').compute()"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 1
    assert "ValueError: invalid literal" in done.stderr and "Exception ignored" not in done.stderr


@pytest.mark.parametrize(
    "start",
    [
        "futures.submit(time.sleep, 0.8)",
        "threading.Thread(target=delayed(time.sleep)(0.8).compute, daemon=True).start()",
    ],
)
def test_a_task_that_wakes_up_while_the_interpreter_goes(start):
    out = program(f"""
        import threading, time
        from raskt import delayed, futures

        class SlowToGo:
            def __del__(self, sleep=time.sleep, print=print):
                sleep(1.5)
                print("gone")

        slow = SlowToGo()
        kept = {start}
        time.sleep(0.1)
    """)
    assert out == "gone\n"


def test_computing_at_exit():
    out = program("""
        import atexit
        from raskt import delayed
        one, two = delayed(abs)(-1), delayed(abs)(-2)
        atexit.register(lambda: print("late", one.compute(), two.compute(scheduler="processes")))
        print("early", delayed(abs)(-3).compute())
    """)
    assert out == "early 3\nlate 1 2\n"


def test_a_thread_pool_of_the_user_over_raskt():
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(lambda i=i: delayed(pow)(i, 2).compute()) for i in range(40)]
        assert [future.result(SECONDS) for future in futures] == [i * i for i in range(40)]


def test_many_computations_need_no_more_threads_than_one():
    before = len(os.listdir("/proc/self/task"))
    for workers in (1, 2, 3):
        for _ in range(20):
            raskt.compute(*[delayed(abs)(i) for i in range(20)], num_workers=workers)
    # Other tests' threads may end meanwhile; these computations have at most one, two and three of their own.
    assert len(os.listdir("/proc/self/task")) <= before + 6


def test_each_caller_of_sync_runs_its_own_tasks() -> None:
    """They shared an engine, and took up each other's tasks."""
    elsewhere = []

    def compute() -> None:
        own = threading.get_ident()
        for _ in range(100):
            idents = raskt.compute(*[delayed(threading.get_ident)() for _ in range(4)], scheduler="sync")
            nested = delayed(lambda: delayed(threading.get_ident)().compute(scheduler="sync"))().compute(
                scheduler="sync"
            )
            elsewhere.extend(ident for ident in [*idents, nested] if ident != own)

    threads = [threading.Thread(target=compute) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert not elsewhere


@pytest.mark.parametrize("outer", ["threads", "sync"])
def test_sync_within_tasks_of_many_callers_ends(outer: str) -> None:
    def inner(x: int) -> int:
        return int(sum(raskt.compute(*[delayed(abs)(-x - at) for at in range(3)], scheduler="sync")))

    def compute(results: list[Any]) -> None:
        for at in range(50):
            results.append(raskt.compute(*[delayed(inner)(at + by) for by in range(3)], scheduler=outer))

    found: list[list[Any]] = [[] for _ in range(4)]
    threads = [threading.Thread(target=compute, args=(results,), daemon=True) for results in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert found == [[tuple(3 * (at + by) + 3 for by in range(3)) for at in range(50)]] * 4
