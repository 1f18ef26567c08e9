"""Elements picked by arrays of positions and by masks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_index, array_moveaxis, array_take
from raskt.array.base.conversion import asarray
from raskt.array.base.registry import is_array, wrap
from raskt.array.blocks.blockwise import contract

if TYPE_CHECKING:
    from collections.abc import Sequence

    from raskt.array._array import Array
    from raskt.array.indexing.key import Key

__all__ = ["broadcast_shape", "select_advanced"]


def select_advanced(array: Array, key: Key) -> Array:
    """The elements of ``array`` that an index with positions or a mask picks."""
    whole = all(isinstance(part, slice) and part == slice(None) for part in key.basic)
    view = array if whole else wrap(array_index(array.__raskt_expr__, key.basic))
    if key.mask is not None:
        return _by_mask(view, key)
    values = [positions.values for positions in key.positions]
    rest = [axis for axis in range(view.ndim) if axis not in key.places]
    shape = broadcast_shape(values)
    first = 0 if key.is_apart else sum(axis < key.places[0] for axis in rest)
    if any(is_array(part) for part in values):
        found = _by_lazy_positions(view, key.places, rest, values, len(shape))
    elif len(values) == 1:
        taken = wrap(array_take(view.__raskt_expr__, values[0].ravel().tolist(), key.places[0]))
        if len(shape) == 1 and first == key.places[0]:
            return taken
        found = _moved(taken, key.places[0], 0, 1)
        found = found if len(shape) == 1 else found.reshape(*shape, *found.shape[1:])
    else:
        found = _by_points(view, key.places, rest, values, shape)
    return _moved(found, 0, first, len(shape))


def broadcast_shape(values: Sequence[Any]) -> tuple[Any, ...]:
    """The shape of positions together; an ``IndexError`` if they have none."""
    shapes = [part.shape for part in values]
    if len(set(shapes)) == 1:
        return shapes[0]
    if any(length != length for shape in shapes for length in shape):
        raise NotImplementedError("positions of unknown number do not broadcast: call `compute_chunk_sizes()` first")
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        shown = " ".join(str(shape) for shape in shapes)
        raise IndexError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes {shown}"
        ) from None


def _moved(array: Array, source: int, destination: int, count: int) -> Array:
    """The array with `count` axes that begin at `source` moved to begin at `destination`."""
    if source == destination or not count:
        return array
    axes = [list(range(start, start + count)) for start in (source, destination)]
    return wrap(array_moveaxis(array.__raskt_expr__, *axes))


def _by_points(
    view: Array, places: Sequence[int], rest: Sequence[int], values: Sequence[Any], shape: tuple[int, ...]
) -> Array:
    """One element of the axes at `places` for each place of the broadcast positions."""
    lengths = [view.shape[axis] for axis in places]
    others = [view.shape[axis] for axis in rest]
    front = view.transpose(*places, *rest).reshape(math.prod(lengths), *others)
    flat = np.zeros(shape, np.intp)
    for part, length in zip(values, lengths, strict=True):
        flat = flat * length + part
    taken = wrap(array_take(front.__raskt_expr__, flat.ravel().tolist(), 0))
    return taken.reshape(*shape, *others)


def _by_lazy_positions(
    view: Array, places: Sequence[int], rest: Sequence[int], values: Sequence[Any], ndim: int
) -> Array:
    """As :func:`_by_points`, by NumPy on blocks of positions; the axes that they pick from are put in one block."""
    front = view.transpose(*places, *rest)
    picked = [f"picked {number}" for number in range(len(places))]
    kept = [f"kept {axis}" for axis in rest]
    spread = [f"position {number}" for number in range(ndim)]
    arrays = [asarray(part) for part in values]

    def getitem(block: Any, *positions: Any) -> Any:
        return block[positions]

    labels = [[*picked, *kept], *(spread[ndim - part.ndim :] for part in arrays)]
    return contract(getitem, "numpy.getitem", [*spread, *kept], [front, *arrays], labels, view.dtype)


def _by_mask(view: Array, key: Key) -> Array:
    """Where a lazy mask is true; how many that are shows when they are computed."""
    if key.positions:
        raise NotImplementedError("a lazy mask beside lists of positions is not implemented: compute the mask first")
    mask = key.mask
    assert mask is not None, "it was looked for"
    first, count = key.places[0], mask.ndim
    if count == view.ndim:
        return wrap(array_index(view.__raskt_expr__, mask))
    if count > 1:
        view = view.reshape(*view.shape[:first], math.prod(mask.shape), *view.shape[first + count :])
        mask = mask.ravel()
    found = wrap(array_index(view.__raskt_expr__, (*[slice(None)] * first, mask)))
    return _moved(found, first, 0, 1) if key.is_apart else found
