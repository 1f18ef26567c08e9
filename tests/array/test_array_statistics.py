"""Statistics and searching against NumPy's."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import raskt.array as ra
from array_comparing import check, sample

X = sample(float, (6, 8))


@pytest.fixture
def x():
    return ra.from_array(X, chunks=(4, 3))


@pytest.mark.parametrize("options", [{}, {"rowvar": False}, {"bias": True}, {"ddof": 3}])
def test_covariance(x, options):
    check(ra.cov(x, **options), np.cov(X, **options), rtol=1e-10)


def test_correlation(x):
    check(ra.corrcoef(x), np.corrcoef(X), rtol=1e-10)
    check(ra.cov(x[0]), np.cov(X[0]), rtol=1e-10)
    check(ra.cov(x, x * 2), np.cov(X, X * 2), rtol=1e-10)


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_medians_and_quantiles(x, axis, keepdims):
    with_nan = np.where(X > 1, np.nan, X)
    check(ra.median(x, axis=axis, keepdims=keepdims), np.median(X, axis=axis, keepdims=keepdims))
    check(
        ra.nanmedian(ra.asarray(with_nan), axis=axis, keepdims=keepdims),
        np.nanmedian(with_nan, axis=axis, keepdims=keepdims),
    )
    for q in (0.3, [0.1, 0.9], [[0.1], [0.2]]):
        check(ra.quantile(x, q, axis=axis, keepdims=keepdims), np.quantile(X, q, axis=axis, keepdims=keepdims))
    check(ra.percentile(x, [5, 50], axis=axis, method="lower"), np.percentile(X, [5, 50], axis=axis, method="lower"))
    check(ra.nanquantile(ra.asarray(with_nan), 0.5, axis=axis), np.nanquantile(with_nan, 0.5, axis=axis))
    check(ra.nanpercentile(ra.asarray(with_nan), 20, axis=axis), np.nanpercentile(with_nan, 20, axis=axis))


@pytest.mark.parametrize("n", [0, 1, 2, 10])
@pytest.mark.parametrize("axis", [0, -1])
def test_differences(x, n, axis):
    check(ra.diff(x, n, axis=axis), np.diff(X, n, axis=axis))


def test_differences_with_ends(x):
    check(ra.diff(x, prepend=0, axis=1), np.diff(X, prepend=0, axis=1))
    check(ra.diff(x, append=X[:, :2], axis=1), np.diff(X, append=X[:, :2], axis=1))
    check(ra.ediff1d(x, to_begin=9, to_end=[1, 2]), np.ediff1d(X, to_begin=9, to_end=[1, 2]))
    check(ra.diff(x > 0), np.diff(X > 0))


def test_slopes(x):
    for mine, theirs in zip(ra.gradient(x), np.gradient(X), strict=True):
        check(mine, theirs)
    check(ra.gradient(x, 0.5, axis=1), np.gradient(X, 0.5, axis=1))
    with pytest.raises(ValueError):
        ra.gradient(ra.ones(1))


def test_histograms(x):
    for options in ({"bins": 5, "range": (-2, 2)}, {"bins": [-1.0, 0.0, 0.5, 3.0]}):
        for extra in ({}, {"density": True}, {"weights": X**2}):
            counts, edges = ra.histogram(x, **options, **extra)
            expected, expected_edges = np.histogram(X, **options, **extra)
            check(counts, expected, rtol=1e-10)
            np.testing.assert_array_equal(edges, expected_edges)


def test_histograms_between_the_extremes(x):
    for data, lazy in ((X, x), (np.arange(7), ra.arange(7, chunks=3)), (np.full(3, 2.0), ra.full(3, 2.0))):
        for bins in (5, 1, "auto", "sqrt"):
            counts, edges = ra.histogram(lazy, bins=bins)
            expected, expected_edges = np.histogram(data, bins=bins)
            check(counts, expected)
            check(edges, expected_edges)
    empty = ra.histogram(ra.zeros(0), density=True)
    np.testing.assert_array_equal(empty[1], np.histogram(np.zeros(0))[1])
    with pytest.raises(ValueError, match="finite"):
        ra.histogram(ra.asarray([1.0, np.nan]))[0].compute()


def test_histograms_between_lazy_edges(x):
    edges = np.array([-1.0, 0.0, 0.5, 3.0])
    lazy = ra.from_array(edges, chunks=2)
    check(ra.histogram(x, lazy)[0], np.histogram(X, edges)[0])
    check(ra.histogram(x, lazy, density=True, weights=X**2)[0], np.histogram(X, edges, density=True, weights=X**2)[0])
    check(ra.digitize(x, lazy), np.digitize(X, edges))


def test_counts_of_whole_numbers():
    a = np.array([0, 3, 1, 1, 3])
    check(ra.bincount(ra.from_array(a, chunks=2), minlength=6), np.bincount(a, minlength=6))
    check(ra.bincount(ra.from_array(a, chunks=2), weights=a * 0.5, minlength=4), np.bincount(a, a * 0.5, minlength=4))
    check(ra.bincount(ra.from_array(a, chunks=2)), np.bincount(a))
    check(ra.bincount(ra.from_array(a, chunks=3), weights=a * 0.5), np.bincount(a, a * 0.5))
    check(ra.bincount(ra.from_array(a[:0])), np.bincount(a[:0]))
    with pytest.raises(NotImplementedError, match="minlength"):
        ra.bincount(ra.from_array(a, chunks=2), minlength=2).compute()
    for wrong in (np.ones(2), np.ones(2, complex)):
        with pytest.raises(TypeError):
            ra.bincount(wrong)


def test_bins_and_places(x):
    check(ra.digitize(x, [-1, 0, 1]), np.digitize(X, [-1, 0, 1]))
    line = np.sort(X.ravel())
    for side in ("left", "right"):
        check(ra.searchsorted(ra.from_array(line, chunks=7), x, side=side), np.searchsorted(line, X, side=side))
    check(ra.isin(ra.arange(5), [1, 3]), np.isin(np.arange(5), [1, 3]))
    check(ra.isin(ra.arange(5), [1, 3], invert=True), np.isin(np.arange(5), [1, 3], invert=True))


@pytest.mark.parametrize("k", [1, 3, -2, 100])
@pytest.mark.parametrize("axis", [0, -1])
def test_the_largest(x, k, axis):
    ordered = np.sort(X, axis=axis)
    ordered = np.flip(ordered, axis) if k > 0 else ordered
    expected = np.take(ordered, range(min(abs(k), X.shape[axis])), axis=axis)
    check(ra.topk(x, k, axis), expected)
    check(x.topk(k, axis), expected)
    np.testing.assert_array_equal(np.take_along_axis(X, x.argtopk(k, axis).compute(), axis), expected)


def test_different_elements():
    a = np.array([5, 2, 2, 9, 5, 1])
    y = ra.from_array(a, chunks=4)
    check(ra.unique(y), np.unique(a))
    mine = ra.unique(y, return_index=True, return_inverse=True, return_counts=True)
    theirs = np.unique(a, return_index=True, return_inverse=True, return_counts=True)
    for found, expected in zip(mine, theirs, strict=True):
        check(found, expected)
    check(ra.union1d(y, [2, 7]), np.union1d(a, [2, 7]))
    check(ra.unique(ra.asarray(np.zeros(0))), np.zeros(0))


def test_positions_in_c_order():
    for mine, theirs in zip(
        ra.unravel_index(ra.arange(10), (3, 4)), np.unravel_index(np.arange(10), (3, 4)), strict=True
    ):
        check(mine, theirs)
    places = np.array([[0, 1, 2], [3, 0, 1]])
    check(ra.ravel_multi_index(ra.asarray(places), (3, 4)), np.ravel_multi_index(places, (3, 4)))


def test_functions_of_lines(x):
    check(ra.apply_along_axis(np.sum, 0, x), np.apply_along_axis(np.sum, 0, X))
    check(ra.apply_along_axis(lambda v: v[:2], 1, x), np.apply_along_axis(lambda v: v[:2], 1, X))
    nameless = functools.partial(np.sum, initial=1)
    check(ra.apply_along_axis(nameless, 0, x), np.apply_along_axis(nameless, 0, X))
    check(ra.apply_over_axes(ra.sum, x, [0, 1]), np.apply_over_axes(np.sum, X, [0, 1]))


def test_choose():
    a = np.array([[0, 1], [2, 0]])
    choices = [np.full((2, 2), n) for n in (10, 20, 30)]
    check(ra.choose(ra.asarray(a), choices), np.choose(a, choices))


def test_covariance_needs_the_number_of_observations(x):
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        ra.cov(x[x[:, 0] > 0].T)


@pytest.mark.parametrize("minlength", [0, 3, 5])
@pytest.mark.parametrize(("one", "other"), [(2, 1), (4, 3), (((0, 4),), 2)])
def test_weights_of_counts_may_be_cut_in_their_own_way(minlength, one, other):
    x, w = np.array([1, 0, 2, 1]), np.array([0.5, 2.0, 1.0, 4.0])
    found = ra.bincount(ra.from_array(x, chunks=one), weights=ra.from_array(w, chunks=other), minlength=minlength)
    assert np.array_equal(found.compute(), np.bincount(x, w, minlength))


@pytest.mark.parametrize("x", [[0, 4, 1], np.array([7, 0], "uint8"), [1]])
def test_numbers_in_memory_are_counted_beyond_the_least_length(x):
    found = ra.bincount(x, minlength=3)
    assert found.shape == np.bincount(x, minlength=3).shape
    assert np.array_equal(found.compute(), np.bincount(x, minlength=3))
