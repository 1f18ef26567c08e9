"""Dataframes of Dask, over a year of flights and over small ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import raskt.dask
from dask_comparing import assert_same

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")

COLUMNS = ["month", "day", "hour", "origin", "dest", "carrier", "dep_delay", "arr_delay", "distance"]


@pytest.fixture(scope="module")
def year(flights):
    return dd.read_csv(str(flights / "csv" / "*.csv"), na_values=["NA"], usecols=COLUMNS, assume_missing=True)


@pytest.fixture(scope="module")
def carriers(flights):
    return dd.read_csv(str(flights / "airlines.csv"))


QUERIES = {
    "count": lambda df, _: df.dep_delay.count(),
    "groupby": lambda df, _: df.groupby("origin").dep_delay.mean(),
    "groupby several": lambda df, _: df.groupby(["origin", "month"]).agg(
        {"dep_delay": ["mean", "max"], "dest": "size"}
    ),
    "groupby to several partitions": lambda df, _: df.groupby("dest").distance.sum(split_out=3),
    "filter": lambda df, _: df[(df.dep_delay > 60) & (df.origin == "JFK")].arr_delay.describe(),
    "assign": lambda df, _: df.assign(gain=df.dep_delay - df.arr_delay).groupby("carrier").gain.mean(),
    "value_counts": lambda df, _: df.dest.value_counts(),
    "unique": lambda df, _: df.carrier.nunique(),
    "merge": lambda df, carriers: df.merge(carriers, on="carrier").groupby("name").size(),
    "nlargest": lambda df, _: df.nlargest(20, "dep_delay"),
    "sort": lambda df, _: df[df.dep_delay > 400].sort_values(["dep_delay", "dest", "day"]),
    "quantile": lambda df, _: df.distance.quantile([0.25, 0.5]),
    "pivot": lambda df, _: _pivot(df),
    "map_partitions": lambda df, _: df.map_partitions(lambda part: part[["distance"]].head(2)),
    "shift": lambda df, _: df.distance.shift(2).sum(),
    "cumsum": lambda df, _: df.distance.cumsum().tail(5, compute=False),
    "drop_duplicates": lambda df, _: df[["origin", "carrier"]].drop_duplicates(split_out=1),
    "apply": lambda df, _: df.dest.str.lower().apply(len, meta=("dest", "int64")).sum(),
}


def _pivot(df):
    df = df.assign(origin=df.origin.astype("category").cat.set_categories(["EWR", "JFK", "LGA"]))
    return df.pivot_table(index="month", columns="origin", values="distance", aggfunc="mean")


@pytest.mark.parametrize("name", QUERIES)
def test_queries_over_a_year_of_flights(name, year, carriers):
    with raskt.dask.Client() as client:
        query = QUERIES[name](year, carriers)
        ours, theirs = query.compute(scheduler=client), query.compute(scheduler="threads")
    if name in ("groupby to several partitions", "value_counts", "merge"):
        ours, theirs = (result.sort_index() for result in (ours, theirs))
    assert_same(ours, theirs)


def test_several_queries_at_once_are_those_of_pandas(year, flights):
    whole = pd.concat(pd.read_csv(path, usecols=COLUMNS) for path in sorted((flights / "csv").iterdir()))
    with raskt.dask.Client():
        worst, mean, rows = dask.compute(year.dep_delay.max(), year.groupby("month").distance.mean(), year.shape[0])
    assert (worst, rows) == (whole.dep_delay.max(), len(whole))
    pd.testing.assert_series_equal(mean, whole.groupby("month").distance.mean(), check_index_type=False)


@pytest.fixture
def small():
    rng = np.random.default_rng(3)
    values = {"k": rng.integers(0, 9, 200), "v": rng.normal(size=200), "s": rng.choice(list("abc"), 200)}
    return dd.from_pandas(pd.DataFrame(values), npartitions=7)


def test_shuffles(small, client):
    with dask.config.set(scheduler=client):
        for shuffled in [small.shuffle("k"), small.shuffle("k", npartitions=3), small.set_index("k")]:
            parts = [set(part.index if "k" not in part else part.k) for part in dask.compute(*shuffled.to_delayed())]
            assert sum(map(len, parts)) == len(set().union(*parts)) or shuffled.known_divisions
            assert shuffled.v.sum().compute() == pytest.approx(small.v.compute().sum())
        joined = small.merge(small, on="k").compute()
    assert len(joined) == len(small.compute().merge(small.compute(), on="k"))


def test_graphs_that_shuffle_through_files_run_too(small):
    with dask.config.set({"dataframe.shuffle.method": "disk"}):
        shuffled = small.shuffle("k").v.sum()
        assert shuffled.compute(scheduler=raskt.dask.get) == pytest.approx(small.v.compute().sum())


def test_persisted_frames(small, client):
    calls = []

    def seen(part):
        calls.append(len(part))
        return part

    with dask.config.set(scheduler=client):
        frame = small.map_partitions(seen, meta=small._meta).persist()
        before = len(calls)
        assert frame.v.sum().compute() == pytest.approx(small.v.compute().sum())
        assert_same(frame.groupby("s").k.max().compute(), small.compute().groupby("s").k.max())
    assert len(calls) == before


@pytest.mark.parametrize("rows", [0, 1])
def test_hardly_any_rows(rows, same):
    frame = dd.from_pandas(pd.DataFrame({"a": np.arange(rows), "b": np.ones(rows)}), npartitions=1)
    same(frame)
    same(frame.a.sum(), frame.b.mean())


def test_written_files_hold_the_frame(small, client, tmp_path):
    with dask.config.set(scheduler=client):
        small.to_parquet(tmp_path / "frame")
        pd.testing.assert_frame_equal(
            dd.read_parquet(tmp_path / "frame").compute(), small.compute(), check_dtype=False, check_index_type=False
        )


def test_arrays_frames_bags_and_calls_in_one_computation(small, same):
    import dask.array as da
    import dask.bag as db

    array = da.arange(30, chunks=4)
    bag = db.from_sequence(range(20), npartitions=3).map(lambda x: x * x)
    total = dask.delayed(sum)([array.sum(), bag.max()])
    same(array + 1, small.v.sum(), bag, total, {"both": [array.sum(), total]})
