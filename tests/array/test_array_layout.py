"""Shapes, axes, chunks and joining against NumPy's."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import raskt.array as ra
from array_comparing import check

X = np.arange(4 * 6 * 5).reshape(4, 6, 5)


@pytest.fixture
def x():
    return ra.from_array(X, chunks=(3, 2, 4))


@pytest.mark.parametrize(
    "shape", [(24, 5), (4, 30), (-1,), (2, 2, 6, 5), (4, 6, 5, 1), (1, 120), (5, 6, 4), (-1, 8), (10, 12)]
)
def test_reshape(x, shape):
    check(x.reshape(shape), X.reshape(shape))
    check(x.reshape(*shape), X.reshape(shape))
    check(np.reshape(x, shape), X.reshape(shape))


@pytest.mark.parametrize("shape", [(7, -1), (-1, -1), (4, 6), (121,)])
def test_shapes_that_do_not_fit(x, shape):
    with pytest.raises(ValueError):
        x.reshape(shape)


def test_shapes_without_elements():
    y = ra.zeros((0, 3), chunks=2)
    check(y.reshape(3, 0), np.zeros((3, 0)))
    check(y.ravel(), np.zeros(0))
    check(y.T, np.zeros((3, 0)))
    check(ra.zeros(()).reshape(1, 1), np.zeros((1, 1)))
    check(ra.ones((1, 1)).reshape(()), np.ones(()))


@pytest.mark.parametrize("axes", [None, (0, 2, 1), (2, 0, 1), (-1, 0, 1)])
def test_transpose(x, axes):
    check(x.transpose(axes), X.transpose(axes))
    check(np.transpose(x, axes), X.transpose(axes))
    if axes:
        check(x.transpose(*axes), X.transpose(axes))


def test_axes_moved_about(x):
    check(x.T, X.T)
    check(x.swapaxes(0, -1), X.swapaxes(0, -1))
    check(ra.moveaxis(x, [0, 1], [-1, 0]), np.moveaxis(X, [0, 1], [-1, 0]))
    check(ra.rollaxis(x, 2), np.rollaxis(X, 2))
    check(ra.rollaxis(x, 0, 3), np.rollaxis(X, 0, 3))
    check(ra.expand_dims(x, (0, -1)), np.expand_dims(X, (0, -1)))
    check(ra.squeeze(x[:1, :, :1]), X[:1, :, :1].squeeze())
    check(x[:1, :, :1].squeeze(0), X[:1, :, :1].squeeze(0))
    for wrong in [
        lambda: x.transpose(0, 1),
        lambda: x.transpose(0, 0, 1),
        lambda: x.squeeze(0),
        lambda: x.swapaxes(0, 3),
    ]:
        with pytest.raises(ValueError):
            wrong()


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
def test_flip(x, axis):
    check(ra.flip(x, axis), np.flip(X, axis))


def test_turned_and_rolled(x):
    for k in range(-1, 5):
        check(ra.rot90(x, k), np.rot90(X, k))
        check(ra.rot90(x, k, axes=(2, 0)), np.rot90(X, k, axes=(2, 0)))
    check(ra.flipud(x), np.flipud(X))
    check(ra.fliplr(x), np.fliplr(X))
    for shift, axis in [(1, 0), (-7, 1), (3, None), ((1, 2), (0, 2)), (0, 0), (100, 1)]:
        check(ra.roll(x, shift, axis), np.roll(X, shift, axis))


def test_broadcast_to():
    y = ra.arange(3, chunks=2)
    check(ra.broadcast_to(y, (4, 3)), np.broadcast_to(np.arange(3), (4, 3)))
    check(ra.broadcast_to(y[:, None], (3, 2)), np.broadcast_to(np.arange(3)[:, None], (3, 2)))
    check(ra.broadcast_to(y, 3), np.arange(3))
    with pytest.raises(ValueError):
        ra.broadcast_to(y, (4,))
    for mine, theirs in zip(
        ra.broadcast_arrays(y, np.ones((2, 1))), np.broadcast_arrays(np.arange(3), np.ones((2, 1))), strict=True
    ):
        check(mine, theirs)


@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_concatenate(x, axis):
    check(ra.concatenate([x, X, x + 1], axis=axis), np.concatenate([X, X, X + 1], axis=axis))
    check(np.concatenate([x, x], axis=axis), np.concatenate([X, X], axis=axis))


def test_joined_arrays_promote():
    check(ra.concatenate([ra.ones(2, dtype="f4"), ra.arange(3)]), np.concatenate([np.ones(2, "f4"), np.arange(3)]))
    check(ra.concatenate([ra.zeros(0), ra.arange(3)]), np.concatenate([np.zeros(0), np.arange(3)]))
    check(ra.append(ra.arange(3), 9), np.append(np.arange(3), 9))


def test_joining_that_does_not_fit():
    with pytest.raises(ValueError):
        ra.concatenate([])
    with pytest.raises(ValueError):
        ra.concatenate([ra.zeros((2, 3)), ra.zeros((2, 4))], axis=0)
    with pytest.raises(ValueError):
        ra.concatenate([ra.zeros(()), ra.zeros(())])
    with pytest.raises(np.exceptions.AxisError):
        ra.concatenate([ra.zeros(2)], axis=1)
    with pytest.raises(ValueError):
        ra.stack([ra.zeros(2), ra.zeros(3)])


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_stack(x, axis):
    check(ra.stack([x, x * 2], axis=axis), np.stack([X, X * 2], axis=axis))


def test_stacks_by_name():
    a, b = np.arange(3), np.arange(3) + 5
    for name in ("vstack", "hstack", "dstack"):
        check(getattr(ra, name)([ra.asarray(a), b]), getattr(np, name)([a, b]))
        check(getattr(np, name)([ra.asarray(a)[None], ra.asarray(b)[None]]), getattr(np, name)([a[None], b[None]]))
    check(
        ra.block([[ra.eye(2), np.zeros((2, 3))], [np.ones((1, 5))]]),
        np.block([[np.eye(2), np.zeros((2, 3))], [np.ones((1, 5))]]),
    )
    for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
        for value in (np.asarray(1.0), np.ones(3), np.ones((2, 3)), np.ones((2, 3, 4, 5))):
            check(getattr(ra, name)(ra.asarray(value)), getattr(np, name)(value))


@pytest.mark.parametrize(
    "chunks", [1, (4, 6, 5), ((1, 3), (2, 4), (5,)), -1, {1: 4}, "auto", (None, -1, 2), "100B", (2, "auto", -1)]
)
def test_rechunk(x, chunks):
    y = x.rechunk(chunks)
    check(y, X)
    check(y.sum(axis=1), X.sum(axis=1))
    check((y + x).max(axis=0), (X + X).max(axis=0))


def test_rechunk_keeps_what_is_as_asked():
    y = ra.zeros((4, 6), chunks=2)
    assert y.rechunk(2).name == y.name
    assert y.rechunk({0: 4}).chunks == ((4,), (2, 2, 2))
    with pytest.raises(ValueError):
        y.rechunk((3, 3, 3))
    with pytest.raises(ValueError):
        y.rechunk(((1, 1), (6,)))


def test_repeated_arrays(x):
    check(ra.repeat(x, 3, axis=1), np.repeat(X, 3, axis=1))
    check(ra.repeat(x, 2), np.repeat(X, 2))
    check(ra.repeat(x, 0, axis=0), np.repeat(X, 0, axis=0))
    for reps in (2, (2, 1, 3), (1, 2), (2, 1, 1, 1), 0):
        check(ra.tile(x, reps), np.tile(X, reps))


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "wrap"])
@pytest.mark.parametrize("width", [1, (2, 0), ((1, 2), (0, 1), (3, 0))])
def test_pad(x, mode, width):
    check(ra.pad(x, width, mode=mode), np.pad(X, width, mode=mode))


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
@pytest.mark.parametrize("length", [1, 2, 3, 5])
@pytest.mark.parametrize("chunk", [1, 3])
def test_pad_by_more_than_there_is(mode, length, chunk):
    x = np.arange(length) * 10
    for width in itertools.product((0, 1, 2, 3, 4, 5, 6, 9, 17), (0, 1, 4, 5, 13)):
        check(ra.pad(ra.from_array(x, chunks=chunk), width, mode=mode), np.pad(x, width, mode=mode))


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
def test_pad_of_a_long_axis_numbers_none_of_it(mode):
    found = ra.pad(ra.arange(2**40, chunks=2**36), 1, mode=mode)
    last = 2**40 - 1
    ends = {"edge": (0, last), "reflect": (1, last - 1), "symmetric": (0, last), "wrap": (last, 0)}
    assert (int(found[0].compute()), int(found[-1].compute())) == ends[mode]


def test_insert_and_delete():
    a = np.arange(12).reshape(3, 4)
    y = ra.from_array(a, chunks=2)
    check(ra.delete(y, [0, 2], axis=1), np.delete(a, [0, 2], axis=1))
    check(ra.delete(y, slice(1, 3), axis=0), np.delete(a, slice(1, 3), axis=0))
    check(ra.insert(y, 1, 99, axis=0), np.insert(a, 1, 99, axis=0))
    check(ra.insert(y, [1, 3], 7, axis=1), np.insert(a, [1, 3], 7, axis=1))
    check(ra.insert(y, 2, [5, 6, 7, 8], axis=0), np.insert(a, 2, [5, 6, 7, 8], axis=0))


def test_astype():
    a = np.array([0.0, 1.7, -2.2, 300.0])
    y = ra.from_array(a, chunks=3)
    for dtype in ("i4", "f4", "bool", "c8", "i8"):
        check(y.astype(dtype), a.astype(dtype))
    assert y.astype(float).name == y.name
    with pytest.raises(TypeError, match="safe"):
        y.astype("i4", casting="safe")
    with pytest.raises(TypeError):
        y.astype("U3")


def test_triangles_and_diagonals():
    a = np.arange(30).reshape(5, 6)
    y = ra.from_array(a, chunks=(2, 4))
    for k in (-6, -2, 0, 1, 7):
        check(ra.tril(y, k), np.tril(a, k))
        check(ra.triu(y, k), np.triu(a, k))
        check(ra.tri(5, 6, k), np.tri(5, 6, k))
    for k in (-4, -1, 0, 2, 5):
        check(ra.diagonal(y, k), np.diagonal(a, k))
        check(ra.trace(y, k), np.asarray(np.trace(a, k)))
        check(ra.diag(y, k), np.diag(a, k))
        check(ra.diag(ra.arange(3), k), np.diag(np.arange(3), k))
    check(ra.diagonal(ra.asarray(X), axis1=0, axis2=2), np.diagonal(X, axis1=0, axis2=2))
    for mine, theirs in zip(ra.tril_indices(4, -1, 5), np.tril_indices(4, -1, 5), strict=True):
        check(mine, theirs)


def test_coarsen(x):
    check(ra.coarsen(ra.sum, x, {0: 2, 1: 3}), X.reshape(2, 2, 2, 3, 5).sum(axis=(1, 3)))
    check(ra.coarsen(ra.mean, x, {2: 2}, trim_excess=True), X[..., :4].reshape(4, 6, 2, 2).mean(axis=3))
    with pytest.raises(ValueError, match="trim_excess"):
        ra.coarsen(ra.sum, x, {2: 2})
    check(ra.coarsen(ra.sum, x, {-2: 3}), X.reshape(4, 2, 3, 5).sum(axis=2))


@pytest.mark.parametrize("axes", [{3: 2}, {-4: 2}, {0: 2, -3: 4}, {0: 0}, {0: -2}])
def test_coarsen_refuses_axes_that_are_not_there(x, axes):
    with pytest.raises(ValueError, match=r"axis|box"):
        ra.coarsen(ra.sum, x, axes, trim_excess=True)


def test_unify_chunks():
    chunks, (a, b) = ra.unify_chunks(ra.ones((4, 6), chunks=(2, 4)), "ij", ra.ones(6, chunks=3), "j")
    assert chunks == {"i": (2, 2), "j": (3, 1, 2)}
    assert a.chunks == ((2, 2), (3, 1, 2))
    assert b.chunks == ((3, 1, 2),)


@pytest.mark.parametrize("shape, chunks", [((1009 * 1013,), 1000), ((1009 * 1013,), 2500), ((1013, 1009), (100, 1))])
def test_blocks_of_a_reshaped_array_are_not_far_smaller_than_before(shape, chunks):
    x = ra.ones(shape, chunks=chunks)
    y = x.reshape(1013, 1009)
    assert y.npartitions <= 4 * x.npartitions
    check(y[3:5, :4], np.ones((2, 4)))
