"""Comparisons of indexes with plain values that have no native form: as pandas', which gives arrays for them."""

from __future__ import annotations

import datetime
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

TIMES = pd.date_range("2024-01-01", periods=5, freq="12h")
INDEXES: dict[str, pd.Index] = {
    "times": TIMES,
    "nanoseconds": TIMES.as_unit("ns"),
    "times of a zone": TIMES.tz_localize("Europe/Oslo"),
    "times of UTC": TIMES.tz_localize("UTC"),
    "durations": TIMES - TIMES[0],
    "periods": TIMES.to_period("h"),
    "numbers": pd.Index([1, 2, 3, 4, 5]),
    "text": pd.Index(list("abcde")),
}
VALUES: dict[str, Any] = {
    "text": "2024-01-02",
    "text of a zone": "2024-01-02T00:00Z",
    "other text": "c",
    "datetime": datetime.datetime(2024, 1, 2),
    "date": datetime.date(2024, 1, 2),
    "datetime64": np.datetime64("2024-01-02"),
    "time": TIMES[2],
    "time of a zone": TIMES[2].tz_localize("Europe/Oslo"),
    "duration": pd.Timedelta("1D"),
    "missing": pd.NaT,
    "number": 3,
}
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "gt": lambda s, value: operator.gt(s.index, value),
    "le": lambda s, value: operator.le(s.index, value),
    "eq": lambda s, value: operator.eq(s.index, value),
    "ne": lambda s, value: operator.ne(s.index, value),
    "on the right": lambda s, value: value < s.index,
    "rows": lambda s, value: s[s.index > value],
    "loc": lambda s, value: s.loc[s.index <= value],
    "count": lambda s, value: (s.index > value).sum(),
    "isin": lambda s, value: s.index.isin([value]),
    "rows in": lambda s, value: s[s.index.isin([value])],
}


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("name", INDEXES)
def test_labels_beside_a_value(name: str, value: str, operation: str) -> None:
    if name == "text" and value == "datetime64" and operation in ("isin", "rows in"):
        pytest.skip("pandas takes the value for a number, and fails")
    rows = pd.Series(range(5), index=INDEXES[name])
    function = lambda s: OPERATIONS[operation](s, VALUES[value])
    for partitions in (1, 2):
        lazy = rd.from_pandas(rows, npartitions=partitions)
        try:
            expected = function(rows)
        except (TypeError, ValueError) as error:
            with pytest.raises(type(error)):
                function(lazy).compute()
        else:
            found = function(lazy).compute()
            check(np.asarray(found).tolist() if isinstance(expected, np.ndarray) else found, as_plain(expected))


def as_plain(expected: Any) -> Any:
    """An array as a list."""
    return expected.tolist() if isinstance(expected, np.ndarray) else expected
