"""Elements moved around, repeated, put into arrays and taken out of them."""

from __future__ import annotations

import itertools
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt.array.base.conversion import as_assigned, asarray
from raskt.array.base.documentation import documented
from raskt.array.base.lengths import has_unknown
from raskt.array.base.registry import is_array
from raskt.array.blocks.map_blocks import map_blocks
from raskt.array.manipulation.axes import broadcast_to, expand_dims, moveaxis, take
from raskt.array.manipulation.joining import concatenate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from raskt.array._array import Array

__all__ = ["delete", "insert", "repeat", "roll", "tile"]

_TYPE = "Of the array's type."

#: Positions that lie farther apart than this, on average, cut an array into parts: its elements are not numbered one by
#: one, which would take memory for each of them at once.
_APART = 2**16


def checked_axis(axis: Any, ndim: int) -> int:
    """An axis counted from the front, if there is such a one."""
    at = operator.index(axis)
    if not -ndim <= at < ndim:
        raise np.exceptions.AxisError(at, ndim)
    return at % ndim


@documented(
    "Of the array's type and shape.",
    {"ValueError": "If there are neither as many shifts as axes nor one."},
    shift="int or tuple of int: By how many places; back for negative ones.",
    axis="int or tuple of int: The axes; if not given, the elements move in C order.",
)
def roll(a: Any, shift: Any, axis: Any = None) -> Array:
    """The elements moved along axes; those that leave at the end come in at the start.

    >>> ra.roll(ra.arange(5), 2).compute()
    array([3, 4, 0, 1, 2])
    """
    x = asarray(a)
    if np.ndim(shift) > 1 or np.ndim(axis) > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    if axis is None:
        return roll(x.ravel(), sum(map(int, np.asarray(shift).ravel().tolist())), 0).reshape(x.shape)
    if not x.ndim and np.ndim(axis) and not len(axis):
        raise ValueError("a single number has no axes to be moved along")
    along_axes = [checked_axis(along, x.ndim) for along in (axis if np.ndim(axis) else [axis])]
    shifts, axes = np.broadcast_arrays(np.atleast_1d(shift), np.array(along_axes, np.intp))
    for by, at in zip(shifts.tolist(), axes.tolist(), strict=True):
        by = int(by) % max(x.shape[at], 1)
        if by:
            before = (slice(None),) * at
            x = concatenate([x[(*before, slice(-by, None))], x[(*before, slice(None, -by))]], axis=at)
    return x


@documented(
    _TYPE,
    {"ValueError": "If a number is negative, or there are neither as many as elements nor one."},
    repeats="int or array_like of int: How many times: one number for all, or one for each along the axis.",
    axis="int: The axis; if not given, of all elements in C order.",
)
def repeat(a: Any, repeats: Any, axis: int | None = None) -> Array:
    """Each element several times, beside itself.

    >>> ra.repeat(ra.arange(3), 2).compute()
    array([0, 0, 1, 1, 2, 2])
    >>> ra.repeat(ra.arange(3), [0, 1, 2]).compute()
    array([1, 2, 2])
    """
    x = asarray(a)
    if axis is None or (not x.ndim and axis in (0, -1)):
        x, axis = x.ravel(), 0
    axis = checked_axis(axis, x.ndim)
    if is_array(repeats):
        raise NotImplementedError("`repeat` with lazy numbers is not implemented: compute them first")
    if isinstance(repeats, np.ndarray) and not np.can_cast(repeats.dtype, np.intp, "safe"):
        raise TypeError(f"Cannot cast numbers of repeats from {repeats.dtype} to whole numbers")
    numbers = np.asarray(repeats, dtype=np.intp)
    if numbers.ndim > 1:
        raise ValueError("object too deep for desired array")
    if (numbers < 0).any():
        raise ValueError(f"elements cannot be repeated {repeats} times")
    if numbers.size != 1:
        return take(x, np.repeat(np.arange(x.shape[axis]), numbers), axis=axis)
    times = int(numbers.ravel()[0])
    if has_unknown(x.shape):

        def repeated(block: Any) -> Any:
            return np.repeat(block, times, axis)

        chunks = list(x.chunks)
        chunks[axis] = tuple(length if length != length else length * times for length in chunks[axis])
        return map_blocks(repeated, x, name="numpy.repeat", dtype=x.dtype, chunks=chunks)
    wide = broadcast_to(expand_dims(x, axis + 1), (*x.shape[: axis + 1], times, *x.shape[axis + 1 :]))
    return wide.reshape(*x.shape[:axis], x.shape[axis] * times, *x.shape[axis + 1 :])


@documented(
    _TYPE,
    {"ValueError": "If a number is negative."},
    A="array_like: The array.",
    reps="int or sequence of int: How many times along each axis; for fewer axes, the last ones.",
)
def tile(A: Any, reps: int | Sequence[int]) -> Array:
    """The array repeated along each axis, as a pattern.

    >>> ra.tile(ra.arange(2), 3).compute()
    array([0, 1, 0, 1, 0, 1])
    """
    x = asarray(A)
    times = [operator.index(number) for number in (reps if np.ndim(reps) else [reps])]
    ndim = max(x.ndim, len(times))
    x = expand_dims(x, tuple(range(ndim - x.ndim)))
    for axis, number in enumerate([1] * (ndim - len(times)) + times):
        if number < 0:
            raise ValueError(f"an array cannot be repeated {number} times")
        if not has_unknown(x.shape[axis : axis + 1]) and x.shape[axis] * number >= 2**63:
            raise ValueError(f"array is too big: {number} times {x.shape[axis]} elements")
        before = (slice(None),) * axis
        x = concatenate([x] * number, axis=axis) if number else x[(*before, slice(0, 0))]
    return x


@documented(
    _TYPE,
    {"IndexError": "If a position is out of bounds.", "ValueError": "If the values don't broadcast to their places."},
    obj="int, slice or sequence of int or bool: Before which elements.",
    values="array_like: What is put in; cast to the array's type.",
    axis="int: The axis; if not given, the array is flattened first.",
)
def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Array:
    """Values put before positions along an axis.

    >>> ra.insert(ra.arange(3), 1, [10, 20]).compute()
    array([ 0, 10, 20,  1,  2])
    """
    x = asarray(arr)
    if axis is None:
        x, axis = x.ravel(), 0
    axis = checked_axis(axis, x.ndim)
    length = x.shape[axis]
    positions = _positions(obj, length)
    new = as_assigned(values, x.dtype)
    if positions.size == 1:
        new = new.reshape((1,) * (x.ndim - new.ndim) + new.shape)
        new = moveaxis(new, 0, axis) if not positions.ndim else new
        count, positions = new.shape[axis], np.repeat(positions.ravel(), new.shape[axis])
    else:
        count = len(positions)
    new = broadcast_to(new, (*x.shape[:axis], count, *x.shape[axis + 1 :]))
    if not count:
        return x
    low, high = int(positions.min()), int(positions.max())
    inside = _part(x, axis, low, high)
    if high - low > _APART * len(positions):
        return _joined(_apart(x, axis, positions, new), x, axis)
    if low < high:
        # Old elements keep their numbers, new ones come after them; the order of places says where each goes.
        places = np.concatenate([np.arange(low, high) + 0.5, positions])
        new = take(concatenate([inside, new], axis=axis), np.argsort(places, kind="stable"), axis=axis)
    return _joined([_part(x, axis, 0, low), new, _part(x, axis, high, length)], x, axis)


def _apart(x: Array, axis: int, positions: Any, new: Array) -> list[Array]:
    """The parts of an array between positions, and before each of these what is put in there."""
    order = np.argsort(positions, kind="stable")
    places, groups = np.unique(positions[order], return_index=True)
    bounds = [0, *places.tolist(), x.shape[axis]]
    parts = [_part(x, axis, start, stop) for start, stop in itertools.pairwise(bounds)]
    put = [take(new, numbers, axis=axis) for numbers in np.split(order, groups[1:])]
    return [parts[0], *itertools.chain.from_iterable(zip(put, parts[1:], strict=True))]


def _part(x: Array, axis: int, start: int, stop: int) -> Array:
    return x[(slice(None),) * axis + (slice(start, max(stop, start)),)]


def _joined(parts: Sequence[Array], x: Array, axis: int) -> Array:
    """The parts that have elements along the axis, one after the other."""
    filled = [part for part in parts if part.shape[axis]]
    return concatenate(filled, axis=axis) if filled else _part(x, axis, 0, 0)


def _positions(obj: Any, length: int) -> Any:
    """Positions, counted from the front, that values are put before."""
    if isinstance(obj, slice):
        return np.arange(*obj.indices(length), dtype=np.intp)
    found = np.asarray(obj)
    if found.dtype == bool:
        if found.ndim != 1:
            raise ValueError("boolean array argument 'obj' to insert must be one-dimensional")
        found = np.flatnonzero(found)
    if not found.size and not isinstance(obj, np.ndarray):
        found = found.astype(np.intp)
    if found.dtype.kind not in "iu":
        kind = IndexError if found.size != 1 else TypeError
        raise kind("arrays used as indices must be of integer (or boolean) type")
    if found.ndim > 1:
        raise ValueError("index array argument obj to insert must be one dimensional or scalar")
    if found.size and not (-length <= found.min() and found.max() <= length):
        raise IndexError(f"a position is out of bounds for an axis of length {length}")
    return np.where(found < 0, found + length, found)


@documented(
    _TYPE,
    {"IndexError": "If a position is out of bounds."},
    obj="int, slice or sequence of int or bool: Which elements.",
    axis="int: The axis; if not given, the array is flattened first.",
)
def delete(arr: Any, obj: Any, axis: int | None = None) -> Array:
    """The array without the elements at positions along an axis.

    >>> ra.delete(ra.arange(5), [1, 3]).compute()
    array([0, 2, 4])
    """
    x = asarray(arr)
    if axis is None:
        x, axis = x.ravel(), 0
    axis = checked_axis(axis, x.ndim)
    length = x.shape[axis]
    dropped = _dropped(obj, length)
    if not len(dropped):
        return x
    low, high = int(dropped[0]), int(dropped[-1]) + 1
    ends = [_part(x, axis, 0, low), _part(x, axis, high, length)]
    if high - low == len(dropped):
        return _joined(ends, x, axis)
    if isinstance(dropped, range):
        return _joined([ends[0], _between(x, axis, dropped), ends[1]], x, axis)
    if high - low > _APART * len(dropped):
        between = [_part(x, axis, int(start) + 1, int(stop)) for start, stop in itertools.pairwise(dropped)]
        return _joined([ends[0], *between, ends[1]], x, axis)
    kept = np.ones(high - low, bool)
    kept[np.asarray(dropped) - low] = False
    return _joined([ends[0], take(_part(x, axis, low, high), np.flatnonzero(kept), axis=axis), ends[1]], x, axis)


def _between(x: Array, axis: int, places: range) -> Array:
    """The elements between places at even distances: rows that begin with one of them, without their first column."""
    rows = len(places) - 1
    part = _part(x, axis, places[0], places[-1])
    before, after = x.shape[:axis], x.shape[axis + 1 :]
    table = part.reshape(*before, rows, places.step, *after)
    rest = table[(*[slice(None)] * (axis + 1), slice(1, None))]
    return rest.reshape(*before, rows * (places.step - 1), *after)


def _dropped(obj: Any, length: int) -> Any:
    """Positions that go, in order and counted from the front."""
    if isinstance(obj, slice):
        places = range(*obj.indices(length))
        return places if places.step > 0 else places[::-1]
    found = np.asarray(obj)
    if found.dtype == bool:
        if found.shape != (length,):
            raise ValueError(
                f"boolean array argument obj to delete must be one dimensional and match the axis length of {length}"
            )
        return np.flatnonzero(found)
    if not found.size and not isinstance(obj, np.ndarray):
        found = found.astype(np.intp)
    if found.dtype.kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    for position in found[(found < -length) | (found >= length)].ravel()[:1]:
        raise IndexError(f"index {position} is out of bounds for axis 0 with size {length}")
    found = found.astype(np.intp)
    return np.unique(np.where(found < 0, found + length, found))
