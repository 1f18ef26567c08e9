"""Every argument of joins and of concat, held against pandas."""

import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

LEFT = pd.DataFrame({"k": [3, 1, 2, 1, 5], "x": [1.0, 2.0, 3.0, 4.0, 5.0], "same": list("abcde")})
RIGHT = pd.DataFrame({"k": [2, 1, 3, 7], "y": [10, 20, 30, 40], "same": list("wxyz")})


def same(call, left=LEFT, right=RIGHT, error=None):
    """Assert that a call of two lazy frames gives what pandas gives, or raises as pandas does."""
    lazy = lambda: (rd.from_pandas(left, npartitions=3, sort=False), rd.from_pandas(right, npartitions=2, sort=False))
    try:
        expected = call(pd, left, right)
    except Exception as error:
        with pytest.raises(type(error)):
            call(rd, *lazy()).compute()
        return
    check(call(rd, *lazy()), expected)


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer"])
@pytest.mark.parametrize("sort", [False, True])
@pytest.mark.parametrize("indicator", [False, True, "side"])
def test_merge(how, sort, indicator):
    same(lambda m, a, b: a.merge(b, how=how, on="k", sort=sort))
    if not indicator:
        return
    expected = LEFT.merge(RIGHT, how=how, on="k", sort=sort, indicator=indicator)
    name = "_merge" if indicator is True else indicator
    found = rd.from_pandas(LEFT, npartitions=2).merge(RIGHT, how=how, on="k", sort=sort, indicator=indicator).compute()
    check(found.astype({name: "str"}), expected.astype({name: "str"}))


@pytest.mark.parametrize(
    "suffixes", [("_l", "_r"), (None, "_r"), ("_l", None), (None, None), ("", ""), ["_l"], {"a", "b"}]
)
@pytest.mark.parametrize("how", ["inner", "cross"])
def test_suffixes(suffixes, how):
    keys = {} if how == "cross" else {"on": "k"}
    same(lambda m, a, b: a.merge(b, how=how, suffixes=suffixes, **keys))


@pytest.mark.parametrize("validate", ["1:1", "1:m", "m:1", "m:m", "one_to_one", "many_to_one", "one_to_many", "2:1"])
@pytest.mark.parametrize("how", ["inner", "outer"])
def test_validate(validate, how):
    same(lambda m, a, b: a.merge(b, how=how, on="k", validate=validate))
    same(lambda m, a, b: b.merge(a, how=how, on="k", validate=validate))
    same(lambda m, a, b: m.merge(b, b, left_on="k", right_on="y", how=how, validate=validate))
    same(lambda m, a, b: a.merge(b, left_index=True, right_index=True, how=how, validate=validate))


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer", "cross", "sideways"])
@pytest.mark.parametrize("sort", [False, True])
def test_join(how, sort):
    same(lambda m, a, b: a.join(b, how=how, lsuffix="_l", rsuffix="_r", sort=sort))
    same(lambda m, a, b: a.join(b, how=how, sort=sort))


def test_join_several():
    same(lambda m, a, b: a.join([b[["y"]], b[["y"]].rename(columns={"y": "z"})]))
    same(lambda m, a, b: a.join([b], on="k"))
    same(lambda m, a, b: a.join([b], lsuffix="_l"))


@pytest.mark.parametrize("join", ["inner", "outer", "left"])
@pytest.mark.parametrize("sort", [False, True])
@pytest.mark.parametrize("ignore_index", [False, True])
def test_concat(join, sort, ignore_index):
    options = {"join": join, "sort": sort, "ignore_index": ignore_index}
    same(lambda m, a, b: m.concat([b, a], **options))
    same(lambda m, a, b: m.concat([a, a, b], **options))
    same(lambda m, a, b: m.concat([a["x"], a["x"]], ignore_index=ignore_index))
    same(lambda m, a, b: m.concat([a["x"], b["y"].astype("float64")], ignore_index=ignore_index))


@pytest.mark.parametrize("names", [None, ["which"], ["which", "row"]])
def test_keys(names):
    same(lambda m, a, b: m.concat([a, a], keys=["p", "q"], names=names))
    same(lambda m, a, b: m.concat({"p": a, "q": b}, names=names))
    same(lambda m, a, b: m.concat([a["x"], a["x"]], keys=[1, 2], names=names))
    same(lambda m, a, b: m.concat([a, a], keys=["p", "q"], ignore_index=True))
    same(lambda m, a, b: m.concat([a, a], keys=["p"]))


def test_keys_of_columns():
    same(lambda m, a, b: m.concat([a[["x"]], a[["x"]]], axis=1, keys=["p", "q"]))
    same(lambda m, a, b: m.concat([a["x"], a["k"]], axis=1, keys=["p", "q"]))
    same(lambda m, a, b: m.concat([a["x"].rename(None), a["k"], a["k"].rename(None)], axis=1))
    same(lambda m, a, b: m.concat([a[["x"]], a[["k"]]], axis=1, ignore_index=True))


def test_integrity():
    same(lambda m, a, b: m.concat([a, a], verify_integrity=True))
    same(lambda m, a, b: m.concat([a, a.rename(index=lambda label: label + 100)], verify_integrity=True))


def test_what_is_concatenated():
    same(lambda m, a, b: m.concat([]))
    same(lambda m, a, b: m.concat([None, None]))
    same(lambda m, a, b: m.concat([a, None]))
    same(lambda m, a, b: m.concat(a))
    same(lambda m, a, b: m.concat([a, b], axis=2))
    same(lambda m, a, b: m.concat([a, a], levels=[["p"]], keys=["p", "p"]))


def test_partitions_of_results():
    left, right = rd.from_pandas(LEFT, npartitions=2), rd.from_pandas(RIGHT, npartitions=1)
    assert left.merge(right, on="k", npartitions=2, shuffle_method="tasks", broadcast=True).npartitions == 2
    with pytest.raises(TypeError, match="nonsense"):
        left.merge(right, nonsense=1)
