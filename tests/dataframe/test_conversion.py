"""Frames that go in come out the same."""

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check, sample

FRAMES = {
    "sample": sample(),
    "one row": sample().iloc[:1],
    "no rows": sample().iloc[:0],
    "no columns": pd.DataFrame(index=pd.RangeIndex(3)),
    "all null": pd.DataFrame({"x": [np.nan] * 3, "s": pd.Series([None] * 3, dtype="str")}),
    "nat": pd.DataFrame({"t": pd.to_datetime([None, "2020-01-01", None])}),
    "string index": pd.DataFrame({"x": [1, 2, 3]}, index=pd.Index(["a", "b", "c"], name="key")),
    "datetime index": pd.DataFrame({"x": [1.0, 2.0]}, index=pd.to_datetime(["2020-01-01", "2020-01-03"])),
    "index with duplicates": pd.DataFrame({"x": [1, 2, 3, 4]}, index=[0, 1, 1, 2]),
    "small types": pd.DataFrame(
        {
            "i8": np.array([1, -2], "int8"),
            "u16": np.array([1, 2], "uint16"),
            "u64": np.array([1, 2**63 + 5], "uint64"),
            "f4": np.array([0.5, np.nan], "float32"),
        }
    ),
    "range with a step": pd.DataFrame({"x": [1, 2, 3]}, index=pd.RangeIndex(10, 16, 2)),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
@pytest.mark.parametrize("npartitions", [1, 2, 5])
def test_round_trip(frame, npartitions):
    options = {} if len(frame.columns) else {"check_column_type": False}
    check(rd.from_pandas(frame, npartitions=npartitions), frame, **options)


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(["a", "b", None, "a"], dtype="category", name="x"),
        pd.Series(pd.date_range("2020-01-01", periods=3, tz="Europe/Oslo"), name="x"),
        pd.Series(pd.to_timedelta(["1 days", None, "2h"]), name="x"),
        pd.Series(pd.date_range("2020-01-01", periods=3).as_unit("ns"), name="x"),
        pd.Series(pd.date_range("2020-01-01", periods=3).as_unit("ms"), name="x"),
    ],
    ids=lambda values: str(values.dtype),
)
def test_extension_types_round_trip(values):
    check(rd.from_pandas(values, npartitions=2), values)


def test_from_pandas_sorts_by_the_index():
    frame = pd.DataFrame({"x": [1, 2, 3, 4]}, index=[3, 1, 2, 0])
    check(rd.from_pandas(frame, npartitions=2), frame.sort_index())
    check(rd.from_pandas(frame, npartitions=2, sort=False), frame)


def test_series_and_unnamed_series():
    series = pd.Series([1.0, 2.0, np.nan])
    lazy = rd.from_pandas(series, npartitions=2)
    assert lazy.name is None
    check(lazy, series)
    check(lazy + 1, series + 1)


def test_chunksize_bounds_the_partitions(pdf):
    df = rd.from_pandas(pdf, chunksize=5)
    assert df.npartitions == 3
    check(df, pdf)


def test_from_pandas_refuses_what_it_cannot_take(pdf):
    with pytest.raises(TypeError, match="DataFrame or"):
        rd.from_pandas([1, 2], npartitions=2)
    with pytest.raises(ValueError, match="npartitions"):
        rd.from_pandas(pdf, npartitions=2, chunksize=3)
    with pytest.raises(ValueError, match="npartitions"):
        rd.from_pandas(pdf, npartitions=0)


def test_from_dict():
    data = {"x": [1, 2, 3], "y": ["a", "b", None]}
    check(rd.from_dict(data, npartitions=2), pd.DataFrame(data))


def test_from_array():
    values = np.arange(6.0).reshape(3, 2)
    check(rd.from_array(values, columns=["x", "y"], chunksize=2), pd.DataFrame(values, columns=["x", "y"]))
    check(rd.from_array(values[:, 0], columns="x"), pd.Series(values[:, 0], name="x"))


def test_from_map_calls_the_function_for_each_input():
    def part(size, start=0):
        return pd.DataFrame({"x": range(start, start + size)})

    df = rd.from_map(part, [1, 2], start=5)
    assert df.npartitions == 2
    check(df, pd.concat([part(1, 5), part(2, 5)]))


def test_structure_is_known_without_computing(df, pdf, npartitions):
    assert list(df.columns) == list(pdf.columns)
    assert df.dtypes.astype(str).to_dict() == pdf.dtypes.astype(str).to_dict()
    assert df.ndim == 2
    assert df.npartitions == npartitions
    assert df["b"].dtype == np.dtype("float64")
    assert df["a"].name == "a"
    assert df["a"].ndim == 1


def test_shape_and_size(df, pdf):
    rows, columns = df.shape
    assert (rows.compute(), columns) == pdf.shape
    assert df.size.compute() == pdf.size
    assert len(df) == len(pdf)
    assert len(df["a"]) == len(pdf)
    assert df["a"].size.compute() == pdf["a"].size


def test_divisions_of_a_sorted_frame(pdf):
    df = rd.from_pandas(pdf, npartitions=4)
    assert df.known_divisions
    assert df.divisions == (0, 3, 6, 9, 11)
    assert not rd.from_pandas(pdf.sample(frac=1, random_state=1), npartitions=3, sort=False).known_divisions


def test_partitions(pdf):
    df = rd.from_pandas(pdf, npartitions=4)
    check(df.get_partition(1), pdf.iloc[3:6])
    check(df.partitions[1:3], pdf.iloc[3:9])
    check(df.partitions[-1], pdf.iloc[9:])
    with pytest.raises(IndexError, match="4 partitions"):
        df.get_partition(4)


def test_repartition(pdf):
    df = rd.from_pandas(pdf, npartitions=4)
    for count in (1, 2, 6):
        again = df.repartition(npartitions=count)
        assert again.npartitions == count
        check(again, pdf)


def test_to_arrow(df, pdf):
    table = df[["a", "s"]].to_arrow()
    assert table.column_names[:2] == ["a", "s"]
    assert table.column("a").to_pylist() == pdf["a"].tolist()
    assert table.column("s").to_pylist() == [None if pd.isna(value) else value for value in pdf["s"]]


def test_iteration(df, pdf):
    assert list(df) == list(pdf)
    assert [tuple(row) for row in df[["a", "f"]].itertuples()] == [tuple(row) for row in pdf[["a", "f"]].itertuples()]
    for (label, row), (expected_label, expected) in zip(df.iterrows(), pdf.iterrows(), strict=True):
        assert label == expected_label
        check(row, expected)
    assert list(df["a"]) == list(pdf["a"])
    assert list(df["a"].items()) == list(pdf["a"].items())


def test_persist_keeps_the_frame(df, pdf):
    kept = (df[["a"]] + 1).persist()
    assert type(kept) is rd.DataFrame
    check(kept, pdf[["a"]] + 1)
    check(kept["a"].sum(), (pdf["a"] + 1).sum())


def test_index_is_a_collection(df, pdf):
    check(df.index, pdf.index)
    check(df.set_index("a").index.max(), pdf["a"].max())
    assert df.index.name is None
