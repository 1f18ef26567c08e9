"""Indexing against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import raskt.array as ra
from array_comparing import check

X = np.arange(10 * 7 * 3).reshape(10, 7, 3)


@pytest.fixture
def x():
    return ra.from_array(X, chunks=(4, 3, 2))


@pytest.mark.parametrize(
    "key",
    [
        3,
        -1,
        np.int64(2),
        slice(2, 8),
        slice(None, None, 3),
        slice(None, None, -1),
        slice(8, 2, -2),
        slice(5, 5),
        slice(8, 2),
        slice(-100, 100),
        ...,
        None,
        (),
        (2, 3),
        (2, 3, 1),
        (slice(1, 9, 2), -1, slice(None, None, -1)),
        (..., 1),
        (0, ..., 1),
        (None, 2, None, ..., None),
        (slice(None), None, slice(2, 4)),
        [1, 5, 3],
        [-1, -1, 0],
        [],
        np.array([3, 1, 9]),
        np.array([], int),
        (slice(None), [6, 0, 0]),
        (slice(None, None, 2), slice(None), [2, 0]),
        (1, [6, 0, 0]),
        (slice(None), np.array([True, False, True, False, True, False, True])),
        np.array([True, False] * 5),
        [True, False] * 5,
        np.array([[0, 1], [2, 3]]),
        (slice(1, 3), np.array([[0, 1], [2, 3]])),
        X % 3 == 0,
        X[..., 0] % 3 == 0,
    ],
    ids=str,
)
def test_keys_that_numpy_takes(x, key):
    check(x[key], X[key])


@pytest.mark.parametrize(
    "key", [10, -11, (0, 7), (0, 0, 0, 0), [10], [0, -11], "a", 1.5, (..., ...), np.zeros(3), [[1.5]]]
)
def test_keys_that_numpy_refuses(x, key):
    with pytest.raises(IndexError):
        X[key]
    with pytest.raises(IndexError):
        x[key]


def test_masks_that_do_not_fit(x):
    with pytest.raises(IndexError):
        x[np.array([True, False])]
    with pytest.raises(IndexError):
        x[x[:3] > 0]


def test_lazy_masks(x):
    mask = x % 2 == 0
    y = x[mask]
    assert np.isnan(y.shape[0])
    check(y, X[X % 2 == 0])
    check(y.sum(), X[X % 2 == 0].sum())
    check((y + 1).max(), (X[X % 2 == 0] + 1).max())
    rows = x[x[:, 0, 0] > 30]
    assert np.isnan(rows.shape[0]) and rows.shape[1:] == (7, 3)
    check(rows, X[X[:, 0, 0] > 30])
    check(rows.mean(axis=0), X[X[:, 0, 0] > 30].mean(axis=0))


def test_masks_that_pick_nothing(x):
    check(x[x < 0], X[X < 0])
    check(x[x < 0].sum(), np.asarray(0))


def test_unknown_lengths_are_said_to_be_unknown():
    y = ra.arange(10, chunks=4)
    y = y[y > 4]
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        len(y)
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        y + ra.arange(5)
    assert y.compute_chunk_sizes() is y
    assert y.shape == (5,)
    assert len(y) == 5
    check(y + ra.arange(5), np.arange(5, 10) + np.arange(5))


def test_indexes_on_indexes(x):
    check(x[2:, ::-1][1:5, [0, 3]][..., 1][::2], X[2:, ::-1][1:5, [0, 3]][..., 1][::2])


def test_slices_skip_blocks_that_nobody_needs():
    seen = []

    def note(block, block_id=None):
        seen.append(block_id)
        return block

    x = ra.zeros(100, chunks=10).map_blocks(note, dtype=float)
    seen.clear()
    x[35:45].compute()
    assert sorted(seen) == [(3,), (4,)]


def test_points(x):
    check(x.vindex[[0, 9, -1], [1, 2, 3], [0, 1, 2]], X[[0, 9, -1], [1, 2, 3], [0, 1, 2]])
    check(x.vindex[[0, 9], :, [0, 1]], X[[0, 9], :, [0, 1]])
    with pytest.raises(IndexError):
        x.vindex[[10], [0]]


def test_take(x):
    check(ra.take(x, [3, -1], axis=1), np.take(X, [3, -1], axis=1))
    check(np.take(x, 2, axis=0), np.take(X, 2, axis=0))
    check(ra.take(x, [[0, 1], [2, 3]], axis=-2), np.take(X, [[0, 1], [2, 3]], axis=-2))
    check(ra.take(x, [5, 100], axis=None), np.take(X, [5, 100]))


def test_blocks(x):
    check(x.blocks[0], X[:4])
    check(x.blocks[1, -1], X[4:8, 6:])
    check(x.blocks[:2, 1:, 0], X[:8, 3:, :2])
    check(x.partitions[..., 1], X[..., 2:])
    assert x.blocks.shape == x.numblocks == (3, 3, 2)
    assert len(x.blocks.ravel()) == x.blocks.size == 18
    with pytest.raises(IndexError):
        x.blocks[3]


def test_iteration_and_length(x):
    assert len(x) == 10
    assert len(list(x)) == 10
    check(next(iter(x)), X[0])
    with pytest.raises(TypeError):
        len(ra.zeros(()))
    with pytest.raises(TypeError):
        iter(ra.zeros(()))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (slice(2, 5), 0),
        ((slice(None), 3), -1),
        (X % 2 == 0, 7),
        ((..., 1), 9),
        (3, 5),
        ([1, 4], 0),
        ((2, 3, 1), 8),
        (..., 0),
    ],
    ids=str,
)
def test_assignment(x, key, value):
    expected = X.copy()
    expected[key] = value
    x[key] = value
    check(x, expected)


def test_assignment_by_lazy_masks(x):
    before = x + 0
    x[x > 100] = 0
    check(x, np.where(X > 100, 0, X))
    check(before, X)
    x[2:4] = np.arange(3)
    expected = np.where(X > 100, 0, X)
    expected[2:4] = np.arange(3)
    check(x, expected)


def test_positions_of_elements(x):
    for mine, theirs in zip(ra.nonzero(x % 5 == 0), np.nonzero(X % 5 == 0), strict=True):
        check(mine, theirs)
    check(ra.argwhere(ra.asarray([0, 2, 0, 3])), np.argwhere([0, 2, 0, 3]))
    check(ra.flatnonzero(ra.asarray([[0, 2], [0, 3]])), np.flatnonzero([[0, 2], [0, 3]]))
    check(ra.where(ra.asarray([0, 2]))[0], np.array([1]))
    check(ra.compress([True, False, True], x, axis=1), np.compress([True, False, True], X, axis=1))
    check(ra.extract(x > 200, x), np.extract(X > 200, X))


@pytest.mark.parametrize(
    "part",
    [0, 3, -1, slice(2), slice(1, 4), slice(-3, None), slice(None, None, -1), slice(1, -1), slice(None, None, 2)]
    + [slice(5, 1, -2), slice(-4, -1), slice(3, None), slice(100, 200), np.int8(2)],
    ids=str,
)
def test_parts_of_a_line_of_unknown_length(part):
    x = np.arange(20)
    check(ra.from_array(x, chunks=3)[x % 3 > 0][part], x[x % 3 > 0][part])
    with pytest.raises(IndexError):
        ra.arange(4)[ra.arange(4) > 2][1].compute()


def test_what_is_indexed_is_no_view():
    x = ra.zeros((2, 3), chunks=2)
    row = x[0]
    np.add(x[0], 1, out=x[0])
    x[0, 0] = 5
    row[1] = 7
    assert x.compute().tolist() == [[5, 0, 0], [0, 0, 0]]
    assert row.compute().tolist() == [0, 7, 0]


@pytest.mark.parametrize("chunks", [1, 2, 3, 4, 5, (7, 3), (3, 6), ((2, 5), (1, 4, 1)), -1])
@pytest.mark.parametrize("function", ["argwhere", "nonzero", "flatnonzero"])
def test_positions_of_elements_in_all_blocks(function, chunks):
    for a in (np.arange(42.0).reshape(7, 6) - 20, np.arange(42).reshape(7, 6) % 5):
        found = getattr(ra, function)(ra.from_array(a, chunks=chunks) > 0)
        expected = getattr(np, function)(a > 0)
        pairs = zip(found, expected, strict=True) if function == "nonzero" else [(found, expected)]
        for one, other in pairs:
            np.testing.assert_array_equal(one.compute(), other)
    cube = np.arange(60).reshape(3, 4, 5) % 7
    np.testing.assert_array_equal(
        ra.argwhere(ra.from_array(cube, chunks=(2, 3, 4)) > 3).compute(), np.argwhere(cube > 3)
    )
