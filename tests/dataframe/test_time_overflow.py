"""Times and lengths of time that are too large for their type are errors, as they are in pandas: they never wrap."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd

UNITS = ("ms", "us", "ns")
LARGE = 2**62
MOST = 2**63 - 5


def lengths(unit, values=(LARGE, LARGE, 1)):
    return pd.Series(np.array(values, "int64").view(f"m8[{unit}]"))


def times(unit, values=(MOST, LARGE, -MOST)):
    return pd.Series(np.array(values, "int64").view(f"M8[{unit}]"))


def answer(compute):
    """What a computation gives, or the class of errors that its error is of."""
    try:
        found = compute()
    except (OverflowError, ValueError) as error:
        return OverflowError if isinstance(error, OverflowError) else ValueError
    return found


def check(own, theirs):
    expected, found = answer(theirs), answer(lambda: own().compute())
    if isinstance(expected, type):
        assert found is expected
    elif isinstance(expected, pd.Series):
        pd.testing.assert_series_equal(found, expected)
    else:
        assert found == expected and type(found) is type(expected)


OPERATIONS = {
    "t + d": lambda t, d: t + d,
    "d + t": lambda t, d: d + t,
    "t - d": lambda t, d: t - d,
    "t - t": lambda t, d: t - t.shift(1),
    "t - time": lambda t, d: t - pd.Timestamp("1677-09-22").as_unit(t.dt.unit),
    "t + length": lambda t, d: t + pd.Timedelta(100_000, "D").as_unit(t.dt.unit),
    "d + d": lambda t, d: d + d,
    "d - d": lambda t, d: d - (-d),
    "d * 2": lambda t, d: d * 2,
    "2 * d": lambda t, d: 2 * d,
    "d * -2": lambda t, d: d * -2,
    "d * int8": lambda t, d: d * np.int8(3),
    "d * 10**12": lambda t, d: d * 10**12,
    "d * 2**63": lambda t, d: d * 2**63,
    "d.sum": lambda t, d: d.sum(),
    "d.cumsum": lambda t, d: d.cumsum(),
    "t.diff": lambda t, d: t.diff(),
    "d.diff": lambda t, d: d.diff(),
}
VALUES = {
    "large": ((MOST, LARGE, -MOST), (LARGE, LARGE, 1)),
    "negative": ((-MOST, 5, 7), (-LARGE, -LARGE, -LARGE)),
    "least": ((5, -LARGE, 7), (-LARGE, -LARGE, 0)),
    "within": ((5, -7, 10**6), (3, -2, 86_400_000)),
    "cancelling": ((5, 6, 7), (LARGE, -LARGE, LARGE)),
}


@pytest.mark.parametrize("npartitions", (1, 3))
@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_arithmetic(operation, unit, values, npartitions):
    given = pd.DataFrame({"t": times(unit, VALUES[values][0]), "d": lengths(unit, VALUES[values][1])})
    frame = rd.from_pandas(given, npartitions=npartitions)
    function = OPERATIONS[operation]
    check(lambda: function(frame.t, frame.d), lambda: function(given.t, given.d))


@pytest.mark.parametrize("unit", UNITS)
def test_what_is_missing_does_not_overflow(unit):
    given = pd.DataFrame({"t": times(unit, (5, 6, 7)), "d": lengths(unit, (1, -(2**63), 3))})
    frame = rd.from_pandas(given, npartitions=2)
    for function in (OPERATIONS[name] for name in ("t + d", "t - d", "d + d", "d * 2", "d.sum", "d.cumsum", "d - d")):
        check(
            lambda function=function: function(frame.t, frame.d), lambda function=function: function(given.t, given.d)
        )


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("values", ((LARGE, LARGE, 1), (5, 6, 7), (LARGE, -LARGE, LARGE)))
def test_sums_of_groups(unit, values):
    given = pd.DataFrame({"k": [1, 1, 2], "d": lengths(unit, values)})
    frame = rd.from_pandas(given, npartitions=2)
    check(lambda: frame.groupby("k").d.sum(), lambda: given.groupby("k").d.sum())
    if values[0] < LARGE:
        check(lambda: frame.groupby("k").d.cumsum(), lambda: given.groupby("k").d.cumsum())
    check(lambda: frame.d.sum(min_count=3), lambda: given.d.sum(min_count=3))
    check(lambda: frame.persist().d.sum(), lambda: given.d.sum())


@pytest.mark.parametrize("kind", ("datetime64", "timedelta64"))
@pytest.mark.parametrize("to", UNITS)
@pytest.mark.parametrize("unit", ("ms", "us"))
@pytest.mark.parametrize("year", (9999, 2262, 2261, -290_000))
def test_finer_units(kind, unit, to, year):
    days = np.array([f"{year:05d}-12-31", "2000-01-01", "NaT"], "M8[D]")
    given = pd.Series(days.astype(f"M8[{unit}]").astype(np.int64).view("M8[us]".replace("us", unit)))
    given = given if kind == "datetime64" else pd.Series(given.to_numpy().view("int64").view(f"m8[{unit}]"))
    series = rd.from_pandas(given, npartitions=2)
    dtype = f"{kind}[{to}]"
    check(lambda: series.astype(dtype), lambda: given.astype(dtype))


def test_finer_units_of_a_zone():
    given = pd.Series(np.array(["9999-01-01"], "M8[us]")).dt.tz_localize("UTC")
    series = rd.from_pandas(given, npartitions=1)
    check(lambda: series.astype("datetime64[ns, UTC]"), lambda: given.astype("datetime64[ns, UTC]"))


@pytest.mark.parametrize("method", ("normalize", "floor", "ceil", "round"))
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("value", (-(2**63) + 1, 2**63 - 1, -1, 86_400_000_001))
def test_multiples(method, unit, value):
    given = times(unit, (value, 0))
    series = rd.from_pandas(given, npartitions=2)
    arguments = () if method == "normalize" else ("7h",)
    check(lambda: getattr(series.dt, method)(*arguments), lambda: getattr(given.dt, method)(*arguments))


FREQUENCIES = ("400000D", "106751991D", "106751992D", "2562047788h", "2562047789h", "99999999999999999999D")
FREQUENCIES += ("9223372036854775807us", "9223372036854775808us", "0D", "000s", "1D", "013min", "90061s", "250ms", "us")


@pytest.mark.parametrize("method", ("floor", "ceil", "round"))
@pytest.mark.parametrize("frequency", FREQUENCIES)
def test_long_frequencies(method, frequency):
    given = pd.Series(np.array(["2020-01-01", "1500-05-05T03:07:11.123456", "1969-12-31T23:59:59", "NaT"], "M8[us]"))
    series = rd.from_pandas(given, npartitions=2)
    check(lambda: getattr(series.dt, method)(frequency), lambda: getattr(given.dt, method)(frequency))


def test_a_frequency_that_is_too_long_is_refused_at_the_call():
    series = rd.from_pandas(times("us", (1, 2)), npartitions=1)
    for frequency in ("106751992D", "99999999999999999999D"):
        with pytest.raises((OverflowError, ValueError)):
            series.dt.floor(frequency)


MIDNIGHTS = [
    ("America/Sao_Paulo", "2018-11-04 05:00"),
    ("Atlantic/Azores", "2000-03-26 05:00"),
    ("America/Havana", "2018-03-11 05:00"),
    ("America/Havana", "2018-11-04 00:30"),
    ("America/Havana", "2018-11-05 00:30"),
    ("Europe/Berlin", "2018-10-28 02:30"),
    ("UTC", "1969-12-31 23:59"),
]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(("zone", "time"), MIDNIGHTS)
def test_midnights_that_are_skipped_or_come_twice(zone, time, unit):
    naive = pd.Series(np.array([time, "2015-06-01T12:00", "NaT"], f"M8[{unit}]"))
    given = naive.dt.tz_localize(zone, ambiguous=True, nonexistent="shift_forward")
    series = rd.from_pandas(given, npartitions=2)
    check(lambda: series.dt.normalize(), lambda: given.dt.normalize())


@pytest.mark.parametrize(
    ("zone", "time", "words"),
    [
        ("Europe/Berlin", "2018-03-25T02:30", "is a nonexistent time due to daylight savings time"),
        ("Europe/Berlin", "2018-10-28T02:30", "Cannot infer dst time from 2018-10-28 02:30:00"),
    ],
)
def test_clocks_that_skip_or_repeat_are_told_in_pandas_words(zone, time, words):
    series = rd.from_pandas(pd.Series(np.array([time], "M8[us]")), npartitions=1)
    with pytest.raises(ValueError, match=words):
        series.dt.tz_localize(zone).compute()
