"""joblib's calls on a cluster."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

joblib = pytest.importorskip("joblib")

import raskt.distributed  # noqa: E402, F401
from raskt.distributed import Client, KilledWorker, LocalCluster, get_client, get_worker, worker_client  # noqa: E402


def test_calls_are_made_by_workers(client):
    with joblib.parallel_config(backend="raskt"):
        assert joblib.Parallel()(joblib.delayed(pow)(n, 2) for n in range(50)) == [n * n for n in range(50)]
        pids = joblib.Parallel(n_jobs=2, batch_size=1)(joblib.delayed(os.getpid)() for _ in range(20))
        assert os.getpid() not in pids
        assert joblib.effective_n_jobs(-1) == 2


def test_a_client_and_arguments_of_submit():
    with Client(n_workers=2, threads_per_worker=1, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=30)
        name = sorted(client.nthreads())[0]
        with joblib.parallel_config(backend="raskt", client=client, workers=[name]):
            names = joblib.Parallel()(joblib.delayed(lambda: get_worker().name)() for _ in range(10))
        assert set(names) == {name}


def test_large_arrays_are_sent_once(client):
    large = np.arange(100_000.0)
    given = []
    scatter = client.scatter
    client.scatter = lambda data, *args, **kwargs: given.append(data) or scatter(data, *args, **kwargs)
    try:
        with joblib.parallel_config(backend="raskt", client=client):
            sums = joblib.Parallel(batch_size=1)(joblib.delayed(np.sum)(large, initial=n) for n in range(20))
            told = joblib.Parallel()(joblib.delayed(lambda x, y: x is y)(large, y=large) for _ in range(3))
    finally:
        del client.scatter
    assert sums == [large.sum() + n for n in range(20)] and told == [True] * 3
    # For each Parallel once.
    assert len(given) == 2


def test_what_is_named_is_sent_once(client):
    table = {"a": list(range(10))}
    with joblib.parallel_config(backend="raskt", scatter=[table]):
        assert joblib.Parallel()(joblib.delayed(lambda t, n: t["a"][n])(table, n) for n in range(10)) == list(range(10))
    with pytest.raises(TypeError, match="scatter"):
        joblib.parallel_config(backend="raskt", scatter=5)


def test_calls_within_calls_on_as_many_threads_as_wait():
    def outer(n):
        inner = joblib.Parallel(n_jobs=-1)(
            joblib.delayed(lambda m: (m, os.getpid(), get_worker().name))(m) for m in range(n)
        )
        return [m for m, *_ in inner]

    with Client(n_workers=2, threads_per_worker=1, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=30)
        with joblib.parallel_config(backend="raskt", client=client):
            assert joblib.Parallel(timeout=60)(joblib.delayed(outer)(n) for n in range(4)) == [
                list(range(n)) for n in range(4)
            ]


def test_errors_generators_and_timeouts(client):
    with joblib.parallel_config(backend="raskt"):
        with pytest.raises(ZeroDivisionError):
            joblib.Parallel()(joblib.delayed(divmod)(1, n) for n in [1, 2, 0, 4])
        generated = joblib.Parallel(return_as="generator")(joblib.delayed(abs)(-n) for n in range(5))
        assert list(generated) == list(range(5))
        with pytest.raises(multiprocessing.TimeoutError):
            joblib.Parallel(timeout=0.05)(joblib.delayed(time.sleep)(1.0) for _ in range(2))
        assert joblib.Parallel()(joblib.delayed(abs)(-1) for _ in range(2)) == [1, 1]


@pytest.mark.parametrize("order", [("joblib", "raskt.distributed"), ("raskt.distributed", "joblib")])
def test_it_is_known_whichever_is_imported_first(order):
    program = (
        "\n".join(f"import {name}" for name in order)
        + "\nimport joblib.parallel\nprint('raskt' in joblib.parallel.BACKENDS)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (ran.stdout, ran.stderr) == ("True\n", "")


def naps(number: int) -> int:
    time.sleep(0.05)
    return number + 1


def calls_and_dies() -> None:
    with joblib.parallel_config(backend="raskt"):
        calls = joblib.Parallel(n_jobs=2, return_as="generator", batch_size=1)
        for _ in calls(joblib.delayed(naps)(number) for number in range(50)):
            os._exit(1)


def test_a_task_that_goes_on_beside_its_calls_is_no_innocent_one() -> None:
    with LocalCluster(n_workers=2, threads_per_worker=1, silence_logs=50) as cluster, Client(cluster) as client:
        with pytest.raises(KilledWorker, match="calls_and_dies"):
            client.submit(calls_and_dies).result(120)


def a_generator_outlives_its_client() -> int:
    with worker_client(), joblib.parallel_config(backend="raskt"):
        calls = joblib.Parallel(n_jobs=2, return_as="generator", batch_size=1)
        made = calls(joblib.delayed(naps)(number) for number in range(8))
        first: int = next(made)
    return first + sum(made)


def a_generator_is_read_on_another_thread() -> int:
    with joblib.parallel_config(backend="raskt"):
        calls = joblib.Parallel(n_jobs=2, return_as="generator", batch_size=1)
        made = calls(joblib.delayed(naps)(number) for number in range(8))
        first: int = next(made)
    with ThreadPoolExecutor(1) as threads:
        rest = threads.submit(sum, made).result()
    return first + rest + get_client().submit(naps, -1).result()


@pytest.mark.parametrize("function", [a_generator_outlives_its_client, a_generator_is_read_on_another_thread])
@pytest.mark.parametrize("threads", [1, 2])
def test_slots_come_back_in_any_order(threads: int, function: Callable[[], int]) -> None:
    with LocalCluster(n_workers=1, threads_per_worker=threads) as cluster, Client(cluster) as client:
        pid = client.run(os.getpid)
        assert client.submit(function).result(timeout=60) == sum(range(1, 9))
        # The worker is whole, and has all of its slots.
        assert client.gather(client.map(naps, range(10))) == list(range(1, 11))
        assert client.run(os.getpid) == pid
