"""Lazy values of columns of any type, beside other values and columns: they are of the kind that the column's are."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import raskt.dataframe as rd
from frame_comparing import check

TIMES = pd.Series(pd.date_range("2020-01-01", periods=4, unit="us"))
DECIMALS = [Decimal("1.50"), Decimal("2.25"), Decimal("3.00"), Decimal("4.10")]
COLUMNS: dict[str, pd.Series] = {
    "Arrow's times": TIMES.astype("timestamp[us][pyarrow]"),
    "Arrow's times of a zone": TIMES.dt.tz_localize("UTC").astype("timestamp[us, tz=UTC][pyarrow]"),
    "Arrow's dates": TIMES.astype("date32[pyarrow]"),
    "Arrow's durations": (TIMES - TIMES[0]).astype("duration[us][pyarrow]"),
    "Arrow's decimals": pd.Series(DECIMALS).astype(pd.ArrowDtype(pa.decimal128(10, 2))),
    "Arrow's text": pd.Series(list("wxyz"), dtype="string[pyarrow]"),
    "decimals": pd.Series(DECIMALS, dtype=object),
    "dates": pd.Series(TIMES.dt.date, dtype=object),
    "categories": pd.Series(pd.Categorical(list("wxyz"), ordered=True)),
    "categories of times": pd.Series(pd.Categorical(TIMES, ordered=True)),
    "periods": pd.Series(pd.period_range("2020", periods=4, freq="D")),
    "times": TIMES,
    "times of a zone": TIMES.dt.tz_localize("Europe/Oslo"),
    "durations": TIMES - TIMES[0],
    "nullable": pd.Series([1, 2, 3, 4], dtype="Int64"),
}
OPERATIONS: dict[str, Callable[[Any], Any]] = {
    "rows from the least": lambda d: d[d["at"] >= d["at"].min()],
    "rows below the greatest": lambda d: d["at"][d["at"] < d["at"].max()],
    "equal": lambda d: d["at"] == d["at"].min(),
    "greater, on the left": lambda d: d["at"].max() > d["at"],
    "since the first": lambda d: d["at"] - d["at"].min(),
    "until the last": lambda d: d["at"].max() - d["at"],
    "span": lambda d: d["at"].max() - d["at"].min(),
    "spans": lambda d: (d["at"].max() - d["at"].min()) + (d["at"].max() - d["at"].min()),
    "compared": lambda d: d["at"].max() > d["at"].min(),
    "between": lambda d: d["at"].between(d["at"].min(), d["at"].max()),
    "clip": lambda d: d["at"].clip(upper=d["at"].min()),
    "assign": lambda d: d.assign(m=d["at"].max()),
    "where": lambda d: d["at"].where(d.v > 1, d["at"].max()),
    "mask": lambda d: d["at"].mask(d.v > 1, d["at"].min()),
    "fillna": lambda d: d["at"].fillna(d["at"].max()),
}
#: Where rows in files are objects, only reading them would tell of what kind.
UNSEEN = {"assign"}


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", COLUMNS)
def test_values_beside_their_columns(name: str, operation: str) -> None:
    frame, function = pd.DataFrame({"at": COLUMNS[name], "v": [1, 2, 3, 4]}), OPERATIONS[operation]
    try:
        expected = function(frame)
    except TypeError:
        pytest.skip("pandas has no such operation")
    if isinstance(expected, datetime.timedelta):
        expected = pd.Timedelta(expected)
    files = rd.from_map(lambda at: frame.iloc[at : at + 2], [0, 2], meta=frame.iloc[:0])
    check(function(rd.from_pandas(frame, npartitions=1)), expected)
    check(function(rd.from_pandas(frame, npartitions=3)), expected)
    if operation in UNSEEN and COLUMNS[name].dtype == object:
        with pytest.raises(NotImplementedError, match="another type"):
            function(files).compute()
    else:
        check(function(files), expected)
