"""Pandas and lazy objects of other rows beside a column: only what they can leave without a value may miss one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

FRAME = pd.DataFrame({"i": [1, 2, 3, 4], "b": [True, False, True, True], "f": [1.5, np.nan, 2, 3]})
MARKS = {
    "all": pd.Series([True, True, False, True]),
    "some": pd.Series([True, False], index=[1, 9]),
    "true": pd.Series([True] * 4),
}
OTHERS = {"all": pd.Series([5, 6, 7, 8]), "some": pd.Series([5, 6], index=[1, 9])}
FULL: dict[str, Callable[[Any, Any, Any], Any]] = {
    "where": lambda rows, marks, other: rows.i.where(marks, 0),
    "mask": lambda rows, marks, other: rows.i.mask(marks, 0),
    "frame where": lambda rows, marks, other: rows[["i", "b"]].where(marks, 0)[["i"]],
    "and": lambda rows, marks, other: rows.b & marks,
    "or": lambda rows, marks, other: rows.b | marks,
    "fillna": lambda rows, marks, other: rows.i.fillna(other),
    "combine_first": lambda rows, marks, other: rows.i.combine_first(other),
    "case_when": lambda rows, marks, other: rows.i.case_when([(marks, 9)]),
    "equal": lambda rows, marks, other: rows.i.eq(other),
}
GAPS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "where nothing": lambda rows, marks, other: rows.i.where(marks),
    "where other": lambda rows, marks, other: rows.i.where(marks, other),
    "add": lambda rows, marks, other: rows.i + other,
    "frame add": lambda rows, marks, other: rows[["i"]].add(other, axis=0)["i"],
}


def beside(rows: pd.Series, lazy: bool) -> Any:
    return rd.from_pandas(rows, npartitions=1, sort=False) if lazy else rows


@pytest.mark.parametrize("marks", MARKS)
@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("lazy", [True, False])
def test_what_leaves_no_gap_misses_nothing(marks: str, other: str, lazy: bool) -> None:
    rows = rd.from_pandas(FRAME, npartitions=2)
    for use, call in FULL.items():
        expected = call(FRAME, MARKS[marks], OTHERS[other])
        if use == "case_when" and marks == "some":
            continue  # pandas takes conditions of other rows by position there
        found = call(rows, beside(MARKS[marks], lazy), beside(OTHERS[other], lazy))
        check(found, expected)
        check((found + 1).astype("str"), (expected + 1).astype("str"))
    found = rows[rows.b & beside(MARKS[marks], lazy)] if marks != "some" else rows
    check(found, FRAME[FRAME.b & MARKS[marks]] if marks != "some" else FRAME)


@pytest.mark.parametrize("marks", MARKS)
@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("lazy", [True, False])
def test_what_may_leave_a_gap_is_as_pandas_has_it(marks: str, other: str, lazy: bool) -> None:
    rows = rd.from_pandas(FRAME, npartitions=2)
    for call in GAPS.values():
        expected = call(FRAME, MARKS[marks], OTHERS[other])
        found = call(rows, beside(MARKS[marks], lazy), beside(OTHERS[other], lazy))
        assert found.dtype == "float64"
        check(found.astype("float64"), expected.astype("float64"))
        check(found.isna(), expected.isna())
