"""Results written to `out` of every type: NumPy's numbers, NumPy's errors, or a refusal."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

import raskt.array as ra

TYPES = ["bool", "int8", "int64", "uint8", "uint64", "float32", "float64", "complex64", "complex128"]
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
    "ptp",
    "argmin",
    "argmax",
    "median",
    "nansum",
    "nanmean",
    "nanvar",
    "nanmin",
    "nanmax",
    "nanargmax",
]
VALUES = {
    "b": [[True, False, True], [False, False, True]],
    "u": [[100, 3, 7], [250, 1, 0]],
    "i": [[-100, 3, 7], [50, -1, 0]],
    "f": [[-2.5, 0.0, 3.75], [0.5, -np.inf, 8.0]],
    "c": [[2.5 - 1.5j, 1j, 0], [3 + 4j, -1, 2]],
}


def values(dtype):
    return np.array(VALUES[np.dtype(dtype).kind], dtype)


def same(expected, found):
    """Equal, but for rounding in the smaller precision."""
    if expected.dtype.kind not in "fc":
        return np.array_equal(expected, found)
    return np.allclose(expected, found, rtol=1e-5, atol=1e-6, equal_nan=True)


def agree(numpy_call, lazy_call, shape, out_type):
    """The same call with an `out` of NumPy's, once of NumPy arrays and once of lazy ones, and with a lazy `out`."""
    expected, found = np.zeros(shape, out_type), np.zeros(shape, out_type)
    lazy = ra.zeros(shape, dtype=out_type)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            numpy_call(expected)
            error = None
        except (TypeError, ValueError) as caught:
            error = caught
        for out in (found, lazy):
            try:
                lazy_call(out)
            except NotImplementedError:
                continue
            except (TypeError, ValueError) as caught:
                assert error is not None, f"{caught!r}, not {expected}"
                continue
            assert error is None, f"{np.asarray(out)}, not {error!r}"
            assert same(expected, np.asarray(out)), f"{np.asarray(out)}, not {expected}"


@pytest.mark.parametrize(("name", "dtype"), list(itertools.product(REDUCTIONS, TYPES)))
def test_reductions_are_taken_in_the_type_that_numpy_takes_them_in(name, dtype):
    x = values(dtype)
    lazy = ra.from_array(x, chunks=(1, 2))
    for out_type, axis in itertools.product(TYPES, (None, 1)):
        agree(
            lambda out, axis=axis: getattr(np, name)(x, axis=axis, out=out),
            lambda out, axis=axis: getattr(np, name)(lazy, axis=axis, out=out),
            () if axis is None else (2,),
            out_type,
        )


CALLS = {
    "take": ((3,), lambda x, out: np.take(x, [0, -1, 1], out=out)),
    "take clipped": ((2, 2), lambda x, out: np.take(x, [0, 9], axis=1, mode="clip", out=out)),
    "compress": ((2, 2), lambda x, out: np.compress([True, False, True], x, axis=1, out=out)),
    "round": ((2, 3), lambda x, out: np.round(x, 1, out=out)),
    "dot": ((2, 2), lambda x, out: np.dot(x, x.T, out=out)),
    "cumsum": ((6,), lambda x, out: np.cumsum(x, out=out)),
    "clip": ((2, 3), lambda x, out: np.clip(x, 0, 5, out=out)),
}


@pytest.mark.parametrize(("name", "dtype"), list(itertools.product(CALLS, TYPES)))
def test_functions_write_to_out_by_numpys_rules(name, dtype):
    shape, call = CALLS[name]
    x = values(dtype)
    if name == "cumsum" and np.dtype(dtype).kind in "fc":
        x = np.where(np.isfinite(x), x, 1).astype(dtype)
    lazy = ra.from_array(x, chunks=(1, 2))
    for out_type in TYPES:
        agree(lambda out: call(x, out), lambda out: call(lazy, out), shape, out_type)


@pytest.mark.parametrize(("name", "dtype"), list(itertools.product(("logical_or", "logical_and"), TYPES)))
def test_truths_are_reduced_with_a_mask_and_an_initial_value(name, dtype):
    x = values(dtype)
    lazy = ra.from_array(x, chunks=(1, 2))
    for initial, mask in itertools.product((0, 2, False), (True, x != 0, np.array([False, True, False]))):
        expected = getattr(np, name).reduce(x, axis=1, initial=initial, where=mask)
        found = getattr(np, name).reduce(lazy, axis=1, initial=initial, where=mask)
        assert np.array_equal(expected, found.compute())


@pytest.mark.parametrize("name", ["remainder", "subtract", "fmax", "hypot", "add", "maximum"])
@pytest.mark.parametrize("axis", [0, -1, None, ()])
def test_a_single_number_is_reduced_along_the_axis_that_numpy_lends_it(name, axis):
    expected = getattr(np, name).reduce(np.array(2.5), axis=axis)
    assert getattr(np, name).reduce(ra.asarray(2.5), axis=axis).compute() == expected
