"""Elements put around arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt.array.base.arguments import NO_VALUE
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.creation.constructors import arange, full
from raskt.array.manipulation.axes import broadcast_to, take
from raskt.array.manipulation.joining import concatenate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from raskt.array._array import Array

__all__ = ["pad"]

#: The arguments that each mode takes.
_OPTIONS = {
    "constant": ["constant_values"],
    "edge": [],
    "empty": [],
    "linear_ramp": ["end_values"],
    "maximum": ["stat_length"],
    "mean": ["stat_length"],
    "minimum": ["stat_length"],
    "reflect": ["reflect_type"],
    "symmetric": ["reflect_type"],
    "wrap": [],
}
_PAIRS = "for all axes, a pair for before and after, or a pair for each axis."


@documented(
    "Of the array's type.",
    {
        "ValueError": "If a width is negative, or an argument is not one of the mode's.",
        "NotImplementedError": 'For the mode `median`, a function, and `reflect_type="odd"`.',
    },
    pad_width=f"int, sequence or dict: How many elements: {_PAIRS}",
    mode=(
        "str: `constant`, `edge`, `empty` (zeros), `linear_ramp`, `maximum`, `mean`, `minimum`, `reflect`, `symmetric` "
        "or `wrap`."
    ),
    constant_values=f"scalar or sequence: The elements, zeros if not given: {_PAIRS}",
    end_values=f"scalar or sequence: Where a ramp ends, zeros if not given: {_PAIRS}",
    stat_length=f"int or sequence: Of how many elements from the edge, all if not given: {_PAIRS}",
    reflect_type="str: How the mirror turns elements; only `even` is implemented.",
)
def pad(
    array: Any,
    pad_width: Any,
    mode: str = "constant",
    *,
    constant_values: Any = NO_VALUE,
    end_values: Any = NO_VALUE,
    stat_length: Any = NO_VALUE,
    reflect_type: Any = NO_VALUE,
) -> Array:
    """The array with elements around it.

    >>> ra.pad(ra.arange(3), 2, mode="reflect").compute()
    array([2, 1, 0, 1, 2, 1, 0])
    """
    x = asarray(array)
    if callable(mode) or mode == "median":
        raise NotImplementedError(f"`pad` with `mode={mode!r}` is not implemented: use `concatenate`")
    if mode not in _OPTIONS:
        raise ValueError(f"mode '{mode}' is not supported")
    given = {
        "constant_values": constant_values,
        "end_values": end_values,
        "stat_length": stat_length,
        "reflect_type": reflect_type,
    }
    given = {name: value for name, value in given.items() if value is not NO_VALUE}
    if unknown := sorted(given.keys() - set(_OPTIONS[mode])):
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    if given.get("reflect_type", "even") != "even":
        raise NotImplementedError(f"`pad` with `reflect_type={reflect_type!r}` is not implemented: only `even` is")
    widths = _widths(pad_width, x.ndim)
    values = _pairs(next(iter(given.values()), None if "stat_length" in _OPTIONS[mode] else 0), x.ndim)
    for axis, pair in enumerate(widths):
        x = _pad_axis(x, axis, pair, mode, values[axis])
    return x


def _widths(pad_width: Any, ndim: int) -> list[list[int]]:
    if isinstance(pad_width, dict):
        pairs = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            pairs[axis] = tuple(np.broadcast_to(width, (2,)).tolist())
        pad_width = pairs
    widths = np.asarray(pad_width)
    if widths.dtype.kind != "i":
        raise TypeError("`pad_width` must be of integral type.")
    found: list[list[int]] = np.broadcast_to(widths, (ndim, 2)).tolist()
    if any(width < 0 for pair in found for width in pair):
        raise ValueError("index can't contain negative values")
    return found


def _pairs(values: Any, ndim: int) -> Any:
    return np.broadcast_to(np.asarray(values, dtype=object if values is None else None), (ndim, 2))


def _pad_axis(x: Array, axis: int, widths: Sequence[int], mode: str, values: Any) -> Array:
    if not any(widths):
        return x
    if mode in ("edge", "reflect", "symmetric", "wrap"):
        # NumPy pads the positions, and the elements are taken by them.
        positions = np.pad(np.arange(x.shape[axis]), tuple(widths), mode=mode)  # type: ignore[call-overload]
        return take(x, positions, axis=axis)
    sides = [_side(x, axis, at, width, mode, values[at]) for at, width in enumerate(widths)]
    parts = [sides[0], x, sides[1]]
    return concatenate([part for part in parts if part.shape[axis] or part is x], axis=axis)


def _side(x: Array, axis: int, at: int, width: int, mode: str, value: Any) -> Array:
    """What stands before (`at` 0) or after (1) the elements."""
    shape = (*x.shape[:axis], width, *x.shape[axis + 1 :])
    chunks = (*x.chunks[:axis], (width,), *x.chunks[axis + 1 :])
    if mode in ("constant", "empty") or not width:
        return full(shape, np.asarray(value or 0).astype(x.dtype)[()], dtype=x.dtype, chunks=chunks)
    if mode == "linear_ramp":
        return _ramp(x, axis, at, width, value)
    length = x.shape[axis] if value is None else min(int(value), x.shape[axis])
    if length < 1 and mode == "mean":
        raise NotImplementedError("`pad` with the mean of no elements is not implemented: pass `constant_values=nan`")
    if length < 1:
        raise ValueError("stat_length of 0 yields no value for padding")
    near = slice(0, length) if at == 0 else slice(x.shape[axis] - length, None)
    part = x[(*[slice(None)] * axis, near)]
    found = getattr(part, {"maximum": "max", "minimum": "min"}.get(mode, mode))(axis=axis, keepdims=True)
    found = found.round() if x.dtype.kind in "iu" and mode == "mean" else found
    return broadcast_to(found.astype(x.dtype), shape)


def _ramp(x: Array, axis: int, at: int, width: int, end: Any) -> Array:
    """Equal steps from `end`, which is outermost, to before the edge."""
    edge = x[(*[slice(None)] * axis, slice(0, 1) if at == 0 else slice(-1, None))]
    steps = arange(width).reshape([-1 if n == axis else 1 for n in range(x.ndim)])
    ramp = steps * ((edge - end) / width) + end
    ramp = (np.floor(ramp) if x.dtype.kind in "iu" else ramp).astype(x.dtype)
    return ramp if at == 0 else ramp[(*[slice(None)] * axis, slice(None, None, -1))]
