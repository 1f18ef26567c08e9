"""Products of large matrices: one block, and blocks of 2000 x 2000."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workload import Case, Stopwatch

ORDER = 6000


def operands() -> tuple[Any, Any]:
    import numpy as np

    random = np.random.default_rng(0)
    return random.random((ORDER, ORDER)), random.random((ORDER, ORDER))


def raskt(chunks: int) -> Callable[[Stopwatch], float]:
    def run(stopwatch: Stopwatch) -> float:
        import raskt.array as ra

        x, y = (ra.from_array(operand, chunks=chunks) for operand in operands())
        with stopwatch:
            return float((x @ y).compute()[17, 23])

    return run


def dask(chunks: int) -> Callable[[Stopwatch], float]:
    def run(stopwatch: Stopwatch) -> float:
        import dask.array as da

        x, y = (da.from_array(operand, chunks=chunks) for operand in operands())
        with stopwatch:
            return float((x @ y).compute()[17, 23])

    return run


def numpy(stopwatch: Stopwatch) -> float:
    x, y = operands()
    with stopwatch:
        return float((x @ y)[17, 23])


def case(chunks: int, what: str) -> Case:
    systems = {"raskt": raskt(chunks), "dask.threaded": dask(chunks), "numpy": numpy}
    return Case(f"x @ y of {ORDER} × {ORDER} f64 in {what}", systems, repeats=3)


CASES = {"one": case(-1, "one block"), "many": case(2000, "blocks of 2000 × 2000")}
