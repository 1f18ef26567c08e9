"""Coordinates of grids, and functions of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt.array.blocks.map_blocks import map_blocks
from raskt.array.creation.constructors import arange, read_lengths, zeros
from raskt.array.creation.conversion import asarray
from raskt.array.manipulation.axes import broadcast_arrays
from raskt.array.manipulation.joining import stack

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import DTypeLike

    from raskt.array._array import Array

__all__ = ["fromfunction", "indices", "meshgrid"]


def indices(dimensions: Sequence[int], dtype: DTypeLike = int, chunks: Any = "auto") -> Array:
    """The coordinates of a grid: along the first axis of the result, one array for each axis of the grid."""

    lengths = read_lengths(dimensions)
    if not lengths:
        return zeros((0,), dtype=dtype)
    grid = zeros(lengths, dtype=dtype, chunks=chunks)
    lines = [arange(length, dtype=dtype, chunks=(axis,)) for length, axis in zip(lengths, grid.chunks, strict=True)]
    places = [line.reshape([-1 if at == axis else 1 for at in range(len(lengths))]) for axis, line in enumerate(lines)]
    return stack([place + grid for place in places])


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

    return list(broadcast_arrays(*grids))


def fromfunction(
    function: Callable[..., Any],
    chunks: Any = "auto",
    shape: Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
    **kwargs: Any,
) -> Array:
    """``function`` of the coordinates, called on each block of them.

    >>> import raskt.array as ra
    >>> ra.fromfunction(lambda i, j: i + j, shape=(2, 2), dtype=int).compute()
    array([[0, 1],
           [1, 2]])
    """
    if shape is None:
        raise ValueError("fromfunction needs a shape")
    dtype = np.dtype(float if dtype is None else dtype)
    places = indices(shape, dtype=dtype, chunks=chunks)
    coordinates = [places[axis] for axis in range(len(shape))]
    return map_blocks(function, *coordinates, dtype=dtype, **kwargs)
