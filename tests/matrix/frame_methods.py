"""Reductions, cumulative functions, windows, and every other method of columns and frames, with all argument values.

The names come from pandas by `inspect`; what to give for a parameter stands in tables by its name.
"""

from __future__ import annotations

import itertools
import re
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

import raskt.dataframe as rd

from .arguments import argument_sets, described, parameters
from .case import Case, Cases
from .frame_data import FRAMES, TYPES

COMMON: dict[str, list[Any]] = {"axis": [0, 1, "index", "columns"], "skipna": [True, False], "numeric_only": [True,
    False], "min_count": [0, 1, 8, 20], "ddof": [0, 1, 2, 9], "bool_only": [True, False], "q": [0.5, [0.25, 0.75],
    0, 1, [], 1.5], "interpolation": ["linear", "lower", "higher", "midpoint", "nearest"], "ascending": [True,
    False], "na_position": ["first", "last"], "ignore_index": [True, False], "inplace": [True], "keep": ["first",
    "last", False, "all"], "dropna": [True, False], "normalize": [True, False], "sort": [True, False], "bins": [2,
    [0, 2, 10]], "periods": [1, -1, 0, 3, 20], "freq": [None, "D"], "fill_value": [0, 300, 1.5, "x", None],
    "limit": [1, 2], "limit_area": ["inside", "outside"], "value": [0, 1.5, "x", True, None,
    pd.Timestamp("2020-02-29 12:30"), {"int64": 1}], "lower": [0, 1.5, None, "a"], "upper": [2, 3.5, None, "b"],
    "decimals": [0, 1, -1, {"float64": 1}], "n": [1, 3, 0, -2, 20], "frac": [0.5], "percentiles": [[0.1, 0.9], []],
    "include": ["all", "number", "object"], "exclude": ["number"], "deep": [True, False], "index": [True, False],
    "thresh": [1, 2], "how": ["any", "all"], "subset": [["float64"], "int64"], "method": ["pearson", "spearman",
    "kendall", "average", "min", "max", "first", "dense"], "pct": [True, False], "min_periods": [1, 5], "min": [0],
    "max": [3], "copy": [True, False], "regex": [True, False], "to_replace": [1, 1.5, "a", [1, "a"], {1: 9},
    {"a": "q"}, None], "left": [0, 1, "a", pd.Timestamp("2020-01-01")], "right": [2, 5, "c",
    pd.Timestamp("2021-01-01")], "inclusive": ["both", "neither", "left", "right"], "values": [[1, 3], ["a"], [1.5,
    None], [], [True], {1}, {"int64": [1]}, [pd.Timestamp("2020-02-29 12:30")], np.array([2, 1]), ["1"], [np.nan],
    [2**63], [300]], "dtype": ["int64", "float64", "str", object, "category", "Int64", "bool", "int8",
    "datetime64[ns]", "timedelta64[s]", "float32", "string", "complex128", "uint64", "int64[pyarrow]",
    {"int64": "float64"}], "errors": ["raise", "ignore"], "na_action": ["ignore"], "arg": [{1: 5, "a": "z"},
    pd.Series([10, 20], [1, 3]), str, {True: 0}], "prefix": ["p_"], "suffix": ["_s"], "lag": [1, 2],
    "name": ["other", None], "axis1": [0], "drop": [True], "offset": [None], "labels": [["int64"]],
    "columns": [["int64"], "int64", ["nope"], {"int64": "i"}], "mapper": [{"int64": "i"}], "by": ["int64",
    ["float64", "int64"], "nope"], "by_row": [False], "func": [np.sum, "sum", abs, ["min", "max"]], "cond": [True],
    "other": [0], "level": [None, 0], "names": ["named"], "col_level": [None], "allow_duplicates": [True],
    "id_vars": ["int64", ["int64", "bool"]], "value_vars": ["float64"], "var_name": ["v"], "value_name": ["w"],
    "verify_integrity": [True], "append": [True], "expr": ["int64 > 1"], "random_state": [1],
    "result_type": ["expand"], "column": ["int64"], "keys": ["int64"], "items": [["int64"]], "index_names": [True],
    "case_sensitive": [True], "lambda": [1], "freq_": [1], "ordered": [True], "window": [2, 3], "center": [True],
    "closed": ["left", "both"], "step": [1, 2], "min_rows": [1], "alpha": [0.5], "com": [1.0], "span": [2.0],
    "halflife": [1.0], "adjust": [True, False], "ignore_na": [True], "engine": [None], "raw": [True],
    "bias": [False], "pairwise": [False],}  # fmt: skip
REDUCTIONS = """
    all any count kurt kurtosis max mean median min nunique prod product sem skew std sum var idxmax idxmin quantile
    mode describe
""".split()
CUMULATIVE = "cummax cummin cumprod cumsum diff shift pct_change rank".split()
ROUGH = set(
    "mean std var sem skew kurt kurtosis sum prod product quantile median describe corr cov autocorr cumsum cumprod "
    "pct_change agg aggregate transform".split()
)
# Methods, and what a parameter is tried with where the common table doesn't fit.
SERIES_NAMES = """
    abs add_prefix add_suffix astype autocorr between bfill clip copy drop_duplicates dropna duplicated explode
    ffill fillna head isin isna isnull notna memory_usage nlargest notnull nsmallest replace round sort_index
    sort_values tail to_frame unique value_counts squeeze rename reset_index rename_axis convert_dtypes
    infer_objects hasnans item first_valid_index last_valid_index interpolate factorize nbytes map agg aggregate
    transform apply pipe between_time truncate searchsorted argsort argmin argmax repeat keys items to_numpy tolist
    to_dict to_list
""".split()
SERIES_VALUES: dict[str, dict[str, list[Any]]] = {"rank": {"method": ["average", "min", "max", "first", "dense"],
    "na_option": ["keep", "top", "bottom"]}, "interpolate": {"method": ["linear"]}, "sort_values": {"key": [abs]},
    "replace": {"method": []}, "rename": {"index": ["named", {0: 5}, str]}, "map": {}, "agg": {"func": ["sum",
    ["min", "max"]]}, "transform": {"func": [abs]}, "apply": {"func": [str, abs], "by_row": ["compat"]},
    "fillna": {"method": []}, "clip": {}, "reset_index": {"name": ["other"], "level": []}, "quantile": {},
    "round": {"decimals": [0, 1, -1]}, "pipe": {"func": [abs]}, "searchsorted": {"value": [1, "a"]},
    "value_counts": {}, "isin": {},}  # fmt: skip
SERIES = {name: SERIES_VALUES.get(name, {}) for name in [*SERIES_NAMES, *SERIES_VALUES]}
FRAME_NAMES = """
    abs add_prefix add_suffix astype bfill clip copy corr cov drop drop_duplicates dropna duplicated explode ffill
    fillna head isin isna isnull notna memory_usage melt nlargest notnull nsmallest nunique query replace round
    select_dtypes set_index sort_values sort_index tail rename reset_index rename_axis value_counts squeeze
    transpose convert_dtypes infer_objects eval agg aggregate transform apply applymap map pipe pivot_table pop
    items keys to_numpy set_axis stack unstack interpolate
""".split()
FRAME_VALUES: dict[str, dict[str, list[Any]]] = {"sort_values": {"key": [abs]}, "eval": {"expr": ["int64 + float64",
    "z = int64 * 2"]}, "query": {"expr": ["int64 > 1", "float64 < 2 and int64 > 0", "nope > 1"]},
    "corr": {"method": ["pearson", "spearman", "kendall"]}, "explode": {"column": ["int64", ["int64"]]},
    "agg": {"func": ["sum", ["min", "max"], {"int64": "sum"}, {"int64": ["min", "max"], "float64": "mean"}]},
    "drop": {"labels": ["int64", ["int64"], "nope", 0], "columns": ["int64", ["float64"]]},
    "pivot_table": {"index": ["int64"], "columns": ["bool"], "values": ["float64"], "aggfunc": ["sum", "mean",
    "count"], "margins": [], "observed": []}, "nlargest": {"columns": ["int64", ["float64", "int64"]]},
    "nsmallest": {"columns": ["int64", ["float64", "int64"]]}, "set_index": {"keys": ["int64", "float64", ["int64",
    "float64"], "nope"]}, "select_dtypes": {"include": ["number", "bool", ["int64"], "object", "datetime"],
    "exclude": ["number", "bool"]}, "rename": {"columns": [{"int64": "i"}, str.upper], "index": [{0: 5}],
    "mapper": [str], "errors": ["raise", "ignore"]}, "reset_index": {"names": ["named"], "level": [],
    "col_fill": []}, "map": {"func": [str, abs]}, "apply": {"func": [np.sum, len], "axis": [0, 1],
    "result_type": [], "raw": []}, "transform": {"func": [abs]}, "melt": {}, "pipe": {"func": [abs]},
    "interpolate": {"method": ["linear"]}, "fillna": {"method": []}, "value_counts": {"subset": ["int64", ["int64",
    "bool"]]}, "drop_duplicates": {"subset": ["int64", ["bool"]]}, "duplicated": {"subset": ["int64", ["bool"]]},
    "dropna": {}, "replace": {"method": []}, "set_axis": {"labels": [list("abcd")], "axis": [0, 1]}, "items": {},
    "applymap": {"func": [abs]},}  # fmt: skip
FRAME = {name: FRAME_VALUES.get(name, {}) for name in [*FRAME_NAMES, *FRAME_VALUES]}
PROPERTIES = """
    dtype dtypes empty hasnans is_monotonic_decreasing is_monotonic_increasing is_unique name nbytes ndim shape size T
    values axes columns
""".split()
SKIPPED = {"self", "out", "kwargs", "args", "meta", "engine_kwargs", "sparse", "copy"}


def reductions() -> Cases:
    # Ways of correlations are none of quantiles.
    own: dict[str, dict[str, list[Any]]] = {"quantile": {"method": ["single"]}}
    for name, kind, words in itertools.product(REDUCTIONS, TYPES, ("", "|plain")):
        yield from one_method("frames.reductions", pd.Series, rd.Series, name, kind, kind + words, own.get(name, {}), 2)
    for name, frame in itertools.product(REDUCTIONS, FRAMES):
        # Text is repeated as often as a number beside it says.
        repeats = name in ("prod", "product") and frame in ("mixed", "keys")
        found = one_method(
            "frames.reductions",
            pd.DataFrame,
            rd.DataFrame,
            name,
            f"frame {frame}",
            f"frame:{frame}",
            own.get(name, {}),
            2,
        )
        yield from (case for case in found if not (repeats and re.search("axis=(1|'columns')", case.arguments)))


def cumulative() -> Cases:
    ranks = {"method": ["average", "min", "max", "first", "dense"], "na_option": ["keep", "top", "bottom"]}
    for name, kind, words in itertools.product(CUMULATIVE, TYPES, ("", "|plain")):
        overrides = ranks if name == "rank" else {}
        yield from one_method("frames.cumulative", pd.Series, rd.Series, name, kind, kind + words, overrides, 2)
    for name, frame in itertools.product(CUMULATIVE, FRAMES):
        overrides = ranks if name == "rank" else {}
        yield from one_method(
            "frames.cumulative", pd.DataFrame, rd.DataFrame, name, f"frame {frame}", f"frame:{frame}", overrides, 2
        )


def methods() -> Cases:
    for (name, overrides), kind in itertools.product(SERIES.items(), TYPES):
        yield from one_method("frames.methods", pd.Series, rd.Series, name, kind, kind, overrides, 2)
        yield from one_method("frames.methods", pd.Series, rd.Series, name, kind, kind + "|plain", overrides, 1)
    for (name, overrides), frame in itertools.product(FRAME.items(), FRAMES):
        yield from one_method(
            "frames.methods", pd.DataFrame, rd.DataFrame, name, f"frame {frame}", f"frame:{frame}", overrides, 2
        )
    for name, kind in itertools.product(PROPERTIES, TYPES):
        if hasattr(rd.Series, name) and hasattr(pd.Series, name):
            yield Case("frames.methods", name, kind, "property", partial(_property, name), (kind,))


def windows() -> Cases:
    methods = """
        sum mean std var min max count median kurt skew quantile sem rank apply agg first last nunique cov corr
    """.split()
    sizes: list[dict[str, Any]] = [
        {"window": window, **more}
        for window in (1, 2, 4, 0, 20)
        for more in (
            {},
            {"min_periods": 1},
            {"center": True},
            {"closed": "left"},
            {"closed": "both"},
            {"min_periods": 0},
            {"step": 2},
        )
    ]
    common = {"q": [0.5, 0.25], "method": ["average"]}
    # `apply` calls what it is given, and fails for a name where there is something to call it with.
    functions: dict[str, list[Any]] = {"apply": [np.sum], "agg": ["sum", np.sum]}
    for name, kind, size in itertools.product(methods, TYPES, sizes):
        window = partial(_rolling, size)
        yield from one_method(
            "frames.windows",
            type(pd.Series([1.0]).rolling(1)),
            rd.Rolling,
            name,
            kind,
            kind,
            common | {"func": functions.get(name, [])},
            1,
            ("rolling " + described(size), window),
        )
    for name, frame, size in itertools.product(methods, FRAMES, sizes[::3]):
        yield from one_method(
            "frames.windows",
            type(pd.Series([1.0]).rolling(1)),
            rd.Rolling,
            name,
            f"frame {frame}",
            f"frame:{frame}",
            common | {"func": functions.get(name, [])},
            1,
            ("rolling " + described(size), partial(_rolling, size)),
        )


def two_columns() -> Cases:
    """Methods that take another column."""
    conditions = ["bool", "boolean", "bool[pyarrow]", "int64", "object"]
    for name, kind, condition in itertools.product(("where", "mask"), TYPES, conditions):
        for other in ("self", 0, 1.5, "x", None, 2**40, pd.Timestamp("2020-02-29"), np.nan):
            text = f"{condition}, {other!r}"
            yield Case("frames.methods", name, kind, text, partial(_where, name, other), (kind, condition))
    for name, left, right in itertools.product(
        (
            "combine_first",
            "fillna",
            "where",
            "mask",
            "dot",
            "corr",
            "cov",
            "isin",
            "map",
            "combine",
            "between",
            "clip",
            "eq",
            "align",
        ),
        TYPES,
        TYPES,
    ):
        yield Case(
            "frames.methods",
            name,
            f"{left} {right}",
            "column",
            partial(_two, name),
            (left, right + "'"),
            1e-9 if name in ("corr", "cov", "dot") else 0.0,
        )
    for lower, upper in itertools.product(TYPES, TYPES):
        yield Case(
            "frames.methods", "clip", f"{lower} {upper}", "columns", partial(_clip), (lower, upper + "|plain", upper)
        )


def one_method(
    part: str,
    theirs: type,
    ours: type,
    name: str,
    types: str,
    source: str,
    overrides: dict[str, list[Any]],
    depth: int,
    before: tuple[str, Any] | None = None,
) -> Cases:
    """All argument sets of a method that both have."""
    method = getattr(theirs, name, None)
    if method is None or not hasattr(ours, name):
        return
    if not callable(method):
        yield Case(part, name, types, f"{source} property", partial(_property, name), (source,))
        return
    values = COMMON | overrides
    found = [p for p in parameters(method) if p.name not in SKIPPED]
    required = tuple(p.name for p in found if p.default is p.empty)
    if any(name not in values for name in required):
        return
    for arguments in argument_sets([p.name for p in found if values.get(p.name)], values, required, depth):
        text = f"{source} {before[0] + ' ' if before else ''}{described(arguments)}"
        call = partial(_call, name, arguments, before[1] if before else None)
        yield Case(part, name, types, text, call, (source,), 1e-9 if name in ROUGH or before else 0.0)


def _call(name: str, arguments: dict[str, Any], before: Any, library: Any, x: Any) -> Any:
    if arguments.get("inplace"):
        x = x.copy()
        getattr(x, name)(**arguments)
        return x
    found = getattr(before(x) if before else x, name)(**arguments)
    return list(found) if name == "items" else found


def _rolling(arguments: dict[str, Any], x: Any) -> Any:
    return x.rolling(**arguments)


def _property(name: str, library: Any, x: Any) -> Any:
    return getattr(x, name)


def _where(name: str, other: Any, library: Any, x: Any, condition: Any) -> Any:
    return getattr(x, name)(condition, x if isinstance(other, str) and other == "self" else other)


def _two(name: str, library: Any, x: Any, y: Any) -> Any:
    if name in ("where", "mask"):
        return getattr(x, name)(x.notna(), y)
    if name == "between":
        return x.between(y, x)
    if name == "combine":
        return x.combine(y, max)
    return getattr(x, name)(y)


def _clip(library: Any, x: Any, lower: Any, upper: Any) -> Any:
    return x.clip(lower, upper)
