"""An empty text is a name like others: of columns, of rows, of levels, in and out of files."""

import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

TABLE = pd.DataFrame({"": [3, 1, 2, 1], "v": [1.0, 2.0, 3.0, 4.0], "w": list("abab")})
IN_PLACE = {pd: {}, rd: {"sort": False}}

ROWS = {
    "label": lambda lib, x: x.set_index("", **IN_PLACE[lib]),
    "levels": lambda lib, x: x.set_index(["", "w"], **IN_PLACE[lib]),
    "series of no name": lambda lib, x: x.set_index(x["v"].rename(""), **IN_PLACE[lib]),
    "renamed": lambda lib, x: x.rename_axis(""),
    "other level": lambda lib, x: x.set_index(["", "w"], **IN_PLACE[lib]).rename_axis([None, ""]),
}
AFTER = {
    "rows": lambda lib, x: x,
    "labels": lambda lib, x: x.index,
    "reset": lambda lib, x: x.rename(columns={"": "e"}).reset_index(),
    "shift": lambda lib, x: x.shift(1),
    "sum": lambda lib, x: x["v"] + 1,
    "concat": lambda lib, x: lib.concat([x, x]),
    "cut": lambda lib, x: x.map_partitions(lambda part: part) if lib is rd else x,
    "persisted": lambda lib, x: x.persist() if lib is rd else x,
    "first level": lambda lib, x: x.index.get_level_values(0),
    "groupby": lambda lib, x: x.groupby(level=0)["v"].sum(),
}
COLUMNS = {
    "groupby": lambda lib, x: x.groupby("").sum(),
    "several keys": lambda lib, x: x.groupby(["", "w"])["v"].agg(["sum", "mean"]),
    "not labels": lambda lib, x: x.groupby("", as_index=False)["v"].sum(),
    "series by series": lambda lib, x: x["v"].groupby(x[""]).sum(),
    "apply": lambda lib, x: x.groupby("")[["v"]].apply(lambda rows: rows.sum()),
    "rolling": lambda lib, x: x.groupby("")["v"].rolling(2).sum(),
    "level": lambda lib, x: x.set_index(["", "w"], **IN_PLACE[lib]).groupby(level="")["v"].sum(),
    "count": lambda lib, x: x[""].value_counts(),
    "counts": lambda lib, x: x[["", "w"]].value_counts(),
    "sums": lambda lib, x: x[["", "v"]].sum(),
    "merge": lambda lib, x: x.merge(x[["", "w"]], on="", how="outer"),
    "join": lambda lib, x: x[["", "v"]].join(x.groupby("")["w"].count().rename("n"), on=""),
    "column": lambda lib, x: x[""] + 1,
    "different": lambda lib, x: x[""].drop_duplicates(),
    "rename": lambda lib, x: x["v"].rename(""),
    "frame": lambda lib, x: x["v"].to_frame(""),
    "reset": lambda lib, x: x[["v"]].reset_index(names=""),
}


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("after", AFTER)
@pytest.mark.parametrize("rows", ROWS)
def test_rows_labelled_by_an_empty_name(rows, after, partitions):
    program = lambda lib, x: AFTER[after](lib, ROWS[rows](lib, x))
    check(program(rd, rd.from_pandas(TABLE, npartitions=partitions)), program(pd, TABLE))


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("name", COLUMNS)
def test_columns_of_an_empty_name(name, partitions):
    check(COLUMNS[name](rd, rd.from_pandas(TABLE, npartitions=partitions)), COLUMNS[name](pd, TABLE))


@pytest.mark.parametrize("name", [None, ""])
@pytest.mark.parametrize("method", ["sum", "value_counts", "describe", "to_frame", "reset_index", "drop_duplicates"])
def test_series_without_a_name_are_others(method, name):
    rows = TABLE["v"].rename(name)
    check(getattr(rd.from_pandas(rows, npartitions=2), method)(), getattr(rows, method)())


@pytest.mark.parametrize("rows", [TABLE, TABLE.set_index(""), TABLE.rename_axis("v")])
def test_files_keep_empty_names(rows, tmp_path):
    lazy = rd.from_pandas(rows, npartitions=2, sort=False)
    lazy.to_csv(str(tmp_path / "rows.csv"), single_file=True)
    assert (tmp_path / "rows.csv").read_text() == rows.to_csv()
    if rows.index.name != "v":
        lazy.to_parquet(str(tmp_path / "rows"))
        check(rd.read_parquet(str(tmp_path / "rows")), rows)
