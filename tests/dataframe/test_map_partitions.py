"""Python functions over partitions: meta, cuts in native plans, delayed objects."""

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check


def double(part, factor=2):
    return part.assign(a=part["a"] * factor)


def test_meta_is_inferred(df, pdf):
    mapped = df.map_partitions(double)
    assert list(mapped.columns) == list(pdf.columns)
    check(mapped, double(pdf))
    check(df.map_partitions(double, factor=3), double(pdf, 3))


def test_to_a_series_and_back(df, pdf):
    check(df.map_partitions(lambda part: part["a"] + part["größe"]), pdf["a"] + pdf["größe"])
    check(df["a"].map_partitions(lambda part: part * 2), pdf["a"] * 2)
    check(df["a"].map_partitions(lambda part: part.to_frame("z")), pdf["a"].to_frame("z"))


def test_meta_given(df, pdf):
    check(df.map_partitions(lambda part: part["a"] / 2, meta=("a", "float64")), pdf["a"] / 2)
    check(df.map_partitions(lambda part: part[["a"]], meta={"a": "int64"}), pdf[["a"]])
    check(df.map_partitions(lambda part: part[["a"]], meta=pdf[["a"]].iloc[:0]), pdf[["a"]])
    check(df.map_partitions(lambda part: part["b"], meta=pd.Series([], dtype="float64", name="b")), pdf["b"])


def test_other_collections_as_arguments(df, pdf):
    check(df.map_partitions(lambda part, other: part["a"] + other, df["größe"]), pdf["a"] + pdf["größe"])
    check(df.map_partitions(lambda part, mean: part["a"] - mean, df["a"].mean()), pdf["a"] - pdf["a"].mean())


def test_module_function(df, pdf):
    check(rd.map_partitions(double, df, factor=5), double(pdf, 5))


def test_a_cut_in_the_middle_of_a_native_plan(df, pdf):
    lazy = df[df["a"] > 1].map_partitions(double)
    lazy = lazy[lazy["a"] < 9]
    expected = double(pdf[pdf["a"] > 1])
    expected = expected[expected["a"] < 9]
    check(lazy.groupby("a")["b"].sum(), expected.groupby("a")["b"].sum())
    check(lazy.sort_values("größe", ascending=False), expected.sort_values("größe", ascending=False))
    check(lazy["a"].sum(), expected["a"].sum())


def test_two_cuts(df, pdf):
    lazy = df.map_partitions(double).groupby("a")["b"].sum().reset_index()
    expected = double(pdf).groupby("a")["b"].sum().reset_index()
    check(lazy.map_partitions(lambda part: part.assign(c=1)), expected.assign(c=1))


def test_rows_may_go(df, pdf):
    check(df.map_partitions(lambda part: part[part["a"] > 2]), pdf[pdf["a"] > 2])
    check(df.map_partitions(lambda part: part.iloc[:0]), pdf.iloc[:0])


def test_each_partition_comes_alone(pdf):
    df = rd.from_pandas(pdf, npartitions=4)
    check(df.map_partitions(len, meta=(None, "int64")), pd.Series([3, 3, 3, 3]), check_index=False)


def test_an_exception_arrives_as_itself(df):
    def fail(part):
        raise LookupError("no luck")

    with pytest.raises(LookupError, match="no luck"):
        df.map_partitions(fail, meta=df).compute()


def test_inference_failure_is_explained(df):
    def fail(part):
        raise LookupError("no luck")

    with pytest.raises(Exception, match="meta"):
        df.map_partitions(fail)


def test_a_result_that_is_not_as_meta_says(df):
    with pytest.raises(ValueError, match="zz|columns|meta"):
        df.map_partitions(lambda part: part[["a"]], meta={"zz": "int64"}).compute()


def test_pipe(df, pdf):
    check(df.pipe(lambda frame, n: frame[frame["a"] > n], 2), pdf.pipe(lambda frame, n: frame[frame["a"] > n], 2))


def test_delayed_round_trip(df, pdf, npartitions):
    parts = df.to_delayed()
    assert len(parts) == npartitions
    check(parts[0].compute(), pdf.iloc[: 12 // npartitions])
    check(rd.from_delayed(parts), pdf)
    check(rd.from_delayed(parts, meta=df), pdf)


def test_to_array(df, pdf):
    values = df[["a", "b"]].to_array(lengths=True)
    assert values.shape == (12, 2)
    np.testing.assert_array_equal(values.compute(), pdf[["a", "b"]].to_numpy())
    np.testing.assert_array_equal(df["a"].values.compute(), pdf["a"].to_numpy())
    few, expected = df[df["a"] > 2][["a", "b"]], pdf[pdf["a"] > 2][["a", "b"]]
    assert np.isnan(few.values.shape[0])
    assert few.to_array(lengths=True).shape == expected.shape
    np.testing.assert_array_equal(few.values.compute(), expected.to_numpy())


def test_from_lazy_array():
    ra = pytest.importorskip("raskt.array")
    values = np.arange(12.0).reshape(6, 2)
    lazy = ra.from_array(values, chunks=(4, 1))
    check(rd.from_array(lazy, columns=["x", "y"]), pd.DataFrame(values, columns=["x", "y"]))
    check(rd.from_array(lazy[:, 0], columns="x"), pd.Series(values[:, 0], name="x"))
    with pytest.raises(ValueError, match="3 column labels"):
        rd.from_array(lazy, columns=["x", "y", "z"])


def test_get_dummies():
    pdf = pd.DataFrame({"c": pd.Categorical(["x", "y", "x"]), "n": [1, 2, 3]})
    check(rd.get_dummies(rd.from_pandas(pdf, npartitions=2)), pd.get_dummies(pdf))
    with pytest.raises(NotImplementedError, match="categor"):
        rd.get_dummies(rd.from_pandas(pd.DataFrame({"c": ["x"]}), npartitions=1))


def test_objects_of_any_type(df, pdf):
    def pairs(part):
        return part["a"].map(lambda value: (value, {"x": value}) if value > 1 else None)

    lazy = df.map_partitions(pairs, meta=("a", "object"))
    assert lazy.compute().dropna().tolist() == pairs(pdf).dropna().tolist()
    check(lazy.map(lambda pair: pair is None or pair != pair, meta=("a", "bool")), pdf["a"] <= 1)


def test_files_never_unpickle(tmp_path):
    import pickle

    import pyarrow as pa
    import pyarrow.parquet as pq

    forged = pa.array([{"__pickle__": pickle.dumps(1)}])
    pq.write_table(pa.table({"x": forged}), tmp_path / "x.parquet")
    assert rd.read_parquet(tmp_path / "x.parquet").compute()["x"].tolist() != [1]


def test_objects_are_written_by_pandas(tmp_path, df, pdf):
    lazy = df.assign(o=df["a"].map(lambda value: [value], meta=("o", "object")))
    lazy.to_parquet(tmp_path / "parquet")
    assert pd.read_parquet(tmp_path / "parquet").o.map(list).tolist() == [[value] for value in pdf["a"]]
    lazy.to_csv(tmp_path / "csv")
    assert rd.read_csv(tmp_path / "csv" / "*.csv").o.compute().tolist() == [f"[{value}]" for value in pdf["a"]]


def test_the_traceback_is_that_of_the_user(df):
    def fail(part):
        raise LookupError("no luck")

    with pytest.raises(LookupError) as caught:
        df.map_partitions(fail, meta=df).compute()
    files = [str(entry.path) for entry in caught.traceback]
    assert not any("/raskt/" in name for name in files)
    assert caught.traceback[-1].name == "fail"


REDUCTIONS = {
    "a sum": lambda rows: rows.x.reduction(lambda part: part.sum(), aggregate=lambda sums: sums.sum()),
    "one function": lambda rows: rows.x.reduction(lambda part: part.max()),
    "of a frame": lambda rows: rows.reduction(lambda part: part.sum()),
    "combined": lambda rows: rows.x.reduction(
        lambda part: part.sum(), lambda sums: sums.sum() * 2, combine=lambda sums: sums.sum()
    ),
    "arguments": lambda rows: rows.reduction(
        lambda part, more: part.sum() + more, lambda sums, more: sums.sum(), more=3
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_are_those_of_dask(name):
    import dask.dataframe as dd

    frame = pd.DataFrame({"x": range(6), "y": 1.5})
    found = REDUCTIONS[name](rd.from_pandas(frame, npartitions=2)).compute()
    expected = REDUCTIONS[name](dd.from_pandas(frame, npartitions=2)).compute()
    if isinstance(expected, pd.Series):
        pd.testing.assert_series_equal(found, expected)
    else:
        assert found == expected and not hasattr(found, "index")


def test_a_reduction_may_give_rows_and_has_arguments_for_each_function():
    largest = lambda part, n: part.nlargest(n)
    series = pd.Series(range(6), name="x")
    lazy = rd.from_pandas(series, npartitions=2)
    check(lazy.reduction(largest, largest, n=2), series.nlargest(2))
    check(lazy.reduction(largest, largest, chunk_kwargs={"n": 3}, aggregate_kwargs={"n": 1}), series.nlargest(1))
    with pytest.raises(ValueError, match="combine_kwargs"):
        lazy.reduction(largest, n=1, combine_kwargs={"n": 2})


def test_a_reduction_takes_no_argument_that_nobody_reads():
    with pytest.raises(TypeError, match="agregate"):
        rd.from_pandas(pd.Series([1]), npartitions=1).reduction(lambda part: part.sum(), agregate=1)


@pytest.mark.parametrize("labels", [["a", "b"], ["b", "q"]])
def test_values_are_mapped_by_a_lazy_series(labels):
    series, mapper = pd.Series(["a", "b", None, "b", "c"], dtype="str"), pd.Series([1, 2], index=labels)
    lazy = rd.from_pandas(series, npartitions=3)
    found = lazy.map(rd.from_pandas(mapper, npartitions=2))
    check(found, series.map(mapper))
    # A row for each row, which mix with others.
    check(lazy.to_frame("k").assign(m=found), series.to_frame("k").assign(m=series.map(mapper)))


@pytest.mark.parametrize("meta", ["Float64", "float64", "double[pyarrow]", "complex128", "Float32"])
@pytest.mark.parametrize("dtype", ["int64", "uint64", "Int64", "int64[pyarrow]"])
def test_no_promise_rounds_integers(dtype, meta):
    series = pd.Series([2**60 + 1, 1], dtype=dtype, name="s")
    lazy = rd.from_map(lambda _: series, [0], meta=pd.Series([], dtype=meta, name="s"))
    with pytest.raises((ValueError, TypeError, NotImplementedError)):
        lazy.compute()


@pytest.mark.parametrize("labels", [None, list("abc"), [5, 6, 7], pd.date_range("2020", periods=3)], ids=str)
@pytest.mark.parametrize("partitions", [1, 2])
def test_series_in_memory_that_have_all_labels_keep_their_type(labels, partitions):
    pdf = pd.DataFrame({"v": [1, 2, 3]}) if labels is None else pd.DataFrame({"v": [1, 2, 3]}, index=labels)
    lazy = rd.from_pandas(pdf, npartitions=partitions)
    values = {"i": pd.Series([1, 2, 3], index=pdf.index), "b": pd.Series([True, False, True], index=pdf.index)}
    check(lazy.assign(**values), pdf.assign(**values))
    other = {name: one[::-1] for name, one in values.items()}
    check(lazy.assign(**other), pdf.assign(**other))
