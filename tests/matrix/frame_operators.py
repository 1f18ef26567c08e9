"""Every operator, comparison and arithmetic method over pairs of column types, and scalars of every kind and size."""

from __future__ import annotations

import datetime
import decimal
import itertools
import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from .arguments import described
from .case import Case, Cases
from .frame_data import FRAMES, TYPES

OPERATORS: dict[str, Callable[..., Any]] = {
    name: getattr(operator, name)
    for name in [
        "add",
        "sub",
        "mul",
        "truediv",
        "floordiv",
        "mod",
        "pow",
        "and_",
        "or_",
        "xor",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
    ]
}
UNARY: dict[str, Callable[..., Any]] = {"neg": operator.neg, "pos": operator.pos, "invert": operator.invert, "abs": abs}
ARITHMETIC = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "radd",
    "rsub",
    "rmul",
    "rtruediv",
    "rfloordiv",
    "rmod",
    "rpow",
    "div",
    "rdiv",
    "divide",
]
COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]
UNARY_UFUNCS = """
    negative positive absolute fabs invert logical_not isnan isfinite signbit sqrt cbrt square reciprocal exp exp2 expm1
    log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh floor ceil rint trunc sign deg2rad
""".split()
BINARY_UFUNCS = """
    add subtract multiply divide floor_divide remainder fmod power maximum minimum fmax equal not_equal less less_equal
    greater greater_equal logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor arctan2 hypot
""".split()
ROUGH = {"pow": 1e-14, "rpow": 1e-14}
SCALARS: list[Any] = [True, 0, 1, -1, 2, 3, 300, 70_000, 2**31, 2**40, -(2**40), 2**63, 2**64, 2**70, 0.5, -1.5,
    2.0, 1e300, float("nan"), float("inf"), 1j, None, pd.NA, pd.NaT, "a", "", "2020-02-29 12:30", b"a",
    np.bool_(True), np.int8(5), np.int64(-3), np.uint8(200), np.uint64(2**63 + 1), np.float32(0.1), np.float64(1.5),
    np.complex64(1j), pd.Timestamp("2020-02-29 12:30"), pd.Timestamp("2020-02-29 12:30", tz="UTC"),
    pd.Timestamp("2020-02-29", tz="Europe/Berlin"), np.datetime64("2020-02-29"), datetime.datetime(2020, 2, 29, 12,
    30), datetime.date(2020, 2, 29), pd.Timedelta(1, "s"), pd.Timedelta(1500, "ns"), datetime.timedelta(days=1),
    np.timedelta64(1, "h"), np.timedelta64(0, "s"), pd.DateOffset(months=1), pd.offsets.Hour(2),
    decimal.Decimal("1.5"), pd.Period("2020-02-29", "D"), pd.Interval(1, 2), (1, 2), object,]  # fmt: skip


def unary() -> Cases:
    for (name, function), kind, words in itertools.product(UNARY.items(), TYPES, ("", "|plain")):
        yield _case(name, (kind,), words[1:], partial(_operator, function), (kind + words,))
    for (name, function), frame in itertools.product(UNARY.items(), FRAMES):
        yield _case(name, (frame,), "frame", partial(_operator, function), (f"frame:{frame}",))


def binary() -> Cases:
    for (name, function), left, right, words in itertools.product(OPERATORS.items(), TYPES, TYPES, ("", "|plain")):
        if repeats_text(name, left, right) and not words:
            continue
        yield _case(name, (left, right), words[1:], partial(_operator, function), (left + words, f"{right}{words}'"))
    for name, left, right in itertools.product(ARITHMETIC + COMPARISONS, TYPES, TYPES):
        if repeats_text(name, left, right):
            continue
        for arguments in ({}, {"fill_value": 1}, {"fill_value": 2.5}, {"axis": 0}, {"level": 0}):
            inputs = (left, right + "'")
            yield _case(
                name, (left, right), f"method {described(arguments)}", partial(_method, name, arguments), inputs
            )


def frames() -> Cases:
    for (name, function), left, right in itertools.product(OPERATORS.items(), FRAMES, FRAMES):
        if repeats_text(name, left, right):
            continue
        yield _case(name, (left, right), "frames", partial(_operator, function), (f"frame:{left}", f"frame:{right}"))
    for name, left, right in itertools.product(
        ARITHMETIC + COMPARISONS, FRAMES, ("int64", "float64|plain", "str", "Int64|plain")
    ):
        if repeats_text(name, left, right):
            continue
        for arguments in ({}, {"axis": 0}, {"axis": "columns"}, {"fill_value": 1}, {"axis": 0, "fill_value": 1}):
            text = f"frame with series {described(arguments)}"
            yield _case(name, (left, right), text, partial(_method, name, arguments), (f"frame:{left}", right))
    for (name, function), frame, scalar in itertools.product(OPERATORS.items(), FRAMES, SCALARS):
        yield _case(name, (frame,), f"frame, {_text(scalar)}", partial(_right, function, scalar), (f"frame:{frame}",))


def scalars() -> Cases:
    for (name, function), kind, scalar in itertools.product(OPERATORS.items(), TYPES, SCALARS):
        for words in ("", "|plain"):
            yield _case(name, (kind,), f"x, {_text(scalar)}{words}", partial(_right, function, scalar), (kind + words,))
            yield _case(name, (kind,), f"{_text(scalar)}, x{words}", partial(_left, function, scalar), (kind + words,))
    for name, kind, scalar in itertools.product(ARITHMETIC + COMPARISONS, TYPES, SCALARS):
        for arguments in ({}, {"fill_value": 1}):
            text = f"method {_text(scalar)} {described(arguments)}"
            yield _case(name, (kind,), text, partial(_method_of_scalar, name, scalar, arguments), (kind,))


def ufuncs() -> Cases:
    """NumPy's functions of columns, frames, and of a column and another or a number."""
    for name, kind in itertools.product(UNARY_UFUNCS, TYPES):
        for words in ("", "|plain"):
            yield _ufunc(name, (kind,), words[1:], (kind + words,))
    for name, frame in itertools.product(UNARY_UFUNCS, FRAMES):
        yield _ufunc(name, (frame,), "frame", (f"frame:{frame}",))
    for name, left, right in itertools.product(BINARY_UFUNCS, TYPES, TYPES):
        if repeats_text(name, left, right):
            continue
        if name.startswith("logical") and "decimal[pyarrow]" in (left, right):
            continue  # Arrow takes the digits of the first value for those of all, and fails or not by the values
        yield _ufunc(name, (left, right), "", (left, f"{right}'"))
    for name, kind, scalar in itertools.product(BINARY_UFUNCS, TYPES, (2, 1.5, True, np.int8(5), np.float64(0.1))):
        call = partial(_right, getattr(np, name), scalar)
        yield Case("frames.ufuncs", name, kind, f"x, {_text(scalar)}", call, (kind,), 4e-15)


def repeats_text(name: str, left: str, right: str) -> bool:
    """Whether an operation writes text as often as the greatest integers say, which ends processes."""
    kinds = {kind.split("|")[0] for side in (left, right) for kind in FRAMES.get(side, [side])}
    text = {"str", "object", "mixed", "string", "string[pyarrow]"}
    return name in ("mul", "rmul", "multiply") and bool(text & kinds) and any("int" in kind.lower() for kind in kinds)


def _ufunc(name: str, kinds: tuple[str, ...], text: str, inputs: tuple[str, ...]) -> Case:
    return Case("frames.ufuncs", name, " ".join(kinds), text, partial(_operator, getattr(np, name)), inputs, 4e-15)


def _case(name: str, kinds: tuple[str, ...], text: str, call: Callable[..., Any], inputs: tuple[str, ...]) -> Case:
    return Case("frames.operators", name, " ".join(kinds), text, call, inputs, ROUGH.get(name, 0.0))


def _text(scalar: Any) -> str:
    return f"{type(scalar).__name__} {scalar!r}"


def _operator(function: Callable[..., Any], library: Any, *columns: Any) -> Any:
    return function(*columns)


def _method(name: str, arguments: dict[str, Any], library: Any, left: Any, right: Any) -> Any:
    return getattr(left, name)(right, **arguments)


def _right(function: Callable[..., Any], scalar: Any, library: Any, x: Any) -> Any:
    return function(x, scalar)


def _left(function: Callable[..., Any], scalar: Any, library: Any, x: Any) -> Any:
    return function(scalar, x)


def _method_of_scalar(name: str, scalar: Any, arguments: dict[str, Any], library: Any, x: Any) -> Any:
    return getattr(x, name)(scalar, **arguments)
