"""Random programs over arrays of all data types."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import raskt.array as ra

from .array_data import NUMBERS, edges, plain
from .programs import Twin, check, take_step

# Steps of two arrays and a number. What rounds is set apart: its result may only be moved about afterwards, since
# rounding would decide what a comparison of it says.
EXACT: dict[str, Callable[[Any, Any, Any, int], Any]] = {
    "add": lambda lib, x, y, n: x + y,
    "subtract": lambda lib, x, y, n: x - y,
    "multiply": lambda lib, x, y, n: x * (n % 5),
    "compare": lambda lib, x, y, n: x < y,
    "equal": lambda lib, x, y, n: x == y,
    "maximum": lambda lib, x, y, n: lib.maximum(x, y),
    "fmin": lambda lib, x, y, n: lib.fmin(x, y),
    "where": lambda lib, x, y, n: lib.where(x != 0, x, y),
    "and": lambda lib, x, y, n: x & y,
    "invert": lambda lib, x, y, n: ~x,
    "negative": lambda lib, x, y, n: -x,
    "absolute": lambda lib, x, y, n: abs(x) if x.dtype.kind != "c" else x.real,
    "sign": lambda lib, x, y, n: lib.sign(x) if x.dtype.kind != "c" else x,
    "floor": lambda lib, x, y, n: lib.floor(x),
    "mod": lambda lib, x, y, n: x % (n % 7),
    "floordiv": lambda lib, x, y, n: x // (n % 4),
    "divide": lambda lib, x, y, n: x / (2.0 ** (n % 9 - 4)),
    "power": lambda lib, x, y, n: x ** np.int8(2) if x.dtype.kind in "iu" else x,
    "shift": lambda lib, x, y, n: x << (n % 3),
    "clip": lambda lib, x, y, n: lib.clip(x, n % 3, 5),
    "round": lambda lib, x, y, n: lib.round(x, n % 2) if x.dtype.kind != "b" else x,
    "isnan": lambda lib, x, y, n: lib.isnan(x),
    "astype": lambda lib, x, y, n: x.astype(["float64", "complex128", "float32"][n % 3]),
    "cumsum of whole": lambda lib, x, y, n: lib.cumsum(x, axis=n % x.ndim) if x.dtype.kind in "biu" else x,
    "sum of whole": lambda lib, x, y, n: x.sum(axis=n % x.ndim) if x.dtype.kind in "biu" else x,
    "max": lambda lib, x, y, n: x.max(axis=n % x.ndim, keepdims=bool(n & 8)),
    "argmin": lambda lib, x, y, n: x.argmin(axis=n % x.ndim),
    "any": lambda lib, x, y, n: x.any(axis=n % x.ndim),
    "count": lambda lib, x, y, n: lib.count_nonzero(x, axis=n % x.ndim),
    "diff": lambda lib, x, y, n: lib.diff(x, axis=n % x.ndim) if x.dtype.kind != "b" else x,
    "isin": lambda lib, x, y, n: lib.isin(x, [0, 1, n % 9]),
    "bits": lambda lib, x, y, n: x ^ y,
    "write": lambda lib, x, y, n: _written(x, n),
    "nan_to_num": lambda lib, x, y, n: lib.nan_to_num(x),
}
MOVES: dict[str, Callable[[Any, Any, Any, int], Any]] = {
    "transpose": lambda lib, x, y, n: x.T,
    "reshape": lambda lib, x, y, n: x.reshape(-1),
    "reverse": lambda lib, x, y, n: x[::-1],
    "slice": lambda lib, x, y, n: x[n % 3 : 7 : 1 + n % 2],
    "last axis": lambda lib, x, y, n: x[..., n % 4 : 9],
    "take": lambda lib, x, y, n: x[[0, n % 3]],
    "item": lambda lib, x, y, n: x[n % 4],
    "new axis": lambda lib, x, y, n: x[None],
    "roll": lambda lib, x, y, n: lib.roll(x, n % 5, axis=n % x.ndim),
    "flip": lambda lib, x, y, n: lib.flip(x, axis=n % x.ndim),
    "concatenate": lambda lib, x, y, n: lib.concatenate([x, y], axis=n % x.ndim),
    "stack": lambda lib, x, y, n: lib.stack([x, y]),
    "repeat": lambda lib, x, y, n: lib.repeat(x, 2, axis=n % x.ndim),
    "tile": lambda lib, x, y, n: lib.tile(x, 2),
    "broadcast": lambda lib, x, y, n: lib.broadcast_to(x, (2, *x.shape)),
    "squeeze": lambda lib, x, y, n: x.squeeze(),
    "real": lambda lib, x, y, n: x.real,
    "pad": lambda lib, x, y, n: lib.pad(x, 1),
    "copy": lambda lib, x, y, n: x.copy(),
    "swap": lambda lib, x, y, n: lib.swapaxes(x, 0, -1),
}
ROUNDED: dict[str, Callable[[Any, Any, Any, int], Any]] = {
    "sum": lambda lib, x, y, n: x.sum(axis=n % x.ndim),
    "mean": lambda lib, x, y, n: x.mean(axis=n % x.ndim),
    "std": lambda lib, x, y, n: x.std(),
    "exp": lambda lib, x, y, n: lib.exp(-abs(x)),
    "sin": lambda lib, x, y, n: lib.sin(x),
    "sqrt": lambda lib, x, y, n: lib.sqrt(abs(x)),
    "divide two": lambda lib, x, y, n: x / y,
    "cumsum": lambda lib, x, y, n: lib.cumsum(x, axis=n % x.ndim),
    "dot": lambda lib, x, y, n: lib.dot(x, x.T),
    "median": lambda lib, x, y, n: lib.median(x, axis=0),
}
STEPS = {**EXACT, **MOVES, **ROUNDED}
NAMES = list(STEPS)
SIZE_MAX = 400


def play(first: int, program: list[tuple[int, int, int, int]]) -> None:
    """Run a program: each step picks an operation, two of the arrays so far, and a number."""
    pool, story = [(start(first), 0.0), (start(first // 7 + 3), 0.0)], [f"start {first}"]
    for operation, left, right, number in program:
        name = NAMES[operation % len(NAMES)]
        (one, rough), (other, rough_too) = pool[left % len(pool)], pool[right % len(pool)]
        if (rough or rough_too) and name not in MOVES or name in ROUNDED and not _tame(one, other):
            continue
        step = STEPS[name]
        story.append(f"{name}({left % len(pool)}, {right % len(pool)}, {number})")
        if one.concrete.ndim == 0 or one.concrete.size == 0 or other.concrete.size == 0:
            continue
        twin = take_step(
            story,
            partial(step, np, one.concrete, other.concrete, number),
            partial(step, ra, one.lazy, other.lazy, number),
        )
        if twin and isinstance(twin.lazy, ra.Array) and np.size(twin.concrete) <= SIZE_MAX:
            tolerance = 1e-8 if name in ROUNDED else max(rough, rough_too)
            pool.append((Twin(np.asarray(twin.concrete), twin.lazy), tolerance))
    check(story, pool[2:])


def start(seed: int) -> Twin:
    """An array to begin with: its data type, elements, shape and chunks all come from a number."""
    dtype = NUMBERS[seed % len(NUMBERS)]
    values = (edges if seed // 16 % 2 else plain)(dtype)
    values = np.roll(values, seed // 32 % 12).reshape([(12,), (3, 4), (4, 3), (2, 3, 2)][seed // 13 % 4])
    chunks = tuple(1 + (seed // (5 + at)) % length for at, length in enumerate(values.shape))
    return Twin(values, ra.from_array(values, chunks=chunks))


def _tame(*twins: Twin) -> bool:
    """Whether rounding stays small: double precision, and numbers of ordinary size."""
    for twin in twins:
        x = twin.concrete
        if x.dtype.itemsize < 8 or x.dtype.kind not in "iuf" or not np.isfinite(x).all() or (abs(x * 1.0) > 1e6).any():
            return False
    return True


def _written(x: Any, n: int) -> Any:
    changed = operator.methodcaller("copy")(x)
    changed[n % 3 : 5] = n % 100
    return changed
