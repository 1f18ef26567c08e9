"""Numbers of rows beyond all that there are, no columns, and integers beside floats that stand for many of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

ROWS = {
    "head": lambda frame, n: frame.head(n),
    "tail": lambda frame, n: frame.tail(n),
    "nlargest": lambda frame, n: frame.nlargest(n, "x"),
    "nsmallest": lambda frame, n: frame.nsmallest(n, "x"),
    "of a series": lambda frame, n: frame["x"].nlargest(n),
    "head of a series": lambda frame, n: frame["x"].head(n),
    "of floats": lambda frame, n: frame["y"].nsmallest(n),
    "by floats": lambda frame, n: frame.nlargest(n, "y"),
    "of a filter": lambda frame, n: frame[frame["x"] > 1].nlargest(n, "x"),
    "sorted": lambda frame, n: frame.sort_values("x").head(n),
    "up to": lambda frame, n: frame.iloc[:n],
    "beyond": lambda frame, n: frame.iloc[n:],
    "of groups": lambda frame, n: frame.groupby("x").head(n),
}


@pytest.mark.parametrize("count", [5, 2**31, 2**40, 2**45, 2**62, 2**63 - 1, 2**63, 2**64, 2**70])
@pytest.mark.parametrize("method", ROWS.values(), ids=ROWS.keys())
def test_more_rows_than_there_are(method, count):
    pdf = pd.DataFrame({"x": [3, 1, 4, 1, 5], "y": [1.5, np.nan, 2.5, -1.0, 0.0]})
    try:
        expected = method(pdf, count)
    except OverflowError:
        return
    check(method(rd.from_pandas(pdf, npartitions=2), count), expected)


@pytest.mark.parametrize("count", [2.5, 2.0, "2", None, True])
@pytest.mark.parametrize("method", ["nlargest", "nsmallest"])
def test_a_number_of_rows_is_an_integer(method, count):
    pdf = pd.DataFrame({"x": [3, 1, 4]})
    df = rd.from_pandas(pdf, npartitions=2)
    for call in (lambda it: getattr(it, method)(count, "x"), lambda it: getattr(it["x"], method)(count)):
        with pytest.raises(TypeError):
            call(pdf)
        with pytest.raises(TypeError):
            call(df)


@pytest.mark.parametrize("ignore_index", [False, True])
@pytest.mark.parametrize("keep", ["first", "last", False])
def test_rows_without_columns_are_all_kept(keep, ignore_index):
    pdf = pd.DataFrame({"x": [3, 1, 4]}, index=[5, 6, 6])
    df = rd.from_pandas(pdf, npartitions=2)
    # pandas numbers labels of no columns only where there are rows to compare.
    expected = pdf[[]].reset_index(drop=True) if ignore_index else pdf[[]]
    check(df[[]].drop_duplicates(keep=keep, ignore_index=ignore_index), expected)


LIMITS = [2**53, -(2**53), 2**53 - 1, 2**62, 2**63]


@pytest.mark.parametrize("dtype", ["int64", "uint64", "float64", "int32"])
@pytest.mark.parametrize("limit", LIMITS)
def test_integers_beside_floats_that_stand_for_many(dtype, limit):
    near = [limit - 1, limit, limit + 1, 1]
    info = (-(2.0**1023), 2.0**1023) if dtype == "float64" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    s = pd.Series([one for one in near if info[0] <= one <= info[1]], dtype=dtype)
    lazy = rd.from_pandas(s, npartitions=2) if len(s) > 1 else rd.from_pandas(s, npartitions=1)
    for value in (float(limit), float(limit + 1), limit, limit + 1):
        for op in ("eq", "ne", "lt", "le", "gt", "ge"):
            check(getattr(lazy, op)(value), getattr(s, op)(value))
        check(lazy.isin([value]), s.isin([value]))
        check(lazy.isin([value, 0.5]), s.isin([value, 0.5]))
