"""Objects in Parquet files: a partition that doesn't tell their type has the one that they have in the others."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

import raskt.dataframe as rd

OBJECTS: dict[str, tuple[list[Any], list[Any]]] = {
    "lists of text": ([["a"], ["b", "c"], []], [[], [], None]),
    "lists of numbers": ([[1], [2, 3], []], [[], [], None]),
    "records": ([{"a": 1}, {"a": 2}, None], [None, None, None]),
    "bytes": ([b"a", b"", None], [None, None, None]),
    "dates": ([datetime.date(2020, 1, 1), None, None], [None, None, None]),
    "decimals": ([Decimal("1.5"), Decimal("2.5"), None], [None, None, None]),
}


@pytest.mark.parametrize("compression", ["snappy", None])
@pytest.mark.parametrize("untold", ["empty", "nothing"])
@pytest.mark.parametrize("order", ["first", "last", "between"])
@pytest.mark.parametrize("name", OBJECTS)
def test_partitions_that_tell_no_type(
    name: str, order: str, untold: str, compression: str | None, tmp_path: Path
) -> None:
    told, missing = (pd.DataFrame({"x": pd.Series(values, dtype=object), "i": range(3)}) for values in OBJECTS[name])
    untyped = told.iloc[:0] if untold == "empty" else missing
    parts = {"first": [untyped, untyped, told], "last": [told, untyped], "between": [told, untyped, told]}[order]
    lazy = rd.from_map(lambda at: parts[at], range(len(parts)), meta=told.iloc[:0])
    lazy.to_parquet(tmp_path / "x", compression=compression)
    schemas = [pq.read_schema(path) for path in sorted((tmp_path / "x").iterdir())]
    assert len({str(schema.field("x").type) for schema in schemas}) == 1
    pd.concat(parts).to_parquet(tmp_path / "whole.parquet")
    expected = pd.read_parquet(tmp_path / "whole.parquet")
    for found in (pd.read_parquet(tmp_path / "x"), rd.read_parquet(str(tmp_path / "x")).compute()):
        assert [repr(value) for value in found["x"]] == [repr(value) for value in expected["x"]]
        assert found["i"].tolist() == expected["i"].tolist()


@pytest.mark.parametrize("values", [["a", "b"], [b"a", b"b"], [Decimal("1.5"), Decimal("2.5")], [[1], [2, 3]],
                                    [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)], [True, False]])  # fmt: skip
@pytest.mark.parametrize("dtype", ["object", "str"])
@pytest.mark.parametrize("npartitions", [1, 2])
def test_what_is_all_missing_is_appended_to_values(
    tmp_path: Path, values: list[Any], dtype: str, npartitions: int
) -> None:
    there = pd.DataFrame({"s": pd.Series(values, dtype=object), "x": [1, 2]})
    if dtype == "str" and isinstance(values[0], str):
        there = there.astype({"s": "str"})
    folder = str(tmp_path / "data")
    rd.from_pandas(there, npartitions=npartitions).to_parquet(folder)
    missing = pd.DataFrame({"s": pd.Series([None, None], dtype=object), "x": [3, 4]})
    rd.from_pandas(missing, npartitions=npartitions).to_parquet(folder, append=True)
    found = rd.read_parquet(folder).compute()
    assert found.x.tolist() == [1, 2, 3, 4]
    assert found.s.isna().tolist() == [False, False, True, True]
    types = {str(pq.read_schema(path).field("s").type) for path in (tmp_path / "data").glob("*.parquet")}
    assert len(types) == 1
