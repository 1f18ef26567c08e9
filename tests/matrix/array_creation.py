"""Arrays made of numbers: `arange` and its kin, with arguments of every kind."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from .arguments import described, text_of
from .case import Case, Cases

BOUNDS = [0, 3, -4, 6, 2.5, -1.0, np.uint8(3), np.int8(-2), np.float32(1.5), 2**40, True, np.uint64(5), 1j]
DTYPES = [None, "int8", "uint8", "int64", "float32", "float64", "complex64", "bool"]


def creation() -> Cases:
    steps = [1, 2, -1, -2, 0.5, -0.3, 3, np.int8(2), np.float32(0.25), 0]
    for start, stop, step, dtype in itertools.product(BOUNDS, BOUNDS, steps, (None, "float32", "int16")):
        if max(abs(start), abs(stop)) < 100:
            yield _case("arange", (start, stop, step), {"dtype": dtype} if dtype else {})
    for stop, dtype in itertools.product(BOUNDS[:-4] + [10, 10.5, np.int16(7)], DTYPES):
        yield _case("arange", (stop,), {"dtype": dtype})
    for start, stop, num, endpoint, retstep, dtype in itertools.product(
        BOUNDS, BOUNDS, (0, 1, 2, 7), (True, False), (True, False), (None, "int64", "float32")
    ):
        yield _case(
            "linspace", (start, stop), {"num": num, "endpoint": endpoint, "retstep": retstep, "dtype": dtype}, 1e-14
        )
    for rows, columns, k, dtype in itertools.product((0, 1, 4), (None, 0, 3, 6), (0, 1, -2, 9), DTYPES[1:]):
        yield _case("eye", (rows,), {"M": columns, "k": k, "dtype": dtype})
        yield _case("tri", (rows,), {"M": columns, "k": k, "dtype": dtype})
    for shape, dtype, fill in itertools.product(
        (0, 3, (2, 3), (), [2, 2], (2, 0), -1), DTYPES, (0, 1.5, True, 300, 2**40, 1j, np.float32(2), np.nan)
    ):
        yield _case("full", (shape, fill), {"dtype": dtype})
        yield _case("ones", (shape,), {"dtype": dtype or float})
        yield _case("zeros", (shape,), {"dtype": dtype or float})
    for n, k, m in itertools.product((0, 1, 4), (0, 1, -1), (None, 3, 6)):
        yield _case("tril_indices", (n,), {"k": k, "m": m})
        yield _case("triu_indices", (n,), {"k": k, "m": m})
    for shape, dtype, sparse in itertools.product(((2, 3), (), (0, 2)), ("int64", "float32"), (False, True)):
        yield _case("indices", (shape,), {"dtype": dtype, "sparse": sparse})
    for dtype in DTYPES:
        yield _case("fromfunction", (_sum_of_indices, (3, 4)), {"dtype": dtype or float})
        yield _case("identity", (4,), {"dtype": dtype})


def _sum_of_indices(i: Any, j: Any) -> Any:
    return i * 10 + j


def _case(name: str, positional: tuple[Any, ...], named: Mapping[str, Any], tolerance: float = 0.0) -> Case:
    text = ", ".join(map(text_of, positional)) + "; " + described(named)
    types = " ".join(type(value).__name__ for value in positional)
    return Case("arrays.creation", name, types, text, partial(_create, name, positional, named), (), tolerance)


def _create(name: str, positional: tuple[Any, ...], named: Mapping[str, Any], library: Any) -> Any:
    return getattr(library, name)(*positional, **named)
