"""A cluster of two worker processes on this machine: what a task, a round trip and a start cost."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from workload import Case, Stopwatch

TASKS = 20_000
MANY = 50_000
TRIPS = 500
LINKS = 300
WORKERS = 2
GIGABYTE = 1_000_000_000


def inc(x: int) -> int:
    return x + 1


def length(data: bytes) -> int:
    return len(data)


# --- the systems: what submits a call, what maps one, what gathers -----------------------------------------------

Cluster = tuple[Callable[..., Any], Callable[..., Any], Callable[[Any], Any]]


@contextlib.contextmanager
def raskts() -> Iterator[Cluster]:
    from raskt.distributed import Client

    with Client(n_workers=WORKERS, threads_per_worker=1) as client:
        client.wait_for_workers(WORKERS)
        yield client.submit, client.map, client.gather


@contextlib.contextmanager
def dasks() -> Iterator[Cluster]:
    from dask.distributed import Client

    with Client(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as client:

        def submit(function: Callable[..., Any], *args: Any) -> Any:
            return client.submit(function, *args, pure=False)

        def map_(function: Callable[..., Any], items: Any) -> Any:
            return client.map(function, items, pure=False)

        yield submit, map_, client.gather


@contextlib.contextmanager
def rays() -> Iterator[Cluster]:
    import ray

    ray.init(num_cpus=WORKERS, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    try:
        known: dict[Any, Any] = {}

        def submit(function: Callable[..., Any], *args: Any) -> Any:
            if function not in known:
                known[function] = ray.remote(function)
            return known[function].remote(*args)

        yield submit, lambda function, items: [submit(function, item) for item in items], ray.get
    finally:
        ray.shutdown()


@contextlib.contextmanager
def processes() -> Iterator[Cluster]:
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(WORKERS) as pool:

        def gather(futures: Any) -> Any:
            return [future.result() for future in futures] if isinstance(futures, list) else futures.result()

        yield pool.submit, lambda function, items: [pool.submit(function, item) for item in items], gather


def scheduled_apart(has_journal: bool) -> Callable[[], Any]:
    """A scheduler in a process of its own, so that a journal is all that differs."""

    @contextlib.contextmanager
    def system() -> Iterator[Cluster]:
        sys.path.append(str(Path(__file__).parents[2] / "tests" / "distributed"))
        from killed_scheduler import Place

        from raskt.distributed import Client

        with tempfile.TemporaryDirectory() as folder:
            with (
                contextlib.closing(Place(Path(folder), has_journal)) as place,
                Client(scheduler_file=place.file) as client,
            ):
                client.wait_for_workers(WORKERS)
                yield client.submit, client.map, client.gather

    return system


SYSTEMS = {"raskt": raskts, "dask.distributed": dasks, "ray": rays, "ProcessPool": processes}


def on(system: Callable[[], Any], work: Callable[[Cluster, Stopwatch], Any]) -> Callable[[Stopwatch], Any]:
    def run(stopwatch: Stopwatch) -> Any:
        with system() as cluster:
            _, each, gather = cluster
            # Workers have imported what they need.
            gather(each(inc, range(50)))
            return work(cluster, stopwatch)

    return run


# --- the work ---------------------------------------------------------------------------------------------------------


def mapped(count: int) -> Callable[[Cluster, Stopwatch], int]:
    def work(cluster: Cluster, stopwatch: Stopwatch) -> int:
        _, each, gather = cluster
        with stopwatch:
            results = gather(each(inc, range(count)))
        return sum(results)

    return work


def round_trip(quantile: float) -> Callable[[Cluster, Stopwatch], int]:
    """How long a call takes that is waited for before the next one is made: of many, the one at that place."""

    def work(cluster: Cluster, stopwatch: Stopwatch) -> int:
        submit, _, gather = cluster
        total, taken = 0, []
        for _ in range(TRIPS):
            began = time.perf_counter()
            total += gather(submit(inc, 1))
            taken.append(time.perf_counter() - began)
        stopwatch.seconds = sorted(taken)[int(quantile * TRIPS)]
        return total

    return work


def chain(cluster: Cluster, stopwatch: Stopwatch) -> int:
    submit, _, gather = cluster
    with stopwatch:
        last: Any = 0
        for _ in range(LINKS):
            last = submit(inc, last)
        return int(gather(last))


def large(cluster: Cluster, stopwatch: Stopwatch) -> int:
    submit, _, gather = cluster
    with stopwatch:
        return len(gather(submit(bytes, GIGABYTE)))


def native(stopwatch: Stopwatch) -> float:
    import raskt.array as ra

    with raskts():
        x = ra.ones(1_000_000, chunks=1)
        with stopwatch:
            return float((x + 1).sum().compute())


def starting(system: str) -> Callable[[Stopwatch], int]:
    def run(stopwatch: Stopwatch) -> int:
        if system == "raskt":
            from raskt.distributed import Client
        else:
            from dask.distributed import Client  # type: ignore[assignment]
        with stopwatch:
            client = Client()
        client.close()
        return 0

    return run


def closing(system: str) -> Callable[[Stopwatch], int]:
    def run(stopwatch: Stopwatch) -> int:
        if system == "raskt":
            from raskt.distributed import Client
        else:
            from dask.distributed import Client  # type: ignore[assignment]
        client = Client()
        client.submit(os.getpid).result()
        with stopwatch:
            client.close()
        return 0

    return run


def case(about: str, work: Callable[[Cluster, Stopwatch], Any], without: tuple[str, ...] = (), **kwargs: Any) -> Case:
    systems = {name: on(system, work) for name, system in SYSTEMS.items() if name not in without}
    return Case(about, systems, repeats=kwargs.pop("repeats", 3), **kwargs)


CASES = {
    "start": Case("Client() until it is ready", {name: starting(name) for name in ("raskt", "dask")}, repeats=3),
    "close": Case("client.close()", {name: closing(name) for name in ("raskt", "dask")}, repeats=3),
    "map": case(f"{TASKS:,} calls mapped and gathered, {WORKERS} worker processes", mapped(TASKS), tasks=TASKS),
    "map-many": case(
        f"{MANY:,} calls mapped and gathered, {WORKERS} worker processes",
        mapped(MANY),
        ("dask.distributed",),
        tasks=MANY,
    ),
    "journal": Case(
        f"{MANY:,} calls mapped and gathered, with a journal and without",
        {
            "raskt": on(scheduled_apart(True), mapped(MANY)),
            "raskt.without": on(scheduled_apart(False), mapped(MANY)),
        },
        repeats=7,
        tasks=MANY,
    ),
    "round-trip": case(f"a call that is waited for, the median of {TRIPS}", round_trip(0.5), tasks=1),
    "round-trip-99": case(f"the same, the 99th percentile of {TRIPS}", round_trip(0.99), tasks=1),
    "chain": case(f"{LINKS} calls, each of which reads the one before", chain, ("ProcessPool",), tasks=LINKS),
    "result": case("a result of 1 GB", large, repeats=3),
    "native": Case("a million native tasks", {"raskt": native}, repeats=3, tasks=2_000_000),
}
