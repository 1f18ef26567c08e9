"""Functions that look at row labels see those that all rows together have, where rows were numbered anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import raskt.array as ra
import raskt.dataframe as rd
from frame_comparing import check

FRAME = pd.DataFrame({"x": range(6), "y": [3, 1, 4, 1, 5, 9]})
BOUNDS = pd.Series(range(100, 106))
NUMBERED: dict[str, Callable[[Any], Any]] = {
    "filtered": lambda rows: rows[rows.x >= 0].reset_index(drop=True),
    "sorted": lambda rows: rows.sort_values("x", ignore_index=True),
    "merged": lambda rows: rows.merge(pd.DataFrame({"x": range(6)}), on="x").sort_values("x", ignore_index=True),
    "mapped": lambda rows: (
        rows if isinstance(rows, pd.DataFrame) else rows.map_partitions(lambda part: part).reset_index(drop=True)
    ),
}
SEEN: dict[str, Callable[[Any], Any]] = {
    "clip a column": lambda rows: rows.x.clip(BOUNDS),
    "clip": lambda rows: rows.clip(BOUNDS, axis=0),
    "isin a frame": lambda rows: rows.isin(FRAME[FRAME.x > 3]),
    "isin series": lambda rows: rows.isin({"x": BOUNDS - 100, "y": pd.Series([1], index=[3])}),
    "isin columns": lambda rows: rows.isin({"x": [1, 5]}),
    "eval": lambda rows: rows.eval("index * 10 + x"),
    "eval into a column": lambda rows: rows.eval("z = index"),
    "eval by name": lambda rows: rows.rename_axis("q").eval("q * 10 + x"),
    "eval by level": lambda rows: rows.eval("ilevel_0 + x"),
    "query": lambda rows: rows.query("index + x > 6"),
    "agg of rows": lambda rows: rows.agg(lambda row: row.name, axis=1),
    "agg of rows by several": lambda rows: rows.agg([lambda row: row.name], axis=1).set_axis(["a"], axis=1),
    "apply to rows": lambda rows: rows.apply(lambda row: row.name, axis=1),
    "apply to rows, named": lambda rows: rows.rename_axis("q").apply(lambda row: row.name + row.x, axis=1),
    "where": lambda rows: rows.where(FRAME > 2, -1),
    "combine": lambda rows: rows.x.combine(BOUNDS, max),
    "callable": lambda rows: rows.where(lambda part: part.x > 2),
}


@pytest.mark.parametrize("source", NUMBERED)
@pytest.mark.parametrize("use", SEEN)
@pytest.mark.parametrize("partitions", [1, 3])
def test_labels_are_those_of_all_rows(source: str, use: str, partitions: int) -> None:
    lazy = rd.from_pandas(FRAME, npartitions=partitions)
    check(SEEN[use](NUMBERED[source](lazy)), SEEN[use](NUMBERED[source](FRAME)))


def test_rows_of_an_array_are_numbered_as_one() -> None:
    lazy = rd.from_array(ra.arange(6, chunks=2), columns="x").to_frame()
    check(lazy.eval("index + x"), pd.DataFrame({"x": np.arange(6)}).eval("index + x"))


def test_correlations_along_rows_meet_by_labels() -> None:
    lazy = NUMBERED["filtered"](rd.from_pandas(FRAME, npartitions=3))
    other = FRAME[::-1] * 2 + 1
    check(lazy.corrwith(other, axis=1), FRAME.corrwith(other, axis=1))
