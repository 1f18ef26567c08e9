"""Texts of integers that may be missing: of floats if one of all rows is, as pandas has them, however rows are cut."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

CODES = {"a": 1, "b": 2}
TEXTS: dict[str, Callable[[Any, Any], Any]] = {
    "year": lambda lib, rows: lib.to_datetime(rows.s).dt.year.astype("str"),
    "year and month": lambda lib, rows: (
        lib.to_datetime(rows.s).dt.year.astype(str) + "-" + lib.to_datetime(rows.s).dt.month.astype(str).str.zfill(2)
    ),
    "mapped": lambda lib, rows: rows.k.map(CODES).astype("str"),
    "length": lambda lib, rows: rows.t.str.len().astype(str),
    "nullable text": lambda lib, rows: rows.k.map(CODES).astype("string"),
    "Arrow's text": lambda lib, rows: rows.k.map(CODES).astype("string[pyarrow]"),
    "object": lambda lib, rows: rows.k.map(CODES).astype(object),
    "frame": lambda lib, rows: rows.assign(y=rows.k.map(CODES))[["y"]].astype(str),
    "filter": lambda lib, rows: rows[rows.k.map(CODES).astype(str) == "1"],
    "groups": lambda lib, rows: rows.groupby(rows.k.map(CODES).astype(str)).size(),
    "sorted": lambda lib, rows: rows.assign(y=rows.k.map(CODES)).sort_values("s").y.astype(str),
    "joined": lambda lib, rows: rows.merge(pd.DataFrame({"k": ["a", "b"], "v": [7, 8]}), on="k", how="left").v.astype(
        str
    ),
}


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("missing", [True, False])
@pytest.mark.parametrize("partitions", [1, 3])
def test_texts_are_those_of_all_rows(text: str, missing: bool, partitions: int) -> None:
    last = (None, "z", None) if missing else ("2025-01-01", "b", "q")
    frame = pd.DataFrame(
        {"s": ["2024-01-01", "2024-02-01", "2024-03-05", last[0]], "k": ["a", "b", "a", last[1]],
         "t": ["x", "xy", "xyz", last[2]]}
    )  # fmt: skip
    check(TEXTS[text](rd, rd.from_pandas(frame, npartitions=partitions)), TEXTS[text](pd, frame))


GAPS: dict[str, Callable[[Any], Any]] = {
    "where": lambda rows: rows.i.where(rows.f > 0),
    "none missing": lambda rows: rows.i.where(rows.f > -5),
    "mapped": lambda rows: rows.k.map({"a": 1, "b": 2, "c": 3}),
    "length": lambda rows: rows.k.where(rows.f > 0).str.len(),
    "joined": lambda rows: rows.merge(pd.DataFrame({"k": ["a", "c"], "v": [7, 8]}), on="k", how="left").v,
    "large": lambda rows: (rows.i + 2**60).where(rows.f > 0),
}
USES: dict[str, Callable[[Any], Any]] = {
    "map": lambda column: column.map(str),
    "apply": lambda column: column.apply(str),
    "fill by text": lambda column: column.fillna("none").map(str),
    "replace by text": lambda column: column.replace(1, "x").map(str),
    "rows": lambda column: column.to_frame("z").apply(lambda row: str(row.z), axis=1),
    "cells": lambda column: column.to_frame("z").map(str),
    "combine": lambda column: column.combine(column, lambda one, other: str(one)),
    "nullable": lambda column: column.astype("Int64"),
    "Arrow's": lambda column: column.astype("int64[pyarrow]"),
    "texts": lambda column: column.astype("string"),
}


@pytest.mark.parametrize("gaps", GAPS)
@pytest.mark.parametrize("use", USES)
def test_functions_of_partitions_get_what_all_rows_tell(gaps: str, use: str) -> None:
    frame = pd.DataFrame({"i": [1, 2, 3, 4], "f": [1.0, -1, 1, 1], "k": list("abcd")})
    expected = USES[use](GAPS[gaps](frame))
    for partitions in (1, 2, 4):
        check(USES[use](GAPS[gaps](rd.from_pandas(frame, npartitions=partitions))), expected)


@pytest.mark.parametrize("gaps", GAPS)
@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("options", [{}, {"na_rep": "-"}, {"sep": ";"}], ids=str)
def test_files_are_written_alike(tmp_path: Any, gaps: str, partitions: int, options: dict[str, Any]) -> None:
    frame = pd.DataFrame({"i": [1, 2, 3, 4], "f": [1.0, -1, 1, 1], "k": list("abcd")})
    lazy = rd.from_pandas(frame, npartitions=partitions)
    frame["z"], lazy["z"] = GAPS[gaps](frame), GAPS[gaps](lazy)
    lazy.to_csv(tmp_path / "file.csv", single_file=True, index=False, **options)
    assert (tmp_path / "file.csv").read_text() == frame.to_csv(index=False, **options)
    paths = lazy.to_json(str(tmp_path / "*.json"))
    texts = "".join(Path(path).read_text() for path in paths)
    assert texts == frame.to_json(orient="records", lines=True)


@pytest.mark.parametrize("gaps", GAPS)
@pytest.mark.parametrize("options", [{"float_format": "%.2f"}, {"decimal": ","}, {"quoting": 2}], ids=str)
def test_forms_of_numbers_in_files(tmp_path: Any, gaps: str, options: dict[str, Any]) -> None:
    frame = pd.DataFrame({"i": [1, 2, 3, 4], "f": [1.0, -1, 1, 1], "k": list("abcd")})
    lazy = rd.from_pandas(frame, npartitions=3)
    frame["z"], lazy["z"] = GAPS[gaps](frame), GAPS[gaps](lazy)
    lazy.to_csv(tmp_path / "file.csv", single_file=True, index=False, sep=";", **options)
    assert (tmp_path / "file.csv").read_text() == frame.to_csv(index=False, sep=";", **options)
    paths = lazy.to_csv(tmp_path / "folder", index=False, header=False, sep=";", **options)
    texts = "".join(Path(path).read_text() for path in paths)
    assert texts == frame.to_csv(index=False, header=False, sep=";", **options)


NAMES = ["exact", "missing_labels", "may_miss", "partitions", "same_rows", "name", "inferred", "function", "by_labels"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("same", [True, False])
def test_arguments_of_functions_may_have_any_name(name: str, same: bool) -> None:
    frame = pd.DataFrame({"i": [1, 2, 3, 4], "f": [1.0, -1, 1, 1]})
    lazy = rd.from_pandas(frame, npartitions=2)
    told = lambda part, **options: part.z.map(str) + str(options)
    expected = told(frame.assign(z=frame.i.where(frame.f > 0)), **{name: 5})
    rows = lazy.assign(z=lazy.i.where(lazy.f > 0))
    if name == "name":
        return  # one of map_partitions' own, as in Dask
    check(rows.map_partitions(told, meta=("z", "str"), enforce_metadata=same, **{name: 5}), expected.rename("z"))
    by_row = lambda row, **options: f"{row.z}{options}"
    expected = frame.assign(z=frame.i.where(frame.f > 0)).agg(by_row, axis=1, **{name: 5})
    check(rows.agg(by_row, axis=1, **{name: 5}), expected)


def test_what_somebody_said_is_no_trial() -> None:
    frame = pd.DataFrame({"i": [1, 2, 3, 4], "f": [1.0, -1, 1, 1]})
    lazy = rd.from_pandas(frame, npartitions=2)
    rows = lazy.assign(z=lazy.i.where(lazy.f > 0))
    with pytest.raises(ValueError, match="its meta promised"):
        rows.map_partitions(lambda part: part.f.map(str), meta=("f", "float64")).compute()


def test_labels_that_may_be_missing_are_floats_in_all_partitions() -> None:
    frame = pd.DataFrame({"i": [1, 2, 3, 4, 5, 6], "f": [1.0, 1, 1, 1, 1, -1]})
    labelled = lambda rows, **options: rows.assign(z=rows.i.where(rows.f > 0)).set_index("z", **options)
    expected = labelled(frame).rename(str)
    found = labelled(rd.from_pandas(frame, npartitions=3), sort=False).rename(str)
    check(found, expected)


@pytest.mark.parametrize("partitions", [1, 2, 4])
def test_rows_of_functions_of_partitions_keep_their_labels(partitions: int) -> None:
    frame = pd.DataFrame({"i": [1, 2, 3, 4], "f": [1.0, -1, 1, 1]})
    lazy = rd.from_pandas(frame, npartitions=partitions)
    gapped = lambda rows: rows.assign(w=rows.i.where(rows.f > 0)).query("i > 0").reset_index(drop=True)
    expected, found = gapped(frame), gapped(lazy)
    check(found.map_partitions(lambda part: part), expected)
    check(found.w.map_partitions(lambda part: part * 2), expected.w * 2)
    check(found.map_partitions(lambda part: part.i) + found.i, expected.i * 2)
    check(found.map_partitions(lambda part, total: part.i + total, found.i.sum()), expected.i + expected.i.sum())


@pytest.mark.parametrize("partitions", [1, 2, 4])
@pytest.mark.parametrize("least", [0, -5])
def test_truth_values_that_may_be_missing_are_of_one_type(partitions: int, least: int) -> None:
    frame = pd.DataFrame({"b": [True, False, True, False], "f": [1.0, -1, 1, 1]})
    lazy = rd.from_pandas(frame, npartitions=partitions)
    column = lambda rows: rows.b.where(rows.f > least)
    for use in (lambda part: part.map(str), lambda part: part.astype("str") + part.dtype.str):
        check(column(lazy).map_partitions(use, meta=("b", "str")), use(column(frame)))


def test_many_columns_that_may_be_missing() -> None:
    frame = pd.DataFrame({"f": [1.0, -1, 1, 1], **{f"c{at}": [at, 2, 3, 4] for at in range(120)}})
    gapped = lambda rows: rows.where(rows.f > 0)
    check(gapped(rd.from_pandas(frame, npartitions=2)).map(str), gapped(frame).map(str))


TRUTHS: dict[str, Callable[[Any], Any]] = {
    "negative": lambda column: -column,
    "sum": lambda column: column + column,
    "product": lambda column: column * column,
    "absolute": lambda column: column.abs(),
    "round": lambda column: column.round(),
    "replace": lambda column: column.replace(1, "x"),
    "replace by numbers": lambda column: column.replace({1: 5}),
    "map by numbers": lambda column: column.map({1: "a"}),
    "map": lambda column: column.map({True: "a"}),
    "and": lambda column: column & True,
    "power": lambda column: column**2,
    "or": lambda column: column | True,
    "exclusive or": lambda column: True ^ column,
    "or another": lambda column: column | (column == True),  # noqa: E712
    "another or": lambda column: (column == 0) | column,
    "truth": lambda column: column.astype(bool),
    "truth of cells": lambda column: column.to_frame("z").astype({"z": "bool"}).z,
    "compare": lambda column: column == 1,
}


@pytest.mark.parametrize("partitions", [1, 2, 4])
@pytest.mark.parametrize("use", TRUTHS)
def test_truth_values_beside_missing_ones_are_objects(partitions: int, use: str) -> None:
    frame = pd.DataFrame({"b": [True, False, True, True], "f": [1.0, -1, 1, 1]})
    column = lambda rows: rows.b.where(rows.f > 0)
    check(TRUTHS[use](column(rd.from_pandas(frame, npartitions=partitions))), TRUTHS[use](column(frame)))


@pytest.mark.parametrize("partitions", [1, 2])
def test_what_pandas_does_not_invert(partitions: int) -> None:
    frame = pd.DataFrame({"b": [True, False, True, True], "f": [1.0, -1, 1, 1]})
    lazy = rd.from_pandas(frame, npartitions=partitions)
    with pytest.raises(TypeError, match="unary ~"):
        (~lazy.b.where(lazy.f > 0)).compute()
    check(~lazy.b.where(lazy.f > 0).fillna(False).astype(bool), ~frame.b.where(frame.f > 0).fillna(False).astype(bool))


@pytest.mark.parametrize("partitions", [1, 2, 3])
@pytest.mark.parametrize("name", ["i", "b"])
def test_rows_in_memory_that_lack_nothing_at_first(partitions: int, name: str) -> None:
    frame = pd.DataFrame(
        {"i": [1, 2, 3, 4, 5, 6], "b": [True, False] * 3, "f": [1.0, 1, 1, 1, 1, -1], "k": list("abcdef")}
    )
    gapped = lambda rows: rows.assign(z=rows[name].where(rows.f > 0))
    lazy = gapped(rd.from_pandas(frame, npartitions=partitions))
    check(lazy.map_partitions(lambda part: part), gapped(frame))
    check(lazy.z.map_partitions(lambda part: part.map(str)), gapped(frame).z.map(str))
    if name == "i":
        check(lazy.z.apply(lambda value: value), gapped(frame).z)
    else:
        with pytest.raises(NotImplementedError, match="another type for these values than for the few rows"):
            lazy.z.apply(lambda value: value).compute()  # pandas makes truth values of objects that are all such
    check(lazy.apply(lambda row: str(row.z), axis=1), gapped(frame).apply(lambda row: str(row.z), axis=1))


@pytest.mark.parametrize("partitions", [1, 2, 4])
def test_levels_that_may_be_missing_are_told_by_all_rows(partitions: int) -> None:
    frame = pd.DataFrame({"i": [1, 2, 3, 4], "f": [1.0, 1, 1, -1], "v": [5, 6, 7, 8]})
    labelled = lambda rows, **options: rows.assign(z=rows.i.where(rows.f > 0)).set_index(["z", "i"], **options)
    found = labelled(rd.from_pandas(frame, npartitions=partitions), sort=False).rename(index=str)
    check(found, labelled(frame).rename(index=str))


@pytest.mark.parametrize("name", ["plainly", "by_labels", "exact", "partitions", "same_rows", "gather"])
def test_arguments_of_functions_of_values_may_have_any_name(name: str) -> None:
    column = pd.Series([1, 2, 3])
    lazy = rd.from_pandas(column, npartitions=2)
    told = lambda value, **options: value + options.get(name, 100)
    check(lazy.apply(told, **{name: 5}), column.apply(told, **{name: 5}))
    check(lazy.map_overlap(told, 1, 1, **{name: 5}), column + 5)
    other = rd.from_pandas(column, npartitions=2)
    check(
        lazy.map_partitions(lambda one, two, **options: told(one, **options) + two, other, **{name: 5}), column * 2 + 5
    )
