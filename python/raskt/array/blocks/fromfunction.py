"""Functions of coordinates."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt.array.base.arguments import check_like
from raskt.array.base.documentation import documented
from raskt.array.blocks.map_blocks import find_dtype, map_blocks
from raskt.array.creation.grids import indices

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike

    from raskt.array._array import Array

__all__ = ["fromfunction"]


@documented(
    "Of the type that the function gives, as found by trying it on one coordinate; `dtype` if that fails.",
    {"NotImplementedError": "For `like` of another class."},
    function="callable: Takes an array of coordinates for each axis, and gives an array of their shape.",
    dtype="data-type: The type of the coordinates.",
    kwargs="object: Are passed on to the function.",
    differences="the function is called on each block.",
)
def fromfunction(
    function: Callable[..., Any],
    shape: Any,
    *,
    dtype: DTypeLike = float,
    like: Any = None,
    chunks: Any = "auto",
    **kwargs: Any,
) -> Array:
    """A function of the coordinates of each element.

    >>> ra.fromfunction(lambda i, j: i + j, shape=(2, 2), dtype=int).compute()
    array([[0, 1],
           [1, 2]])
    """
    check_like("fromfunction", like)
    dtype = np.dtype(float if dtype is None else dtype)
    shape = shape if isinstance(shape, (tuple, list)) else (shape,)
    places = indices(shape, dtype=dtype, chunks=chunks)
    coordinates = [places[axis] for axis in range(len(shape))]
    try:
        kind = find_dtype(partial(function, **kwargs), coordinates, "fromfunction")
    except ValueError:
        kind = dtype
    return map_blocks(function, *coordinates, dtype=kind, **kwargs)
