"""An array of three times the memory limit, kept with `persist` and summed twice, against the same without a limit.

The row `raskt` has the limit; its peak is to stay within 15 % of it, and its time within 2.5 times that of `raskt.unlimited`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workload import Case, Stopwatch

BLOCK = 2**21
"""Elements of a block: 16 MiB of f64."""


def arrays(kind: str, count: int) -> Any:
    import numpy as np
    import raskt.array as ra

    x = ra.random.default_rng(1).random(count, chunks=BLOCK)
    # What a Python function made can't be dropped and made again: it has to be written.
    return x.map_blocks(np.sort) if kind == "sorted" else x


def raskt(kind: str, limit: int, limited: bool) -> Callable[[Stopwatch], list[float]]:
    def run(stopwatch: Stopwatch) -> list[float]:
        import raskt as module

        if limited:
            module.config.set({"memory.limit": limit})
        with stopwatch:
            x = arrays(kind, 3 * limit // 8).persist()
            return [float(x.sum().compute()) for _ in range(2)]

    return run


def case(kind: str, limit: int) -> Case:
    made = "random numbers, sorted by block" if kind == "sorted" else "random numbers"
    about = f"{3 * limit / 2**30:g} GiB of {made}, persisted and summed twice; limit {limit / 2**30:g} GiB"
    systems = {"raskt": raskt(kind, limit, True), "raskt.unlimited": raskt(kind, limit, False)}
    return Case(about, systems, tolerance=0, repeats=3)


CASES = {
    "random-1GiB": case("random", 2**30),
    "random-0.5GiB": case("random", 2**29),
    "sorted-1GiB": case("sorted", 2**30),
}
