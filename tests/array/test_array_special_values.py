"""Zeros, infinities, NaN, the huge and the tiny, through every elementwise function."""

from __future__ import annotations

import itertools
import platform
import warnings

import numpy as np
import pytest

import raskt.array as ra
from array_comparing import check

PARTS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.0,
    np.inf,
    -np.inf,
    np.nan,
    400.0,
    -1000.0,
    1e300,
    -1e300,
    1e-300,
    1e-10,
    3e7,
    5e-324,
]
COMPLEX = np.array([complex(a, b) for a, b in itertools.product(PARTS, repeat=2)])
UNARY = [
    "absolute", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "conjugate", "cos", "cosh", "exp",
    "exp2", "expm1", "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "logical_not", "negative",
    "positive", "reciprocal", "rint", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh", "angle", "real", "imag",
]  # fmt: skip
REAL = [
    "cbrt",
    "ceil",
    "floor",
    "trunc",
    "fabs",
    "signbit",
    "spacing",
    "deg2rad",
    "rad2deg",
    "sinc",
    "i0",
    "nan_to_num",
]
BINARY = [
    "add", "subtract", "multiply", "divide", "power", "float_power", "maximum", "minimum", "fmax", "fmin", "equal",
    "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or", "logical_xor",
]  # fmt: skip
REAL_BINARY = [
    "floor_divide", "remainder", "fmod", "arctan2", "hypot", "copysign", "nextafter", "logaddexp", "logaddexp2",
    "heaviside",
]  # fmt: skip


def same(found, expected, ulps=4, zeros=True):
    """Where two arrays agree: NaN with NaN, infinities and zeros by sign, numbers within some units."""
    if expected.dtype.kind == "c":
        return same(found.real, expected.real, ulps, zeros) & same(found.imag, expected.imag, ulps, zeros)
    if expected.dtype.kind != "f":
        return found == expected
    near = np.abs(found - expected) <= ulps * np.spacing(np.abs(expected))
    agree = (found == expected) | near | (np.isnan(found) & np.isnan(expected))
    signs = np.signbit(found) == np.signbit(expected)
    return agree & (signs | np.isnan(expected) | (expected != 0)) if zeros else agree


def report(name, values, found, expected, agree):
    wrong = [(str([v[at] for v in values]), found[at], expected[at]) for at in np.flatnonzero(~agree)[:6]]
    return f"{name}: {int((~agree).sum())} of {agree.size} differ: {wrong}"


@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
@pytest.mark.parametrize("name", UNARY)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_complex(name, dtype):
    values = COMPLEX.astype(dtype)
    expected = getattr(np, name)(values)
    found = getattr(ra, name)(ra.from_array(values, chunks=100)).compute()
    assert found.dtype == expected.dtype
    agree = same(found, expected)
    assert agree.all(), report(name, [values], found, expected, agree)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", [name for name in UNARY if name != "conjugate"] + REAL)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_real(name, dtype):
    values = np.array(PARTS + [2.0**k * s for k in range(-1074, 1024, 37) for s in (1, -1.3)]).astype(dtype)
    expected = getattr(np, name)(values)
    found = getattr(ra, name)(ra.from_array(values, chunks=50)).compute()
    assert found.dtype == expected.dtype
    agree = same(found, expected)
    assert agree.all(), report(name, [values], found, expected, agree)


@pytest.mark.parametrize("dtype", ["complex128", "complex64", "float64", "float32"])
@pytest.mark.parametrize("name", BINARY + REAL_BINARY)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_pairs(name, dtype):
    if np.dtype(dtype).kind == "c" and name in REAL_BINARY:
        pytest.skip("NumPy has it for real numbers")
    values = (COMPLEX[::5] if np.dtype(dtype).kind == "c" else np.array(PARTS)).astype(dtype)
    x, y = np.repeat(values, len(values)), np.tile(values, len(values))
    expected = getattr(np, name)(x, y)
    found = getattr(ra, name)(ra.from_array(x, chunks=500), ra.from_array(y, chunks=500)).compute()
    assert found.dtype == expected.dtype
    if name in ("maximum", "minimum", "fmax", "fmin"):
        agree = same(found, expected, zeros=False)  # Of two zeros, NumPy's own choice depends on its loop.
    else:
        agree = same(found, expected)
    assert agree.all(), report(name, [x, y], found, expected, agree)


@pytest.mark.parametrize("exponent", [0.5, -1, -1.0, 2, 2.0, 1, 0, 3, -0.5, 1.5])
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "complex64"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_powers_by_a_number(exponent, dtype):
    values = (COMPLEX if np.dtype(dtype).kind == "c" else np.array(PARTS)).astype(dtype)
    x = ra.from_array(values, chunks=50)
    for name, found, expected in [
        ("**", (x**exponent).compute(), values**exponent),
        ("power", ra.power(x, exponent).compute(), np.power(values, exponent)),
    ]:
        agree = same(found, expected)
        assert agree.all(), report(f"{name} {exponent}", [values], found, expected, agree)


INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def edges(dtype):
    limits = np.iinfo(dtype)
    values = {
        limits.min,
        limits.min + 1,
        limits.max,
        limits.max - 1,
        0,
        1,
        2,
        3,
        7,
        8,
        31,
        32,
        63,
        64,
        65,
        limits.max // 2,
    }
    values |= {-value for value in values if limits.min <= -value}
    return np.array(sorted(value for value in values if limits.min <= value <= limits.max), dtype)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize(
    "name", ["absolute", "negative", "positive", "invert", "sign", "square", "reciprocal", "sqrt", "rint", "conjugate"]
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_integer_edges(name, dtype):
    values = edges(dtype)
    expected = getattr(np, name)(values)
    found = getattr(ra, name)(ra.from_array(values, chunks=3)).compute()
    if expected.dtype == np.float16:  # Where NumPy computes in half precision, single precision is used.
        expected = getattr(np, name)(values.astype(np.float32))
    assert found.dtype == expected.dtype
    keep = values != 0 if name == "reciprocal" else np.ones(len(values), bool)
    assert same(found, expected)[keep].all(), (found, expected)


@pytest.mark.parametrize(("left", "right"), list(itertools.product(INTEGERS, repeat=2)))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_pairs_of_integers(left, right):
    x, y = edges(left), edges(right)
    x, y = np.repeat(x, len(y)), np.tile(y, len(x))
    for name in [
        "add", "subtract", "multiply", "floor_divide", "remainder", "fmod", "left_shift", "right_shift", "bitwise_and",
        "maximum", "minimum", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "divide", "power",
    ]:  # fmt: skip
        function = getattr(np, name)
        try:
            expected = function(x, y)
        except TypeError:
            with pytest.raises(TypeError):
                getattr(ra, name)(ra.from_array(x), ra.from_array(y))
            continue
        except ValueError:
            assert name == "power"
            with pytest.raises(ValueError):
                ra.power(ra.from_array(x), ra.from_array(y)).compute()
            keep = y >= 0
            expected = np.zeros(len(x), np.result_type(x, y))
            expected[keep] = function(x[keep], y[keep])
            found = ra.power(ra.from_array(x[keep]), ra.from_array(y[keep])).compute()
            assert (found == expected[keep]).all()
            continue
        found = getattr(ra, name)(ra.from_array(x, chunks=20), ra.from_array(y, chunks=20)).compute()
        assert found.dtype == expected.dtype, name
        agree = same(found, expected)
        assert agree.all(), report(name, [x, y], found, expected, agree)


@pytest.mark.parametrize("name", sorted({*UNARY, *REAL}))
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_chunking_changes_a_bit(name, dtype):
    rng = np.random.default_rng(0)
    values = rng.normal(size=700) * 10.0 ** rng.integers(-9, 9, 700)
    values[::50] = PARTS[:14]
    values = values.astype(dtype) if dtype != "complex128" else values + 1j * values[::-1]
    if dtype == "complex128" and name in REAL:
        pytest.skip("NumPy has it for real numbers")
    function = getattr(ra, name)
    whole = function(ra.from_array(values, chunks=-1)).compute()
    for chunks in (1, 3, 8, 17, 64, 333):
        found = function(ra.from_array(values, chunks=chunks)).compute()
        assert found.tobytes() == whole.tobytes(), (name, chunks)


@pytest.mark.parametrize("name", BINARY + REAL_BINARY)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_chunking_changes_a_bit_of_pairs(name):
    rng = np.random.default_rng(1)
    x = (rng.normal(size=(20, 30)) * 10.0 ** rng.integers(-5, 5, (20, 30))).astype(float)
    y = rng.choice([2.0, 0.5, -1.0, 3.7, 0.0, 1e5], (20, 1))
    function = getattr(ra, name)
    whole = function(ra.from_array(x, chunks=-1), ra.from_array(y, chunks=-1)).compute()
    for chunks in (1, (3, 7), (20, 1), (1, 30)):
        found = function(ra.from_array(x, chunks=chunks), ra.from_array(y, chunks=-1)).compute()
        assert found.tobytes() == whole.tobytes(), (name, chunks)
        wide = function(ra.from_array(x, chunks=chunks), ra.from_array(np.broadcast_to(y, x.shape).copy(), chunks=4))
        assert wide.compute().tobytes() == whole.tobytes(), (name, chunks)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="NumPy leaves it to the processor")
@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint64"])
@pytest.mark.parametrize("source", ["float32", "float64", "complex128"])
def test_floats_that_an_integer_type_cannot_hold(source, dtype):
    x = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 300.7, -1.5, 70000.0, 5e9, 1e19, -129.0], source)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = x.astype(dtype)
    check(ra.from_array(x, chunks=3).astype(dtype), expected)
    check(ra.full(2, -1.5).astype(dtype), np.full(2, -1.5).astype(dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_replaced_elements_are_not_replaced_again(dtype):
    x = np.array([np.nan, np.inf, -np.inf, 1], dtype)
    line = np.array([4.0, 5, 6, 7])
    for numbers in (
        {"nan": np.inf, "posinf": 9, "neginf": 5},
        {"nan": -np.inf, "posinf": -np.inf, "neginf": 5},
        {"posinf": np.nan},
        {"nan": line},
        {"nan": line, "posinf": 2 * line, "neginf": -line},
    ):
        right = np.nan_to_num(x, **numbers)
        found = ra.nan_to_num(ra.from_array(x, chunks=2), **numbers).compute()
        np.testing.assert_array_equal(found, right)
        assert found.dtype == right.dtype
        written = x.copy()
        assert ra.nan_to_num(written, copy=False, **numbers) is written
        np.testing.assert_array_equal(written, right)


def test_numbers_in_place_of_others_fit_the_array():
    with pytest.raises(ValueError, match="shape"):
        ra.nan_to_num(ra.ones(2), nan=np.ones((3, 2)))
    with pytest.raises(ValueError, match="copy"):
        ra.nan_to_num([1.0], copy=False)
