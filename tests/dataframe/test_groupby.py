"""Group-by."""

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

NAMES = ["sum", "mean", "min", "max", "count", "std", "var", "median", "first", "last", "nunique", "prod", "size"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("by", ["a", "s", "t", "f", ["a", "f"], ["s", "a"]], ids=str)
def test_one_column(df, pdf, name, by):
    check(getattr(df.groupby(by)["b"], name)(), getattr(pdf.groupby(by)["b"], name)())


@pytest.mark.parametrize(
    "name", ["sum", "mean", "min", "max", "count", "std", "var", "median", "first", "last", "nunique", "size"]
)
def test_several_columns(df, pdf, name):
    check(getattr(df.groupby("a")[["b", "größe"]], name)(), getattr(pdf.groupby("a")[["b", "größe"]], name)())


@pytest.mark.parametrize("name", ["min", "max", "first", "last", "count", "nunique"])
def test_strings_and_times(df, pdf, name):
    check(getattr(df.groupby("a")["t"], name)(), getattr(pdf.groupby("a")["t"], name)())
    check(getattr(df.groupby("a")["s"], name)(), getattr(pdf.groupby("a")["s"], name)())


def test_all_columns(df, pdf):
    check(df.groupby("a").count(), pdf.groupby("a").count())
    check(df.groupby("a").first(), pdf.groupby("a").first())
    check(df.groupby("a").sum(numeric_only=True), pdf.groupby("a").sum(numeric_only=True))
    check(df.groupby("a").mean(numeric_only=True), pdf.groupby("a").mean(numeric_only=True))


@pytest.mark.parametrize(
    "spec",
    [
        "sum",
        ["sum", "mean"],
        {"b": "mean", "größe": "max"},
        {"b": ["mean", "std"], "größe": "max"},
        {"b": ["count", "size", "nunique", "first"]},
    ],
    ids=str,
)
def test_agg(df, pdf, spec):
    chosen = ["b", "größe"]
    check(df.groupby("a")[chosen].agg(spec), pdf.groupby("a")[chosen].agg(spec))


def test_agg_by_name(df, pdf):
    named = {"total": ("b", "sum"), "most": ("größe", "max"), "rows": ("s", "count"), "all": ("s", "size")}
    check(df.groupby("a").agg(**named), pdf.groupby("a").agg(**named))
    check(df.groupby(["a", "f"]).agg(**named), pdf.groupby(["a", "f"]).agg(**named))
    check(df.groupby("a")["b"].agg(low="min", high="max"), pdf.groupby("a")["b"].agg(low="min", high="max"))
    check(df.groupby("a")["b"].agg(["sum", "mean"]), pdf.groupby("a")["b"].agg(["sum", "mean"]))


def test_named_agg(df, pdf):
    named = {"x": pd.NamedAgg(column="b", aggfunc="sum"), "y": pd.NamedAgg("größe", "max")}
    check(df.groupby("a").agg(**named), pdf.groupby("a").agg(**named))


def test_agg_of_the_column_itself(df, pdf):
    check(df.groupby("a")["a"].count(), pdf.groupby("a")["a"].count())
    check(df.groupby("a").agg({"a": "count"}), pdf.groupby("a").agg({"a": "count"}))


def test_agg_with_a_function(df, pdf):
    def spread(values):
        return values.max() - values.min()

    check(df.groupby("a")["größe"].agg(spread), pdf.groupby("a")["größe"].agg(spread))
    check(df.groupby("a").agg({"größe": spread, "b": "sum"}), pdf.groupby("a").agg({"größe": spread, "b": "sum"}))


def test_options(df, pdf):
    check(df.groupby("s", dropna=False)["a"].sum(), pdf.groupby("s", dropna=False)["a"].sum())
    check(df.groupby("s", sort=False)["a"].sum(), pdf.groupby("s", sort=False)["a"].sum())
    check(df.groupby("a", as_index=False)["b"].sum(), pdf.groupby("a", as_index=False)["b"].sum())
    check(
        df.groupby(["a", "f"], as_index=False).agg(x=("b", "sum")),
        pdf.groupby(["a", "f"], as_index=False).agg(x=("b", "sum")),
    )
    check(df.groupby("a")["b"].std(ddof=0), pdf.groupby("a")["b"].std(ddof=0))
    check(df.groupby("a")["b"].sum(min_count=3), pdf.groupby("a")["b"].sum(min_count=3))


def test_by_a_series(df, pdf):
    check(df.groupby(df["a"] % 2)["b"].sum(), pdf.groupby(pdf["a"] % 2)["b"].sum())
    check(df.groupby(df["t"].dt.month)["a"].sum(), pdf.groupby(pdf["t"].dt.month)["a"].sum())
    check(df["b"].groupby(df["a"]).mean(), pdf["b"].groupby(pdf["a"]).mean())
    check(df.groupby(["f", df["a"] > 2])["b"].count(), pdf.groupby(["f", pdf["a"] > 2])["b"].count())


def test_nan_keys(npartitions):
    pdf = pd.DataFrame({"k": [1.0, np.nan, 1.0, np.nan, 0.0, -0.0], "x": [1, 2, 3, 4, 5, 6]})
    df = rd.from_pandas(pdf, npartitions=npartitions)
    check(df.groupby("k")["x"].sum(), pdf.groupby("k")["x"].sum())
    check(df.groupby("k", dropna=False)["x"].sum(), pdf.groupby("k", dropna=False)["x"].sum())


def test_categories(npartitions):
    pdf = pd.DataFrame({"k": pd.Categorical(["b", "a", "b"], categories=["c", "b", "a"]), "x": [1, 2, 3]})
    df = rd.from_pandas(pdf, npartitions=npartitions)
    check(df.groupby("k", observed=True)["x"].sum(), pdf.groupby("k", observed=True)["x"].sum())


@pytest.mark.parametrize("rows", [0, 1])
def test_few_rows(pdf, rows):
    pdf = pdf.iloc[:rows]
    df = rd.from_pandas(pdf, npartitions=1)
    check(df.groupby("a")["b"].sum(), pdf.groupby("a")["b"].sum())
    check(df.groupby("a")["b"].mean(), pdf.groupby("a")["b"].mean())
    check(df.groupby("a")["b"].std(), pdf.groupby("a")["b"].std())
    check(df.groupby("s").size(), pdf.groupby("s").size())
    check(df.groupby(["a", "s"]).agg(x=("b", "sum")), pdf.groupby(["a", "s"]).agg(x=("b", "sum")))


def test_apply_and_transform(df, pdf):
    def top(group):
        return group.nlargest(1, "größe")

    check(df.groupby("a")[["b", "größe"]].apply(top), pdf.groupby("a")[["b", "größe"]].apply(top))
    check(df.groupby("a")["b"].transform("mean"), pdf.groupby("a")["b"].transform("mean"))
    check(
        df.groupby("a")["größe"].transform(lambda x: x - x.min()),
        pdf.groupby("a")["größe"].transform(lambda x: x - x.min()),
    )
    check(df.groupby("a")["größe"].apply(lambda x: x.sum()), pdf.groupby("a")["größe"].apply(lambda x: x.sum()))


@pytest.mark.parametrize("name", ["cumsum", "cumcount", "ffill", "bfill", "shift", "head", "tail"])
def test_row_wise(df, pdf, name):
    check(getattr(df.groupby("a")["b"], name)(), getattr(pdf.groupby("a")["b"], name)())


@pytest.mark.parametrize("name", ["idxmax", "idxmin", "any", "all"])
def test_other_aggregations(df, pdf, name):
    check(getattr(df.groupby("a")["größe"], name)(), getattr(pdf.groupby("a")["größe"], name)())


def test_value_counts_unique_get_group(df, pdf):
    check(df.groupby("f")["a"].value_counts(), pdf.groupby("f")["a"].value_counts())
    check(df.groupby("a").get_group(1), pdf.groupby("a").get_group(1))


def test_wrong_names(df):
    with pytest.raises(AttributeError, match="summ"):
        df.groupby("a").agg("summ")
    with pytest.raises(AttributeError, match="summ"):
        df.groupby("a").agg({"b": "summ"})
    with pytest.raises(AttributeError, match="summ"):
        df.groupby("a").summ()
    with pytest.raises(TypeError, match="[Mm]ust provide 'func' or"):
        df.groupby("a").agg()
    with pytest.raises(KeyError, match="nope"):
        df.groupby("a").agg({"nope": "sum"})


def test_columns_as_attributes(df, pdf):
    check(df.groupby("a").b.sum(), pdf.groupby("a").b.sum())


def test_sizes_of_groups_need_no_column_but_the_key():
    whole = pd.DataFrame({"k": ["a", None, "b", "a"], "x": [1.0, None, 3.0, 4.0], "y": [1, 2, 3, 4]})
    lazy = rd.from_pandas(whole, npartitions=2)
    found = lazy.groupby("k").agg(n=("x", "size"), m=("y", "sum"))
    pd.testing.assert_frame_equal(found.compute(), whole.groupby("k").agg(n=("x", "size"), m=("y", "sum")))
    assert 'PROJECT["k", "y"] 2/3 COLUMNS' in found.explain(engine=True)
    kept = lazy.groupby(["k"], dropna=False).agg(n=("x", "size"))
    pd.testing.assert_frame_equal(kept.compute(), whole.groupby(["k"], dropna=False).agg(n=("x", "size")))


@pytest.mark.parametrize("npartitions", [1, 3])
@pytest.mark.parametrize("dropna", [True, False])
def test_keys_of_other_rows_meet_the_rows_by_label(npartitions, dropna):
    frame = pd.DataFrame({"k": list("abcabcabc"), "x": np.arange(9) * 1.5}, index=range(0, 90, 10))
    lazy = rd.from_pandas(frame, npartitions=npartitions)
    for call in (
        lambda rows: rows.groupby(rows.k[rows.x > 4], dropna=dropna).x.sum(),
        lambda rows: rows.groupby([rows.k[rows.x > 4], "x"], dropna=dropna).size(),
        lambda rows: rows.x.groupby(rows.k[rows.x > 4], dropna=dropna).agg(["sum", "max"]),
    ):
        check(call(lazy), call(frame))
