"""The `.dt` accessor, and parsing."""

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

TIMES = pd.Series(
    pd.to_datetime(
        ["2012-02-29 23:59:59.123456", None, "2013-01-01", "2013-12-31 12:00", "1969-12-31 23:59:59", "2020-03-31",
         "2016-12-31 05:15:01", "1900-01-01"], format="ISO8601",
    ),
    name="t",
)  # fmt: skip

FIELDS = [
    "year", "month", "day", "hour", "minute", "second", "microsecond", "nanosecond", "dayofweek", "day_of_week",
    "weekday", "dayofyear", "day_of_year", "quarter", "days_in_month", "daysinmonth", "is_leap_year", "is_month_end",
    "is_month_start", "is_quarter_end", "is_quarter_start", "is_year_end", "is_year_start", "date", "time",
]  # fmt: skip

CALLS = [
    ("ceil", ("h",)),
    ("floor", ("D",)),
    ("floor", ("15min",)),
    ("round", ("h",)),
    ("day_name", ()),
    ("month_name", ()),
    ("normalize", ()),
    ("strftime", ("%Y-%m-%d %H",)),
    ("tz_localize", ("UTC",)),
]


@pytest.fixture(params=[1, 3])
def lazy(request):
    return rd.from_pandas(TIMES, npartitions=request.param)


@pytest.mark.parametrize("name", FIELDS)
def test_fields(lazy, name):
    check(getattr(lazy.dt, name), getattr(TIMES.dt, name))


@pytest.mark.parametrize("name", ["year", "hour", "dayofweek", "quarter", "is_month_end"])
def test_fields_without_missing_values(lazy, name):
    check(getattr(lazy.dropna().dt, name), getattr(TIMES.dropna().dt, name))


@pytest.mark.parametrize(("name", "args"), CALLS, ids=str)
def test_methods(lazy, name, args):
    check(getattr(lazy.dt, name)(*args), getattr(TIMES.dt, name)(*args))


def test_calendar_weeks(lazy):
    check(lazy.dropna().dt.isocalendar(), TIMES.dropna().dt.isocalendar(), check_dtype=False)


def test_periods(lazy):
    periods, expected = lazy.dt.to_period("M"), TIMES.dt.to_period("M")
    check(periods, expected)
    check(periods.dt.start_time, expected.dt.start_time)
    check(periods + 1, expected + 1)


def test_time_zones(lazy):
    utc, expected = lazy.dt.tz_localize("UTC"), TIMES.dt.tz_localize("UTC")
    check(utc.dt.tz_convert("Europe/Oslo"), expected.dt.tz_convert("Europe/Oslo"))
    check(utc.dt.tz_convert("Europe/Oslo").dt.hour, expected.dt.tz_convert("Europe/Oslo").dt.hour)


def test_durations():
    series = pd.Series(pd.to_timedelta(["1 days 02:03:04", None, "-1 h"]), name="d")
    lazy = rd.from_pandas(series, npartitions=2)
    for name in ("days", "seconds", "microseconds"):
        check(getattr(lazy.dt, name), getattr(series.dt, name))
    check(lazy.dt.total_seconds(), series.dt.total_seconds())


def test_of_strings_is_refused():
    with pytest.raises(AttributeError, match="dt"):
        rd.from_pandas(pd.Series(["a"]), npartitions=1).dt


def test_unknown_field(lazy):
    with pytest.raises(AttributeError, match="yaer"):
        lazy.dt.yaer


def test_to_datetime():
    text = pd.Series(["2013-01-01", "2014-05-06", None])
    check(rd.to_datetime(rd.from_pandas(text, npartitions=2)), pd.to_datetime(text))
    text = pd.Series(["01/02/2013", "bad"])
    lazy = rd.from_pandas(text, npartitions=1)
    check(
        rd.to_datetime(lazy, format="%d/%m/%Y", errors="coerce"),
        pd.to_datetime(text, format="%d/%m/%Y", errors="coerce"),
    )
    with pytest.raises(ValueError, match="bad"):
        rd.to_datetime(lazy, format="%d/%m/%Y").compute()


def test_to_datetime_of_times_with_a_zone():
    text = pd.Series(["2013-01-01T10:00:00Z", None, "2013-07-01T10:30:00Z"])
    lazy = rd.from_pandas(text, npartitions=2)
    check(rd.to_datetime(lazy, utc=True), pd.to_datetime(text, utc=True))
    with pytest.raises(NotImplementedError, match="meta="):
        rd.to_datetime(lazy).compute()
    check(rd.to_datetime(lazy, meta=(None, "datetime64[us, UTC]")), pd.to_datetime(text))


def test_to_datetime_of_columns():
    pdf = pd.DataFrame({"year": [2013, 2014], "month": [1, 2], "day": [3, 4]})
    check(rd.to_datetime(rd.from_pandas(pdf, npartitions=2)), pd.to_datetime(pdf))


def test_to_numeric_and_to_timedelta():
    text = pd.Series(["1", "2.5", "x"])
    lazy = rd.from_pandas(text, npartitions=2)
    check(rd.to_numeric(lazy, errors="coerce"), pd.to_numeric(text, errors="coerce"))
    hours = pd.Series([1, 2, 3])
    check(rd.to_timedelta(rd.from_pandas(hours, npartitions=2), unit="h"), pd.to_timedelta(hours, unit="h"))


def test_resample():
    pdf = pd.DataFrame({"x": range(48)}, index=pd.date_range("2020-01-01", periods=48, freq="h"))
    df = rd.from_pandas(pdf, npartitions=3)
    check(df.resample("1D").sum(), pdf.resample("1D").sum())
    check(df["x"].resample("6h").mean(), pdf["x"].resample("6h").mean())


def test_rolling():
    pdf = pd.DataFrame({"x": range(20), "y": [0.5] * 20})
    df = rd.from_pandas(pdf, npartitions=3)
    check(df["x"].rolling(3).mean(), pdf["x"].rolling(3).mean())
    check(df.rolling(2, min_periods=1).sum(), pdf.rolling(2, min_periods=1).sum())


#: Ways to write a time, which pandas reads by the text: months before days, months by name, no signs between numbers.
WRITTEN = (
    "01/02/2020",
    "01-02-2020 10:00",
    "13/02/2020",
    "Jan 2 2020",
    "20200102",
    "2020/1/2",
    "2020",
    "2020-01-02 10:00:00.5",
)


@pytest.mark.parametrize("npartitions", [1, 2, 7])
@pytest.mark.parametrize("text", WRITTEN)
def test_times_are_read_as_pandas_reads_them(text, npartitions):
    texts = pd.Series([text, None, text])
    lazy = rd.from_pandas(texts, npartitions=npartitions)
    check(rd.to_datetime(lazy), pd.to_datetime(texts))
    check(lazy.astype("datetime64[us]"), texts.astype("datetime64[us]"))
    check(lazy.to_frame().astype("datetime64[ns]"), texts.to_frame().astype("datetime64[ns]"))


@pytest.mark.parametrize("text", [" 2020-01-02", "+2020-01-02", "2020- 1-02", "2020-01-02 10", "69-01-02"])
@pytest.mark.parametrize("format", ["%Y-%m-%d", "%y-%m-%d"])
def test_formats_are_taken_by_the_letter(text, format):
    texts = pd.Series([text, "2020-01-02", "20-01-02"])
    lazy = rd.from_pandas(texts, npartitions=2)
    expected = pd.to_datetime(texts, format=format, errors="coerce")
    check(rd.to_datetime(lazy, format=format, errors="coerce"), expected)
    with pytest.raises(ValueError, match="format"):
        rd.to_datetime(lazy, format=format).compute()


@pytest.mark.parametrize("format", [None, "%Y-%m-%d %H:%M:%S.%f"])
def test_parts_of_a_microsecond_are_not_lost(format):
    texts = pd.Series(["2020-01-02 10:00:00.123456789"])
    lazy = rd.from_pandas(texts, npartitions=1)
    with pytest.raises(NotImplementedError, match="meta="):
        rd.to_datetime(lazy, format=format).compute()
    found = rd.to_datetime(lazy, format=format, meta=(None, "datetime64[ns]"))
    check(found, pd.to_datetime(texts, format=format))


@pytest.mark.parametrize("npartitions", [1, 3])
def test_hours_that_come_twice_are_told_by_their_order(npartitions):
    times = pd.Series(pd.to_datetime(["2020-10-25 01:30", "2020-10-25 02:30", "2020-10-25 02:30", "2020-10-25 03:30"]))
    lazy = rd.from_pandas(times, npartitions=npartitions)
    for ambiguous in ("infer", np.array([True, True, False, False]), "NaT"):
        expected = times.dt.tz_localize("Europe/Berlin", ambiguous=ambiguous)
        check(lazy.dt.tz_localize("Europe/Berlin", ambiguous=ambiguous), expected)
    with pytest.raises(NotImplementedError, match="freq="):
        lazy.dt.to_period()
