"""What is three times the memory limit, kept with `persist` and reduced twice, against the same without a limit: an
array that is summed, a frame that is grouped, and arrays of delayed calls; and 2.2 times the limit in tuples of arrays.

The row `raskt` has the limit; its peak is to stay within 15 % of it, and its time within 2.5 times that of
`raskt.unlimited`.
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


def part(at: int) -> Any:
    """A partition of 32 MiB."""
    import numpy as np
    import pandas as pd

    numbers = np.arange(2**20) + at
    return pd.DataFrame({"key": numbers % 100, "a": numbers, "b": numbers * 0.5, "c": numbers * 0.25})


def frame(limit: int, limited: bool) -> Callable[[Stopwatch], list[float]]:
    def run(stopwatch: Stopwatch) -> list[float]:
        import raskt as module
        import raskt.dataframe as rd

        if limited:
            module.config.set({"memory.limit": limit})
        with stopwatch:
            parts = [module.delayed(part)(at) for at in range(3 * limit // 2**25)]
            kept = rd.from_delayed(parts, meta=part(0).head(0)).persist()
            return [float(kept.groupby("key").b.mean().compute().sum()) for _ in range(2)]

    return run


def delayed(limit: int, limited: bool) -> Callable[[Stopwatch], list[float]]:
    def run(stopwatch: Stopwatch) -> list[float]:
        import numpy as np

        import raskt as module

        if limited:
            module.config.set({"memory.limit": limit})
        with stopwatch:
            make = module.delayed(lambda at: np.arange(BLOCK) + float(at))
            kept = module.persist(*[make(at) for at in range(3 * limit // 2**24)])
            return [float(sum(module.compute(*[array.sum() for array in kept]))) for _ in range(2)]

    return run


def tuples(limit: int, limited: bool) -> Callable[[Stopwatch], list[float]]:
    """2.2 times the limit in tuples of arrays, which say nothing of their size themselves."""

    def pair(at: int) -> tuple[Any, dict[str, Any]]:
        import numpy as np

        return np.arange(BLOCK // 2) + float(at), {"more": np.arange(BLOCK // 2) - float(at), "name": f"pair {at}"}

    def run(stopwatch: Stopwatch) -> list[float]:
        import raskt as module

        if limited:
            module.config.set({"memory.limit": limit})
        with stopwatch:
            make, add = module.delayed(pair), module.delayed(lambda pair: float(pair[0].sum() + pair[1]["more"].sum()))
            kept = module.persist(*[make(at) for at in range(22 * limit // 10 // 2**24)])
            return [float(sum(module.compute(*[add(one) for one in kept]))) for _ in range(2)]

    return run


def case(kind: str, limit: int) -> Case:
    made = "random numbers, sorted by block" if kind == "sorted" else "random numbers"
    about = f"{3 * limit / 2**30:g} GiB of {made}, persisted and summed twice; limit {limit / 2**30:g} GiB"
    systems = {"raskt": raskt(kind, limit, True), "raskt.unlimited": raskt(kind, limit, False)}
    return Case(about, systems, tolerance=0, repeats=3)


def other_case(about: str, run: Callable[[int, bool], Callable[[Stopwatch], list[float]]], limit: int) -> Case:
    about = f"{3 * limit / 2**30:g} GiB: {about}; limit {limit / 2**30:g} GiB"
    systems = {"raskt": run(limit, True), "raskt.unlimited": run(limit, False)}
    return Case(about, systems, tolerance=1e-12, repeats=3)


CASES = {
    "random-1GiB": case("random", 2**30),
    "random-0.5GiB": case("random", 2**29),
    "sorted-1GiB": case("sorted", 2**30),
    "frame-1GiB": other_case("a frame, persisted and grouped twice", frame, 2**30),
    "delayed-1GiB": other_case("arrays of delayed calls, persisted and summed twice", delayed, 2**30),
    "tuples-1GiB": Case(
        "2.2 GiB: tuples of arrays, persisted and summed twice; limit 1 GiB",
        {"raskt": tuples(2**30, True), "raskt.unlimited": tuples(2**30, False)},
        tolerance=1e-12,
        repeats=3,
    ),
}
