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
