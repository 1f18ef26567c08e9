"""Differences of neighbours, and slopes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.base.lengths import shapes_differ
from raskt.array.base.plain import held_copy
from raskt.array.base.registry import is_array
from raskt.array.manipulation.axes import broadcast_to
from raskt.array.manipulation.joining import concatenate

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["diff", "ediff1d", "gradient"]


@documented(
    "Of the array's type; of bool for booleans, which are compared. Each time an axis gets shorter by one.",
    {"ValueError": "If `n` is negative, or the array has no axes."},
    n="int: How many times differences are taken.",
    axis="int: The axis along which neighbours are looked for.",
    prepend="scalar or array_like: What stands before the array.",
    append="scalar or array_like: What stands after the array.",
)
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Array:
    """Differences of neighbours along an axis.

    >>> ra.diff(ra.asarray([1, 4, 9])).compute()
    array([3, 5])
    """
    if n == 0:
        return asarray(a)
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    x = asarray(a)
    if not x.ndim:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis_index(axis, x.ndim)
    ends = [(_end(x, prepend, axis), prepend), (x, x), (_end(x, append, axis), append)]
    parts = [part for part, given in ends if given is not None]
    x = concatenate(parts, axis=axis) if len(parts) > 1 else x
    before = (slice(None),) * axis
    for _ in range(n):
        after, before_it = x[(*before, slice(1, None))], x[(*before, slice(None, -1))]
        x = after != before_it if x.dtype == bool else after - before_it
    return x


def _end(x: Array, end: Any, axis: int) -> Any:
    if end is None or np.ndim(end):
        return end if end is None else asarray(end)
    return broadcast_to(asarray(end), (*x.shape[:axis], 1, *x.shape[axis + 1 :]))


@documented(
    "Of the array's type, of one axis.",
    {"TypeError": "If what is put around can't be cast to the array's type."},
    to_end="array_like: What stands after the differences.",
    to_begin="array_like: What stands before the differences.",
)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Array:
    """Differences of neighbours in C order.

    >>> ra.ediff1d(ra.asarray([1, 4, 9]), to_end=[0]).compute()
    array([3, 5, 0])
    """
    x = asarray(ary).ravel()
    ends = []
    for name, end in (("to_begin", to_begin), ("to_end", to_end)):
        part = None if end is None else asarray(end).ravel()
        if part is not None and not np.can_cast(part.dtype, x.dtype, casting="same_kind"):
            raise TypeError(f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule.")
        ends.append(None if part is None else part.astype(x.dtype))
    parts = [part for part in (ends[0], x[1:] - x[:-1], ends[1]) if part is not None]
    return concatenate(parts) if len(parts) > 1 else parts[0]


@documented(
    "Floating, of the array's shape; for several axes a tuple, an array for each.",
    {"ValueError": "If an axis is too short.", "TypeError": "If there are neither as many spacings as axes nor one."},
    kind="Array or tuple of Array",
    varargs="float or array_like: The distance of neighbours: one for all axes, or for each a number or coordinates.",
    edge_order="int: How exact slopes at the ends are: 1 or 2.",
)
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Slopes along axes: central differences inside, one-sided ones at the ends.

    >>> ra.gradient(ra.asarray([1.0, 4.0, 9.0])).compute()
    array([3., 4., 5.])
    """
    x = asarray(f)
    x = x.astype(float) if x.dtype.kind in "iu" else x
    axes = tuple(range(x.ndim)) if axis is None else normalize_axis_tuple(axis, x.ndim)
    if len(varargs) == 1 and np.ndim(varargs[0]) == 0:
        varargs = varargs * len(axes)
    if len(varargs) not in (0, len(axes)):
        raise TypeError("invalid number of arguments")
    gaps = (
        [_gaps(gap, x.shape[along]) for gap, along in zip(varargs, axes, strict=True)] if varargs else [1.0] * len(axes)
    )
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    for along in axes:
        if x.shape[along] < edge_order + 1:
            raise ValueError(
                "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are "
                "required."
            )
    dtype = np.float64 if x.dtype == bool else x.dtype
    slopes = [_slope(x, along, gap, edge_order).astype(dtype) for along, gap in zip(axes, gaps, strict=True)]
    return slopes[0] if len(slopes) == 1 else tuple(slopes)


def _gaps(spacing: Any, length: int) -> Any:
    """The distance of neighbours, or the distances where they differ."""
    if np.ndim(spacing) == 0:
        return spacing
    if is_array(spacing):
        raise NotImplementedError("gradient takes coordinates in memory: compute them first")
    places = held_copy(spacing)
    if places.ndim != 1:
        raise ValueError("distances must be either scalars or 1d")
    if shapes_differ((len(places),), (length,)):
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    gaps = np.diff(places.astype(float) if places.dtype.kind in "iu" else places)
    return gaps[0] if (gaps == gaps[0]).all() else gaps


def _slope(x: Array, axis: int, gap: Any, edge_order: int) -> Array:
    def at(start: int | None, stop: int | None) -> Array:
        return x[(slice(None),) * axis + (slice(start, stop),)]

    def one(place: int) -> Array:
        return at(place, place + 1 or None)

    if np.ndim(gap):
        shape = [-1 if along == axis else 1 for along in range(x.ndim)]
        h1, h2 = gap[:-1].reshape(shape), gap[1:].reshape(shape)
        inner = (
            -h2 / (h1 * (h1 + h2)) * at(None, -2)
            + (h2 - h1) / (h1 * h2) * at(1, -1)
            + h1 / (h2 * (h1 + h2)) * at(2, None)
        )
    else:
        inner = (at(2, None) - at(None, -2)) / (2.0 * gap)
    first, last = (gap[0], gap[-1]) if np.ndim(gap) else (gap, gap)
    if edge_order < 2:
        return _joined((one(1) - one(0)) / first, inner, (one(-1) - one(-2)) / last, axis)
    if np.ndim(gap):
        (a, b, c), (p, q, r) = _second_order(gap[0], gap[1]), _second_order(gap[-1], gap[-2])
        p, q, r = -r, -q, -p
    else:
        (a, b, c), (p, q, r) = (-1.5 / gap, 2.0 / gap, -0.5 / gap), (0.5 / gap, -2.0 / gap, 1.5 / gap)
    begin = a * one(0) + b * one(1) + c * one(2)
    return _joined(begin, inner, p * one(-3) + q * one(-2) + r * one(-1), axis)


def _second_order(near: Any, far: Any) -> tuple[Any, Any, Any]:
    """The weights of the end and of its two neighbours, at distances `near` and `near + far`."""
    return -(2.0 * near + far) / (near * (near + far)), (near + far) / (near * far), -near / (far * (near + far))


def _joined(first: Array, inner: Array, last: Array, axis: int) -> Array:
    return concatenate([first, inner, last] if inner.shape[axis] else [first, last], axis=axis)
