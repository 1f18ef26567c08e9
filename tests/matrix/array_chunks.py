"""Chunks and partitions never change an answer: raskt against itself, bit by bit."""

from __future__ import annotations

import inspect
import itertools
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

import raskt
import raskt.array as ra
import raskt.dataframe as rd

from .arguments import text_of
from .array_operators import BINARY, OTHER_UNARY, UNARY
from .case import Case, Cases

COUNT = 203
CHUNKS = {"whole": -1, "sevens": 7, "ones": 1, "uneven": ((1, 100, 102),)}
DISTRIBUTIONS: dict[str, list[tuple[Any, ...]]] = {"beta": [(0.5, 2.0)], "binomial": [(10, 0.3), (1000, 0.5)],
    "chisquare": [(3,)], "choice": [(10,), (["a", "b"],)], "exponential": [(2.0,)], "f": [(2, 3)], "gamma": [(0.5,
    2.0), (3.0,)], "geometric": [(0.3,)], "gumbel": [(0, 1)], "hypergeometric": [(10, 5, 4)], "integers": [(0, 10),
    (0, 2**40)], "laplace": [(0, 1)], "logistic": [(0, 1)], "lognormal": [(0, 1)], "logseries": [(0.5,)],
    "multinomial": [(5, [0.2, 0.8])], "negative_binomial": [(3, 0.4)], "noncentral_chisquare": [(2, 1)],
    "noncentral_f": [(2, 3, 1)], "normal": [(0, 1), (5, 2)], "pareto": [(3,)], "permutation": [], "poisson": [(3,),
    (300,)], "power": [(3,)], "random": [()], "random_sample": [()], "randint": [(0, 9)], "random_integers": [(0,
    9)], "rayleigh": [(2,)], "standard_cauchy": [()], "standard_exponential": [()], "standard_gamma": [(2,)],
    "standard_normal": [()], "standard_t": [(3,)], "triangular": [(0, 1, 2)], "uniform": [(0, 2)], "vonmises": [(0,
    1)], "wald": [(1, 2)], "weibull": [(2,)], "zipf": [(2,)], "tomaxint": [()], "rand": [], "randn": [],}  # fmt: skip


class Chunkings:
    """Inputs of the same values in different pieces; the reference is raskt with all in one."""

    reference = library = ra
    layouts = ("sevens", "ones", "uneven")

    def concrete(self, name: str) -> Any:
        return self.lazy(name, "whole")

    def lazy(self, name: str, layout: str) -> Any:
        if name == "layout":
            return layout
        if name.startswith("rows"):
            count = {"whole": 1, "sevens": 7, "ones": 40, "uneven": 3}[layout]
            return rd.from_pandas(rows(), npartitions=count)
        return ra.from_array(wild(name), chunks=CHUNKS[layout])


def rows() -> pd.DataFrame:
    return pd.DataFrame({"a": np.arange(40), "b": np.arange(40) % 7, "s": [f"w{n % 5}" for n in range(40)]})


def wild(name: str) -> np.ndarray:
    """Numbers of all sizes: each element must not care what its neighbours are."""
    dtype, _, seed = name.partition(" ")
    rng = np.random.default_rng(int(seed or 0))
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(COUNT) < 0.5
    if kind in "iu":
        return rng.integers(0 if kind == "u" else -100, 100, COUNT).astype(dtype)
    sizes = rng.normal(size=COUNT) * 10.0 ** rng.integers(-12, 13, COUNT)
    sizes[::17], sizes[5::31], sizes[9::41] = np.nan, np.inf, -0.0
    return (sizes + 1j * np.roll(sizes, 3) if kind == "c" else sizes).astype(dtype)


def elementwise() -> Cases:
    for name, dtype in itertools.product(UNARY + OTHER_UNARY, ("float64", "float32", "complex128", "int32", "bool")):
        if hasattr(ra, name):
            yield Case("chunks", name, dtype, "elementwise", partial(_unary, name), (dtype,))
    for name, left, right in itertools.product(
        BINARY, ("float64", "float32", "complex128", "int32"), ("float64", "complex64", "int64")
    ):
        yield Case("chunks", name, f"{left} {right}", "elementwise", partial(_unary, name), (left, f"{right} 1"))


def random() -> Cases:
    for (name, several), seed, size in itertools.product(DISTRIBUTIONS.items(), (0, 7), (COUNT,)):
        for arguments in several:
            for source in ("Generator", "RandomState"):
                maker = ra.random.default_rng if source == "Generator" else ra.random.RandomState
                if hasattr(maker(0), name):
                    text = f"{source}({seed}) {text_of(arguments)}"
                    call = partial(_draw, maker, seed, name, arguments, size)
                    yield Case("chunks", f"random.{name}", "", text, call, ("layout",))


def frames() -> Cases:
    for name, arguments in itertools.product(
        ("sample", "random_split", "shuffle"),
        (
            {"frac": 0.3, "random_state": 1},
            {"frac": 0.5, "random_state": 3},
            {"frac": [0.5, 0.5], "random_state": 2},
            {"on": "b"},
            {"on": "s"},
        ),
    ):
        if set(arguments) <= set(inspect.signature(getattr(rd.DataFrame, name)).parameters):
            yield Case("chunks", f"frame {name}", "", text_of(arguments), partial(_rows, name, arguments), ("rows",))


def _unary(name: str, library: Any, *arrays: Any) -> Any:
    return getattr(library, name)(*arrays)


def _draw(maker: Any, seed: int, name: str, arguments: tuple[Any, ...], size: int, library: Any, layout: str) -> Any:
    chunks = CHUNKS[layout]
    return getattr(maker(seed), name)(*arguments, size=size, chunks=chunks)


def _rows(name: str, arguments: dict[str, Any], library: Any, frame: Any) -> Any:
    result = getattr(frame, name)(**arguments)
    if name == "shuffle":
        return raskt.compute(result)[0].sort_values("a", ignore_index=True)
    return result
