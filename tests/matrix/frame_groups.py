"""Group-by: every key type, every value type, every method with all argument values."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

import raskt.dataframe as rd

from .arguments import argument_sets, described, parameters
from .case import Case, Cases
from .frame_data import TYPES
from .frame_methods import COMMON, ROUGH, SKIPPED

METHODS = (
    "agg aggregate all any apply bfill corr count cov cumcount cummax cummin cumprod cumsum describe diff ffill "
    "fillna first get_group head idxmax "
    "idxmin last max mean median min ngroup nlargest nsmallest nth nunique pct_change prod quantile rank sem "
    "shift size skew std sum tail transform "
    "unique value_counts var is_monotonic_increasing is_monotonic_decreasing ohlc sample kurt"
).split()
OPTIONS: list[dict[str, Any]] = [{}, {"sort": False}, {"dropna": False}, {"observed": False}, {"as_index": False},
    {"group_keys": False}, {"sort": False, "dropna": False}, {"observed": False, "dropna": False},
    {"as_index": False, "sort": False},]  # fmt: skip
ARGUMENTS: dict[str, list[Any]] = COMMON | {"func": ["sum", "mean", "nunique", "count", "first", ["min", "max"],
    "size", "quantile", "std", "median", "var", "prod", "cumsum"], "n": [0, 1, 2, -1], "name": [],
    "method": ["average", "min", "max", "first", "dense"], "na_option": ["keep", "top", "bottom"], "q": [0.5, 0.25,
    [0.25, 0.75]], "dropna": [True, False, None], "value": [0], "axis": [],
    "engine": [], "other": [],}  # fmt: skip
KEYS: dict[str, Any] = {"one": "k", "list of one": ["k"], "two": ["k", "v"], "series": lambda x: x["k"],
    "derived": lambda x: x["k"].isna(), "mixed": lambda x: ["k", x["v"].isna()], "function": len,
    "level": None,
}  # fmt: skip


def values() -> Cases:
    """Each method over each type of values, grouped by small integers."""
    for name, kind, words in itertools.product(METHODS, TYPES, ("", "|plain")):
        yield from _method(name, "int64|plain", kind + words, OPTIONS[0], 2, frame=False)
        yield from _method(name, "str", kind + words, {"dropna": False}, 1, frame=True)


def keys() -> Cases:
    """Each type of keys, with each option of `groupby`."""
    for name, kind, options in itertools.product(METHODS, TYPES, OPTIONS):
        for value in ("float64|plain", "int8|plain", "str"):
            yield from _method(name, kind, value, options, 0, frame=False)
            yield from _method(name, kind, value, options, 0, frame=True)


def forms() -> Cases:
    """What to group by: columns, lists, series, functions."""
    for (form, by), name, options, key in itertools.product(
        KEYS.items(), METHODS, OPTIONS, ("int64|plain", "str", "category", "boolean", "datetime64[us]")
    ):
        for frame in (True, False):
            call = partial(_group, name, by, options, {}, frame)
            text = f"by {form} groupby({described(options)}) {'frame' if frame else 'series'}"
            yield Case("frames.groups", name, f"{key} float64", text, call, (key, "float64|plain"), _tolerance(name))


def windows() -> Cases:
    """Windows over groups, and several aggregations at once."""
    specs: list[Any] = [
        {"v": "sum"},
        {"v": ["min", "max"]},
        ["sum", "mean"],
        {"v": ["sum", np.mean]},
        "sum",
        np.sum,
        {"v": "nunique", "w": "count"},
        {"w": ["first", "last", "size"]},
        sum,
        {"v": "quantile"},
        ["std", "var", "median"],
    ]
    for spec, key, value, options in itertools.product(
        specs, TYPES, ("float64|plain", "int64", "str", "datetime64[us]", "Int64"), OPTIONS
    ):
        text = f"spec {described({'spec': spec})} groupby({described(options)})"
        yield Case(
            "frames.groups",
            "agg",
            f"{key} {value}",
            text,
            partial(_aggregate, spec, options),
            (key, value, "int8|plain"),
            1e-9,
        )
    for name, window, key in itertools.product(
        ("sum", "mean", "min", "max", "count", "std"), (1, 2, 3), ("int64|plain", "str", "bool")
    ):
        yield Case(
            "frames.groups",
            f"rolling {name}",
            key,
            f"window {window}",
            partial(_rolling, name, window),
            (key, "float64|plain"),
            1e-9,
        )


def _method(name: str, key: str, value: str, options: dict[str, Any], depth: int, frame: bool) -> Cases:
    theirs = pd.core.groupby.DataFrameGroupBy if frame else pd.core.groupby.SeriesGroupBy
    ours = rd.DataFrameGroupBy if frame else rd.SeriesGroupBy
    method = getattr(theirs, name, None)
    if method is None or not hasattr(ours, name):
        return
    found = [p for p in parameters(method) if p.name not in SKIPPED] if callable(method) else []
    required = tuple(p.name for p in found if p.default is p.empty)
    if name == "get_group":
        return
    if any(not ARGUMENTS.get(name) for name in required):
        return
    types = f"{key.partition('|')[0]} {value.partition('|')[0]}"
    for arguments in argument_sets([p.name for p in found if ARGUMENTS.get(p.name)], ARGUMENTS, required, depth):
        text = f"{key} {value} groupby({described(options)}).{'frame' if frame else 'series'} {described(arguments)}"
        yield Case(
            "frames.groups",
            name,
            types,
            text,
            partial(_group, name, "k", options, arguments, frame),
            (key, value),
            _tolerance(name),
        )


def _tolerance(name: str) -> float:
    return 1e-9 if name in ROUGH else 0.0


def _frame(library: Any, **columns: Any) -> Any:
    """One frame of columns with the same rows."""
    first, *others = columns.items()
    frame = first[1].to_frame(name=first[0])
    return frame.assign(**dict(others))


def _group(
    name: str,
    by: Any,
    options: dict[str, Any],
    arguments: dict[str, Any],
    whole: bool,
    library: Any,
    key: Any,
    value: Any,
) -> Any:
    frame = _frame(library, k=key, v=value)
    grouped = (
        frame.groupby(level=0, **options)
        if by is None
        else frame.groupby(by(frame) if callable(by) and by is not len else by, **options)
    )
    result = getattr(grouped if whole else grouped["v"], name)
    arguments = {"random_state": 0} | arguments if name == "sample" else arguments
    return result(**arguments) if callable(result) else result


def _aggregate(spec: Any, options: dict[str, Any], library: Any, key: Any, value: Any, other: Any) -> Any:
    return _frame(library, k=key, v=value, w=other).groupby("k", **options).agg(spec)


def _rolling(name: str, window: int, library: Any, key: Any, value: Any) -> Any:
    return getattr(_frame(library, k=key, v=value).groupby("k")["v"].rolling(window), name)()
