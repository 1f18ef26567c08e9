"""Every argument of elementwise and running methods and of reductions, held against pandas."""

import numpy as np
import pandas as pd
import pytest
from argument_cases import PARTITIONS, lazy, refused, rows, same

ALL = pytest.mark.parametrize("npartitions", [1, 7])
FLAGS = [{}, {"skipna": False}, {"numeric_only": True}, {"skipna": False, "numeric_only": True}]
#: Reductions, and options beside `skipna` and `numeric_only`.
REDUCTIONS = {
    "sum": [{"min_count": 5}, {"min_count": 20}],
    "prod": [{"min_count": 5}, {"min_count": 20}],
    "mean": [],
    "median": [],
    "min": [],
    "max": [],
    "std": [{"ddof": 0}, {"ddof": 2}],
    "var": [{"ddof": 0}, {"ddof": 2}],
    "sem": [{"ddof": 0}],
    "skew": [],
    "kurt": [],
    "idxmax": [],
    "idxmin": [],
}
CASES = [(name, options) for name, more in REDUCTIONS.items() for options in [*FLAGS, *more]]
NUMBERS = ["k", "i", "x", "y"]


@pytest.mark.parametrize("at", range(len(CASES)), ids=lambda at: f"{CASES[at][0]}-{CASES[at][1]}")
@pytest.mark.parametrize("axis", [0, 1, None, "rows", 2])
def test_reductions_of_frames(at, axis):
    method, options = CASES[at]
    same(lambda df: getattr(df[NUMBERS], method)(axis=axis, **options), rows(), PARTITIONS[at % 3])


@pytest.mark.parametrize("at", range(len(CASES)), ids=lambda at: f"{CASES[at][0]}-{CASES[at][1]}")
@pytest.mark.parametrize("column", ["i", "x", "b", "s", "t"])
def test_reductions_of_series(at, column):
    method, options = CASES[at]
    if column == "s" and options.get("min_count"):
        pytest.skip("whether a text or a missing value comes, only computing can tell")
    same(lambda df: getattr(df[column], method)(**options), rows(), PARTITIONS[at % 3])


@pytest.mark.parametrize("method", ["sum", "min", "max", "count", "nunique", "any", "all", "mean"])
def test_frames_of_all_kinds(method):
    same(lambda df: getattr(df[["i", "x", "b"]], method)(), rows(), 3)
    same(lambda df: getattr(df[["i", "t"]], method)(), rows(), 3)


@ALL
@pytest.mark.parametrize("method", ["any", "all"])
@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("bool_only", [False, True])
@pytest.mark.parametrize("skipna", [False, True])
def test_truth(method, axis, bool_only, skipna, npartitions):
    options = {"axis": axis, "bool_only": bool_only, "skipna": skipna}
    same(lambda df: getattr(df[["i", "x", "b"]], method)(**options), rows(), npartitions)


@ALL
@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("numeric_only", [False, True])
def test_count(axis, numeric_only, npartitions):
    same(lambda df: df.count(axis=axis, numeric_only=numeric_only), rows(), npartitions)


@ALL
@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest", "nonsense"])
@pytest.mark.parametrize("q", [0.3, [0.1, 0.8], 1.5], ids=str)
def test_quantile(q, interpolation, npartitions):
    same(lambda df: df[NUMBERS].quantile(q, interpolation=interpolation), rows(), npartitions)
    same(lambda df: df["x"].quantile(q, interpolation=interpolation), rows(), npartitions)


def test_more_quantiles():
    same(lambda df: df.quantile(0.5, numeric_only=True), rows()[["k", "x", "s"]], 3)
    same(lambda df: df[["i", "y"]].quantile(0.5, axis=1), rows(), 3)
    same(lambda df: df[["i", "k"]].quantile(0.5, interpolation="nearest", method="table"), rows(), 3)


@ALL
@pytest.mark.parametrize("dropna", [True, False])
def test_nunique_and_mode(dropna, npartitions):
    same(lambda df: df.nunique(dropna=dropna), rows(), npartitions)
    same(lambda df: df[NUMBERS].nunique(axis=1, dropna=dropna), rows(), npartitions)
    same(lambda df: df["x"].nunique(dropna=dropna), rows(), npartitions)
    same(lambda df: df["s"].mode(dropna=dropna), rows(), npartitions)
    same(lambda df: df[["x"]].mode(dropna=dropna), rows(), npartitions)
    same(lambda df: df[["x", "s"]].mode(numeric_only=True, dropna=dropna), rows(), npartitions)


@ALL
@pytest.mark.parametrize(
    "options",
    [{}, {"percentiles": [0.1]}, {"include": "all"}, {"include": ["number"]}, {"exclude": ["number"]}],
    ids=str,
)
def test_describe(options, npartitions):
    same(lambda df: df[["i", "x"]].describe(**options), rows(), npartitions)
    same(lambda df: df[["i", "x", "t"]].describe(**options), rows(), npartitions)
    same(lambda df: df[["s"]].describe(**options), rows(), npartitions)
    same(lambda df: df["t"].describe(**options), rows(), npartitions)


@ALL
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("sort", [False, True])
@pytest.mark.parametrize("ascending", [False, True])
@pytest.mark.parametrize("dropna", [False, True])
def test_value_counts(normalize, sort, ascending, dropna, npartitions):
    options = {"normalize": normalize, "sort": sort, "ascending": ascending, "dropna": dropna}
    data = pd.DataFrame({"v": ["b", "a", "b", None, "c", "b", "a", None, None, None, "b"]})
    same(lambda df: df["v"].value_counts(**options), data, npartitions)
    same(lambda df: df["v"].astype(pd.CategoricalDtype(list("dcba"))).value_counts(**options), data, npartitions)


@ALL
@pytest.mark.parametrize("method", ["cumsum", "cumprod", "cummin", "cummax"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("skipna", [False, True])
def test_cumulative(method, axis, skipna, npartitions):
    same(lambda df: getattr(df[NUMBERS], method)(axis=axis, skipna=skipna), rows(), npartitions)
    same(lambda df: getattr(df["x"], method)(skipna=skipna), rows(), npartitions)
    same(lambda df: getattr(df[["x", "s"]], method)(numeric_only=True), rows(), npartitions)


SHIFTS = [
    {"periods": 2},
    {"periods": -1},
    {"fill_value": 0},
    {"fill_value": 1.5},
    {"axis": 1},
    {"periods": [1, 2]},
    {"periods": [1, 2], "suffix": "_was"},
    {"freq": "D"},
]


@ALL
@pytest.mark.parametrize("options", SHIFTS, ids=str)
def test_shift(options, npartitions):
    data = rows().set_index(pd.date_range("2020", periods=14))
    same(lambda df: df[["i", "x"]].shift(**options), data, npartitions)
    for column in "ixbst":
        same(lambda df, column=column: df[column].shift(**options), data, npartitions)


@ALL
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("periods", [1, -2])
def test_diff(axis, periods, npartitions):
    same(lambda df: df[NUMBERS].diff(periods, axis=axis), rows(), npartitions)
    same(lambda df: df["b"].diff(periods), rows(), npartitions)
    same(lambda df: df["t"].diff(periods), rows(), npartitions)
    same(lambda df: df["x"].pct_change(periods), rows(), npartitions)


@ALL
@pytest.mark.parametrize("method", ["average", "min", "max", "first", "dense"])
@pytest.mark.parametrize("ascending", [False, True])
def test_rank(method, ascending, npartitions):
    options = {"method": method, "ascending": ascending}
    same(lambda df: df[NUMBERS].rank(**options), rows(), npartitions)
    same(lambda df: df[NUMBERS].rank(axis=1, **options), rows(), npartitions)
    same(lambda df: df["x"].rank(na_option="top", **options), rows(), npartitions)
    same(lambda df: df["x"].rank(pct=True, **options), rows(), npartitions)
    same(lambda df: df[["x", "s"]].rank(numeric_only=True, **options), rows(), npartitions)


@ALL
@pytest.mark.parametrize("method", ["ffill", "bfill"])
def test_fill(method, npartitions):
    for options in [{}, {"limit": 1}, {"axis": 1}, {"limit_area": "inside"}, {"axis": 2}, {"axis": 1, "limit": 1}]:
        same(lambda df, options=options: getattr(df[NUMBERS], method)(**options), rows(), npartitions)
    same(lambda df: getattr(df["s"], method)(limit=1), rows(), npartitions)


@ALL
def test_interpolate(npartitions):
    same(lambda df: df[NUMBERS].interpolate(), rows(), npartitions)
    same(lambda df: df["x"].interpolate("nearest"), rows(), npartitions)
    same(lambda df: df["x"].interpolate(limit=1, limit_direction="both"), rows(), npartitions)
    same(lambda df: df["x"].interpolate("polynomial", order=2), rows(), npartitions)


@ALL
def test_fillna(npartitions):
    same(lambda df: df.fillna({"x": 1.5, "s": "none", "nope": 3}), rows(), npartitions)
    same(lambda df: df[NUMBERS].fillna(pd.Series({"x": 1.5})), rows(), npartitions)
    same(lambda df: df[NUMBERS].fillna(9.0, limit=1), rows(), npartitions)
    same(lambda df: df["x"].fillna(9.0, limit=2), rows(), npartitions)
    same(lambda df: df["x"].fillna(df["y"]), rows(), npartitions)
    same(lambda df: df["x"].fillna({1: 5.0}), rows(), npartitions)
    same(lambda df: df["x"].fillna(None), rows(), npartitions)
    same(lambda df: df[NUMBERS].fillna(df[NUMBERS].max()), rows(), npartitions)


@ALL
def test_isin(npartitions):
    same(lambda df: df[NUMBERS].isin([1, 2]), rows(), npartitions)
    same(lambda df: df[["i", "s"]].isin({"i": [1], "s": ["u"]}), rows(), npartitions)
    same(lambda df: df[["i", "k"]].isin(pd.Series([1, 2, 0], index=[0, 1, 2])), rows(), npartitions)
    same(lambda df: df[["i", "k"]].isin(pd.DataFrame({"i": [-2, 0]})), rows(), npartitions)
    same(lambda df: df["i"].isin(pd.Series([1, 2], index=[7, 8])), rows(), npartitions)
    same(lambda df: df["i"].isin("abc"), rows(), npartitions)
    same(lambda df: df["s"].isin({"u", None}), rows(), npartitions)


@ALL
def test_clip(npartitions):
    same(lambda df: df[NUMBERS].clip(0, 1), rows(), npartitions)
    same(lambda df: df["x"].clip(upper=0.5), rows(), npartitions)
    same(lambda df: df["x"].clip(df["i"], df["k"]), rows(), npartitions)
    same(lambda df: df[["x", "y"]].clip(lower=df["i"], axis=0), rows(), npartitions)
    same(lambda df: df[["x", "y"]].clip(lower=pd.Series({"x": 0.0, "y": 2.0}), axis=1), rows(), npartitions)
    same(lambda df: df["x"].clip(pd.Series(np.arange(14) / 10)), rows(), npartitions)
    refused(lambda df: df["x"].clip([1] * 14), rows(), "labels")


@ALL
@pytest.mark.parametrize("method", ["where", "mask"])
def test_where(method, npartitions):
    same(lambda df: getattr(df["x"], method)(df["x"] > 0), rows(), npartitions)
    same(lambda df: getattr(df["x"], method)(df["x"] > 0, df["y"]), rows(), npartitions)
    same(lambda df: getattr(df["i"], method)(lambda c: c > 0, lambda c: -c), rows(), npartitions)
    same(lambda df: getattr(df[NUMBERS], method)(df[NUMBERS] > 0, 0), rows(), npartitions)
    same(lambda df: getattr(df[["x", "y"]], method)(df["i"] > 0, axis=0), rows(), npartitions)
    same(lambda df: getattr(df[["x", "y"]], method)(df[["x", "y"]] > 0, df["i"], axis=0), rows(), npartitions)
    same(lambda df: getattr(df["x"], method)(pd.Series([True, False] * 7)), rows(), npartitions)
    same(lambda df: getattr(df["x"], method)([True, False] * 7), rows(), npartitions)


@ALL
def test_replace(npartitions):
    calls = [
        lambda df: df["s"].replace("u", "U"),
        lambda df: df["s"].replace(["u", "v"], "U"),
        lambda df: df["s"].replace(["u", "v"], ["U", "V"]),
        lambda df: df["s"].replace(["u", "v"], ["U"]),
        lambda df: df["s"].replace({"u": "U"}),
        lambda df: df["s"].replace("^u+", "U", regex=True),
        lambda df: df["s"].replace(regex="^u+", value="U"),
        lambda df: df["s"].replace(regex={"^u+": "U", "v": "V"}),
        lambda df: df["x"].replace(np.nan, 0.0),
        lambda df: df["i"].replace(1),
        lambda df: df.replace({"i": 1}, 100),
        lambda df: df.replace({"i": {1: 100}, "s": {"u": "U"}}),
        lambda df: df[["i", "k"]].replace({1: 100}),
        lambda df: df[["i", "k"]].replace([0, 1], [1, 0]),
    ]
    for call in calls:
        same(call, rows(), npartitions)


@ALL
def test_round_and_types(npartitions):
    same(lambda df: df.round({"x": 1, "nope": 2}), rows(), npartitions)
    same(lambda df: df[NUMBERS].round(1), rows(), npartitions)
    same(lambda df: df.astype({"i": "float32"}), rows(), npartitions)
    same(lambda df: df.astype({"nope": "float32"}), rows(), npartitions)
    same(lambda df: df["i"].astype("int8", errors="nonsense"), rows(), npartitions)
    refused(lambda df: df["i"].astype("int8", errors="ignore"), rows(), "only computing")


@ALL
def test_map_and_apply(npartitions):
    calls = [
        lambda df: df["i"].map({1: 10, 2: 20}),
        lambda df: df["i"].map(pd.Series({1: 10.0, 2: 20.0})),
        lambda df: df["s"].map(lambda v: v + "!", na_action="ignore"),
        lambda df: df["s"].map(str.upper, na_action="skip"),
        lambda df: df["i"].map(lambda v, by: v * by, by=3),
        lambda df: df["i"].apply(lambda v, by: v * by, args=(3,)),
        lambda df: df["i"].apply(lambda v, by=1: v * by, by=3),
        lambda df: df["i"].apply(lambda v: v - v.max(), by_row=False),
        lambda df: df[["i", "k"]].map(lambda v: v + 1),
        lambda df: df[["i", "k"]].apply(lambda row: row["i"] + row["k"], axis=1),
        lambda df: df[["i", "k"]].apply(lambda row: row.sum(), axis=1, raw=True),
        lambda df: df[["i", "k"]].apply(lambda row: [row["i"], 1], axis=1, result_type="expand"),
        lambda df: df[["i", "k"]].apply(lambda row, by: row["i"] * by, axis=1, args=(2,)),
        lambda df: df[["i", "k"]].apply(lambda column: column - column.max()),
        lambda df: df[["i", "k"]].apply(lambda column: column.max()),
        lambda df: df[["i", "k"]].apply(lambda row: 1, axis=2),
    ]
    for call in calls:
        same(call, rows(), npartitions)
    refused(lambda df: df[["i"]].apply(lambda row: 1, axis=1, engine="numba"), rows(), "leave both out")


@ALL
@pytest.mark.parametrize(
    "function",
    [np.sum, np.mean, np.max, np.min, np.prod, np.std, np.var, np.cumsum, np.any, np.all],
    ids=lambda function: function.__name__,
)
def test_functions_of_numpy(function, npartitions):
    same(lambda df: function(df[["i", "k"]]), rows(), npartitions)
    same(lambda df: function(df["i"]), rows(), npartitions)
    if function is not np.cumsum:
        same(lambda df: function(df[["i", "k"]], axis=0), rows(), npartitions)
        same(lambda df: function(df[["i", "k"]], axis=1), rows(), npartitions)


@ALL
def test_more_functions_of_numpy(npartitions):
    same(lambda df: np.exp(df["x"]), rows(), npartitions)
    same(lambda df: np.exp(df[["x", "y"]]), rows(), npartitions)
    same(lambda df: np.maximum(df["i"], 1), rows(), npartitions)
    same(lambda df: np.hypot(df["x"], df["y"]), rows(), npartitions)
    same(lambda df: np.add.reduce(df[["x", "y"]]), rows(), npartitions)
    same(lambda df: np.maximum.reduce(df["i"]), rows(), npartitions)
    same(lambda df: np.round(df["x"], 1), rows(), npartitions)
    same(lambda df: np.clip(df["x"], 0, 1), rows(), npartitions)
    df = lazy(rows(), npartitions)
    assert np.percentile(df["i"], 50) == np.percentile(rows()["i"], 50)
    refused(lambda df: np.sum(df["i"], dtype="float32"), rows(), "call its method")


@ALL
@pytest.mark.parametrize("call", [{"window": 3}, {"window": 3, "min_periods": 1}, {"window": 3, "center": True},
                                  {"window": 3, "closed": "left"}, {"window": 3, "step": 2}, {"window": 0},
                                  {"window": 3, "win_type": "triang"}], ids=str)  # fmt: skip
@pytest.mark.parametrize("method", ["sum", "std", "count", "quantile", "rank", "first"])
def test_rolling(call, method, npartitions):
    arguments = (0.3,) if method == "quantile" else ()
    same(lambda df: getattr(df["x"].rolling(**call), method)(*arguments), rows(), npartitions)


def test_more_windows():
    timed = rows().set_index(pd.date_range("2020", periods=14))
    calls = [
        lambda df: df["x"].rolling("3D").sum(),
        lambda df: df[["i", "x"]].rolling(3).agg(["sum", "max"]),
        lambda df: df["x"].rolling(3).agg("sum"),
        lambda df: df["x"].rolling(3).cov(df["y"]),
        lambda df: df["x"].rolling(3).corr(df["y"]),
        lambda df: df["x"].rolling(3).var(ddof=0),
        lambda df: df["x"].rolling(3, min_periods=1).apply(np.nanmax, raw=True),
        lambda df: df[["x", "s"]].rolling(3).mean(numeric_only=True),
        lambda df: df[["x", "s"]].rolling(3).mean(),
        lambda df: df["x"].rolling(3, min_periods=1).quantile(0.4, interpolation="lower"),
        lambda df: df["x"].expanding(2).std(ddof=0),
        lambda df: df[["i", "x"]].expanding().max(),
        lambda df: df["x"].ewm(span=3, adjust=False).mean(),
        lambda df: df["x"].ewm(alpha=0.5, ignore_na=True).std(bias=True),
        lambda df: df["x"].rolling(3, win_type="gaussian").mean(std=2),
    ]
    for call in calls:
        same(call, timed, 3)
    refused(lambda df: df["x"].rolling(3).sum(engine="numba"), rows(), "leave both out")


@ALL
@pytest.mark.parametrize(
    "options", [{}, {"closed": "right"}, {"label": "right"}, {"origin": "epoch"}, {"offset": "12h"}], ids=str
)
@pytest.mark.parametrize("method", ["sum", "mean", "count", "size", "first", "ohlc"])
def test_resample(options, method, npartitions):
    data = rows().set_index(pd.date_range("2020", periods=14, freq="9h"))
    same(lambda df: getattr(df["x"].resample("1D", **options), method)(), data, npartitions)


def test_more_resampling():
    data = rows().set_index(pd.date_range("2020", periods=14, freq="9h"))
    calls = [
        lambda df: df["i"].resample("1D").sum(min_count=3),
        lambda df: df["x"].resample("1D").first(skipna=False),
        lambda df: df[["x", "s"]].resample("1D").mean(numeric_only=True),
        lambda df: df["x"].resample("1D").std(ddof=0),
        lambda df: df["x"].resample("6h").ffill(limit=1),
        lambda df: df["x"].resample("6h").asfreq(fill_value=0.0),
        lambda df: df["x"].resample("6h").interpolate(),
        lambda df: df["x"].resample("1D").quantile(0.3),
        lambda df: df["x"].resample("1D").agg(["min", "max"]),
        lambda df: df.resample("2D", on="t")["i"].sum(),
    ]
    for call in calls:
        same(call, data, 3)


def test_in_place():
    for call in [
        lambda c: c.fillna(0.0, inplace=True),
        lambda c: c.ffill(inplace=True),
        lambda c: c.replace(0.5, 9.0, inplace=True),
        lambda c: c.clip(0, 1, inplace=True),
        lambda c: c.interpolate(inplace=True),
    ]:
        column, expected = lazy(rows(), 2)["x"], rows()["x"]
        assert call(column) is column
        call(expected)
        pd.testing.assert_series_equal(column.compute(), expected)
