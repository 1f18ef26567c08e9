"""Elements put around arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt.array.base.conversion import asarray, held
from raskt.array.base.documentation import documented
from raskt.array.creation.constructors import full
from raskt.array.creation.spaces import linspace
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
    kwargs=(
        "object: What the mode takes: `constant_values` (the elements, zeros if not given), `end_values` (where a ramp "
        "ends, zeros if not given), `stat_length` (of how many elements from the edge, all if not given): for all "
        "axes, a pair for before and after, or a pair for each axis; `reflect_type` (only `even` is implemented)."
    ),
)
def pad(array: Any, pad_width: Any, mode: str = "constant", **kwargs: Any) -> Array:
    """The array with elements around it.

    >>> ra.pad(ra.arange(3), 2, mode="reflect").compute()
    array([2, 1, 0, 1, 2, 1, 0])
    """
    x = asarray(array)
    if callable(mode) or mode == "median":
        raise NotImplementedError(f"`pad` with `mode={mode!r}` is not implemented: use `concatenate`")
    if mode not in _OPTIONS:
        raise ValueError(f"mode '{mode}' is not supported")
    if unknown := sorted(kwargs.keys() - set(_OPTIONS[mode])):
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    if kwargs.get("reflect_type", "even") != "even":
        raise NotImplementedError(
            f"`pad` with `reflect_type={kwargs['reflect_type']!r}` is not implemented: only `even` is"
        )
    widths = _widths(pad_width, x.ndim)
    for axis, pair in enumerate(widths):
        if mode not in ("constant", "empty") and any(pair) and x.shape[axis] == 0:
            raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
    values = _pairs(next(iter(kwargs.values()), None if "stat_length" in _OPTIONS[mode] else 0), x.ndim)
    if "stat_length" in _OPTIONS[mode] and any(length is not None and length < 0 for pair in values for length in pair):
        raise ValueError("index can't contain negative values")
    if mode in ("maximum", "minimum") and any(length == 0 for pair in values for length in pair):
        raise ValueError("stat_length of 0 yields no value for padding")
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
    if (widths < 0).any():
        raise ValueError("index can't contain negative values")
    found: list[list[int]] = np.broadcast_to(widths, (ndim, 2)).tolist()
    return found


def _pairs(values: Any, ndim: int) -> Any:
    return np.broadcast_to(np.asarray(values, dtype=object if values is None else None), (ndim, 2))


def _pad_axis(x: Array, axis: int, widths: Sequence[int], mode: str, values: Any) -> Array:
    if not any(widths):
        return x
    if sum(widths) + x.shape[axis] > np.iinfo(np.intp).max:
        raise ValueError("array is too big: its length is more than 64 bits can count")
    sides = [_side(x, axis, at, width, mode, values[at]) for at, width in enumerate(widths)]
    parts = [sides[0], x, sides[1]]
    return concatenate([part for part in parts if part.shape[axis] or part is x], axis=axis)


def _side(x: Array, axis: int, at: int, width: int, mode: str, value: Any) -> Array:
    """What stands before (`at` 0) or after (1) the elements."""
    shape = (*x.shape[:axis], width, *x.shape[axis + 1 :])
    if mode in ("constant", "empty") or not width:
        chunks = (*x.chunks[:axis], "auto", *x.chunks[axis + 1 :])
        return full(shape, held(value if mode == "constant" else 0, x.dtype)[()], dtype=x.dtype, chunks=chunks)
    if mode == "edge":
        edge = x[(*[slice(None)] * axis, slice(0, 1) if at == 0 else slice(-1, None))]
        return broadcast_to(edge, shape).rechunk({axis: "auto"})
    if mode == "linear_ramp":
        return _ramp(x, axis, at, width, value)
    if mode in ("reflect", "symmetric", "wrap"):
        return _repeated(x, axis, at, width, mode)
    length = x.shape[axis] if value is None else min(int(value), x.shape[axis])
    if length < 1 and mode == "mean":
        raise NotImplementedError("`pad` with the mean of no elements is not implemented: pass `constant_values=nan`")
    if length < 1:
        raise ValueError("stat_length of 0 yields no value for padding")
    near = slice(0, length) if at == 0 else slice(x.shape[axis] - length, None)
    part = x[(*[slice(None)] * axis, near)]
    found = getattr(part, {"maximum": "max", "minimum": "min"}.get(mode, mode))(axis=axis, keepdims=True)
    found = found.round() if x.dtype.kind in "iu" and mode == "mean" else found
    return broadcast_to(found.astype(x.dtype), shape).rechunk({axis: "auto"})


def _repeated(x: Array, axis: int, at: int, width: int, mode: str) -> Array:
    """The elements near an end once more: turned about the last one, about the end, or those of the other end."""
    length = x.shape[axis]
    skipped = 1 if mode == "reflect" and length > 1 else 0
    if width + skipped > length:
        return take(x, _positions(length, at, width, mode), axis=axis)
    first = skipped if at == 0 else length - skipped - width
    if mode == "wrap":
        first = length - width if at == 0 else 0
    part = x[(*[slice(None)] * axis, slice(first, first + width))]
    return part if mode == "wrap" else part[(*[slice(None)] * axis, slice(None, None, -1))]


def _positions(length: int, at: int, width: int, mode: str) -> Any:
    """Which elements stand beside an axis of some length that is repeated in both directions."""
    outside = np.arange(-width, 0) if at == 0 else np.arange(length, length + width)
    if mode == "wrap" or length == 1:
        return outside % length
    period = 2 * (length - 1) if mode == "reflect" else 2 * length
    inside = outside % period
    return np.where(inside < length, inside, period - inside - (mode == "symmetric"))


def _ramp(x: Array, axis: int, at: int, width: int, end: Any) -> Array:
    """Equal steps from `end`, which is outermost, to before the edge."""
    edge = x[(*[slice(None)] * axis, 0 if at == 0 else -1)]
    ramp = linspace(end, edge, width, endpoint=False, dtype=x.dtype, axis=axis)
    return ramp if at == 0 else ramp[(*[slice(None)] * axis, slice(None, None, -1))]
