"""Odd and damaged files, and columns that don't go together: errors in the words of pandas' users."""

import gzip
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from raskt.dataframe.io import publish

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


@pytest.mark.parametrize("options", [{}, {"quotechar": "'"}], ids=["natively", "by pandas"])
def test_links_and_pipes_stay(tmp_path, options):
    lazy = rd.from_pandas(pd.DataFrame({"a": [1, 2]}), npartitions=2)
    real, link, pipe = (tmp_path / name for name in ("real.csv", "link.csv", "pipe"))
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    lazy.to_csv(link, single_file=True, index=False, **options)
    assert link.is_symlink()
    assert real.read_text() == "a\n1\n2\n"
    assert real.stat().st_mode & 0o777 == 0o640
    os.mkfifo(pipe)
    heard = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()), daemon=True)
    reader.start()
    lazy.to_csv(pipe, single_file=True, index=False, **options)
    reader.join(10)
    assert heard == ["a\n1\n2\n"]
    assert pipe.is_fifo()


def test_standard_output_is_written_to():
    program = (
        "import pandas as pd, raskt.dataframe as rd\n"
        "rows = rd.from_pandas(pd.DataFrame({'a': [1, 2]}), npartitions=2)\n"
        "rows.to_csv('/dev/stdout', single_file=True, index=False)"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert told.stdout == "a\n1\n2\n"


def test_a_file_that_another_write_puts_there_meanwhile_is_replaced_as_well(tmp_path, monkeypatch):
    old, moved = tmp_path / "old", []
    old.write_text("of another")
    replace, times = os.replace, []

    def somebody_was_first(source, target):
        times.append(source)
        if len(times) < 5:
            raise FileNotFoundError(source)
        replace(source, target)

    monkeypatch.setattr(os, "replace", somebody_was_first)
    publish._move_aside(str(old), str(tmp_path / "aside" / "old"), moved)
    assert not old.exists() and len(moved) == 1
    # Where there is nothing any more, there is nothing to do.
    times.clear()
    publish._move_aside(str(old), str(tmp_path / "aside" / "old"), moved)
    assert len(moved) == 1


def test_many_threads_write_to_one_place(tmp_path):
    lazy = rd.from_pandas(pd.DataFrame({"a": range(10)}), npartitions=3)
    lazy.to_parquet(tmp_path / "p")

    def write():
        for _ in range(10):
            lazy.to_csv(tmp_path / "one.csv", single_file=True)
            lazy.to_parquet(tmp_path / "p", overwrite=True)

    with ThreadPoolExecutor(4) as threads:
        for future in [threads.submit(write) for _ in range(4)]:
            future.result()
    assert rd.read_parquet(tmp_path / "p").compute().a.tolist() == list(range(10))
    assert sorted(os.listdir(tmp_path)) == ["one.csv", "p"]
