"""Arrays whose graphs travel."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.matrix import array_programs
from tests.matrix.test_programs import PROGRAMS, played

import raskt.array as ra

X = np.linspace(-3.0, 5.0, 60).reshape(10, 6)
SQUARE = X[:6] @ X[:6].T + 100 * np.eye(6)

CASES = {
    "elementwise": (lambda m, x: m.exp(x) + x * 2 - 1),
    "reductions": (lambda m, x: (x - x.mean(0)) / x.std(0)),
    "arguments": (lambda m, x: x.argmax(axis=1)),
    "cumulated": (lambda m, x: m.cumsum(x, axis=0)),
    "slices": (lambda m, x: x[1:8:2, ::-1]),
    "lists": (lambda m, x: x[[3, 1, 1]]),
    "masks": (lambda m, x: x[x > 0]),
    "transposed": (lambda m, x: x.T @ x),
    "joined": (lambda m, x: m.concatenate([x, x[:2]])),
    "stacked": (lambda m, x: m.stack([x, -x], axis=1)),
    "where": (lambda m, x: m.where(x > 1, x, 0)),
    "padded": (lambda m, x: m.pad(x, 2)),
    "rolled": (lambda m, x: m.roll(x, 3, axis=0)),
    "unique": (lambda m, x: m.unique(m.floor(x))),
    "histogram": (lambda m, x: m.histogram(x, bins=5, range=(-3, 5))[0]),
    "quantiles": (lambda m, x: m.percentile(x, 30, axis=0)),
    "einsum": (lambda m, x: m.einsum("ij,kj->ik", x, x)),
    "nan": (lambda m, x: m.nansum(m.where(x > 0, x, m.nan), axis=1)),
    "of integers": (lambda m, x: (x * 10).astype("int32") // 3),
    "of truth": (lambda m, x: (x > 0).any(axis=0)),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("chunks", [(3, 4), (10, 6)], ids=str)
def test_operations(case, chunks):
    function = CASES[case]
    found = function(ra, ra.from_array(X, chunks=chunks)).compute()
    np.testing.assert_allclose(found, function(np, X), rtol=1e-12)


def test_linear_algebra():
    x = ra.from_array(SQUARE, chunks=3)
    np.testing.assert_allclose(ra.linalg.inv(x).compute(), np.linalg.inv(SQUARE))
    np.testing.assert_allclose(ra.linalg.cholesky(x).compute(), np.linalg.cholesky(SQUARE))
    q, r = ra.linalg.qr(ra.from_array(X, chunks=(5, 6)))
    np.testing.assert_allclose((q @ r).compute(), X)


def test_random_numbers_are_those_that_stay_here(travelling):
    x = ra.random.default_rng(5).normal(size=(50, 4), chunks=(20, 4))
    there = x.compute()
    from raskt import _core

    _core._travel_always(False)
    np.testing.assert_array_equal(there, x.compute())


def test_functions_of_blocks():
    x = ra.from_array(X, chunks=(3, 6))
    scale = 3
    np.testing.assert_array_equal(x.map_blocks(lambda block: block * scale).compute(), X * 3)
    starts = x.map_blocks(lambda block, block_info=None: block + block_info[0]["array-location"][0][0], dtype=float)
    np.testing.assert_array_equal(starts.compute()[:, 0], X[:, 0] + [0, 0, 0, 3, 3, 3, 6, 6, 6, 9])
    made = ra.fromfunction(lambda i, j: i * 10 + j, shape=(4, 5), chunks=2, dtype=int)
    np.testing.assert_array_equal(made.compute(), np.fromfunction(lambda i, j: i * 10 + j, (4, 5), dtype=int))
    together = ra.blockwise(lambda a, b: a + b, "ij", x, "ij", X[0], "j", dtype=float)
    np.testing.assert_array_equal(together.compute(), X + X[0])
    of_two = ra.frompyfunc(lambda a, b: a - b, 2, 1)
    np.testing.assert_array_equal(of_two(x, 1.0).compute(), X - 1)


def test_persisted_ones_and_what_follows():
    x = (ra.from_array(X, chunks=(3, 4)) + 1).persist()
    np.testing.assert_array_equal(x.compute(), X + 1)
    np.testing.assert_allclose((x @ x.T).sum(0).compute(), ((X + 1) @ (X + 1).T).sum(0))


def test_empty_ones():
    np.testing.assert_array_equal(ra.from_array(X, chunks=(3, 4))[:0].sum(axis=0).compute(), np.zeros(6))


@pytest.mark.slow
@played(600)
@given(st.integers(0, 2**16 - 1), PROGRAMS)
def test_programs(first, program):
    array_programs.play(first, program)
