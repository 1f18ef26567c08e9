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
    "groups": lambda rows, name: rows.groupby(name).size(),
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


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("way", "side"), [("left", "i"), ("left", "b"), ("right", "m")])
def test_rows_that_are_all_kept_keep_their_types(form: str, way: str, side: str) -> None:
    if form == "by series":
        pytest.skip("which columns are of which side isn't known where keys are put before them")
    found = FORMS[form](lazy(LEFT, 2), lazy(RIGHT[:2], 1), way)
    expected = FORMS[form](LEFT, RIGHT[:2], way)
    assert found.dtypes[side] == expected.dtypes[side]
    check(found[side].reset_index(drop=True), expected[side].reset_index(drop=True))
