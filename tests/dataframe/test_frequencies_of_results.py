"""Labels that are times keep their frequency, or get that which pandas gives them, whatever gives their rows."""

import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

ROWS = 8
INDEXES = {
    "days": pd.date_range("2020", periods=ROWS, freq="D", name="t"),
    "7 hours": pd.date_range("2020", periods=ROWS, freq="7h"),
    "workdays": pd.date_range("2020", periods=ROWS, freq="B"),
    "months": pd.date_range("2020", periods=ROWS, freq="MS"),
    "days back": pd.date_range("2020", periods=ROWS, freq="-1D"),
    "days of Berlin": pd.date_range("2020-03-27", periods=ROWS, freq="D", tz="Europe/Berlin"),
    "spans": pd.timedelta_range(0, periods=ROWS, freq="3h"),
}
VALUES = {
    "y": [0.5, 1, 2, 3, 1, 0, 5, 2],
    "x": [3.0, None, 2, 8, None, 1, 7, 4],
    "i": [3, 1, 2, 8, 5, 1, 7, 4],
    "g": list("abacabba"),
}
NUMBERS = ["x", "i"]


def windows(opener, method):
    return lambda rows: getattr(opener(rows[NUMBERS]), method)()


OPENERS = {
    "rolling": lambda rows: rows.rolling(2, min_periods=1),
    "rolling centre": lambda rows: rows.rolling(3, center=True),
    "rolling step": lambda rows: rows.rolling(3, step=2),
    "expanding": lambda rows: rows.expanding(),
    "ewm": lambda rows: rows.ewm(alpha=0.5),
}
METHODS = {
    **{
        f"{name} {method}": windows(opener, method)
        for name, opener in OPENERS.items()
        for method in ("sum", "mean", "std", "var")
    },
    "rolling agg": lambda rows: rows[NUMBERS].rolling(2).agg({"x": "sum", "i": "max"}),
    "rolling apply": lambda rows: rows.x.rolling(2).apply(sum),
    "rolling corr": lambda rows: rows.x.rolling(2).corr(rows.i),
    "interpolate": lambda rows: rows.x.interpolate(),
    "pct_change": lambda rows: rows[NUMBERS].pct_change(),
    "diff of nothing": lambda rows: rows.i.diff(0),
    "rank pct": lambda rows: rows[NUMBERS].rank(pct=True),
    "ffill limit": lambda rows: rows.x.ffill(limit=1),
    "cumsum no skipna": lambda rows: rows.x.cumsum(skipna=False),
    "shift": lambda rows: rows.shift(2),
    "shift several": lambda rows: rows[["x"]].shift([1, 2]),
    "shift freq": lambda rows: rows.shift(2, freq="12h"),
    "group shift": lambda rows: rows.groupby("g").x.shift(1),
    "group transform": lambda rows: rows.groupby("g").x.transform(lambda one: one - one.mean()),
    "group pct_change": lambda rows: rows.groupby("g").i.pct_change(),
    "group rank": lambda rows: rows.groupby("g")[NUMBERS].rank(),
    "compare": lambda rows: rows.x.compare(rows.i, keep_shape=True),
    "combine_first": lambda rows: rows.x.combine_first(rows.i),
    "resample list": lambda rows: rows.x.resample("2D").agg(["sum", "max"]),
    "resample dict": lambda rows: rows.resample("2D").agg({"x": "sum", "y": "max"}),
    "resample apply": lambda rows: rows.x.resample("2D").apply(lambda one: one.sum()),
    "resample apply max": lambda rows: rows.y.resample("2D").apply(lambda one: one.max()),
    "resample transform": lambda rows: rows.x.resample("2D").transform(lambda one: one - one.mean()),
    "every other": lambda rows: rows.iloc[::2],
    "turned round": lambda rows: rows.iloc[::-1],
    "positions": lambda rows: rows.x.iloc[[1, 3, 5]],
    "uneven positions": lambda rows: rows.x.iloc[[1, 3, 4]],
    "one position": lambda rows: rows.x.iloc[[1]],
    "sort_index": lambda rows: rows.sort_index(),
    "sort_index down": lambda rows: rows.sort_index(ascending=False),
    "labels sorted": lambda rows: rows.index.sort_values(ascending=False),
    "labels different": lambda rows: rows.index.unique(),
    "labels there": lambda rows: rows.index.dropna(),
    "labels later": lambda rows: rows.index.shift(3),
    "column as labels": lambda rows: in_order(rows.rename_axis("t").reset_index()),
}


def in_order(rows):
    return rows.set_index("t", **({} if isinstance(rows, pd.DataFrame) else {"sort": False}))


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("labels", INDEXES)
@pytest.mark.parametrize("name", METHODS)
def test_frequencies_are_those_of_pandas(name, labels, partitions):
    rows = pd.DataFrame(VALUES, index=INDEXES[labels])
    expected = METHODS[name](rows)
    found = METHODS[name](rd.from_pandas(rows, npartitions=partitions, sort=False)).compute()
    check(found, expected)
    found, expected = (it if isinstance(it, pd.Index) else it.index for it in (found, expected))
    if not isinstance(expected, pd.MultiIndex):
        assert found.freq == expected.freq
