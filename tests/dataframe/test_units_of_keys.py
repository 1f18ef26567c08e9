"""Joins by times of two units: the result has the finer one, and no fraction is lost."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import raskt.dataframe as rd

UNITS = ["s", "ms", "us", "ns"]
PAIRS = [("s", "ns"), ("ns", "s"), ("s", "us"), ("us", "ms")]
HOWS = ["left", "inner", "right", "outer"]
DAYS = {
    "times": lambda days: pd.to_datetime(days),
    "utc": lambda days: pd.to_datetime(days).tz_localize("UTC"),
    "zone": lambda days: pd.to_datetime(days).tz_localize("Europe/Berlin"),
    "spans": lambda days: pd.to_datetime(days) - pd.Timestamp("2019-12-30"),
}
JOINS: dict[str, Callable[..., Any]] = {
    "on": lambda a, b, how: a.merge(b, on="t", how=how),
    "two keys": lambda a, b, how: a.assign(k=1).merge(b.assign(k=1), on=["k", "t"], how=how),
    "two names": lambda a, b, how: a.merge(b.rename(columns={"t": "u"}), left_on="t", right_on="u", how=how),
    "labels": lambda a, b, how: a.set_index("t").join(b.set_index("t"), how=how),
    "key and labels": lambda a, b, how: a.join(b.set_index("t"), on="t", how=how),
    "labels and key": lambda a, b, how: a.set_index("t").merge(b, left_index=True, right_on="t", how=how),
    "named labels": lambda a, b, how: a.merge(b.set_index("t"), on="t", how=how),
    "names of both labels": lambda a, b, how: a.set_index("t").merge(b.set_index("t"), on="t", how=how),
    "validated": lambda a, b, how: a.merge(b, on="t", how=how, validate="m:1"),
    "series": lambda a, b, how: a.merge(b, left_on=a.t, right_on=b.t, how=how),
}


def ordered(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows in one order; missing labels among them."""
    return rows.sort_values(["a", "b"], kind="stable")


def fineness(dtype: Any) -> int:
    return UNITS.index(pd.Series([], dtype=dtype).dt.unit)


def with_unit(rows: pd.DataFrame, dtype: Any, join: str) -> pd.DataFrame:
    """What pandas gives, with keys of a type: it has objects for spans of two units, else goes by the values."""
    if join == "two names":
        return rows
    if "t" in rows.index.names:
        return rows.set_axis(rows.index.astype(dtype), axis=0)
    return rows.astype({label: dtype for label in ("t", "key_0") if label in rows})


@pytest.mark.parametrize("kind", DAYS)
@pytest.mark.parametrize("join", JOINS)
def test_keys_of_two_units_meet_in_the_finer_one(kind: str, join: str) -> None:
    for (one, other), how in itertools.product(PAIRS, HOWS):
        left = pd.DataFrame({"t": DAYS[kind](["2020-01-01", "2020-01-02", "2020-01-02"]).as_unit(one), "a": [1, 2, 3]})
        right = pd.DataFrame({"t": DAYS[kind](["2020-01-02", "2020-01-03"]).as_unit(other), "b": [1, 2]})
        if other != "s":
            right["t"] += pd.to_timedelta([0, 5], unit="ms")
        lazy = [rd.from_pandas(rows, npartitions=count) for rows, count in ((left, 3), (right, 1))]
        expected = ordered(
            with_unit(JOINS[join](left, right, how), max(left.t.dtype, right.t.dtype, key=fineness), join)
        )
        pd.testing.assert_frame_equal(ordered(JOINS[join](*lazy, how).compute()), expected, check_freq=False)


@pytest.mark.parametrize("kind", DAYS)
def test_equal_keys_are_of_the_finer_unit_as_well(kind: str) -> None:
    left = pd.DataFrame({"t": DAYS[kind](["2020-01-01", "2020-01-02"]).as_unit("s"), "a": [1, 2]})
    right = pd.DataFrame({"t": left.t.dt.as_unit("ns"), "b": [1, 2]})
    for how in HOWS:
        joined = rd.from_pandas(left, npartitions=2).merge(right, on="t", how=how)
        assert joined.dtypes["t"] == right.t.dtype
        pd.testing.assert_series_equal(joined.compute().t, right.t)
