"""Missing values."""

import itertools

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check


def test_isna(df, pdf):
    check(df.isna(), pdf.isna())
    check(df.notna(), pdf.notna())
    check(df["b"].isnull(), pdf["b"].isnull())
    check(rd.isna(df["s"]), pd.isna(pdf["s"]))
    assert rd.isna(np.nan) is True


def test_fillna(df, pdf):
    check(df["b"].fillna(0), pdf["b"].fillna(0))
    check(df["b"].fillna(df["a"]), pdf["b"].fillna(pdf["a"]))
    check(df["b"].fillna(df["b"].mean()), pdf["b"].fillna(pdf["b"].mean()))
    check(df["s"].fillna("none"), pdf["s"].fillna("none"))
    check(df["t"].fillna(pd.Timestamp(0)), pdf["t"].fillna(pd.Timestamp(0)))
    check(df[["a", "b"]].fillna(9), pdf[["a", "b"]].fillna(9))
    check(df.fillna({"b": 0.5, "s": "?"}), pdf.fillna({"b": 0.5, "s": "?"}))


COLUMNS = pd.DataFrame(
    {
        "f": [1.0, None, 3, None],
        "i": [1, 2, 3, 4],
        "s": ["x", None, "y", "x"],
        "n": pd.array([1, None, 2, 4], dtype="Int64"),
        "g": np.array([1, 2, np.nan, 1], "float32"),
        "t": pd.to_datetime(["2020", None, "2021", "2022"]),
        "d": pd.array([1, None, 2, 1], dtype="double[pyarrow]"),
        "c": pd.Categorical(["u", None, "v", "u"]),
    }
)


@pytest.mark.parametrize("statistic", ["mean", "median", "max", "min"])
@pytest.mark.parametrize("numeric_only", [False, True])
def test_columns_are_filled_by_their_statistics(statistic, numeric_only):
    of = lambda rows: getattr(rows, statistic)(numeric_only=numeric_only)
    for columns in itertools.combinations(COLUMNS, 2):
        frame = COLUMNS[list(columns)]
        try:
            expected = frame.fillna(of(frame))
        except (TypeError, ValueError):
            continue
        for partitions in (1, 3):
            lazy = rd.from_pandas(frame, npartitions=partitions)
            check(lazy.fillna(of(lazy)), expected)
            with pytest.raises(NotImplementedError, match="compute the series"):
                lazy.fillna(of(lazy), limit=1)


def test_fill_forward_and_backward(df, pdf):
    check(df["b"].ffill(), pdf["b"].ffill())
    check(df["b"].bfill(), pdf["b"].bfill())
    check(df[["b", "s"]].ffill(), pdf[["b", "s"]].ffill())
    check(df["b"].ffill(limit=1), pdf["b"].ffill(limit=1))


def test_dropna(df, pdf):
    check(df.dropna(), pdf.dropna())
    check(df.dropna(subset=["b"]), pdf.dropna(subset=["b"]))
    check(df.dropna(how="all"), pdf.dropna(how="all"))
    check(df[["b", "s", "t"]].dropna(thresh=2), pdf[["b", "s", "t"]].dropna(thresh=2))
    check(df["b"].dropna(), pdf["b"].dropna())


def test_an_all_null_column(npartitions):
    pdf = pd.DataFrame({"k": [1, 1, 2, 2], "x": [np.nan] * 4, "s": pd.Series([None] * 4, dtype="str")})
    df = rd.from_pandas(pdf, npartitions=npartitions)
    check(df["x"].sum(), pdf["x"].sum())
    check(df["x"].mean(), pdf["x"].mean())
    check(df["x"].count(), pdf["x"].count())
    check(df["x"].min(), pdf["x"].min())
    check(df.groupby("k").sum(numeric_only=True), pdf.groupby("k").sum(numeric_only=True))
    check(df.groupby("k")["x"].mean(), pdf.groupby("k")["x"].mean())
    check(df.groupby("k")["x"].first(), pdf.groupby("k")["x"].first())
    check(df["s"].value_counts(), pdf["s"].value_counts())
    check(df.dropna(), pdf.dropna())


@pytest.mark.parametrize("values", [[np.nan], [np.nan, 1.0, np.nan]])
def test_nan_is_missing_everywhere(values):
    pdf = pd.DataFrame({"x": values})
    df = rd.from_pandas(pdf, npartitions=1)
    for name in ("count", "sum", "min", "max", "mean", "nunique"):
        check(getattr(df["x"], name)(), getattr(pdf["x"], name)())
    check(df["x"] / 0, pdf["x"] / 0)
    zero = rd.from_pandas(pdf * 0, npartitions=1)["x"]
    check((zero / 0).isna(), (pdf["x"] * 0 / 0).isna())
    check((zero / 0).sum(), (pdf["x"] * 0 / 0).sum())
    check((zero / 0).fillna(1), (pdf["x"] * 0 / 0).fillna(1))


def test_combine_first(df, pdf):
    check(df["b"].combine_first(df["a"]), pdf["b"].combine_first(pdf["a"]))
