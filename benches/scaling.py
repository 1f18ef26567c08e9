"""How work grows with cores: the same work on the first 1, 2, 4, ... cores of this machine, by threads and by workers.

python benches/scaling.py [--cores 1,2,4,8,16] [--repeat 3] [--only NAME]

Each run is a process of its own that is held to its cores; the best of `repeat` counts. Prints a table in Markdown.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

CALLS = 1_000_000
MAPPED = 50_000
ELEMENTS = 400_000_000
BLOCK = 1_000_000
"""Elements of an array, and of a block of it: 8 MB of f64."""


def same(x: int) -> int:
    return x


@contextmanager
def cluster(cores: int, threads: int) -> Iterator[Any]:
    """A client of as many workers of so many threads as there are cores."""
    from raskt.distributed import Client

    workers = max(1, cores // threads)
    with Client(n_workers=workers, threads_per_worker=min(cores, threads)) as client:
        client.wait_for_workers(workers)
        client.gather(client.map(same, range(100)))
        yield client


def chain() -> Any:
    import raskt.array as ra

    generator = ra.random.default_rng(1)
    x, y = (generator.random(ELEMENTS, chunks=BLOCK) for _ in range(2))
    return (ra.sqrt(x * x + 2 * y) * ra.exp(-x)).sum()


def chain_by_threads(cores: int) -> float:
    work = chain()
    start = time.perf_counter()
    work.compute(num_workers=cores)
    return time.perf_counter() - start


def chain_by_workers(cores: int) -> float:
    with cluster(cores, threads=4):
        work = chain()
        start = time.perf_counter()
        work.compute()
        return time.perf_counter() - start


def calls_by_threads(cores: int) -> float:
    import raskt

    make = raskt.delayed(same)
    calls = [make(i) for i in range(CALLS)]
    start = time.perf_counter()
    raskt.compute(*calls, num_workers=cores)
    return time.perf_counter() - start


def calls_by_workers(cores: int) -> float:
    return mapped(cores, CALLS)


def map_and_gather(cores: int) -> float:
    return mapped(cores, MAPPED)


def mapped(cores: int, calls: int) -> float:
    with cluster(cores, threads=1) as client:
        start = time.perf_counter()
        results = client.gather(client.map(same, range(calls)))
        seconds = time.perf_counter() - start
        assert results == list(range(calls))
        return seconds


WORK: dict[str, tuple[str, Callable[[int], float]]] = {
    "chain": (f"`chain` of {ELEMENTS // 10**6} M random elements, threads", chain_by_threads),
    "chain-cluster": ("the same, `LocalCluster` of workers of 4 threads", chain_by_workers),
    "calls": (f"{CALLS:,} Python no-ops, threads (one interpreter lock)", calls_by_threads),
    "calls-cluster": (f"{CALLS:,} Python no-ops by `map` and `gather`, workers of 1 thread", calls_by_workers),
    "map": (f"`Client.map` of {MAPPED:,} and `gather`, workers of 1 thread", map_and_gather),
}


def measure(name: str, cores: int) -> dict[str, float]:
    """One run in a process of its own."""
    command = [sys.executable, __file__, "--child", name, str(cores)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise RuntimeError(f"{name} on {cores} cores failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def child(name: str, cores: int) -> None:
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    seconds = WORK[name][1](cores)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(json.dumps({"seconds": seconds, "peak_mib": peak}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cores", default="1,2,4,8,16")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", action="append", choices=WORK)
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options.child[0], int(options.child[1]))
    there = len(os.sched_getaffinity(0))
    cores = [count for count in map(int, options.cores.split(",")) if count <= there]
    print("| work | " + " | ".join(f"{count} cores" for count in cores) + " | grows by | peak RSS of the client |")
    print("|---" * (len(cores) + 3) + "|")
    for name in options.only or WORK:
        runs = [
            min((measure(name, count) for _ in range(options.repeat)), key=lambda run: run["seconds"])
            for count in cores
        ]
        seconds = " | ".join(f"{run['seconds']:.2f} s" for run in runs)
        growth = runs[0]["seconds"] / runs[-1]["seconds"]
        print(
            f"| {WORK[name][0]} | {seconds} | {growth:.1f} × | {max(run['peak_mib'] for run in runs):.0f} MiB |",
            flush=True,
        )


if __name__ == "__main__":
    main()
