"""What the core is asked to bear: computations within computations, runs beside each other, very many small arrays."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from workload import Case, Stopwatch

PAIRS = 10_000
ROUNDS = 200
TASK_SECONDS = 0.05


def one(x: int) -> int:
    return x


def nested(stopwatch: Stopwatch, delayed: Callable[..., Any], compute: Callable[..., Any], pairs: int) -> list[int]:
    """Tasks that each compute another; and whether more than eight threads were added at any time."""
    most = threads_now()

    def outer(x: int) -> int:
        nonlocal most
        if x % 64 == 0:
            most = max(most, threads_now())
        return delayed(one)(x).compute()

    make = delayed(outer)
    compute(make(0))
    before = threads_now()
    with stopwatch:
        results = compute(*[make(x) for x in range(pairs)])
    return [sum(results), most - before <= 8]


def threads_now() -> int:
    """Threads of this process, whoever started them."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("Threads:"))


def nested_raskt(stopwatch: Stopwatch) -> list[int]:
    import raskt

    return nested(stopwatch, raskt.delayed, raskt.compute, PAIRS)


def nested_dask(stopwatch: Stopwatch) -> list[int]:
    import dask

    with dask.config.set(scheduler="threads"):
        return nested(stopwatch, dask.delayed, dask.compute, PAIRS)


def nap(x: int) -> int:
    time.sleep(TASK_SECONDS)
    return x


def beside(stopwatch: Stopwatch, delayed: Callable[..., Any], compute: Callable[..., Any]) -> int:
    """How long one short computation takes that comes when a long one of as short tasks has begun, of the same size."""
    make = delayed(nap)
    compute(make(0))
    long = threading.Thread(target=lambda: compute(*[make(x) for x in range(ROUNDS)]))
    long.start()
    time.sleep(2 * TASK_SECONDS)
    with stopwatch:
        (result,) = compute(make(7))
    long.join()
    return result


def beside_raskt(stopwatch: Stopwatch) -> int:
    import raskt

    return beside(stopwatch, raskt.delayed, raskt.compute)


def beside_dask(stopwatch: Stopwatch) -> int:
    import dask

    with dask.config.set(scheduler="threads"):
        return beside(stopwatch, dask.delayed, dask.compute)


def stack(stopwatch: Stopwatch, array: Any, count: int) -> float:
    arrays = [array.from_array(np.full(4, float(at)), chunks=4) for at in range(count)]
    array.stack(arrays[:2]).compute()
    with stopwatch:
        result = array.stack(arrays).compute()
    return float(result.sum())


def stack_raskt(count: int) -> Callable[[Stopwatch], float]:
    def run(stopwatch: Stopwatch) -> float:
        import raskt.array as ra

        return stack(stopwatch, ra, count)

    return run


def stack_dask(count: int) -> Callable[[Stopwatch], float]:
    def run(stopwatch: Stopwatch) -> float:
        import dask.array as da

        return stack(stopwatch, da, count)

    return run


CASES = {
    "nested": Case(
        f"{PAIRS:,} tasks that each compute another",
        {"raskt": nested_raskt, "dask": nested_dask},
        repeats=3,
        seconds_most=120,
        tasks=PAIRS,
    ),
    "beside": Case(
        f"one task of {TASK_SECONDS} s that comes beside a run of {ROUNDS} such",
        {"raskt": beside_raskt, "dask": beside_dask},
    ),
    **{
        f"stack-{count}": Case(
            f"{count:,} arrays of four numbers, stacked and computed",
            {"raskt": stack_raskt(count), **({"dask": stack_dask(count)} if count <= 10_000 else {})},
            seconds_most=120,
        )
        for count in (10_000, 100_000)
    },
}
