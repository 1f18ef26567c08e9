"""Frames, series, indexes and scalars in pickles: what is read from one computes to the same."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import threading

import cloudpickle
import numpy as np
import pandas as pd
import pytest

import raskt
import raskt.dataframe as rd
from frame_comparing import check
from raskt import delayed

WAYS = {"pickle": pickle, "cloudpickle": cloudpickle}

MADE = {
    "plain": lambda df: df,
    "persisted": lambda df: df.persist(),
    "filtered": lambda df: df[df["a"] > 1],
    "labelled": lambda df: df.set_index("a"),
    "several levels": lambda df: df.groupby(["a", "s"]).agg({"b": "sum"}),
    "assigned": lambda df: df.assign(twice=df["a"] * 2, text=df["s"].str.upper()),
    "sorted": lambda df: df.sort_values("b"),
    "grouped": lambda df: df.groupby("a").agg({"b": ["sum", "mean"], "a": "count"}),
    "joined": lambda df: df.merge(df[["a"]].drop_duplicates(), on="a"),
    "mapped": lambda df: df.map_partitions(lambda part: part.assign(one=part["a"] + 1)),
    "pandas' own": lambda df: df.apply(lambda row: row["a"] + 1, axis=1, meta=("found", "int64")),
    "no columns": lambda df: df[[]],
    "nothing left": lambda df: df[df["a"] > 99],
    "series": lambda df: df["b"],
    "without a name": lambda df: df["b"].rename(None),
    "categories": lambda df: df["s"].astype("category"),
    "nullable": lambda df: df["a"].astype("Int64"),
    "objects": lambda df: df["a"].map(lambda value: (value,), meta=("a", object)),
    "index": lambda df: df.index,
    "labels": lambda df: df.set_index("b").index,
    "moved labels": lambda df: df.set_index("a").index + 1,
    "sum": lambda df: df["a"].sum(),
    "mean": lambda df: df["b"].mean(),
    "of text": lambda df: df["s"].min(),
    "of no rows": lambda df: df[df["a"] > 99]["a"].sum(),
    "cumulated": lambda df: df["a"].cumsum(),
    "concatenated": lambda df: rd.concat([df, df[df["a"] > 2]]),
    "repartitioned": lambda df: df.repartition(npartitions=3),
}


def kinds(value):
    """What users see of a collection without computing it."""
    seen = ("columns", "name", "names", "dtype", "divisions", "npartitions", "known_divisions", "ndim")
    found = {name: getattr(value, name, None) for name in seen}
    return {name: list(one) if isinstance(one, pd.Index) else one for name, one in found.items()}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("made", MADE)
def test_collections_come_as_they_went(df, made, way):
    value = MADE[made](df)
    found = pickle.loads(WAYS[way].dumps(value))
    assert type(found) is type(value)
    assert kinds(found) == kinds(value)
    check(found, value.compute())


@pytest.mark.parametrize("made", ["plain", "persisted", "labelled", "filtered", "grouped"])
def test_what_was_read_goes_on(df, made):
    value = MADE[made](df)
    found = pickle.loads(pickle.dumps(value))
    column = list(value.columns)[0]
    check(found[found[column] > 1], value[value[column] > 1].compute())
    check(found[column].sum(), value[column].sum().compute())
    check(found.reset_index(), value.reset_index().compute())
    check(
        pickle.loads(pickle.dumps(found + found if made == "grouped" else found[[column]])),
        (value + value if made == "grouped" else value[[column]]).compute(),
    )


def test_what_is_read_twice_has_the_same_rows(df):
    data = pickle.dumps(df)
    one, other = pickle.loads(data), pickle.loads(data)
    check(one.assign(other=other["a"]), df.assign(other=df["a"]).compute())


@pytest.mark.parametrize("written", ["csv", "parquet"])
def test_files_are_named_and_not_carried(pdf, tmp_path, written):
    pdf = pd.concat([pdf[["a", "b"]]] * 200, ignore_index=True)
    path = str(tmp_path / f"table.{written}")
    pdf.to_csv(path, index=False) if written == "csv" else pdf.to_parquet(path)
    df = rd.read_csv(path) if written == "csv" else rd.read_parquet(path)
    data = pickle.dumps(df[df["a"] > 1])
    assert len(data) < 4000
    check(pickle.loads(data), df[df["a"] > 1].compute())


def test_times_keep_their_step_and_divisions():
    times = pd.date_range("2024-01-01", periods=8, freq="D")
    pdf = pd.DataFrame({"x": range(8)}, index=times)
    df = rd.from_pandas(pdf, npartitions=3)
    found = pickle.loads(pickle.dumps(df))
    assert found.divisions == df.divisions and None not in found.divisions
    assert found.compute().index.freq == df.compute().index.freq
    check(found.loc["2024-01-03":"2024-01-05"], pdf.loc["2024-01-03":"2024-01-05"])


def test_groups_windows_and_accessors_are_pickled(df, pdf):
    check(pickle.loads(pickle.dumps(df.groupby("a")))["b"].sum(), pdf.groupby("a")["b"].sum())
    check(pickle.loads(pickle.dumps(df.groupby("a")["b"])).mean(), pdf.groupby("a")["b"].mean())
    check(pickle.loads(pickle.dumps(df["a"].rolling(2))).sum(), pdf["a"].rolling(2).sum())
    check(pickle.loads(pickle.dumps(df["s"].str)).upper(), pdf["s"].str.upper())


def test_a_collection_is_an_argument_of_a_call_that_is_pickled(df, pdf):
    total = delayed(lambda frame, series, factor: frame["a"].sum() * factor + len(series))(df, df["b"], 2)
    found = pickle.loads(cloudpickle.dumps(total))
    assert found.compute() == pdf["a"].sum() * 2 + len(pdf)


def test_partitions_as_delayed_objects_are_pickled(df):
    parts = pickle.loads(pickle.dumps(df.to_delayed()))
    check(pd.concat(raskt.compute(*parts)), df.compute())
    again = pickle.loads(pickle.dumps(rd.from_delayed(parts, meta=df)))
    check(again, df.compute())


def test_arrays_of_frames_and_frames_of_arrays_are_pickled(df, pdf):
    array = pickle.loads(pickle.dumps(df[["a", "b"]].to_dask_array(lengths=True)))
    np.testing.assert_array_equal(array.compute(), pdf[["a", "b"]].to_numpy())
    check(pickle.loads(pickle.dumps(rd.from_array(array, columns=["a", "b"]))), pdf[["a", "b"]].astype(float))


def test_files_to_be_written_are_pickled(df, pdf, tmp_path):
    to_write = df[["a", "b"]].to_parquet(str(tmp_path / "out"), compute=False)
    pickle.loads(pickle.dumps(to_write)).compute()
    check(rd.read_parquet(str(tmp_path / "out")), pdf[["a", "b"]])


def test_symbolic_frames_are_short(df):
    for _ in range(100):
        df = df.assign(a=df["a"] + 1)
    base = len(pickle.dumps(df))
    assert base < 40_000


def test_what_cannot_be_pickled_is_named(df):
    lock = threading.Lock()
    mapped = df.map_partitions(lambda part: part if lock else None, meta=df)
    with pytest.raises(TypeError, match="pickle") as raised:
        pickle.dumps(mapped)
    assert any("lock" in note for note in getattr(raised.value, "__notes__", [])) or "lock" in str(raised.value)


def test_copies_are_no_pickles(df):
    assert copy.deepcopy(df).compute().equals(df.compute())


def test_another_process_reads_them(df, pdf, tmp_path):
    path = tmp_path / "pickle"
    values = (df.groupby("a")["b"].sum(), df["a"].sum(), df.map_partitions(lambda part: part.tail(1)))
    path.write_bytes(cloudpickle.dumps(values))
    code = f"import pickle; print([x.compute() for x in pickle.load(open({str(path)!r}, 'rb'))][1])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert ran.stdout.strip() == str(pdf["a"].sum()), ran.stderr
