"""Arguments that NumPy's functions share: honoured where they mean something for lazy arrays, else refused by name."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from raskt.array.base.registry import is_array

__all__ = [
    "NO_VALUE",
    "check_axis",
    "check_device",
    "check_like",
    "check_meta",
    "check_order",
    "fan_in",
    "is_given",
    "refuse",
]

#: What NumPy's signatures have where an argument that isn't given differs from every value.
NO_VALUE: Any = np._NoValue  # type: ignore[attr-defined]


def is_given(value: Any) -> bool:
    """Whether an argument has a value of its own."""
    return value is not NO_VALUE and value is not None


def refuse(function: str, argument: str, value: Any, instead: str) -> None:
    """Say that a value of an argument is not supported, and what works."""
    raise NotImplementedError(f"`{function}` with `{argument}={value!r}` is not implemented: {instead}")


def check_axis(axis: Any, ndim: int, number_has_one: bool = True) -> Any:
    """The axis or the axes of a reduction in Python's integers: NumPy takes one, or several different ones in a tuple.

    By its courtesy a single number may have an axis, 0 or -1, for most reductions.
    """
    if not is_given(axis):
        return axis
    axes = axis if isinstance(axis, tuple) else (axis,)
    if not number_has_one:
        normalize_axis_tuple(axes, ndim)  # NumPy counts elements first there, for which truth values are numbers.
    for at in axes:
        if isinstance(at, (bool, np.bool_)):
            raise TypeError("an integer is required for the axis")
    places = tuple(operator.index(at) for at in axes)
    if number_has_one and not (not ndim and not isinstance(axis, tuple) and places[0] in (0, -1)):
        normalize_axis_tuple(places, ndim)
    return places if isinstance(axis, tuple) else places[0]


def check_order(function: str, order: Any, orders: str = "CKA") -> None:
    """Elements of lazy arrays have no order in memory; what is computed has C's."""
    if order in (None, *orders):
        return
    if order not in ("C", "F", "K", "A"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    refuse(function, "order", order, "lazy arrays have no order in memory, and results have C's")


def check_like(function: str, like: Any) -> None:
    """`like=` picks the library whose function is called; a lazy array picks this one."""
    if like is not None and not is_array(like):
        kind = type(like).__name__
        raise NotImplementedError(f"`{function}` makes lazy arrays, and nothing like a {kind}: leave `like` out")


def check_device(device: Any) -> None:
    """NumPy knows one device."""
    if device not in (None, "cpu"):
        raise ValueError(f'Device not understood. Only "cpu" is allowed, but received: {device}')


def check_meta(function: str, meta: Any, dtype: Any = None) -> None:
    """An example of a block: blocks are NumPy's arrays, here of the type `dtype` if that is settled."""
    if meta is None:
        return
    if not isinstance(meta, (np.ndarray, np.generic)) or isinstance(meta, np.ma.MaskedArray):
        refuse(function, "meta", type(meta).__name__, "blocks are NumPy arrays")
    if dtype is not None and meta.dtype != dtype:
        raise ValueError(f"`{function}` gives elements of {dtype}, and `meta` has {meta.dtype}: use `astype`")


def fan_in(split_every: Any, ndim: int | None = None) -> int | None:
    """How many blocks a task of a reduction takes: Dask gives a number for each axis as well, or `False` for all."""
    if split_every is None:
        return None
    if split_every is False:
        return 2**31
    if not isinstance(split_every, dict):
        return split_every
    if ndim is not None:
        normalize_axis_tuple(tuple(split_every), ndim)
    for axis, count in split_every.items():
        if operator.index(count) < 1:
            raise ValueError(f"`split_every` must take 1 block of an axis at least, and not {count} of axis {axis}")
    return max(2, math.prod(split_every.values()))
