"""Elements assigned to: another expression takes the place of the array's own."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_gather
from raskt.array.base.conversion import as_assigned, asarray
from raskt.array.base.plain import check_plain
from raskt.array.base.registry import is_array, wrap
from raskt.array.blocks.blockwise import contract
from raskt.array.creation.constructors import arange, full
from raskt.array.indexing.advanced import broadcast_shape
from raskt.array.indexing.key import parse
from raskt.array.manipulation.axes import broadcast_to, take
from raskt.array.manipulation.joining import concatenate
from raskt.array.selection.where import where

if TYPE_CHECKING:
    from collections.abc import Sequence

    from raskt.array._array import Array
    from raskt.array.indexing.key import Key

__all__ = ["assign"]

#: Arrays of more elements get the errors of this module.
SIZE_TRIED = 10_000_000


def assign(array: Array, key: Any, value: Any) -> Array:
    """The array that ``array[key] = value`` leaves, with NumPy's rules for broadcasting and conversion.

    Where positions repeat, the last value stays.
    """
    check_plain(value)
    try:
        return _assigned(array, key, value)
    except (IndexError, OverflowError, TypeError, ValueError):
        _try_in_numpy(array, key, value)
        raise


def _try_in_numpy(array: Array, key: Any, value: Any) -> None:
    """Assign to memory of the array's shape and type, so that an error is NumPy's, of several that which it finds."""
    if is_array(value) or not array.__raskt_expr__.is_known or array.size > SIZE_TRIED:
        return
    parts = key if isinstance(key, tuple) else (key,)
    if not any(map(is_array, parts)):
        np.zeros(array.shape, array.dtype)[key] = value


def _assigned(array: Array, key: Any, value: Any) -> Array:
    parts: Key = parse(array, key if isinstance(key, tuple) else (key,))
    numbers = len(parts.basic) == array.ndim and all(isinstance(part, int) for part in parts.basic)
    # With an ellipsis it is a view without axes, to which an array of one element is broadcast.
    is_view = isinstance(value, np.ndarray) and any(
        part is Ellipsis for part in (key if type(key) is tuple else (key,))
    )
    if numbers and not is_view and not is_array(value):
        element = np.zeros((1,) * array.ndim, array.dtype)
        element[(0,) * array.ndim] = value  # NumPy takes some sequences for a number.
        value = element.reshape(())
    values = as_assigned(value, array.dtype)
    if getattr(key, "dtype", None) == bool and np.ndim(key) == array.ndim and not values.ndim:
        parts = parse(array, (key,))
        return where(key if parts.mask is None else parts.mask, values, array).rechunk(array.chunks)
    if not parts.positions and parts.mask is None:
        return _assign_basic(array, parts.basic, values)
    # The part that slices and integers pick is changed first, and put back. Truth values have an axis in it.
    new, truths = _new_axes(parts)
    view = array[tuple(part for at, part in enumerate(parts.basic) if at not in new)]
    changed = _assign_mask(view, parts, values) if parts.mask is not None else _assign_points(view, parts, values)
    for axis in reversed(truths):
        changed = changed[(slice(None),) * axis + (0,)]
    inner = tuple(part for part in parts.basic if part is not None)
    whole = all(isinstance(part, slice) and part == slice(None) for part in inner)
    return changed.rechunk(array.chunks) if whole else _assign_basic(array, inner, changed)


def _new_axes(key: Key) -> tuple[set[int], list[int]]:
    """Which parts are new axes that nothing is picked from, and the axes of truth values when those are left out."""
    new, truths, place = set(), [], 0
    for at, part in enumerate(key.basic):
        if isinstance(part, int):
            continue
        if part is None and place not in key.places:
            new.add(at)
        elif part is None:
            truths.append(place - len(new))
        place += 1
    return new, truths


def _fitted(values: Array, shape: Sequence[Any]) -> Array:
    """The values, with leading axes of length 1 dropped as NumPy does, if they broadcast to `shape`."""
    while values.ndim > len(shape) and values.shape[0] == 1:
        values = values[0]
    own = values.shape
    pairs = zip(own[::-1], tuple(shape)[::-1], strict=False)
    if len(own) > len(shape) or any(a not in (1, b) and a == a and b == b for a, b in pairs):
        raise ValueError(f"could not broadcast input array from shape {own} into shape {tuple(shape)}")
    return values


# Slices and integers


def _assign_basic(array: Array, basic: Sequence[Any], values: Array) -> Array:
    picked = array[tuple(basic)]
    values = _fitted(values, picked.shape)
    if 0 in picked.shape:
        return array
    values = values.reshape((1,) * (picked.ndim - values.ndim) + values.shape)
    # With an axis for each of the array: new axes go, those of integers come.
    axis = 0
    for part in basic:
        if part is None:
            values = values[(slice(None),) * axis + (0,)]
        else:
            values = values if isinstance(part, slice) else values[(slice(None),) * axis + (None,)]
            axis += 1
    mask: Any = True
    for axis, part in enumerate(part for part in basic if part is not None):
        if part != slice(None):
            line, values = _spread_along(array, axis, _range_of(part, array.shape[axis]), values)
            mask = line if mask is True else mask & line
    found = broadcast_to(values, array.shape) if mask is True else where(mask, values, array)
    return found.rechunk(array.chunks)


def _range_of(part: Any, length: int) -> range:
    if isinstance(part, slice):
        return range(*part.indices(length))
    at = part if part >= 0 else part + length
    return range(at, at + 1)


def _spread_along(array: Array, axis: int, places: range, values: Array) -> tuple[Any, Array]:
    """Where an axis is assigned to, and values moved to the places that they go to."""
    if places.step < 0:
        places = places[::-1]
        values = values[(slice(None),) * axis + (slice(None, None, -1),)]
    length, chunks = array.shape[axis], array.chunks[axis]
    line = arange(length, chunks=(chunks,)).reshape([-1 if at == axis else 1 for at in range(array.ndim)])
    first, last = places[0], places[-1]
    mask: Any = (line >= first) & (line <= last)
    if places.step > 1 and len(places) > 1:
        mask = mask & ((line - first) % places.step == 0)
    if values.shape[axis] == 1:
        return mask, values
    if places.step == 1:
        ends = [(first, 0), (length - 1 - last, 2)]
        parts: list[Any] = [values]
        for count, at in ends:
            if count:
                shape = (*values.shape[:axis], count, *values.shape[axis + 1 :])
                parts.insert(at, full(shape, values.dtype.type(0), dtype=values.dtype))
        return mask, concatenate(parts, axis=axis)
    order = np.clip((np.arange(length) - first) // places.step, 0, len(places) - 1)
    return mask, take(values, order, axis=axis)


# Positions


def _assign_points(view: Array, key: Key, values: Array) -> Array:
    """Values for points of some axes, written by NumPy into copies of the blocks that hold them."""
    positions, axes = key.positions, _own_axes(key)
    rest = [axis for axis in range(view.ndim) if axis not in axes]
    shape = broadcast_shape([part.values for part in positions])
    values = _in_front(values, key, shape, [view.shape[axis] for axis in rest])
    if 0 in shape:
        return view
    flat = [_line(part.values, shape) for part in positions]
    count, others = values.shape[: len(shape)], values.shape[len(shape) :]
    if any(length != 1 for length in count):
        values = values if len(shape) == 1 else broadcast_to(values, (*shape, *others))
        line = values.reshape(math.prod(values.shape[: len(shape)]), *others)
    else:
        line = values.reshape(1, *others)
    labels = [f"axis {axis}" for axis in range(view.ndim)]
    places = [arange(view.shape[axis], chunks=(view.chunks[axis],)) for axis in axes]
    number, lengths = len(axes), [view.shape[axis] for axis in axes]

    def setitem(block: Any, new: Any, *arrays: Any) -> Any:
        lines = [_from_start(line, length) for line, length in zip(arrays[number:], lengths, strict=True)]
        return _written(block, new, axes, arrays[:number], lines)

    written = contract(
        setitem,
        "numpy.setitem",
        labels,
        [view, line, *places, *flat],
        [
            labels,
            ["values", *(labels[axis] for axis in rest)],
            *([labels[at]] for at in axes),
            *[["positions"]] * number,
        ],
        view.dtype,
    )
    return written.rechunk(view.chunks)


def _own_axes(key: Key) -> list[int]:
    """The axes that positions are along, new ones left out."""
    new, _ = _new_axes(key)
    places, place = [], 0
    for at, part in enumerate(key.basic):
        if not isinstance(part, int):
            places += [] if at in new else [place]
            place += 1
    return [places.index(place) for place in key.places]


def _written(block: Any, new: Any, axes: Sequence[int], places: Sequence[Any], positions: Sequence[Any]) -> Any:
    """A copy of a block with the values that go into it."""
    count = len(positions[0])
    if len(new) not in (1, count):
        raise ValueError(f"could not assign {len(new)} values to {count} positions")
    here = np.ones(count, bool)
    local = []
    for place, line in zip(places, positions, strict=True):
        start, length = (int(place[0]) if len(place) else 0), len(place)
        here &= (line >= start) & (line < start + length)
        local.append(line - start)
    result = block.copy()
    if here.any():
        view = np.moveaxis(result, axes, range(len(axes)))
        view[tuple(line[here] for line in local)] = new[here] if len(new) == count else new
    return result


def _from_start(line: Any, length: int) -> Any:
    """Positions counted from the start; lazy ones are looked at here."""
    for wrong in line[(line < -length) | (line >= length)]:
        raise IndexError(f"index {wrong} is out of bounds for an axis of size {length}")
    return np.where(line < 0, line + length, line)


def _in_front(values: Array, key: Key, shape: Sequence[Any], others: Sequence[Any]) -> Array:
    """The values with the broadcast axes first and then those of the rest of the array, new axes dropped."""
    # The axes of the result, in order: those of positions are one run, new ones are of length 1.
    rest: list[Any] = []
    own = iter(others)
    place, run = 0, None
    for part in key.basic:
        if isinstance(part, int):
            continue
        if place in key.places:
            run = len(rest) if run is None else run
        else:
            rest.append(1 if part is None else next(own))
        place += 1
    start = 0 if key.is_apart else int(run or 0)
    target = (*rest[:start], *shape, *rest[start:])
    values = _fitted(values, target)
    values = values.reshape((1,) * (len(target) - values.ndim) + values.shape)
    run_axes = list(range(start, start + len(shape)))
    values = values.transpose(*run_axes, *(axis for axis in range(len(target)) if axis not in run_axes))
    place, at = 0, len(shape)
    for part in key.basic:
        if isinstance(part, int):
            continue
        if place not in key.places:
            if part is None:
                values = values[(slice(None),) * at + (0,)]
            else:
                at += 1
        place += 1
    return values


def _line(positions: Any, shape: Sequence[Any]) -> Array:
    """Positions, broadcast, along one axis in one block."""
    if not is_array(positions):
        return asarray(np.broadcast_to(positions, tuple(shape)).ravel())
    if positions.shape != tuple(shape) and all(length == length and length >= 0 for length in shape):
        positions = broadcast_to(positions, shape)
    line = positions.ravel()
    return line if line.npartitions == 1 else _gathered(line)


def _gathered(line: Array) -> Array:
    if line.shape[0] == line.shape[0]:
        return line.rechunk(-1)
    return wrap(array_gather(_joined, "numpy.concatenate", line.__raskt_expr__, line.dtype))


def _joined(*blocks: Any) -> Any:
    return np.concatenate(blocks)


# Masks


def _assign_mask(view: Array, key: Key, values: Array) -> Array:
    """Values where a lazy mask is true: one for all, or each in its turn."""
    mask = key.mask
    assert mask is not None, "it was looked for"
    if key.positions:
        raise NotImplementedError("a lazy mask beside lists of positions is not implemented: compute the mask first")
    if any(part is None for part in key.basic) or (key.is_apart and values.ndim):
        raise NotImplementedError("assignment by a lazy mask takes slices and integers beside it, and no new axes")
    first = key.places[0]
    after = view.ndim - first - mask.ndim
    wide = mask.reshape(*mask.shape, *(1,) * after) if after else mask
    if values.ndim <= after:
        values = _fitted(values, view.shape[view.ndim - after :] if after else ())
        return where(wide, values, view).rechunk(view.chunks)
    if first or after or values.ndim > 1:
        raise NotImplementedError(
            "several values by a lazy mask are assigned along all axes at once, or not at all: compute the mask first, "
            "or use `raskt.array.where`"
        )
    ranks = mask.ravel().cumsum().reshape(mask.shape)
    labels = [f"axis {axis}" for axis in range(view.ndim)]

    def setitem(block: Any, chosen: Any, rank: Any, total: Any, new: Any) -> Any:
        if len(new) not in (1, int(total)):
            raise ValueError(
                f"cannot assign {len(new)} input values to the {int(total)} output values where the mask is true"
            )
        result = block.copy()
        result[chosen] = new[rank[chosen] - 1] if len(new) > 1 else new
        return result

    inputs = [view, mask, ranks, mask.sum(), _gathered(values) if values.npartitions > 1 else values]
    written = contract(setitem, "numpy.setitem", labels, inputs, [labels, labels, labels, [], ["values"]], view.dtype)
    return written.rechunk(view.chunks)
