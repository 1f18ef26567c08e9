"""Reading and writing Parquet."""

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check


@pytest.fixture
def folder(tmp_path, pdf):
    """The sample in three files of uneven length."""
    target = tmp_path / "data"
    target.mkdir()
    for at, part in enumerate((pdf.iloc[:5], pdf.iloc[5:6], pdf.iloc[6:])):
        part.reset_index(drop=True).to_parquet(target / f"part.{at}.parquet", index=False)
    return target


def test_folder_pattern_list_and_file(folder, pdf):
    for where in (folder, str(folder / "*.parquet"), sorted(folder.glob("*.parquet"))):
        check(rd.read_parquet(where).reset_index(drop=True), pdf)
    check(rd.read_parquet(folder / "part.0.parquet"), pdf.iloc[:5])


def test_columns_and_filters(folder, pdf):
    check(rd.read_parquet(folder, columns=["s", "a"]).reset_index(drop=True), pdf[["s", "a"]])
    check(
        rd.read_parquet(folder, filters=[("a", ">", 2)]).reset_index(drop=True),
        pdf[pdf["a"] > 2].reset_index(drop=True),
    )
    chosen = (pdf["a"] > 2) & (pdf["f"]) | (pdf["a"] == 1)
    check(
        rd.read_parquet(folder, filters=[[("a", ">", 2), ("f", "==", True)], [("a", "==", 1)]]).reset_index(drop=True),
        pdf[chosen].reset_index(drop=True),
    )


def test_projection_and_filter_after_reading(folder, pdf):
    df = rd.read_parquet(folder)
    check(df[df["a"] > 2]["b"].reset_index(drop=True), pdf[pdf["a"] > 2]["b"].reset_index(drop=True))
    check(df.groupby("a")["b"].mean(), pdf.groupby("a")["b"].mean())


def test_types(tmp_path):
    pdf = pd.DataFrame(
        {
            "i8": np.array([1, -1], "int8"),
            "f4": np.array([0.5, np.nan], "float32"),
            "b": [True, False],
            "c": pd.Categorical(["x", "y"]),
            "t": pd.to_datetime(["2020-01-01", None]),
            "z": pd.date_range("2020-01-01", periods=2, tz="Europe/Oslo"),
            "d": pd.to_timedelta(["1 days", None]),
            "s": ["ß", None],
        }
    )
    pdf.to_parquet(tmp_path / "x.parquet")
    check(rd.read_parquet(tmp_path / "x.parquet"), pd.read_parquet(tmp_path / "x.parquet"))


def test_integers_with_holes_become_floats_as_in_pandas(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"i": pa.array([1, None, 3], pa.int64()), "b": pa.array([True, None, False])})
    pq.write_table(table, tmp_path / "x.parquet")
    check(rd.read_parquet(tmp_path / "x.parquet")["i"], pd.read_parquet(tmp_path / "x.parquet")["i"])
    check(rd.read_parquet(tmp_path / "x.parquet")["i"].sum(), 4.0)


@pytest.mark.parametrize("index", ["named", "unnamed", "range"])
def test_the_index_of_pandas_comes_back(tmp_path, index):
    pdf = pd.DataFrame({"x": [1, 2, 3]})
    if index != "range":
        pdf.index = pd.Index(["a", "b", "c"], name="key" if index == "named" else None)
    pdf.to_parquet(tmp_path / "x.parquet")
    check(rd.read_parquet(tmp_path / "x.parquet"), pd.read_parquet(tmp_path / "x.parquet"))


def test_round_trip(tmp_path, df, pdf, npartitions):
    df.to_parquet(tmp_path / "out")
    assert len(list((tmp_path / "out").glob("*.parquet"))) == npartitions
    check(rd.read_parquet(tmp_path / "out"), pdf)
    check(pd.read_parquet(tmp_path / "out"), pdf)


def test_more_than_ten_files(tmp_path, pdf):
    rd.from_pandas(pdf, npartitions=12).to_parquet(tmp_path / "out")
    check(rd.read_parquet(tmp_path / "out"), pdf)
    check(rd.read_parquet(tmp_path / "out" / "*.parquet"), pdf)


def test_round_trip_without_index(tmp_path, df, pdf):
    df.to_parquet(tmp_path / "out", write_index=False)
    check(rd.read_parquet(tmp_path / "out").reset_index(drop=True), pdf)


def test_writing_again(tmp_path, pdf):
    rd.from_pandas(pdf, npartitions=3).to_parquet(tmp_path / "out")
    with pytest.raises(FileExistsError, match="overwrite"):
        rd.from_pandas(pdf.iloc[:2], npartitions=1).to_parquet(tmp_path / "out")
    rd.from_pandas(pdf.iloc[:2], npartitions=1).to_parquet(tmp_path / "out", overwrite=True)
    check(rd.read_parquet(tmp_path / "out"), pdf.iloc[:2])


def test_partition_on(tmp_path, df, pdf):
    df[["a", "f"]].to_parquet(tmp_path / "out", partition_on="a")
    back = pd.read_parquet(tmp_path / "out")
    assert sorted(back["a"].astype(int)) == sorted(pdf["a"])


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        rd.read_parquet(tmp_path / "nowhere.parquet")
    with pytest.raises(FileNotFoundError, match="empty"):
        (tmp_path / "empty").mkdir()
        rd.read_parquet(tmp_path / "empty")


def test_missing_column(folder):
    with pytest.raises(KeyError, match="nope"):
        rd.read_parquet(folder, columns=["nope"])


def test_a_corrupt_file_is_named(folder):
    (folder / "part.1.parquet").write_bytes(b"this is not Parquet at all, not even a little")
    with pytest.raises(Exception, match="part.1.parquet"):
        rd.read_parquet(folder).compute()


def test_a_truncated_file_is_named(folder):
    whole = (folder / "part.2.parquet").read_bytes()
    (folder / "part.2.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(Exception, match="part.2.parquet"):
        rd.read_parquet(folder).compute()


def test_files_with_other_columns(folder):
    pd.DataFrame({"other": [1]}).to_parquet(folder / "part.9.parquet")
    with pytest.raises(Exception, match="part.9.parquet|other|a"):
        rd.read_parquet(folder).compute()


def test_empty_file(tmp_path, pdf):
    pdf.iloc[:0].to_parquet(tmp_path / "x.parquet")
    check(rd.read_parquet(tmp_path / "x.parquet"), pdf.iloc[:0])


@pytest.mark.parametrize("index", ["t", "x", "k"])
def test_divisions_are_found_when_asked_for(tmp_path, index):
    frame = pd.DataFrame({"x": range(9), "k": list("abcabcabc")}, index=pd.date_range("2020", periods=9, name="t"))
    rd.from_pandas(frame, npartitions=3).to_parquet(tmp_path / "a")
    options = {} if index == "t" else {"index": index}
    assert not rd.read_parquet(tmp_path / "a", **options).known_divisions
    lazy = rd.read_parquet(tmp_path / "a", calculate_divisions=True, **options)
    labels = lazy.index.compute()
    # Three files have each of the letters.
    expected = (None,) * 4 if index == "k" else (labels[0], labels[3], labels[6], labels[8])
    assert lazy.divisions == expected
    if index != "k":
        assert lazy.loc[labels[1] : labels[4]].k.compute().tolist() == list("bcab")


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("written", ["pandas", "raskt"])
def test_categories_keep_their_order_and_those_without_rows(tmp_path, ordered, written):
    column = pd.Categorical(["b", "a", None, "d"], categories=["d", "b", "a", "unused"], ordered=ordered)
    table = pd.DataFrame({"c": column, "w": range(4)})
    if written == "pandas":
        table.to_parquet(tmp_path / "one.parquet")
    else:
        rd.from_pandas(table, npartitions=2).to_parquet(tmp_path)
    found = rd.read_parquet(tmp_path)
    check(found, table)
    check(found["c"].cat.codes, table["c"].cat.codes)
    check(found.sort_values("c"), table.sort_values("c", kind="stable"))


def test_categories_that_are_not_read_leave_the_native_reader_alone(tmp_path):
    path = tmp_path / "a.parquet"
    rows = pd.DataFrame({"x": np.arange(10.0), "c": pd.Categorical(list("ab") * 5, categories=["b", "a", "u"])})
    rows.to_parquet(path)
    for columns in (["x"], ["c"], ["x", "c"]):
        own = rd.read_parquet(path, columns=columns)
        pd.testing.assert_frame_equal(own.compute(), pd.read_parquet(path, columns=columns))
        assert ("pandas" in own.explain()) == ("c" in columns)
    for filters in ([("x", ">", 3)], [[("c", "==", "a")], [("x", "==", 1)]]):
        own, other = (read(path, columns=["x"], filters=filters) for read in (rd.read_parquet, pd.read_parquet))
        pd.testing.assert_frame_equal(own.compute().reset_index(drop=True), other.reset_index(drop=True))
    rows.set_index("c").to_parquet(path)
    pd.testing.assert_frame_equal(rd.read_parquet(path, columns=["x"]).compute(), pd.read_parquet(path, columns=["x"]))


@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize("more", [1, 2])
def test_named_numbers_are_appended_to_their_own_files(tmp_path, partitions, more):
    frame = pd.DataFrame({"x": [1, 2, 3, 4]}).rename_axis("p")
    rd.from_pandas(frame, npartitions=partitions).to_parquet(tmp_path)
    rd.from_pandas(frame, npartitions=more).to_parquet(tmp_path, append=True)
    found = rd.read_parquet(tmp_path).compute()
    assert found["x"].tolist() == [1, 2, 3, 4] * 2
    assert found.columns.tolist() == ["x"]


@pytest.mark.parametrize("noted", [True, False])
@pytest.mark.parametrize("columns", [None, ["a"]])
def test_filters_by_what_becomes_row_labels(tmp_path, noted, columns):
    frame = pd.DataFrame({"a": [1, 2, 3], "s": ["x", "y", "z"]})
    path = tmp_path / "file.parquet"
    (frame.set_index("s") if noted else frame).to_parquet(path)
    filters = [("s", ">", "x"), ("a", "<", 3)]
    found = rd.read_parquet(path, filters=filters, columns=columns, **({} if noted else {"index": "s"}))
    check(found, frame.set_index("s").iloc[1:2])
