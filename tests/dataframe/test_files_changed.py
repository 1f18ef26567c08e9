"""Files that are others than when they were opened, and what earlier writes left."""

import os

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd

FRAME = pd.DataFrame({"v": [1, 2], "w": [30, 40]})

#: How a file is written, opened, and read by pandas for each file: natively, or by tasks.
WAYS = {
    "csv": (lambda frame, path: frame.to_csv(path, index=False), rd.read_csv),
    "csv in pandas": (lambda frame, path: frame.to_csv(path, index=False), lambda p: rd.read_csv(p, engine="python")),
    "parquet": (lambda frame, path: frame.to_parquet(path), rd.read_parquet),
    "parquet in pandas": (
        lambda frame, path: frame.to_parquet(path),
        lambda path: rd.read_parquet(path, dtype_backend="numpy_nullable"),
    ),
    "json": (lambda f, path: f.to_json(path, orient="records", lines=True), lambda p: rd.read_json(p, lines=True)),
}

CHANGES = {
    "columns in another order": FRAME[["w", "v"]],
    "a column gone": FRAME[["w"]],
    "a row less": FRAME[:1],
    "more rows": pd.concat([FRAME] * 3),
    "text": FRAME.assign(v=["a", "b"]),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("way", WAYS)
def test_a_file_that_was_written_since_is_told(tmp_path, way, change):
    write, read = WAYS[way]
    path = str(tmp_path / "file.data")
    write(FRAME, path)
    lazy = read(path)
    assert lazy["v"].sum().compute() == 3
    write(CHANGES[change], path)
    # Whatever the clock of the file system tells apart.
    os.utime(path, ns=(0, os.stat(path).st_mtime_ns + 10**9))
    for compute in (lazy["v"].sum().compute, lazy.compute, lazy.groupby("v").w.sum().compute, lazy.v.count().compute):
        with pytest.raises(OSError, match=r"file\.data` has been written since it was opened"):
            compute()


@pytest.mark.parametrize("way", WAYS)
def test_a_file_that_is_gone_is_named(tmp_path, way):
    write, read = WAYS[way]
    path = str(tmp_path / "file.data")
    write(FRAME, path)
    lazy = read(path)
    os.remove(path)
    with pytest.raises(FileNotFoundError, match=r"file\.data` has been removed since it was opened"):
        lazy["v"].sum().compute()


@pytest.mark.parametrize("way", ["csv", "parquet"])
def test_the_length_is_that_of_the_files_that_are_there(tmp_path, way):
    write, read = WAYS[way]
    path = str(tmp_path / "file.data")
    write(FRAME, path)
    lazy = read(path)
    assert len(lazy) == 2
    os.remove(path)
    with pytest.raises(FileNotFoundError, match="removed"):
        len(lazy)


def test_a_damaged_file_is_named(tmp_path):
    path = tmp_path / "x.parquet"
    FRAME.to_parquet(path)
    content = bytearray(path.read_bytes())
    content[4:200] = bytes(196)
    path.write_bytes(content)
    with pytest.raises(OSError, match=r"x\.parquet` is no Parquet file, or it is damaged"):
        rd.read_parquet(str(path)).compute()


@pytest.mark.parametrize("name", ["x-*.csv", "folder"])
@pytest.mark.parametrize("options", [{}, {"na_rep": "NA"}])
def test_files_of_an_earlier_write_are_not_mixed_with_new_ones(tmp_path, name, options):
    frame = rd.from_pandas(pd.DataFrame({"x": np.arange(8), "y": 1.5}), npartitions=4)
    place = str(tmp_path / name)
    frame.to_csv(place, index=False, **options)
    frame.to_csv(place, index=False, **options)
    with pytest.raises(FileExistsError, match="would not replace"):
        frame.repartition(npartitions=2).to_csv(place, index=False, **options)
    assert len(rd.read_csv(place)) == 8


def test_a_folder_is_not_written_into_a_file(tmp_path):
    path = str(tmp_path / "s.parquet")
    FRAME.to_parquet(path)
    lazy = rd.read_parquet(path)
    for write in (lazy.to_parquet, lazy.to_csv):
        with pytest.raises(NotADirectoryError, match=r"^'[^']*s\.parquet' is a file"):
            write(path)
    assert lazy.compute().equals(FRAME)


@pytest.mark.parametrize("frame", [FRAME[[]], pd.DataFrame()])
def test_frames_without_columns_are_written(tmp_path, frame):
    path = str(tmp_path / "x")
    rd.from_pandas(frame, npartitions=1).to_parquet(path)
    frame.to_parquet(tmp_path / "pandas")
    # Neither file has any rows: pyarrow counts them by columns.
    assert pd.read_parquet(f"{path}/part.0.parquet").shape == pd.read_parquet(tmp_path / "pandas").shape


def test_columns_of_several_levels_come_back(tmp_path):
    frame = pd.DataFrame([[1, 2.5]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")]))
    frame.to_parquet(tmp_path / "x.parquet")
    lazy = rd.read_parquet(str(tmp_path / "x.parquet"))
    assert lazy.columns.equals(frame.columns)
    pd.testing.assert_frame_equal(lazy.compute(), frame)
