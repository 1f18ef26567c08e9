"""Methods whose types, missing values or errors depend on values are as in pandas, or refused."""

from __future__ import annotations

import decimal
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

PARTITIONS = pytest.mark.parametrize("npartitions", [1, 3])
DAYS = pd.date_range("2020", periods=5)


def lazy(rows: Any, npartitions: int = 2) -> Any:
    return rd.from_pandas(rows, npartitions=npartitions, sort=False)


@PARTITIONS
@pytest.mark.parametrize("backwards", [True, False])
@pytest.mark.parametrize(
    "key",
    [
        lambda frame: frame.index,
        lambda frame: [frame.index],
        lambda frame: frame.index.rename("when"),
        lambda frame: frame.index.shift(1),
        lambda frame: pd.date_range("2021", periods=5, freq="h"),
        lambda frame: frame.index.to_series(),
        lambda frame: "column",
    ],
)
def test_labels_that_become_labels_keep_their_frequency(key: Any, backwards: bool, npartitions: int) -> None:
    few = pd.DataFrame({"x": range(5), "column": DAYS}, index=DAYS)
    few = few.iloc[::-1] if backwards else few
    rows = lazy(few, npartitions)
    expected = few.set_index(key(few))
    assert rows.set_index(key(rows), sort=False).compute().index.freq == expected.index.freq
    in_order = expected.sort_index()
    found = rows.set_index(key(rows)).compute()
    assert found.index.freq == in_order.index.freq
    check(found, in_order)


@PARTITIONS
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_texts_of_lengths_of_time(unit: str, npartitions: int) -> None:
    words = pd.Series(["1 days", None, "00:00:01.5", "3 min"])
    check(lazy(words, npartitions).astype(f"timedelta64[{unit}]"), words.astype(f"timedelta64[{unit}]"))


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_points_of_time_have_no_sign(unit: str) -> None:
    rows = lazy(pd.Series(DAYS.as_unit(unit)))
    for function in (lambda x: +x, np.positive):
        with pytest.raises(TypeError, match="bad operand"):
            function(rows)


@PARTITIONS
@pytest.mark.parametrize("name", ["std", "sem", "var"])
def test_variances_of_single_precision_are_of_single_precision(name: str, npartitions: int) -> None:
    rows = pd.Series([1e30, 1.0, np.nan], dtype="float32")
    with np.errstate(over="ignore"):
        assert getattr(lazy(rows, npartitions), name)().compute() == getattr(rows, name)() == np.inf
    rows = pd.Series([1.5, 2.5, np.nan, 7], dtype="float32")
    found = getattr(lazy(rows, npartitions), name)().compute()
    assert found == pytest.approx(getattr(rows, name)(), rel=1e-6) and found.dtype == "float32"


@pytest.mark.parametrize("kind", ["int8", "int16", "int64", "uint8", "uint64"])
@pytest.mark.parametrize("name", ["sum", "prod"])
@pytest.mark.parametrize("min_count", [0, 3, 9])
def test_numeric_only_changes_nothing_for_numbers(min_count: int, name: str, kind: str) -> None:
    rows = pd.Series([1, 2, 3, 4], dtype=kind)
    expected = getattr(rows, name)(numeric_only=True, min_count=min_count)
    found = getattr(lazy(rows), name)(numeric_only=True, min_count=min_count).compute()
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    assert found == expected or (found != found and expected != expected)


@pytest.mark.parametrize("name", ["all", "any"])
def test_truth_of_times_along_columns(name: str) -> None:
    few = pd.DataFrame({"t": DAYS, "d": DAYS - DAYS[1]})
    check(getattr(lazy(few), name)(axis="columns"), getattr(few, name)(axis="columns"))


@pytest.mark.parametrize(
    "kind", ["double[pyarrow]", "float[pyarrow]", "decimal128(7, 2)[pyarrow]", "complex128", "Int8"]
)
@pytest.mark.parametrize("name", ["sum", "min", "max", "first", "count", "mean"])
def test_numbers_of_groups_are_those_of_pandas(name: str, kind: str) -> None:
    import pyarrow as pa

    dtype = pd.ArrowDtype(pa.decimal128(7, 2)) if kind.startswith("decimal") else kind
    numbers = [decimal.Decimal(one) for one in (1, 2, 3)] if kind.startswith("decimal") else [1, 2, 3]
    few = pd.DataFrame({"k": ["a", "b", "a"], "v": pd.Series(numbers, dtype=dtype)})
    function = lambda frame: getattr(frame.groupby("k"), name)(**({} if name == "count" else {"numeric_only": True}))
    try:
        expected = function(few)
    except TypeError:
        with pytest.raises((TypeError, NotImplementedError)):
            function(lazy(few)).compute()
        return
    check(function(lazy(few)), expected)


def test_zeros_of_both_signs_are_two_of_arrows_labels() -> None:
    few = pd.DataFrame({"k": [1, 1, 1, 2], "v": pd.Series([0.0, -0.0, 0.0, 1.5], dtype="double[pyarrow]")})
    found = lazy(few).groupby("k")["v"].value_counts().compute()
    assert found.tolist() == few.groupby("k")["v"].value_counts().tolist() == [2, 1, 1]


@pytest.mark.parametrize("value", [0, "x", 1.5])
def test_truth_values_are_shifted_with_truth_values(value: Any) -> None:
    few = pd.DataFrame({"k": [1, 1, 2], "v": pd.Series([True, None, False], dtype="boolean")})
    with pytest.raises(NotImplementedError, match="True or False"):
        lazy(few).groupby("k")["v"].shift(fill_value=value)
    check(lazy(few).groupby("k")["v"].shift(fill_value=True), few.groupby("k")["v"].shift(fill_value=True))


def test_results_with_a_name_twice_are_refused_in_plain_words() -> None:
    few = pd.DataFrame({"k": [1, 1, 2], "v": [1.0, 2.0, 2.0]})
    rows = lazy(few)
    with pytest.raises(NotImplementedError, match="two columns cannot have one name"):
        rows.groupby(["k", rows["v"].isna()], as_index=False)["v"].value_counts()


def test_an_empty_pattern_is_refused_where_it_takes_all_memory() -> None:
    import pyarrow as pa

    rows = lazy(pd.Series(["ab"], dtype=pd.ArrowDtype(pa.string())), 1)
    with pytest.raises(NotImplementedError, match="empty pattern"):
        rows.str.split("", regex=True)


@pytest.mark.parametrize("function", [np.floor, np.ceil, np.trunc, np.sign])
@pytest.mark.parametrize("kind", ["int64[pyarrow]", "uint8[pyarrow]", "Int64", "double[pyarrow]"])
@pytest.mark.parametrize("missing", [True, False])
def test_functions_of_numpy_over_types_that_may_miss(missing: bool, kind: str, function: Any) -> None:
    rows = pd.Series([1, 2, None if missing else 3], dtype=kind)
    try:
        found = function(lazy(rows)).compute()
    except NotImplementedError:
        return
    check(found, function(rows))


@PARTITIONS
@pytest.mark.parametrize("name", ["gt", "le", "eq", "add"])
@pytest.mark.parametrize("missing", [True, False])
def test_methods_of_operators_meet_objects_as_python_does(missing: bool, name: str, npartitions: int) -> None:
    words = ["b", "a", None if missing else "q", "c"]
    few = pd.DataFrame({"x": pd.Series(words, dtype=object), "y": pd.Series(words[::-1], dtype=object)})
    call: Callable[[Any], Any] = lambda frame: getattr(frame["x"], name)(frame["y"])
    try:
        expected = call(few)
    except TypeError:
        with pytest.raises(TypeError):
            call(lazy(few, npartitions)).compute()
        return
    check(call(lazy(few, npartitions)), expected)


@PARTITIONS
@pytest.mark.parametrize("kind", ["UInt64", "Int64"])
@pytest.mark.parametrize("name", ["floordiv", "truediv", "mul"])
def test_integers_that_may_miss_beside_lengths_of_time(name: str, kind: str, npartitions: int) -> None:
    top = np.iinfo(kind.lower()).max if name != "mul" else 5
    few = pd.DataFrame({"d": pd.to_timedelta([5, 7, 86400], unit="s"), "n": pd.Series([2, None, top], dtype=kind)})
    rows = lazy(few, npartitions)
    check(getattr(rows["d"], name)(rows["n"]), getattr(few["d"], name)(few["n"]))


@pytest.mark.parametrize("kind", ["Int64", "Float32", "boolean"])
def test_types_of_mapped_values_that_depend_on_values_are_refused(kind: str) -> None:
    rows = lazy(pd.DataFrame({"x": pd.Series([1, 0, None], dtype=kind), "y": [5, 6, 7]}))
    with pytest.raises(NotImplementedError, match="meta="):
        rows["x"].map(rows["y"])


@PARTITIONS
@pytest.mark.parametrize(("name", "value"), [("rpow", True), ("truediv", 2**64), ("truediv", 2)])
def test_what_pandas_refuses_unless_a_value_is_missing(name: str, value: Any, npartitions: int) -> None:
    few = pd.Series(pd.to_timedelta([1, 2, None, 5], unit="s"))
    expected = getattr(few, name)(value, fill_value=1)
    try:
        found = getattr(lazy(few, npartitions), name)(value, fill_value=1).compute()
    except NotImplementedError:
        return
    check(found, expected)


@pytest.mark.parametrize("dtype", ["Float64", "Int8", "boolean"])
@pytest.mark.parametrize("method", ["add", "sub", "mul", "truediv"])
def test_arithmetic_of_nullable_numbers_and_intervals_is_refused(method, dtype):
    frame = pd.DataFrame({"n": pd.array([1, None, 0], dtype=dtype), "i": pd.interval_range(0, 3), "v": [1, 2, 3]})
    lazy = rd.from_pandas(frame, npartitions=2)
    symbol = getattr(operator, method)
    for call in (
        lambda: symbol(lazy["n"], lazy["i"]),
        lambda: symbol(lazy["i"], lazy["n"]),
        lambda: symbol(lazy["n"], pd.Interval(0, 1)),
        lambda: getattr(lazy["n"], method)(lazy["i"]),
    ):
        with pytest.raises(NotImplementedError, match="nullable numbers and intervals"):
            call()
    pd.testing.assert_series_equal((lazy["n"] == lazy["i"]).compute(), frame["n"] == frame["i"])
