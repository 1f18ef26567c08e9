"""Parquet: folders that name values, labels, replaced and added files, every argument."""

import os

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import raskt
import raskt.dataframe as rd
from frame_comparing import check


def sample() -> pd.DataFrame:
    """Rows with keys of two kinds."""
    return pd.DataFrame(
        {"a": range(6), "b": ["x", "y", "x", "z", "y", "x"], "c": [1, 2, 1, 3, 2, 1], "d": [0.5, np.nan, 2, 3, 4, 5]}
    )


def rows(frame: pd.DataFrame) -> list:
    """Rows in the order of column `a`, which pyarrow and raskt read in other orders."""
    return (
        frame.sort_values("a")[sorted(frame.columns)].astype(object).where(lambda it: it.notna(), None).values.tolist()
    )


@pytest.mark.parametrize("by", [["b"], ["c"], ["b", "c"]], ids=str)
@pytest.mark.parametrize("writer", ["pandas", "raskt"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"columns": ["a", "b"]},
        {"columns": ["b"]},
        {"filters": [("b", "==", "x")]},
        {"filters": [("c", "in", [1, 3]), ("a", ">", 0)]},
        {"filters": [[("b", "==", "x"), ("a", "<", 3)], [("c", "==", 2)]]},
        {"filters": [("b", "!=", "x")], "columns": ["d"]},
        {"filters": [("c", "not in", [1])]},
        {"filters": [("b", "==", "nowhere")]},
        {"dtype_backend": "numpy_nullable"},
    ],
    ids=str,
)
def test_folders_that_name_values(tmp_path, by, writer, options):
    frame = sample()
    if writer == "pandas":
        frame.to_parquet(tmp_path / "data", partition_cols=by, index=False)
    else:
        rd.from_pandas(frame, npartitions=2).to_parquet(tmp_path / "data", partition_on=by, write_index=False)
    expected = pd.read_parquet(tmp_path / "data", **options)
    try:
        found = rd.read_parquet(tmp_path / "data", **options).compute()
    except NotImplementedError as refused:
        pytest.skip(str(refused))
    # Where no row is left, pandas knows no category either.
    assert dict(found.dtypes) == dict(expected.dtypes) or not len(expected)
    assert list(found.columns) == list(expected.columns)
    if "a" in expected:
        assert rows(found) == rows(expected)
    else:
        assert sorted(map(str, found.values.tolist())) == sorted(map(str, expected.values.tolist()))


LABELS = {
    "numbered": None,
    "from one": pd.RangeIndex(1, 4),
    "by twos": pd.RangeIndex(10, 4, -2),
    "a named numbering": pd.RangeIndex(3, name="n"),
    "unnamed": pd.Index([5, 3, 4]),
    "named": pd.Index([5, 3, 4], name="k"),
    "named index": pd.Index(["x", "y", "z"], name="index"),
    "times": pd.date_range("2020-01-01", periods=3, name="t"),
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS.keys())
@pytest.mark.parametrize("index", [None, True, False])
def test_labels_come_back(tmp_path, labels, index):
    frame = pd.DataFrame({"x": [1, 2, 3], "y": ["a", None, "c"]})
    if labels is not None:
        frame.index = labels
    frame.to_parquet(tmp_path / "x.parquet", index=index)
    check(rd.read_parquet(tmp_path / "x.parquet"), pd.read_parquet(tmp_path / "x.parquet"))
    for parts in (1, 2):
        target = tmp_path / f"out{parts}"
        rd.from_pandas(frame, npartitions=parts, sort=False).to_parquet(target, index=index)
        if index is not False:
            check(pd.read_parquet(target), frame)
            check(rd.read_parquet(target), frame)
        else:
            check(rd.read_parquet(target), frame.reset_index(drop=True))


def test_the_index_can_be_chosen(tmp_path):
    frame = pd.DataFrame({"x": [1, 2], "y": ["a", "b"]}, index=[5, 6])
    frame.to_parquet(tmp_path / "unnamed.parquet")
    check(rd.read_parquet(tmp_path / "unnamed.parquet", index=False), frame.reset_index(drop=True))
    check(rd.read_parquet(tmp_path / "unnamed.parquet", index="x"), frame.set_index("x"))
    frame.rename_axis("k").to_parquet(tmp_path / "named.parquet")
    check(rd.read_parquet(tmp_path / "named.parquet", index=False), frame.rename_axis("k").reset_index())
    check(rd.read_parquet(tmp_path / "named.parquet", index=["y"]), frame.rename_axis("k").reset_index().set_index("y"))
    check(rd.read_parquet(tmp_path / "named.parquet", columns=["y"]), frame.rename_axis("k")[["y"]])


DTYPES = {
    "Int64": pd.array([2**53, 2**53 + 1, None], "Int64"),
    "boolean": pd.array([True, None, False], "boolean"),
    "Float64": pd.array([1.5, None, 2.5], "Float64"),
    "string": pd.array(["a", None, "b"], "string"),
    "int[pyarrow]": pd.array([1, None, 3], "int64[pyarrow]"),
    "category": pd.Categorical(["a", "b", "a"]),
    "category of integers": pd.Categorical([3, 1, 3]),
    "ordered": pd.Categorical(["a", "b", "a"], categories=["b", "a"], ordered=True),
    "bool with holes": np.array([True, None, False], dtype=object),
    "bytes": np.array([b"a", None, b"b"], dtype=object),
    "lists": np.array([[1], None, [2, 3]], dtype=object),
    "uint8": np.array([1, 2, 255], "uint8"),
    "float32": np.array([0.1, np.nan, 3], "float32"),
    "seconds": np.array(["2020-01-01", "NaT", "2021-01-01"], "M8[s]"),
    "nanoseconds": np.array(["2020-01-01", "NaT", "2021-01-01"], "M8[ns]"),
    "zoned": pd.to_datetime(["2020-01-01", None, "2021-01-01"]).tz_localize("Europe/Oslo"),
    "durations": np.array([1, 2, 3], "m8[s]"),
    "str": ["a", None, "b"],
}


@pytest.mark.parametrize("values", DTYPES.values(), ids=DTYPES.keys())
@pytest.mark.parametrize("files", [1, 3])
def test_types_come_back_or_are_refused(tmp_path, values, files):
    frame = pd.DataFrame({"x": values})
    for at in range(files):
        frame.to_parquet(tmp_path / f"{at}.parquet")
    expected = pd.concat([pd.read_parquet(tmp_path / f"{at}.parquet") for at in range(files)], ignore_index=True)
    try:
        found = rd.read_parquet(tmp_path)
    except NotImplementedError as refused:
        pytest.skip(str(refused))
    check(found, expected)


def test_filters_skip_what_is_missing_as_pyarrow_does(tmp_path):
    frame = pd.DataFrame({"x": [1.0, np.nan, 3.0], "s": ["a", None, "c"]})
    frame.to_parquet(tmp_path / "x.parquet")
    for one in (("x", "!=", 1.0), ("s", "!=", "a"), ("x", "not in", [1.0]), ("s", "in", ["a"]), ("x", ">=", 3)):
        check(
            rd.read_parquet(tmp_path / "x.parquet", filters=[one]).reset_index(drop=True),
            pd.read_parquet(tmp_path / "x.parquet", filters=[one]).reset_index(drop=True),
        )


def test_overwriting_replaces_every_file(tmp_path):
    frame, target = sample(), tmp_path / "data"
    for by in (None, "b", ["c"], None):
        rd.from_pandas(frame, npartitions=3).to_parquet(target, partition_on=by, overwrite=True)
        (target / "_notes.txt").write_text("mine")
        assert len(rd.read_parquet(target)) == 6
        rd.from_pandas(frame.iloc[:2], npartitions=1).to_parquet(target, partition_on=by, overwrite=True)
        assert len(pd.read_parquet(target)) == 2
        assert (target / "_notes.txt").read_text() == "mine"
        with pytest.raises(FileExistsError, match="overwrite=True"):
            rd.from_pandas(frame, npartitions=1).to_parquet(target, partition_on=by)


def test_a_frame_can_replace_the_files_that_it_is_read_from(tmp_path):
    frame, target = sample(), tmp_path / "data"
    rd.from_pandas(frame, npartitions=3).to_parquet(target)
    found = rd.read_parquet(target)
    found[found["a"] > 2].to_parquet(target, overwrite=True)
    assert rd.read_parquet(target)["a"].compute().tolist() == [3, 4, 5]


def broken(part: pd.DataFrame) -> pd.DataFrame:
    """Fails on the last rows."""
    if len(part) and part["a"].max() == 5:
        raise ZeroDivisionError("no more")
    return part


@pytest.mark.parametrize("by", [None, "b"])
@pytest.mark.parametrize("there", [True, False])
def test_a_write_that_fails_changes_nothing(tmp_path, by, there):
    frame, target = sample(), tmp_path / "data"
    if there:
        rd.from_pandas(frame.iloc[:2], npartitions=1).to_parquet(target)
    before = sorted(os.walk(tmp_path))
    bad = rd.from_pandas(frame, npartitions=3).map_partitions(broken, meta=frame.iloc[:0])
    with pytest.raises(ZeroDivisionError):
        bad.to_parquet(target, partition_on=by, overwrite=True)
    with pytest.raises(ZeroDivisionError):
        bad.to_csv(target)
    with pytest.raises(ZeroDivisionError):
        bad.to_json(target)
    assert sorted(os.walk(tmp_path)) == before
    for one in (True, False):
        with pytest.raises(ZeroDivisionError):
            bad.to_csv(tmp_path / "one.csv", single_file=True, index=one, na_rep="" if one else "-")
    assert sorted(os.walk(tmp_path)) == before


def test_appending(tmp_path):
    frame, target = sample(), tmp_path / "data"
    rd.from_pandas(frame, npartitions=2).to_parquet(target)
    rd.from_pandas(frame, npartitions=3).to_parquet(target, append=True)
    assert sorted(os.listdir(target)) == [f"part.{at}.parquet" for at in range(5)]
    assert rd.read_parquet(target)["a"].compute().tolist() == [*range(6), *range(6)]
    with pytest.raises(ValueError, match="other columns"):
        rd.from_pandas(frame[["a"]], npartitions=1).to_parquet(target, append=True)
    assert len(os.listdir(target)) == 5
    with pytest.raises(ValueError, match="append and overwrite"):
        rd.from_pandas(frame, npartitions=1).to_parquet(target, append=True, overwrite=True)


def test_arguments(tmp_path):
    frame = sample()
    lazy = rd.from_pandas(frame, npartitions=2)
    lazy.to_parquet(tmp_path / "groups", row_group_size=2)
    assert pq.read_metadata(tmp_path / "groups" / "part.0.parquet").num_row_groups == 2
    lazy.to_parquet(tmp_path / "named", name_function=lambda at: f"x{at}.parquet")
    assert sorted(os.listdir(tmp_path / "named")) == ["x0.parquet", "x1.parquet"]
    lazy.to_parquet(tmp_path / "typed", schema={"a": pa.int16()})
    assert pq.read_schema(tmp_path / "typed" / "part.0.parquet").field("a").type == pa.int16()
    lazy.to_parquet(tmp_path / "noted", write_metadata_file=True)
    assert pq.read_metadata(tmp_path / "noted" / "_metadata").num_rows == 6
    for compression in ("snappy", "gzip", "zstd", "lz4", "brotli", None):
        lazy.to_parquet(tmp_path / "packed", compression=compression, overwrite=True)
        check(rd.read_parquet(tmp_path / "packed"), frame)
    later = lazy.to_parquet(tmp_path / "later", compute=False)
    assert not (tmp_path / "later").exists() or not os.listdir(tmp_path / "later")
    (paths,) = raskt.compute(later)
    assert [os.path.basename(path) for path in paths] == ["part.0.parquet", "part.1.parquet"]
    assert lazy.to_parquet()[:4] == b"PAR1"
    for options in ({"storage_options": {"a": 1}}, {"custom_metadata": {}}, {"engine": "fastparquet"}):
        with pytest.raises(NotImplementedError):
            lazy.to_parquet(tmp_path / "refused", **options)
    for options in ({"split_row_groups": True}, {"categories": ["b"]}, {"blocksize": 1}):
        with pytest.raises(NotImplementedError, match=next(iter(options))):
            rd.read_parquet(tmp_path / "groups", **options)


INNER_WORDS = ("polars", "lazyframe", "supertype", "_tmp_", "thrift", "arrow", "infer_schema", "panick")


@pytest.mark.parametrize("damage", ["empty", "text", "half", "end only", "other bytes"])
def test_damaged_files_are_told_in_plain_words(tmp_path, damage):
    path = tmp_path / "x.parquet"
    pd.DataFrame({"x": range(1000), "s": ["abc"] * 1000}).to_parquet(path)
    data = path.read_bytes()
    half = len(data) // 2
    spoiled = {
        "empty": b"",
        "text": b"a,b\n1,2\n",
        "half": data[:half],
        "end only": data[half:],
        "other bytes": data[:20] + bytes(200) + data[220:],
    }[damage]
    path.write_bytes(spoiled)
    with pytest.raises((OSError, ValueError, RuntimeError)) as error:
        frame = rd.read_parquet(path).compute()
        raise OSError("x.parquet") if len(frame) == 1000 else AssertionError(frame)
    told = str(error.value).lower()
    assert not any(word in told for word in INNER_WORDS), told


FILTERS = [
    [("i", ">", 3)],
    [("f", "!=", 1.0)],
    [("I", "not in", [3, 4])],
    [("z", ">", pd.Timestamp("2024-01-21", tz="UTC"))],
    [("s", "in", ["a"])],
    [("i", ">", 100)],
]


@pytest.mark.parametrize("conditions", FILTERS, ids=lambda one: f"{one[0][0]} {one[0][1]}")
@pytest.mark.parametrize("parts", [1, 2, 5])
@pytest.mark.parametrize("first", [0, 100])
def test_rows_that_filters_leave_are_numbered_through(tmp_path, conditions, parts, first):
    frame = pd.DataFrame({"i": range(40), "f": [1.0, np.nan] * 20, "I": pd.array([3, None, 4, 5] * 10, dtype="Int64")})
    frame = frame.assign(z=pd.date_range("2024", periods=40, tz="UTC"), s=list("abcd") * 10)
    frame.index = pd.RangeIndex(first, first + 40)
    rd.from_pandas(frame, npartitions=parts).to_parquet(tmp_path / "x")
    found = rd.read_parquet(tmp_path / "x", filters=conditions).compute()
    expected = pd.read_parquet(tmp_path / "x", filters=conditions)
    assert found.index.tolist() == expected.index.tolist()
    pd.testing.assert_frame_equal(found.reset_index(drop=True), expected.reset_index(drop=True))


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("partitions", [1, 2, 3])
@pytest.mark.parametrize("texts", [["a", "b", None, "a", "b", "a"], ["b", "b", "b", None, "c", "a"]], ids=str)
@pytest.mark.parametrize(("op", "value"), [("<", "a"), ("==", "a"), (">", "b"), ("==", "a1"), ("==", "zz")])
def test_categories_of_files_of_which_no_row_passes(tmp_path, ordered, partitions, texts, op, value):
    kind = pd.CategoricalDtype(list("zyx"), ordered=ordered)
    frame = pd.DataFrame({"s": texts, "c": pd.Series(list("zxxzyz"), dtype=kind)})
    rd.from_pandas(frame, npartitions=partitions).to_parquet(tmp_path)
    filters = [("s", op, value)]
    expected = pd.read_parquet(tmp_path, filters=filters)
    found = rd.read_parquet(tmp_path, filters=filters).compute()
    assert found["c"].dtype == expected["c"].dtype
    assert list(found["c"].cat.categories) == list(expected["c"].cat.categories)
    assert found["c"].tolist() == expected["c"].tolist()
