"""Choosing rows and columns, and whatever depends on the order, the labels or the partitions of rows."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from .arguments import text_of
from .case import Case, Cases

KINDS = ("int64", "float64", "int8", "bool", "str", "datetime64[us]", "boolean", "bool[pyarrow]")
LABELS: dict[str, list[Any]] = {"range": [0, 3, -1, 9, [2, 1], [1, 9], [3, 3], slice(2, 5), slice(None, 3), slice(5,
    2), slice(None, None, 2), slice(3, None), [], slice(-3, 100)], "duplicates": [3, 0, 9, [3, 0], [0, 0], [9],
    slice(3, 5), slice(None), [], slice(2, 2)], "sorted": [1, 5, 3, [5, 1], slice(0, 5), slice(2, 4), slice(-10, 3),
    slice(None, 1), [5, 5], slice(5, 0)], "text": ["a", "z", ["a", "d"], ["d", "a", "d"], slice("b", "f"),
    slice("d", "c"), [], slice(None, "c"), ["a", "zz"]], "times": ["2021-03-28", "2021-03",
    pd.Timestamp("2021-03-28"), "2021-03-28 06:00", slice("2021-03-27 12", "2021-03-28"), slice("2021-03-28", None),
    [pd.Timestamp("2021-03-28")], "2030", pd.Timestamp("2030-01-01"), slice(pd.Timestamp("2021-03-27 07:00"),
    pd.Timestamp("2021-03-28 07:00"))], "levels": ["a", ("b", 1), [("a", 2), ("c", 1)], "z", slice("a", "b"), ("b",
    slice(None)), [], slice(None)], "floats": [0.5, 7.25, 9.0, [0.5, 3.0], np.nan, slice(-1.0, 3.0), []],}  # fmt: skip
POSITIONS: list[Any] = [0, 3, -1, 9, -10, [2, 1], [3, 3], [9], slice(2, 5), slice(None, 3), slice(5, 2), slice(None,
    None, 2), slice(None, None, -1), slice(-3, None), slice(3, -3), [], slice(20, 30), np.array([0, 8]), [True,
    False, True] * 3, np.arange(9) % 2 == 0,]  # fmt: skip
COLUMNS: list[Any] = [
    slice(None),
    "int64",
    ["int64"],
    ["float64", "int64"],
    "nope",
    ["int64", "nope"],
    slice("float64", "int8"),
    [True, False, True, False],
    0,
    [0, 1],
    slice(0, 2),
    slice(None, None, -1),
    -1,
    [],
    7,
]
CHANGES: dict[str, Callable[[Any, Any], Any]] = {
    "head": lambda lib, x: x.head(4),
    "head 0": lambda lib, x: x.head(0),
    "tail": lambda lib, x: x.tail(4),
    "sort_values": lambda lib, x: x.sort_values("int64", kind="stable"),
    "sort_values down": lambda lib, x: x.sort_values("float64", ascending=False, kind="stable"),
    "sort_values two": lambda lib, x: x.sort_values(["bool", "int64"], ascending=[False, True]),
    "sort_index": lambda lib, x: x.sort_index(kind="stable"),
    "sort_index down": lambda lib, x: x.sort_index(ascending=False, kind="stable"),
    "reset_index": lambda lib, x: x.reset_index(),
    "reset_index drop": lambda lib, x: x.reset_index(drop=True),
    "set_index": lambda lib, x: _labelled(lib, x, "int64"),
    "set_index append": lambda lib, x: _labelled(lib, x, "int64", append=True),
    "set_index two": lambda lib, x: _labelled(lib, x, ["bool", "int64"]),
    "set_index keep": lambda lib, x: _labelled(lib, x, "bool", drop=False),
    "drop_duplicates": lambda lib, x: x.drop_duplicates("bool"),
    "drop_duplicates last": lambda lib, x: x.drop_duplicates("bool", keep="last"),
    "drop_duplicates none": lambda lib, x: x.drop_duplicates("int64", keep=False),
    "drop_duplicates all": lambda lib, x: x.drop_duplicates(),
    "dropna": lambda lib, x: x.dropna(),
    "ffill": lambda lib, x: x.ffill(),
    "bfill": lambda lib, x: x.bfill(),
    "shift": lambda lib, x: x.shift(2),
    "shift back": lambda lib, x: x.shift(-1),
    "diff": lambda lib, x: x[["int64", "float64"]].diff(),
    "cumsum": lambda lib, x: x.cumsum(),
    "cummax": lambda lib, x: x["float64"].cummax(),
    "rank": lambda lib, x: x.rank(),
    "concat": lambda lib, x: lib.concat([x, x]),
    "concat new": lambda lib, x: lib.concat([x, x], ignore_index=True),
    "concat keys": lambda lib, x: lib.concat([x, x], keys=["a", "b"]),
    "concat other": lambda lib, x: lib.concat([x, x[["int64"]]]),
    "concat inner": lambda lib, x: lib.concat([x, x[["int64"]]], join="inner"),
    "merge": lambda lib, x: x.merge(x, on="int64"),
    "merge left": lambda lib, x: x.merge(x[["int64", "int8"]], on="int64", how="left"),
    "merge index": lambda lib, x: x.merge(x[["int8"]], left_index=True, right_index=True),
    "join": lambda lib, x: x.join(x[["int8"]].rename(columns={"int8": "z"})),
    "merge bool": lambda lib, x: x.merge(x[["bool", "int8"]], on="bool", suffixes=("_l", "_r"), indicator=True),
    "value_counts": lambda lib, x: x["int64"].value_counts(),
    "unique": lambda lib, x: x["int64"].unique(),
    "mode": lambda lib, x: x.mode(),
    "nlargest": lambda lib, x: x.nlargest(3, "int64"),
    "nsmallest": lambda lib, x: x["float64"].nsmallest(3),
    "idxmax": lambda lib, x: x["int64"].idxmax(),
    "idxmin": lambda lib, x: x.idxmin(),
    "describe": lambda lib, x: x.describe(),
    "index": lambda lib, x: x.index,
    "index max": lambda lib, x: x.index.max(),
    "index unique": lambda lib, x: x.index.unique(),
    "index nunique": lambda lib, x: x.index.nunique(),
    "index to_frame": lambda lib, x: x.index.to_frame(),
    "index to_series": lambda lib, x: x.index.to_series(),
    "index map": lambda lib, x: x.index.map(str),
    "index isin": lambda lib, x: x.index.isin([1, "a"]),
    "index isna": lambda lib, x: x.index.isna(),
    "index duplicated": lambda lib, x: x.index.duplicated(),
    "index name": lambda lib, x: x.index.name,
    "index dtype": lambda lib, x: x.index.dtype,
    "index plus": lambda lib, x: x.index + x.index,
    "index monotonic": lambda lib, x: x.index.is_monotonic_increasing,
    "index size": lambda lib, x: x.index.size,
    "index astype": lambda lib, x: x.index.astype(str),
    "index sort": lambda lib, x: x.index.sort_values(),
    "index rename": lambda lib, x: x.index.rename("new"),
    "rename_axis": lambda lib, x: x.rename_axis("new"),
    "rename_axis columns": lambda lib, x: x.rename_axis(columns="c"),
    "boolean": lambda lib, x: x[x["bool"]],
    "boolean column": lambda lib, x: x["int64"][x["float64"] > 1],
    "boolean none": lambda lib, x: x[x["int64"] > 2**62].iloc[:0] if lib is pd else x[x["int64"] > 2**62].head(0),
    "assign": lambda lib, x: x.assign(z=x["int64"] + x["float64"]),
    "add self": lambda lib, x: x + x,
    "add series": lambda lib, x: x["int64"] + x["float64"],
    "melt": lambda lib, x: x.melt(id_vars="bool"),
    "explode": lambda lib, x: x.explode("int64"),
    "groupby": lambda lib, x: x.groupby("bool").sum(),
    "groupby first": lambda lib, x: x.groupby("bool").first(),
    "groupby last": lambda lib, x: x.groupby("bool")["int64"].last(),
    "groupby cumsum": lambda lib, x: x.groupby("bool")["float64"].cumsum(),
    "groupby level": lambda lib, x: x.groupby(level=0).sum(),
    "groupby transform": lambda lib, x: x.groupby("bool")["int64"].transform("max"),
    "groupby head": lambda lib, x: x.groupby("bool").head(2),
    "groupby shift": lambda lib, x: x.groupby("bool").shift(1),
    "groupby index": lambda lib, x: x.groupby(x.index).count(),
    "rolling": lambda lib, x: x["float64"].rolling(3).sum(),
    "rolling time": lambda lib, x: x["float64"].rolling("8h").sum(),
    "resample": lambda lib, x: x.resample("12h").sum(),
    "resample mean": lambda lib, x: x["float64"].resample("D").mean(),
    "resample count": lambda lib, x: x.resample("5h", closed="right", label="right").count(),
    "shift freq": lambda lib, x: x.shift(1, freq="D"),
    "astype": lambda lib, x: x.astype("float32"),
    "to_frame": lambda lib, x: x["int64"].to_frame(),
    "T": lambda lib, x: x.T,
    "items": lambda lib, x: [column for _, column in x.items()],
    "len": lambda lib, x: len(x),
    "iterrows": lambda lib, x: [row for _, row in x.iterrows()],
    "itertuples": lambda lib, x: [tuple(row) for row in x.itertuples()],
    "query index": lambda lib, x: x.query("index == index"),
    "nunique": lambda lib, x: x.nunique(),
    "quantile": lambda lib, x: x.quantile(0.5),
    "count": lambda lib, x: x.count(),
    "sum": lambda lib, x: x.sum(),
    "any": lambda lib, x: x.any(),
    "mean axis": lambda lib, x: x.mean(axis=1),
    "sum axis": lambda lib, x: x.sum(axis=1),
    "max axis": lambda lib, x: x.max(axis=1),
    "idxmax axis": lambda lib, x: x.idxmax(axis=1),
    "size": lambda lib, x: x.size,
    "shape": lambda lib, x: [int(n.compute()) if hasattr(n, "compute") else n for n in x.shape],
    "empty": lambda lib, x: x.empty,
    "to_numpy": lambda lib, x: x.to_numpy(),
    "values": lambda lib, x: x[["int64", "float64"]].values,
    "pop": lambda lib, x: x.copy().pop("int64"),
    "insert": lambda lib, x: x.drop(columns="int64"),
    "align": lambda lib, x: x.align(x[["int64"]]),
    "corr": lambda lib, x: x.corr(),
    "cov": lambda lib, x: x.cov(),
    "where": lambda lib, x: x.where(x > 1),
    "mask": lambda lib, x: x.mask(x > 1, 0),
    "isin": lambda lib, x: x.isin([1, 2]),
    "compare": lambda lib, x: x.eq(x),
    # Without the integers: shifted, they are floats that cancel each other, and rounding decides what is left.
    "sum reset": lambda lib, x: x.reset_index().drop(columns="int64").sum(numeric_only=True),
    "index diff": lambda lib, x: x.index.to_series().diff(),
    "squeeze": lambda lib, x: x[["int64"]].squeeze(),
    "add_prefix": lambda lib, x: x.add_prefix("p_"),
    "columns": lambda lib, x: x.columns,
    "truediv frame": lambda lib, x: x / x,
}
ROUGH = {
    "describe",
    "corr",
    "cov",
    "quantile",
    "mean axis",
    "resample mean",
    "rolling",
    "rolling time",
    "sum axis",
    "groupby cumsum",
    "cumsum",
    "sum",
    "sum reset",
    "groupby",
}


def rows(labels: str) -> Callable[[], Cases]:
    """The cases for one kind of row labels."""
    return partial(_rows, labels)


def _rows(labels: str) -> Cases:
    frame = "frame:numbers"
    for key in LABELS[labels]:
        yield _case("loc", labels, text_of(key), partial(_loc, key), frame)
        yield _case("loc series", labels, text_of(key), partial(_loc, key), "float64")
        yield _case("getitem", labels, text_of(key), partial(_getitem, key), frame)
        yield _case("getitem series", labels, text_of(key), partial(_getitem, key), "float64")
        for column in COLUMNS:
            yield _case("loc", labels, f"{text_of(key)}, {text_of(column)}", partial(_loc, (key, column)), frame)
    for key in POSITIONS:
        yield _case("iloc", labels, text_of(key), partial(_iloc, key), frame)
        yield _case("iloc series", labels, text_of(key), partial(_iloc, key), "float64")
        yield _case("getitem", labels, f"positions {text_of(key)}", partial(_getitem, key), frame)
        for column in COLUMNS:
            yield _case("iloc", labels, f"{text_of(key)}, {text_of(column)}", partial(_iloc, (key, column)), frame)
    for column in COLUMNS:
        yield _case("getitem", labels, f"columns {text_of(column)}", partial(_getitem, column), frame)
    for mask in ("bool", "boolean", "bool[pyarrow]", "int64", "bool'"):
        yield Case("frames.rows", "loc mask", labels, mask, _masked_loc, (frame, mask))
        yield Case("frames.rows", "getitem mask", labels, mask, _masked, (frame, mask))
    for (name, change), source in itertools.product(CHANGES.items(), ("frame:numbers", "frame:mixed")):
        yield Case("frames.rows", name, labels, source, change, (source,), 1e-9 if name in ROUGH else 0.0)
    # One operation upon another: what the first does to labels and partitions, the second must know.
    for (first, one), (second, other) in itertools.product(CHANGES.items(), CHANGES.items()):
        if first in CHAINED:
            call = partial(_chain, one, other)
            yield Case(
                "frames.rows",
                f"{first} then {second}",
                labels,
                "",
                call,
                ("frame:numbers",),
                1e-9 if second in ROUGH or first in ROUGH else 0.0,
            )


CHAINED = {
    "head",
    "tail",
    "sort_values",
    "sort_values down",
    "drop_duplicates",
    "dropna",
    "shift",
    "concat",
    "boolean",
    "assign",
    "reset_index drop",
    "boolean none",
    "ffill",
    "head 0",
    "sort_index",
}


def _labelled(library: Any, x: Any, keys: Any, **options: Any) -> Any:
    """`set_index` in the order that rows have: raskt sorts them by their new labels otherwise, as Dask does."""
    # `head` and `tail` have given pandas objects.
    is_pandas = library is pd or isinstance(x, pd.DataFrame)
    return x.set_index(keys, **options) if is_pandas else x.set_index(keys, sort=False, **options)


def _case(name: str, labels: str, text: str, call: Callable[..., Any], source: str) -> Case:
    return Case("frames.rows", name, labels, text, call, (source,))


def _loc(key: Any, library: Any, x: Any) -> Any:
    return x.loc[key]


def _iloc(key: Any, library: Any, x: Any) -> Any:
    return x.iloc[key]


def _getitem(key: Any, library: Any, x: Any) -> Any:
    return x[key]


def _masked(library: Any, x: Any, mask: Any) -> Any:
    return x[mask]


def _masked_loc(library: Any, x: Any, mask: Any) -> Any:
    return x.loc[mask, ["int64", "bool"]]


def _chain(one: Callable[..., Any], other: Callable[..., Any], library: Any, x: Any) -> Any:
    return other(library, one(library, x))
