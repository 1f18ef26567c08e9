"""Positions of elements that are not zero."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.creation.constructors import arange
from raskt.array.manipulation.axes import broadcast_to
from raskt.array.manipulation.joining import stack

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["argwhere", "flatnonzero", "nonzero"]


@documented(
    "Of int64, one for each axis; of a length that is not known before it is computed.",
    {"ValueError": "If the array has no axes."},
    kind="tuple of Array",
)
def nonzero(a: Any) -> tuple[Array, ...]:
    """Positions of elements that are not zero, an array for each axis.

    >>> [places.compute() for places in ra.nonzero(ra.asarray([0, 3, 0, 5]))]
    [array([1, 3])]
    """
    x = asarray(a)
    if not x.ndim:
        raise ValueError("an array without axes has no positions")
    mask = x != 0 if x.dtype != bool else x
    places = []
    for axis, (length, lengths) in enumerate(zip(x.shape, x.chunks, strict=True)):
        line = arange(length, chunks=(lengths,)).reshape([-1 if at == axis else 1 for at in range(x.ndim)])
        places.append(broadcast_to(line, x.shape, chunks=x.chunks)[mask])
    return tuple(places)


@documented("Of int64, of a length that is not known before it is computed.")
def flatnonzero(a: Any) -> Array:
    """Positions, in C order, of elements that are not zero.

    >>> ra.flatnonzero([[0, 3], [5, 0]]).compute()
    array([1, 2])
    """
    return nonzero(asarray(a).ravel())[0]


@documented("Of int64, with a column for each axis; the number of rows is not known before it is computed.")
def argwhere(a: Any) -> Array:
    """Positions of elements that are not zero, a row for each.

    >>> ra.argwhere([[0, 3], [5, 0]]).compute()
    array([[0, 1],
           [1, 0]])
    """
    x = asarray(a)
    if not x.ndim:  # One row without columns, or none.
        return nonzero(x.reshape(1))[0][:, None][:, :0]
    return stack(nonzero(x), axis=1)
