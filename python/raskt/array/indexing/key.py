"""What stands between square brackets, taken apart by NumPy's rules."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._errors import UnknownLengths
from raskt.array.base.conversion import asarray
from raskt.array.base.plain import check_plain
from raskt.array.base.registry import is_array

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["Key", "Positions", "is_basic", "parse"]


@dataclass
class Positions:
    """Positions along one axis (a truth value has an axis of its own), in memory or in a lazy array."""

    axis: int | None
    values: Any


@dataclass
class Key:
    """An index in its parts.

    `basic` indexes the array by integers, slices and new axes alone; what is left are `positions`, which broadcast
    together, or a lazy `mask`, along axes that `basic` leaves whole. `places` are their axes in what `basic` gives.
    """

    basic: tuple[Any, ...]
    positions: list[Positions]
    mask: Array | None
    places: list[int]
    #: Whether the broadcast axes come first, since positions (or integers beside them) stand apart.
    is_apart: bool


def is_basic(part: Any) -> bool:
    """Whether it is a slice, an integer, a new axis or an ellipsis."""
    return part is None or part is Ellipsis or isinstance(part, (slice, np.integer)) or type(part) is int


def parse(array: Array, parts: tuple[Any, ...]) -> Key:
    """The parts of ``array[parts]``; an ``IndexError`` if NumPy gives one."""
    if sum(part is Ellipsis for part in parts) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    found = [_converted(part) for part in parts]
    taken = sum(_axes_of(part) for part in found)
    if taken > array.ndim:
        raise IndexError(f"too many indices for array: array is {array.ndim}-dimensional, but {taken} were indexed")
    return _Parser(array, array.ndim - taken).run(found)


class _Parser:
    """Goes through the parts of an index from left to right."""

    def __init__(self, array: Array, open_axes: int) -> None:
        self.array, self.open_axes = array, open_axes
        self.axis = 0
        self.basic: list[Any] = []
        self.positions: list[Positions] = []
        self.mask: Any = None
        self.places: list[int] = []
        #: The axis of the basic result that comes next, and where among the parts those of positions stand.
        self.place = 0
        self.advanced: list[int] = []

    def run(self, parts: list[Any]) -> Key:
        for number, part in enumerate(parts):
            self._take(number, part)
        if not any(part is Ellipsis for part in parts):
            self._whole(self.open_axes)
        return Key(tuple(self.basic), self.positions, self.mask, self.places, self._stands_apart())

    def _stands_apart(self) -> bool:
        return bool(self.advanced) and self.advanced != list(range(self.advanced[0], self.advanced[-1] + 1))

    def _take(self, number: int, part: Any) -> None:
        if part is Ellipsis:
            self._whole(self.open_axes)
        elif part is None:
            self.basic.append(None)
            self.place += 1
        elif isinstance(part, slice):
            self.basic.append(part)
            self.axis += 1
            self.place += 1
        elif isinstance(part, int):
            _check_bounds(np.asarray(part), self.axis, self.array.shape[self.axis])
            self.basic.append(part)
            self.axis += 1
            self.advanced.append(number)
        else:
            self.advanced.append(number)
            self._take_array(part)

    def _take_array(self, part: Any) -> None:
        if part.dtype != bool:
            self._point(part)
        elif is_array(part) and part.ndim:
            self._take_mask(part)
        elif part.ndim:
            self._check_mask(part.shape)
            for values in np.nonzero(part):
                self._point(values)
        else:
            # A truth value is a new axis, of which everything or nothing is taken.
            self.basic.append(None)
            self.positions.append(Positions(None, np.zeros(int(bool(part)), np.intp)))
            self._mark()

    def _point(self, values: Any) -> None:
        length = self.array.shape[self.axis]
        if not is_array(values):
            _check_bounds(values, self.axis, length)
            values = (
                np.where(values < 0, values + length, values).astype(np.intp, copy=False) if values.size else values
            )
        self.positions.append(Positions(self.axis, values))
        self._whole_marked()

    def _take_mask(self, mask: Array) -> None:
        if self.mask is not None:
            raise NotImplementedError("several lazy masks in one index are not implemented: compute them first")
        self._check_mask(mask.shape)
        self.mask = mask
        for _ in range(mask.ndim):
            self._whole_marked()

    def _check_mask(self, shape: tuple[int, ...]) -> None:
        for at, length in enumerate(shape):
            own = self.array.shape[self.axis + at]
            if own == own and length == length and own != length:
                raise IndexError(
                    f"boolean index did not match indexed array along axis {self.axis + at}; size of axis is {own} but "
                    f"size of corresponding boolean axis is {length}"
                )

    def _whole(self, count: int) -> None:
        self.basic += [slice(None)] * count
        self.axis += count
        self.place += count

    def _whole_marked(self) -> None:
        self.basic.append(slice(None))
        self.axis += 1
        self._mark()

    def _mark(self) -> None:
        self.places.append(self.place)
        self.place += 1


def _converted(part: Any) -> Any:
    """A part as one of Python's own, or as an array of integers or truth values."""
    if part is None or part is Ellipsis or isinstance(part, slice):
        return part
    if is_array(part) or hasattr(type(part), "to_raskt_array"):
        part = asarray(part)
    elif not _is_truth(part) and hasattr(part, "__index__") and np.ndim(part) == 0:
        return operator.index(part)
    else:
        part = _in_memory(part)
    if part.dtype.kind not in "iub":
        raise IndexError(f"arrays used as indices must be of integer (or boolean) type, not {part.dtype}")
    return part


def _is_truth(part: Any) -> bool:
    return isinstance(part, bool) or getattr(part, "dtype", None) == bool


def _in_memory(part: Any) -> Any:
    if not isinstance(part, (bool, list, tuple, range)) and not hasattr(part, "__array__"):
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are "
            f"valid indices, not {part!r}"
        )
    check_plain(part)
    found = np.asarray(part)
    return found.astype(np.intp) if not found.size and not hasattr(part, "dtype") else found


def _axes_of(part: Any) -> int:
    """How many axes of the array a part takes."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if getattr(part, "dtype", None) == bool else 1


def _check_bounds(values: Any, axis: int, length: Any) -> None:
    if length != length:
        raise UnknownLengths("indexing by position needs lengths that are not known yet: call `compute_chunk_sizes()`")
    for wrong in values[(values < -length) | (values >= length)].flat if values.size else ():
        raise IndexError(f"index {wrong} is out of bounds for axis {axis} with size {length}")
