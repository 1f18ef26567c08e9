"""Every argument of group-bys, held against pandas."""

import numpy as np
import pandas as pd
import pytest
from argument_cases import PARTITIONS, lazy, refused, rows, same

FLAGS = {"numeric_only": [False, True], "skipna": [True, False]}
#: Methods of group-bys, and the values of their arguments.
FRAME = {
    "sum": {**FLAGS, "min_count": [0, 1, 4]},
    "prod": {**FLAGS, "min_count": [0, 1, 4]},
    "min": {**FLAGS, "min_count": [-1, 1, 4]},
    "max": {**FLAGS, "min_count": [-1, 1, 4]},
    "first": {**FLAGS, "min_count": [-1, 1, 4]},
    "last": {**FLAGS, "min_count": [-1, 1, 4]},
    "mean": FLAGS,
    "median": FLAGS,
    "std": {**FLAGS, "ddof": [0, 1, 2]},
    "var": {**FLAGS, "ddof": [0, 1, 2]},
    "sem": {**FLAGS, "ddof": [0, 1, 2]},
    "skew": FLAGS,
    "kurt": FLAGS,
    "any": {"skipna": [True, False]},
    "all": {"skipna": [True, False]},
    "nunique": {"dropna": [True, False]},
    "count": {},
    "size": {},
    "idxmax": FLAGS,
    "idxmin": FLAGS,
    "cumsum": FLAGS,
    "cumprod": FLAGS,
    "cummin": FLAGS,
    "cummax": FLAGS,
    "cumcount": {"ascending": [True, False]},
    "ngroup": {"ascending": [True, False]},
    "shift": {"periods": [1, -1, 2], "fill_value": [0]},
    "diff": {"periods": [1, -1, 3]},
    "pct_change": {"periods": [1, 2]},
    "rank": {
        "method": ["average", "min", "max", "first", "dense"],
        "ascending": [True, False],
        "na_option": ["keep", "top", "bottom"],
        "pct": [False, True],
    },
    "ffill": {"limit": [None, 1]},
    "bfill": {"limit": [None, 1]},
    "head": {"n": [1, 2, -1]},
    "tail": {"n": [1, 2, -1]},
    "quantile": {
        "q": [0.25, 0.5],
        "interpolation": ["linear", "lower", "higher", "midpoint", "nearest"],
        "numeric_only": [False, True],
    },
    "describe": {"percentiles": [None, [0.1, 0.9]]},
    "ohlc": {},
}
#: Arguments that pandas gives to the methods of grouped frames alone.
FRAME_ONLY = {"idxmax": ["numeric_only"], "idxmin": ["numeric_only"]}


def one_by_one(table):
    """Each value of each argument, the others left out; and the method without arguments."""
    for method, arguments in table.items():
        yield method, {}
        for name, values in arguments.items():
            for value in values:
                yield method, {name: value}


def names(case):
    """How a case is called."""
    method, options = case
    return method + "".join(f"-{name}={value}" for name, value in options.items())


CASES = list(one_by_one(FRAME))


@pytest.mark.parametrize("at", range(len(CASES)), ids=lambda at: names(CASES[at]))
@pytest.mark.parametrize("column", ["i", "x", "b", "s", "t"])
def test_series(at, column):
    method, options = CASES[at]
    npartitions = PARTITIONS[at % 3]
    if column == "t" and "fill_value" in options:
        pytest.skip("objects of which some are missing")
    if options.get("min_count") == 4 and column in "ib":
        pytest.skip("whether values are missing, so that there are no whole numbers, only computing can tell")
    options = {name: value for name, value in options.items() if name not in FRAME_ONLY.get(method, [])}
    same(lambda df: getattr(df.groupby("k")[column], method)(**options), rows(), npartitions)


@pytest.mark.parametrize("at", range(len(CASES)), ids=lambda at: names(CASES[at]))
def test_frame(at):
    method, options = CASES[at]
    npartitions = PARTITIONS[(at + 1) % 3]
    same(lambda df: getattr(df.groupby("g")[["i", "x"]], method)(**options), rows(), npartitions)


@pytest.mark.parametrize("npartitions", [1, 7])
@pytest.mark.parametrize(
    "method", ["sum", "mean", "min", "count", "size", "nunique", "first", "cumsum", "shift", "std"]
)
@pytest.mark.parametrize("dropna", [True, False])
@pytest.mark.parametrize("sort", [True, False])
@pytest.mark.parametrize("as_index", [True, False])
@pytest.mark.parametrize("group_keys", [True, False])
def test_how_groups_are_made(method, dropna, sort, as_index, group_keys, npartitions):
    options = {"dropna": dropna, "sort": sort, "as_index": as_index, "group_keys": group_keys}
    same(lambda df: getattr(df.groupby("g", **options)[["i", "x"]], method)(), rows(), npartitions)


@pytest.mark.parametrize("method", ["sum", "mean", "min", "count", "size", "first"])
@pytest.mark.parametrize("observed", [True, False])
@pytest.mark.parametrize("sort", [True, False])
def test_categories(method, observed, sort, request):
    if not observed:
        request.applymarker(pytest.mark.xfail(reason="labels of unknown categories", strict=False))
    data = rows().assign(c=lambda d: pd.Categorical(d["g"], categories=["d", "c", "b", "a"]))
    same(lambda df: getattr(df.groupby("c", observed=observed, sort=sort)[["i", "x"]], method)(), data, 2)


@pytest.mark.parametrize("npartitions", PARTITIONS)
@pytest.mark.parametrize(
    "by",
    [
        lambda df: {"level": 0},
        lambda df: {"level": "label"},
        lambda df: {"by": "label"},
        lambda df: {"by": lambda label: label % 2},
        lambda df: {"by": {1: "odd", 3: "odd", 4: "even"}},
        lambda df: {"by": df["k"] % 2},
        lambda df: {"by": pd.Series(["p", "q"] * 7, index=pd.RangeIndex(14, name="label"))},
        lambda df: {"by": pd.Grouper(key="t", freq="3D")},
    ],
    ids=["level", "level name", "index name", "function", "dict", "series", "pandas series", "grouper"],
)
def test_keys(by, npartitions):
    data = rows().rename_axis("label")
    same(lambda df: df.groupby(**by(df))["i"].sum(), data, npartitions)
    same(lambda df: df.groupby(**by(df))[["i", "x"]].mean(), data, npartitions)
    same(lambda df: df["i"].groupby(**by(df)).max() if "t" not in str(by(df)) else df["i"].sum(), data, npartitions)


def test_several_keys_of_which_one_is_a_function():
    same(lambda df: df.groupby(["k", lambda label: label % 2], as_index=False)["i"].sum(), rows(), 2)


@pytest.mark.parametrize("npartitions", PARTITIONS)
@pytest.mark.parametrize(
    "call",
    [
        lambda g: g.agg("sum", min_count=5),
        lambda g: g.agg("quantile", q=0.1),
        lambda g: g.agg("std", ddof=0),
        lambda g: g.agg("size"),
        lambda g: g.agg(lambda v, by: v.max() * by, by=2),
        lambda g: g.agg(lambda v, by: v.max() * by, 2),
        lambda g: g.agg(["sum", "mean"]),
        lambda g: g.agg(["min", lambda v: v.iloc[0]]),
    ],
    ids=range(8),
)
def test_agg(call, npartitions):
    same(lambda df: call(df.groupby("k")[["i", "x"]]), rows(), npartitions)
    same(lambda df: call(df.groupby("k")["x"]), rows(), npartitions)


def test_named_aggregations():
    same(lambda df: df.groupby("k").agg(low=("x", "min"), rows=("s", "size")), rows(), 3)
    same(lambda df: df.groupby("k")["x"].agg(low="min", high="max"), rows(), 3)
    same(lambda df: df.groupby("k", as_index=False).agg(low=("x", "min"), spread=("i", lambda v: v.max())), rows(), 3)


@pytest.mark.parametrize("npartitions", PARTITIONS)
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("sort", [False, True])
@pytest.mark.parametrize("ascending", [False, True])
@pytest.mark.parametrize("dropna", [False, True])
def test_value_counts(normalize, sort, ascending, dropna, npartitions):
    options = {"normalize": normalize, "sort": sort, "ascending": ascending, "dropna": dropna}
    same(lambda df: df.groupby("k")["s"].value_counts(**options), rows(), npartitions)


@pytest.mark.parametrize("npartitions", PARTITIONS)
@pytest.mark.parametrize("keep", ["first", "last", "all"])
@pytest.mark.parametrize("method", ["nlargest", "nsmallest"])
def test_extremes(method, keep, npartitions):
    same(lambda df: getattr(df.groupby("k")["i"], method)(2, keep=keep), rows(), npartitions)


@pytest.mark.parametrize("npartitions", PARTITIONS)
def test_shift_by_a_frequency_and_several_periods(npartitions):
    data = rows().set_index(pd.date_range("2020", periods=14))
    same(lambda df: df.groupby("k")["i"].shift(1, freq="D"), data, npartitions)
    same(lambda df: df.groupby("k")[["i", "x"]].shift([1, 2]), data, npartitions)
    same(lambda df: df.groupby("k")[["i", "x"]].shift([1, 2], suffix="_was"), data, npartitions)


@pytest.mark.parametrize("npartitions", PARTITIONS)
def test_transform_filter_nth(npartitions):
    same(lambda df: df.groupby("k")["x"].transform("mean"), rows(), npartitions)
    same(lambda df: df.groupby("k")["x"].transform("cumsum"), rows(), npartitions)
    same(lambda df: df.groupby("g", dropna=False)["x"].transform("sum"), rows(), npartitions)
    same(lambda df: df.groupby("k")["i"].transform(lambda v, by: v - by, 2), rows(), npartitions)
    same(lambda df: df.groupby("k").filter(lambda v: v["i"].sum() > 0), rows(), npartitions)
    same(lambda df: df.groupby("k").nth(1), rows(), npartitions)
    same(lambda df: df.groupby("k")["x"].nth([0, 2]), rows(), npartitions)
    same(lambda df: df.groupby("k")["x"].unique(), rows(), npartitions)


def test_a_group():
    same(lambda df: df.groupby("k").get_group(1), rows(), 2)
    same(lambda df: df.groupby("k").get_group(9), rows(), 2)
    same(lambda df: df.groupby(["k"]).get_group((1,)), rows(), 2)
    same(lambda df: df.groupby("k")["x"].get_group(2), rows(), 2)
    same(lambda df: df.groupby(["k", "b"]).get_group((1, True)), rows(), 2)


@pytest.mark.parametrize("npartitions", PARTITIONS)
@pytest.mark.parametrize("method", ["corr", "cov"])
def test_pairs(method, npartitions):
    same(lambda df: getattr(df.groupby("k")["i"], method)(df["y"]), rows(), npartitions)


def test_names_of_series():
    data = rows()["i"].rename(None)
    same(lambda s: s.groupby(s % 2).sum(), data, 2)
    same(lambda s: s.groupby(s % 2).size(), data, 2)
    same(lambda s: s.groupby(s % 2).cumsum(), data, 2)
    same(lambda s: s.groupby(s % 2).rank(pct=True), data, 2)


@pytest.mark.parametrize("window", [{"window": 2}, {"window": 3, "min_periods": 1}, {"window": 3, "center": True}])
@pytest.mark.parametrize("method", ["sum", "mean", "count", "std"])
def test_rolling_needs_several_levels(window, method):
    same(lambda df: getattr(df.groupby("k")["x"].rolling(**window), method)(), rows(), 2)


def test_expanding_and_exponential():
    same(lambda df: df.groupby("k")["x"].expanding(2).max(), rows(), 2)
    same(lambda df: df.groupby("k")["x"].ewm(alpha=0.5).mean(), rows(), 2)


def test_partitions_of_results():
    grouped = lazy(rows(), 4).groupby("k")
    assert grouped["i"].sum(split_out=2).npartitions == 2
    assert grouped["i"].sum(split_every=4, shuffle_method="tasks").npartitions == 1
    with pytest.raises(ValueError, match="split_every"):
        grouped["i"].sum(split_every=1)


def test_refusals():
    refused(lambda df: df.groupby("k")["x"].sum(engine="numba"), rows(), "leave both out")
    refused(lambda df: df.groupby(np.arange(14))["x"].sum(), rows(), "labels")
    with pytest.raises(TypeError, match="nonsense"):
        lazy(rows(), 2).groupby("k")["x"].sum(nonsense=1)
    with pytest.raises(TypeError, match="as_index"):
        lazy(rows(), 2)["x"].groupby(lazy(rows(), 2)["k"], as_index=False)
