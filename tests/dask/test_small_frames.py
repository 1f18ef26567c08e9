"""What is done in a quicker way for frames of Dask: cutting frames that are in memory, and shuffling small ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import raskt.dask
from dask_comparing import assert_same

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")


def table(rows: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    with_gaps = rng.integers(0, 6, rows).astype(float)
    with_gaps[rng.integers(0, rows, 20)] = np.nan
    return pd.DataFrame(
        {
            "whole": rng.integers(-5, 9, rows),
            "byte": rng.integers(0, 9, rows).astype("uint8"),
            "gaps": with_gaps,
            "nullable": pd.array(rng.integers(0, 4, rows), dtype="Int64"),
            "flag": rng.random(rows) < 0.5,
            "letters": pd.Series(rng.choice(list("abc"), rows), dtype=object),
            "kind": pd.Categorical(rng.choice(["x", "y"], rows)),
            "when": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 9, rows), "D"),
            "value": rng.normal(size=rows),
        },
        index=rng.permutation(rows),
    )


CUTS = {
    "all columns": lambda df: df,
    "some columns": lambda df: df[["value", "letters"]],
    "a column": lambda df: df["letters"],
    "a column twice": lambda df: df[["value", "value"]],
    "no columns": lambda df: df[[]],
    "the index": lambda df: df.index,
    "a partition": lambda df: df.partitions[2],
    "partitions far apart": lambda df: df.partitions[[0, 5]],
    "partitions in another order": lambda df: df.partitions[[3, 1]],
    "two selections": lambda df: dd.concat([df[["value"]], df[["whole"]]], axis=1),
}


@pytest.mark.parametrize("sort", [True, False])
@pytest.mark.parametrize("cut", CUTS)
def test_partitions_of_a_frame_in_memory_are_those_of_dask(same, cut, sort):
    frame = CUTS[cut](dd.from_pandas(table(), npartitions=6, sort=sort))
    same(frame)
    same(*frame.map_partitions(lambda part: part[::2]).to_delayed())


@pytest.mark.parametrize("values", [pd.Series(list("abcdefg"), name="s"), table(7).set_index("letters").value])
def test_series_are_cut_too(same, values):
    same(dd.from_pandas(values, npartitions=3, sort=False).map_partitions(lambda part: part))


def test_frames_with_divisions_and_empty_frames(same):
    same(dd.from_pandas(table().sort_index(), npartitions=4)["value"].loc[10:200])
    same(dd.from_pandas(table()[:0], npartitions=2).map_partitions(len))


def test_columns_are_selected_once_for_all_partitions(monkeypatch):
    frame = dd.from_pandas(table(), npartitions=50, sort=False)[["whole", "value"]].optimize()
    selected, select = [], pd.DataFrame.__getitem__

    def counted(table, columns):
        if columns == ["whole", "value"]:
            selected.append(len(table))
        return select(table, columns)

    monkeypatch.setattr(pd.DataFrame, "__getitem__", counted)
    frame.compute(scheduler=raskt.dask.get)
    assert selected == [300]


def test_dask_writes_its_graphs_as_before():
    frame = dd.from_pandas(table(), npartitions=5)[["value", "whole"]].shuffle("whole")
    optimized = frame.optimize().expr
    before = {expression._name: set(vars(expression)) for expression in optimized.walk()}
    frame.compute(scheduler=raskt.dask.get)
    methods = {"_filtered_task", "operation", "_shuffle_group"}
    assert before.keys() == {expression._name for expression in optimized.walk()}
    assert not any(methods & set(vars(expression)) for expression in optimized.walk())


KEYS = {
    "whole numbers": "whole",
    "small numbers": "byte",
    "numbers with gaps": "gaps",
    "nullable numbers": "nullable",
    "truth": "flag",
    "strings": "letters",
    "categories": "kind",
    "dates": "when",
    "several": ["whole", "gaps"],
    "several of all kinds": ["letters", "whole", "when"],
}


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("options", [{}, {"npartitions": 3}, {"ignore_index": True}, {"max_branch": 3}], ids=str)
def test_shuffles_are_those_of_dask(client, key, options):
    frame = dd.from_pandas(table(), npartitions=8, sort=False).shuffle(KEYS[key], **options)
    # Partition by partition, since the rows of each are what a shuffle is about.
    ours = dask.compute(*frame.to_delayed(), scheduler=client)
    theirs = dask.compute(*frame.to_delayed(), scheduler="sync")
    assert len(ours) == options.get("npartitions", 8)
    for mine, reference in zip(ours, theirs, strict=True):
        assert_same(mine, reference)


def test_shuffles_by_the_index_by_other_frames_and_after_other_work(same):
    frame = dd.from_pandas(table(), npartitions=5, sort=False)
    same(frame.shuffle(on_index=True, npartitions=4))
    same(frame.shuffle(frame.whole % 3))
    same(frame[frame.value > 0].assign(more=frame.value * 2).shuffle("whole").partitions[1])
    same(frame.whole.to_frame().shuffle("whole"))


def test_a_column_that_is_there_twice_and_one_that_is_missing(client):
    twice = dd.from_pandas(pd.DataFrame([[1, 2, 3]] * 9, columns=["a", "b", "b"]), npartitions=3, sort=False)
    shuffled = twice.shuffle("a")
    assert_same(shuffled.compute(scheduler=client), shuffled.compute(scheduler="sync"))
    parts = twice[["a"]].map_partitions(
        lambda part: part.rename(columns={"a": "c"}), meta={"a": "i8"}, enforce_metadata=False
    )
    with pytest.raises(KeyError, match="a"):
        parts.shuffle("a").compute(scheduler=client)


def test_a_join_that_shuffles_is_that_of_dask(same):
    left = dd.from_pandas(table(), npartitions=5, sort=False)
    right = dd.from_pandas(table(80)[["whole", "value"]], npartitions=4, sort=False)
    same(left.merge(right, on="whole", how="left", broadcast=False, shuffle_method="tasks"))
