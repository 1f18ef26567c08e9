"""Steps between times are those of their offset, with the holidays, hours and days that its word leaves out."""

import pandas as pd
import pytest
from pandas.tseries import offsets

import raskt.dataframe as rd

OFFSETS = {
    "days": offsets.Day(),
    "back": offsets.Day(-2),
    "months": offsets.MonthBegin(),
    "weeks": offsets.Week(weekday=2),
    "quarters": offsets.QuarterEnd(startingMonth=2),
    "business days": offsets.BusinessDay(),
    "holidays": offsets.CustomBusinessDay(holidays=["2020-01-08"]),
    "weekmask": offsets.CustomBusinessDay(weekmask="Sun Mon Tue Wed Thu"),
    "hours": offsets.BusinessHour(start="10:00", end="12:00"),
    "custom hours": offsets.CustomBusinessHour(start="10:00", holidays=["2020-01-03"]),
    "custom months": offsets.CustomBusinessMonthBegin(holidays=["2020-02-03"]),
    "calendar months": offsets.DateOffset(months=1),
    "two days": offsets.DateOffset(days=2),
    "easter": offsets.Easter(),
}
RESULTS = {
    "labels": lambda df: df.index,
    "moved": lambda df: df.index.shift(3),
    "moved back": lambda df: df.index.shift(-1),
    "moved by months": lambda df: df.index.shift(1, freq="MS"),
    "moved by days": lambda df: df.index.shift(2, freq="D"),
    "inferred": lambda df: df.shift(3, freq="infer").index,
    "series": lambda df: df.x.shift(-2, freq="infer").index,
    "each second": lambda df: df.index[::2],
    "part": lambda df: df.iloc[1:3].index,
    "backwards": lambda df: df.sort_index(ascending=False).index,
    "different": lambda df: df.index.unique(),
    "sum": lambda df: (df.x + 1).index,
}


def rows_of(name):
    labels = pd.date_range("2020-01-01", periods=4, freq=OFFSETS[name])
    return pd.DataFrame({"x": range(4)}, index=labels)


@pytest.mark.filterwarnings("ignore::pandas.errors.PerformanceWarning")
@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("name", OFFSETS)
def test_steps_are_those_of_the_offset(name, result):
    theirs = rows_of(name)
    expected = RESULTS[result](theirs)
    for npartitions in (1, 2):
        own = rd.from_pandas(theirs, npartitions=npartitions, sort=False)
        found = RESULTS[result](own)
        pd.testing.assert_index_equal(found.compute(), expected)
        # Where it isn't known it may be left out, but never be another.
        assert found.compute().freq in (expected.freq, None)
        assert found.freq in (expected.freq, None)
        if result in ("labels", "moved", "moved back", "inferred", "series", "sum"):
            assert found.compute().freq == expected.freq


@pytest.mark.parametrize("name", OFFSETS)
def test_steps_are_kept_in_memory(name):
    theirs = rows_of(name)
    own = rd.from_pandas(theirs, npartitions=2, sort=False)
    for kept in (own.persist().index, own.index.persist(), own.repartition(npartitions=1).index):
        assert kept.freq == theirs.index.freq == kept.compute().freq


@pytest.mark.filterwarnings("ignore::pandas.errors.PerformanceWarning")
@pytest.mark.parametrize("name", OFFSETS)
def test_times_moved_by_other_steps_are_in_their_own_order(name):
    theirs = rows_of(name)
    own = rd.from_pandas(theirs, npartitions=2, sort=False)
    found = own.index.shift(1, freq="MS").to_series().sort_index().index.compute()
    pd.testing.assert_index_equal(found, theirs.index.shift(1, freq="MS").sort_values())
