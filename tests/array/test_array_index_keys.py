"""Every kind of key, read and written, against NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import raskt.array as ra
from array_comparing import check

SHAPE = (5, 4, 3)
X = np.arange(60).reshape(SHAPE)
CHUNKS = [(2, 3, 2), (5, 4, 3), (1, 1, 1), ((2, 0, 3), (4,), (0, 3))]

#: What may stand at each place of a key; arrays broadcast together.
PARTS = {
    "all": slice(None),
    "some": slice(1, 4),
    "back": slice(None, None, -2),
    "none": slice(2, 2),
    "int": 1,
    "last": np.int64(-1),
    "list": [2, 0],
    "row": np.array([[1, -1]]),
    "column": np.array([[0], [2], [1]]),
    "new": None,
    "dots": ...,
    "true": True,
}


def keys():
    for length in (1, 2, 3):
        for names in itertools.product(PARTS, repeat=length):
            if names.count("dots") <= 1 and names.count("true") <= 1 and names.count("new") <= 1:
                yield names


KEYS = list(keys())


def outcome(function):
    try:
        return function(), None
    except (IndexError, ValueError) as error:
        return None, type(error)


@pytest.mark.parametrize("part", range(12))
def test_reading(part):
    for number, names in enumerate(KEYS[part::12]):
        key = tuple(PARTS[name] for name in names)
        expected, error = outcome(lambda key=key: X[key])
        x = ra.from_array(X, chunks=CHUNKS[number % len(CHUNKS)])
        if error is not None:
            with pytest.raises(error):
                x[key]
            continue
        found = x[key]
        assert found.shape == expected.shape, names
        np.testing.assert_array_equal(found.compute(), expected, err_msg=str(names))


def values_for(shape, rng):
    """Values that broadcast to a shape in several ways, and some that don't."""
    yield 7
    yield rng.integers(100, 200, shape)
    yield rng.integers(100, 200, (1, *shape))
    if shape:
        yield rng.integers(100, 200, shape[1:])
        yield rng.integers(100, 200, (1, *shape[1:])).astype(float) + 0.75
        yield rng.integers(100, 200, (shape[0] + 2, *shape[1:]))


@pytest.mark.parametrize("part", range(16))
def test_writing(part):
    rng = np.random.default_rng(part)
    for number, names in enumerate(KEYS[part::64]):
        key = tuple(PARTS[name] for name in names)
        picked, error = outcome(lambda key=key: X[key])
        if error is not None:
            with pytest.raises(error):
                ra.from_array(X)[key] = 1
            continue
        for at, value in enumerate(values_for(picked.shape, rng)):
            expected = X.copy()
            x = ra.from_array(X, chunks=CHUNKS[(number + at) % len(CHUNKS)])
            chunks = x.chunks
            try:
                expected[key] = value
            except ValueError:
                with pytest.raises(ValueError):
                    x[key] = value
                    x.compute()
                continue
            x[key] = ra.from_array(value, chunks=1) if at == 1 and np.ndim(value) else value
            assert x.chunks == chunks
            # Of places that come twice NumPy leaves one or the other value; only the last one is ours.
            if np.ndim(value) == 0 or not has_repeats(key):
                check(x, expected)


def has_repeats(key):
    marks = np.zeros(SHAPE, int)
    np.add.at(marks, key, 1)
    return marks.max() > 1


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (([0, 1], [0, 1]), 5),
        (([0, 1], [0, 1]), [[1, 2, 3], [4, 5, 6]]),
        (([True, False, True, False, False], [True, True, False, False]), 5),
        ((0, slice(None), [1, 2]), [[1], [2], [3], [4]][:2]),
        (([0, 0], 1), [[1, 1, 1], [2, 2, 2]]),
        (X > 30, 0),
        (X > 30, np.arange(29)),
        (X[..., 0] > 30, [1, 2, 3]),
        (X[..., 0] > 30, np.arange(10)[:, None]),
        ((slice(None), X[0] > 5), -1),
        ((X[:, 0, 0] > 20, slice(None), 2), 9),
        (np.zeros(SHAPE, bool), 9),
        ([], 5),
    ],
    ids=str,
)
@pytest.mark.parametrize("chunks", CHUNKS, ids=str)
def test_masks_and_points(key, value, chunks):
    expected = X.copy()
    try:
        expected[key] = value
    except ValueError:
        with pytest.raises(ValueError):
            x = ra.from_array(X, chunks=chunks)
            x[key] = value
        return
    x = ra.from_array(X, chunks=chunks)
    check(x[key], X[key])
    x[key] = value
    check(x, expected)


def lazy(key, chunks):
    parts = key if isinstance(key, tuple) else (key,)
    return tuple(ra.from_array(part, chunks=chunks) if isinstance(part, np.ndarray) else part for part in parts)


LAZY = [
    np.array([3, 0, -1]),
    np.array([[3, 0], [1, -2]]),
    (slice(None), np.array([3, 0])),
    (np.array([3, 0]), slice(1, 3), np.array([0, 2])),
    (0, slice(None), np.array([1, 2])),
    (np.array([[1], [2]]), np.array([0, 3])),
    (None, np.array([4, 4]), 1),
    np.array(2),
]


@pytest.mark.parametrize("key", LAZY, ids=str)
@pytest.mark.parametrize("chunks", CHUNKS, ids=str)
def test_lazy_positions(key, chunks):
    x = ra.from_array(X, chunks=chunks)
    check(x[lazy(key, 1)], X[key])
    expected = X.copy()
    expected[key] = 77
    x[lazy(key, 1)] = 77
    check(x, expected)


def test_lazy_positions_out_of_bounds_fail_when_they_are_computed():
    with pytest.raises(IndexError):
        ra.from_array(X)[ra.from_array(np.array([9]))].compute()


@pytest.mark.parametrize("chunks", CHUNKS, ids=str)
def test_lazy_masks(chunks):
    x = ra.from_array(X, chunks=chunks)
    for mask, part in [(X > 30, x > 30), (X[..., 0] > 30, x[..., 0] > 30), (X[:, 0, 0] > 20, x[:, 0, 0] > 20)]:
        check(x[part], X[mask])
        y, expected = ra.from_array(X, chunks=chunks), X.copy()
        y[part] = 5
        expected[mask] = 5
        check(y, expected)
    check(x[0, x[0] > 5], X[0, X[0] > 5])
    check(x[:, x[0] > 5], X[:, X[0] > 5])
    check(x[1, :, x[0, 0] > 1], X[1, :, X[0, 0] > 1])


@pytest.mark.parametrize("chunks", CHUNKS, ids=str)
def test_values_one_by_one_where_a_lazy_mask_is_true(chunks):
    expected = X.copy()
    expected[X % 3 == 0] = np.arange(20) * 10
    x = ra.from_array(X, chunks=chunks)
    x[x % 3 == 0] = ra.arange(20, chunks=7) * 10
    check(x, expected)
    y = ra.from_array(X, chunks=chunks)
    y[y % 3 == 0] = [1, 2, 3]
    with pytest.raises(ValueError, match="20 output values"):
        y.compute()


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float32", "complex64"])
@pytest.mark.parametrize(
    "value", [1, True, 2.75, 300, -1, np.nan, 1j, np.float64(2.5), [1, 0, 1], np.array([2.5, 0, 1])]
)
def test_assigned_values_are_converted_as_numpy_converts_them(dtype, value):
    expected = np.zeros(3, dtype)
    x = ra.zeros(3, dtype=dtype, chunks=2)
    try:
        expected[:] = value
    except Exception as error:
        with pytest.raises(type(error)):
            x[:] = value
        return
    x[:] = value
    check(x, expected)


def test_vindex_by_numbers_alone_picks_one_point():
    x = ra.from_array(X, chunks=2)
    for key in [(0,), (0, 1), (0, -1, 2), (slice(1, None), 1), (0, slice(None, 1)), (slice(None),)]:
        check(x.vindex[key], X[key])


def test_vindex_puts_points_first():
    x = ra.from_array(X, chunks=(2, 3, 2))
    check(x.vindex[[0, 2], :, [1, 2]], X[[0, 2], :, [1, 2]])
    check(x.vindex[:, [0, 2], [1, 2]], X.transpose(1, 2, 0)[[0, 2], [1, 2]])
    check(x.vindex[ra.from_array(np.array([0, 2])), [1, 3]], X[[0, 2], [1, 3]])


def test_unknown_lengths_stay_where_nothing_needs_them():
    x = ra.from_array(X, chunks=(2, 3, 2))
    part = x[x[:, 0, 0] > 20]
    expected = X[X[:, 0, 0] > 20]
    check(part.rechunk({1: -1}), expected)
    check(ra.zeros_like(part), np.zeros_like(expected))
    check(ra.full_like(part, 2.5, dtype=float), np.full_like(expected, 2.5, dtype=float))
    check(ra.ones_like(part, dtype="int8"), np.ones_like(expected, dtype="int8"))
    assert np.isnan(part.chunks[0]).tolist() == [True] * 3
    part[part > 40] = 0
    check(part, np.where(expected > 40, 0, expected))
