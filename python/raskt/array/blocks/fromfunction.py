"""Functions of coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt.array.blocks.map_blocks import map_blocks
from raskt.array.creation.grids import indices

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import DTypeLike

    from raskt.array._array import Array

__all__ = ["fromfunction"]


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
