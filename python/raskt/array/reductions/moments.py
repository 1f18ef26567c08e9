"""Means, variances and deviations where some elements don't count, or where the mean is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_where
from raskt.array.base.arguments import NO_VALUE, check_axis, is_given, refuse
from raskt.array.base.conversion import asarray, operand_of
from raskt.array.base.lengths import shapes_differ
from raskt.array.base.out import average_input, write_out
from raskt.array.base.registry import wrap
from raskt.array.reductions.reduce import count_of, plain_name, reduce
from raskt.array.selection.where import where as choose

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["mean", "spread"]


def mean(
    x: Array,
    name: str,
    axis: Any,
    dtype: Any,
    out: Any,
    keepdims: Any,
    where: Any,
    split_every: Any,
) -> Any:
    """`mean` or `nanmean`."""
    name = plain_name(x, name)
    if out is not None and dtype is None:
        x = average_input(x, name, out)
    masked = is_given(where) and where is not True
    if masked or name == "nanmean":
        _check_type(x, name, dtype)
    if not masked or name == "nanmean":
        axis = check_axis(axis, x.ndim, name == "nanmean")
    if not masked and dtype is not None and np.dtype(dtype).kind in "biu":
        # NumPy sums in that type, which wraps, and truncates the quotients.
        total = reduce(x, "sum", axis, dtype=dtype, keepdims=keepdims, split_every=split_every)
        return _divided(total, count_of(x, axis) or np.nan, np.dtype(dtype), out)
    if not masked and (out is None or dtype is None):
        return reduce(x, name, axis, dtype=dtype, out=out, keepdims=keepdims, split_every=split_every)
    counts = _counting(x, name, where)
    kind = np.dtype(dtype) if dtype is not None else _mean_type(x.dtype)
    total = reduce(_only(x, counts, -0.0), "sum", axis, dtype=kind, keepdims=keepdims, split_every=split_every)
    return _divided(total, _number(counts, axis, keepdims, split_every), kind, out)


def _divided(total: Array, number: Any, kind: np.dtype[Any], out: Any) -> Any:
    """A sum divided by a number of elements, in the type of `out` if that is given, and whatever is lost by that."""
    if out is not None:
        kind = (out[0] if isinstance(out, tuple) else out).dtype
        total = total.astype(kind)
    result: Array = (total / number).astype(kind)
    return result if out is None else write_out(result, out, "unsafe")


def spread(
    x: Array,
    name: str,
    axis: Any,
    dtype: Any,
    out: Any,
    ddof: float,
    keepdims: Any,
    where: Any,
    mean: Any,
    correction: Any,
    split_every: Any,
) -> Any:
    """`var` or `std`, or one of them without NaN."""
    if correction is not NO_VALUE and correction is not None:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    masked = is_given(where) and where is not True
    name = plain_name(x, name)
    skips = name.startswith("nan")
    if skips:  # Of several errors, the one that NumPy finds first.
        _check_type(x, name, dtype)
        axis = check_axis(axis, x.ndim)
    counts = _counting(x, name, where) if masked else None
    if not skips:
        axis = check_axis(axis, x.ndim, masked)
        _check_type(x, name, dtype)
    if out is not None and dtype is None:
        x = average_input(x, name, out)
    if dtype is not None and np.dtype(dtype).kind == "c":
        refuse(name, "dtype", dtype, "a variance is real")
    # In a smaller type sums go out of bounds, as NumPy's do; the engine would compute in float64.
    is_smaller = dtype is not None and np.dtype(dtype) != x.dtype and np.dtype(dtype).itemsize < 8
    if not masked and not is_given(mean) and not is_smaller:
        return reduce(x, name, axis, dtype=dtype, out=out, keepdims=keepdims, ddof=ddof, split_every=split_every)
    counts = _counting(x, name, True) if counts is None else counts
    kind = np.dtype(dtype) if dtype is not None else _mean_type(x.dtype)
    number = _number(counts, axis, True, split_every)
    centre: Any
    if is_given(mean) and np.iscomplexobj(np.empty(0, getattr(mean, "dtype", type(mean)))) and x.dtype.kind != "c":
        refuse(name, "mean", mean, "the distances of real numbers from a complex one are no real numbers")
    if is_given(mean):
        centre = mean if type(mean) in (int, float, complex) else asarray(mean)
    else:
        centre = (
            reduce(_only(x, counts, -0.0), "sum", axis, dtype=kind, keepdims=True, split_every=split_every) / number
        ).astype(kind)
    distance = _only(x, counts, 0) - centre
    squares = (distance * distance.conj()).real if distance.dtype.kind == "c" else distance * distance
    # The type of a mean that is given counts, as that of an operand.
    is_wider = is_given(mean) and dtype is None and squares.dtype.kind == "f"
    real = squares.dtype if is_wider else np.empty(0, kind).real.dtype
    total = reduce(_only(squares, counts, -0.0), "sum", axis, dtype=real, keepdims=True, split_every=split_every)
    free = number - ddof
    result = total / choose(free > 0, free, np.nan if skips else 0)
    result = (result if name.endswith("var") else result**0.5).astype(real)
    if not (is_given(keepdims) and keepdims):
        axes = tuple(range(x.ndim)) if axis is None else axis
        result = result.squeeze(axes) if x.ndim else result
    return result if out is None else write_out(result, out)


def _check_type(x: Array, name: str, dtype: Any) -> None:
    """Averages are taken in floating point, of complex numbers in complex ones."""
    kind = "" if dtype is None else np.dtype(dtype).kind
    if kind and name.startswith("nan") and kind not in "fc":
        raise TypeError("If a is inexact, then dtype must be inexact")
    if kind and (kind not in "fc" or (kind == "f" and x.dtype.kind == "c")):
        refuse(name, "dtype", dtype, f"average as {_mean_type(x.dtype)}, and convert the result by `astype`")


def _mean_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype if dtype.kind in "fc" else np.dtype(np.float64)


def _counting(x: Array, name: str, where: Any) -> Array:
    """Which elements count: a mask of the array's shape."""
    mask = asarray(where)
    if mask.dtype != bool:
        raise TypeError(f"`where` must be an array of booleans, not of {mask.dtype}")
    everywhere = (x == x) | True if not name.startswith("nan") or x.dtype.kind not in "fc" else x == x
    found = everywhere & mask
    if shapes_differ(found.shape, x.shape):
        raise ValueError(f"`where` of shape {mask.shape} does not fit an array of shape {x.shape}")
    return found


def _only(x: Array, counts: Array, other: float) -> Array:
    number = np.array(other).astype(x.dtype)
    return wrap(array_where(counts.__raskt_expr__, x.__raskt_expr__, operand_of(number)))


def _number(counts: Array, axis: Any, keepdims: Any, split_every: Any) -> Array:
    found: Array = reduce(counts, "sum", axis, keepdims=keepdims, split_every=split_every)
    return found
