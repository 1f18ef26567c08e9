"""Values to the last bit, where the engine's own rules are others than those of NumPy and pandas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

SEED = np.random.default_rng(0)
EDGES = [2.675, 1e307, np.inf, -np.inf, np.nan, -0.4, 0.5, 1.5, 5e-324, -0.0]
FLOATS = pd.Series(np.r_[SEED.normal(size=200) * 10.0 ** SEED.integers(-12, 20, size=200), EDGES])
SINGLES = FLOATS.where(FLOATS.abs() < 1e38).astype("float32")
TICKS = np.r_[SEED.integers(-(2**53), 2**53, size=100), [-1, -1001, -5, 0, 1, 12_623_040_000_001, -5_000_000]]
TEXTS = pd.Series(["a>b", "ab\n", "ab", "straße x", None, "", "aaa"])
FEW = pd.Series([np.nan, 3.0, np.nan, 1, 2], name="x")
NUMERALS = pd.Series(["3_000", " 2", "+4\n"])
MOMENTS = pd.Series(pd.to_datetime(["2020-01-01 10:11:12.123456", "1969-12-31 23:59:59.999999"]))


def same(rows: Any, function: Callable[[Any], Any]) -> None:
    """Check a function of pandas rows against that of lazy ones."""
    with np.errstate(all="ignore"):
        expected = function(rows)
        for npartitions in (1, 3):
            check(function(rd.from_pandas(rows, npartitions=npartitions)), expected, check_exact=True)


@pytest.mark.parametrize("decimals", [0, 2, 15, 23, 38, 40, 310, -2, -40, -400])
def test_rounding_is_that_of_numpy(decimals: int) -> None:
    for rows in (FLOATS, SINGLES, pd.DataFrame({"a": FLOATS, "b": SINGLES})):
        same(rows, lambda s: s.round(decimals))
        same(rows, lambda s: s.round(decimals).isna())


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
@pytest.mark.parametrize("part", ["days", "seconds", "microseconds", "nanoseconds"])
def test_parts_of_lengths_of_time(unit: str, part: str) -> None:
    rows = pd.Series(TICKS.astype(f"m8[{unit}]"))
    same(rows, lambda s: getattr(s.dt, part))
    same(rows, lambda s: s.dt.total_seconds())
    same(rows.where(TICKS % 2 == 0), lambda s: getattr(s.dt, part))


@pytest.mark.parametrize(
    "function",
    [
        lambda s: s.str.replace("a", ">", regex=True),
        lambda s: s.str.replace("a*", "-", regex=True),
        lambda s: s.str.find(""),
        lambda s: s.str.fullmatch("ab$"),
        lambda s: s.str.count(""),
        lambda s: s.str.count("a*"),
        lambda s: s.str.repeat(3),
        lambda s: s.str.repeat(0),
        lambda s: s.astype(bool),
    ],
)
def test_texts(function: Callable[[Any], Any]) -> None:
    same(TEXTS, function)


def test_long_texts_are_repeated_at_once() -> None:
    rows = rd.from_pandas(pd.Series(["a"]), npartitions=1)
    assert len(rows.str.repeat(1_000_000).compute()[0]) == 1_000_000


@pytest.mark.parametrize("rows", [pd.Series([0, np.nan, 0.0]), pd.Series([1, np.nan]), pd.Series([0.0, 1.0])])
def test_nan_is_true(rows: pd.Series) -> None:
    for name in ("any", "all"):
        same(rows, lambda s, name=name: getattr(s, name)(skipna=False))
        same(rows.to_frame("x"), lambda s, name=name: getattr(s, name)(skipna=False))


@pytest.mark.parametrize("options", [{"ddof": -1}, {"ddof": 300}, {"ddof": 256}])
def test_any_ddof(options: dict[str, int]) -> None:
    same(pd.Series([1, 2, 3.0]), lambda s: s.std(**options))
    same(pd.DataFrame({"k": [1, 1, 2], "v": [1, 2, 3.0]}), lambda d: d.groupby("k").v.var(**options))


def test_any_count() -> None:
    for least in (3, 4, 2**32, 2**40):
        same(pd.Series([1, 2, 3.0]), lambda s, least=least: s.sum(min_count=least))


@pytest.mark.parametrize("n", [0, 2, 4, 9, -1])
@pytest.mark.parametrize("method", ["nlargest", "nsmallest"])
def test_rows_without_a_value_fill_up(method: str, n: int) -> None:
    same(FEW, lambda s: getattr(s, method)(n))
    same(FEW.to_frame(), lambda d: getattr(d, method)(n, "x"))
    same(pd.Series(pd.to_datetime(["2020-01-01", None, "2020-01-02"])), lambda s: getattr(s, method)(n))


@pytest.mark.parametrize("dtype", ["int64", "int32", "int8", "uint64", "uint32", "uint8"])
def test_floats_become_integers(dtype: str) -> None:
    same(pd.Series([1e300, 3.7, 300.0, 2.0**63, 0.5]), lambda s: s.astype(dtype))
    with pytest.raises(ValueError, match="non-finite"):
        rd.from_pandas(pd.Series([1, np.inf]), npartitions=1).astype(dtype).compute()


@pytest.mark.parametrize("dtype", ["int64", "int16", "uint64", "float64", "float32"])
def test_numerals_are_read_as_python_reads_them(dtype: str) -> None:
    same(NUMERALS, lambda s: s.astype(dtype))
    for text in ("0x10", "", "1__0", "1_.5"):
        with pytest.raises(ValueError, match="invalid literal|could not convert"):
            rd.from_pandas(pd.Series([text]), npartitions=1).astype(dtype).compute()


def test_missing_texts_are_no_integers() -> None:
    with pytest.raises(ValueError, match="missing"):
        rd.from_pandas(pd.Series(["1", None]), npartitions=1).astype("int64").compute()


def test_values_that_are_no_times() -> None:
    wrong = pd.Series(["2020-01-01", "2020-13-01"])
    for rows in (rd.to_datetime(rd.from_pandas(wrong, npartitions=1)), rd.from_pandas(wrong).astype("datetime64[us]")):
        with pytest.raises(ValueError, match="2020-13-01") as caught:
            rows.compute()
        assert "_" not in str(caught.value)


@pytest.mark.parametrize("frequency", ["1.5h", "-2h", "15min", "7D", "3us"])
def test_frequencies(frequency: str) -> None:
    same(MOMENTS, lambda s: s.dt.floor(frequency))
    same(MOMENTS, lambda s: s.dt.ceil(frequency))


@pytest.mark.parametrize("frequency", ["H", "1500ns"])
def test_frequencies_that_pandas_refuses(frequency: str) -> None:
    with pytest.raises(ValueError, match=r"frequency|freq"):
        rd.from_pandas(MOMENTS, npartitions=1).dt.floor(frequency)


def test_zones_by_their_names() -> None:
    for zone in ("+01:00", "Europe/Berlin", "UTC"):
        same(MOMENTS, lambda s, zone=zone: s.dt.tz_localize(zone))
    with pytest.raises(KeyError):
        rd.from_pandas(MOMENTS, npartitions=1).dt.tz_localize("Nowhere/City")


def test_texts_of_singles_and_times_in_csv(tmp_path: Any) -> None:
    singles = np.array([16777216, 1e7, 123456.7, 1e16, 1e-4, 1e-5, 0.1, 3e38, 0, -2.5], "float32")
    times = pd.to_datetime(["2020-01-01 00:00:00.5", "2020-01-02"] * 5, format="mixed")
    for unit in ("ms", "us", "ns"):
        table = pd.DataFrame({"x": singles, "t": times.as_unit(unit)})
        rd.from_pandas(table, npartitions=1).to_csv(tmp_path / "x.csv", single_file=True, index=False)
        assert (tmp_path / "x.csv").read_text() == table.to_csv(index=False)


def test_means_of_groups_of_singles_are_singles() -> None:
    rows = pd.DataFrame({"k": [1, 2, 1, 2], "v": np.array([1.5, 2, 4, np.nan], "float32")})
    same(rows, lambda d: d.groupby("k").v.mean())
    same(rows, lambda d: d.groupby("k").agg({"v": "mean"}))
    same(rows, lambda d: d.groupby("k").v.transform("mean"))


def test_texts_of_whole_numbers_are_not_rounded():
    texts = pd.Series([str(2**53 + 1), "1"])
    lazy = rd.from_pandas(texts, npartitions=2)
    with pytest.raises(NotImplementedError, match="meta="):
        rd.to_numeric(lazy).compute()
    check(rd.to_numeric(lazy, meta=(None, "int64")), pd.to_numeric(texts))
    with pytest.raises(ValueError, match="meta"):
        rd.to_numeric(rd.from_pandas(pd.Series(["2.5"]), npartitions=1), meta=(None, "int64")).compute()
