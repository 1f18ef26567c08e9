"""Joins."""

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

LEFT = pd.DataFrame({"k": [1, 2, 2, 3, 5], "x": [1.0, 2.0, 3.0, np.nan, 5.0], "both": list("abcde")})
RIGHT = pd.DataFrame({"k": [2, 2, 3, 4], "y": ["p", "q", None, "s"], "both": [1, 2, 3, 4]})


@pytest.fixture(params=[1, 3])
def left(request):
    return rd.from_pandas(LEFT, npartitions=request.param)


@pytest.fixture(params=[1, 2])
def right(request):
    return rd.from_pandas(RIGHT, npartitions=request.param)


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer"])
def test_on_a_column_with_duplicates(left, right, how):
    check(left.merge(right, on="k", how=how), LEFT.merge(RIGHT, on="k", how=how))


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer"])
def test_module_function_and_keys_of_other_names(left, right, how):
    other, expected = right.rename(columns={"k": "j"}), RIGHT.rename(columns={"k": "j"})
    check(
        rd.merge(left, other, left_on="k", right_on="j", how=how, suffixes=("_l", "_r")),
        pd.merge(LEFT, expected, left_on="k", right_on="j", how=how, suffixes=("_l", "_r")),
    )


@pytest.mark.parametrize("how", ["inner", "left", "outer"])
def test_on_two_columns(how):
    first = pd.DataFrame({"a": [1, 1, 2, 2], "b": list("xyxy"), "v": range(4)})
    second = pd.DataFrame({"a": [1, 2, 2, 3], "b": list("xxyz"), "w": range(4)})
    check(
        rd.from_pandas(first, npartitions=2).merge(rd.from_pandas(second, npartitions=2), on=["a", "b"], how=how),
        first.merge(second, on=["a", "b"], how=how),
    )


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer"])
def test_missing_keys_meet_missing_keys(how):
    first = pd.DataFrame({"k": ["a", None, "b", None], "x": range(4)})
    second = pd.DataFrame({"k": [None, "b", "c"], "y": range(3)})
    check(
        rd.from_pandas(first, npartitions=2).merge(rd.from_pandas(second, npartitions=1), on="k", how=how),
        first.merge(second, on="k", how=how),
    )
    first, second = first.assign(k=[1.0, np.nan, 2.0, np.nan]), second.assign(k=[np.nan, 2.0, 3.0])
    check(
        rd.from_pandas(first, npartitions=2).merge(rd.from_pandas(second, npartitions=1), on="k", how=how),
        first.merge(second, on="k", how=how),
    )


@pytest.mark.parametrize("keys", ["int", "str", "datetime", "float"])
def test_key_types(keys):
    values = {
        "int": [3, 1, 2],
        "str": ["ü", "a", ""],
        "datetime": pd.to_datetime(["2020-01-01", "2019-01-01", "2021-06-01"]),
        "float": [0.5, 1.5, -0.0],
    }[keys]
    first, second = pd.DataFrame({"k": values, "x": range(3)}), pd.DataFrame({"k": values[::-1], "y": range(3)})
    check(
        rd.from_pandas(first, npartitions=2).merge(rd.from_pandas(second, npartitions=2), on="k"),
        first.merge(second, on="k"),
    )


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer"])
def test_on_the_index(left, right, how):
    first, second = LEFT.set_index("k"), RIGHT.set_index("k")[["y"]]
    check(
        left.set_index("k").merge(right.set_index("k")[["y"]], left_index=True, right_index=True, how=how),
        first.merge(second, left_index=True, right_index=True, how=how),
    )


def test_join(left, right):
    first, second = LEFT.set_index("k")[["x"]], RIGHT.set_index("k")[["y"]]
    check(left.set_index("k")[["x"]].join(right.set_index("k")[["y"]]), first.join(second))
    check(left.join(right, rsuffix="_r"), LEFT.join(RIGHT, suffixes=("", "_r")))
    check(left.join(right, suffixes=("_l", "_r")), LEFT.join(RIGHT, suffixes=("_l", "_r")))
    check(left[["k", "x"]].join(right.set_index("k")[["y"]], on="k"), LEFT[["k", "x"]].join(second, on="k"))


def test_a_pandas_frame_on_the_right(left):
    check(left.merge(RIGHT, on="k"), LEFT.merge(RIGHT, on="k"))


def test_common_columns_are_the_default(left, right):
    check(left[["k", "x"]].merge(right[["k", "y"]]), LEFT[["k", "x"]].merge(RIGHT[["k", "y"]]))


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer"])
def test_with_nothing(left, how):
    nothing = RIGHT.iloc[:0]
    check(left.merge(rd.from_pandas(nothing, npartitions=1), on="k", how=how), LEFT.merge(nothing, on="k", how=how))


def test_with_oneself(left):
    check(left.merge(left, on="k"), LEFT.merge(LEFT, on="k"))


def test_indicator(left, right):
    check(
        left.merge(right, on="k", how="outer", indicator=True), LEFT.merge(RIGHT, on="k", how="outer", indicator=True)
    )


def test_cross(left, right):
    check(left[["x"]].merge(right[["y"]], how="cross"), LEFT[["x"]].merge(RIGHT[["y"]], how="cross"))


def test_errors_at_the_call(left, right):
    with pytest.raises(KeyError, match="nope"):
        left.merge(right, on="nope")
    with pytest.raises(ValueError, match="sideways"):
        left.merge(right, on="k", how="sideways")
    with pytest.raises(ValueError, match="common|merge"):
        left[["x"]].merge(right[["y"]])
    with pytest.raises(ValueError, match="left_on|right_on"):
        left.merge(right, left_on="k")
    with pytest.raises(ValueError, match="merge on"):
        left.merge(right, left_on="k", right_on="y")


@pytest.mark.parametrize("how", ["inner", "left", "outer"])
def test_keys_that_are_a_column_and_a_level_of_the_labels_are_refused(how):
    plain = rd.from_pandas(LEFT, npartitions=1)
    named = rd.from_pandas(LEFT.rename_axis(index="k"), npartitions=2, sort=False)
    for left, right, keys in (
        (named, plain, {"on": "k"}),
        (plain, named, {"on": ["x", "k"]}),
        (named, plain, {"left_on": "k", "right_on": "x"}),
        (plain, named, {"left_on": "x", "right_on": "k"}),
    ):
        with pytest.raises(ValueError, match="both an index level and a column label"):
            left.merge(right, how=how, **keys)
