"""Products and factorisations against NumPy's, to 1e-8."""

from __future__ import annotations

import numpy as np
import pytest

import raskt.array as ra
from array_comparing import DTYPES, check, sample

SHAPES = [(40, 5), (5, 40), (12, 12), (1, 1), (7, 1), (1, 7)]


@pytest.mark.parametrize("left", [d for d in DTYPES if d != "bool"])
@pytest.mark.parametrize("right", ["int16", "float32", "float64", "complex128"])
def test_matmul_promotes(left, right):
    x, y = sample(left, (5, 7)), sample(right, (7, 4), 1)
    expected = x @ y
    rtol = 1e-4 if expected.dtype in ("f4", "c8") else 1e-8
    check(ra.from_array(x, chunks=(2, 3)) @ ra.from_array(y, chunks=(4, 3)), expected, rtol=rtol)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((4,), (4,)),
        ((3, 4), (4,)),
        ((4,), (4, 3)),
        ((2, 3, 4), (4, 5)),
        ((2, 3, 4), (2, 4, 5)),
        ((5, 1, 3, 4), (2, 4, 2)),
        ((0, 4), (4, 3)),
        ((3, 0), (0, 2)),
    ],
)
def test_matmul_of_stacks_and_vectors(left, right):
    x, y = sample(float, left), sample(float, right, 1)
    mine, other = ra.from_array(x, chunks=2), ra.from_array(y, chunks=3)
    check(mine @ other, x @ y, rtol=1e-10)
    check(x @ other, x @ y, rtol=1e-10)
    check(mine @ y, x @ y, rtol=1e-10)


def test_matmul_that_does_not_fit():
    with pytest.raises(ValueError):
        ra.ones((2, 3)) @ ra.ones((2, 3))
    with pytest.raises(ValueError):
        ra.ones(3) @ 2


def test_dot_and_its_kin():
    x, y = sample(float, (3, 4)), sample(float, (2, 4, 5), 1)
    mine, other = ra.from_array(x, chunks=2), ra.from_array(y, chunks=2)
    check(ra.dot(mine, other), np.dot(x, y), rtol=1e-10)
    check(mine.dot(mine.T), x.dot(x.T), rtol=1e-10)
    check(ra.dot(mine, 2), np.dot(x, 2))
    check(ra.dot(mine[0], mine[1]), np.dot(x[0], x[1]), rtol=1e-10)
    check(ra.vdot(mine * 1j, mine), np.asarray(np.vdot(x * 1j, x)), rtol=1e-10)
    check(ra.outer(mine, [1, 2]), np.outer(x, [1, 2]))
    check(ra.tensordot(mine, other, axes=([1], [1])), np.tensordot(x, y, axes=([1], [1])), rtol=1e-10)
    check(ra.tensordot(mine, other, axes=0), np.tensordot(x, y, axes=0), rtol=1e-10)
    check(ra.tensordot(mine, mine, axes=2), np.tensordot(x, x, axes=2), rtol=1e-10)
    check(ra.tensordot(mine, other, axes=(1, 1)), np.tensordot(x, y, axes=(1, 1)), rtol=1e-10)


@pytest.mark.parametrize(
    "text",
    ["ij,jk->ik", "ij,jk", "ij->ji", "ij->", "ij,ij->j", "i...,i...->...", "ij,j->i", "i,j->ij", "...j,jk->...k"],
)
def test_einsum(text):
    shapes = {"i": 4, "j": 5, "k": 3}
    arrays = []
    for seed, labels in enumerate(text.split("->")[0].split(",")):
        shape = [
            length
            for label in labels.replace("...", "." if "..." in labels else "")
            for length in ([shapes[label]] if label != "." else [2])
        ]
        arrays.append(sample(float, shape, seed))
    mine = [ra.from_array(array, chunks=2) for array in arrays]
    check(ra.einsum(text, *mine), np.einsum(text, *arrays), rtol=1e-10)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("chunks", [-1, 4, (10, -1), (-1, 3)])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
def test_svd(shape, chunks, dtype):
    a = sample(dtype, shape)
    u, s, vt = ra.linalg.svd(ra.from_array(a, chunks=chunks))
    k = min(shape)
    assert (u.shape, s.shape, vt.shape) == ((shape[0], k), (k,), (k, shape[1]))
    tolerance = 1e-3 if dtype == "float32" else 1e-8
    expected = np.linalg.svd(a, full_matrices=False)
    for mine, theirs in zip((u, s, vt), expected, strict=True):
        assert mine.dtype == theirs.dtype
    np.testing.assert_allclose(s.compute(), expected[1], rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(((u * s) @ vt).compute(), a, atol=tolerance * 10)
    np.testing.assert_allclose((u.T @ u).compute(), np.eye(k), atol=tolerance)
    np.testing.assert_allclose((vt @ vt.T).compute(), np.eye(k), atol=tolerance)
    assert (vt.sum(axis=1) >= -tolerance).all().compute()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_square_matrices_of_svd(shape, dtype):
    a = sample(float, shape).astype(dtype) * (1 + 1j if dtype == "complex128" else 1)
    u, s, vt = (part.compute() for part in ra.linalg.svd(ra.from_array(a, chunks=4), full_matrices=True))
    for mine, theirs in zip((u, s, vt), np.linalg.svd(a), strict=True):
        assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
    k = min(shape)
    np.testing.assert_allclose((u[:, :k] * s) @ vt[:k], a, atol=1e-8)
    np.testing.assert_allclose(u.T.conj() @ u, np.eye(shape[0]), atol=1e-8)
    np.testing.assert_allclose(vt @ vt.T.conj(), np.eye(shape[1]), atol=1e-8)


def test_what_is_known_of_a_matrix_is_checked():
    for known in ({"sym_pos": True}, {"assume_a": "pos"}):
        a = np.array([[4.0, 2.0], [2.0, 5.0]])
        check(ra.linalg.solve(ra.from_array(a), np.ones(2), **known), np.linalg.solve(a, np.ones(2)))
        with pytest.raises(np.linalg.LinAlgError):
            ra.linalg.solve(ra.from_array(-a), np.ones(2), **known).compute()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("chunks", [-1, 4, (10, -1), (-1, 3)])
def test_qr(shape, chunks):
    a = sample(float, shape)
    q, r = ra.linalg.qr(ra.from_array(a, chunks=chunks))
    np.testing.assert_allclose((q @ r).compute(), a, atol=1e-10)
    np.testing.assert_allclose((q.T @ q).compute(), np.eye(min(shape)), atol=1e-10)
    np.testing.assert_allclose(np.tril(r.compute()[:, : min(shape)], -1), 0, atol=1e-12)


def test_matrices_of_low_rank_and_bad_condition():
    rng = np.random.default_rng(0)
    low = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 8))
    u, s, vt = ra.linalg.svd(ra.from_array(low, chunks=(50, -1)))
    np.testing.assert_allclose(s.compute(), np.linalg.svd(low)[1], atol=1e-8)
    np.testing.assert_allclose((u.T @ u).compute(), np.eye(8), atol=1e-8)
    bad = rng.normal(size=(300, 6)) * 10.0 ** -np.arange(0, 12, 2)
    u, s, vt = ra.linalg.svd(ra.from_array(bad, chunks=(64, -1)))
    np.testing.assert_allclose(s.compute(), np.linalg.svd(bad)[1], rtol=1e-4)
    np.testing.assert_allclose((u.T @ u).compute(), np.eye(6), atol=1e-8)
    zero = ra.zeros((50, 3), chunks=(10, 3))
    np.testing.assert_allclose(ra.linalg.svd(zero)[1].compute(), np.zeros(3))


@pytest.mark.parametrize("columns", [None, 1, 3])
@pytest.mark.parametrize("chunks", [-1, (16, -1), 7])
def test_lstsq(columns, chunks):
    rng = np.random.default_rng(0)
    a = rng.normal(size=(60, 5))
    b = rng.normal(size=60 if columns is None else (60, columns))
    mine = ra.linalg.lstsq(ra.from_array(a, chunks=chunks), ra.from_array(b, chunks=20))
    for found, expected in zip(mine, np.linalg.lstsq(a, b, rcond=None), strict=True):
        np.testing.assert_allclose(found.compute(), expected, atol=1e-8)


def test_lstsq_of_low_rank():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 4))
    b = rng.normal(size=60)
    x, residuals, rank, s = ra.linalg.lstsq(ra.from_array(a, chunks=(16, -1)), ra.from_array(b, chunks=16))
    expected = np.linalg.lstsq(a, b, rcond=None)
    assert int(rank) == 2
    np.testing.assert_allclose(x.compute(), expected[0], atol=1e-8)


@pytest.mark.parametrize("ord", [None, 2, 1, 0, 3, np.inf, -np.inf])
def test_norms_of_vectors(ord):
    a = sample(float, 30)
    check(ra.linalg.norm(ra.from_array(a, chunks=7), ord), np.asarray(np.linalg.norm(a, ord)), rtol=1e-10)


@pytest.mark.parametrize("ord", [None, "fro", "nuc", 2, -2, 1, -1, np.inf, -np.inf])
@pytest.mark.parametrize("keepdims", [False, True])
def test_norms_of_matrices(ord, keepdims):
    a = sample(float, (9, 6))
    mine = ra.linalg.norm(ra.from_array(a, chunks=4), ord, keepdims=keepdims)
    check(mine, np.asarray(np.linalg.norm(a, ord, keepdims=keepdims)), rtol=1e-10)


def test_norms_along_axes():
    a = sample("complex128", (3, 4, 5))
    mine = ra.from_array(a, chunks=2)
    check(ra.linalg.norm(mine, axis=1), np.linalg.norm(a, axis=1), rtol=1e-10)
    check(ra.linalg.norm(mine, axis=(0, 2)), np.linalg.norm(a, axis=(0, 2)), rtol=1e-10)
    with pytest.raises(ValueError):
        ra.linalg.norm(mine, axis=(0, 1, 2))


def test_square_systems():
    a = sample(float, (6, 6)) + 6 * np.eye(6)
    b = sample(float, (6, 2), 1)
    mine, other = ra.from_array(a, chunks=4), ra.from_array(b, chunks=(4, 1))
    check(ra.linalg.inv(mine), np.linalg.inv(a), rtol=1e-8)
    check(ra.linalg.solve(mine, other), np.linalg.solve(a, b), rtol=1e-8)
    check(ra.linalg.solve(mine, other[:, 0]), np.linalg.solve(a, b[:, 0]), rtol=1e-8)
    check(ra.linalg.solve_triangular(mine, other, lower=True), np.linalg.solve(np.tril(a), b), rtol=1e-8)
    spd = a @ a.T
    for upper in (False, True):
        check(ra.linalg.cholesky(ra.asarray(spd), upper=upper), np.linalg.cholesky(spd, upper=upper), rtol=1e-8)
    check(np.linalg.cholesky(ra.asarray(spd)), np.linalg.cholesky(spd), rtol=1e-8)
    p, lower, upper = ra.linalg.lu(mine)
    np.testing.assert_allclose((p @ lower @ upper).compute(), a, atol=1e-10)
    stack = np.stack([a, a + np.eye(6)])
    check(ra.linalg.inv(ra.from_array(stack, chunks=3)), np.linalg.inv(stack), rtol=1e-8)


def test_singular_matrices_fail_as_numpy_s_do():
    with pytest.raises(np.linalg.LinAlgError):
        ra.linalg.inv(ra.zeros((3, 3))).compute()


@pytest.mark.parametrize("function", [ra.linalg.svd, ra.linalg.qr, ra.linalg.inv, ra.linalg.cholesky])
def test_arrays_that_are_no_matrices(function):
    with pytest.raises(np.linalg.LinAlgError):
        function(ra.ones(3))
    if function in (ra.linalg.inv, ra.linalg.cholesky):
        with pytest.raises(np.linalg.LinAlgError):
            function(ra.ones((3, 4)))


@pytest.mark.parametrize("iterator", ["power", "QR"])
def test_compressed_svd(iterator):
    rng = np.random.default_rng(0)
    a = rng.normal(size=(100, 4)) @ rng.normal(size=(4, 60))
    u, s, vt = ra.linalg.svd_compressed(ra.from_array(a, chunks=(30, 20)), 4, iterator=iterator, n_power_iter=2, seed=1)
    assert (u.shape, s.shape, vt.shape) == ((100, 4), (4,), (4, 60))
    np.testing.assert_allclose(s.compute(), np.linalg.svd(a)[1][:4], rtol=1e-8)
    np.testing.assert_allclose(((u * s) @ vt).compute(), a, atol=1e-8)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [(0, 0), (1, 0), (1, 1), (7, 2), (5, 1)])
@pytest.mark.parametrize("shape", [(8, 3), (3, 8), (8, 8)])
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
def test_factors_of_what_is_no_number_are_none(wrong, place, shape, dtype):
    place = tuple(min(at, length - 1) for at, length in zip(place, shape))
    x = (np.arange(np.prod(shape)).reshape(shape) * 7 % 11).astype(dtype)
    x[place] = wrong
    expected = np.linalg.qr(x)[1]
    for chunks in (shape, (4, shape[1])):
        q, r = (part.compute() for part in ra.linalg.qr(ra.from_array(x, chunks=chunks)))
        assert not np.isfinite(r[~np.isfinite(expected)]).any(), "a number where NumPy has none"
        sound = place[1]  # Columns before it have their factors.
        assert np.allclose(abs(r[:, :sound]), abs(expected[:, :sound]), atol=1e-4)
        assert not np.isfinite(q[:, ~np.isfinite(np.diag(expected))]).any()


@pytest.mark.parametrize("text", ["...i->i", "...->", "i...->i", "...i,...->i"])
def test_einsum_does_not_sum_axes_that_dots_stand_for(text):
    x = np.ones((2, 3))
    operands = [x] * (text.count(",") + 1)
    with pytest.raises(ValueError):
        np.einsum(text, *operands)
    with pytest.raises(ValueError, match="dots"):
        ra.einsum(text, *map(ra.asarray, operands))
    assert ra.einsum("...i->i", ra.ones(3)).compute().tolist() == [1, 1, 1]


TRIANGLES = [(kind, lower) for kind in ("float64", "float32", "complex128", "int64") for lower in (True, False)]


def triangle(rng, n, dtype, lower):
    """Whole numbers, so that solutions can be told exactly."""
    x = rng.integers(-9, 10, (n, n)).astype(dtype)
    x = x + 1j * rng.integers(-9, 10, (n, n)) if dtype == "complex128" else x
    return np.tril(x) if lower else np.triu(x)


@pytest.mark.parametrize(("dtype", "lower"), TRIANGLES)
@pytest.mark.parametrize("columns", [(), (3,)])
def test_triangles_are_solved_by_substitution(dtype, lower, columns):
    rng, n = np.random.default_rng(1), 60
    a = triangle(rng, n, dtype, lower)
    a[np.diag_indices(n)] = rng.integers(1, 4, n)
    b = rng.integers(-9, 10, (n, *columns)).astype(dtype)
    solution = ra.linalg.solve_triangular(ra.from_array(a, chunks=7), ra.from_array(b, chunks=11), lower=lower)
    x = solution.compute()
    eps = np.finfo(x.dtype).eps
    # Row by row what substitution leaves over; rows that are exchanged leave it as large as the largest row.
    assert np.all(abs(a @ x - b) <= n * eps * (abs(a) @ abs(x) + abs(b)))


@pytest.mark.parametrize(("dtype", "lower"), TRIANGLES)
@pytest.mark.parametrize("n", [1, 3, 8])
def test_triangles_with_a_zero_on_the_diagonal_are_singular(dtype, lower, n):
    rng = np.random.default_rng(2)
    for at in range(n):
        a = triangle(rng, n, dtype, lower)
        a[at, at] = 0
        solution = ra.linalg.solve_triangular(ra.from_array(a, chunks=2), np.ones(n), lower=lower)
        with pytest.raises(np.linalg.LinAlgError, match="Singular"):
            solution.compute()
