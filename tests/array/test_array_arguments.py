"""Every value of every argument: as NumPy takes it, or refused by `NotImplementedError` at the call."""

from __future__ import annotations

import inspect
import itertools
import warnings
from typing import Any

import numpy as np
import pytest

import raskt.array as ra
from array_comparing import sample

REFUSED = object()


def outcome(function: Any, args: Any, kwargs: Any) -> Any:
    """What a call gives: its result, computed, or the exception."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return computed(function(*args, **kwargs))
    except NotImplementedError as error:
        assert len(str(error).split()) > 3, f"a refusal says what works: {error}"
        return REFUSED
    except Exception as error:
        return error


def computed(result: Any) -> Any:
    if isinstance(result, (tuple, list)):
        return type(result)(computed(part) for part in result)
    return result.compute() if isinstance(result, ra.Array) else result


def same(found: Any, expected: Any, coarse: bool = False) -> bool:
    if isinstance(expected, Exception) or isinstance(found, Exception):
        return isinstance(expected, Exception) and isinstance(found, kinds_like(expected))
    if isinstance(expected, (tuple, list)):
        return len(found) == len(expected) and all(same(a, b, coarse) for a, b in zip(found, expected))
    found, expected = np.asarray(found), np.asarray(expected)
    if found.dtype != expected.dtype and {found.dtype, expected.dtype} != {np.dtype("f2"), np.dtype("f4")}:
        return False
    if found.shape != expected.shape:
        return False
    if expected.dtype.kind in "fc":
        small = coarse or expected.dtype in (np.float16, np.float32, np.complex64)
        tolerance = 2e-3 if expected.dtype == np.float16 else 1e-5 if small else 1e-10
        return bool(np.allclose(found, expected, rtol=tolerance, atol=tolerance, equal_nan=True))
    return bool((found == expected).all())


def kinds_like(error: Exception) -> tuple[type[Exception], ...]:
    """The kinds of error that tell the same: NumPy's own class, or what it is derived from."""
    kinds = [kind for kind in type(error).__mro__ if issubclass(kind, Exception) and kind is not Exception]
    return (*kinds, ValueError, TypeError) if isinstance(error, (TypeError, ValueError)) else tuple(kinds)


def check(name: str, arrays: list[np.ndarray], arguments: dict[str, Any], module: Any = (ra, np)) -> bool:
    """Compare a call with NumPy's; whether it was honoured, not refused."""
    ours, theirs = (getattr(part, name) for part in module)
    lazy = {key: lazy_of(value) for key, value in arguments.items()}
    found = outcome(ours, [ra.from_array(array, chunks=2) for array in arrays], lazy)
    expected = outcome(theirs, arrays, arguments)
    coarse = any(array.dtype in (np.float32, np.complex64) for array in arrays)
    shown = f"{name}({', '.join(str(a.dtype) for a in arrays)}, {arguments})"
    assert found is REFUSED or same(found, expected, coarse), f"{shown}: {found!r}, and NumPy {expected!r}"
    return found is not REFUSED


def lazy_of(value: Any) -> Any:
    """An argument as a lazy array, if it is an array: both forms must do."""
    return ra.from_array(value, chunks=2) if isinstance(value, np.ndarray) and value.ndim else value


MATRIX = (3, 4)
MASK = np.array([[True, False, True, True], [False, False, True, True], [True, True, True, False]])
VALUES: dict[str, list[Any]] = {
    "axis": [None, 0, -1, 1, (0, 1), (1,), 2],
    "dtype": ["f8", "f4", "i8", "i2", "c16"],
    "keepdims": [True, False],
    "initial": [0, 3, 2.5, None],
    "where": [True, False, MASK, MASK[0]],
    "ddof": [0, 1, 2, 0.5, 12],
    "correction": [0, 1],
    "decimals": [0, 1, -1],
}
REDUCTIONS = [
    "sum",
    "prod",
    "mean",
    "std",
    "var",
    "min",
    "max",
    "any",
    "all",
    "argmin",
    "argmax",
    "cumsum",
    "cumprod",
    "ptp",
    "count_nonzero",
]
NAN_REDUCTIONS = [
    "nansum",
    "nanprod",
    "nanmean",
    "nanstd",
    "nanvar",
    "nanmin",
    "nanmax",
    "nanargmin",
    "nanargmax",
    "nancumsum",
    "nancumprod",
]
DTYPES = ["bool", "int8", "uint16", "int64", "float32", "float64", "complex128"]


def argument_sets(function: Any, depth: int = 2) -> list[dict[str, Any]]:
    names = [name for name in inspect.signature(function).parameters if name in VALUES]
    found: list[dict[str, Any]] = [{}]
    for count in range(1, depth + 1):
        for several in itertools.combinations(names, count):
            values = itertools.product(*(VALUES[name] for name in several))
            found += [dict(zip(several, chosen, strict=True)) for chosen in values]
    return found


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", REDUCTIONS + NAN_REDUCTIONS)
def test_reductions_take_every_argument(name, dtype):
    if dtype == "complex128" and name in ("nanstd", "nanvar"):
        pytest.skip("NumPy's own are compared without masks")
    x = sample(dtype, MATRIX, seed=1)
    if name.startswith("nan") and x.dtype.kind in "fc":
        x[0, 1] = np.nan
    for arguments in argument_sets(getattr(np, name)):
        check(name, [x], arguments)


UFUNCS = [name for name in dir(ra) if isinstance(getattr(ra, name), ra.ufunc)]
UFUNC_OPTIONS: list[dict[str, Any]] = [
    *({"dtype": kind} for kind in ["f8", "f4", "i8", "i2", "c16", "bool"]),
    *({"casting": rule} for rule in ["no", "equiv", "safe", "same_kind", "unsafe", "nonsense"]),
    *({"casting": rule, "dtype": "f4"} for rule in ["no", "safe", "unsafe"]),
    *({"order": order} for order in ["C", "F", "A", "K", None, "Z"]),
    *({"subok": value} for value in [True, False]),
    *({"signature": value} for value in ["d", "dd->d", "d->d", (None, None, "f8"), "nonsense"]),
    {"where": MASK},
    {"where": False},
    {"nonsense": 1},
]


@pytest.mark.parametrize("dtype", ["bool", "int16", "int64", "float32", "complex128"])
@pytest.mark.parametrize("name", UFUNCS)
def test_ufuncs_take_every_option(name, dtype):
    function = getattr(np, name)
    arrays = [sample(dtype, MATRIX, seed) for seed in range(function.nin)]
    if dtype in ("int16", "int64") and ("shift" in name or name in ("power", "ldexp")):
        arrays[1] = np.abs(arrays[1]) % 5
    if name == "reciprocal":
        arrays[0] = np.where(arrays[0] == 0, arrays[0].dtype.type(1), arrays[0])  # NumPy's 1 // 0 is the machine's
    for options in UFUNC_OPTIONS:
        if "where" in options:
            with pytest.raises(NotImplementedError):
                getattr(ra, name)(*map(ra.from_array, arrays), **options)
            continue
        check(name, arrays, options)


@pytest.mark.parametrize("where", [True, False, MASK, MASK[0]])
@pytest.mark.parametrize("kind", ["f8", "f4", "i8", "i2", "c16"])
@pytest.mark.parametrize("name", ["add", "divide", "sqrt", "equal", "negative", "maximum", "clip"])
def test_results_go_where_out_says(name, kind, where):
    number = {"clip": 3}.get(name) or getattr(np, name).nin
    arrays = [np.arange(12.0).reshape(MATRIX) * seed for seed in range(1, number + 1)]
    expected_out = np.full(MATRIX, 7, kind)
    own_out = ra.from_array(expected_out.copy(), chunks=2)
    numpy_out = expected_out.copy()
    expected = outcome(getattr(np, name), arrays, {"out": expected_out, "where": where})
    for out in (own_out, numpy_out):
        found = outcome(getattr(ra, name), [ra.from_array(x, chunks=2) for x in arrays], {"out": out, "where": where})
        assert same(found, expected), (found, expected)
        if not isinstance(expected, Exception):
            assert same(computed(out), expected_out)


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "logical_and", "logical_or", "subtract"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "float32", "float64"])
def test_ufuncs_reduce_and_accumulate_as_numpy(name, dtype):
    x = sample(dtype, MATRIX)
    for arguments in [{}, *({"axis": axis} for axis in (0, 1, -1, 2)), {"keepdims": True}, {"dtype": "f8"}]:
        call = lambda module, array, method, given: getattr(getattr(module, name), method)(array, **given)
        for method in ("reduce", "accumulate"):
            given = {key: value for key, value in arguments.items() if key != "keepdims" or method == "reduce"}
            found = outcome(call, [ra, ra.from_array(x, chunks=2), method, given], {})
            expected = outcome(call, [np, x, method, given], {})
            assert found is REFUSED or same(found, expected, dtype == "float32"), (name, method, given, found, expected)


VECTOR = np.arange(7)
GRID = np.arange(12.0).reshape(MATRIX)
#: Calls as NumPy's: the function, its arrays, and its other arguments.
CALLS: list[tuple[str, list[Any], list[dict[str, Any]]]] = [
    (
        "take",
        [GRID],
        [
            {"indices": i, "axis": a}
            for i in ([0, 2], 1, [[0], [1]], [-1], [True, False], [9], [0.5], [])
            for a in (None, 0, 1, -1, 2)
        ],
    ),
    ("take", [GRID], [{"indices": [0], "mode": mode} for mode in ("raise", "clip", "wrap", "nonsense")]),
    (
        "insert",
        [GRID],
        [
            {"obj": o, "values": v, "axis": a}
            for o in (0, 1, -1, [1], [0, 2], [1, 1], slice(0, 3, 2), 9, [9], np.array([True, False, True]), 0.5, [])
            for v in (5, 2.7, [1, 2, 3], [[1], [2], [3]], [1, 2, 3, 4])
            for a in (None, 0, 1, -1, 2)
        ],
    ),
    (
        "delete",
        [GRID],
        [{"obj": o, "axis": a} for o in (0, -1, [0, 2], slice(0, 2), 9, [True, False, True]) for a in (None, 0, 1, 2)],
    ),
    (
        "append",
        [GRID],
        [{"values": v, "axis": a} for v in (1, [1, 2], np.ones((1, 4)), np.ones((3, 1))) for a in (None, 0, 1, 2)],
    ),
    (
        "repeat",
        [GRID],
        [
            {"repeats": r, "axis": a}
            for r in (0, 2, [2], [1, 0, 2], [1, 2, 0, 1], -1, 1.5, np.arange(12))
            for a in (None, 0, 1, 2)
        ],
    ),
    (
        "roll",
        [GRID],
        [{"shift": s, "axis": a} for s in (0, 1, -2, 30, (1, 2), (1, 2, 3)) for a in (None, 0, 1, (0, 1), (0, 0), 2)],
    ),
    ("tile", [GRID], [{"reps": r} for r in (0, 1, 2, (2, 1), (2, 1, 3), (1, 2), -1)]),
    ("flip", [GRID], [{"axis": a} for a in (None, 0, 1, -1, (0, 1), 2)]),
    (
        "rot90",
        [GRID],
        [{"k": k, "axes": a} for k in (-1, 0, 1, 2, 3, 5) for a in ((0, 1), (1, 0), (0, 0), (0, 2), (0,))],
    ),
    ("rollaxis", [np.ones((2, 3, 4))], [{"axis": a, "start": s} for a in (-1, 0, 1, 2, 3) for s in (-1, 0, 1, 3, 4)]),
    (
        "moveaxis",
        [np.ones((2, 3, 4))],
        [{"source": a, "destination": s} for a in (-1, 0, (0, 1), 3) for s in (-1, 0, (1, 2), 4)],
    ),
    ("swapaxes", [GRID], [{"axis1": a, "axis2": b} for a in (0, -1, 2) for b in (0, 1)]),
    ("transpose", [GRID], [{"axes": a} for a in (None, (0, 1), (1, 0), (0, 0), (0,), (-1, 0))]),
    ("squeeze", [np.ones((1, 3, 1))], [{"axis": a} for a in (None, 0, 2, (0, 2), 1, -1, 3)]),
    ("expand_dims", [GRID], [{"axis": a} for a in (0, 1, 2, -1, (0, 1), (0, 3), 4, (0, 0))]),
    (
        "reshape",
        [GRID],
        [{"shape": s, "order": o} for s in (-1, (4, 3), (2, -1), (5, 5)) for o in ("C", "F", "A", "K", "Z")],
    ),
    ("ravel", [GRID], [{"order": o} for o in ("C", "F", "A", "K", "Z")]),
    ("broadcast_to", [np.arange(3)], [{"shape": s} for s in (3, (2, 3), (3, 2), (1, 1, 3), ())]),
    (
        "pad",
        [VECTOR],
        [
            {"pad_width": w, "mode": m}
            for w in (0, 2, (1, 2), ((2, 0),), -1, 1.5, {0: 2})
            for m in (
                "constant",
                "edge",
                "linear_ramp",
                "maximum",
                "mean",
                "median",
                "minimum",
                "reflect",
                "symmetric",
                "wrap",
                "nonsense",
            )
        ],
    ),
    (
        "pad",
        [GRID],
        [
            {"pad_width": ((1, 2), (3, 0)), "mode": m, **o}
            for m, o in (
                ("constant", {"constant_values": 3}),
                ("constant", {"constant_values": ((1, 2), (3, 4))}),
                ("linear_ramp", {"end_values": 5}),
                ("linear_ramp", {"end_values": (1, -2)}),
                ("mean", {"stat_length": 2}),
                ("maximum", {"stat_length": ((1, 2), (3, 1))}),
                ("minimum", {"stat_length": 99}),
                ("mean", {"stat_length": 0}),
                ("reflect", {"reflect_type": "even"}),
                ("reflect", {"reflect_type": "odd"}),
                ("edge", {"constant_values": 1}),
            )
        ],
    ),
    ("clip", [GRID], [{"a_min": a, "a_max": b} for a in (None, 2, 2.5, np.arange(4)) for b in (None, 8, 1)]),
    (
        "clip",
        [VECTOR],
        [
            {"min": 2},
            {"max": 3},
            {"min": 1, "max": 4},
            {"a_min": 1},
            {"a_min": 1, "a_max": 2, "min": 3},
            {},
            {"min": 1, "dtype": "f8"},
            {"min": 1.5, "casting": "no"},
        ],
    ),
    ("round", [GRID / 7], [{"decimals": d} for d in (0, 1, 3, -1)]),
    (
        "nan_to_num",
        [np.array([1, np.nan, np.inf, -np.inf])],
        [{}, {"copy": False}, {"nan": 3}, {"posinf": 1, "neginf": 2}, {"nan": [1, 2, 3, 4]}],
    ),
    ("isclose", [GRID, GRID + 1e-6], [{"rtol": r, "atol": a} for r in (0, 1e-5) for a in (0, 1e-5)]),
    ("isposinf", [GRID.astype(complex)], [{}]),
    ("isneginf", [np.array([1, -np.inf])], [{}]),
    ("fix", [GRID / 3 - 2], [{}]),
    ("angle", [GRID + 1j], [{}, {"deg": True}]),
]


@pytest.mark.parametrize("number", range(len(CALLS)), ids=lambda number: f"{CALLS[number][0]}-{number}")
def test_functions_take_every_argument(number):
    name, arrays, several = CALLS[number]
    for arguments in several:
        check(name, arrays, arguments)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"dtype": "f4"},
        {"dtype": "i2"},
        {"dtype": "i2", "casting": "unsafe"},
        {"casting": "no"},
        {"casting": "nonsense"},
        {"axis": 1},
        {"axis": None},
        {"axis": 5},
        {"axis": 0, "dtype": "f8"},
    ],
)
@pytest.mark.parametrize("name", ["concatenate", "stack", "vstack", "hstack", "dstack"])
def test_joining_takes_every_argument(name, options):
    for arrays in ([GRID, GRID * 2], [GRID, GRID.astype("f4")], [VECTOR, VECTOR], []):
        found = outcome(getattr(ra, name), [[ra.from_array(x, chunks=2) for x in arrays]], options)
        expected = outcome(getattr(np, name), [arrays], options)
        assert found is REFUSED or same(found, expected), (name, options, found, expected)


def test_joined_arrays_go_where_out_says():
    out = ra.zeros((6, 4))
    assert ra.concatenate([GRID, GRID], out=out) is out
    assert same(out.compute(), np.concatenate([GRID, GRID]))
    with pytest.raises(TypeError):
        ra.concatenate([GRID, GRID], out=out, dtype="f8")
    with pytest.raises(TypeError):
        ra.stack([GRID, GRID], out=ra.zeros((2, 3, 4), dtype="i8"))
