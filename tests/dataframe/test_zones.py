"""Times of several zones beside each other, zones without a name among them: points in time are the same in all."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import raskt.dataframe as rd

ZONES = ["America/New_York", "UTC", "Asia/Kolkata", "+05:30", "UTC+05:30"]
TIMES = pd.Series(pd.date_range("2024-03-10", periods=6, freq="h", tz="UTC"), name="t").where(
    [True] * 3 + [False, True, True]
)
STAMP = pd.Timestamp("2024-03-10 02:00", tz="UTC")
PLACES: dict[str, Callable[[Any, Any], Any]] = {
    **{name: lambda d, s, name=name: getattr(d.t, name)(d.u) for name in ("eq", "ne", "lt", "le", "gt", "ge", "sub")},
    **{f"{name} a scalar": lambda d, s, name=name: getattr(d.t, name)(d.u.max()) for name in ("eq", "lt", "ge")},
    **{f"{name} a stamp": lambda d, s, name=name: getattr(d.t, name)(s) for name in ("eq", "ne", "lt", "ge", "sub")},
    "filter": lambda d, s: d[d.t >= d.u.min()],
    "query": lambda d, s: d.query("t <= u"),
    "isin": lambda d, s: d.t.isin([s]),
    "fillna": lambda d, s: d.t.fillna(s),
    "fillna of a column": lambda d, s: d.t.fillna(d.u),
    "between": lambda d, s: d.t.between(s, s),
    "clip": lambda d, s: d.t.clip(s, s),
    "assign": lambda d, s: d.assign(z=s),
    "hour": lambda d, s: d.t.dt.hour,
    "group-by": lambda d, s: d.groupby("t").u.max(),
    "day": lambda d, s: labelled(d).loc["2024-03-10"],
    "hours": lambda d, s: labelled(d).loc["2024-03-10 01:00":"2024-03-10 04:00"],
    "from a stamp": lambda d, s: labelled(d).loc[s:],
    "resample": lambda d, s: labelled(d).resample("2h").u.count(),
}


def labelled(rows: Any) -> Any:
    return rows.dropna().set_index("t")


def same(found: Any, expected: Any) -> None:
    if isinstance(expected, pd.Series):
        pd.testing.assert_series_equal(found, expected, check_freq=False)
    else:
        pd.testing.assert_frame_equal(found, expected, check_freq=False)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("zones", itertools.product(ZONES, ZONES), ids="-".join)
def test_points_in_time_are_the_same_in_every_zone(zones: tuple[str, str], place: str) -> None:
    one, other = zones
    frame = pd.DataFrame({"t": TIMES.dt.tz_convert(one), "u": (TIMES + pd.Timedelta("1h")).dt.tz_convert(other)})
    stamp = STAMP.tz_convert(other)
    expected = PLACES[place](frame, stamp)
    for partitions in (1, 2):
        if place == "assign" and "05:30" in other:
            with pytest.raises(NotImplementedError, match="zone without a name"):
                PLACES[place](rd.from_pandas(frame, npartitions=partitions), stamp)
            continue
        same(PLACES[place](rd.from_pandas(frame, npartitions=partitions), stamp).compute(), expected)


@pytest.mark.parametrize("zone", ZONES)
def test_files_keep_zones(tmp_path: Any, zone: str) -> None:
    frame = pd.DataFrame({"t": TIMES.dt.tz_convert(zone), "x": range(6), "l": [[TIMES[0].tz_convert(zone)]] * 6})
    frame.to_parquet(tmp_path / "pandas.parquet")
    same(rd.read_parquet(tmp_path / "pandas.parquet", columns=["x"]).compute(), frame[["x"]])
    flat = frame[["t", "x"]]
    rd.from_pandas(flat, npartitions=2).to_parquet(tmp_path / "raskt")
    for path in (tmp_path / "raskt", tmp_path / "pandas.parquet"):
        found = rd.read_parquet(path)[["t", "x"]].compute()
        expected = pd.read_parquet(path)[["t", "x"]]
        same(found, expected)


@pytest.mark.parametrize("meta", ["M8[s]", "M8[ms]", "M8[us]", "M8[ns]", "m8[s]", "period[M]"])
def test_no_promise_cuts_times(meta: str) -> None:
    times = {"M": pd.to_datetime(["2024-01-01 00:00:00.123456789"]), "m": pd.to_timedelta(["1s 5ms"])}
    series = pd.Series(times.get(meta[0], pd.PeriodIndex(["2020-01-05"], freq="D")), name="t")
    lazy = rd.from_pandas(series, npartitions=1).map_partitions(lambda rows: rows, meta=("t", meta))
    if meta == "M8[ns]":
        same(lazy.compute(), series)
    else:
        with pytest.raises(ValueError, match=r"promised.* not of"):
            lazy.compute()


UNITS = ["s", "ms", "us", "ns"]
MEETINGS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "concat": lambda lib, a, b: lib.concat([a.x, b.y]),
    "fillna": lambda lib, a, b: a.x.fillna(a.y),
    "where": lambda lib, a, b: a.x.where(a.x.notna(), a.y),
    "mask": lambda lib, a, b: a.y.mask(a.x.notna(), a.x),
    "greatest": lambda lib, a, b: a[["x", "y"]].max(axis=1),
    "combine_first": lambda lib, a, b: a.x.combine_first(a.y),
    "difference": lambda lib, a, b: a.x - a.y,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("place", MEETINGS)
@pytest.mark.parametrize("units", itertools.product(UNITS, UNITS), ids="-".join)
def test_no_fraction_is_cut_where_units_and_zones_meet(units: tuple[str, str], place: str) -> None:
    times = pd.Series(pd.to_datetime(["2021-01-01 00:00:00.123456789", None, "2022-05-05 01:02:03.000000001"]))
    for one, other in itertools.product([None, "UTC", "Europe/Berlin", "+05:30"], repeat=2):
        columns = {"x": times.shift(1).dt.as_unit(units[0]), "y": times.dt.as_unit(units[1])}
        zones = {"x": one, "y": other}
        frame = pd.DataFrame(
            {name: c if zones[name] is None else c.dt.tz_localize(zones[name]) for name, c in columns.items()}
        )
        try:
            expected = MEETINGS[place](pd, frame, frame)
        except (TypeError, ValueError):
            continue
        lazy = rd.from_pandas(frame, npartitions=2)
        try:
            found = MEETINGS[place](rd, lazy, lazy).compute()
        except (NotImplementedError, TypeError, ValueError):
            continue
        same(found, expected)
