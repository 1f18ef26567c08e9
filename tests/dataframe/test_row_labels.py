"""Row labels of every kind, in partitions of every kind: choosing, ordering, moving, aligning, as pandas does."""

import numpy as np
import pandas as pd
import pytest
from label_cases import KINDS, frame_of, lazily, same

import raskt.dataframe as rd
from frame_comparing import check

CHOOSING = {
    "head": lambda df: df[:3],
    "middle": lambda df: df[2:5],
    "back": lambda df: df[-3:],
    "backwards": lambda df: df.iloc[::-1],
    "step": lambda df: df[1:7:2],
    "iloc": lambda df: df.iloc[3:6],
    "iloc list": lambda df: df.iloc[[5, 0, 0]],
    "iloc marks": lambda df: df.iloc[[True, False] * 4],
    "iloc cells": lambda df: df.iloc[1:4, [0, 2]],
    "iloc beyond": lambda df: df.iloc[[90]],
    "marks": lambda df: df[[True, False] * 4],
    "mask": lambda df: df[df.x > 25],
    "series slice": lambda df: df.y[2:5],
    "series iloc": lambda df: df.y.iloc[-2:],
    "columns": lambda df: df.loc[:, ["y"]],
}

KEYS = {
    "range": [[2, 1], [1, 1, 7], [9], [1, 9], slice(2, 4), slice(5, None), slice(None, 2), slice(9, 1), slice(20, 30)],
    "offset": [[5, 3], [4], slice(4, 8), slice(None, 7)],
    "sorted": [[4, 1], [4, 4], [6], slice(2, 7), slice(3, 6), slice(None, None, 2), slice("a", "b")],
    "unsorted": [[9, 1], [3], slice(1, 12), slice(3, 5), slice(None, 2)],
    "duplicates": [[3, 2], [3, 3], [6], slice(2, 3), slice(0, 9)],
    "scattered": [[3, 1], [9], slice(1, 3), slice(3, 4)],
    "text": [["d", "a"], ["d", "d", "a"], ["z"], slice("b", "d"), slice("bb", None), [1], slice(1, 2)],
    "times": [
        slice("2021-01-31", "2021-02-01"),
        slice("2021-02", None),
        [pd.Timestamp("2021-01-31")],
        [pd.Timestamp("2031-01-31")],
        slice(pd.Timestamp("2021-01-30 06:00"), "2021-01-31"),
        slice("x", None),
    ],
    "zoned": [slice("2021-03-28", None), slice(pd.Timestamp("2021-03-28", tz="Europe/Berlin"), None)],
    "floats": [[1.5], [0.5, 9.0], [4.0], slice(0.5, 3.0)],
    "levels": [["b"], ["b", "z"], slice("b", "c"), [("c", 1), ("a", 2)], [("c", 9)], (slice(None), 2), (["a", "c"], 1)],
    "unsorted levels": [["b", "a"], [("d", 4)], slice("a", "b")],
}

#: Keys of one label, whose rows come as a frame here.
LABELS = {
    "range": [3, 9, "x"],
    "sorted": [4, 6],
    "duplicates": [3, 6],
    "scattered": [3],
    "text": ["c", "z", 3],
    "times": ["2021-01-31", "2021-02", "2022", pd.Timestamp("2021-01-30"), "2021-01-30 12:00"],
    "zoned": ["2021-03-28"],
    "levels": [("b", 2), ("b", 7)],
}

MOVING = {
    "reset": lambda df: df.reset_index(),
    "reset drop": lambda df: df.reset_index(drop=True),
    "reset names": lambda df: df.reset_index(names=["n"] if df.index.nlevels == 1 else ["n", "m"]),
    "reset one": lambda df: df.reset_index(level=0),
    "reset last": lambda df: df.reset_index(level=-1, drop=True),
    "reset unknown": lambda df: df.reset_index(level="nowhere"),
    "series reset": lambda df: df.x.reset_index(),
    "append": lambda df: df.set_index("x", append=True),
    "set and reset": lambda df: df.set_index(["s", "x"], append=True).reset_index(["x"]),
    "sort": lambda df: df.sort_index(kind="stable"),
    "sort down": lambda df: df.sort_index(ascending=False, kind="stable"),
    "sort ignoring": lambda df: df.sort_index(ignore_index=True, kind="stable"),
    "sort first": lambda df: df.sort_index(na_position="first", kind="stable"),
    "sort level": lambda df: df.sort_index(level=0, kind="stable"),
    "sort last level": lambda df: df.sort_index(level=-1, sort_remaining=False, kind="stable"),
    "sort levels": lambda df: df.sort_index(level=[0], ascending=[False], kind="stable"),
    "index": lambda df: df.index,
    "level values": lambda df: df.index.get_level_values(0),
    "droplevel": lambda df: df.droplevel(0),
    "swaplevel": lambda df: df.swaplevel(),
    "rename axis": lambda df: df.rename_axis(["one"] if df.index.nlevels == 1 else ["one", "two"]),
    "group level": lambda df: df.groupby(level=0)[["x", "y"]].sum(),
    "group key and level": lambda df: df.groupby([df.s, "x"])[["y"]].sum(),
    "group two": lambda df: df.groupby(["s", "x"]).agg({"y": ["sum", "mean"]}),
    "group then filter": lambda df: df.groupby(["s", "x"])[["y"]].sum().query("y > 5"),
    "concat self": lambda df: pandas_or_raskt(df).concat([df, df]),
    "concat keys": lambda df: pandas_or_raskt(df).concat([df, df], keys=["one", "two"], names=["part"]),
    "concat beside": lambda df: pandas_or_raskt(df).concat([df.x, df.y.rename("z")], axis=1),
    "concat ignoring": lambda df: pandas_or_raskt(df).concat([df, df], ignore_index=True),
    "join self": lambda df: df[["x"]].join(df[["y"]]),
    "shift": lambda df: df.x.shift(1),
}


def pandas_or_raskt(rows):
    """The module that a frame belongs to."""
    return pd if isinstance(rows, pd.DataFrame) else rd


@pytest.mark.parametrize("cut", ["one", "with empty ones"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CHOOSING)
def test_choosing_by_position(kind, cut, name):
    rows = frame_of(kind)
    same(CHOOSING[name], [lazily(rows, cut)], [rows])


@pytest.mark.parametrize("cut", ["one", "seven"])
@pytest.mark.parametrize(("kind", "key"), [(kind, key) for kind, keys in KEYS.items() for key in keys])
def test_choosing_by_label(kind, cut, key):
    rows = frame_of(kind)
    whole = isinstance(key, tuple)
    same(lambda df: df.loc[key, :] if whole else df.loc[key], [lazily(rows, cut)], [rows])
    same(lambda df: df.x.loc[key], [lazily(rows, cut)], [rows])


@pytest.mark.parametrize("kind", ["range", "sorted", "duplicates", "text", "times", "zoned"])
@pytest.mark.parametrize("npartitions", [1, 2, 7])
def test_choosing_by_label_where_divisions_are_known(kind, npartitions):
    rows = frame_of(kind)
    lazy = rd.from_pandas(rows, npartitions=npartitions)
    for key in KEYS[kind]:
        same(lambda df, key=key: df.loc[key], [lazy], [rows])


@pytest.mark.parametrize("cut", ["one", "seven"])
@pytest.mark.parametrize(("kind", "label"), [(kind, label) for kind, labels in LABELS.items() for label in labels])
def test_rows_of_one_label(kind, cut, label):
    def rows_of(df):
        found = df.loc[label]
        if isinstance(df, pd.DataFrame) and isinstance(found, pd.Series):
            return df.loc[[pd.Timestamp(label)] if kind == "times" else [label]]
        return found

    rows = frame_of(kind)
    same(rows_of, [lazily(rows, cut)], [rows])


@pytest.mark.parametrize("cut", ["two", "with empty ones"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", MOVING)
def test_moving_labels(kind, cut, name):
    rows = frame_of(kind)
    same(MOVING[name], [lazily(rows, cut)], [rows])


BOTH = {
    "add series": lambda a, b: a.x + b.x,
    "multiply floats": lambda a, b: a.y * b.y,
    "add frames": lambda a, b: a[["x", "y"]] + b[["x", "y"]],
    "other columns": lambda a, b: a[["x"]] + b[["x", "y"]],
    "method fill": lambda a, b: a.x.add(b.x, fill_value=0),
    "frame method fill": lambda a, b: a[["x", "y"]].sub(b[["x", "y"]], fill_value=1),
    "rows of a frame": lambda a, b: a[["x", "y"]].mul(b.y, axis=0),
    "compare": lambda a, b: a.x < b.x,
    "assign": lambda a, b: a.assign(z=b.y),
    "mask": lambda a, b: a[["x"]].where(b[["x"]] > 20),
    "series where": lambda a, b: a.y.where(b.y > 5, b.y),
    "fillna": lambda a, b: a.y.where(a.y > 5).fillna(b.y),
    "combine first": lambda a, b: a.y.where(a.y > 5).combine_first(b.y),
    "concat": lambda a, b: pandas_or_raskt(a).concat([a, b]),
    "concat inner": lambda a, b: pandas_or_raskt(a).concat([a[["x", "s"]], b[["s", "y"]]], join="inner"),
    "join": lambda a, b: a[["x"]].join(b[["y"]]),
    "join outer": lambda a, b: a[["x"]].join(b[["y"]], how="outer"),
    "merge index": lambda a, b: a[["x"]].merge(b[["y"]], left_index=True, right_index=True),
    "isin": lambda a, b: a.x.isin(b.x),
    "less the mean": lambda a, b: a.x - b.y.mean(),
}


def parts_of(kind):
    """Two frames with labels of a kind, some of them in both."""
    one, other = frame_of(kind), frame_of(kind, 5)
    return one.iloc[:6], other.iloc[[7, 3, 2, 5]]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("equal", [True, False], ids=["equal labels", "other labels"])
def test_frames_of_other_rows(kind, name, equal):
    one, other = (frame_of(kind), frame_of(kind, 5)) if equal else parts_of(kind)
    lazy = [rd.from_pandas(rows, npartitions=2, sort=False) for rows in (one, other)]
    # Where labels are filled up, integers are floats here, as they are in pandas unless all labels are equal.
    same(BOTH[name], lazy, [one, other], check_dtype=not (equal and "fill" in name))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "name", ["add series", "add frames", "assign", "compare", "series where", "concat", "join", "isin"]
)
def test_pandas_objects_beside_lazy_ones(kind, name):
    one, other = parts_of(kind)
    same(BOTH[name], [rd.from_pandas(one, npartitions=3, sort=False), other], [one, other])


def test_arrays_and_lists_meet_rows_by_position():
    rows = frame_of("text")
    lazy = lazily(rows, "seven")
    weights = np.arange(8)
    same(lambda df: df.x * weights, [lazy], [rows])
    same(lambda df: weights - df.x, [lazy], [rows])
    same(lambda df: df.x + list(range(8)), [lazy], [rows])
    same(lambda df: df.assign(w=weights), [lazy], [rows])
    same(lambda df: df.assign(w=[1, 2]), [lazy], [rows])
    same(lambda df: df[["x", "y"]] + pd.Series([1, 2], index=["x", "y"]), [lazy], [rows])


def test_map_by_a_series():
    rows = frame_of("text")
    table = pd.Series([1.5, 2.5], index=["p", "q"])
    same(lambda df: df.s.map(table), [lazily(rows, "two")], [rows])


def test_rows_assigned_from_elsewhere_mix_with_the_frame():
    one, other = parts_of("sorted")
    lazy = lazily(one, "two")
    lazy["z"] = rd.from_pandas(other.y, npartitions=2)
    expected = one.assign(z=other.y)
    same(lambda df: df[df.z > 0].z + df.x, [lazy], [expected])


def test_an_index_plus_a_number_is_an_index():
    rows = frame_of("sorted")
    lazy = lazily(rows, "two")
    same(lambda df: df.index + 1, [lazy], [rows])
    same(lambda df: df.index.map(lambda label: label * 2), [lazy], [rows])
    assert isinstance((lazy.index + 1), rd.Index)


@pytest.mark.parametrize("labels", [[0, 1, 2], [0.0, 1.0, 2.0], ["a", "b", "c"]], ids=str)
@pytest.mark.parametrize("gone", [True, False, [False], [True, 5], np.bool_(True)], ids=str)
def test_truth_values_are_no_numbers_among_labels(labels, gone):
    frame = pd.DataFrame({"x": [1, 2, 3]}, index=labels)
    check(
        rd.from_pandas(frame, npartitions=2).drop(index=gone, errors="ignore"), frame.drop(index=gone, errors="ignore")
    )
