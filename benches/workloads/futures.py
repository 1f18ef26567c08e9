"""100,000 futures of functions that do next to nothing: what a future costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workload import Case, Stopwatch

TASKS = 100_000


def same(x: int) -> int:
    return x


def successor(x: int) -> int:
    return x + 1


def raskt(shape: str, submission_alone: bool) -> Callable[[Stopwatch], int]:
    def run(stopwatch: Stopwatch) -> int:
        from raskt.futures import gather, submit

        submit(same, 0).result()
        if submission_alone:
            with stopwatch:
                futures = submitted(submit, shape)
            return sum(gather(futures))
        with stopwatch:
            results = gather(submitted(submit, shape))
        return sum(results)

    return run


def submitted(submit: Callable[..., Any], shape: str) -> list[Any]:
    if shape == "independent":
        return [submit(same, i) for i in range(TASKS)]
    last: Any = 0
    for _ in range(TASKS):
        last = submit(successor, last)
    return [last]


def executor(make: Callable[[], Any], shape: str, submission_alone: bool) -> Callable[[Stopwatch], int]:
    """An executor of the kind that the standard library has: a call that reads another waits for it."""

    def run(stopwatch: Stopwatch) -> int:
        with make() as pool:
            pool.submit(same, 0).result()

            def submit(function: Callable[[int], int], x: Any) -> Any:
                if isinstance(x, int):
                    return pool.submit(function, x)
                return pool.submit(lambda: function(x.result()))

            if submission_alone:
                with stopwatch:
                    futures = submitted(submit, shape)
                return sum(future.result() for future in futures)
            with stopwatch:
                results = [future.result() for future in submitted(submit, shape)]
            return sum(results)

    return run


def library() -> Any:
    import os
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(os.cpu_count())


def raskts() -> Any:
    from raskt.futures import Executor

    return Executor()


def case(shape: str, submission_alone: bool) -> Case:
    systems = {
        "raskt": raskt(shape, submission_alone),
        "raskt.Executor": executor(raskts, shape, submission_alone),
        "threads": executor(library, shape, submission_alone),
    }
    what = "submission alone" if submission_alone else "with their results"
    return Case(f"{TASKS:,} futures, {shape}; {what}", systems, repeats=3)


CASES = {shape: case(shape, submission_alone=False) for shape in ("independent", "chain")}
CASES["independent-submission"] = case("independent", submission_alone=True)
