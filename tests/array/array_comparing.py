"""What the tests of arrays share: equality with NumPy, and arrays to try."""

from __future__ import annotations

from typing import Any

import numpy as np

import raskt.array as ra

DTYPES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


def check(actual: Any, expected: Any, rtol: float | None = None) -> None:
    """The array computes to what NumPy has: data type, shape, elements, and what it said of itself before."""
    assert isinstance(actual, ra.Array), f"{type(actual)} is not lazy"
    expected = np.asarray(expected)
    result = actual.compute()
    found = np.asarray(result)
    assert actual.dtype == expected.dtype == found.dtype, (actual.dtype, expected.dtype, found.dtype)
    assert found.shape == expected.shape
    assert len(actual.shape) == found.ndim
    assert all(said != said or said == length for said, length in zip(actual.shape, found.shape, strict=True))
    assert isinstance(result, np.ndarray) == (expected.ndim > 0), type(result)
    if rtol is None:
        rtol = 1e-5 if expected.dtype in (np.float32, np.complex64) else 1e-12
    if expected.dtype.kind in "fc":
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol)
    else:
        np.testing.assert_array_equal(found, expected)


def sample(dtype: Any, shape: Any, seed: int = 0) -> np.ndarray:
    """Elements of any data type that are neither all small nor all positive."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype == bool:
        return rng.random(shape) < 0.5
    if dtype.kind == "u":
        return rng.integers(0, 100, shape).astype(dtype)
    if dtype.kind == "i":
        return rng.integers(-50, 50, shape).astype(dtype)
    if dtype.kind == "c":
        return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
    return rng.normal(size=shape).astype(dtype)
