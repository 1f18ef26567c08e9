"""Elements in order along an axis, which is put in one block; NumPy sorts the blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from raskt._errors import UnknownLengths
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.base.plain import held
from raskt.array.blocks.map_blocks import map_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from raskt.array._array import Array

__all__ = ["argpartition", "argsort", "partition", "sort"]

_SAME = "Of the array's type and shape, or of one axis if no axis is given."
_PLACES = "Of int64, of the array's shape, or of one axis if no axis is given."
_RAISES = {"AxisError": "If there is no such axis.", "ValueError": "If there is no such way to sort, or no fields."}
_SORTING = {
    "axis": "int: The axis along which elements are compared; if `None`, all elements in C order.",
    "kind": "str: How NumPy sorts: `quicksort`, `mergesort`, `heapsort` or `stable`.",
    "order": "str: For structured arrays, which there are none of.",
    "stable": "bool: Whether equal elements keep their order.",
}
_PARTING = _SORTING | {
    "kth": "int or sequence of int: The positions whose elements are those of the sorted line.",
    "kind": "str: How NumPy selects: `introselect`.",
}


@documented(_SAME, _RAISES, **_SORTING)
def sort(a: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: bool | None = None) -> Array:
    """The elements in order; NaN comes last.

    >>> ra.sort(ra.asarray([3, 1, 2])).compute()
    array([1, 2, 3])
    """
    return _by_lines(np.sort, a, axis, None, kind=kind, order=order, stable=stable)


@documented(_PLACES, _RAISES, **_SORTING)
def argsort(a: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: bool | None = None) -> Array:
    """The positions that put elements in order.

    >>> ra.argsort(ra.asarray([3, 1, 2])).compute()
    array([1, 2, 0])
    """
    return _by_lines(np.argsort, a, axis, np.intp, kind=kind, order=order, stable=stable)


@documented(_SAME, _RAISES, **_PARTING)
def partition(a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None) -> Array:
    """The elements, smaller ones before the element at a position of the sorted line, larger ones after it.

    >>> ra.partition(ra.asarray([3, 1, 2]), 0)[0].compute()
    np.int64(1)
    """
    return _by_lines(np.partition, a, axis, None, kth=kth, kind=kind, order=order)


@documented(_PLACES, _RAISES, **_PARTING)
def argpartition(a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None) -> Array:
    """The positions that put elements in the order of :func:`partition`.

    >>> ra.argpartition(ra.asarray([3, 1, 2]), 0)[0].compute()
    np.int64(1)
    """
    return _by_lines(np.argpartition, a, axis, np.intp, kth=kth, kind=kind, order=order)


def _by_lines(function: Callable[..., Any], a: Any, axis: int | None, dtype: Any, **options: Any) -> Array:
    """A NumPy function of whole lines that gives lines of the same length."""
    x, options = asarray(a), held(options)
    if axis is None or (not x.ndim and dtype is not None and axis in (0, -1)):
        x, axis = x.ravel(), 0  # Places of a single number are those of a line.
    at = normalize_axis_index(axis, x.ndim)
    if x.shape[at] != x.shape[at]:
        raise UnknownLengths(f"{function.__name__} needs the length of axis {at}: call `compute_chunk_sizes()` first")
    # What NumPy refuses of these arguments is refused at the call.
    trial = np.zeros([min(length, 1) if here == at else 1 for here, length in enumerate(x.shape)], x.dtype)
    if "kth" in options and trial.size:
        _check_positions(options["kth"], x.shape[at])
    function(trial, axis=at, **{name: 0 if name == "kth" and trial.size else value for name, value in options.items()})

    def call(block: Any) -> Any:
        return function(block, axis=at, **options)

    return map_blocks(call, x.rechunk({at: -1}), name=f"numpy.{function.__name__}", dtype=dtype or x.dtype)


def _check_positions(kth: Any, length: int) -> None:
    """An error if a position is not within a line, or no whole number."""
    places = np.asarray(kth)
    if places.dtype.kind not in "iu":
        raise TypeError("Partition index must be integer")
    for place in places.ravel()[(places.ravel() < -length) | (places.ravel() >= length)]:
        raise ValueError(f"kth(={place}) out of bounds ({length})")
