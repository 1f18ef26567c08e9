"""Metas that say nothing of row labels, what functions are told of their partitions, and other arguments."""

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd

FRAME = pd.DataFrame({"k": list("abcabca"), "v": range(7)})


@pytest.fixture
def lazy():
    return rd.from_pandas(FRAME, npartitions=2)


@pytest.mark.parametrize("meta", [{"v": "i8"}, [("v", "i8")], pd.DataFrame({"v": pd.Series([], dtype="i8")})])
def test_frames_by_a_meta_without_labels(lazy, meta):
    found = lazy.map_partitions(lambda part: part.set_index("k"), meta=meta)
    pd.testing.assert_frame_equal(found.compute(), FRAME.set_index("k"))
    assert found.index.name == "k"


@pytest.mark.parametrize("meta", [("v", "i8"), pd.Series([], dtype="i8", name="v")])
def test_series_by_a_meta_without_labels(lazy, meta):
    found = lazy.map_partitions(lambda part: part.groupby("k").v.sum(), meta=meta)
    parts = [part.groupby("k").v.sum() for part in (FRAME[:4], FRAME[4:])]
    pd.testing.assert_series_equal(found.compute(), pd.concat(parts))


def test_a_function_that_fails_on_samples_goes_by_its_meta(lazy):
    def picky(part):
        if not set(part["k"]) <= set("abc") or len(part) < 3:
            raise ValueError("no sample of mine")
        return part[["v"]]

    found = lazy.map_partitions(picky, meta={"v": "i8"})
    pd.testing.assert_frame_equal(found.compute(), FRAME[["v"]])


@pytest.mark.parametrize("key", ["k", "v"])
def test_a_pivot_table_has_labels_of_any_type(key):
    frame = FRAME.assign(c=pd.Categorical(list("xyxyxyx")), w=np.arange(7) / 2)
    options = {"index": key, "columns": "c", "values": "w"}
    for lazy in (rd.from_pandas(frame, npartitions=2), rd.from_pandas(frame, npartitions=1)):
        found = lazy.pivot_table(**options).compute()
        expected = frame.pivot_table(**options, observed=True)
        expected.columns = pd.Index(list(expected.columns), dtype="str")
        pd.testing.assert_frame_equal(found, expected)


def test_functions_are_told_of_their_partition(lazy):
    def told(part, factor=1, partition_info=None):
        number = None if partition_info is None else partition_info["number"] * factor
        first = None if partition_info is None else partition_info["division"]
        return part.assign(n=float(number or 0), d=float(first or 0))

    found = lazy.map_partitions(told, factor=10).compute()
    assert found.n.tolist() == [0.0] * 4 + [10.0] * 3
    assert found.d.tolist() == [0.0] * 4 + [4.0] * 3
    assert lazy.map_partitions(told, partition_info=None).compute().d.sum() == 0


@pytest.mark.parametrize("wanted", [[1, None], [1, "a", None], [np.nan], [None], [pd.NA], [pd.NaT], ["a", np.nan]])
@pytest.mark.parametrize(
    "series",
    [
        pd.Series([1.0, np.nan]),
        pd.Series(["a", None]),
        pd.Series(["a", None], dtype="category"),
        pd.Series([pd.NaT, pd.Timestamp("2020")]),
        pd.Series([1, 2]),
    ],
)
def test_isin_tells_missing_values_apart_as_pandas_does(series, wanted):
    found = rd.from_pandas(series, npartitions=1).isin(wanted)
    pd.testing.assert_series_equal(found.compute(), series.isin(wanted))
    again = rd.from_pandas(series, npartitions=1).isin(iter(wanted))
    pd.testing.assert_series_equal(again.compute(), series.isin(wanted))


ERRORS = {
    "head": (lambda frame: frame.head(1.5), TypeError),
    "tail": (lambda frame: frame.tail(1.5), TypeError),
    "marks": (lambda frame: frame[[True, False]], ValueError),
    "query": (lambda frame: frame.query(5), ValueError),
    "ambiguous": (lambda frame: frame.rename_axis("v").sort_values("v"), ValueError),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_of_pandas_kind(lazy, name):
    call, kind = ERRORS[name]
    for frame in (FRAME, lazy):
        with pytest.raises(kind):
            getattr(call(frame), "compute", lambda: None)()


def test_fewer_rows_than_none(lazy):
    for method in ("nlargest", "nsmallest"):
        pd.testing.assert_frame_equal(getattr(lazy, method)(-1, "v").compute(), getattr(FRAME, method)(-1, "v"))


def test_iterables_of_different_lengths_are_told():
    with pytest.raises(ValueError, match=r"different lengths: \[2, 1\]"):
        rd.from_map(lambda one, other: FRAME, [1, 2], [1])


def test_other_categories_than_promised_are_told():
    found = rd.from_map(lambda one: pd.DataFrame({"c": pd.Categorical([one])}), ["x", "y"])
    with pytest.raises(ValueError, match="other values of category"):
        found.compute()


@pytest.mark.parametrize(
    "labels", [pd.RangeIndex(7), list("abcdefg"), np.arange(7) / 2, pd.date_range("2020", periods=7)]
)
@pytest.mark.parametrize("meta", [(None, "int64"), "int64", pd.Series([], dtype="int64")])
@pytest.mark.parametrize("npartitions", [1, 3])
def test_single_values_have_no_labels_of_the_rows(labels, meta, npartitions):
    rows = rd.from_pandas(FRAME.set_axis(labels), npartitions=npartitions)
    for found in (rows.map_partitions(len, meta=meta), rows.v.map_partitions(len, meta=meta)):
        assert found.compute().tolist() == [len(part.compute()) for part in rows.partitions]
    found = rows.v.map_partitions(lambda part: int(part.max()), meta=meta)
    assert found.compute().tolist() == [int(part.compute().max()) for part in rows.v.partitions]
