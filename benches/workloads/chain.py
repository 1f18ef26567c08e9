"""A chain of elementwise operations that ends in a sum, over arrays that are larger than they need to be in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workload import Case, Stopwatch

ELEMENTS = 200_000_000
BLOCK = 1_000_000
"""Elements of a block: 8 MB of f64."""


def work(module: Any, x: Any, y: Any) -> Any:
    return (module.sqrt(x * x + 2 * y) * module.exp(-x)).sum()


def raskt(source: str) -> Callable[[Stopwatch], float]:
    def run(stopwatch: Stopwatch) -> float:
        import raskt.array as ra

        with stopwatch:
            if source == "random":
                generator = ra.random.default_rng(1)
                x, y = (generator.random(ELEMENTS, chunks=BLOCK) for _ in range(2))
            else:
                x = ra.linspace(0, 1, ELEMENTS, chunks=BLOCK)
                y = ra.linspace(1, 2, ELEMENTS, chunks=BLOCK)
            return float(work(ra, x, y).compute())

    return run


def dask(source: str) -> Callable[[Stopwatch], float]:
    def run(stopwatch: Stopwatch) -> float:
        import dask.array as da

        with stopwatch:
            if source == "random":
                generator = da.random.default_rng(1)
                x, y = (generator.random(ELEMENTS, chunks=BLOCK) for _ in range(2))
            else:
                x = da.linspace(0, 1, ELEMENTS, chunks=BLOCK)
                y = da.linspace(1, 2, ELEMENTS, chunks=BLOCK)
            return float(work(da, x, y).compute(scheduler="threads"))

    return run


def numpy(source: str) -> Callable[[Stopwatch], float]:
    def run(stopwatch: Stopwatch) -> float:
        import numpy as np

        with stopwatch:
            if source == "random":
                generator = np.random.default_rng(1)
                x, y = (generator.random(ELEMENTS) for _ in range(2))
            else:
                x, y = np.linspace(0, 1, ELEMENTS), np.linspace(1, 2, ELEMENTS)
            return float(work(np, x, y))

    return run


def case(source: str, tolerance: float) -> Case:
    about = f"(sqrt(x*x + 2*y) * exp(-x)).sum() over {ELEMENTS:,} f64 in blocks of 8 MB, x and y from {source}"
    systems = {"raskt": raskt(source), "dask.array": dask(source), "numpy": numpy(source)}
    return Case(about, systems, tolerance=tolerance, repeats=3)


# Every system draws its own random numbers, so their sums agree as two samples do: to about 1e-4.
CASES = {"random": case("random", 1e-3), "linspace": case("linspace", 1e-9)}
