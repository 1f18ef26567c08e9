"""Coordinates of grids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_broadcast_to, array_stack
from raskt.array.base.conversion import asarray
from raskt.array.base.registry import wrap
from raskt.array.creation.constructors import arange, read_lengths, zeros

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike

    from raskt.array._array import Array

__all__ = ["indices", "meshgrid"]


def indices(dimensions: Sequence[int], dtype: DTypeLike = int, chunks: Any = "auto") -> Array:
    """The coordinates of a grid: along the first axis of the result, one array for each axis of the grid."""

    lengths = read_lengths(dimensions)
    if not lengths:
        return zeros((0,), dtype=dtype)
    grid = zeros(lengths, dtype=dtype, chunks=chunks)
    lines = [arange(length, dtype=dtype, chunks=(axis,)) for length, axis in zip(lengths, grid.chunks, strict=True)]
    places = [line.reshape([-1 if at == axis else 1 for at in range(len(lengths))]) for axis, line in enumerate(lines)]
    return wrap(array_stack([(place + grid).__raskt_expr__ for place in places], 0))


def meshgrid(*xi: Any, sparse: bool = False, indexing: str = "xy", **kwargs: Any) -> list[Array]:
    """Coordinate matrices from coordinate vectors.

    >>> import raskt.array as ra
    >>> [x.shape for x in ra.meshgrid([1, 2, 3], [4, 5])]
    [(2, 3), (2, 3)]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing must be `xy` or `ij`, not {indexing!r}")
    lines = [asarray(line).ravel() for line in xi]
    order = list(range(len(lines)))
    if indexing == "xy" and len(lines) > 1:
        order[0], order[1] = 1, 0
    grids = [
        line.reshape([-1 if at == order[axis] else 1 for at in range(len(lines))]) for axis, line in enumerate(lines)
    ]
    if sparse:
        return grids

    shape = np.broadcast_shapes(*(grid.shape for grid in grids))
    return [wrap(array_broadcast_to(grid.__raskt_expr__, list(shape))) for grid in grids]
