"""One small computation at a time: what a call of `compute` costs before any work is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from workload import Case, Stopwatch

CALLS = 300


def sums(from_array: Callable[..., Any], stopwatch: Stopwatch, calls: int) -> float:
    """`(x + 1).sum().compute()` of four small blocks, again and again."""
    x = from_array(np.arange(4000.0), chunks=1000)
    for _ in range(10):
        (x + 1).sum().compute()
    total = 0.0
    with stopwatch:
        for _ in range(calls):
            total += float((x + 1).sum().compute())
    return total / calls


def raskt(stopwatch: Stopwatch) -> float:
    import raskt.array as ra

    return sums(ra.from_array, stopwatch, CALLS)


def dask(stopwatch: Stopwatch) -> float:
    import dask.array as da

    return sums(da.from_array, stopwatch, CALLS)


CASES = {
    "sum": Case(
        f"(x + 1).sum().compute() of four blocks of 1,000 numbers, {CALLS} calls one after the other",
        {"raskt": raskt, "dask": dask},
    )
}
