"""Reductions, cumulative functions and everything else with NumPy's names, with every argument value documented.

Each function is called through three doors: `raskt.array.f(x)`, `x.f()` and `np.f(x)`.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import raskt.array as ra

from .arguments import argument_sets, described, parameters
from .array_data import NUMBERS
from .case import Case, Cases

METHODS = ["inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen",
    "weibull", "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest",]  # fmt: skip
COMMON: dict[str, list[Any]] = {
    "axis": [None, 0, 1, -1, (0, 1), (), 5],
    "axes": [(1, 0), None, 1, (0, 1)],
    "keepdims": [True, False],
    "dtype": ["float32", "int64", "int8", "complex128", bool],
    "ddof": [0, 1, 2, 100],
    "correction": [1],
    "initial": [0, 5, 1.5],
    "where": [True, False, np.array([True, False, True, True])],
    "overwrite_input": [True],
    "mean": [2.0],
    "returned": [True],
    "method": METHODS,
    "interpolation": [None],
    "q": [50, 25.0, [10, 90], 0, 100, [], 101],
    "weights": [None, np.array([1.0, 2.0, 0.0, 3.0]), np.arange(12.0)],
    "k": [0, 1, -2],
    "n": [1, 2, 0, 4],
    "m": [None, 2, 4],
    "offset": [0, 1, -1],
    "axis1": [0, 1, -1],
    "axis2": [0, 1],
    "decimals": [0, 1, -1],
    "nan": [0.0, 7],
    "posinf": [None, 9],
    "neginf": [None, -9],
    "deg": [True],
    "shift": [1, -2, 0, (1, 2), 25],
    "repeats": [2, 0, 3, [1, 2, 0], [2, 1, 0, 3]],
    "reps": [2, (2, 1), 0, (1, 2, 1)],
    "source": [0, -1, [0, 1]],
    "destination": [1, 0, [1, 0]],
    "shape": [(12,), (4, 3), (-1, 6), (2, 6), (12, 1), (5,)],
    "newshape": [(12,), (4, 3), (-1, 6)],
    "order": ["C", "F"],
    "rowvar": [True, False],
    "bias": [True, False],
    "fweights": [np.array([1, 2, 1, 1])],
    "aweights": [np.array([1.0, 0.5, 2.0, 1.0])],
    "prepend": [0, 1.5],
    "append": [0, 9],
    "to_begin": [None, 5],
    "to_end": [None, [1, 2]],
    "indices": [0, -1, [0, 2], [2, 0, -1], [[0, 1], [1, 0]], 100],
    "obj": [0, 1, -1, [0, 2], slice(0, 2)],
    "values": [7, 2.5],
    "mode": ["raise", "wrap", "clip"],
    "pad_width": [1, (1, 2), ((1, 0), (0, 2)), 0],
    "constant_values": [0, 3],
    "bins": [3, np.array([-1.0, 0.5, 2.0, 9.0]), "auto"],
    "range": [None, (0, 5)],
    "density": [None, True],
    "minlength": [0, 20],
    "right": [True, False],
    "side": ["left", "right"],
    "sorter": [None],
    "return_index": [True],
    "return_inverse": [True],
    "return_counts": [True],
    "equal_nan": [True, False],
    "sorted": [True, False],
    "assume_unique": [True],
    "invert": [True],
    "rtol": [1e-5, 0.5],
    "atol": [0.0, 1.0],
    "a_min": [None, 0, -1.5],
    "a_max": [None, 3, 2.5],
    "edge_order": [1, 2],
    "start": [0, 1, 2],
    "sparse": [True, False],
    "indexing": ["xy", "ij"],
    "copy": [True, False],
    "condition": [[True, False, True], [1, 0, 1, 1]],
    "num": [2],
}

# `matmul` refuses `keepdims` whatever it is, and raskt `True` alone.
# A function: the shapes of its inputs, and values of parameters that mean something else here than elsewhere.
REDUCTIONS = (
    "sum prod mean std var min max any all ptp argmin argmax median nansum nanprod nanmean nanstd nanvar nanmin nanmax "
    "nanargmin nanargmax nanmedian count_nonzero cumsum cumprod nancumsum nancumprod average percentile quantile "
    "nanpercentile nanquantile trace"
).split()
FRACTIONS = {"q": [0.5, 0.25, [0.1, 0.9], 0, 1, 1.5]}
ONE_ARRAY: dict[str, dict[str, list[Any]]] = {"clip": {}, "round": {}, "around": {}, "nan_to_num": {}, "angle": {},
    "transpose": {"axes": [None, (1, 0), (0, 1), (0,)]}, "swapaxes": {}, "moveaxis": {}, "rollaxis": {"axis": [0, 1,
    -1]}, "roll": {}, "rot90": {"k": [1, 0, -1, 2]}, "flip": {"axis": [None, 0, 1, -1, (0, 1), 5]}, "flipud": {},
    "fliplr": {}, "repeat": {"axis": [None, 0, 1]}, "tile": {}, "reshape": {}, "ravel": {}, "squeeze": {},
    "expand_dims": {"axis": [0, 1, -1, (0, 2), 7]}, "broadcast_to": {"shape": [(2, 3, 4), (3, 4), (12,), (2, 12)]},
    "tril": {}, "triu": {}, "diag": {}, "diagonal": {}, "take": {"axis": [None, 0, 1, -1]},
    "delete": {"axis": [None, 0, 1]}, "insert": {"axis": [None, 0, 1]}, "append": {"values": [7, [1, 2], [[1, 2, 3,
    4]]], "axis": [None, 0]}, "diff": {"axis": [-1, 0, 1]}, "ediff1d": {}, "gradient": {"axis": [None, 0, -1]},
    "pad": {"mode": ["constant", "edge", "linear_ramp", "maximum", "mean", "median", "minimum", "reflect",
    "symmetric", "wrap"]}, "histogram": {}, "bincount": {}, "digitize": {"bins": [np.array([-1, 0.5, 2]),
    np.array([3, 1, 0])]}, "searchsorted": {}, "unique": {"axis": [None]}, "argwhere": {}, "nonzero": {},
    "flatnonzero": {}, "where": {}, "compress": {"axis": [None, 0, 1]}, "extract": {},
    "isin": {"test_elements": [[1, 2], [0.5, True], [], [np.nan, 3]]}, "cov": {}, "corrcoef": {}, "atleast_1d": {},
    "atleast_2d": {}, "atleast_3d": {}, "zeros_like": {}, "ones_like": {}, "full_like": {"fill_value": [0, 2.5,
    True, 300]}, "shape": {}, "ndim": {}, "size": {}, "result_type": {}, "real": {}, "imag": {}, "array": {},
    "asarray": {}, "asanyarray": {}, "iscomplexobj": {}, "isrealobj": {}, "broadcast_arrays": {}, "copy": {},
    "apply_over_axes": {"func": [np.sum], "axes": [0, [0, 1]]}, "array_split": {"indices_or_sections": [2, [1, 2]]},
    "split": {"indices_or_sections": [2, [1, 2]]}, "matrix_transpose": {}, "resize": {"new_shape": [(2, 2), (5,
    5)]}, "permute_dims": {}, "argsort": {}, "sort": {}, "partition": {"kth": [1]},
    "unravel_index": {"shape": [(300, 300)]}, "vander": {}, "interp": {},}  # fmt: skip
TWO_ARRAYS: dict[str, dict[str, list[Any]]] = {"dot": {}, "matmul": {"keepdims": []}, "vdot": {}, "inner": {},
    "outer": {}, "kron": {}, "cross": {}, "tensordot": {"axes": [0, 1, 2, ([0], [0]), ([1], [1])]}, "isclose": {},
    "allclose": {}, "array_equal": {}, "union1d": {}, "isin": {}, "searchsorted": {}, "digitize": {}, "extract": {},
    "compress": {"axis": [None]}, "append": {"axis": [None, 0]}, "interp": {}, "histogram2d": {}, "intersect1d": {},
    "setdiff1d": {}, "cov": {}, "average": {},}  # fmt: skip
SEQUENCES: dict[str, dict[str, list[Any]]] = {"concatenate": {"axis": [0, 1, None, -1, 5]}, "stack": {"axis": [0, 1,
    -1, 5]}, "vstack": {}, "hstack": {}, "dstack": {}, "column_stack": {}, "block": {},}  # fmt: skip
ROUGH = set(
    "mean std var nanmean nanstd nanvar average percentile quantile nanpercentile nanquantile median nanmedian "
    "cov corrcoef sum nansum "
    "prod nanprod cumsum cumprod nancumsum nancumprod dot matmul vdot inner tensordot gradient trace histogram "
    "linspace angle "
    "pad kron cross apply_over_axes bincount histogram2d moment".split()
)
ALWAYS_SKIPPED = {"a", "out", "like", "subok", "device", "arr", "x", "ary", "array", "v", "ar", "object"}
SETS = {"isin", "intersect1d", "setdiff1d", "setxor1d"}
DOORS = ("ra", "method", "np")
Passed = tuple[tuple[Any, ...], dict[str, Any]]


def reductions() -> Cases:
    for name, dtype, words in itertools.product(
        REDUCTIONS, NUMBERS, ("|2d|plain", "|2d", "|plain", "|3d|plain", "|0d", "|empty", "|hollow")
    ):
        overrides = FRACTIONS if name.endswith("quantile") else {}
        yield from one_name(
            "arrays.reductions", name, dtype, (dtype + words,), overrides, depth=2 if words == "|2d|plain" else 1
        )


def functions() -> Cases:
    for (name, overrides), dtype in itertools.product(ONE_ARRAY.items(), NUMBERS):
        for words in ("|2d|plain", "|2d", "|plain", "|3d|plain", "|0d", "|empty", "|square|plain"):
            yield from one_name(
                "arrays.functions", name, dtype, (dtype + words,), overrides, depth=2 if words == "|2d|plain" else 1
            )


def pairs() -> Cases:
    shapes = [
        ("|plain", "|plain|roll"),
        ("|2d|plain", "|2d|plain|roll"),
        ("|square|plain", "|square"),
        ("|2d", "|0d"),
        ("|empty", "|plain"),
    ]
    for (name, overrides), left, right in itertools.product(TWO_ARRAYS.items(), NUMBERS, NUMBERS):
        for one, other in shapes:
            one = f"{one}|sorted" if name == "searchsorted" else one  # NumPy has an answer for sorted lines alone.
            given = overrides
            if name in SETS and one == "|plain":  # What is assumed must be true.
                one, other = f"{one}|unique", f"{other}|unique"
            elif name in SETS:
                given = {"assume_unique": []} | overrides
            yield from one_name("arrays.pairs", name, f"{left} {right}", (left + one, right + other), given, depth=1)
    for (name, overrides), left, right in itertools.product(SEQUENCES.items(), NUMBERS, NUMBERS):
        for one, other in shapes:
            yield from one_name(
                "arrays.pairs", name, f"{left} {right}", (left + one, right + other), overrides, depth=1, several=True
            )


def one_name(
    part: str,
    name: str,
    types: str,
    inputs: tuple[str, ...],
    overrides: dict[str, list[Any]],
    depth: int,
    several: bool = False,
) -> Cases:
    """All argument sets of one function over given inputs, through each door that it has."""
    namesake = getattr(np, name, None)
    if namesake is None:
        return
    values = COMMON | overrides
    given = parameters(namesake)[: 1 if several else len(inputs)]
    rest = [p for p in parameters(namesake) if p not in given and p.name not in ALWAYS_SKIPPED]
    required = tuple(p.name for p in rest if p.default is p.empty and p.name in values)
    shape = " ".join(word.partition("|")[2] for word in inputs)
    for arguments in argument_sets([p.name for p in rest], values, required, depth):
        is_exact = "complex" not in types and all("|plain" in word for word in inputs)
        if name == "cov" and not is_exact and arguments.get("ddof") == 100:  # What rounding left, times infinity.
            continue
        text = f"{shape} {described(arguments)}"
        for door in DOORS:
            if (door == "ra" and not hasattr(ra, name)) or (door == "method" and not _has_method(name, several)):
                continue
            passed = _of_method(name, arguments) if door == "method" else _positional(rest, arguments)
            if passed is None:
                continue
            call = partial(_through, door, name, several, passed)
            yield Case(part, name, types, f"{door} {text}", call, inputs, 1e-9 if name in ROUGH else 0.0)


def _has_method(name: str, several: bool) -> bool:
    return not several and hasattr(ra.Array, name) and hasattr(np.ndarray, name) and callable(getattr(np.ndarray, name))


def _of_method(name: str, arguments: dict[str, Any]) -> Passed | None:
    """Arguments as NumPy's method takes them; None where it hasn't one of them, while raskt's methods may have more."""
    own = list(inspect.signature(getattr(np.ndarray, name)).parameters.values())
    by_position = [p.name for p in own if p.kind in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL) and p.name in arguments]
    named = {name: value for name, value in arguments.items() if name not in by_position}
    takes_more = any(p.kind is p.VAR_KEYWORD for p in own)
    if "correction" in named or not (takes_more or set(named) <= {p.name for p in own}):
        return None
    return tuple(arguments[name] for name in by_position), named


def _positional(rest: list[Any], arguments: dict[str, Any]) -> Passed:
    """Parameters that only have a position are given by position."""
    by_position = [p.name for p in rest if p.kind is p.POSITIONAL_ONLY and p.name in arguments]
    return tuple(arguments[name] for name in by_position), {k: v for k, v in arguments.items() if k not in by_position}


def _through(door: str, name: str, several: bool, arguments: Passed, library: Any, *arrays: Any) -> Any:
    positional, named = arguments
    if door == "method":
        first, *others = arrays
        return getattr(first, name)(*others, *positional, **named)
    function: Callable[..., Any] = getattr(np if door == "np" else library, name)
    return function(arrays, *positional, **named) if several else function(*arrays, *positional, **named)
