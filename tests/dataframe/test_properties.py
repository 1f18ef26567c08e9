"""Random programs over random frames agree with pandas, however the frame is partitioned."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import raskt.dataframe as rd
from frame_comparing import check

INTEGERS = st.integers(-5, 5)
FLOATS = st.one_of(st.none(), st.integers(-40, 40).map(lambda value: value / 8))
WORDS = st.one_of(st.none(), st.sampled_from(["", "a", "b", "ab", "é", "Z"]))
TIMES = st.one_of(st.none(), st.integers(0, 3).map(lambda day: pd.Timestamp("2020-01-01") + pd.Timedelta(days=day)))


@st.composite
def frames(draw, least=0):
    rows = draw(st.integers(least, 12))
    column = lambda values: draw(st.lists(values, min_size=rows, max_size=rows))
    return pd.DataFrame(
        {
            "i": np.array(column(INTEGERS), "int64"),
            "j": np.array(column(INTEGERS), "int64"),
            "x": np.array(column(FLOATS), "float64"),
            "s": pd.Series(column(WORDS), dtype="str"),
            "t": pd.Series(column(TIMES), dtype="datetime64[us]"),
        }
    )


PARTITIONS = st.integers(1, 4)
KEYS = st.lists(st.sampled_from(["i", "s", "t", "j"]), min_size=1, max_size=2, unique=True)
AGGREGATIONS = st.sampled_from(
    ["sum", "mean", "min", "max", "count", "std", "var", "first", "last", "nunique", "median"]
)
few = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


@few
@given(frames(), PARTITIONS, KEYS, AGGREGATIONS, st.booleans(), st.booleans())
def test_groupby(pdf, npartitions, keys, name, dropna, as_list):
    by = keys if as_list or len(keys) > 1 else keys[0]
    actual = getattr(rd.from_pandas(pdf, npartitions=npartitions).groupby(by, dropna=dropna)["x"], name)()
    check(actual, getattr(pdf.groupby(by, dropna=dropna)["x"], name)())


@few
@given(frames(least=1), frames(least=1), PARTITIONS, KEYS, st.sampled_from(["inner", "left", "right", "outer"]))
def test_merge(left, right, npartitions, keys, how):
    if how == "outer" and "t" in keys:  # pandas puts NaT before all times there, and other missing keys last
        left, right = left.dropna(subset=["t"]), right.dropna(subset=["t"])
    assume(len(left) and len(right))
    right = right[[*keys, "x"]]
    actual = rd.from_pandas(left, npartitions=npartitions).merge(rd.from_pandas(right, npartitions=2), on=keys, how=how)
    check(actual, left.merge(right, on=keys, how=how))


@few
@given(frames(), PARTITIONS, KEYS, st.booleans(), st.sampled_from(["first", "last"]))
def test_sort(pdf, npartitions, keys, ascending, na_position):
    options = {"ascending": ascending, "na_position": na_position}
    actual = rd.from_pandas(pdf, npartitions=npartitions).sort_values(keys, **options)
    check(actual, pdf.sort_values(keys, kind="stable", **options))


PREDICATES = st.sampled_from(
    [
        lambda d: d["i"] > 0,
        lambda d: d["x"] <= 1.0,
        lambda d: d["s"] == "a",
        lambda d: d["x"].isna() | (d["i"] == d["j"]),
        lambda d: ~(d["s"] != "b"),
        lambda d: d["t"] > pd.Timestamp("2020-01-01"),
        lambda d: d["i"] + d["x"] > d["j"],
        lambda d: d["s"].isin(["a", "é"]),
        lambda d: d["s"].str.contains("b", na=False),
    ]
)
STEPS = st.sampled_from(
    [
        lambda d: d.assign(y=d["x"] * 2 - d["i"]),
        lambda d: d.assign(i=d["i"] % 3),
        lambda d: d.fillna({"x": 0.0}),
        lambda d: d.dropna(subset=["s"]),
        lambda d: d.drop_duplicates(subset=["i"]),
        lambda d: d.rename(columns={"j": "k"}).rename(columns={"k": "j"}),
        lambda d: d.reset_index(drop=True),
        lambda d: d.assign(s=d["s"].str.upper()),
        lambda d: d.assign(j=d["j"].cumsum()),
        lambda d: d.assign(x=d["x"].shift(1)),
        lambda d: d.map_partitions(lambda part: part) if hasattr(d, "map_partitions") else d,
    ]
)


@few
@given(frames(), PARTITIONS, st.lists(st.one_of(STEPS, PREDICATES.map(lambda p: lambda d: d[p(d)])), max_size=5))
def test_programs(pdf, npartitions, steps):
    lazy, expected = rd.from_pandas(pdf, npartitions=npartitions), pdf
    for step in steps:
        lazy, expected = step(lazy), step(expected)
    check(lazy, expected)
    check(lazy["x"].sum(), expected["x"].sum())
    check(lazy["s"].nunique(), expected["s"].nunique())
    check(lazy["i"].max(), expected["i"].max())


@few
@given(frames(), PARTITIONS, PARTITIONS)
def test_partitions_do_not_show(pdf, first, second):
    summed = [
        rd.from_pandas(pdf, npartitions=npartitions).groupby("i").agg(a=("x", "mean"), b=("j", "sum")).compute()
        for npartitions in (first, second)
    ]
    check(summed[0], summed[1])


@few
@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=8), PARTITIONS)
@pytest.mark.filterwarnings("ignore")
def test_reductions_of_any_floats(values, npartitions):
    pdf = pd.DataFrame({"x": np.array(values, "float64")})
    df = rd.from_pandas(pdf, npartitions=npartitions)
    for name in ("count", "min", "max", "nunique", "any", "all"):
        check(getattr(df["x"], name)(), getattr(pdf["x"], name)())
