"""Texts of integers that may be missing: of floats if one of all rows is, as pandas has them, however rows are cut."""

from __future__ import annotations

from collections.abc import Callable
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
