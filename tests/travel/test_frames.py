"""Frames whose graphs travel."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.matrix import frame_programs
from tests.matrix.programs import Mismatch
from tests.matrix.test_programs import PROGRAMS, played

import raskt
import raskt.dataframe as rd
from frame_comparing import check, sample

PDF = sample()

CASES = {
    "filters": lambda df: df[(df["a"] > 1) & df["f"]],
    "arithmetic": lambda df: df.assign(c=df["a"] * 2 - df["b"]),
    "texts": lambda df: df["s"].str.upper(),
    "times": lambda df: df["t"].dt.day,
    "scalars": lambda df: df["b"] - df["b"].mean(),
    "sums": lambda df: df[["a", "b"]].sum(),
    "groups": lambda df: df.groupby("a")["b"].mean(),
    "groups of all kinds": lambda df: df.groupby("a").agg({"b": ["sum", "min"], "größe": "max"}),
    "groups in pandas": lambda df: df.groupby("a")["b"].apply(lambda part: part.max()),
    "sorts": lambda df: df.sort_values(["a", "größe"]),
    "labels": lambda df: df.set_index("größe").loc[20:70],
    "cumulated": lambda df: df["a"].cumsum(),
    "rolling": lambda df: df["a"].rolling(3).sum(),
    "unique": lambda df: df.drop_duplicates("a"),
    "missing": lambda df: df.fillna({"b": 0.0, "s": "none"}),
    "categories": lambda df: df["s"].astype("category"),
    "nullable": lambda df: df["a"].astype("Int64") + 1,
    "of rows": lambda df: df[["a", "größe"]].apply(lambda row: row["a"] + row["größe"], axis=1),
    "of values": lambda df: df["a"].map({1: "one", 2: "two"}),
    "head": lambda df: df.head(3),
    "index": lambda df: df[df["a"] > 1].index,
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("npartitions", [1, 4])
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
def test_operations(case, npartitions):
    function = CASES[case]
    check(function(rd.from_pandas(PDF, npartitions=npartitions)), function(PDF))


@pytest.mark.parametrize("how", ["inner", "left", "outer"])
def test_joins(how):
    right = pd.DataFrame({"a": [1, 2, 2, 9], "z": [0.5, 1.5, 2.5, 3.5]})
    df, other = rd.from_pandas(PDF[["a", "größe"]], npartitions=3), rd.from_pandas(right, npartitions=2)
    found = df.merge(other, on="a", how=how).compute().sort_values(["a", "größe", "z"], ignore_index=True)
    expected = PDF[["a", "größe"]].merge(right, on="a", how=how).sort_values(["a", "größe", "z"], ignore_index=True)
    check(found, expected)


def test_functions_of_partitions():
    df = rd.from_pandas(PDF, npartitions=3)
    more = 5
    check(df.map_partitions(lambda part: part.assign(a=part["a"] + more)), PDF.assign(a=PDF["a"] + 5))
    lengths = df.map_partitions(len, meta=pd.Series([], dtype="int64"))
    assert lengths.compute().tolist() == [4, 4, 4]
    beside = df["a"] + rd.from_pandas(PDF["a"][::-1], npartitions=2)
    check(beside.compute().sort_index(), PDF["a"] * 2)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files(tmp_path, kind):
    pdf = PDF[["a", "b", "größe"]]
    rd.from_pandas(pdf, npartitions=2).to_parquet(str(tmp_path)) if kind == "parquet" else rd.from_pandas(
        pdf, npartitions=2
    ).to_csv(str(tmp_path / "part-*.csv"), index=False)
    df = rd.read_parquet(str(tmp_path)) if kind == "parquet" else rd.read_csv(str(tmp_path / "part-*.csv"))
    check(df[df["a"] > 1].compute().reset_index(drop=True), pdf[pdf["a"] > 1].reset_index(drop=True))
    check(df.groupby("a")["größe"].sum(), pdf.groupby("a")["größe"].sum())


def test_persisted_ones_and_what_follows():
    df = rd.from_pandas(PDF, npartitions=3)
    kept = df[df["a"] > 1].persist()
    check(kept, PDF[PDF["a"] > 1])
    check(kept.groupby("a")["b"].sum(), PDF[PDF["a"] > 1].groupby("a")["b"].sum())
    check(kept["a"].persist().max(), 5)
    check(kept.set_index("größe").index.persist(), PDF[PDF["a"] > 1].set_index("größe").index)


def test_partitions_and_delayed_calls():
    df = rd.from_pandas(PDF, npartitions=3)
    check(pd.concat(raskt.compute(*df.to_delayed())), PDF)
    check(rd.from_delayed(df.to_delayed(), meta=PDF.iloc[:0]), PDF)
    together = raskt.delayed(lambda frame, series, total, labels: (len(frame), series.sum(), total, list(labels)))
    found = together(df, df["a"], df["a"].sum(), df.set_index("größe").index).compute()
    assert found == (12, PDF["a"].sum(), PDF["a"].sum(), PDF["größe"].tolist())


def test_arrays():
    df = rd.from_pandas(PDF[["a", "b"]], npartitions=3)
    np.testing.assert_array_equal(df.to_dask_array(lengths=True).compute(), PDF[["a", "b"]].to_numpy())


def test_several_at_once():
    df = rd.from_pandas(PDF, npartitions=3)
    total, groups = raskt.compute(df["a"].sum(), df.groupby("a")["b"].max())
    assert total == PDF["a"].sum()
    check(groups, PDF.groupby("a")["b"].max())


def test_errors_have_the_lines_of_the_user():
    def fails(part):
        raise KeyError("of the user")

    df = rd.from_pandas(PDF, npartitions=2)
    with pytest.raises(KeyError, match="of the user") as raised:
        df.map_partitions(fails, meta=PDF.iloc[:0]).compute()
    assert raised.traceback[-1].name == "fails"


def test_pickles():
    df = pickle.loads(pickle.dumps(rd.from_pandas(PDF, npartitions=3)))
    check(df[df["a"] > 2].groupby("a")["b"].sum(), PDF[PDF["a"] > 2].groupby("a")["b"].sum())


def test_types_of_pickled_ones_are_those_that_were_found_before():
    """Lists of numbers are exploded to numbers, whether or not the collection went through a pickle."""
    pdf = pd.DataFrame({"i": [1, 2, 3], "l": [[1], [2, 3], [4]]})
    df = rd.from_pandas(pdf, npartitions=2)
    found = df.explode("l").compute()
    check(pickle.loads(pickle.dumps(df)).explode("l").compute(), found)


@pytest.mark.slow
@played(150)
@given(st.integers(0, 2**16 - 1), PROGRAMS)
def test_programs(first, program):
    try:
        frame_programs.start(first)
    except NotImplementedError:  # a frame cannot hold each type of columns
        return
    try:
        frame_programs.play(first, program)
    except Mismatch as error:
        pytest.fail(str(error), pytrace=False)
