"""Odd and damaged files, and columns that don't go together: errors in the words of pandas' users."""

import gzip

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd

INNER_WORDS = (
    "polars",
    "lazyframe",
    "supertype",
    "_tmp_",
    "thrift",
    "infer_schema",
    "panick",
    "dtype `i64`",
    "ignore_errors",
)

FILES = {
    "changed later": (b"a,b\n1,2\n", b"a,b\nx,y\n"),
    "gone later": (b"a,b\n1,2\n", None),
    "longer later": (b"a,b\n1,2\n", b"a,b\n1,2,3\n4,5,6\n"),
    "packed badly": (gzip.compress(b"a,b\n1,2\n")[:-8], b""),
    "no text": (bytes(range(256)) * 4, b""),
    "an open quote": (b'a,b\n"1,2\n', b""),
    "long rows": (b"a,b\n1,2\n1,2,3\n", b""),
    "other encoding": ("a,b\né,1\n".encode("latin-1"), b""),
    "nothing": (b"", b""),
}


@pytest.mark.parametrize("name", FILES)
def test_files_are_told_in_plain_words(tmp_path, name):
    before, after = FILES[name]
    path = tmp_path / ("file.csv.gz" if "packed" in name else "file.csv")
    path.write_bytes(before)
    with pytest.raises(Exception) as error:
        frame = rd.read_csv(path)
        if after is None:
            path.unlink()
        elif after:
            path.write_bytes(after)
        found = frame.compute()
        # Whoever changes a file while it is read may be told nothing, but gets no numbers that aren't in it.
        raise ValueError(f"read all the same: {found.to_dict('list')}")
    told = f"{type(error.value).__name__}: {error.value}".lower()
    assert not any(word in told for word in INNER_WORDS), told


PAIRS = [
    (pd.Series([1, 2]), pd.Series(["a", "b"])),
    (pd.Series([1, 2]), pd.Series(pd.to_datetime(["2020", "2021"]))),
    (pd.Series(["a", "b"]), pd.Series(pd.to_timedelta([1, 2], unit="D"))),
    (pd.Series(pd.Categorical(["a", "b"])), pd.Series([1.5, 2.5])),
    (pd.Series(pd.Categorical(["a", "b"])), pd.Series(pd.Categorical(["x", "y"]))),
    (pd.Series(np.array([1, 2], "uint64")), pd.Series(np.array([1, 2], "int64"))),
]


@pytest.mark.parametrize("operation", ["add", "lt", "eq", "fillna", "where", "isin", "floordiv"])
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0].dtype} and {pair[1].dtype}")
def test_operations_are_told_in_plain_words(operation, pair):
    frame = rd.from_pandas(pd.DataFrame({"x": pair[0], "y": pair[1]}), npartitions=2)
    try:
        if operation == "where":
            frame.x.where(frame.x.notna(), frame.y).compute()
        elif operation == "isin":
            frame.x.isin(list(pair[1])).compute()
        else:
            getattr(frame.x, operation)(frame.y).compute()
    except Exception as error:
        told = str(error).lower()
        assert not any(word in told for word in INNER_WORDS), told


def test_other_files_of_a_folder_are_left_alone(tmp_path):
    """A copy beside a file is none of the rows, whoever reads it; packed files are."""
    rows = pd.DataFrame({"x": [1, 2]})
    rows.to_csv(tmp_path / "a.csv", index=False)
    rows.to_csv(tmp_path / "a.csv.bak", index=False)
    rows.to_csv(tmp_path / "b.csv.gz", index=False)
    rows.to_csv(tmp_path / "c.csv.bz2", index=False)
    for options in ({}, {"thousands": ","}):
        assert rd.read_csv(str(tmp_path), **options)["x"].compute().tolist() == [1, 2, 1, 2, 1, 2]
    rows.to_parquet(tmp_path / "a.parquet")
    (tmp_path / "a.parquet.bak").write_bytes(b"")
    assert rd.read_parquet(str(tmp_path))["x"].compute().tolist() == [1, 2]
