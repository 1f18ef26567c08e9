"""Functions that are known at points: values between them, and areas below them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.blocks.blockwise import contract
from raskt.array.statistics.differences import diff

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["interp", "trapezoid"]


@documented(
    "Of float64, or of complex128 if the values are complex, of the shape of `x`.",
    {"ValueError": "If there is no point, or there are not as many values as points."},
    x="array_like: Where the function is asked for.",
    xp="array_like: The points, rising unless there is a period; they are brought together in each block.",
    fp="array_like: The values at the points.",
    left="float: What is given before the first point; its value if not given.",
    right="float: What is given after the last point; its value if not given.",
    period="float: The length after which points come again.",
)
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Array:
    """Values on straight lines between points. NumPy computes each block.

    >>> ra.interp(ra.asarray([0.5, 2.0]), [0, 1, 3], [0, 10, 30]).compute()
    array([ 5., 20.])
    """
    places, points, values = asarray(x), asarray(xp), asarray(fp)
    options = {"left": left, "right": right, "period": period}
    # What NumPy refuses is refused at the call.
    trial = [np.zeros(tuple(min(length, 2) for length in part.shape), part.dtype) for part in (points, values)]
    dtype = np.asarray(np.interp(np.zeros((1,) * places.ndim, places.dtype), *trial, **options)).dtype
    if points.shape != values.shape:
        raise ValueError("fp and xp are not of the same length.")
    labels = [f"axis {axis}" for axis in range(places.ndim)]

    def call(block: Any, points: Any, values: Any) -> Any:
        return np.interp(block, points, values, **options)

    lines = [labels, ["points"], ["points"]]
    return contract(call, "numpy.interp", labels, [places, points, values], lines, dtype)


@documented(
    "Floating, without the axis.",
    y="array_like: The values of functions, along the axis.",
    x="array_like: The points; they lie `dx` apart if not given.",
    dx="float: The distance of points, where they are not given.",
    axis="int: The axis along which the points lie.",
)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Array:
    """The areas below straight lines between points.

    >>> ra.trapezoid(ra.asarray([1.0, 2.0, 4.0])).compute()
    np.float64(4.5)
    """
    values = asarray(y)
    gaps: Any = dx
    if x is not None:
        points = asarray(x)
        gaps = diff(points, axis=-1 if points.ndim == 1 else axis)
        gaps = (
            gaps.reshape([-1 if at == axis % values.ndim else 1 for at in range(values.ndim)])
            if gaps.ndim == 1
            else gaps
        )
    before = (slice(None),) * (axis % max(values.ndim, 1))
    after, ahead = values[(*before, slice(1, None))], values[(*before, slice(None, -1))]
    return (gaps * (after + ahead) / 2.0).sum(axis)
