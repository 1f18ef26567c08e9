"""Objects that a mapper maps: whether truth values among them equal numbers, all of them together tell."""

from __future__ import annotations

import datetime
import itertools

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_series_equal

import raskt.dataframe as rd

OBJECTS = {
    "truth values": [True, False, True],
    "one is missing": [True, None, True],
    "one is NaN": [True, np.nan, 2.5],
    "beside numbers": [1, True, False, 0],
    "beside a text": ["a", True, 1],
    "beside large numbers": [10**20, True, 2.5, "b"],
    "missing": [None, None],
    "times as texts": ["2020-01-01", "b"],
    "a date": [datetime.date(2020, 1, 1), "a"],
    "spans": [datetime.timedelta(1), None],
}
MAPPERS = {
    "a number": {1: 25},
    "fractions": {1.5: 3, 0: 4},
    "a truth value": {True: 4},
    "to texts": {1: "x", 0: "y"},
    "texts": {"a": 1, 1: 2},
    "a series of numbers": pd.Series({1: 25}),
    "a series of fractions": pd.Series([7.5, 1], index=[0.0, 1.0]),
    "a series of truth values": pd.Series(["a", "b"], index=[True, False]),
    "a series of categories": pd.Series([5, 6], index=pd.CategoricalIndex([1, 0])),
    "a series of categories of texts": pd.Series([5, 6], index=pd.CategoricalIndex(["a", "b"])),
    "a series of intervals": pd.Series([5], index=pd.IntervalIndex.from_breaks([0, 1])),
    "a time": {pd.Timestamp("2020-01-01"): 5},
    "nothing and a truth value": {True: 5, None: 6},
}


@pytest.mark.parametrize("na_action", [None, "ignore"])
@pytest.mark.parametrize(("objects", "mapper"), list(itertools.product(OBJECTS, MAPPERS)))
def test_they_are_mapped_however_they_are_cut(objects: str, mapper: str, na_action: str | None) -> None:
    series = pd.Series(OBJECTS[objects], dtype=object, name="s")
    expected = series.map(MAPPERS[mapper], na_action=na_action)
    for npartitions in range(1, len(series) + 1):
        lazy = rd.from_pandas(series, npartitions=npartitions)
        assert_series_equal(lazy.map(MAPPERS[mapper], na_action=na_action).compute(), expected)
        told = lazy.map(MAPPERS[mapper], na_action=na_action, meta=expected.iloc[:0])
        assert_series_equal(told.compute(), expected)
