"""Trials of functions on rows of integers and truth values that may be missing, none of which is among the first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

ROWS = pd.DataFrame({"i": [1, 2, 3, 4, 5, 6], "f": [1.0, 1, 1, 1, 1, -1], "k": list("abcabc")})
SOURCES: dict[str, Callable[[Any], Any]] = {
    "memory": lambda rows: rows.assign(z=rows.i.where(rows.f > 0), w=(rows.i > 2).where(rows.f > 0)),
    "join": lambda rows: rows.merge(
        pd.DataFrame({"i": [1, 2, 3, 4, 5], "z": [1, 2, 3, 4, 5], "w": [True] * 5}), on="i", how="left"
    ),
}
USES: dict[str, Callable[[Any], Any]] = {
    "filter": lambda rows: rows.groupby("k").filter(lambda group: len(group) > 1),
    "apply": lambda rows: rows.groupby("k").apply(lambda group: group.head(1)),
    "transform": lambda rows: rows.groupby("k").z.transform(lambda values: values),
    "agg": lambda rows: rows.groupby("k").z.agg(lambda values: values.iloc[0]),
    "columns": lambda rows: rows[["z", "i"]].apply(lambda column: column),
    "groups": lambda rows: rows.groupby("z", dropna=False).i.apply(lambda values: values.sum()),
    "groups of truth": lambda rows: rows.groupby("w").i.agg(lambda values: values.sum()),
    "texts of rows": lambda rows: rows.groupby("k").head(1).z.map(str),
    "texts beside one": lambda rows: rows.drop(columns="w").groupby("k").head(1).z.map(str),
    "overlap": lambda rows: rows.z if isinstance(rows, pd.DataFrame) else rows.z.map_overlap(lambda part: part, 1, 1),
}


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("source", SOURCES)
def test_rows_of_trials_are_of_the_promised_types(source: str, use: str, partitions: int) -> None:
    lazy = SOURCES[source](rd.from_pandas(ROWS, npartitions=partitions))
    check(USES[use](lazy), USES[use](SOURCES[source](ROWS)))


@pytest.mark.parametrize("partitions", [1, 2, 3])
@pytest.mark.parametrize("beside", ["value", "rows"])
def test_partitions_beside_others_are_of_the_types_of_all_rows(beside: str, partitions: int) -> None:
    rows = SOURCES["memory"](rd.from_pandas(ROWS, npartitions=partitions))
    other = rd.from_pandas(ROWS.copy(), npartitions=partitions)
    texts = lambda part, _: part.z.map(str)
    found = rd.map_partitions(texts, rows, other.i.sum() if beside == "value" else other)
    assert found.compute().tolist() == ["1.0", "2.0", "3.0", "4.0", "5.0", "nan"]


def test_wide_rows_keep_their_columns() -> None:
    wide = pd.DataFrame({"k": [1], **{f"c{at}": [at] for at in range(120)}})
    rows = pd.DataFrame({"k": [1, 2, 1]})
    lazy = rd.from_pandas(rows, npartitions=3).merge(rd.from_pandas(wide, npartitions=1), on="k", how="left")
    expected = rows.merge(wide, on="k", how="left")
    check(lazy.map_partitions(lambda part: part.iloc[:, ::-1]), expected.iloc[:, ::-1])
