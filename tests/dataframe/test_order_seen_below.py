"""What looks at other rows sees them in their order, wherever in a plan it stands."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import raskt
import raskt.dataframe as rd

ROWS = 4_000
DATA = pd.DataFrame(
    {
        "k": np.random.default_rng(3).permutation(ROWS) % 1_500,
        "x": np.random.default_rng(4).integers(0, 100, ROWS),
        "y": np.random.default_rng(5).random(ROWS).round(3),
    }
)
OTHER = pd.DataFrame({"k": np.random.default_rng(6).permutation(1_500), "z": np.arange(1_500)})

INPUTS = {
    "groups": lambda f, _: f.groupby("k").x.sum().reset_index(),
    "groups unsorted": lambda f, _: f.groupby("k", sort=False).x.sum().reset_index(),
    "join": lambda f, other: f.merge(other, on="k")[["k", "x"]].reset_index(drop=True),
    "two": lambda f, other: f.merge(other, on="k").groupby("k").x.max().reset_index(),
    "sorted": lambda f, _: f.sort_values(["x", "k", "y"])[["k", "x"]].reset_index(drop=True),
    "different": lambda f, _: f.drop_duplicates("k")[["k", "x"]].reset_index(drop=True),
}
CONDITIONS = {
    "cumsum": lambda f: f.x.cumsum() <= 20_000,
    "cummax": lambda f: f.x.cummax() == f.x,
    "shift": lambda f: f.x.shift(1) > f.x,
    "shift up": lambda f: f.x.shift(-3).isna(),
    "diff": lambda f: f.x.diff() > 0,
    "rank": lambda f: f.x.rank(method="first") < 300,
    "number": lambda f: f.index < 20,
}
RESULTS = {
    "sum": lambda f: f.k.sum(),
    "max": lambda f: f.k.max(),
    "length": lambda f: f.k.count(),
    "groups": lambda f: f.groupby("x").k.sum(),
}


@pytest.mark.parametrize(("data", "condition", "result"), list(itertools.product(INPUTS, CONDITIONS, RESULTS)))
def test_filters_by_other_rows_see_them_in_order(data, condition, result):
    def program(frame, other):
        rows = INPUTS[data](frame, other)
        return RESULTS[result](rows[CONDITIONS[condition](rows)])

    expected = program(DATA, OTHER)
    found = program(rd.from_pandas(DATA, npartitions=3), rd.from_pandas(OTHER, npartitions=2)).compute()
    if isinstance(expected, pd.Series):
        pd.testing.assert_series_equal(found, expected)
    else:
        assert found == expected or np.isnan(expected) and np.isnan(found)


def steps(frame, count):
    for at in range(count):
        means = frame.groupby("k").x.sum().reset_index().rename(columns={"x": f"b{at}"})
        frame = frame.merge(means, on="k")
        frame = frame.assign(x=frame.x + frame[f"b{at}"] % 7)
    return frame


OUTPUTS = {
    "rows": lambda f: f.x,
    "sum": lambda f: f.x.sum(),
    "order": lambda f: f.x.cumsum().sum(),
    "other": lambda f: f.b2.sum(),
    "frame": lambda f: f[["y", "b1"]],
    "groups": lambda f: f.groupby("k").b3.max(),
}


@pytest.mark.parametrize(("first", "second"), list(itertools.permutations(OUTPUTS, 2)))
def test_outputs_of_a_large_plan_computed_together_are_those_computed_one_by_one(first, second):
    expected = steps(DATA, 8)
    frame = steps(rd.from_pandas(DATA, npartitions=2), 8)
    found = raskt.compute(OUTPUTS[first](frame), OUTPUTS[second](frame))
    for name, value in zip((first, second), found, strict=True):
        one = OUTPUTS[name](expected)
        if isinstance(one, pd.DataFrame):
            pd.testing.assert_frame_equal(value, one)
        elif isinstance(one, pd.Series):
            pd.testing.assert_series_equal(value, one)
        else:
            assert value == one
