"""Functions of values, whose results have a type by all of them: what is promised to be objects stays what it is."""

from __future__ import annotations

import decimal
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd

ROWS = pd.DataFrame(
    {
        "s": pd.Series(["a", 2, 3, None, True, None], dtype=object),
        "t": [1, 2, 3, 4, 5, 6],
        "c": pd.Categorical(list("abcabc")),
        "d": pd.date_range("2020", periods=6),
    }
)
CALLS: dict[str, Callable[[Any], Any]] = {
    "map": lambda rows: rows.s.map(lambda value: value),
    "map what is there": lambda rows: rows.s.map(lambda value: value, na_action="ignore"),
    "apply": lambda rows: rows.s.apply(lambda value: value),
    "frame": lambda rows: rows[["s", "t"]].map(lambda value: value),
    "row": lambda rows: rows.apply(lambda row: row.s, axis=1),
    "decimals": lambda rows: rows.t.map(decimal.Decimal),
    "tuples": lambda rows: rows.t.map(lambda value: (value,)),
    "days": lambda rows: rows.d.map(lambda value: value.date()),
    "days of rows": lambda rows: rows.apply(lambda row: row.d.date(), axis=1),
    "lists of rows": lambda rows: rows.apply(lambda row: [row.t], axis=1),
    "frames": lambda rows: rows.t.apply(lambda value: pd.Series([value, value])),
    "nothing": lambda rows: rows.t.map(lambda value: None),
    "late": lambda rows: rows.t.map(lambda value: value if value > 4 else None),
    "late of rows": lambda rows: rows.apply(lambda row: row.t if row.t > 4 else None, axis=1),
    "late times": lambda rows: rows.t.map(lambda value: pd.Timestamp(2020, 1, value) if value > 4 else None),
    "raw rows": lambda rows: rows[["t"]].apply(lambda row: 0 if row[0] == 4 else row[0] / 4, axis=1, raw=True),
    "lists of raw rows": lambda rows: rows[["t"]].apply(
        lambda row: {"a": 1} if row[0] < 3 else {"b": 2}, axis=1, raw=True
    ),
    "late numbers": lambda rows: rows.t.map(lambda value: value / 2 if value > 3 else np.nan),
    "late texts": lambda rows: rows.t.map(lambda value: "a" if value > 3 else np.nan),
    "late moments": lambda rows: rows.t.map(lambda value: pd.Timestamp(2020, 1, value) if value > 3 else pd.NaT),
    "method": lambda rows: rows[["t"]].apply("max", axis=1),
    "methods of objects": lambda rows: rows[["t"]].astype(object).apply("sum", axis=1),
    "missing integers": lambda rows: rows.t.where(rows.t > 2).map(lambda value: None if value != value else int(value)),
}


@pytest.mark.parametrize("partitions", [1, 2, 3, 6])
@pytest.mark.parametrize("call", CALLS)
def test_results_are_those_of_all_rows(call: str, partitions: int) -> None:
    expected = CALLS[call](ROWS)
    found = CALLS[call](rd.from_pandas(ROWS, npartitions=partitions)).compute()
    assert repr(found.to_numpy().tolist()) == repr(expected.to_numpy().tolist())
    dtypes = lambda rows: list(rows.dtypes) if rows.ndim == 2 else [rows.dtype]
    assert dtypes(found) == dtypes(expected)


@pytest.mark.parametrize("partitions", [1, 3])
def test_a_type_of_which_a_trial_says_nothing_is_refused(partitions: int) -> None:
    lazy = rd.from_pandas(ROWS, npartitions=partitions)
    lazy = lazy[lazy.t > 0]  # of which no rows lie in memory
    call = lambda rows, **how: rows.t.map(lambda value: value if value > 4 else None, **how)
    with pytest.raises(NotImplementedError, match="missing ones alone"):
        call(lazy).compute()
    found = call(lazy, meta=("t", "float64")).compute()
    assert np.array_equal(found, call(ROWS), equal_nan=True)


@pytest.mark.parametrize("partitions", [2, 3])
def test_series_of_rows_are_not_of_the_types_of_partitions(partitions: int) -> None:
    values = ["x", 1, 2, 1, None, 3]
    lazy = rd.from_pandas(ROWS, npartitions=partitions)
    for call in (
        lambda rows: rows.apply(lambda row: pd.Series({"a": values[row.t - 1]}), axis=1),
        lambda rows: rows.t.apply(lambda value: pd.Series({"a": values[value - 1]})),
    ):
        with pytest.raises(NotImplementedError, match="objects for the few rows"):
            call(lazy).compute()


@pytest.mark.parametrize("partitions", [1, 2, 3])
def test_values_that_a_promised_type_has_not_are_refused(partitions: int) -> None:
    lazy = rd.from_pandas(ROWS, npartitions=partitions)
    spans = [pd.Interval(0, 1)] * 3 + [pd.Interval(0, 1.5)] * 3
    for values in ([pd.Timestamp(2020, 1, 1)] * 3 + [5, 5, 5], [pd.Timedelta(1)] * 3 + ["a"] * 3, spans):
        with pytest.raises(NotImplementedError, match="another type"):
            lazy.t.map(lambda value: values[value - 1]).compute()  # noqa: B023


@pytest.mark.parametrize("partitions", [1, 2, 3])
def test_frames_of_said_types(partitions: int) -> None:
    lazy = rd.from_pandas(ROWS, npartitions=partitions)
    meta = {"a": object, "b": "int64"}
    for found in (
        lazy.apply(lambda row: pd.Series({"a": str(row.t), "b": row.t}), axis=1, meta=meta),
        lazy.t.apply(lambda value: pd.Series({"a": str(value), "b": value}), meta=meta),
    ):
        assert found.compute().to_numpy().tolist() == [[str(at), at] for at in range(1, 7)]


def test_trials_ask_for_a_few_rows() -> None:
    calls = []
    rd.from_pandas(pd.DataFrame({"t": range(5000)}), npartitions=2).t.map(calls.append)
    assert len(calls) < 100


def test_arguments_of_functions_of_groups_may_have_any_name() -> None:
    lazy = rd.from_pandas(ROWS[["s", "t"]].assign(k=list("ababab")), npartitions=2)
    for name in ("same_rows", "may_miss", "name", "function", "plainly", "rows", "chosen", "own_function", "exact"):
        added = lambda values, **given: values + given[name]  # noqa: B023
        total = lambda values, **given: values.sum() + given[name]  # noqa: B023
        assert lazy.groupby("k").t.transform(added, **{name: 5}).compute().tolist() == [6, 7, 8, 9, 10, 11]
        assert lazy.groupby("k").t.apply(total, **{name: 5}).compute().tolist() == [14, 17]
        assert lazy.groupby("k").t.agg(total, **{name: 5}).compute().tolist() == [14, 17]
        assert lazy[["t"]].apply(total, axis=0, **{name: 5}).compute().tolist() == [26]
    assert lazy.map_partitions(lambda part, **given: part.t + given["raskt_gaps_0"], raskt_gaps_0=5).compute()[0] == 6
