"""Frames put together: `merge` and `concat` of every pair of types, with every argument."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

import pandas as pd

from .arguments import argument_sets, described
from .case import Case, Cases
from .frame_data import TYPES

MERGE: dict[str, list[Any]] = {
    "how": ["inner", "left", "right", "outer", "cross", "left_anti", "right_anti", "nonsense"],
    "sort": [True],
    "suffixes": [("_l", "_r"), (None, "_r"), ("", "")],
    "indicator": [True, "found"],
    "validate": ["1:1", "1:m", "m:1", "m:m", "nonsense"],
    "left_index": [True],
    "right_index": [True],
}
CONCAT: dict[str, list[Any]] = {
    "axis": [0, 1],
    "join": ["inner", "outer"],
    "ignore_index": [True],
    "keys": [["a", "b"]],
    "names": [["n"]],
    "verify_integrity": [True],
    "sort": [True],
}


def merges() -> Cases:
    for left, right in itertools.product(TYPES, TYPES):
        depth = 2 if left == right else 0
        for arguments in argument_sets(list(MERGE), MERGE, (), depth):
            call = partial(_merge, {"on": "k"} | arguments)
            yield Case(
                "frames.joins", "merge", f"{left} {right}", described(arguments), call, (left + "|plain", right + "'")
            )
        for how in ("inner", "left", "right", "outer"):
            call = partial(_merge, {"on": "k", "how": how})
            yield Case(
                "frames.joins",
                "merge",
                f"{left} {right}",
                f"plain how={how}",
                call,
                (left + "|plain", right + "|plain"),
            )
            call = partial(_merge, {"left_on": "k", "right_index": True, "how": how})
            yield Case(
                "frames.joins", "merge", f"{left} {right}", f"right_index how={how}", call, (left + "|plain", right)
            )
            call = partial(_join, {"how": how, "rsuffix": "_r"})
            yield Case("frames.joins", "join", f"{left} {right}", f"how={how}", call, (left, right))


def concats() -> Cases:
    for left, right in itertools.product(TYPES, TYPES):
        for arguments in argument_sets(list(CONCAT), CONCAT, (), 2 if left == right else 1):
            for form in ("series", "frames", "other columns"):
                call = partial(_concat, form, arguments)
                yield Case(
                    "frames.joins",
                    "concat",
                    f"{left} {right}",
                    f"{form} {described(arguments)}",
                    call,
                    (left, right + "'"),
                )


def _merge(arguments: dict[str, Any], library: Any, left: Any, right: Any) -> Any:
    one = left.to_frame(name="k")
    return one.assign(v=1).merge(right.to_frame(name="k").assign(v=2), **arguments)


def _join(arguments: dict[str, Any], library: Any, left: Any, right: Any) -> Any:
    return left.to_frame(name="k").join(right.to_frame(name="k"), **arguments)


def _concat(form: str, arguments: dict[str, Any], library: Any, left: Any, right: Any) -> Any:
    if form == "series":
        return library.concat([left, right], **arguments)
    if form == "other columns":
        return library.concat([left.to_frame(name="a"), right.to_frame(name="b")], **arguments)
    return library.concat([left.to_frame(name="a"), right.to_frame(name="a")], **arguments)


def dates() -> Cases:
    """`to_datetime`, `to_timedelta`, `to_numeric`, `get_dummies`, `isna` of every type."""
    tables: dict[str, dict[str, list[Any]]] = {
        "to_datetime": {
            "errors": ["raise", "coerce"],
            "dayfirst": [True],
            "yearfirst": [True],
            "utc": [True],
            "format": ["%Y-%m-%d", "ISO8601", "mixed"],
            "unit": ["s", "ns", "D"],
            "origin": ["unix", pd.Timestamp("2000-01-01")],
        },
        "to_timedelta": {"errors": ["raise", "coerce"], "unit": ["s", "ns", "D"]},
        "to_numeric": {
            "errors": ["raise", "coerce"],
            "downcast": ["integer", "signed", "unsigned", "float"],
            "dtype_backend": ["numpy_nullable", "pyarrow"],
        },
        "get_dummies": {"prefix": ["p"], "dummy_na": [True], "drop_first": [True], "dtype": [int], "prefix_sep": ["."]},
        "isna": {},
    }
    for (name, values), kind in itertools.product(tables.items(), TYPES):
        for arguments in argument_sets(list(values), values, (), 2):
            for words in ("", "|plain"):
                call = partial(_function, name, arguments)
                yield Case("frames.joins", name, kind, described(arguments) + words, call, (kind + words,))


def _function(name: str, arguments: dict[str, Any], library: Any, x: Any) -> Any:
    return getattr(library, name)(x, **arguments)
