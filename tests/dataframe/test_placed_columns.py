"""Columns of other rows that are put beside a frame's own are of the types that pandas gives them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd

DATES = ["2024-01-01", "2024-01-03", "2024-02-01", "2024-01-02", "2024-03-05", "2024-01-31"]
FEW = pd.DataFrame({"k": ["a", "b"], "n": np.array([5, 2**40], "int64"), "b": [True, False]})


def times(one: Any, module: Any) -> Any:
    return module.to_datetime(one.d)


#: Columns whose rows aren't known to be those of the frame, some of which may be missing.
COLUMNS: dict[str, Any] = {
    "days": lambda one, module, table: times(one, module).dt.day,
    "first days": lambda one, module, table: times(one, module).dt.is_month_start,
    "joined integers": lambda one, module, table: one.merge(table, how="left", on="k").n,
    "joined truth": lambda one, module, table: one.merge(table, how="left", on="k").b,
    "kept where": lambda one, module, table: one.v.where(one.v > -1),
}

#: How they come to stand beside others.
WAYS: dict[str, Any] = {
    "assign": lambda one, column: one.assign(new=column),
    "assign twice": lambda one, column: one.assign(new=column, more=column),
    "in place of a column": lambda one, column: one.assign(v=column),
    "texts": lambda one, column: one.assign(new=column).new.astype(str),
    "arithmetic": lambda one, column: one.assign(new=column).new.count(),
}


@pytest.mark.parametrize("partitions", [1, 2, 6])
@pytest.mark.parametrize("misses", [False, True])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("column", COLUMNS)
def test_columns_of_other_rows_have_the_types_that_pandas_gives_them(
    column: str, way: str, misses: bool, partitions: int
) -> None:
    one = pd.DataFrame({"d": DATES, "k": list("abbaab"), "v": np.arange(6, dtype="int16")})
    if misses:
        one.loc[3, ["d", "k"]] = [None, "c"]
    lazy, table = rd.from_pandas(one, npartitions=partitions), rd.from_pandas(FEW, npartitions=1)
    expected = WAYS[way](one, COLUMNS[column](one, pd, FEW))
    found = WAYS[way](lazy, COLUMNS[column](lazy, rd, table)).compute()
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected)
    elif isinstance(expected, pd.Series):
        pd.testing.assert_series_equal(found, expected)
    else:
        assert found == expected


@pytest.mark.parametrize("method", ["min", "max", "first", "last"])
def test_truth_values_of_spans_are_refused_at_the_call(method: str) -> None:
    one = pd.DataFrame(
        {"b": [True, False, True, True], "v": range(4)}, index=pd.date_range("2024-01-01", periods=4, freq="h")
    )
    lazy = rd.from_pandas(one, npartitions=2)
    for rows in (lazy, lazy.b):
        with pytest.raises(NotImplementedError, match="truth values if each has one; convert them by astype"):
            getattr(rows.resample("2h"), method)()
    floats = lazy.astype({"b": "float64"}).resample("2h")
    expected = getattr(one.astype({"b": "float64"}).resample("2h"), method)()
    pd.testing.assert_frame_equal(getattr(floats, method)().compute(), expected)
    pd.testing.assert_series_equal(
        getattr(lazy.resample("2h").v, method)().compute(), getattr(one.resample("2h").v, method)(), check_freq=False
    )


def test_the_rows_that_to_datetime_is_tried_on_warn_of_nothing(tmp_path: Any, recwarn: Any) -> None:
    pd.DataFrame({"d": DATES}).to_csv(tmp_path / "dates.csv", index=False)
    found = rd.to_datetime(rd.read_csv(tmp_path / "dates.csv").d).compute()
    assert found.tolist() == pd.to_datetime(pd.Series(DATES)).tolist() and not recwarn.list


def test_a_text_as_a_bound_of_numbers_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        rd.from_pandas(pd.Series([1.0, 2.0]), npartitions=2).clip("a").compute()
