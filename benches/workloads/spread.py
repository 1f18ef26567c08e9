"""Arrays and frames on a cluster: within the memory of workers, moved between them, beside the same work on threads."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any

from workload import Case, Run, Stopwatch, memory_kib
from workloads import chain, flights, tpch

SIDE = 22_400
"""Of a square array of f64: 4.0 GB."""
PIECE = 1_600
"""Of its blocks: 20 MB."""
LIMIT = "1GB"
GIGABYTE = 1_000_000_000
MANY_BLOCKS = 10_000
"""Of each of two axes: 10⁸ blocks in all."""


@contextlib.contextmanager
def client_of(system: str, workers: int, **options: Any) -> Iterator[Any]:
    if system == "raskt":
        from raskt.distributed import Client
    else:
        from dask.distributed import Client  # type: ignore[assignment]

        options["dashboard_address"] = None
    with Client(n_workers=workers, threads_per_worker=1, **options) as client:
        client.wait_for_workers(workers)
        yield client


def array_module(system: str) -> Any:
    if system == "raskt":
        import raskt.array as module
    else:
        import dask.array as module  # type: ignore[no-redef]
    return module


# --- four gigabytes on four workers of one each -----------------------------------------------------------------------


def transposed(module: Any) -> Any:
    x = module.random.default_rng(1).random((SIDE, SIDE), chunks=PIECE)
    return (x + x.T).sum()


def tree_sum(module: Any) -> Any:
    return module.random.default_rng(1).random((SIDE, SIDE), chunks=PIECE).sum()


def within_limit(system: str, work: Callable[[Any], Any]) -> Run:
    def run(stopwatch: Stopwatch) -> float:
        with client_of(system, 4, memory_limit=LIMIT) as client:
            wanted = work(array_module(system))
            with stopwatch:
                total = float(wanted.compute())
            peaks = client.run(memory_kib, "VmHWM")
            # What counts here is how high a worker went, not the client.
            stopwatch.growth_kib = max(peaks.values())
        return total / SIDE**2

    return run


def of_both(about: str, work: Callable[[Any], Any]) -> Case:
    systems = {system: within_limit(system, work) for system in ("raskt", "dask")}
    about += f" of {SIDE}² f64 (4.0 GB) on 4 workers of {LIMIT} each; growth: the peak of a worker"
    # Each system draws its own random numbers.
    return Case(about, systems, tolerance=1e-3, repeats=3)


# --- from worker to worker --------------------------------------------------------------------------------------------


def ones(count: int) -> Any:
    import numpy as np

    return np.ones(count)


def last_of(array: Any) -> float:
    return float(array[-1])


def moved(system: str) -> Run:
    def run(stopwatch: Stopwatch) -> float:
        with client_of(system, 2, memory_limit="8GB") as client:
            first, second = client.scheduler_info()["workers"]
            client.gather(client.submit(last_of, client.submit(ones, 10, workers=[first]), workers=[second]))
            made = client.submit(ones, GIGABYTE // 8, workers=[first])
            made_there = client.submit(last_of, made, workers=[first])
            made_there.result()
            with stopwatch:
                there = client.submit(last_of, made, workers=[second], pure=False)
                value = there.result()
            stopwatch.growth_kib = max(client.run(memory_kib, "VmHWM").values())
        return float(value)

    return run


# --- beside threads ---------------------------------------------------------------------------------------------------


def on_cluster(work: Run) -> Run:
    def run(stopwatch: Stopwatch) -> Any:
        with client_of("raskt", 2):
            return work(stopwatch)

    return run


def beside_threads(case: Case) -> Case:
    systems: dict[str, Run] = {"raskt": on_cluster(case.systems["raskt"]), "raskt.threads": case.systems["raskt"]}
    return Case(f"on 2 workers: {case.about}", systems, case.tolerance, repeats=5, prepare=case.prepare)


# --- a hundred million blocks -----------------------------------------------------------------------------------------


def first_of_many(stopwatch: Stopwatch) -> int:
    """How long it takes until something runs; growth is that of the client and the scheduler, which are one process."""
    import raskt.array as ra

    with client_of("raskt", 2) as client:
        x = ra.ones((MANY_BLOCKS, MANY_BLOCKS), chunks=1)
        with stopwatch:
            future = client.compute((x + 1).sum())
            while not any(client.processing().values()):
                time.sleep(0.001)
        future.cancel()
    return 0


CASES = {
    "transpose": of_both("(x + x.T).sum()", transposed),
    "tree-sum": of_both("x.sum()", tree_sum),
    "move": Case("1 GB from one worker to another", {s: moved(s) for s in ("raskt", "dask")}, repeats=5),
    "chain": beside_threads(chain.CASES["random"]),
    "flights": beside_threads(flights.CASES["groupby-join"]),
    "q1": beside_threads(tpch.CASES["q1"]),
    "q6": beside_threads(tpch.CASES["q6"]),
    "blocks": Case("10⁸ blocks: until the first of them runs", {"raskt": first_of_many}, repeats=3),
}
