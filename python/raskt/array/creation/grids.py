"""Coordinates of grids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_broadcast_to, array_stack
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.base.registry import wrap
from raskt.array.creation.constructors import arange, read_lengths, zeros

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike

    from raskt.array._array import Array

__all__ = ["indices", "meshgrid"]


@documented(
    "Of `dtype`, an array for each axis of the grid along the first axis; with `sparse` a tuple of them.",
    {"ValueError": "If a length is negative."},
    kind="Array or tuple of Array",
    dimensions="sequence of int: The lengths of the axes of the grid.",
    sparse="bool: Whether each has only its own axis, and length 1 along the others.",
)
def indices(dimensions: Sequence[int], dtype: DTypeLike = int, sparse: bool = False, *, chunks: Any = "auto") -> Any:
    """The coordinates of a grid.

    >>> ra.indices((2, 2)).compute()
    array([[[0, 0],
            [1, 1]],
    <BLANKLINE>
           [[0, 1],
            [0, 1]]])
    """

    lengths = read_lengths(dimensions)
    if not lengths and sparse:
        return ()
    if not lengths:
        return zeros((0,), dtype=dtype)
    grid = zeros(lengths, dtype=dtype, chunks=chunks)
    lines = [arange(length, dtype=dtype, chunks=(axis,)) for length, axis in zip(lengths, grid.chunks, strict=True)]
    places = [line.reshape([-1 if at == axis else 1 for at in range(len(lengths))]) for axis, line in enumerate(lines)]
    if sparse:
        return tuple(places)
    return wrap(array_stack([(place + grid).__raskt_expr__ for place in places], 0))


@documented(
    "Each of its own type, all of the shape of the grid.",
    {"ValueError": "If `indexing` is neither `xy` nor `ij`."},
    kind="tuple of Array",
    xi="array_like: The coordinates along each axis.",
    copy="bool: Of no effect: lazy arrays share what they can.",
    sparse="bool: Whether each has only its own axis, and length 1 along the others.",
    indexing="str: `xy`, where the first axis of a grid is of the second vector, or `ij`, where it is of the first.",
)
def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[Array, ...]:
    """Coordinate matrices from coordinate vectors.

    >>> [x.shape for x in ra.meshgrid([1, 2, 3], [4, 5])]
    [(2, 3), (2, 3)]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    lines = [asarray(line).ravel() for line in xi]
    order = list(range(len(lines)))
    if indexing == "xy" and len(lines) > 1:
        order[0], order[1] = 1, 0
    grids = tuple(
        line.reshape([-1 if at == order[axis] else 1 for at in range(len(lines))]) for axis, line in enumerate(lines)
    )
    if sparse:
        return grids
    shape = np.broadcast_shapes(*(grid.shape for grid in grids))
    return tuple(wrap(array_broadcast_to(grid.__raskt_expr__, list(shape))) for grid in grids)
