"""Numbers far out: bounds of slices beyond 64 bits, integers that are wrapped, magnitudes near the ends, many axes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import raskt.array as ra

BOUNDS = [None, 0, 2, -2, 2**63 - 1, 2**63, 2**64, 10**30, -(2**63), -(2**63) - 1, -(10**30)]


@pytest.mark.parametrize("step", [None, 1, -1, 2, 2**63, -(2**63), 10**30, -(10**30)])
def test_bounds_of_slices_are_of_any_size(step: int | None) -> None:
    x = np.arange(5)
    for start, stop in itertools.product(BOUNDS, BOUNDS):
        part = slice(start, stop, step)
        lazy = ra.from_array(x, chunks=2)
        np.testing.assert_array_equal(lazy[part].compute(), x[part], err_msg=str(part))
        lazy[part], expected = 9, x.copy()
        expected[part] = 9
        np.testing.assert_array_equal(lazy.compute(), expected, err_msg=str(part))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint64", "int64", "float32", "complex64"])
@pytest.mark.parametrize("number", [300, -1, 2**31, 2**63, -(2**63), 1, True, 2.5, 1e300])
def test_where_wraps_integers_as_numpy_does(dtype: str, number: Any) -> None:
    x = np.array([1, 0, 3]).astype(dtype)
    lazy = ra.from_array(x, chunks=2)
    for one, other, mine, theirs in ((x, number, lazy, number), (number, x, number, lazy)):
        with np.errstate(all="ignore"):
            expected = np.where(x > 0, one, other)
        found = ra.where(lazy > 0, mine, theirs)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.compute(), expected)


@pytest.mark.parametrize("number", [2**63, -1, 300])
def test_where_wraps_two_integers(number: int) -> None:
    expected = np.where([True, False], number, 1)
    found = ra.where(ra.from_array(np.array([True, False])), number, 1)
    assert found.dtype == expected.dtype and found.compute().tolist() == expected.tolist()


@pytest.mark.parametrize("values", [3.0, [], [1.0, 3.0], [[1, 2], [3, 4]], [np.nan, 1], [True, False]], ids=str)
@pytest.mark.parametrize("value", [3, 9, 1.0, np.nan, True, "a", None, np.int8(3), [1, 2]], ids=str)
def test_what_is_in_an_array(values: Any, value: Any) -> None:
    x = np.array(values)
    try:
        expected = value in x
    except ValueError as error:
        with pytest.raises(type(error)):
            assert value in ra.from_array(x, chunks=1)
    else:
        assert (value in ra.from_array(x, chunks=1)) is expected


@pytest.mark.parametrize("number", [65, 100, 256, 300, 512])
def test_more_axes_than_numpy_has_are_refused(number: int) -> None:
    x = ra.ones(1)
    calls = [
        lambda: ra.ones((1,) * number),
        lambda: ra.random.default_rng(0).random((1,) * number),
        lambda: x.reshape((1,) * number),
        lambda: x[(None,) * number],
        lambda: ra.expand_dims(x, tuple(range(number - 1))),
        lambda: ra.broadcast_to(x, (1,) * number),
        lambda: x.map_blocks(lambda block: block, dtype=float, new_axis=list(range(number - 1))),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="64 axes"):
            call()
    assert ra.ones((1,) * 64).sum().compute() == 1


@pytest.mark.parametrize("chunks", [1, 2, (2, 1), (1, 2), (4, 3)], ids=str)
@pytest.mark.parametrize("axis", [0, 1, (0, 1), None])
def test_variances_of_the_greatest_numbers(chunks: Any, axis: Any) -> None:
    big = 1e308
    lines = [[big, -big, 1], [-big, big, 2], [big, big, 3], [-big, -big, 4], [big, big, -big], [np.inf, 1, 2]]
    for rows in (lines[:4], lines[2:5], lines[2:3] * 3, lines[-2:], lines):
        x = np.array(rows)
        for name in ("var", "std", "nanvar"):
            with np.errstate(all="ignore"):
                expected = getattr(np, name)(x, axis=axis)
            np.testing.assert_allclose(getattr(ra, name)(ra.from_array(x, chunks=chunks), axis=axis), expected)


@pytest.mark.parametrize("name", ["cumprod", "cumsum"])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_running_complex_numbers_are_the_same_for_all_chunks(name: str, dtype: str) -> None:
    generator = np.random.default_rng(0)
    parts = np.array([0.0, -0.0, 1, -2, np.inf, -np.inf, np.nan, 1e30, 1e-30, 0.5])
    for _ in range(100):
        x = np.array([complex(*generator.choice(parts, 2)) for _ in range(8)])
        plain = generator.random(8) < 0.7
        x[plain] = generator.choice([1, 2, -1, 0.5], plain.sum()) + 1j * generator.choice([0, 1, -1], plain.sum())
        with np.errstate(all="ignore"):
            x = x.astype(dtype)
            expected = getattr(np, name)(x)
        for chunks in (1, 3, 8):
            found = getattr(ra, name)(ra.from_array(x, chunks=chunks)).compute()
            for one, other in ((found.real, expected.real), (found.imag, expected.imag)):
                np.testing.assert_allclose(one, other, rtol=1e-4 if dtype == "complex64" else 1e-9)
