"""Functions that group-by is given instead of names, and what depends on how pandas groups."""

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

TABLE = pd.DataFrame(
    {
        "k": [2, 1, 2, 1, 3, 2, 3, 1],
        "f": [1.5, np.nan, 2.0, 4.0, 0.5, 7.0, np.nan, 8.0],
        "i": [5, 3, 2, 8, 1, 1, 4, 7],
        "t": pd.to_datetime(["2021-03-01", "2021-01-05", None, "2021-01-02", "2021-02-03", "2021-03-04"] + [None] * 2),
        "g": ["x", None, "y", "x", "z", "x", "y", None],
    }
)
FUNCTIONS = [sum, min, max, any, all, len, np.sum, np.mean, np.std, np.var, np.median, np.prod, np.min, np.max, np.any,
    np.all, np.size, np.nansum, np.ptp, np.nanstd]  # fmt: skip
FORMS = {
    "one": lambda grouped, func: grouped["f"].agg(func),
    "frame": lambda grouped, func: grouped[["f", "i"]].agg(func),
    "list": lambda grouped, func: grouped["f"].agg(["count", func]),
    "dict": lambda grouped, func: grouped.agg({"f": func, "i": "sum"}),
    "nested": lambda grouped, func: grouped.agg({"f": [func, "last"], "i": ["max"]}),
    "named": lambda grouped, func: grouped.agg(a=("f", func), b=("i", func)),
    "pairs": lambda grouped, func: grouped["f"].agg([("a", func), ("b", "sum")]),
    "transform": lambda grouped, func: grouped["f"].transform(func),
}


@pytest.fixture(params=[1, 3])
def lazy(request):
    return rd.from_pandas(TABLE, npartitions=request.param)


@pytest.mark.parametrize("func", FUNCTIONS, ids=lambda func: f"{func.__module__}.{func.__name__}")
@pytest.mark.parametrize("form", FORMS)
def test_functions_are_what_pandas_makes_of_them(lazy, form, func):
    check(FORMS[form](lazy.groupby("k"), func), FORMS[form](TABLE.groupby("k"), func))


MORE = {
    "two lambdas": lambda x: x.groupby("k").agg({"f": [lambda q: q.max(), lambda q: q.min()]}),
    "two lambdas of a series": lambda x: x.groupby("k")["i"].agg([lambda q: q.max(), "sum", lambda q: q.min()]),
    "pairs of a frame": lambda x: x.groupby("k")[["f", "i"]].agg([("low", "min"), ("high", "max")]),
    "pairs in a dictionary": lambda x: x.groupby("k").agg({"f": [("low", "min"), ("own", lambda q: len(q))]}),
    "size of rows": lambda x: x.groupby("k").transform("size"),
    "size of rows by label": lambda x: x.groupby(level=0).transform("size"),
    "shift by nothing": lambda x: x.groupby("g")["i"].shift(0),
    "diff by nothing": lambda x: x.groupby("g")[["f"]].diff(0),
}


@pytest.mark.parametrize("name", MORE)
def test_forms(lazy, name):
    check(MORE[name](lazy), MORE[name](TABLE))


ROWS = {
    "cumsum": lambda grouped: grouped["i"].cumsum(),
    "cumcount": lambda grouped: grouped.cumcount(),
    "ngroup": lambda grouped: grouped.ngroup(),
    "rank": lambda grouped: grouped["f"].rank(),
    "ffill": lambda grouped: grouped["f"].ffill(),
    "transform": lambda grouped: grouped["i"].transform("sum"),
    "transform by a function": lambda grouped: grouped["i"].transform(lambda q: q.max()),
    "shift": lambda grouped: grouped["i"].shift(1),
    "diff": lambda grouped: grouped["i"].diff(),
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("others", [[], ["k"]])
def test_groups_of_times_put_rows_in_order(lazy, name, others):
    grouper = pd.Grouper(key="t", freq="MS")
    by = [grouper, *others] if others else grouper
    expected = ROWS[name](TABLE.groupby(by))
    check(ROWS[name](lazy.groupby(by)), expected)
    check(lazy.assign(new=ROWS[name](lazy.groupby(by))), TABLE.assign(new=expected))
