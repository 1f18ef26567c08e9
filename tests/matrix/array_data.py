"""Arrays to try: every data type, with its edges."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import raskt.array as ra

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
NUMBERS = ["bool", *INTEGERS, *FLOATS, *COMPLEX]
OTHERS = ["float16", "datetime64[D]", "datetime64[ns]", "timedelta64[s]", "timedelta64[ns]", "<U3", "S3", "object"]
DTYPES = [*NUMBERS, *OTHERS]


def edges(dtype: str) -> np.ndarray:
    """Twelve elements, the extreme ones of the data type among them."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([True, False, False, True, True, False] * 2)
    if kind in "iu":
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        values = [0, 1, 2, 3, low, high, high - 1, low + 1, 7, 100, high // 2, 5 if kind == "u" else -5]
        return np.array(values, dtype)
    if kind == "f":
        info = np.finfo(dtype)
        values = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, np.nan, np.inf, -np.inf, info.tiny, info.max, 3.75]
        return np.array(values, dtype)
    if kind == "c":
        values = [
            0,
            1,
            -1,
            1j,
            -1j,
            2.5 - 1.5j,
            complex(np.nan, 1),
            complex(np.inf, 0),
            complex(-np.inf, 2),
            1e-3j,
            -0.0,
            3 + 4j,
        ]
        return np.array(values, dtype)
    if kind in "mM":
        return np.array([0, 1, -1, "NaT", 5, 1000, 365, 7, -400, 2, 3, 11], dtype)
    if kind == "O":
        return np.array([1, 2.5, 3, 0, -1, 7, 8, 9, 10, 11, 12, 2**70], object)
    return np.array(["", "a", "b", "abc", "A", "1", "zz", "b", "é" if kind == "U" else "e", "x", "y", "z"], dtype)


def plain(dtype: str) -> np.ndarray:
    """Twelve small elements, of both signs where there are two, without anything special."""
    kind = np.dtype(dtype).kind
    if kind in "bmMOUS":
        return np.roll(edges(dtype), 5)
    values = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 7, 8])
    if kind in "fc":
        values = values * np.where(np.arange(12) % 3, 1, -1) / 4
    elif kind == "i":
        values = values * np.where(np.arange(12) % 3, 1, -1)
    if kind == "c":
        values = values + 1j * np.roll(values, 1)
    return values.astype(dtype)


SHAPES = {
    "": (12,),
    "2d": (3, 4),
    "3d": (2, 3, 2),
    "0d": (),
    "empty": (0,),
    "hollow": (3, 0),
    "one": (1,),
    "square": (3, 3),
}
CHUNKS = {"whole": -1, "uneven": (1, 3, 5), "ones": 1}


class Arrays:
    """Arrays by names such as `int8`, `int8:plain`, `int8:2d:roll`."""

    reference, library = np, ra

    def __init__(self, layouts: tuple[str, ...] = ("whole", "uneven")) -> None:
        self.layouts = layouts

    def concrete(self, name: str) -> np.ndarray:
        """The array of a name: a data type, then words for its elements and its shape; a new one, to be overwritten."""
        dtype, *words = name.split("|")
        values = plain(dtype) if "plain" in words else edges(dtype)
        if "roll" in words:
            values = np.roll(values, 5)
        if "sorted" in words:
            values = np.sort(values)
        if "mask" in words:
            values = np.arange(12) % 3 == 1
        shape = next((SHAPES[word] for word in words if word in SHAPES), (12,))
        count = int(np.prod(shape))
        if "unique" in words:
            return np.unique(values[:count])
        return values[:count].reshape(shape).copy()

    def lazy(self, name: str, layout: str) -> Any:
        """The same as a lazy array, cut as the layout says; a new one, too: a call may write into it."""
        return self._cut(name, layout).copy()

    @cache  # noqa: B019
    def _cut(self, name: str, layout: str) -> Any:
        return ra.from_array(self.concrete(name), chunks=cut(self.concrete(name).shape, layout))


def cut(shape: tuple[int, ...], layout: str) -> Any:
    """Block lengths along each axis."""
    if layout != "uneven":
        return tuple((length,) if layout == "whole" else (1,) * length or (0,) for length in shape)
    return tuple((1, length - 2, 1) if length > 3 else (length,) if length < 2 else (1, length - 1) for length in shape)
