"""Frames that are computed together and read the same rows are one query."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import raskt
import raskt.dataframe as rd


@pytest.fixture
def folder(tmp_path):
    random = np.random.default_rng(3)
    whole = pd.DataFrame({"k": random.choice(list("abc"), 300), "x": random.random(300), "y": np.arange(300)})
    for at in range(3):
        whole[at * 100 : at * 100 + 100].to_csv(tmp_path / f"{at}.csv", index=False)
    return tmp_path, whole


def test_results_are_those_of_each_alone(folder):
    path, whole = folder
    frame = rd.read_csv(str(path))
    other = rd.from_pandas(pd.DataFrame({"k": ["a", "b"], "z": [1, 2]}), npartitions=1)
    means = frame.groupby("k").x.mean()
    joined = frame.merge(other, on="k").groupby("z").y.sum()
    found = raskt.compute(means, joined, frame.x.sum(), frame.head(5, compute=False), other.z.max())
    pd.testing.assert_series_equal(found[0], whole.groupby("k").x.mean())
    expected = whole.merge(pd.DataFrame({"k": ["a", "b"], "z": [1, 2]}), on="k").groupby("z").y.sum()
    pd.testing.assert_series_equal(found[1], expected)
    assert found[2] == pytest.approx(whole.x.sum())
    pd.testing.assert_frame_equal(found[3], whole.head(5))
    assert found[4] == 2


def frame_layers(*collections):
    dot = raskt.visualize(*collections, filename=None)
    return re.findall(r'label="(frame [^"\\]*)', dot)


def test_a_shared_source_is_read_by_one_task(folder):
    path, _ = folder
    frame = rd.read_csv(str(path))
    first, second = frame.groupby("k").x.mean(), frame.groupby("k").y.max()
    unrelated = rd.from_pandas(pd.DataFrame({"a": [1]}), npartitions=1)
    assert len(frame_layers(first, second)) == 1
    assert len(frame_layers(first, second, first)) == 1
    assert len(frame_layers(first, unrelated)) == 2


def test_the_same_frame_twice_is_computed_once(folder):
    path, whole = folder
    frame = rd.read_csv(str(path))
    twice = raskt.compute(frame, frame)
    for found in twice:
        pd.testing.assert_frame_equal(found, whole.reset_index(drop=True))


def test_an_error_of_one_is_the_error_of_all(folder):
    path, _ = folder
    frame = rd.read_csv(str(path))
    with pytest.raises(Exception, match="divided by zero"):
        raskt.compute(frame.y.sum(), frame.y // (frame.y * 0))


def test_python_functions_among_them(folder):
    path, whole = folder
    frame = rd.read_csv(str(path))
    mapped = frame.map_partitions(lambda part: part.assign(w=part.x * 2))
    found = raskt.compute(mapped.w.sum(), mapped.groupby("k").w.max(), frame.x.sum())
    assert found[0] == pytest.approx(2 * whole.x.sum())
    pd.testing.assert_series_equal(found[1], (2 * whole.x).rename("w").groupby(whole.k).max())
    assert found[2] == pytest.approx(whole.x.sum())


@pytest.mark.parametrize("partitions", [1, 3])
def test_large_plans_that_use_the_same_rows_ask_for_columns_of_their_own(partitions):
    pdf = pd.DataFrame({"k": [1, 2, 1, 3], "x": [5, 6, 7, 8], "y": [1.5, 2.5, 3.5, 4.5]})
    own, pandas = rd.from_pandas(pdf, npartitions=partitions), pdf
    for _ in range(8):  # written out, each step is twice as large as the one before
        own = own.merge(own.groupby("k", as_index=False)[["x"]].max().rename(columns={"x": "m"}), on="k")
        own = own.assign(x=own.x + own.m).drop(columns="m")
        pandas = pandas.merge(pandas.groupby("k", as_index=False)[["x"]].max().rename(columns={"x": "m"}), on="k")
        pandas = pandas.assign(x=pandas.x + pandas.m).drop(columns="m")
    last = lambda rows: rows.assign(y=rows.y * 2)
    found = raskt.compute(own[["x"]], own[["y"]], last(own), own[["k"]])
    for actual, expected in zip(found, (pandas[["x"]], pandas[["y"]], last(pandas), pandas[["k"]]), strict=True):
        pd.testing.assert_frame_equal(actual, expected)
