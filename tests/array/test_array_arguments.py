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
