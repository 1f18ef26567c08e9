"""Results whose type pandas finds by all values: it is the same here however rows are cut, or refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

LISTS: dict[str, list[Any]] = {
    "text": [["a", "b"], ["c"], [], None],
    "missing first": [[None], [np.nan], ["a"], ["b"]],
    "nothing first": [[], [], None, ["b", None]],
    "numbers": [[1, 2], [3], [4], [5]],
    "mixed": [["a", 1], [2.5], [], None],
}
DURATIONS: dict[str, tuple[list[Any], str | None]] = {
    "text": (["1h", "2h", "1 days", "3s"], None),
    "missing text": (["1h", None, "-3ms", "2us"], None),
    "fractions": ([1.5, 2.25, 0.5, 0.125], "h"),
    "a fraction": ([1.0, 2.0, 3.0, 0.5], "s"),
    "missing": ([np.nan, np.nan, 1.5, np.nan], "D"),
    "whole": ([1, 2, 3, 4], "h"),
    "nanoseconds": ([1, 2, 3, 4], "ns"),
    "no unit": ([1, 2, 3, 4], None),
}
SPLITS: dict[str, Callable[[Any], Any]] = {
    "split": lambda s: s.str.split("_"),
    "split by a pattern": lambda s: s.str.split("[_-]", regex=True),
    "rsplit": lambda s: s.str.rsplit("_", n=1),
    "findall": lambda s: s.str.findall("[a-z]"),
    "partition": lambda s: s.str.partition("_", expand=False),
}
ITEMS: dict[str, Callable[[Any], Any]] = {
    "first": lambda s: s.str[0],
    "second": lambda s: s.str[1],
    "last": lambda s: s.str[-1],
    "last but one": lambda s: s.str.get(-2),
    "text of the second": lambda s: s.str[1].str.upper(),
}


def in_files(rows: Any, size: int) -> Any:
    """The rows in partitions that no plan has in memory."""
    starts = list(range(0, len(rows), size))
    return rd.from_map(lambda at: rows.iloc[at : at + size], starts, meta=rows.iloc[:0])


@pytest.mark.parametrize("partitions", [1, 2, 4])
@pytest.mark.parametrize("ignore_index", [False, True])
@pytest.mark.parametrize("name", LISTS)
def test_items_of_lists(name: str, ignore_index: bool, partitions: int) -> None:
    rows = pd.Series(LISTS[name], name="x")
    lazy = rd.from_pandas(rows, npartitions=partitions)
    check(lazy.explode(ignore_index=ignore_index), rows.explode(ignore_index=ignore_index))
    frame = lazy.to_frame().explode("x", ignore_index=ignore_index)
    check(frame, rows.to_frame().explode("x", ignore_index=ignore_index))


@pytest.mark.parametrize("name", LISTS)
def test_items_of_lists_that_nobody_has_seen(name: str) -> None:
    rows = pd.Series(LISTS[name], name="x")
    expected = rows.explode()
    if expected.dtype == "str":
        check(in_files(rows, 2).explode(), expected)
    else:
        with pytest.raises(NotImplementedError, match="another type"):
            in_files(rows, 2).explode().compute()


@pytest.mark.parametrize("dtype", ["str", "object", "string"])
@pytest.mark.parametrize("item", ITEMS)
@pytest.mark.parametrize("split", SPLITS)
def test_items_of_split_text(split: str, item: str, dtype: str) -> None:
    text = pd.Series(["a_b", "c_d_e", None, "f", "g-h_i"], name="s", dtype=dtype)
    function = lambda s: ITEMS[item](SPLITS[split](s))
    for lazy in (rd.from_pandas(text, npartitions=3), in_files(text, 2)):
        check(function(lazy), function(text).astype(object))
    frame = rd.from_pandas(text.to_frame(), npartitions=5)
    check(frame.assign(p=lambda d: function(d.s))["p"], function(text).astype(object).rename("p"))


@pytest.mark.parametrize("name", DURATIONS)
def test_units_of_durations(name: str) -> None:
    values, unit = DURATIONS[name]
    rows = pd.Series(values, name="d")
    expected = pd.to_timedelta(rows, unit=unit)
    for lazy in (rd.from_pandas(rows, npartitions=1), rd.from_pandas(rows, npartitions=4), in_files(rows, 1)):
        check(rd.to_timedelta(lazy, unit=unit), expected)
    if unit not in (None, "ns"):
        for lazy in (rd.from_pandas(rows, npartitions=1), in_files(rows, 1)):
            check(rd.to_datetime(lazy, unit=unit), pd.to_datetime(rows, unit=unit))


def test_units_that_do_not_hold_the_values() -> None:
    texts = rd.from_pandas(pd.Series(["1ns", "1h"]), npartitions=2)
    with pytest.raises(NotImplementedError, match="timedelta64"):
        rd.to_timedelta(texts).compute()
    with pytest.raises(NotImplementedError, match="timedelta64"):
        rd.to_timedelta(rd.from_pandas(pd.Series([1e6, 2e6]), npartitions=2), unit="D").compute()
    with pytest.raises(ValueError, match="errors must be"):
        rd.to_timedelta(texts, errors="ignore")
