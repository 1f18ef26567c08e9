"""Evenly spaced numbers between bounds."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from raskt._core import array_linspace, array_moveaxis, array_unary, array_where
from raskt.array.base.arguments import check_device
from raskt.array.base.conversion import asarray, operand_of
from raskt.array.base.documentation import documented
from raskt.array.base.plain import held_copy
from raskt.array.base.registry import is_array, wrap
from raskt.array.base.settings import block_bytes
from raskt.array.creation.constructors import arange

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from raskt.array._array import Array

__all__ = ["linspace"]


@documented(
    "Of float64, or the floating type that NumPy gives the bounds, or `dtype`; with `retstep`, and the distance of "
    "neighbours.",
    {"ValueError": "If `num` is negative.", "AxisError": "If there is no such axis."},
    kind="Array or (Array, float)",
    start="array_like: The first number; or several, each the first of a line.",
    stop="array_like: The last number, or where it would be; broadcast with `start`.",
    num="int: How many numbers there are.",
    endpoint="bool: Whether `stop` is the last of them.",
    retstep="bool: Whether the distance of neighbours comes along.",
    axis="int: Along which axis the numbers go, if the bounds have axes.",
)
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: Any = None,
    chunks: Any = "auto",
) -> Any:
    """A number of evenly spaced numbers.

    >>> ra.linspace(0, 1, 5, chunks=2).compute()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    >>> ra.linspace([0, 10], 20, 3).compute()
    array([[ 0., 10.],
           [10., 15.],
           [20., 20.]])
    """
    check_device(device)
    count = operator.index(num)
    if count < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    bounds = [bound if is_array(bound) or np.isscalar(bound) else held_copy(bound) for bound in (start, stop)]
    # What NumPy computes in: numbers of Python's own are weak.
    kind = np.linspace(*map(_trial, bounds), 0).dtype
    wanted = kind if dtype is None else np.dtype(dtype)
    gaps = count - 1 if endpoint else count
    is_line = not any(is_array(bound) or np.ndim(bound) for bound in bounds)
    delta: Any = _difference(bounds, kind, is_line)
    step = delta / gaps if gaps > 0 else np.nan
    if is_line and kind == np.float64 and wanted != bool and not (step == 0 and delta != 0):
        low, high = map(float, bounds)
        found = wrap(array_linspace(low, high, count, endpoint, wanted, chunks, block_bytes()))
    else:
        found = _spaced(bounds, delta, step, kind, count, endpoint, gaps, chunks if is_line else "auto")
        if wanted.kind in "iu":
            found = _floor(found)
        found = found.astype(wanted)
    at = normalize_axis_index(axis, found.ndim)
    found = wrap(array_moveaxis(found.__raskt_expr__, 0, at)) if at else found
    found = found if is_line or chunks == "auto" else found.rechunk(chunks)
    return (found, step) if retstep else found


def _trial(bound: Any) -> Any:
    return np.zeros((), bound.dtype) if is_array(bound) or isinstance(bound, np.ndarray) else bound


def _difference(bounds: list[Any], kind: np.dtype[Any], is_line: bool) -> Any:
    """From the lower to the upper bound, as a number of NumPy's or an array."""
    if is_line:
        return np.subtract(bounds[1], bounds[0], dtype=type(kind))
    low, high = (asarray(bound).astype(kind) for bound in bounds)
    return high - low


def _spaced(
    bounds: list[Any], delta: Any, step: Any, kind: np.dtype[Any], count: int, endpoint: bool, gaps: int, chunks: Any
) -> Array:
    """The numbers along the first axis, by the operations that NumPy makes them by."""
    low, high = map(asarray, bounds)
    line = [-1] + [1] * np.ndim(delta)
    numbers = arange(0, count, dtype=kind, chunks=chunks).reshape(line)
    found = numbers * (step if gaps > 0 else delta)
    if gaps > 0:
        # Steps so small that they are zero are made good by another order of operations.
        other = numbers / gaps * delta
        is_zero = (step == 0).any() if is_array(step) else bool(step == 0)
        found = _choose(is_zero, other, found)
    found = (found + low).astype(kind)
    if endpoint and count > 1:
        last = arange(count, chunks=numbers.chunks[:1]).reshape(line) == count - 1
        found = _choose(last, high.astype(kind), found)
    return found


def _choose(condition: Any, x: Any, y: Any) -> Array:
    if isinstance(condition, bool):
        chosen: Array = x if condition else y
        return chosen
    return wrap(array_where(operand_of(condition), operand_of(x), operand_of(y)))


def _floor(x: Array) -> Array:
    expr = array_unary("floor", x.__raskt_expr__)
    assert expr is not None, "an array is a known operand"
    return wrap(expr)
