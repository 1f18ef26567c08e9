"""Reading and writing by slices, steps, integers, lists, masks, new axes and several of them at once."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

import numpy as np

from .case import Case, Cases

LONG = [slice(None), slice(2, 9), slice(None, None, -1), slice(9, 2, -3), slice(-4, None), slice(5, 5), slice(None,
    None, 4), slice(20, 30), slice(-100, 100, 5), 0, -1, 11, 12, -13, True, None, Ellipsis, [0], [3, 1, 3], [-1, 0],
    [], [11, 12], np.array([[0, 1], [2, 3]]), np.arange(12) % 3 == 0, np.zeros(12, bool), [True, False] * 6,
    np.zeros(5, bool), np.array([1, 2], "uint8"), np.int8(3), 1.5, "a", np.array(4), np.array(True), range(0, 6, 2),
    (), np.array([1.0]),]  # fmt: skip
FIRST = [
    slice(None),
    slice(None, None, -1),
    slice(1, 3),
    slice(2, 0, -1),
    0,
    -1,
    [0, 2],
    [2, 0, 0],
    [],
    None,
    Ellipsis,
    np.array([True, False, True]),
    3,
    [[0, 1], [1, 2]],
]
SECOND = [
    slice(None),
    slice(None, None, -2),
    slice(1, 3),
    0,
    -1,
    [1, 3],
    [3, 0, 0],
    None,
    Ellipsis,
    np.array([True, False, True, True]),
    4,
    [1],
    np.array([2, 1]),
]
CUBE = [
    slice(None),
    slice(None, None, -1),
    0,
    -1,
    [0, 1],
    [1, 0],
    [1],
    None,
    Ellipsis,
    np.array([True, False]),
    slice(1, None),
]
SQUARE_MASK = np.arange(12).reshape(3, 4) % 5 < 2
VALUES: list[Any] = [7, -1.5, True, [1, 2], "row", "same", np.arange(4), 300]


def reading() -> Cases:
    for key, dtype in itertools.product(LONG, ("int64", "float32", "complex64")):
        yield _read(dtype + "|plain", key)
    for first, second in itertools.product(FIRST, SECOND):
        yield _read("int64|2d|plain", (first, second))
        yield _read("float64|2d", (first, second))
    for keys in itertools.product(CUBE, repeat=3):
        yield _read("int32|3d|plain", keys)
    for keys in itertools.product(CUBE, repeat=2):
        yield _read("int32|3d|plain", keys)
    for key in (SQUARE_MASK, (SQUARE_MASK,), (SQUARE_MASK, None), (None, SQUARE_MASK), ~SQUARE_MASK):
        yield _read("int64|2d|plain", key)
    for key in (0, None, Ellipsis, (), True, False, [0], slice(None)):
        yield _read("float64|0d", key)
        yield _read("float64|empty", key)
        yield _read("float64|hollow", key)


def writing() -> Cases:
    for key, value, dtype in itertools.product(LONG, VALUES, ("int64", "float32", "uint8", "bool", "complex64")):
        yield _write(dtype + "|plain", key, value)
    for (first, second), value in itertools.product(itertools.product(FIRST, SECOND), VALUES):
        yield _write("int64|2d|plain", (first, second), value)
    for key, value in itertools.product((SQUARE_MASK, (SQUARE_MASK,), ~SQUARE_MASK), VALUES):
        yield _write("float64|2d", key, value)
    for keys, value in itertools.product(itertools.product(CUBE[:-1], repeat=3), (7, "same")):
        yield _write("int32|3d|plain", keys, value)


def several() -> Cases:
    """Lazy positions and masks."""
    for kind, dtype in itertools.product(
        ("take", "mask", "put", "outer", "compare", "nested"), ("int64", "float32", "complex64")
    ):
        yield Case(
            "arrays.indexing",
            f"lazy {kind}",
            dtype,
            "",
            partial(_lazy_key, kind),
            (dtype + "|plain", "bool|mask", "int64|plain"),
        )


def _read(name: str, key: Any) -> Case:
    return Case(
        "arrays.indexing", "getitem", name.partition("|")[0], f"{name} {_text(key)}", partial(_get, key), (name,)
    )


def _write(name: str, key: Any, value: Any) -> Case:
    text = f"{name} {_text(key)} = {_text(value)}"
    return Case("arrays.indexing", "setitem", name.partition("|")[0], text, partial(_set, key, value), (name,))


def _get(key: Any, library: Any, x: Any) -> Any:
    return x[key]


def _set(key: Any, value: Any, library: Any, x: Any) -> Any:
    changed = x.copy()
    if isinstance(value, str):
        value = x[key] * x.dtype.type(1) + x.dtype.type(1) if value == "same" else np.ones(x.shape[-1:], x.dtype)
    changed[key] = value
    return changed


def _lazy_key(kind: str, library: Any, x: Any, mask: Any, positions: Any) -> Any:
    if kind == "put":
        changed = x.copy()
        changed[mask] = 5
        return changed
    if kind == "compare":
        return x[abs(x) > 2]
    if kind == "nested":
        return x[mask][1:3]
    if kind == "mask":
        return x[mask]
    if kind == "outer":
        return library.outer(x, x)[:, mask]
    return x[abs(positions)]


def _text(key: Any) -> str:
    return " ".join(repr(key).split())
