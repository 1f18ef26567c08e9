"""Reductions of columns and frames."""

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

NAMES = ["sum", "mean", "std", "var", "min", "max", "count", "prod", "nunique", "sem"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("column", ["a", "b", "größe", "f"])
def test_series(df, pdf, name, column):
    if name == "prod" and column == "größe":
        df, pdf = df[df["a"] > 3], pdf[pdf["a"] > 3]
    if name in ("std", "var", "sem") and column == "f":
        pytest.skip("pandas refuses the spread of booleans")
    check(getattr(df[column], name)(), getattr(pdf[column], name)())


@pytest.mark.parametrize("name", ["min", "max", "count", "nunique"])
@pytest.mark.parametrize("column", ["s", "t"])
def test_of_strings_and_times(df, pdf, name, column):
    check(getattr(df[column].dropna(), name)(), getattr(pdf[column].dropna(), name)())


def test_mean_of_times(df, pdf):
    check(df["t"].mean(), pdf["t"].mean())


@pytest.mark.parametrize("name", NAMES)
def test_frame(df, pdf, name):
    check(getattr(df[["a", "b"]], name)(), getattr(pdf[["a", "b"]], name)())


@pytest.mark.parametrize("name", ["sum", "mean", "std", "var", "min", "max", "median"])
def test_numeric_only(df, pdf, name):
    check(getattr(df, name)(numeric_only=True), getattr(pdf, name)(numeric_only=True))


def test_count_of_all_columns(df, pdf):
    check(df.count(), pdf.count())
    check(df.nunique(), pdf.nunique())


def test_median_and_quantile(df, pdf):
    check(df["b"].median(), pdf["b"].median())
    check(df["b"].quantile(0.25), pdf["b"].quantile(0.25))
    check(df["b"].quantile([0.1, 0.9]), pdf["b"].quantile([0.1, 0.9]))
    check(df[["a", "b"]].quantile(0.5), pdf[["a", "b"]].quantile(0.5))


def test_ddof_skipna_min_count(df, pdf):
    check(df["b"].std(ddof=0), pdf["b"].std(ddof=0))
    check(df["b"].var(ddof=2), pdf["b"].var(ddof=2))
    check(df["b"].sum(skipna=False), pdf["b"].sum(skipna=False))
    check(df["b"].max(skipna=False), pdf["b"].max(skipna=False))
    check(df["b"].sum(min_count=50), pdf["b"].sum(min_count=50))


def test_any_all(df, pdf):
    check(df["f"].any(), pdf["f"].any())
    check(df["f"].all(), pdf["f"].all())
    check(df["a"].all(), pdf["a"].all())
    check((df["a"] > 99).any(), (pdf["a"] > 99).any())
    check(df[["a", "f"]].any(), pdf[["a", "f"]].any())


def test_rows(df, pdf):
    check(df[["a", "b"]].sum(axis=1), pdf[["a", "b"]].sum(axis=1))
    check(df[["a", "b"]].mean(axis=1), pdf[["a", "b"]].mean(axis=1))
    check(df[["a", "b"]].max(axis="columns"), pdf[["a", "b"]].max(axis="columns"))
    check(df.isna().any(axis=1), pdf.isna().any(axis=1))


@pytest.mark.parametrize("name", ["sum", "mean", "min", "max", "count", "std", "nunique", "prod", "any", "all"])
def test_of_nothing(name):
    pdf = pd.DataFrame({"x": np.array([], "float64"), "i": np.array([], "int64")})
    df = rd.from_pandas(pdf, npartitions=1)
    check(getattr(df["x"], name)(), getattr(pdf["x"], name)())
    check(getattr(df["i"], name)(), getattr(pdf["i"], name)())


def test_sum_of_integers_wraps_as_in_pandas():
    pdf = pd.DataFrame({"x": np.array([2**62, 2**62, 5], "int64")})
    check(rd.from_pandas(pdf, npartitions=2)["x"].sum(), pdf["x"].sum())


def test_value_counts(df, pdf):
    check(df["a"].value_counts(), pdf["a"].value_counts())
    check(df["s"].value_counts(), pdf["s"].value_counts())
    check(df["s"].value_counts(dropna=False), pdf["s"].value_counts(dropna=False))
    check(df["a"].value_counts(normalize=True), pdf["a"].value_counts(normalize=True))
    check(df["a"].value_counts(ascending=True), pdf["a"].value_counts(ascending=True))
    check(df["a"].value_counts(sort=False), pdf["a"].value_counts(sort=False))


def test_unique_and_duplicates(df, pdf):
    check(df["a"].unique(), pd.Series(pdf["a"].unique(), name="a"))
    check(df["a"].drop_duplicates(), pdf["a"].drop_duplicates())
    check(df.drop_duplicates(subset=["a"]), pdf.drop_duplicates(subset=["a"]))
    check(df[["a", "f"]].drop_duplicates(), pdf[["a", "f"]].drop_duplicates())
    check(df.drop_duplicates(subset="a", keep="last"), pdf.drop_duplicates(subset="a", keep="last"))
    check(df["s"].nunique(dropna=False), pdf["s"].nunique(dropna=False))
    check(df[["a"]].drop_duplicates(ignore_index=True), pdf[["a"]].drop_duplicates(ignore_index=True))


def test_largest_and_smallest(df, pdf):
    check(df.nlargest(3, "größe"), pdf.nlargest(3, "größe"))
    check(df.nsmallest(4, ["a", "größe"]), pdf.nsmallest(4, ["a", "größe"]))
    check(df["b"].nlargest(2), pdf["b"].nlargest(2))
    check(df["b"].nsmallest(2), pdf["b"].nsmallest(2))
    check(df["a"].nlargest(5), pdf["a"].nlargest(5))


def test_head_and_tail(df, pdf):
    check(df.head(2), pdf.head(2))
    check(df.head(7, npartitions=-1), pdf.head(7))
    check(df.tail(2), pdf.tail(2))
    check(df["a"].head(3), pdf["a"].head(3))
    check(df.head(2, compute=False), pdf.head(2))
    assert isinstance(df.head(2), pd.DataFrame)


def test_describe(df, pdf):
    check(df.describe(), pdf.describe())
    check(df["b"].describe(), pdf["b"].describe())
    check(df[["a", "b"]].describe(percentiles=[0.1, 0.9]), pdf[["a", "b"]].describe(percentiles=[0.1, 0.9]))


def test_corr_and_cov(df, pdf):
    check(df[["a", "b", "größe"]].corr(), pdf[["a", "b", "größe"]].corr())
    check(df[["a", "b", "größe"]].cov(), pdf[["a", "b", "größe"]].cov())
    check(df["a"].corr(df["größe"]), pdf["a"].corr(pdf["größe"]))
    check(df["a"].cov(df["größe"]), pdf["a"].cov(pdf["größe"]))


def test_idxmax(df, pdf):
    check(df["a"].idxmax(), pdf["a"].idxmax())
    check(df["b"].idxmin(), pdf["b"].idxmin())
    check(df[["a", "b"]].idxmax(), pdf[["a", "b"]].idxmax())


def test_mode_skew_kurt(df, pdf):
    check(df["a"].mode(), pdf["a"].mode())
    check(df["b"].skew(), pdf["b"].skew())
    check(df["b"].kurt(), pdf["b"].kurt())


def test_agg_of_a_series(df, pdf):
    check(df["a"].agg(["sum", "max"]), pdf["a"].agg(["sum", "max"]))
    check(df["a"].agg("sum"), pdf["a"].agg("sum"))


def test_scalars_are_lazy(df, pdf):
    total = df["a"].sum()
    assert isinstance(total, rd.Scalar)
    assert float(total) == float(pdf["a"].sum())
    assert int(total) == int(pdf["a"].sum())
    assert "Scalar" in repr(total)
    with pytest.raises(TypeError, match="compute"):
        bool(total > 3)
