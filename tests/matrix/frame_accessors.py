"""The accessors `.str`, `.dt` and `.cat`: every method and property over every type, with all argument values."""

from __future__ import annotations

import itertools
import re
from functools import partial
from typing import Any

import pandas as pd

import raskt.dataframe as rd

from .arguments import argument_sets, described, parameters
from .case import Case, Cases
from .frame_data import CATEGORIES, SPANS, TIMES, TYPES

TEXTS = ["str", "object", "mixed", "string", "string[pyarrow]", "category", "ordered", "int64", "datetime64[us]"]
MOMENTS = [
    *TIMES,
    *SPANS,
    "timestamp[us][pyarrow]",
    "duration[ns][pyarrow]",
    "date32[pyarrow]",
    "period[D]",
    "category of time",
    "int64",
    "str",
]
STR: dict[str, list[Any]] = {"pat": ["a", "", "[ab]", "é", "z$", "(a)|(b)", ".", None], "case": [True, False],
    "flags": [0, re.IGNORECASE], "na": [True, False], "regex": [True, False], "sep": [None, "-", ""],
    "others": [None], "na_rep": [None, "?"], "width": [0, 1, 4, 10], "fillchar": [" ", "*", "ab"], "side": ["left",
    "right", "both"], "encoding": ["utf-8", "ascii", "latin-1"], "errors": ["strict", "ignore"], "sub": ["a", "",
    "zz"], "start": [None, 0, 1, -2], "end": [None, 1, 3, -1], "stop": [None, 1, 3, -1], "step": [None, 2, -1],
    "expand": [True, False], "n": [-1, 0, 1], "i": [0, 1, -1, 9], "repl": ["X", "", r"<\g<0>>", None],
    "repeats": [0, 1, 3], "to_strip": [None, "a", "b ", ""], "table": [{97: "q"}, {98: None}], "prefix": ["a", ""],
    "suffix": ["b", ""], "form": ["NFC", "NFKD", "bad"], "dtype": [],}  # fmt: skip
DT: dict[str, list[Any]] = {"freq": ["h", "D", "15min", "s", "2h", "ME", "nonsense"], "ambiguous": ["raise", "NaT",
    True], "nonexistent": ["raise", "NaT", "shift_forward", "shift_backward"], "tz": ["UTC", "Europe/Berlin", None,
    "Nowhere/Land"], "date_format": ["%Y-%m-%d", "%H:%M:%S", "%f", "%d/%b/%y %j %a %p", "%%", "%s", "%U %V %G", ""],
    "locale": [None], "unit": ["s", "ms", "us", "ns"], "round_ok": [],}  # fmt: skip
CAT: dict[str, list[Any]] = {"new_categories": [["a", "b", "c", "d"], {"a": "x"}, ["c", "b", "a", "unused"],
    ["new"], "new", [10, 1, 3, 7], [], str.upper], "removals": [["a"], "unused", ["nope"], [10]], "ordered": [True,
    False], "rename": [True, False],}  # fmt: skip


def text() -> Cases:
    yield from _accessor("str", pd.Series(["a"]).str, rd.from_pandas(pd.Series(["a"]), npartitions=1).str, STR, TEXTS)


def times() -> Cases:
    moment = pd.Series(pd.to_datetime(["2020-01-01"]))
    for sample in (moment, moment - moment, moment.dt.to_period("D"), moment.dt.tz_localize("UTC")):
        yield from _accessor("dt", sample.dt, rd.from_pandas(moment, npartitions=1).dt, DT, MOMENTS)


def categories() -> Cases:
    categories = pd.Series(["a"], dtype="category")
    yield from _accessor(
        "cat", categories.cat, rd.from_pandas(categories, npartitions=1).cat, CAT, [*CATEGORIES, "str", "int64"]
    )


def missing() -> Cases:
    """Accessors of columns that have none."""
    for name, kind in itertools.product(("str", "dt", "cat"), TYPES):
        yield Case("frames.accessors", name, kind, "itself", partial(_has_accessor, name), (kind,))


def _accessor(accessor: str, theirs: Any, ours: Any, values: dict[str, list[Any]], types: list[str]) -> Cases:
    names = [name for name in dir(type(theirs)) if not name.startswith("_")] + [
        name for name in dir(theirs) if not name.startswith("_")
    ]
    for name in sorted(set(names)):
        if not hasattr(type(ours), name) and name not in dir(ours):
            continue
        method = getattr(type(theirs), name, None)
        for kind, words in itertools.product(types, ("", "|plain")):
            if not callable(method):
                call = partial(_property, accessor, name)
                yield Case("frames.accessors", f"{accessor}.{name}", kind, f"{kind + words}", call, (kind + words,))
                continue
            found = parameters(method) or [p for p in parameters(getattr(theirs, name)) if p.name in values]
            required = tuple(p.name for p in found if p.default is p.empty)
            if any(not values.get(p) for p in required):
                continue
            for arguments in argument_sets(
                [p.name for p in found if values.get(p.name)], values, required, 1 if words else 2
            ):
                if name == "split" and kind.endswith("[pyarrow]") and arguments.get("pat") == "":
                    continue  # Arrow's kernel goes on at an empty pattern until memory ends
                call = partial(_method, accessor, name, arguments)
                yield Case(
                    "frames.accessors",
                    f"{accessor}.{name}",
                    kind,
                    f"{kind + words} {described(arguments)}",
                    call,
                    (kind + words,),
                )


def _property(accessor: str, name: str, library: Any, x: Any) -> Any:
    return getattr(getattr(x, accessor), name)


def _method(accessor: str, name: str, arguments: dict[str, Any], library: Any, x: Any) -> Any:
    return getattr(getattr(x, accessor), name)(**arguments)


def _has_accessor(name: str, library: Any, x: Any) -> Any:
    getattr(x, name)
    return True
