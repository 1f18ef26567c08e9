"""Python's own numbers in every place that takes an array: they have no type until they meet one, as in NumPy."""

import numpy as np
import pytest

import raskt.array as ra

FIRST, BOTH = np.array([True, False]), np.array([True, True])
#: Calls of a module `m` with an array `x` of two elements and a number `s`.
CALLS = [
    "m.isclose(x, s)",
    "m.isclose(s, x)",
    "m.isclose(x, s, rtol=0, atol=0)",
    "m.isclose(s, x, rtol=0, atol=0)",
    "m.isclose(x, x, rtol=s)",
    "m.isclose(x, x, atol=s)",
    "m.allclose(x, s, rtol=0, atol=0)",
    "m.allclose(s, x, rtol=0, atol=0)",
    "m.concatenate([x, s], axis=None)",
    "m.concatenate([s, x], axis=None)",
    "m.concatenate([s, x, s], axis=None)",
    "m.append(x, s)",
    "m.append(s, x)",
    "m.stack([x[0], s])",
    "m.stack([s, x[0]])",
    "m.hstack([x, s])",
    "m.hstack([s, x])",
    "m.vstack([x[:1], s])",
    "m.dstack([x[:1], s])",
    "m.column_stack([x[:1], s])",
    "m.block([x, s])",
    "m.block([s, x])",
    "m.union1d(x, s)",
    "m.union1d(s, x)",
    "m.intersect1d(x, s)",
    "m.intersect1d(s, x)",
    "m.setdiff1d(x, s)",
    "m.setdiff1d(s, x)",
    "m.setxor1d(x, s)",
    "m.setxor1d(s, x)",
    "m.isin(x, s)",
    "m.isin(s, x)",
    "m.choose([0, 1], [x, s])",
    "m.choose([0, 1], [s, x])",
    "m.where(FIRST, x, s)",
    "m.where(FIRST, s, x)",
    "m.select([FIRST], [x], s)",
    "m.select([FIRST, BOTH], [s, x])",
    "m.select([FIRST, BOTH], [x, s])",
    "m.piecewise(x, [FIRST], [s, s])",
    "m.clip(x, s, None)",
    "m.clip(x, None, s)",
    "m.clip(x, s, s)",
    "m.clip(x, 0, s)",
    "m.clip(s, x, x)",
    "m.clip(x, s, x)",
    "m.nan_to_num(x, nan=s)",
    "m.nan_to_num(x, posinf=s)",
    "m.nan_to_num(x, neginf=s)",
    "m.full_like(x, s)",
    "m.insert(x, 1, s)",
    "m.pad(x, 1, constant_values=s)",
    "m.pad(x, 1, mode='linear_ramp', end_values=s)",
    "m.diff(x, prepend=s)",
    "m.diff(x, append=s)",
    "m.ediff1d(x, to_begin=s)",
    "m.ediff1d(x, to_end=s)",
    "m.interp(x, [0.0, 1.0], [0.0, 2.0], left=s)",
    "m.interp(s, x, x)",
    "m.gradient(x, s)",
    "m.searchsorted(x, s)",
    "m.digitize(x, [s])",
    "m.digitize(s, x)",
    "m.sum(x, initial=s)",
    "m.prod(x, initial=s)",
    "m.max(x, initial=s)",
    "m.min(x, initial=s)",
    "m.dot(x, s)",
    "m.dot(s, x)",
    "m.outer(x, s)",
    "m.outer(s, x)",
    "m.inner(x, s)",
    "m.vdot(x[:1], s)",
    "m.tensordot(x, s, axes=0)",
    "m.kron(x, s)",
    "m.einsum('i,->i', x, s)",
    "m.average(x, weights=[s, s])",
    "m.quantile(x, s)",
    "m.percentile(x, s)",
    "m.linspace(x[0], s, 3)",
    "m.logaddexp(x, s)",
    "m.heaviside(x, s)",
    "m.copysign(x, s)",
    "m.ldexp(x, s)",
    "m.float_power(x, s)",
    "m.fmod(s, x)",
    "m.gcd(x, s)",
    "m.divmod(x, s)[0]",
    "m.divmod(s, x)[1]",
    "m.hypot(s, x)",
    "m.left_shift(x, s)",
]
NUMBERS = [True, 3, 300, -1, 0.1, float("nan"), 2j, 1e300]
DTYPES = ["bool", "int8", "uint8", "int16", "int32", "int64", "uint64", "float32", "float64", "complex64", "complex128"]


def found(call, module, x, number):
    with np.errstate(all="ignore"):
        try:
            result = eval(call, {"m": module, "x": x, "s": number, "FIRST": FIRST, "BOTH": BOTH})
            return np.asarray(result)
        except Exception as error:
            return error


def check(call, dtype):
    x = np.array([1, 0.1 if np.dtype(dtype).kind in "fc" else 3]).astype(dtype)
    for number in NUMBERS:
        ours = found(call, ra, ra.from_array(x, chunks=1), number)
        if isinstance(ours, Exception):
            continue  # What is refused is no wrong answer.
        right = found(call, np, x, number)
        if isinstance(right, TypeError) and call.startswith("m.select"):
            continue  # NumPy refuses numbers beside unsigned choices, whether they fit or not.
        assert not isinstance(right, Exception), (number, right)
        # There are no blocks of float16.
        assert ours.dtype == (np.float32 if right.dtype == np.float16 else right.dtype), number
        np.testing.assert_array_equal(ours.astype(right.dtype), right, str(number))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS)
def test_numbers_have_the_type_that_numpy_lends_them(call):
    for dtype in DTYPES:
        check(call, dtype)


def test_a_number_beside_unsigned_choices_fits_them():
    x = ra.asarray(np.ones(2, np.uint8))
    with pytest.raises(TypeError, match="300"):
        ra.select([FIRST, BOTH], [x, 300])


@pytest.mark.parametrize("number", [10**30, -(10**30)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_closeness_takes_whole_numbers_of_any_size(number, dtype):
    x = np.array([1, number], dtype)
    np.testing.assert_array_equal(ra.isclose(ra.asarray(x), number), np.isclose(x, number))
    np.testing.assert_array_equal(ra.isclose(number, ra.asarray(x)), np.isclose(number, x))
