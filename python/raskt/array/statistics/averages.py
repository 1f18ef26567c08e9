"""Averages and moments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from raskt.array.base.arguments import NO_VALUE, is_given
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.base.lengths import shapes_differ
from raskt.array.blocks.map_blocks import elementwise
from raskt.array.creation.constructors import ones_like
from raskt.array.manipulation.axes import broadcast_to

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["average", "moment"]


@documented(
    "Of float64 for integers, else of the promoted type, without the reduced axes; with `returned` a pair.",
    {"ValueError": "If weights don't fit the array.", "TypeError": "If weights of another shape come without an axis."},
    kind="Array or tuple of Array",
    weights="array_like: How much each element counts, in the array's shape, or a line of them along the axis.",
    returned="bool: Whether the sum of weights comes along.",
)
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = NO_VALUE) -> Any:
    """The mean of elements, each with a weight.

    >>> ra.average(ra.asarray([1.0, 4.0]), weights=[3, 1]).compute()
    np.float64(1.75)
    """
    x, keepdims = asarray(a), is_given(keepdims) and bool(keepdims)
    axes = None if axis is None else normalize_axis_tuple(axis, x.ndim, argname="axis")
    if weights is None:
        mean = x.mean(axes, keepdims=keepdims)
        if not mean.size:
            raise ZeroDivisionError("the mean of no elements has no sum of weights")
        count = ones_like(x, dtype=mean.dtype).sum(axes, keepdims=keepdims)
        return (mean, count) if returned else mean
    w = weights_like(x, weights, axes)
    kinds = (np.dtype(float),) if x.dtype.kind in "iub" else ()
    dtype = np.result_type(x.dtype, w.dtype, *kinds)
    total = broadcast_to(w, x.shape).sum(axes, dtype=dtype, keepdims=keepdims)
    weighted = (x.astype(dtype) * w.astype(dtype)).sum(axes, keepdims=keepdims)
    mean = elementwise(_normalised, weighted, total, name="divide", dtype=dtype)
    return (mean, total) if returned else mean


def _normalised(weighted: Any, total: Any) -> Any:
    if (total == 0).any():
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return weighted / total


def weights_like(x: Array, weights: Any, axes: tuple[int, ...] | None) -> Array:
    """Weights for each element, or for each place along `axes`, so that they broadcast with the array."""
    w = asarray(weights)
    if not shapes_differ(w.shape, x.shape):
        return w
    if axes is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    if shapes_differ(w.shape, tuple(x.shape[axis] for axis in axes)):
        raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    order = sorted(range(len(axes)), key=axes.__getitem__)
    return w.transpose(order).reshape([length if axis in axes else 1 for axis, length in enumerate(x.shape)])


@documented(
    "Floating, without the reduced axes.",
    {"ValueError": "If the order is negative or no whole number."},
    order="int: To which power distances are raised.",
)
def moment(a: Any, order: int, axis: Any = None, dtype: Any = None, keepdims: bool = False, ddof: float = 0) -> Array:
    """The central moment of an order: the mean of the distances to the mean, raised to it.

    >>> ra.moment(ra.asarray([1.0, 3.0]), 2).compute()
    np.float64(1.0)
    """
    if order < 0 or int(order) != order:
        raise ValueError(f"the order of a moment is a whole number that is not negative, not {order}")
    x = asarray(a) if dtype is None else asarray(a).astype(dtype)
    distance = x - x.mean(axis, keepdims=True)
    raised = distance**order
    if not ddof:
        return raised.mean(axis, keepdims=keepdims)
    total = raised.sum(axis, keepdims=keepdims)
    return total / (x.size / max(total.size, 1) - ddof)
