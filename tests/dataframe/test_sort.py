"""Order, and the index."""

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check


@pytest.mark.parametrize("by", ["größe", ["a", "größe"], ["s", "größe"], ["f", "größe"], ["b", "größe"]], ids=str)
@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("na_position", ["first", "last"])
def test_sort_values(df, pdf, by, ascending, na_position):
    options = {"ascending": ascending, "na_position": na_position}
    check(df.sort_values(by, **options), pdf.sort_values(by, **options))


def test_ties_keep_their_order(df, pdf):
    check(df.sort_values("a"), pdf.sort_values("a", kind="stable"))
    check(df.sort_values("a", ascending=False), pdf.sort_values("a", ascending=False, kind="stable"))


def test_directions_by_column(df, pdf):
    check(
        df.sort_values(["a", "b"], ascending=[True, False], ignore_index=True),
        pdf.sort_values(["a", "b"], ascending=[True, False], ignore_index=True),
    )


def test_sort_then_work(df, pdf):
    check(df.sort_values("größe", ascending=False).head(3), pdf.sort_values("größe", ascending=False).head(3))
    check(df.sort_values("t")["größe"].cumsum(), pdf.sort_values("t", kind="stable")["größe"].cumsum())


@pytest.mark.parametrize("column", ["a", "größe"])
def test_set_index(df, pdf, column):
    check(df.set_index(column), pdf.set_index(column).sort_index(kind="stable"))


def test_set_index_options(df, pdf):
    check(df.set_index("größe", drop=False), pdf.set_index("größe", drop=False))
    check(df.set_index("größe", sorted=True), pdf.set_index("größe"))
    check(df.set_index("a", sort=False), pdf.set_index("a"))
    check(df.set_index(df["größe"] * 2), pdf.set_index(pdf["größe"] * 2))


def test_set_index_keeps_working(df, pdf):
    indexed, expected = df.set_index("größe"), pdf.set_index("größe")
    check(indexed["a"] + 1, expected["a"] + 1)
    check(indexed.loc[30:60], expected.loc[30:60])
    check(indexed[indexed["a"] > 2].reset_index(), expected[expected["a"] > 2].reset_index())


def test_strings_as_index(df, pdf):
    indexed = df.dropna(subset=["s"]).set_index("s")
    check(indexed["a"], pdf.dropna(subset=["s"]).set_index("s")["a"].sort_index(kind="stable"))


def test_reset_index(df, pdf):
    check(df.set_index("größe").reset_index(), pdf.set_index("größe").reset_index())
    check(df.set_index("größe").reset_index(drop=True), pdf.set_index("größe").reset_index(drop=True))
    check(df.groupby(["a", "f"])["b"].sum().reset_index(), pdf.groupby(["a", "f"])["b"].sum().reset_index())
    check(df.groupby("a")["b"].sum().reset_index(name="total"), pdf.groupby("a")["b"].sum().reset_index(name="total"))
    check(df["a"].reset_index(drop=True), pdf["a"].reset_index(drop=True))
    check(df[df["a"] > 2].reset_index(), pdf[pdf["a"] > 2].reset_index())


def test_sort_index(df, pdf):
    check(df.sort_values("b").sort_index(), pdf)
    check(df.sort_index(ascending=False), pdf.sort_index(ascending=False))


def test_index_as_an_array_of_values(df, pdf):
    check(df.set_index("größe").index, pdf.set_index("größe").index)
    check(df.index.to_series() if hasattr(df.index, "to_series") else df.index, pdf.index.to_series())


def test_sort_a_series(df, pdf):
    check(df["größe"].sort_values(ascending=False), pdf["größe"].sort_values(ascending=False))


def test_bad_arguments(df):
    with pytest.raises(ValueError, match="na_position"):
        df.sort_values("a", na_position="middle")
    with pytest.raises(ValueError, match="[Ll]ength"):
        df.sort_values(["a", "b"], ascending=[True])


def test_reindexing_after_filters_is_by_label(df, pdf):
    check(df[df["a"] > 2].loc[8:], pdf[pdf["a"] > 2].loc[8:])


def test_empty():
    pdf = pd.DataFrame({"x": np.array([], "int64"), "y": np.array([], "float64")})
    df = rd.from_pandas(pdf, npartitions=1)
    check(df.sort_values("x"), pdf.sort_values("x"))
    check(df.set_index("x"), pdf.set_index("x"))


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("labels", [[None, "b", "c"], [None, "b", "a"], ["b", None, "c"], ["c", "b", None]])
def test_rows_are_sorted_by_categories_some_of_which_are_missing(labels, ascending, partitions):
    frame = pd.DataFrame({"x": range(3)}, index=pd.CategoricalIndex(labels, name="k"))
    for rows in (frame, frame["x"]):
        lazy = rd.from_pandas(rows, npartitions=partitions, sort=False)
        check(lazy.sort_index(ascending=ascending), rows.sort_index(ascending=ascending))
