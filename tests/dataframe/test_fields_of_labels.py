"""Fields and methods of labels that are times: `df.index.month`, as pandas' indexes have them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from raskt.dataframe.index.times import EACH, METHODS, WHOLE

DAYS = pd.date_range("2020-01-28 13:45:10", periods=7, freq="D", name="t")
LABELS = {
    "days": DAYS,
    "unnamed": DAYS.rename(None),
    "seconds": DAYS.as_unit("s"),
    "zone": DAYS.tz_localize("Europe/Berlin"),
    "utc": DAYS.tz_localize("UTC"),
    "missing": pd.DatetimeIndex([*DAYS[:3], None, *DAYS[3:5]], name="t"),
    "spans": pd.timedelta_range("1h", periods=5, freq="25h", name="d"),
    "missing spans": pd.TimedeltaIndex(["1h", None, "49h"]),
    "months": pd.period_range("2020-01", periods=5, freq="M", name="p"),
    "none": DAYS[:0],
    "numbers": pd.RangeIndex(4),
    "texts": pd.Index(["a", "b", "c"]),
}
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "floor": ("2h",),
    "ceil": ("2h",),
    "round": ("2h",),
    "strftime": ("%Y-%m-%d",),
    "tz_localize": (None,),
    "tz_convert": ("Asia/Tokyo",),
    "to_period": ("M",),
    "as_unit": ("ms",),
}


def outcome(index: Any, name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = getattr(index, name)
        found = found(*ARGUMENTS.get(name, ())) if name in METHODS else found
        return found.compute() if hasattr(found, "compute") else found


def check(found: Any, expected: Any, name: str) -> None:
    if isinstance(expected, pd.Index):
        pd.testing.assert_index_equal(found, expected, exact=True, check_freq=False)
        known = name not in ("floor", "ceil", "round", "normalize", "to_timestamp")
        assert not known or getattr(found, "freq", None) == getattr(expected, "freq", None)
    elif isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected, check_freq=False)
    elif isinstance(expected, np.ndarray):
        pd.testing.assert_series_equal(
            found.reset_index(drop=True), pd.Series(expected, dtype=expected.dtype), check_names=False
        )
    else:
        assert found == expected


@pytest.mark.parametrize("name", sorted({*EACH, *METHODS, *WHOLE, "freq"}))
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("partitions", [1, 3])
def test_fields_are_those_of_pandas(labels: str, name: str, partitions: int) -> None:
    frame = pd.DataFrame({"x": range(len(LABELS[labels]))}, index=LABELS[labels])
    lazy = rd.from_pandas(frame, npartitions=partitions, sort=False)
    if name == "round" and labels in ("numbers", "texts", "months"):
        pytest.skip("a method of all labels")
    try:
        expected = outcome(frame.index, name)
    except (AttributeError, TypeError, ValueError):
        with pytest.raises((AttributeError, TypeError, ValueError)):
            outcome(lazy.index, name)
    else:
        check(outcome(lazy.index, name), expected, name)


def test_rows_are_grouped_and_chosen_by_fields() -> None:
    frame = pd.DataFrame({"x": range(90)}, index=pd.date_range("2020-01-01", periods=90, name="t"))
    lazy = rd.from_pandas(frame, npartitions=4)
    by = lambda rows: rows.groupby(rows.index.month).x.sum()
    pd.testing.assert_series_equal(by(lazy).compute(), by(frame))
    by = lambda rows: rows.groupby([rows.index.year, rows.index.day_name()]).x.agg(["sum", "max"])
    pd.testing.assert_frame_equal(by(lazy).compute(), by(frame))
    chosen = lambda rows: rows[(rows.index.month == 2) & rows.index.is_month_end]
    pd.testing.assert_frame_equal(chosen(lazy).compute(), chosen(frame), check_freq=False)
    with_month = lambda rows: rows.assign(month=rows.index.month)
    pd.testing.assert_frame_equal(with_month(lazy).compute(), with_month(frame))
    assert "month" in dir(lazy.index)
    assert "month" not in dir(lazy.reset_index().index)


@pytest.mark.parametrize("opener", [("rolling", 2), ("expanding",), ("ewm", 2), ("resample", "2D")])
def test_columns_of_windows_by_their_names(opener: Any) -> None:
    frame = pd.DataFrame({"x": range(9), "y": range(9)}, index=pd.date_range("2020-01-01", periods=9))
    over = lambda rows: getattr(rows, opener[0])(*opener[1:])
    found = over(rd.from_pandas(frame, npartitions=2))
    pd.testing.assert_series_equal(found.x.mean().compute(), over(frame).x.mean())
    assert "x" in dir(found)
    with pytest.raises(AttributeError, match="'z'"):
        found.z


AGGREGATIONS: list[Any] = [
    "sum",
    ["mean"],
    ["mean", "max"],
    {"x": "mean"},
    {"x": ["min", "max"], "y": "sum"},
    "cov",
    "corr",
]


@pytest.mark.parametrize("opener", [("rolling", 2), ("expanding",), ("ewm", 2)])
@pytest.mark.parametrize("asked", AGGREGATIONS, ids=str)
def test_aggregations_of_windows(opener: Any, asked: Any) -> None:
    frame = pd.DataFrame({"x": np.arange(6.0), "y": np.arange(6.0) ** 2})
    over = lambda rows: getattr(rows, opener[0])(*opener[1:]).agg(asked)
    try:
        expected = over(frame)
    except (AttributeError, TypeError, ValueError, NotImplementedError):
        return
    for rows, partitions in ((frame, 1), (frame, 3), (frame[frame.x > 9], 2)):
        lazy = rd.from_pandas(frame, npartitions=partitions)
        lazy = lazy if len(rows) else lazy[lazy.x > 9]
        pd.testing.assert_frame_equal(over(lazy).compute(), over(rows) if len(rows) == 0 else expected)


def test_windows_mix_with_the_rows_that_they_are_of() -> None:
    frame = pd.DataFrame({"v": [1.0, -1, 2, -3, 4, 5], "q": range(6), "i": [2**60 + 1, 2, 3, 4, 5, 6]})
    crossing = lambda d: (d.v.rolling(2).mean() > 0) & (d.q > 1)
    uses = [
        lambda d: d[crossing(d)],
        lambda d: d.assign(m=crossing(d)),
        lambda d: d.assign(m=crossing(d)).groupby("m").q.sum(),
        lambda d: d.i + d.v.rolling(2).count().fillna(0).astype("int64"),
        lambda d: (d.v.ewm(span=2).mean() > d.v.expanding().mean()) * d.q,
        lambda d: d.v.interpolate() + d.q,
    ]
    for partitions in (1, 2, 4):
        for use in uses:
            found, expected = use(rd.from_pandas(frame, npartitions=partitions)).compute(), use(frame)
            same = pd.testing.assert_series_equal if expected.ndim == 1 else pd.testing.assert_frame_equal
            same(found, expected)


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("name", ["mean", "std", "median", "sum", "any", "all", "nbytes"])
def test_statistics_of_labels(labels: str, name: str) -> None:
    index = LABELS[labels]
    if not hasattr(index, name) or labels in ("none", "texts", "numbers"):
        pytest.skip(f"pandas has no {name} of {labels}, or counts how it stores them")
    lazy = getattr(rd.from_pandas(pd.DataFrame({"x": range(len(index))}, index=index), npartitions=2).index, name)
    try:
        expected = index.nbytes if name == "nbytes" else getattr(index, name)()
    except TypeError:
        with pytest.raises(TypeError):
            lazy().compute()
        return
    found = (lazy if name == "nbytes" else lazy()).compute()
    assert found == expected or (pd.isna(found) and pd.isna(expected))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Asia/Tokyo"])
@pytest.mark.parametrize("missing", [False, True])
def test_fields_of_times_of_any_unit_are_integers_where_none_is_missing(unit, zone, missing):
    times = pd.Series(DAYS[:4].as_unit(unit).tz_localize(zone))
    times = times.where(times.index != 1) if missing else times
    lazy = rd.from_pandas(times, npartitions=2)
    for use in (
        lambda rows: rows.dt.year,
        lambda rows: rows.dt.year.astype("str") + "-" + rows.dt.month.astype("str"),
        lambda rows: rows.dt.year * 100 + rows.dt.month,
        lambda rows: rows.groupby(rows.dt.day).count(),
        lambda rows: rows.dt.isocalendar().week,
        lambda rows: rows.dt.day.value_counts().sort_index(),
    ):
        pd.testing.assert_series_equal(use(lazy).compute(), use(times))
