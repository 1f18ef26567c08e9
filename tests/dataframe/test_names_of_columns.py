"""Columns of any name: patterns of the engine, names of the native side in files, names that joins make."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

NAMES = [["*", "a", "^a$"], ["a", "^.*$"], ["^a$", "a"], ["^x", "x$"], ["a*", "?"], ["(a)", "[a]", "\\a"], [" ", "b"]]
METHODS = {
    "all": lambda frame, name: frame,
    "sum": lambda frame, name: frame[name].sum(),
    "filter": lambda frame, name: frame[frame[name] > 1],
    "columns": lambda frame, name: frame[[name]],
    "groupby": lambda frame, name: frame.groupby(name).sum(),
    "sort_values": lambda frame, name: frame.sort_values(name, ascending=False),
    "merge": lambda frame, name: frame.merge(frame, on=name),
    "drop_duplicates": lambda frame, name: frame.drop_duplicates(name),
    "assign": lambda frame, name: frame.assign(**{name: 1}),
    "set_index": lambda frame, name: frame.set_index(name),
    "nunique": lambda frame, name: frame[name].nunique(),
    "value_counts": lambda frame, name: frame[name].value_counts(),
    "cumsum": lambda frame, name: frame.cumsum(),
    "shift": lambda frame, name: frame.shift(),
    "rename": lambda frame, name: frame.rename(columns={name: "other"}),
    "nlargest": lambda frame, name: frame.nlargest(1, name),
    "reset_index": lambda frame, name: frame.set_index(name).reset_index(),
}


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS.keys())
@pytest.mark.parametrize("names", NAMES, ids=str)
def test_names_are_no_patterns(tmp_path, names, method):
    pdf = pd.DataFrame(np.arange(2 * len(names)).reshape(2, -1), columns=names)
    pdf.to_csv(tmp_path / "x.csv", index=False)
    pdf.to_parquet(tmp_path / "x.parquet")
    files = [rd.read_csv(tmp_path / "x.csv"), rd.read_parquet(tmp_path / "x.parquet")]
    for frame in [rd.from_pandas(pdf, npartitions=2), *files]:
        for name in names:
            check(method(frame, name), method(pdf, name))


@pytest.mark.parametrize("name", ["\uf8ffrow_0", "\uf8ffindex_0", "\uf8ffanything"])
def test_names_of_the_native_side_in_files_are_refused(tmp_path, name):
    pdf = pd.DataFrame({name: [1, 2], "a": [3, 4]})
    pdf.to_csv(tmp_path / "x.csv", index=False)
    pdf.to_parquet(tmp_path / "x.parquet")
    with pytest.raises(NotImplementedError, match="name"):
        rd.read_csv(tmp_path / "x.csv")
    with pytest.raises(NotImplementedError, match="name"):
        rd.read_parquet(tmp_path / "x.parquet")


SIDES = {
    "the left's column becomes the key": (["j", "x", "x_x"], ["j", "x"], "j"),
    "the left's column becomes another": (["j", "x", "x_y"], ["j", "x"], "j"),
    "the right's column becomes another": (["j", "x"], ["j", "x", "x_x"], "j"),
    "the right's column becomes its other": (["j", "x"], ["j", "x", "x_y"], "j"),
    "the right's column becomes the key": (["k_y", "k"], ["k_y", "k"], "k_y"),
    "the left's column becomes the key on its side": (["k_x", "k"], ["k_x", "k"], "k_x"),
    "the key is on both sides": (["k", "x"], ["k", "y"], "k"),
}
SUFFIXES = [("_x", "_y"), ("_y", "_x"), (None, "_y"), ("_x", None), ("_l", "_r")]


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer"])
@pytest.mark.parametrize("suffixes", SUFFIXES, ids=str)
@pytest.mark.parametrize("sides", SIDES.values(), ids=SIDES.keys())
def test_joins_lose_no_column_to_a_suffix(sides, suffixes, how):
    names, others, on = sides
    left = pd.DataFrame(np.arange(2 * len(names)).reshape(2, -1), columns=names)
    right = pd.DataFrame(np.arange(2 * len(others)).reshape(2, -1) + 10, columns=others).assign(**{on: left[on]})
    lazy = lambda: rd.from_pandas(left, npartitions=2).merge(
        rd.from_pandas(right, npartitions=1), on=on, how=how, suffixes=suffixes
    )
    try:
        expected = left.merge(right, on=on, how=how, suffixes=suffixes)
    except ValueError as error:  # pandas' MergeError is one
        with pytest.raises(type(error)):
            lazy()
        return
    check(lazy(), expected)
