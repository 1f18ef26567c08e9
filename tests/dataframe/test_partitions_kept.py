"""Partitions that go side by side hold the rows that they held."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import raskt
import raskt.dataframe as rd

FRAME = pd.DataFrame({"x": np.arange(1.0, 10)}, index=[5, 3, 9, 1, 7, 2, 8, 4, 6])
OTHERS = {
    "column": lambda rows: rows.assign(c=rows["x"] - rows["x"].mean()),
    "filter": lambda rows: rows[rows["x"] > rows["x"].mean()],
    "shift": lambda rows: rows.assign(c=rows["x"].shift(1))[rows["x"] > 4],
}


def difference(one, other):
    return one["x"].sum() - other["x"].sum()


@pytest.mark.parametrize("other", OTHERS)
def test_partitions_of_other_lengths_are_not_paired(other):
    lazy = rd.from_pandas(FRAME, npartitions=3, sort=False)
    filtered = lazy[lazy["x"] > 3]
    with pytest.raises(NotImplementedError, match="side by side"):
        rd.map_partitions(difference, filtered.copy(), OTHERS[other](lazy[lazy["x"] > 3.5]), meta=("s", "f8"))
    kept = OTHERS[other](filtered).persist()
    assert rd.map_partitions(difference, filtered, kept, meta=("s", "f8")).npartitions == 3


def test_times_of_another_unit_or_zone_and_labels_of_another_type_are_told():
    times = pd.DataFrame({"t": pd.to_datetime(["2020-01-01", "2020-01-02"]).as_unit("us")})
    changed = {
        "unit": lambda part: part.assign(t=part["t"].dt.as_unit("ns")),
        "zone": lambda part: part.assign(t=part["t"].dt.tz_localize("Asia/Tokyo")),
        "labels": lambda part: part.set_index(part.index * 1.0),
    }
    first = times["t"][0]
    for name, change in changed.items():
        function = lambda part, change=change: part if (part["t"] <= first).all() else change(part)
        rows = rd.from_map(lambda at: times.iloc[at : at + 1], [0, 1], meta=times.iloc[:0])
        found = rows.map_partitions(function, meta=None if name != "zone" else times.iloc[:0])
        with pytest.raises((NotImplementedError, ValueError), match=r"gives another type|didn't give"):
            found.compute()


def test_intervals_that_may_be_missing_are_of_floats():
    one = pd.DataFrame({"a": [1.5, 2.5]})
    other = pd.DataFrame({"b": pd.arrays.IntervalArray.from_breaks([1, 2, 3])})
    found = rd.concat([rd.from_pandas(one, npartitions=1), rd.from_pandas(other, npartitions=2)])
    pd.testing.assert_frame_equal(found.compute(), pd.concat([one, other]))


def test_sources_of_delayed_objects_are_told_apart():
    from raskt._tokens import tokenize

    def make(value):
        part = raskt.delayed(lambda: pd.DataFrame({"a": [value]}))()
        return rd.from_delayed([part], meta=pd.DataFrame({"a": pd.Series([], dtype="int64")}))

    assert len({tokenize(make(value)) for value in range(100)}) == 100


def test_partitions_of_known_lengths_are_paired():
    lazy = rd.from_pandas(FRAME, npartitions=3, sort=False)
    moved = lazy.assign(c=lazy["x"].cumsum())
    other = moved[moved["c"] > 0][["x"]]
    found = rd.map_partitions(difference, lazy.copy(), lazy.assign(c=1.0)[["x"]], meta=("s", "f8"))
    assert found.compute().tolist() == [0, 0, 0]
    assert other.npartitions == 3
