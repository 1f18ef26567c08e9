"""What groups are made of: windows over all rows, labels of metas, types of keys."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

PDF = pd.DataFrame({"k": list("abbac"), "x": [1, 2, 3, 4, 5], "y": [1.5, 2.5, None, 0.5, 1.0]}, index=list("vwxyz"))


@pytest.fixture(params=[1, 2, 5])
def df(request):
    return rd.from_pandas(PDF, npartitions=request.param, sort=False)


@pytest.mark.parametrize("function", ["first", "sum", "max", "count"])
def test_windows_are_computed_before_groups(df, function):
    one, other = df.assign(x=df.x.shift(1), y=df.y.cumsum()), PDF.assign(x=PDF.x.shift(1), y=PDF.y.cumsum())
    check(getattr(one.groupby("k"), function)(), getattr(other.groupby("k"), function)())
    check(df.x.diff().groupby(df.k).sum(), PDF.x.diff().groupby(PDF.k).sum())


def test_labels_of_a_meta_without_any(df):
    check(df.groupby("k").x.apply(lambda x: x.sum() * 1.0, meta=("z", "f8")).rename("x"),
          PDF.groupby("k").x.apply(lambda x: x.sum() * 1.0))  # fmt: skip
    check(df.groupby("k").x.apply(lambda x: x.head(1), meta=("x", "i8")), PDF.groupby("k").x.apply(lambda x: x.head(1)))
    check(df.map_partitions(lambda part: part.x * 2, meta=("x", "i8")), PDF.x * 2)
    check(df.groupby("k").apply(lambda g: g[["x"]].iloc[:1], meta={"x": "i8"}),
          PDF.groupby("k").apply(lambda g: g[["x"]].iloc[:1]))  # fmt: skip


def test_missing_values_that_a_meta_denies_are_an_error(df):
    lost = df.map_partitions(lambda part: part.x.where(part.x > 1), meta=("x", "i8"))
    with pytest.raises(ValueError, match="missing values in column"):
        lost.compute()


def test_a_left_join_keeps_the_type_of_its_key():
    left, right = PDF.assign(x=PDF.x.astype("int8")), pd.DataFrame({"x": [1, 4], "z": [1.0, 2.0]})
    for how in ("inner", "left"):
        check(rd.from_pandas(left, npartitions=2).merge(right, on="x", how=how), left.merge(right, on="x", how=how))
    check(rd.from_pandas(left, npartitions=2).merge(right, on="x", how="outer"), left.merge(right, on="x", how="outer"))


def test_the_indicator_says_its_categories():
    merged = rd.from_pandas(PDF, npartitions=2).merge(PDF, on="x", indicator=True)
    assert list(merged.dtypes["_merge"].categories) == ["left_only", "right_only", "both"]
    assert merged.compute().dtypes["_merge"] == merged.dtypes["_merge"]


def test_rows_of_groups_mix_with_the_frame_whatever_its_labels():
    pdf = PDF.set_axis([1, 1, 0, 0, 1], axis=0)
    lazy = rd.from_pandas(pdf.astype({"y": "Float64"}), npartitions=2, sort=False)
    wanted = pdf.astype({"y": "Float64"})
    check(lazy.assign(n=lazy.groupby("k").cumcount()), wanted.assign(n=wanted.groupby("k").cumcount()))
    check(lazy.assign(n=lazy.groupby("k").y.rank()), wanted.assign(n=wanted.groupby("k").y.rank()))


def test_keys_without_missing_values_leave_counts_integers():
    pdf = pd.DataFrame({"k": pd.Series([1, 2, 1], dtype="Int64"), "x": [1.0, 2.0, 3.0]})
    counts = rd.from_pandas(pdf, npartitions=2).groupby("k").x.transform("count")
    assert counts.dtype == "int64"
    check(counts, pdf.groupby("k").x.transform("count"))


def test_times_become_no_floats():
    times = pd.Series(pd.date_range("2020", periods=3))
    for one in (times, times - times[0]):
        with pytest.raises(TypeError):
            rd.from_pandas(one, npartitions=2).astype("float64").compute()


@pytest.mark.parametrize("npartitions", [1, 3])
@pytest.mark.parametrize(
    "function", [np.std, np.var, np.median, np.sum, np.mean, np.max, np.prod, np.any, sum, max, min, any, all, len]
)
def test_functions_are_called_as_pandas_calls_them(function, npartitions):
    rows = pd.DataFrame({"k": ["a", "a", "b", "b"], "x": [1.0, 2.0, np.nan, 4.0], "n": [1, 2, 4, 9]})
    lazy = rd.from_pandas(rows, npartitions=npartitions)
    check(lazy.groupby("k")["x"].agg(function), rows.groupby("k")["x"].agg(function))
    check(lazy.groupby("k").agg({"n": function}), rows.groupby("k").agg({"n": function}))
    check(lazy.groupby("k").agg(z=("x", function)), rows.groupby("k").agg(z=("x", function)))
