"""Columns to try: every data type that pandas has, with edges and missing values, in few rows and odd partitions."""

from __future__ import annotations

import decimal
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

import raskt.dataframe as rd

ROWS = 9
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
UNITS = ["s", "ms", "us", "ns"]
NULLABLE = ["Int8", "Int32", "Int64", "UInt8", "UInt64", "Float32", "Float64", "boolean", "string"]
ARROW = {"int64[pyarrow]": pa.int64(), "uint8[pyarrow]": pa.uint8(), "double[pyarrow]": pa.float64(),
    "bool[pyarrow]": pa.bool_(), "string[pyarrow]": pa.string(), "timestamp[us][pyarrow]": pa.timestamp("us"),
    "decimal[pyarrow]": pa.decimal128(7, 2), "duration[ns][pyarrow]": pa.duration("ns"),
    "date32[pyarrow]": pa.date32(),}  # fmt: skip
CATEGORIES = ["category", "ordered", "category of int", "category of time"]
TIMES = [*(f"datetime64[{unit}]" for unit in UNITS), "datetime64[us, UTC]", "datetime64[ns, Europe/Berlin]"]
SPANS = [f"timedelta64[{unit}]" for unit in UNITS]
TYPES = ["bool", *INTEGERS, "float32", "float64", "complex128", "str", "object", "mixed", *CATEGORIES, *TIMES,
    *SPANS, *NULLABLE, *ARROW, "period[D]", "interval",]  # fmt: skip

WORDS = ["b", "a", None, "", "Zz", "é ß", "a", "10", "b"]
MOMENTS = [
    "2020-02-29 12:30",
    "1999-12-31 23:59:59",
    None,
    "2021-03-28 02:30",
    "2020-02-29 12:30",
    "1970-01-01",
    "2038-01-19 03:14:08",
    "2020-10-25 03:30",
    "1960-06-15",
]
SECONDS = [0, 1, None, 86399, -5, 90061, 1, 3600, -86400]


def values(kind: str) -> pd.Series:
    """Nine rows of a type; missing values among them where the type has any."""
    if kind in INTEGERS:
        low, high = np.iinfo(kind).min, np.iinfo(kind).max
        return pd.Series([1, 0, high, 3, low, 2, 1, high - 1, 7], dtype=kind)
    if kind.startswith(("Int", "UInt")) or kind in ("int64[pyarrow]", "uint8[pyarrow]"):
        whole = kind.partition("[")[0].lower()
        return pd.Series([1, 0, None, 3, int(np.iinfo(whole).max), 2, 1, None, 7], dtype=kind)
    if kind == "bool":
        return pd.Series([True, False, True, True, False, False, True, False, True])
    if kind in ("boolean", "bool[pyarrow]"):
        return pd.Series([True, False, None, True, False, False, None, False, True], dtype=kind)
    if kind in ("float32", "float64", "Float32", "Float64", "double[pyarrow]"):
        missing = np.nan if kind.startswith("float") else None
        numbers = [1.5, -0.0, missing, 2.5, -3.25, 1e30, 1.5, 0.0, 100.0]
        return pd.Series(numbers, dtype=kind if kind[0] != "f" else kind)
    if kind == "complex128":
        return pd.Series([1 + 2j, 0, np.nan, 3.5, -1j, 2, 1 + 2j, -4, 7j], dtype=kind)
    if kind in ("str", "string", "string[pyarrow]"):
        return pd.Series(WORDS, dtype=pd.ArrowDtype(ARROW[kind]) if kind in ARROW else kind)
    if kind == "object":
        return pd.Series(WORDS, dtype=object)
    if kind == "mixed":
        return pd.Series([1, "a", None, 2.5, True, 1, "a", 10**20, "b"], dtype=object)
    if kind in CATEGORIES:
        return _categories(kind)
    if kind.startswith(("datetime64", "timestamp")):
        return _times(kind)
    if kind.startswith(("timedelta64", "duration")):
        return pd.Series(pd.to_timedelta(SECONDS, unit="s").as_unit("ns")).astype(
            kind if kind[0] == "t" else pd.ArrowDtype(ARROW[kind])
        )
    if kind == "decimal[pyarrow]":
        texts = ["1.50", "0.00", None, "2.25", "-3.25", "100.00", "1.50", None, "7.00"]
        return pd.Series([text and decimal.Decimal(text) for text in texts], dtype=pd.ArrowDtype(ARROW[kind]))
    if kind == "date32[pyarrow]":
        return (
            pd.to_datetime(pd.Series(MOMENTS), format="ISO8601")
            .dt.date.where(lambda d: d.notna(), None)
            .astype(pd.ArrowDtype(pa.date32()))
        )
    if kind == "period[D]":
        return pd.to_datetime(pd.Series(MOMENTS), format="ISO8601").dt.to_period("D")
    assert kind == "interval", kind
    return pd.Series(pd.arrays.IntervalArray.from_breaks(range(ROWS + 1)))


def _categories(kind: str) -> pd.Series:
    if kind == "category of int":
        return pd.Series(pd.Categorical([3, 1, None, 10, 1, 1, 3, 10, 1], categories=[10, 3, 1, 7]))
    if kind == "category of time":
        return pd.Series(pd.Categorical(_times("datetime64[us]")))
    return pd.Series(
        pd.Categorical(
            ["b", "a", None, "c", "a", "a", "b", "c", "a"],
            categories=["c", "a", "b", "unused"],
            ordered=kind == "ordered",
        )
    )


def _times(kind: str) -> pd.Series:
    times = pd.to_datetime(pd.Series(MOMENTS), format="ISO8601").astype("datetime64[us]")
    if "," in kind:
        unit, zone = kind.removeprefix("datetime64[").removesuffix("]").split(", ")
        return times.dt.tz_localize("UTC").dt.tz_convert(zone).dt.as_unit(unit)
    return times.astype(kind if kind[0] == "d" else pd.ArrowDtype(ARROW[kind]))


def plain(kind: str) -> pd.Series:
    """Nine rows without missing values; numbers are small."""
    series = values(kind)
    numbers = [3, 1, 2, 2, 5, 1, 4, 3, 1]
    if kind in INTEGERS or kind.startswith(("Int", "UInt", "Float", "float", "complex", "int64[", "uint8[", "double")):
        return pd.Series(numbers).astype(series.dtype)
    return series.where(series.notna(), series.iloc[0]).astype(series.dtype)


def all_columns(kinds: tuple[str, ...]) -> pd.DataFrame:
    """Each type twice, with edges and plain, and each of those once more with its rows in another order (`'`)."""
    columns = {}
    for kind in kinds:
        for name, series in ((kind, values(kind)), (f"{kind}|plain", plain(kind))):
            columns[name] = series
            columns[name + "'"] = pd.concat([series.iloc[4:], series.iloc[:4]], ignore_index=True)
    return pd.DataFrame(columns)


def index(kind: str) -> pd.Index:
    """Row labels of a kind."""
    if kind == "duplicates":
        return pd.Index([3, 1, 3, 0, 2, 1, 5, 3, 0], name="label")
    if kind == "sorted":
        return pd.Index([-2, 0, 1, 1, 4, 5, 5, 5, 9])
    if kind == "text":
        return pd.Index(list("dbacfgeih"), name="word")
    if kind == "times":
        return pd.date_range("2021-03-27", periods=ROWS, freq="6h", name="when")
    if kind == "levels":
        return pd.MultiIndex.from_arrays([list("aabbbccca"), [1, 2, 1, 1, 3, 1, 2, 2, 1]], names=["k", None])
    if kind == "floats":
        return pd.Index([0.5, -1.0, np.nan, 2.0, 0.5, 7.25, 3.0, np.nan, 1.0])
    assert kind == "range", kind
    return pd.RangeIndex(ROWS)


CUTS = (0, 0, 2, 3, 3, 6, 8, 9, 9)
FRAMES = {
    "numbers": ["int64", "float64", "int8", "bool"],
    "small": ["int8|plain", "float32|plain", "uint64|plain"],
    "mixed": ["int64", "str", "float64", "datetime64[us]", "bool"],
    "times": ["datetime64[us]", "timedelta64[ns]"],
    "nullable": ["Int64", "Float64", "boolean"],
    "text": ["str", "object", "category"],
    "one": ["float64"],
    "keys": ["int64|plain", "str", "float64|plain", "bool", "category"],
}


class Frames:
    """Columns by names such as `int8`, `int8'`, `int8|plain`; frames as `frame:numbers`; all with the same rows."""

    reference, library = pd, rd

    def __init__(
        self,
        layouts: tuple[str, ...] = ("whole", "ragged"),
        labels: str = "range",
        kinds: tuple[str, ...] = tuple(TYPES),
    ) -> None:
        self.layouts = layouts
        self.table = all_columns(kinds).set_axis(index(labels))

    def concrete(self, name: str) -> Any:
        """A column, or a frame of some."""
        if name.startswith("frame:"):
            chosen = FRAMES[name[6:]]
            return self.table[chosen]
        if name == "index":
            return self.table.index
        return self.table[name]

    @cache  # noqa: B019
    def lazy(self, name: str, layout: str) -> Any:
        """The same, lazily, in the partitions that a layout has."""
        frame = self._whole(layout)
        if name == "index":
            return frame.index
        if name.startswith("frame:"):
            columns = FRAMES[name[6:]]
            return (
                frame[columns] if self._held(layout).issuperset(columns) else partitioned(self.table[columns], layout)
            )
        return frame[name] if name in self._held(layout) else partitioned(self.table[[name]], layout)[name]

    @cache  # noqa: B019
    def _held(self, layout: str) -> frozenset[str]:
        """The columns that a lazy frame can hold; another one fails by itself, in the cases that are about it."""
        return frozenset(name for name in self.table if holds(self.table[[name]], layout))

    @cache  # noqa: B019
    def _whole(self, layout: str) -> Any:
        return partitioned(self.table[[name for name in self.table if name in self._held(layout)]], layout)


def partitioned(table: Any, layout: str) -> Any:
    """A lazy frame in one partition, in three, in eight (four of them empty), or in three that are kept in memory."""
    if layout == "ragged":
        cut = [len(table) * at // ROWS for at in CUTS]
        parts = list(zip(cut, cut[1:]))
        return rd.from_map(lambda part: table.iloc[slice(*part)], parts, meta=table.iloc[:0]).persist()
    lazy = rd.from_pandas(table, npartitions=1 if layout == "whole" else 3, sort=False)
    return lazy.persist() if layout == "kept" else lazy


def holds(table: pd.DataFrame, layout: str) -> bool:
    """Whether a lazy frame of these columns can be made and computed."""
    try:
        partitioned(table, layout).compute()
    except Exception:
        return False
    return True
