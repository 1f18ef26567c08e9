"""Spans of time: types that depend on whether a span has rows, or a value is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd

INDEX = pd.date_range("2024-01-01", periods=6, freq="h")
ROWS = pd.DataFrame(
    {
        "i": np.arange(6),
        "u": np.arange(6, dtype="uint64")[::-1].copy(),
        "v": [1.0, np.nan, 3.0, 4.0, np.nan, 6.0],
        "b": [True, False, True, True, False, False],
    },
    index=INDEX,
)
#: Aggregations by name, of several columns, of several names.
ASKED: dict[str, Any] = {
    "a name": "first",
    "another name": "max",
    "names": ["min", "max", "mean", "sum"],
    "by column": {"i": "max", "v": "mean"},
    "several by column": {"i": ["first", "std"], "u": "last"},
}


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("rule", ["2h", "30min", "1D"])
@pytest.mark.parametrize("asked", ASKED)
def test_aggregations_of_spans_have_the_types_that_pandas_gives_them(asked: str, rule: str, partitions: int) -> None:
    rows = ROWS[["i", "u", "v"]]
    lazy = rd.from_pandas(rows, npartitions=partitions)
    expected = rows.resample(rule).agg(ASKED[asked])
    pd.testing.assert_frame_equal(lazy.resample(rule).agg(ASKED[asked]).compute(), expected, check_freq=False)
    if isinstance(ASKED[asked], str):
        one = lazy.i.resample(rule).apply(ASKED[asked]).compute()
        pd.testing.assert_series_equal(one, rows.i.resample(rule).apply(ASKED[asked]), check_freq=False)


@pytest.mark.parametrize("rule", ["2h", "30min"])
@pytest.mark.parametrize("column", ["i", "u", "v"])
def test_one_column_has_the_types_that_pandas_gives_it(column: str, rule: str) -> None:
    lazy = rd.from_pandas(ROWS, npartitions=2)
    for method in ("min", "max", "first", "last", "sum", "mean", "ffill", "count"):
        expected = getattr(ROWS.resample(rule)[column], method)()
        found = getattr(lazy.resample(rule)[column], method)().compute()
        pd.testing.assert_series_equal(found, expected, check_freq=False)
    pd.testing.assert_frame_equal(
        lazy[column].resample(rule).ohlc().compute(), ROWS[column].resample(rule).ohlc(), check_freq=False
    )


def test_truth_values_that_may_be_missing_are_refused_at_the_call() -> None:
    lazy = rd.from_pandas(ROWS[["i"]], npartitions=2)
    placed = lazy.assign(b=rd.from_pandas(ROWS.b.iloc[::-1], npartitions=2, sort=False))
    for method in ("max", "sum", "mean", "first", "asfreq", "ffill"):
        for spans in (placed.resample("2h"), placed.b.resample("2h")):
            with pytest.raises(NotImplementedError, match=r"of truth values: of which some may be missing"):
                getattr(spans, method)()
    for method in ("count", "nunique", "size"):
        found = getattr(placed.b.resample("2h"), method)().compute()
        pd.testing.assert_series_equal(found, getattr(ROWS.b.resample("2h"), method)(), check_freq=False)
    pd.testing.assert_series_equal(
        placed.resample("2h").i.max().compute(), ROWS.resample("2h").i.max(), check_freq=False
    )
    known = rd.from_pandas(ROWS, npartitions=2)
    pd.testing.assert_frame_equal(known.resample("2h").sum().compute(), ROWS.resample("2h").sum(), check_freq=False)
    for asked in ({"b": "max"}, ["first", "count"]):
        with pytest.raises(NotImplementedError, match="truth values if each has one"):
            known[["b"]].resample("2h").agg(asked)


@pytest.mark.parametrize("value", [[True, False], [1 + 2j, 0], ["a", "b"]], ids=["truth", "complex", "text"])
def test_fillers_of_other_rows_that_change_the_type_are_refused(value: list[Any]) -> None:
    floats = rd.from_pandas(pd.Series([1.0, np.nan, 3.0]), npartitions=2)
    for filler in (pd.Series(value), rd.from_pandas(pd.Series(value), npartitions=1)):
        with pytest.raises(NotImplementedError, match="convert one of them by astype"):
            floats.fillna(filler)
    assert floats.fillna(pd.Series([7, 8, 9])).compute().tolist() == [1.0, 8.0, 3.0]


@pytest.mark.parametrize("value", ["", "NaT", "nan"])
def test_a_text_that_stands_for_no_time_is_no_bound(value: str) -> None:
    times = rd.from_pandas(pd.Series(INDEX), npartitions=2)
    with pytest.raises(NotImplementedError, match="stands for no time"):
        times.clip(value)
    later = pd.Series(INDEX).clip("2024-01-01 02:00")
    pd.testing.assert_series_equal(times.clip("2024-01-01 02:00").compute(), later)


def test_missing_bounds_are_none() -> None:
    numbers = pd.Series([1.0, 2.0, 3.0])
    for bounds in ((pd.NA, 2), (np.nan, 2), (None, 2), (2, pd.NA)):
        found = rd.from_pandas(numbers, npartitions=2).clip(*bounds).compute()
        pd.testing.assert_series_equal(found, numbers.clip(*bounds))


def test_large_integers_of_other_rows_are_refused_where_pandas_rounds_them() -> None:
    rows = rd.from_pandas(pd.DataFrame({"v": [1.0, 2.0, 3.0]}), npartitions=2)
    large = pd.Series(2**53 + np.arange(1, 4))
    met = rows.assign(n=rd.from_pandas(large.set_axis([2, 0, 1]), npartitions=2, sort=False))
    assert met.compute().n.tolist() == [2**53 + 2, 2**53 + 3, 2**53 + 1]
    unmet = rows.assign(n=rd.from_pandas(large.set_axis([0, 1, 7]), npartitions=2, sort=False))
    with pytest.raises(NotImplementedError, match='astype\\("Int64"\\)'):
        unmet.compute()


@pytest.mark.parametrize("options", [{}, {"utc": True}, {"errors": "coerce"}, {"dayfirst": True}])
def test_times_of_no_texts(options: dict[str, Any]) -> None:
    rows = rd.from_pandas(pd.DataFrame({"d": ["2024-01-01", "2024-02-01"], "k": ["a", "b"]}), npartitions=2)
    none = rd.to_datetime(rows[rows.k == "z"].d, **options)
    found = none.compute()
    assert len(found) == 0 and found.dtype == none.dtype
