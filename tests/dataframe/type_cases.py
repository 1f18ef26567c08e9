"""A column of every type that pandas has, for tests of what happens to types."""

from __future__ import annotations

import datetime as dt
import decimal
import zoneinfo

import numpy as np
import pandas as pd
import pyarrow as pa

DAYS = [dt.date(2020, 1, day) for day in (3, 1, 2, 1)]
LARGE = 2**53 + 1


def numbers(dtype: str) -> pd.Series:
    """Four small numbers, two of them equal."""
    return pd.Series([3, 1, 2, 1], dtype=dtype)


def arrow(values: list, kind: pa.DataType) -> pd.Series:
    """Values of an Arrow type, one of them missing."""
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.array([*values[:3], None], kind)))


def times(unit: str, zone: object = None) -> pd.Series:
    """Points in time, one of them missing."""
    found = pd.Series(pd.to_datetime(["2020-03-29 01:30:00", "1969-12-31 23:59:59", None, "2020-03-29 01:30:00"]))
    found = found.astype(f"datetime64[{unit}]")
    return found if zone is None else found.dt.tz_localize(zone)


def categories(values: list, among: list, ordered: bool) -> pd.Series:
    """Values of categories, one of which doesn't occur."""
    return pd.Series(pd.Categorical(values, categories=among, ordered=ordered))


PLAIN = {
    "bool": pd.Series([True, False, True, True]),
    **{name: numbers(name) for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")},
    "large uint64": pd.Series([2**64 - 1, 0, LARGE, 1], dtype="uint64"),
    "float32": pd.Series([1.5, np.nan, -0.0, np.inf], dtype="float32"),
    "float64": pd.Series([1.5, np.nan, -0.0, np.inf]),
    "str": pd.Series(["b", None, "ä", ""], dtype="str"),
    **{f"datetime64[{unit}]": times(unit) for unit in ("ms", "us", "ns")},
    **{
        f"timedelta64[{unit}]": pd.Series([3, 1, None, 1]).astype(f"timedelta64[{unit}]") for unit in ("ms", "us", "ns")
    },
    "datetime64[us, UTC]": times("us", "UTC"),
    "datetime64[ns, Europe/Berlin]": times("ns")
    .dt.tz_localize("UTC")
    .dt.tz_convert(zoneinfo.ZoneInfo("Europe/Berlin")),
}

NULLABLE = {
    **{
        name: pd.Series([3, 1, None, 1], dtype=name)
        for name in ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Float32", "Float64")
    },
    "large Int64": pd.Series([LARGE, None, -LARGE, 1], dtype="Int64"),
    "NaN in Float64": pd.Series(
        pd.arrays.FloatingArray(np.array([1.5, np.nan, -0.0, 0.0]), np.array([False, False, False, True]))
    ),
    "boolean": pd.Series([True, None, False, True], dtype="boolean"),
    "string[python]": pd.Series(["b", None, "ä", ""], dtype="string[python]"),
    "string[pyarrow]": pd.Series(["b", None, "ä", ""], dtype="string[pyarrow]"),
    "str of Python": pd.Series(["b", None, "ä", ""], dtype=pd.StringDtype("python", na_value=np.nan)),
}

ARROW = {
    **{
        str(kind): arrow([3, 1, 2], kind)
        for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint64(), pa.float32(), pa.float64())
    },
    "large int64": arrow([LARGE, 1, -LARGE], pa.int64()),
    "NaN in double": arrow([1.5, float("nan"), -0.0], pa.float64()),
    "bool": arrow([True, False, True], pa.bool_()),
    **{str(kind): arrow(["b", "ä", ""], kind) for kind in (pa.string(), pa.large_string())},
    **{str(kind): arrow([b"b", b"", b"\xff"], kind) for kind in (pa.binary(), pa.large_binary())},
    **{str(kind): arrow(DAYS, kind) for kind in (pa.date32(), pa.date64())},
    **{
        str(kind): arrow([3, 1, 2], kind)
        for kind in (pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"))
    },
    **{f"timestamp {unit}": arrow([3, 1, 2], pa.timestamp(unit)) for unit in ("s", "ms", "us", "ns")},
    "timestamp Berlin": arrow([3, 1, 2], pa.timestamp("us", "Europe/Berlin")),
    "timestamp +02:00": arrow([3, 1, 2], pa.timestamp("us", "+02:00")),
    **{f"duration {unit}": arrow([3, 1, 2], pa.duration(unit)) for unit in ("s", "ms", "us", "ns")},
    "decimal128": arrow(
        [decimal.Decimal("1.50"), decimal.Decimal("-2.25"), decimal.Decimal("0")], pa.decimal128(20, 2)
    ),
    "list": arrow([[1], [], [2, None]], pa.list_(pa.int64())),
    "struct": arrow([{"a": 1}, {"a": None}, {"a": 2}], pa.struct([("a", pa.int32())])),
    "dictionary": arrow(["b", "a", "b"], pa.dictionary(pa.int8(), pa.string())),
}

CATEGORIES = {
    f"{kind}{' ordered' if ordered else ''}": categories([values[1], None, values[0], values[1]], values, ordered)
    for ordered in (False, True)
    for kind, values in {
        "strings": ["z", "a", "unused"],
        "integers": [30, 10, 20],
        "floats": [0.5, -1.5, 2.5],
        "truths": [True, False],
        "times": list(pd.to_datetime(["2020-01-02", "2020-01-01", "2020-01-03"])),
        "intervals": list(pd.interval_range(0, 3)),
        "mixed": ["a", 1, (2, 3)],
    }.items()
}

OPAQUE = {
    "object": pd.Series([1, "a", None, float("nan")], dtype=object),
    "object of strings": pd.Series(["b", "a", None, "b"], dtype=object),
    "object of truths": pd.Series([True, None, False, True], dtype=object),
    "object of missing": pd.Series([None, float("nan"), pd.NaT, pd.NA], dtype=object),
    "object of dates": pd.Series([*DAYS[:3], None], dtype=object),
    "object of bytes": pd.Series([b"b", b"", None, b"\xff"], dtype=object),
    "object of lists": pd.Series([[1], [], None, ["a", None]], dtype=object),
    "object of decimals": pd.Series([decimal.Decimal("1.10"), None, decimal.Decimal("1.1"), 2], dtype=object),
    "period[D]": pd.Series(pd.PeriodIndex(["2020-01-03", "2020-01-01", None, "2020-01-03"], freq="D")),
    "period[Q-NOV]": pd.Series(pd.PeriodIndex(["2020Q3", "2020Q1", None, "2020Q3"], freq="Q-NOV")),
    "interval": pd.Series(pd.arrays.IntervalArray.from_tuples([(2.0, 3.0), (0.0, 1.0), None, (2.0, 3.0)], "left")),
    "interval of times": pd.Series(pd.interval_range(pd.Timestamp("2020-01-01"), periods=4)),
    "complex64": pd.Series([1 + 2j, np.nan, -0.0, 1j], dtype="complex64"),
    "complex128": pd.Series([1 + 2j, np.nan, -0.0, 1j]),
    "float16": pd.Series([1.5, np.nan, -0.0, np.inf], dtype="float16"),
    "longdouble": pd.Series(np.array([1.5, np.nan, -0.0, 1e-400], dtype=np.longdouble)),
    "sparse": pd.Series(pd.arrays.SparseArray([0, 1, 0, 2], fill_value=0)),
    "sparse floats": pd.Series(pd.arrays.SparseArray([np.nan, 1.5, np.nan, 2.5])),
    "datetime64[s]": times("s"),
    "timedelta64[s]": pd.Series([3, 1, None, 1]).astype("timedelta64[s]"),
    "datetime64[s, UTC]": times("s", "UTC"),
    "datetime64[us, +02:00]": times("us", dt.timezone(dt.timedelta(hours=2))),
}  # fmt: skip

FAMILIES = {"plain": PLAIN, "nullable": NULLABLE, "arrow": ARROW, "category": CATEGORIES, "opaque": OPAQUE}
#: A series of four rows for each type.
ALL = {f"{family}: {name}": series for family, cases in FAMILIES.items() for name, series in cases.items()}
