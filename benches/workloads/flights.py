"""A year of flights: read twelve CSV files, aggregate by group, join."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from workload import Case, Stopwatch

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

from flights_data import default_folder, prepare

FOLDER = default_folder()
CSV = FOLDER / "csv"
MISSING = ["NA"]


def rows(carriers: Any, makers: Any) -> list[Any]:
    """Two pandas frames as lists, by their keys."""
    first = carriers.reset_index().sort_values("carrier")
    second = makers.reset_index().sort_values("manufacturer")
    return [
        [list(row) for row in first[["carrier", "flights", "departure", "arrival"]].itertuples(index=False)],
        [list(row) for row in second[["manufacturer", "flights", "arrival"]].itertuples(index=False)],
    ]


def as_pandas(module: Any, paths: Any, planes_path: str, **options: Any) -> tuple[Any, Any]:
    """The work in pandas' words."""
    flights = module.read_csv(paths, na_values=MISSING, **options)
    planes = module.read_csv(planes_path, na_values=MISSING, **options)[["tailnum", "manufacturer"]]
    carriers = flights.groupby("carrier").agg(
        flights=("flight", "size"), departure=("dep_delay", "mean"), arrival=("arr_delay", "mean")
    )
    joined = flights.merge(planes, on="tailnum")
    makers = joined.groupby("manufacturer").agg(flights=("flight", "size"), arrival=("arr_delay", "mean"))
    return carriers, makers


def raskt(stopwatch: Stopwatch) -> list[Any]:
    import pandas  # noqa: F401  (as the peers do: raskt loads it when it makes the first pandas object)
    import pyarrow  # noqa: F401

    import raskt
    import raskt.dataframe as rd

    with stopwatch:
        carriers, makers = raskt.compute(*as_pandas(rd, str(CSV), str(FOLDER / "planes.csv")))
    return rows(carriers, makers)


def dask(stopwatch: Stopwatch) -> list[Any]:
    import dask
    import dask.dataframe as dd

    with stopwatch:
        # Dask guesses types from the first rows, where columns have no hole yet: it must be told that they may.
        tables = as_pandas(dd, str(CSV / "*.csv"), str(FOLDER / "planes.csv"), assume_missing=True)
        carriers, makers = dask.compute(*tables, scheduler="threads")
    return rows(carriers, makers)


def pandas(stopwatch: Stopwatch) -> list[Any]:
    import pandas as pd

    class AllFiles:
        """pandas that reads a folder."""

        def read_csv(self, path: str, **options: Any) -> Any:
            whole = Path(path)
            if whole.is_dir():
                return pd.concat([pd.read_csv(each, **options) for each in sorted(whole.glob("*.csv"))])
            return pd.read_csv(path, **options)

    with stopwatch:
        carriers, makers = as_pandas(AllFiles(), str(CSV), str(FOLDER / "planes.csv"))
    return rows(carriers, makers)


def polars(stopwatch: Stopwatch) -> list[Any]:
    import polars as pl

    with stopwatch:
        flights = pl.scan_csv(CSV / "*.csv", null_values=MISSING)
        planes = pl.scan_csv(FOLDER / "planes.csv", null_values=MISSING).select("tailnum", "manufacturer")
        carriers = flights.group_by("carrier").agg(
            pl.len().alias("flights"), pl.mean("dep_delay").alias("departure"), pl.mean("arr_delay").alias("arrival")
        )
        joined = flights.join(planes, on="tailnum")
        makers = joined.group_by("manufacturer").agg(pl.len().alias("flights"), pl.mean("arr_delay").alias("arrival"))
        both = pl.collect_all([carriers, makers], engine="streaming")
    return [[list(row) for row in frame.sort(frame.columns[0]).rows()] for frame in both]


def duckdb(stopwatch: Stopwatch) -> list[Any]:
    import duckdb

    with stopwatch:
        connection = duckdb.connect()
        connection.sql(f"create temp table flights as from read_csv('{CSV}/*.csv', nullstr = 'NA')")
        connection.sql(f"create temp table planes as from read_csv('{FOLDER}/planes.csv', nullstr = 'NA')")
        carriers = connection.sql(
            "select carrier, count(*), avg(dep_delay), avg(arr_delay) from flights group by 1 order by 1"
        ).fetchall()
        makers = connection.sql(
            "select manufacturer, count(*), avg(arr_delay) from flights join planes using (tailnum)"
            " group by 1 order by 1"
        ).fetchall()
    return [[list(row) for row in table] for table in (carriers, makers)]


CASES = {
    "groupby-join": Case(
        "336,776 flights in 12 CSV files: delays by carrier, join with planes, delays by manufacturer",
        {"raskt": raskt, "dask.dataframe": dask, "pandas": pandas, "polars": polars, "duckdb": duckdb},
        prepare=prepare,
    )
}
