"""Column labels that are not plain text: tuples of several levels, and numbers."""

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check


@pytest.fixture
def nested(df, pdf):
    spec = {"b": ["mean", "count"], "größe": "max"}
    return df.groupby("a").agg(spec), pdf.groupby("a").agg(spec)


def test_levels_of_labels(nested):
    lazy, expected = nested
    check(lazy, expected)
    assert list(lazy.columns) == list(expected.columns)
    check(lazy[("b", "mean")], expected[("b", "mean")])
    check(lazy["b"], expected["b"])
    check(lazy["b"]["count"] + 1, expected["b"]["count"] + 1)


def test_flattening(nested):
    lazy, expected = nested
    lazy.columns = ["_".join(label) for label in lazy.columns]
    expected.columns = ["_".join(label) for label in expected.columns]
    check(lazy.reset_index(), expected.reset_index())


def test_sorting_by_a_nested_column(nested):
    lazy, expected = nested
    check(lazy.sort_values(("größe", "max")), expected.sort_values(("größe", "max"), kind="stable"))


def test_numbers_as_labels(npartitions):
    pdf = pd.DataFrame(np.arange(6.0).reshape(3, 2))
    df = rd.from_pandas(pdf, npartitions=npartitions)
    check(df, pdf)
    check(df[1], pdf[1])
    check(df.rename(columns={0: "x"}), pdf.rename(columns={0: "x"}))
    check(df.sum(), pdf.sum())
    check(df.map_partitions(lambda part: part * 2), pdf * 2)


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(NotImplementedError, match="one name"):
        rd.from_pandas(pd.DataFrame([[1, 2]], columns=["x", "x"]), npartitions=1)


def test_series_with_a_number_for_a_name():
    series = pd.Series([1, 2], name=7)
    check(rd.from_pandas(series, npartitions=2), series)
