"""Arrays with elements around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt.array.base.conversion import asarray
from raskt.array.creation.constructors import arange, full
from raskt.array.manipulation.axes import broadcast_to, take
from raskt.array.manipulation.joining import concatenate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from raskt.array._array import Array

__all__ = ["pad"]

#: Modes whose elements are found by positions, and those that compute a number of each line.
_BY_POSITION = ("edge", "reflect", "symmetric", "wrap")
_STATISTICS = ("maximum", "mean", "minimum")
#: What each mode takes, as NumPy has it.
_OPTIONS = {
    **dict.fromkeys(("edge", "wrap", "empty"), ()),
    **dict.fromkeys(("reflect", "symmetric"), ("reflect_type",)),
    **dict.fromkeys(_STATISTICS, ("stat_length",)),
    "constant": ("constant_values",),
    "linear_ramp": ("end_values",),
}


def pad(array: Any, pad_width: Any, mode: str = "constant", **kwargs: Any) -> Array:
    """The array with elements around it.

    Parameters
    ----------
    array
        The array.
    pad_width
        How many elements before and after: a number, a pair, a pair for each axis, or a dictionary from axes to these.
    mode
        ``"constant"`` (``constant_values``), ``"edge"``, ``"reflect"``, ``"symmetric"``, ``"wrap"``, ``"linear_ramp"``
        (``end_values``), ``"maximum"``, ``"mean"``, ``"minimum"`` (``stat_length``) or ``"empty"``, which is zeros.
    **kwargs
        What the mode takes, as in brackets above.

    >>> import raskt.array as ra
    >>> ra.pad(ra.arange(3), 2, mode="reflect").compute()
    array([2, 1, 0, 1, 2, 1, 0])
    """
    x = asarray(array)
    if callable(mode) or mode == "median":
        raise NotImplementedError(f"pad with mode {mode!r} is not implemented: pad the result of `compute()`")
    if mode not in _OPTIONS:
        raise ValueError(f"mode '{mode}' is not supported")
    if unknown := set(kwargs) - set(_OPTIONS[mode]):
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    widths = _widths(pad_width, x.ndim)
    if mode in _BY_POSITION:
        return _by_position(x, widths, mode, kwargs)
    for axis, pair in enumerate(widths):
        ends = _ends(x, axis, pair, mode, kwargs)
        parts = [part for part in (ends[0], x, ends[1]) if part is not None]
        x = concatenate(parts, axis=axis) if len(parts) > 1 else x
    return x


def _widths(pad_width: Any, ndim: int) -> list[list[int]]:
    if isinstance(pad_width, dict):
        pairs = np.zeros((ndim, 2), int)
        for axis, width in pad_width.items():
            pairs[axis] = width
        pad_width = pairs
    found = np.asarray(pad_width)
    if found.dtype.kind not in "iu":
        raise TypeError("`pad_width` must be of integral type.")
    widths: list[list[int]] = np.broadcast_to(found, (ndim, 2)).tolist()
    if any(width < 0 for pair in widths for width in pair):
        raise ValueError("index can't contain negative values")
    return widths


def _by_position(x: Array, widths: list[list[int]], mode: str, options: dict[str, Any]) -> Array:
    """NumPy pads the positions, and the elements are taken by them."""
    if options.get("reflect_type", "even") != "even":
        raise NotImplementedError("pad with `reflect_type='odd'` is not implemented: pad the result of `compute()`")
    for axis, pair in enumerate(widths):
        if any(pair):
            x = take(x, np.pad(np.arange(x.shape[axis]), pair, mode=mode), axis=axis)  # type: ignore[call-overload]
    return x


def _ends(x: Array, axis: int, widths: Sequence[int], mode: str, options: dict[str, Any]) -> list[Array | None]:
    """What comes before and after along an axis."""
    values = next(iter(options.values()), None if mode in _STATISTICS else 0)
    pairs = [None, None] if values is None else np.broadcast_to(np.asarray(values), (x.ndim, 2))[axis]
    ends: list[Array | None] = []
    for at, (width, value) in enumerate(zip(widths, pairs, strict=True)):
        if not width:
            ends.append(None)
        elif mode == "linear_ramp":
            ends.append(_ramp(x, axis, width, value, at == 1))
        elif mode in _STATISTICS:
            ends.append(_wide(_statistic(x, axis, mode, value, at == 1), axis, width))
        else:
            number = np.empty((), x.dtype)
            number[()] = 0 if mode == "empty" else value
            cut = (*x.chunks[:axis], (width,), *x.chunks[axis + 1 :])
            shape = (*x.shape[:axis], width, *x.shape[axis + 1 :])
            ends.append(full(shape, number[()], dtype=x.dtype, chunks=cut))
    return ends


def _wide(x: Array, axis: int, width: int) -> Array:
    return broadcast_to(x, (*x.shape[:axis], width, *x.shape[axis + 1 :]))


def _statistic(x: Array, axis: int, mode: str, count: Any, at_end: bool) -> Array:
    """A number of each line, or of so many elements at its end."""
    length = x.shape[axis]
    count = length if count is None else min(int(count), length)
    if count < 0:
        raise ValueError("index can't contain negative values")
    if count == 0 and mode != "mean":
        raise ValueError("stat_length of 0 yields no value for padding")
    part = x[(slice(None),) * axis + (slice(length - count, None) if at_end else slice(None, count),)]
    if mode != "mean":
        return part.max(axis, keepdims=True) if mode == "maximum" else part.min(axis, keepdims=True)
    mean = part.mean(axis, keepdims=True)
    return (mean.round() if x.dtype.kind in "iu" else mean).astype(x.dtype)


def _ramp(x: Array, axis: int, width: int, end: Any, at_end: bool) -> Array:
    """From an end value to the edge, as `numpy.linspace` goes."""
    edge = x[(slice(None),) * axis + (slice(-1, None) if at_end else slice(None, 1),)]
    dtype = np.result_type(edge.dtype, np.asarray(end).dtype, np.float64)
    first = np.asarray(end).astype(dtype)
    steps = arange(width, dtype=dtype).reshape([-1 if at == axis else 1 for at in range(x.ndim)])
    line = steps * ((edge.astype(dtype) - first) / width) + first
    line = np.floor(line) if x.dtype.kind in "iu" else line
    line = line.astype(x.dtype)
    return line[(slice(None),) * axis + (slice(None, None, -1),)] if at_end else line
