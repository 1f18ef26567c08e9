"""100,000 functions that do next to nothing: what a task costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workload import Case, Stopwatch

TASKS = 100_000
LEAVES = TASKS // 2


def same(x: int) -> int:
    return x


def successor(x: int) -> int:
    return x + 1


def add(a: int, b: int) -> int:
    return a + b


def pairs(items: list[Any], combine: Callable[[Any, Any], Any]) -> Any:
    """Combine neighbours until one is left."""
    while len(items) > 1:
        odd = items[-1:] if len(items) % 2 else []
        items = [combine(a, b) for a, b in zip(items[::2], items[1::2])] + odd
    return items[0]


def build(delayed: Callable[..., Any], shape: str) -> list[Any]:
    """The work as delayed objects: those whose results are wanted."""
    if shape == "independent":
        make = delayed(same)
        return [make(i) for i in range(TASKS)]
    if shape == "chain":
        make, last = delayed(successor), 0
        for _ in range(TASKS):
            last = make(last)
        return [last]
    make, combine = delayed(same), delayed(add)
    return [pairs([make(i) for i in range(LEAVES)], combine)]


def raskt(shape: str, execution_alone: bool) -> Callable[[Stopwatch], int]:
    def run(stopwatch: Stopwatch) -> int:
        import raskt

        raskt.compute(raskt.delayed(same)(0))
        if execution_alone:
            wanted = build(raskt.delayed, shape)
            with stopwatch:
                results = raskt.compute(*wanted)
        else:
            with stopwatch:
                results = raskt.compute(*build(raskt.delayed, shape))
        return sum(results)

    return run


def dask_delayed(shape: str) -> Callable[[Stopwatch], int]:
    def run(stopwatch: Stopwatch) -> int:
        import dask

        dask.compute(dask.delayed(same)(0), scheduler="threads")
        with stopwatch:
            results = dask.compute(*build(dask.delayed, shape), scheduler="threads")
        return sum(results)

    return run


def raw_graph(shape: str) -> tuple[dict[Any, Any], list[Any]]:
    """The work as Dask writes it by hand."""
    if shape == "independent":
        return {("a", i): (same, i) for i in range(TASKS)}, [("a", i) for i in range(TASKS)]
    if shape == "chain":
        graph: dict[Any, Any] = {("a", 0): (successor, 0)}
        graph.update({("a", i): (successor, ("a", i - 1)) for i in range(1, TASKS)})
        return graph, [("a", TASKS - 1)]
    graph = {}

    def put(*task: Any) -> Any:
        key = ("a", len(graph))
        graph[key] = task
        return key

    return graph, [pairs([put(same, i) for i in range(LEAVES)], lambda a, b: put(add, a, b))]


def dask_graph(shape: str, execution_alone: bool) -> Callable[[Stopwatch], int]:
    """Dask without `delayed`, whose cost grows with the square of the number of results that are asked for."""

    def run(stopwatch: Stopwatch) -> int:
        import dask.threaded

        dask.threaded.get({"a": (same, 0)}, "a")
        if execution_alone:
            graph, wanted = raw_graph(shape)
            with stopwatch:
                results = dask.threaded.get(graph, wanted)
        else:
            with stopwatch:
                results = dask.threaded.get(*raw_graph(shape))
        return sum(results)

    return run


def threads(shape: str) -> Callable[[Stopwatch], int]:
    def run(stopwatch: Stopwatch) -> int:
        import os
        from concurrent.futures import Future, ThreadPoolExecutor

        with ThreadPoolExecutor(os.cpu_count()) as pool:

            def both(a: Future[int], b: Future[int]) -> Future[int]:
                return pool.submit(lambda: a.result() + b.result())

            with stopwatch:
                if shape == "independent":
                    wanted = [pool.submit(same, i) for i in range(TASKS)]
                elif shape == "tree":
                    wanted = [pairs([pool.submit(same, i) for i in range(LEAVES)], both)]
                else:
                    wanted = [pool.submit(successor, 0)]
                    for _ in range(TASKS - 1):
                        wanted = [pool.submit(lambda before=wanted[0]: before.result() + 1)]
                results = [future.result() for future in wanted]
        return sum(results)

    return run


def joblib(stopwatch: Stopwatch) -> int:
    from joblib import Parallel, delayed

    with Parallel(n_jobs=-1, prefer="threads") as parallel:
        parallel([delayed(same)(0)])
        with stopwatch:
            results = parallel(delayed(same)(i) for i in range(TASKS))
    return sum(results)


def shape_case(shape: str) -> Case:
    systems: dict[str, Any] = {
        "raskt": raskt(shape, execution_alone=False),
        "dask.delayed": dask_delayed(shape),
        "dask.threaded": dask_graph(shape, execution_alone=False),
        "threads": threads(shape),
    }
    if shape == "independent":
        systems["joblib"] = joblib
    return Case(f"{TASKS:,} functions that do nothing, {shape}; building the graph included", systems, repeats=3)


def execution_case(shape: str) -> Case:
    systems = {"raskt": raskt(shape, execution_alone=True), "dask.threaded": dask_graph(shape, execution_alone=True)}
    return Case(f"{TASKS:,} functions that do nothing, {shape}; execution alone", systems, repeats=3)


SHAPES = ["independent", "chain", "tree"]
CASES = {shape: shape_case(shape) for shape in SHAPES}
CASES |= {f"{shape}-execution": execution_case(shape) for shape in SHAPES}
