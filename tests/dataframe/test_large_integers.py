"""Integers beyond 2**53 that may miss: compared, added up and shown to the last digit, or refused."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

LARGE = 2**53 + 1
COMPARISONS = {name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")}
KINDS = {
    "int64[pyarrow]": [LARGE, -LARGE, None, 2**63 - 1, -(2**63), LARGE - 1, 7],
    "uint64[pyarrow]": [LARGE, 2**64 - 1, None, 2**63 - 1, 2**63, LARGE - 1, 7],
}


def lazy(rows: Any, npartitions: int) -> Any:
    return rd.from_pandas(rows, npartitions=npartitions, sort=False)


@pytest.mark.parametrize("npartitions", [1, 3])
@pytest.mark.parametrize("missing", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_comparisons_of_arrow_are_exact(kind: str, missing: bool, npartitions: int) -> None:
    numbers = [one for one in KINDS[kind] if missing or one is not None]
    rows = lazy(pd.DataFrame({"x": pd.Series(numbers, dtype=kind)}), npartitions)
    for name, compare in COMPARISONS.items():
        for value in (LARGE, -LARGE, 2**63 - 1, np.int64(LARGE), np.uint64(2**63 + 1), np.uint64(2**63 - 1)):
            expected = [one is not None and compare(one, int(value)) for one in numbers]
            for found in (compare(rows["x"], value), getattr(rows["x"], name)(value), compare(rows, value)["x"]):
                assert found.fillna(False).compute().tolist() == expected, (name, value)
            reflected = [one is not None and compare(int(value), one) for one in numbers]
            assert compare(value, rows["x"]).fillna(False).compute().tolist() == reflected, (name, value)
    assert len(rows[rows["x"] > LARGE - 1].compute()) == sum(one is not None and one > LARGE - 1 for one in numbers)


@pytest.mark.parametrize("npartitions", [1, 3])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["max", "min", "sum"])
def test_lazy_values_of_arrow_have_no_bounds(name: str, kind: str, npartitions: int) -> None:
    rows = pd.Series(KINDS[kind], dtype=kind)
    rows = rows.iloc[-3:] if name == "sum" else rows  # whose sum Arrow has
    functions: list[Callable[[Any], Any]] = [
        lambda one: one,
        lambda one: one + 1,
        lambda one: one - 2**63,
        lambda one: one * 3,
        lambda one: -one,
        lambda one: one + one,
    ]
    for function in functions:
        expected = function(getattr(rows, name)())
        found = function(getattr(lazy(rows, npartitions), name)()).compute()
        assert found == expected and type(found) is type(expected)


@pytest.mark.parametrize("kind", ["timestamp[us][pyarrow]", "duration[ns][pyarrow]"])
@pytest.mark.parametrize("name", ["min", "max", "median"])
def test_missing_times_of_arrow_stay_missing_numbers(name: str, kind: str) -> None:
    rows = pd.Series([1, None, 3], dtype=kind)
    assert getattr(rows, name)(skipna=False) is pd.NA
    assert getattr(lazy(rows, 2), name)(skipna=False).compute() is pd.NA


@pytest.mark.parametrize("npartitions", [1, 3])
@pytest.mark.parametrize("keep_equal", [True, False])
@pytest.mark.parametrize("keep_shape", [True, False])
def test_compare_rounds_nothing(keep_shape: bool, keep_equal: bool, npartitions: int) -> None:
    few = pd.DataFrame({"a": [1, 2, 3], "b": [1, 5, 3], "c": [LARGE, 9, 8]})
    options = {"keep_shape": keep_shape, "keep_equal": keep_equal}
    rows = lazy(few, npartitions)
    check(rows["a"].compare(rows["b"], **options), few["a"].compare(few["b"], **options))
    if keep_equal:
        check(rows["a"].compare(rows["c"], **options), few["a"].compare(few["c"], **options))
        return
    with pytest.raises(NotImplementedError, match="Int64"):
        rows["a"].compare(rows["c"], **options).compute()


def test_integers_that_no_group_lacks_are_not_rounded() -> None:
    key = pd.Series(pd.Categorical(["a", "b", "a"]))
    few = pd.DataFrame({"k": key, "x": [LARGE, 2, 3], "y": [1, 2, 3]})
    grouped = lazy(few, 2).groupby("k", observed=False)
    expected = few.groupby("k", observed=False)["y"].min()
    assert grouped["y"].min().compute().tolist() == expected.tolist()
    try:
        found = grouped["x"].max().compute()
    except NotImplementedError:
        return
    assert [int(one) for one in found] == [LARGE, 2]


@pytest.mark.parametrize("level", [None, 0])
@pytest.mark.parametrize(("left", "right"), [("uint64", "UInt64"), ("Int8", "Int8"), ("Float32", "uint8")])
@pytest.mark.parametrize("name", ["floordiv", "mod", "rfloordiv", "rmod"])
def test_divisors_that_may_be_zero_are_refused_or_right(name: str, left: str, right: str, level: Any) -> None:
    few = pd.DataFrame({"x": pd.Series([1, 2, 3]).astype(left), "y": pd.Series([1, 0, 3]).astype(right)})
    few = few.iloc[::-1] if name.startswith("r") else few
    one, other = ("y", "x") if name.startswith("r") else ("x", "y")
    expected = getattr(few[one], name)(few[other], level=level)
    rows = lazy(few, 2)
    try:
        found = getattr(rows[one], name)(rows[other], level=level).compute()
    except NotImplementedError:
        return
    check(found, expected)
