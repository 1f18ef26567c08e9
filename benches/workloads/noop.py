"""100,000 functions that do next to nothing: what a task costs."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from typing import Any

from workload import Case, Stopwatch

TASKS = 100_000
# Dask takes time (and for random graphs memory) by the square of the number of tasks.
FEW_TASKS = 5_000


def same(x: int) -> int:
    return x


def successor(x: int) -> int:
    return x + 1


def add(a: int, b: int) -> int:
    return a + b


def count(*earlier: int) -> int:
    return len(earlier)


@cache
def earlier(tasks: int) -> list[list[int]]:
    """For each task of a random graph, the one to three earlier ones that it reads. To draw them is nobody's work."""
    chance = random.Random(0)
    return [[chance.randrange(at) for _ in range(chance.randint(1, 3))] if at else [] for at in range(tasks)]


def draw(shape: str, tasks: int) -> None:
    """Have the shape at hand before time counts."""
    if shape == "random":
        earlier(tasks)


def pairs(items: list[Any], combine: Callable[[Any, Any], Any]) -> Any:
    """Combine neighbours until one is left."""
    while len(items) > 1:
        odd = items[-1:] if len(items) % 2 else []
        items = [combine(a, b) for a, b in zip(items[::2], items[1::2])] + odd
    return items[0]


def build(delayed: Callable[..., Any], shape: str, tasks: int) -> list[Any]:
    """The work as delayed objects: those whose results are wanted."""
    if shape == "independent":
        make = delayed(same)
        return [make(i) for i in range(tasks)]
    if shape == "chain":
        make, last = delayed(successor), 0
        for _ in range(tasks):
            last = make(last)
        return [last]
    if shape == "random":
        make, made = delayed(count), []
        for reads in earlier(tasks):
            made.append(make(*[made[at] for at in reads]))
        return made
    if shape == "argument":
        make = delayed(same)
        return [delayed(sum)([make(i) for i in range(tasks)])]
    make, combine = delayed(same), delayed(add)
    return [pairs([make(i) for i in range(tasks // 2)], combine)]


def raskt(shape: str, tasks: int, execution_alone: bool) -> Callable[[Stopwatch], int]:
    def run(stopwatch: Stopwatch) -> int:
        import raskt

        raskt.compute(raskt.delayed(same)(0))
        if execution_alone:
            wanted = build(raskt.delayed, shape, tasks)
            with stopwatch:
                results = raskt.compute(*wanted)
        else:
            draw(shape, tasks)
            with stopwatch:
                results = raskt.compute(*build(raskt.delayed, shape, tasks))
        return sum(results)

    return run


def dask_delayed(shape: str, tasks: int) -> Callable[[Stopwatch], int]:
    def run(stopwatch: Stopwatch) -> int:
        import dask

        dask.compute(dask.delayed(same)(0), scheduler="threads")
        draw(shape, tasks)
        with stopwatch:
            results = dask.compute(*build(dask.delayed, shape, tasks), scheduler="threads")
        return sum(results)

    return run


def raw_graph(shape: str, tasks: int) -> tuple[dict[Any, Any], list[Any]]:
    """The work as Dask writes it by hand."""
    if shape == "independent":
        return {("a", i): (same, i) for i in range(tasks)}, [("a", i) for i in range(tasks)]
    if shape == "chain":
        graph: dict[Any, Any] = {("a", 0): (successor, 0)}
        graph.update({("a", i): (successor, ("a", i - 1)) for i in range(1, tasks)})
        return graph, [("a", tasks - 1)]
    if shape == "random":
        graph = {("a", i): (count, *[("a", at) for at in reads]) for i, reads in enumerate(earlier(tasks))}
        return graph, list(graph)
    graph = {}

    def put(*task: Any) -> Any:
        key = ("a", len(graph))
        graph[key] = task
        return key

    return graph, [pairs([put(same, i) for i in range(tasks // 2)], lambda a, b: put(add, a, b))]


def dask_graph(shape: str, tasks: int, execution_alone: bool) -> Callable[[Stopwatch], int]:
    """Dask without `delayed`, whose cost grows with the square of the number of results that are asked for."""

    def run(stopwatch: Stopwatch) -> int:
        import dask.threaded

        dask.threaded.get({"a": (same, 0)}, "a")
        if execution_alone:
            graph, wanted = raw_graph(shape, tasks)
            with stopwatch:
                results = dask.threaded.get(graph, wanted)
        else:
            draw(shape, tasks)
            with stopwatch:
                results = dask.threaded.get(*raw_graph(shape, tasks))
        return sum(results)

    return run


def threads(shape: str, tasks: int) -> Callable[[Stopwatch], int]:
    def run(stopwatch: Stopwatch) -> int:
        import os
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            reads = earlier(tasks) if shape == "random" else []
            with stopwatch:
                results = [future.result() for future in submitted(pool.submit, shape, tasks, reads)]
        return sum(results)

    return run


def submitted(submit: Callable[..., Any], shape: str, tasks: int, reads: list[list[int]]) -> list[Any]:
    """The work as futures. Each task waits for those that it reads: they were submitted before, so that they end."""
    if shape == "independent":
        return [submit(same, i) for i in range(tasks)]
    if shape == "tree":
        leaves = [submit(same, i) for i in range(tasks // 2)]
        return [pairs(leaves, lambda a, b: submit(lambda: a.result() + b.result()))]
    if shape == "random":
        made: list[Any] = []
        for row in reads:
            inputs = [made[at] for at in row]
            made.append(submit(lambda inputs=inputs: count(*[future.result() for future in inputs])))
        return made
    last = submit(successor, 0)
    for _ in range(tasks - 1):
        last = submit(lambda before=last: before.result() + 1)
    return [last]


def joblib(stopwatch: Stopwatch) -> int:
    from joblib import Parallel, delayed

    with Parallel(n_jobs=-1, prefer="threads") as parallel:
        parallel([delayed(same)(0)])
        with stopwatch:
            results = parallel(delayed(same)(i) for i in range(TASKS))
    return sum(results)


def shape_case(shape: str, tasks: int = TASKS) -> Case:
    systems: dict[str, Any] = {"raskt": raskt(shape, tasks, execution_alone=False), "threads": threads(shape, tasks)}
    if shape != "random" or tasks == FEW_TASKS:
        systems["dask.delayed"] = dask_delayed(shape, tasks)
        systems["dask.threaded"] = dask_graph(shape, tasks, execution_alone=False)
    if shape == "independent":
        systems["joblib"] = joblib
    about = f"{tasks:,} functions that do nothing, {shape}; building the graph included"
    return Case(about, systems, repeats=3, seconds_most=120, tasks=tasks)


def execution_case(shape: str, tasks: int = TASKS) -> Case:
    systems: dict[str, Any] = {"raskt": raskt(shape, tasks, execution_alone=True), "threads": threads(shape, tasks)}
    if shape != "random" or tasks == FEW_TASKS:
        systems["dask.threaded"] = dask_graph(shape, tasks, execution_alone=True)
    if shape == "independent":
        systems["joblib"] = joblib
    return Case(f"{tasks:,} functions that do nothing, {shape}; execution alone", systems, repeats=3, tasks=tasks)


def building(system: str, shape: str, tasks: int) -> Callable[[Stopwatch], int]:
    def run(stopwatch: Stopwatch) -> int:
        from importlib import import_module

        delayed = import_module(system).delayed
        build(delayed, shape, 10)
        draw(shape, tasks)
        with stopwatch:
            made = build(delayed, shape, tasks)
        return len(made)

    return run


def building_case(shape: str, tasks: int) -> Case:
    systems = {"raskt": building("raskt", shape, tasks)}
    if tasks == FEW_TASKS:
        systems["dask"] = building("dask", shape, tasks)
    about = f"delayed calls: {tasks:,}, {shape}; building alone"
    return Case(about, systems, repeats=5, seconds_most=120, tasks=tasks)


SHAPES = ["independent", "chain", "tree", "random"]
CASES = {shape: shape_case(shape) for shape in SHAPES}
CASES |= {f"{shape}-execution": execution_case(shape) for shape in SHAPES}
CASES |= {
    "random-few": shape_case("random", FEW_TASKS),
    "random-few-execution": execution_case("random", FEW_TASKS),
}
CASES |= {
    f"million-{shape}-execution": Case(
        f"1,000,000 functions that do nothing, {shape}; execution alone",
        {"raskt": raskt(shape, 1_000_000, execution_alone=True)},
        repeats=3,
        tasks=1_000_000,
    )
    for shape in SHAPES
}
for _shape in [*SHAPES, "argument"]:
    CASES[f"million-{_shape}-building"] = building_case(_shape, 1_000_000)
    CASES[f"{_shape}-building"] = building_case(_shape, TASKS)
    CASES[f"{_shape}-building-few"] = building_case(_shape, FEW_TASKS)
