"""Which columns of a join may miss values, and that no integer is rounded because of it."""

from __future__ import annotations

import itertools
from typing import Any

import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

LARGE = 2**60 + 1
LEFT = pd.DataFrame({"i": [1, 2, LARGE], "s": ["a", "b", "c"], "b": [True, False, True]})
RIGHT = pd.DataFrame({"s": ["a", "b", "c"], "m": [LARGE, 2, 3]})
FORMS = {
    "on": lambda left, right, how: left.merge(right, on="s", how=how),
    "to labels": lambda left, right, how: left.merge(right.set_index("s"), left_on="s", right_index=True, how=how),
    "from labels": lambda left, right, how: left.set_index("s").merge(right, left_index=True, right_on="s", how=how),
    "labels": lambda left, right, how: left.set_index("s").join(right.set_index("s"), how=how),
    "join on": lambda left, right, how: left.join(right.set_index("s"), on="s", how=how),
    "validated": lambda left, right, how: left.merge(right, on="s", how=how, validate="1:1"),
    "by series": lambda left, right, how: left.merge(right, left_on=left["s"], right_on=right["s"], how=how),
}
USES = {
    "sum": lambda rows, name: rows[name].sum(),
    "one more": lambda rows, name: rows[name] + 1,
    "greatest": lambda rows, name: rows[name].max(),
    "negative": lambda rows, name: -rows[name],
    "groups": lambda rows, name: rows.groupby(name).size().reset_index()[name],
    "counted": lambda rows, name: rows[name].value_counts().reset_index()[name],
    "labels of functions": lambda rows, name: rows.groupby(name).apply(len).reset_index()[name],
    "categories": lambda rows, name: rows[name].astype("category").cat.codes,
    "difference": lambda rows, name: rows[name] - (LARGE - 1),
    "another": lambda rows, name: rows[name].where(rows[name] > 2, LARGE),
    "clipped": lambda rows, name: rows[name].clip(lower=LARGE),
    "moved": lambda rows, name: rows[name].shift(1, fill_value=LARGE),
    "compared": lambda rows, name: (rows[name] == LARGE - 1).astype("int64"),
    "compared with rows": lambda rows, name: (rows["i"] < rows["m"]).astype("int64"),
    "product": lambda rows, name: rows[name] * rows[name],
    "a function": lambda rows, name: rows.map_partitions(lambda part: part)[name] if is_lazy(rows) else rows[name],
    "eval": lambda rows, name: rows.eval(f"e = {name} * 2")["e"],
    "equal": lambda rows, name: rows[rows[name] == LARGE][name],
    "running": lambda rows, name: rows[name].cumsum(),
}


def is_lazy(rows: Any) -> bool:
    return not isinstance(rows, pd.DataFrame)


def lazy(frame: pd.DataFrame, partitions: int) -> Any:
    return rd.from_pandas(frame, npartitions=partitions)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("way", ["left", "right", "outer", "inner"])
@pytest.mark.parametrize("complete", [True, False])
def test_no_integer_is_rounded_without_a_word(form: str, way: str, complete: bool) -> None:
    right = RIGHT if complete else RIGHT[:2]
    joined = FORMS[form](LEFT, right, way)
    for partitions, use, name in itertools.product((2,), USES, ("i", "m")):
        expected = USES[use](joined, name)
        if joined[name].dtype == "float64":
            continue  # what is missing made floats of them in pandas as well
        try:
            found = USES[use](FORMS[form](lazy(LEFT, partitions), lazy(right, partitions), way), name).compute()
        except NotImplementedError:
            continue
        found, expected = (getattr(one, "tolist", lambda one=one: one)() for one in (found, expected))
        whole = lambda values: sorted(map(int, values)) if isinstance(values, list) else int(values)
        assert whole(found) == whole(expected), (use, name)


@pytest.mark.parametrize("way", ["left", "right", "outer", "inner"])
@pytest.mark.parametrize("names", [("u", "d"), ("u", None), (None, "d"), ("u", "u")])
def test_labels_are_named_as_in_pandas(way: str, names: tuple[str | None, str | None]) -> None:
    left = pd.DataFrame({"v": [1, 2, 3]}, index=pd.Index([1, 2, 3], name=names[0]))
    right = pd.DataFrame({"w": [1.0, 2, 3]}, index=pd.Index([2, 3, 4], name=names[1]))
    check(lazy(left, 2).join(lazy(right, 1), how=way), left.join(right, how=way))
    by_labels = {"left_index": True, "right_index": True, "how": way}
    check(lazy(left, 1).merge(lazy(right, 2), **by_labels), left.merge(right, **by_labels))


@pytest.mark.parametrize("way", ["left", "right", "outer", "inner"])
@pytest.mark.parametrize("column", ["key", "k", "key_", "x"])
def test_keys_that_are_series_beside_columns_of_like_names(way: str, column: str) -> None:
    left, right = pd.DataFrame({column: [1, 2, 3]}), pd.DataFrame({"m": [2, 3, 5]})
    merged = lambda a, b: a.merge(b, left_on=a[column], right_on=b["m"], how=way)
    check(merged(lazy(left, 2), lazy(right, 2)), merged(left, right))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("way", "side"), [("left", "i"), ("left", "b"), ("right", "m")])
def test_rows_that_are_all_kept_keep_their_types(form: str, way: str, side: str) -> None:
    if form == "by series":
        pytest.skip("which columns are of which side isn't known where keys are put before them")
    found = FORMS[form](lazy(LEFT, 2), lazy(RIGHT[:2], 1), way)
    expected = FORMS[form](LEFT, RIGHT[:2], way)
    assert found.dtypes[side] == expected.dtypes[side]
    check(found[side].reset_index(drop=True), expected[side].reset_index(drop=True))
