"""Every argument of what chooses, orders and labels rows, held against pandas."""

import numpy as np
import pandas as pd
import pytest
from argument_cases import lazy, refused, rows, same

ALL = pytest.mark.parametrize("npartitions", [1, 7])

DROPNA = [
    {},
    {"how": "any"},
    {"how": "all"},
    {"how": "none"},
    {"how": None},
    {"thresh": 6},
    {"thresh": None},
    {"how": "any", "thresh": 3},
    {"subset": ["x"]},
    {"subset": "x"},
    {"subset": ["x", "s"], "how": "all"},
    {"subset": ["x", "s"], "thresh": 1},
    {"subset": ["nope"]},
    {"ignore_index": True},
]
DUPLICATES = [
    {"subset": subset, "keep": keep, "ignore_index": ignore}
    for subset in [None, "k", ["k", "b"], ("k", "b"), ["nope"]]
    for keep in ["first", "last", False, "none"]
    for ignore in [False, True]
]
ORDERS = [
    {"by": by, "ascending": up, "na_position": place, "ignore_index": ignore, "kind": "stable"}
    for by, up in [
        ("x", True),
        ("x", False),
        (["k", "x"], [True, False]),
        (["k"], [False]),
        (["k", "i"], [True]),
        ("nope", True),
        ("label", True),
        (["k", "label"], [True, False]),
    ]
    for place in ["first", "last", "middle"]
    for ignore in [False, True]
]


@ALL
@pytest.mark.parametrize("options", DROPNA, ids=str)
def test_dropna(options, npartitions):
    same(lambda df: df.dropna(**options), rows(), npartitions)


def test_dropna_of_columns_is_refused():
    refused(lambda df: df.dropna(axis=1), rows(), "only computing")


@ALL
@pytest.mark.parametrize("options", [{}, {"ignore_index": True}, {"axis": 1}, {"how": "any"}], ids=str)
def test_dropna_of_a_series(options, npartitions):
    same(lambda df: df["x"].dropna(**options), rows(), npartitions)


@pytest.mark.parametrize("options", DUPLICATES, ids=str)
def test_drop_duplicates(options):
    data = rows().assign(k=lambda d: d["k"] // 2)
    same(lambda df: df.drop_duplicates(**options), data, 3)
    same(lambda df: df[["k", "b"]].drop_duplicates(**options), data, 7)


@ALL
@pytest.mark.parametrize("keep", ["first", "last", False, "none"])
def test_duplicates_of_a_series(keep, npartitions):
    same(lambda df: df["s"].drop_duplicates(keep=keep), rows(), npartitions)
    same(lambda df: df["s"].drop_duplicates(keep=keep, ignore_index=True), rows(), npartitions)
    same(lambda df: df["s"].duplicated(keep=keep), rows(), npartitions)
    same(lambda df: df[["k", "b"]].duplicated(keep=keep), rows(), npartitions)


@ALL
@pytest.mark.parametrize("method", ["nlargest", "nsmallest"])
@pytest.mark.parametrize("keep", ["first", "last", "all", "some"])
@pytest.mark.parametrize("columns", ["i", ["i", "x"], "t", "s", "b"], ids=str)
def test_extremes(method, keep, columns, npartitions):
    same(lambda df: getattr(df, method)(3, columns, keep=keep), rows(), npartitions)
    if isinstance(columns, str):
        same(lambda df: getattr(df[columns], method)(3, keep=keep), rows(), npartitions)


@pytest.mark.parametrize("options", ORDERS, ids=str)
def test_sort_values(options):
    data = rows().set_axis(pd.Index((np.arange(14) * 3) % 14, name="label"))
    same(lambda df: df.sort_values(**options), data, 3)


@ALL
def test_sort_by_a_key(npartitions):
    same(lambda df: df.sort_values("i", key=abs, kind="stable"), rows(), npartitions)
    same(lambda df: df.sort_values(["k", "i"], key=lambda c: -c), rows(), npartitions)
    same(lambda df: df["i"].sort_values(key=abs, kind="stable"), rows(), npartitions)
    same(lambda df: df.sort_index(key=lambda labels: -labels), rows(), npartitions)
    same(lambda df: df["i"].sort_index(key=lambda labels: -labels), rows(), npartitions)


def test_sort_by_another_function_and_into_partitions():
    df = lazy(rows(), 3)
    ordered = df.sort_values("i", npartitions=2, sort_function=lambda d, by, ascending, na_position: d.sort_values(by))
    assert ordered.npartitions == 2
    assert ordered["i"].compute().is_monotonic_increasing
    refused(lambda df: df.sort_values(0, axis=1), rows(), "columns")
    with pytest.raises(ValueError, match="kind"):
        df.sort_values("i", kind="bubble")


@pytest.mark.parametrize("up", [True, False, [True]])
@pytest.mark.parametrize("place", ["first", "last", "middle"])
@pytest.mark.parametrize("ignore", [True, False])
def test_sort_series(up, place, ignore):
    options = {"ascending": up, "na_position": place, "ignore_index": ignore, "kind": "stable"}
    same(lambda df: df["x"].sort_values(**options), rows(), 3)
    data = rows().set_axis([5, 3, 1, 0, 2, 4, 9, 8, 7, 6, 13, 12, 11, 10])
    same(lambda df: df["x"].sort_index(**options), data, 3)
    same(lambda df: df.sort_index(**options), data, 3)


@ALL
def test_sort_columns_and_levels(npartitions):
    same(lambda df: df.sort_index(axis=1), rows(), npartitions)
    same(lambda df: df.sort_index(axis=1, ascending=False), rows(), npartitions)
    data = rows().set_index(["k", "i"])
    same(lambda df: df.sort_index(kind="stable"), data, npartitions)
    same(lambda df: df.sort_index(level="i", sort_remaining=False, kind="stable"), data, npartitions)
    same(lambda df: df.sort_index(ascending=[False, True], kind="stable"), data, npartitions)


@ALL
def test_drop(npartitions):
    same(lambda df: df.drop([1, 3]), rows(), npartitions)
    same(lambda df: df.drop(index=[1, 99]), rows(), npartitions)
    same(lambda df: df.drop(index=[1, 99], errors="ignore"), rows(), npartitions)
    same(lambda df: df.drop(columns="nope", errors="ignore"), rows(), npartitions)
    same(lambda df: df.drop(["k", "nope"], axis=1), rows(), npartitions)
    same(lambda df: df.drop(index=2, columns=["k"]), rows(), npartitions)
    same(lambda df: df.drop(2, columns=["k"]), rows(), npartitions)
    same(lambda df: df.drop(), rows(), npartitions)
    same(lambda df: df["x"].drop([1, 3]), rows(), npartitions)
    same(lambda df: df["x"].drop([1, 99]), rows(), npartitions)


@ALL
def test_rename(npartitions):
    same(lambda df: df.rename(columns={"k": "K", "nope": "N"}), rows(), npartitions)
    same(lambda df: df.rename(columns={"k": "K", "nope": "N"}, errors="raise"), rows(), npartitions)
    same(lambda df: df.rename(str.upper, axis=1), rows(), npartitions)
    same(lambda df: df.rename({1: 100}), rows(), npartitions)
    same(lambda df: df.rename(index={1: 100, 99: 5}, errors="raise"), rows(), npartitions)
    same(lambda df: df.rename(index=lambda label: label * 2, columns={"k": "K"}), rows(), npartitions)
    same(lambda df: df.rename(), rows(), npartitions)
    same(lambda df: df["x"].rename("y"), rows(), npartitions)
    same(lambda df: df["x"].rename({1: 100}), rows(), npartitions)
    same(lambda df: df["x"].rename(lambda label: label * 2), rows(), npartitions)


@ALL
def test_names_of_the_index(npartitions):
    data = rows().rename_axis("label")
    same(lambda df: df.rename_axis("other"), data, npartitions)
    same(lambda df: df.rename_axis(index="other"), data, npartitions)
    same(lambda df: df.rename_axis(index={"label": "other"}), data, npartitions)
    same(lambda df: df.rename_axis(str.upper), data, npartitions)
    same(lambda df: df.rename_axis(None), data, npartitions)
    same(lambda df: df["x"].rename_axis("other"), data, npartitions)
    refused(lambda df: df.rename_axis(columns="other"), data, "labels of columns")


@ALL
def test_reset_index(npartitions):
    data = rows().set_index(["k", "i"])
    same(lambda df: df.reset_index(), data, npartitions)
    same(lambda df: df.reset_index("k"), data, npartitions)
    same(lambda df: df.reset_index(level=0, drop=True), data, npartitions)
    same(lambda df: df.reset_index(names=["p", "q"]), data, npartitions)
    same(lambda df: df["x"].reset_index(), data, npartitions)
    same(lambda df: df["x"].reset_index(name="value"), data, npartitions)
    same(lambda df: df["x"].reset_index(drop=True), data, npartitions)


@ALL
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_prefixes(axis, npartitions):
    data = rows().set_axis(list("abcdefghijklmn"))
    same(lambda df: df.add_prefix("p_", axis=axis), data, npartitions)
    same(lambda df: df.add_suffix("_s", axis=axis), data, npartitions)


IN_PLACE = {
    "dropna": lambda d: d.dropna(inplace=True),
    "drop_duplicates": lambda d: d.drop_duplicates("k", inplace=True),
    "sort_values": lambda d: d.sort_values("i", kind="stable", inplace=True),
    "sort_index": lambda d: d.sort_index(ascending=False, inplace=True),
    "drop": lambda d: d.drop(columns="k", inplace=True),
    "rename": lambda d: d.rename(columns={"k": "K"}, inplace=True),
    "rename_axis": lambda d: d.rename_axis("label", inplace=True),
    "reset_index": lambda d: d.reset_index(inplace=True),
    "query": lambda d: d.query("i > 0", inplace=True),
    "eval": lambda d: d.eval("z = i + k", inplace=True),
}


@pytest.mark.filterwarnings("ignore::Warning")
@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place(name):
    data = rows()
    df = lazy(data, 3)
    kept = df.copy()
    assert IN_PLACE[name](df) is None
    pd.testing.assert_frame_equal(kept.compute(), data)
    assert IN_PLACE[name](data) is None
    pd.testing.assert_frame_equal(df.compute(), data)


def test_in_place_is_a_flag():
    with pytest.raises(ValueError, match="inplace"):
        lazy(rows(), 1).dropna(inplace=1)


@ALL
@pytest.mark.parametrize("ignore", [True, False])
def test_melt(ignore, npartitions):
    data = rows()[["k", "i", "x"]]
    same(lambda df: df.melt(ignore_index=ignore), data, npartitions)
    same(lambda df: df.melt(id_vars="k", ignore_index=ignore), data, npartitions)
    same(lambda df: df.melt("k", ["x"], "name", "number", ignore_index=ignore), data, npartitions)


@ALL
@pytest.mark.parametrize("ignore", [True, False])
def test_explode(ignore, npartitions):
    data = pd.DataFrame({"k": [1, 2, 3], "v": [[1, 2], [], [3]]})
    same(lambda df: df.explode("v", ignore_index=ignore), data, npartitions)


def test_query():
    same(lambda df: df.query("i > @limit", local_dict={"limit": 0}), rows(), 2)
    same(lambda df: df.query("i > 0", engine="python"), rows(), 2)
    same(lambda df: df.query("i > 0 & k == 1", parser="python"), rows(), 2)
    same(lambda df: df.query("nope > 0"), rows(), 2)
