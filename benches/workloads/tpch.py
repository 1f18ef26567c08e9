"""Queries 1 and 6 of TPC-H at scale 1: 6,001,215 line items in one Parquet file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from datetime import date, datetime
from pathlib import Path
from typing import Any

from workload import Case, Stopwatch

FOLDER = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "raskt" / "data" / "tpch-1"
LINE_ITEMS = FOLDER / "lineitem.parquet"


def prepare() -> None:
    if LINE_ITEMS.exists():
        return
    unfinished = FOLDER.with_name(f"{FOLDER.name}.{os.getpid()}")
    generator = shutil.which("tpchgen-cli", path=f"{sysconfig.get_path('scripts')}:{os.environ.get('PATH', '')}")
    if generator is None:
        raise SystemExit("the data is made by tpchgen-cli: pip install -r benches/requirements.txt")
    command = [generator, "parquet", "-s", "1", "--tables=lineitem", f"--output-dir={unfinished}"]
    subprocess.run(command, check=True)
    os.replace(unfinished, FOLDER)


def query_1_in_pandas(items: Any, day: Any) -> Any:
    items = items[items.l_shipdate <= day(1998, 9, 2)]
    items = items.assign(disc_price=items.l_extendedprice * (1 - items.l_discount))
    items = items.assign(charge=items.disc_price * (1 + items.l_tax))
    grouped = items.groupby(["l_returnflag", "l_linestatus"])
    return grouped.agg(
        sum_qty=("l_quantity", "sum"), sum_base_price=("l_extendedprice", "sum"), sum_disc_price=("disc_price", "sum"),
        sum_charge=("charge", "sum"), avg_qty=("l_quantity", "mean"), avg_price=("l_extendedprice", "mean"),
        avg_disc=("l_discount", "mean"), count_order=("l_quantity", "size"),
    )  # fmt: skip


def query_6_in_pandas(items: Any, day: Any) -> Any:
    chosen = items[
        (items.l_shipdate >= day(1994, 1, 1)) & (items.l_shipdate < day(1995, 1, 1))
        & (items.l_discount >= 0.05) & (items.l_discount <= 0.07) & (items.l_quantity < 24)
    ]  # fmt: skip
    return (chosen.l_extendedprice * chosen.l_discount).sum()


IN_PANDAS = {"q1": query_1_in_pandas, "q6": query_6_in_pandas}


def plain(result: Any) -> Any:
    """A pandas frame by its index, or a number, as lists and numbers."""
    if not hasattr(result, "sort_index"):
        return float(result)
    return [[*key, *map(float, row)] for key, row in zip(result.sort_index().index, result.sort_index().to_numpy())]


def raskt(query: str) -> Any:
    def run(stopwatch: Stopwatch) -> Any:
        import pandas  # noqa: F401  (as the peers do: raskt loads it when it makes the first pandas object)
        import pyarrow  # noqa: F401

        import raskt.dataframe as rd

        with stopwatch:
            items = with_floats(rd.read_parquet(str(LINE_ITEMS)))
            result = IN_PANDAS[query](items, datetime).compute()
        return plain(result)

    return run


def dask(query: str) -> Any:
    def run(stopwatch: Stopwatch) -> Any:
        import dask.dataframe as dd

        with stopwatch:
            items = with_floats(dd.read_parquet(LINE_ITEMS, split_row_groups="adaptive"))
            items = items.assign(l_shipdate=dd.to_datetime(items.l_shipdate))
            result = IN_PANDAS[query](items, datetime).compute(scheduler="threads")
        return plain(result)

    return run


def with_floats(items: Any) -> Any:
    """The money columns are decimals in the file; the query is asked in floats of every system."""
    return items.assign(**{
        name: items[name].astype("float64") for name in ["l_quantity", "l_extendedprice", "l_discount", "l_tax"]
    })  # fmt: skip


def polars(query: str) -> Any:
    def run(stopwatch: Stopwatch) -> Any:
        import polars as pl

        money = ["l_quantity", "l_extendedprice", "l_discount", "l_tax"]
        price, discount, shipped = pl.col("l_extendedprice"), pl.col("l_discount"), pl.col("l_shipdate")
        with stopwatch:
            items = pl.scan_parquet(LINE_ITEMS).with_columns(pl.col(money).cast(pl.Float64))
            if query == "q6":
                year = (shipped >= date(1994, 1, 1)) & (shipped < date(1995, 1, 1))
                chosen = items.filter(year & (discount >= 0.05) & (discount <= 0.07) & (pl.col("l_quantity") < 24))
                return chosen.select((price * discount).sum()).collect(engine="streaming").item()
            disc_price = price * (1 - discount)
            keys = ["l_returnflag", "l_linestatus"]
            grouped = items.filter(shipped <= date(1998, 9, 2)).group_by(keys).agg(
                pl.sum("l_quantity").alias("sum_qty"), price.sum().alias("sum_base_price"),
                disc_price.sum().alias("sum_disc_price"),
                (disc_price * (1 + pl.col("l_tax"))).sum().alias("sum_charge"),
                pl.mean("l_quantity").alias("avg_qty"), price.mean().alias("avg_price"),
                discount.mean().alias("avg_disc"),
                pl.len().cast(pl.Float64).alias("count_order"),
            )  # fmt: skip
            result = grouped.sort(keys).collect(engine="streaming")
        return [list(row) for row in result.rows()]

    return run


IN_SQL = {
    "q1": """
        select l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice),
            sum(l_extendedprice * (1 - l_discount)), sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)),
            avg(l_quantity), avg(l_extendedprice), avg(l_discount), count(*)::double
        from items where l_shipdate <= date '1998-09-02' group by 1, 2 order by 1, 2""",
    "q6": """
        select sum(l_extendedprice * l_discount) from items
        where l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'
            and l_discount between 0.05::double and 0.07::double and l_quantity < 24""",
}


def duckdb(query: str) -> Any:
    def run(stopwatch: Stopwatch) -> Any:
        import duckdb

        money = ", ".join(
            f"{name}::double as {name}" for name in ["l_quantity", "l_extendedprice", "l_discount", "l_tax"]
        )
        with stopwatch:
            connection = duckdb.connect()
            connection.sql(f"create view items as select * replace ({money}) from '{LINE_ITEMS}'")
            rows = connection.sql(IN_SQL[query]).fetchall()
        return rows[0][0] if query == "q6" else [list(row) for row in rows]

    return run


def case(query: str) -> Case:
    systems = {"raskt": raskt(query), "polars": polars(query), "duckdb": duckdb(query), "dask.dataframe": dask(query)}
    return Case(f"TPC-H {query.upper()} at scale 1, Parquet, prices as floats", systems, prepare=prepare)


CASES = {query: case(query) for query in IN_PANDAS}
