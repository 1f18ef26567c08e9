"""Collections of Dask on raskt's engine and on Dask's own threads: the same graphs, by the same optimiser.

Blocks are of megabytes in the first five cases of arrays and of frames, where the work itself decides. `small` cases
have blocks of a few kilobytes, where it is the scheduler. Frames are shuffled by tasks on both sides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workload import Case, Stopwatch

Build = Callable[[], Any]
"""Makes a lazy collection, with everything that it needs."""


def systems(build: Build, number: Callable[[Any], Any] = float) -> dict[str, Any]:
    """The collection computed by both; `number` makes a result plain."""

    def run(scheduler: Callable[[], Any]) -> Callable[[Stopwatch], Any]:
        def measured(stopwatch: Stopwatch) -> Any:
            import dask

            chosen = scheduler()
            with dask.config.set({"dataframe.shuffle.method": "tasks"}):
                warm_up(chosen)
                collection = build()
                with stopwatch:
                    result = collection.compute(scheduler=chosen)
            return number(result)

        return measured

    return {"raskt": run(client), "dask.threaded": run(lambda: "threads")}


def warm_up(chosen: Any) -> None:
    """What is loaded when it is first used is loaded for both before time counts."""
    import dask.array as da

    da.ones(4, chunks=2).sum().compute(scheduler=chosen)
    frame(20, 2).shuffle("key").groupby("key").value.sum().compute(scheduler=chosen)


def client() -> Any:
    import raskt.dask

    return raskt.dask.Client()


# --- arrays -------------------------------------------------------------------------------------------------------


def random(shape: tuple[int, ...], chunks: Any) -> Any:
    import dask.array as da

    return da.random.default_rng(0).random(shape, chunks=chunks)


def chain() -> Any:
    import dask.array as da

    x, y = random((10_000, 6000), 1000), random((10_000, 6000), 1000)
    return (da.sqrt(x * x + 2 * y) * da.exp(-x)).sum()


def reductions() -> Any:
    x = random((12_000, 4000), 1000)
    return ((x - x.mean(axis=0)) / x.std(axis=0)).max()


def product() -> Any:
    x = random((3000, 3000), (750, 1500)).rechunk((1500, 750))
    return (x @ x.T).rechunk(500).T.sum()


def stencil() -> Any:
    import dask.array as da

    x = random((4000, 4000), 500)

    def mean_of_neighbours(block: Any) -> Any:
        import numpy as np

        return sum(np.roll(block, shift, axis) for axis in (0, 1) for shift in (-1, 1)) / 4

    for _ in range(3):
        x = da.map_overlap(mean_of_neighbours, x, depth=1, boundary="reflect", dtype=float)
    return x.std()


def singular_values() -> Any:
    import dask.array as da

    _, values, _ = da.linalg.svd(random((200_000, 40), (10_000, 40)))
    return values.sum()


def small_sum() -> Any:
    import dask.array as da

    x = da.ones((5000, 5000), chunks=50)
    return (x + 1).sum()


def small_chain() -> Any:
    import dask.array as da

    x = da.arange(400_000, chunks=100)
    y = (x + 1) * 2 - x[::-1]
    return (y - y.mean()).max()


# --- frames -------------------------------------------------------------------------------------------------------


def frame(rows: int, partitions: int) -> Any:
    """Made in memory, so that only what follows is measured."""
    import dask.dataframe as dd
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(0)
    columns = {
        "key": rng.integers(0, 1000, rows),
        "group": rng.integers(0, 20, rows),
        "value": rng.random(rows),
        "other": rng.random(rows),
    }
    return dd.from_pandas(pd.DataFrame(columns), npartitions=partitions, sort=False)


def months() -> Any:
    import dask.dataframe as dd

    from workloads.flights import CSV

    columns = ["month", "origin", "dest", "carrier", "dep_delay", "arr_delay", "distance"]
    files = str(CSV / "*.csv")
    return dd.read_csv(files, na_values=["NA"], usecols=columns, assume_missing=True)


def groupby() -> Any:
    return frame(6_000_000, 24).groupby("key").agg({"value": ["mean", "max"], "other": "sum"})


def merge() -> Any:
    left, right = frame(1_500_000, 12), frame(2_000, 4)[["key", "other"]]
    return left.merge(right, on="key").groupby("group").value.sum()


def shuffle() -> Any:
    return frame(3_000_000, 16).shuffle("key").map_partitions(lambda part: part.groupby("key").value.sum())


def counts() -> Any:
    return frame(12_000_000, 24).key.value_counts()


def read() -> Any:
    flights = months()
    return flights[flights.dep_delay > 30].groupby(["origin", "carrier"]).arr_delay.mean()


def small_partitions() -> Any:
    data = frame(20_000, 1000)
    return data.assign(more=data.value + data.other)[["more"]].sum()


def small_shuffle() -> Any:
    return frame(10_000, 60).shuffle("key").value.sum()


# --- cases --------------------------------------------------------------------------------------------------------


def total(result: Any) -> float:
    """One number that stands for a frame or a column, whatever the order of its rows."""
    return float(result.to_numpy(dtype=float).sum())


def case(about: str, build: Build, number: Callable[[Any], Any] = float, **more: Any) -> Case:
    return Case(about, systems(build, number), **more)


def lay_out_flights() -> None:
    from workloads.flights import prepare

    prepare()


CASES = {
    "chain": case("array: (sqrt(x*x + 2*y) * exp(-x)).sum(), 2 x 6e7 numbers in blocks of 8 MB", chain),
    "reductions": case("array: standardise 4.8e7 numbers along an axis, blocks of 8 MB", reductions),
    "product": case("array: rechunk, product and transpose of 3000 x 3000", product, tolerance=1e-8),
    "stencil": case("array: three rounds of map_overlap over 4000 x 4000, blocks of 2 MB", stencil),
    "svd": case("array: singular values of 200,000 x 40 in 20 blocks", singular_values),
    "small_sum": case("array, small tasks: (x + 1).sum() over 10,000 blocks of 20 kB", small_sum),
    "small_chain": case("array, small tasks: elementwise work and reductions over 4,000 blocks", small_chain),
    "groupby": case("frame: group 6e6 rows by 1,000 keys, 24 partitions", groupby, total),
    "merge": case("frame: join 1.5e6 rows with 2,000, then group", merge, total),
    "shuffle": case("frame: shuffle 3e6 rows by key, 16 partitions", shuffle, total),
    "counts": case("frame: value_counts of 1.2e7 rows, 24 partitions", counts, total),
    "read": case(
        "frame: read a year of flights from 12 CSV files, filter, group", read, total, prepare=lay_out_flights
    ),
    "small_partitions": case(
        "frame, small tasks: new column and sums over 1,000 partitions of 20 rows", small_partitions, total
    ),
    "small_shuffle": case("frame, small tasks: shuffle 60 partitions of 170 rows", small_shuffle),
}
