"""Arrays as sets of elements; both are put in one block, and NumPy compares them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.blocks.map_blocks import map_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from raskt.array._array import Array

__all__ = ["intersect1d", "setdiff1d", "setxor1d"]

_PAIR = {
    "ar1": "array_like: The one array.",
    "ar2": "array_like: The other array.",
    "assume_unique": "bool: Whether nothing is twice in one of them, so that NumPy may be quicker.",
}
_FOUND = "Of the promoted type, in order, of a length that is not known before it is computed."


@documented(
    f"{_FOUND} With `return_indices` a tuple, with the positions of int64 in each array.",
    kind="Array or tuple of Array",
    return_indices="bool: Whether to tell where each first appears in either array.",
    **_PAIR,
)
def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """The different elements that are in both arrays.

    >>> ra.intersect1d([1, 3, 2], [3, 1, 4]).compute()
    array([1, 3])
    """
    if not return_indices:
        return _compared(np.intersect1d, ar1, ar2, assume_unique)

    def part(at: int) -> Array:
        def intersect1d(x: Any, y: Any, assume_unique: bool) -> Any:
            return np.intersect1d(x, y, assume_unique, return_indices=True)[at]

        return _compared(intersect1d, ar1, ar2, assume_unique)

    return part(0), part(1), part(2)


@documented("Of the type of `ar1`, in order, of a length that is not known before it is computed.", **_PAIR)
def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Array:
    """The different elements of the first array that are not in the second.

    >>> ra.setdiff1d([1, 3, 2], [3, 4]).compute()
    array([1, 2])
    """
    return _compared(np.setdiff1d, ar1, ar2, assume_unique)


@documented(_FOUND, **_PAIR)
def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Array:
    """The different elements that are in one of the arrays alone.

    >>> ra.setxor1d([1, 3, 2], [3, 4]).compute()
    array([1, 2, 4])
    """
    return _compared(np.setxor1d, ar1, ar2, assume_unique)


def _compared(function: Callable[..., Any], ar1: Any, ar2: Any, assume_unique: bool) -> Array:
    x, y = asarray(ar1).ravel(), asarray(ar2).ravel()
    dtype = np.asarray(function(np.zeros(1, x.dtype), np.zeros(1, y.dtype), assume_unique)).dtype

    def call(one: Any, other: Any) -> Any:
        return function(one.reshape(-1), other.reshape(-1), assume_unique)

    # Beside each other along axes of their own, the two need not be equally long.
    lines = [x.rechunk(-1)[:, None], y.rechunk(-1)[None, :]]
    return map_blocks(call, *lines, name=f"numpy.{function.__name__}", dtype=dtype, chunks=[(np.nan,)], drop_axis=1)
