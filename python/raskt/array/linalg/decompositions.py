"""Factorisations, solutions and norms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from raskt._core import array_lstsq, array_qr, array_svd
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.base.registry import wrap
from raskt.array.blocks.blockwise import contract
from raskt.array.blocks.map_blocks import map_blocks
from raskt.array.elementwise.ufuncs import absolute
from raskt.array.linalg.matrices import tril, triu
from raskt.array.linalg.products import matmul
from raskt.array.manipulation.axes import broadcast_to
from raskt.array.manipulation.joining import concatenate
from raskt.array.random.generator import default_rng
from raskt.array.selection.where import where

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from raskt.array._array import Array

__all__ = [
    "cholesky",
    "compression_level",
    "compression_matrix",
    "inv",
    "lstsq",
    "lu",
    "norm",
    "qr",
    "sfqr",
    "solve",
    "solve_triangular",
    "svd",
    "svd_compressed",
    "tsqr",
]


def _matrix(a: Any, what: str) -> Array:
    x = asarray(a)
    if x.ndim > 2 and what in ("svd", "qr", "solve"):
        raise NotImplementedError(f"{what} of a stack of matrices is not implemented: take one after the other")
    if x.ndim != 2:
        raise np.linalg.LinAlgError(f"{what} takes a matrix, not an array of {x.ndim} axes")
    return x


@documented(
    "Of shapes (m, k), (k,), (k, n) with k = min(m, n), floating; singular values stand in descending order.",
    {"LinAlgError": "If the array is no matrix.", "NotImplementedError": "For stacks of matrices."},
    "the thin decomposition is the default, as in Dask, and signs are chosen.",
    kind="Array, Array, Array",
    a="array_like: A matrix of m rows and n columns.",
    full_matrices="bool: Whether `u` and `vt` are square; NumPy finds what is added, in one block.",
    compute_uv="bool: Whether the vectors come along; else the result is the singular values alone.",
    hermitian="bool: Whether the matrix equals its conjugate transpose: only its lower triangle is looked at.",
    coerce_signs="bool: Whether signs are chosen so that the sum of each row of `vt` is not negative.",
)
def svd(
    a: Any,
    full_matrices: bool = False,
    compute_uv: bool = True,
    hermitian: bool = False,
    *,
    coerce_signs: bool = True,
) -> Any:
    """The singular value decomposition of a matrix: ``a = u @ diag(s) @ vt``.

    >>> u, s, vt = ra.linalg.svd(ra.eye(4, chunks=2)[:, :2] * 3)
    >>> s.compute()
    array([3., 3.])
    """
    x = _matrix(a, "svd")
    u, s, vt = (wrap(expr) for expr in array_svd((_hermitian(x) if hermitian else x).__raskt_expr__))
    if not compute_uv:
        return s
    if coerce_signs and vt.dtype.kind != "c":
        signs = where(vt.sum(axis=1) < 0, -1.0, 1.0).astype(vt.dtype)
        u, vt = u * signs[None, :], vt * signs[:, None]
    if full_matrices:
        u, vt = _completed(u), _completed(vt.T.conj()).T.conj()
    return u, s, vt


def _hermitian(x: Array) -> Array:
    """The matrix that a lower triangle stands for; NumPy passes over the rest, and imaginary parts of the diagonal."""
    if x.shape[0] != x.shape[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    lower = tril(x, -1)
    diagonal = tril(triu(x.real if x.dtype.kind == "c" else x))
    return lower + lower.T.conj() + diagonal if x.dtype.kind == "c" else lower + lower.T + diagonal


def _completed(columns: Array) -> Array:
    """Orthonormal columns, and as many more as make a square matrix of them."""
    length, count = columns.shape
    if length == count:
        return columns

    def complement(block: Any) -> Any:
        return np.linalg.qr(block, mode="complete")[0][:, count:]

    whole = columns.rechunk(-1)
    chunks = ((length,), (length - count,))
    return concatenate(
        [whole, map_blocks(complement, whole, name="numpy.linalg.qr", dtype=whole.dtype, chunks=chunks)], 1
    )


@documented(
    "Of shapes (m, k) and (k, n) with k = min(m, n), floating; with mode `r` the second alone.",
    {
        "LinAlgError": "If the array is no matrix.",
        "ValueError": "If the mode is unknown.",
        "NotImplementedError": "For the modes `complete` and `raw`, and stacks of matrices.",
    },
    kind="Array, Array",
    a="array_like: A matrix of m rows and n columns; one of more columns than rows is put in one block.",
    mode="str: `reduced` or `r`.",
    differences="rows of `r`, and the columns of `q` that they belong to, may have the other sign than LAPACK's.",
)
def qr(a: Any, mode: str = "reduced") -> Any:
    """The QR factorisation of a matrix: ``a = q @ r``, with orthonormal columns of ``q`` and an upper triangle ``r``.

    >>> q, r = ra.linalg.qr(ra.eye(2) * 2)
    >>> abs(r).compute()
    array([[2., 0.],
           [0., 2.]])
    """
    if mode not in ("reduced", "r", "complete", "raw"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    if mode not in ("reduced", "r"):
        raise NotImplementedError(f"qr with mode {mode!r} is not implemented: only `reduced` and `r` are")
    x = _matrix(a, "qr")
    q, r = array_qr((x.rechunk(-1) if x.shape[0] < x.shape[1] else x).__raskt_expr__)
    return wrap(r) if mode == "r" else (wrap(q), wrap(r))


@documented(
    "What `qr` gives, or `svd` with `compute_svd`.",
    {"LinAlgError": "If the array is no matrix."},
    kind="tuple of Array",
    data="array_like: A matrix of more rows than columns.",
    compute_svd="bool: Whether it is the singular value decomposition that is wanted.",
    coerce_signs="bool: As for `svd`.",
)
def tsqr(data: Any, compute_svd: bool = False, *, coerce_signs: bool = True) -> tuple[Array, ...]:
    """The QR factorisation of a tall matrix by blocks of rows.

    >>> q, r = ra.linalg.tsqr(ra.ones((6, 2), chunks=(3, 2)))
    >>> r.shape
    (2, 2)
    """
    return svd(data, coerce_signs=coerce_signs) if compute_svd else qr(data)


@documented(
    "What `qr` gives.",
    {"LinAlgError": "If the array is no matrix."},
    kind="Array, Array",
    data="array_like: A matrix of more columns than rows.",
)
def sfqr(data: Any, name: Any = None) -> tuple[Array, Array]:
    """The QR factorisation of a short and wide matrix.

    >>> q, r = ra.linalg.sfqr(ra.ones((2, 6)))
    >>> r.shape
    (2, 6)
    """
    return qr(data)


@documented(
    "The solution, the sums of squared distances for each column of `b` (none if `a` has no more rows than columns, or "
    "a smaller rank), the rank of `a`, and its singular values.",
    {"LinAlgError": "If the shapes don't fit.", "NotImplementedError": "For `rcond`."},
    kind="Array, Array, Array, Array",
    a="array_like: A matrix.",
    b="array_like: A vector, or a matrix of several in columns.",
    rcond="float: Below which part of the largest singular values others count as zero: only `None`, the precision's.",
)
def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[Array, Array, Array, Array]:
    """The least-squares solution of ``a @ x = b``.

    >>> a = ra.asarray([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> ra.linalg.lstsq(a, ra.asarray([1.0, 3.0, 5.0]))[0].compute().round(6)
    array([1., 2.])
    """
    if rcond is not None:
        raise NotImplementedError("lstsq with `rcond` is not implemented: the machine's precision is used")
    y = asarray(b)
    if y.ndim not in (1, 2):
        raise np.linalg.LinAlgError(f"lstsq takes right-hand sides of one or two axes, not of {y.ndim}")
    x = _matrix(a, "lstsq")
    found = array_lstsq(x.__raskt_expr__, y.__raskt_expr__)
    solution, residuals, rank, singular = (wrap(expr) for expr in found)
    return solution, _of_full_rank(residuals, rank, x.shape), rank.astype(np.int32), singular


def _of_full_rank(residuals: Array, rank: Array, shape: Sequence[int]) -> Array:
    """The sums of squares, or an empty array where NumPy has none, which shows when they are computed."""
    rows, columns = shape
    if rows <= columns:
        return residuals[:0]
    return residuals[broadcast_to(rank == columns, residuals.shape)]


def _squares(a: Any, what: str) -> Array:
    x = asarray(a)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise np.linalg.LinAlgError(f"{what} takes square matrices, not an array of shape {x.shape}")
    x = x if x.dtype.kind in "fc" else x.astype(float)
    return x.rechunk({x.ndim - 2: -1, x.ndim - 1: -1})


def _of_matrices(function: Callable[..., Any], x: Array) -> Array:
    """A NumPy function of square matrices that gives matrices of their shape."""
    return map_blocks(function, x, name=f"numpy.linalg.{function.__name__}", dtype=x.dtype)


@documented(
    "Floating, of the array's shape. NumPy computes each matrix in one block.",
    {"LinAlgError": "If matrices are not square, or singular (when they are computed)."},
    a="array_like: A square matrix, or a stack of them.",
)
def inv(a: Any) -> Array:
    """The inverse of a square matrix.

    >>> ra.linalg.inv(ra.eye(2) * 2).compute()
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    return _of_matrices(np.linalg.inv, _squares(a, "inv"))


@documented(
    "Floating, of the array's shape. NumPy computes each matrix in one block.",
    {"LinAlgError": "If matrices are not square, or not positive definite (when they are computed)."},
    a="array_like: A positive definite matrix, or a stack of them.",
    upper="bool: Whether the factor is the upper triangle, and not the lower one.",
)
def cholesky(a: Any, /, *, upper: bool = False) -> Array:
    """The Cholesky factor of a positive definite matrix.

    >>> ra.linalg.cholesky(ra.asarray([[4.0, 2.0], [2.0, 5.0]])).compute()
    array([[2., 0.],
           [1., 2.]])
    """

    def cholesky(block: Any) -> Any:
        return np.linalg.cholesky(block, upper=upper)

    return _of_matrices(cholesky, _squares(a, "cholesky"))


@documented(
    "Floating, of the shape of `b`. NumPy computes it, with the matrix in one block.",
    {"LinAlgError": "If the shapes don't fit, or the matrix is singular (when it is computed)."},
    a="array_like: A square matrix.",
    b="array_like: A vector, or a matrix of several in columns.",
    sym_pos='bool: SciPy\'s old word for `assume_a="pos"`.',
    assume_a="str: What is known of the matrix: `gen`, `sym`, `her` or `pos`, which is found wrong with LinAlgError.",
)
def solve(a: Any, b: Any, sym_pos: bool = False, assume_a: str = "gen") -> Array:
    """The solution of ``a @ x = b`` for a square matrix.

    >>> ra.linalg.solve(ra.eye(2) * 2, [2.0, 4.0]).compute()
    array([1., 2.])
    """
    if assume_a not in ("gen", "sym", "her", "pos", "general", "symmetric", "hermitian", "positive definite"):
        raise ValueError(f"{assume_a} is not a recognized matrix structure")
    positive = sym_pos or assume_a in ("pos", "positive definite")
    return _solution(_solve_positive if positive else np.linalg.solve, _squares(_matrix(a, "solve"), "solve"), b)


def _solve_positive(a: Any, b: Any) -> Any:
    np.linalg.cholesky(a)  # which fails unless the matrix is positive definite
    return np.linalg.solve(a, b)


@documented(
    "Floating, of the shape of `b`. NumPy computes it, with the matrix in one block.",
    {"LinAlgError": "If the shapes don't fit, or the matrix is singular (when it is computed)."},
    a="array_like: A triangular matrix; its other triangle is not looked at.",
    b="array_like: A vector, or a matrix of several in columns.",
    lower="bool: Whether it is the lower triangle, and not the upper one.",
)
def solve_triangular(a: Any, b: Any, lower: bool = False) -> Array:
    """The solution of ``a @ x = b`` for a triangular matrix.

    >>> ra.linalg.solve_triangular(ra.eye(2) * 2, [2.0, 4.0]).compute()
    array([1., 2.])
    """
    x = _squares(_matrix(a, "solve_triangular"), "solve_triangular")
    return _solution(_solve_lower if lower else np.linalg.solve, tril(x) if lower else triu(x), b)


def _solve_lower(a: Any, b: Any) -> Any:
    """By substitution, as for upper triangles: with rows and columns in the other order a lower triangle is one.

    In an upper triangle there is nothing below the diagonal that rows could be exchanged for. In a lower one there is,
    and exchanged rows fill it up and lose digits.
    """
    return np.linalg.solve(a[::-1, ::-1], b[::-1])[::-1]


def _solution(function: Callable[..., Any], a: Array, b: Any) -> Array:
    y = asarray(b)
    if y.ndim not in (1, 2) or y.shape[0] != a.shape[0]:
        raise np.linalg.LinAlgError(f"right-hand sides of shape {y.shape} do not fit a matrix of shape {a.shape}")
    dtype = np.result_type(a.dtype, y.dtype)
    columns = [2] * (y.ndim - 1)
    return contract(function, "numpy.linalg.solve", [1, *columns], [a, y], [[0, 1], [0, *columns]], dtype)


@documented(
    "A permutation, a lower and an upper triangle, of the matrix's shape. SciPy computes them in one block.",
    {"LinAlgError": "If the matrix is not square.", "NotImplementedError": "If SciPy is not installed."},
    kind="Array, Array, Array",
    a="array_like: A square matrix.",
)
def lu(a: Any) -> tuple[Array, Array, Array]:
    """The LU factorisation of a matrix: ``a = p @ l @ u``.

    >>> p, l, u = ra.linalg.lu(ra.eye(2) * 2)
    >>> u.compute()
    array([[2., 0.],
           [0., 2.]])
    """
    try:
        from scipy import linalg as scipy_linalg  # type: ignore[import-untyped]
    except ImportError as error:
        raise NotImplementedError("`lu` needs SciPy, which is not installed") from error
    x = _squares(_matrix(a, "lu"), "lu")
    parts = [
        map_blocks(lambda block, part=part: scipy_linalg.lu(block)[part], x, name="scipy.linalg.lu", dtype=x.dtype)
        for part in range(3)
    ]
    return parts[0], parts[1], parts[2]


@documented(
    "Floating, without the axes of vectors or matrices.",
    {"ValueError": "If there is no such norm.", "NotImplementedError": "For singular values of stacks of matrices."},
    x="array_like: Vectors or matrices.",
    ord="int, float or str: Which norm: any of NumPy's.",
    axis="int or pair of int: The axis of vectors, or the axes of matrices; all if not given.",
)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    """The norm of vectors or matrices.

    >>> ra.linalg.norm(ra.asarray([3.0, 4.0])).compute()
    np.float64(5.0)
    """
    a = asarray(x)
    a = a if a.dtype.kind in "fc" else a.astype(float)
    if axis is None and ord is None:
        return _root_of_squares(a, None, keepdims)
    axes = tuple(range(a.ndim)) if axis is None else normalize_axis_tuple(axis, a.ndim)
    if len(axes) == 1:
        return _vector_norm(a, ord, int(axes[0]), keepdims)
    if len(axes) != 2:
        raise ValueError(
            f"Improper number of dimensions to norm: it is of vectors or matrices, not along {len(axes)} axes"
        )
    return _matrix_norm(a, ord, axes, keepdims)


def _root_of_squares(a: Array, axis: Any, keepdims: bool) -> Array:
    return (absolute(a) ** 2).sum(axis=axis, keepdims=keepdims) ** 0.5


def _vector_norm(a: Array, ord: Any, axis: int, keepdims: bool) -> Array:
    if ord is None or ord == 2:
        return _root_of_squares(a, axis, keepdims)
    if isinstance(ord, str):
        raise ValueError(f"a vector has no norm {ord!r}")
    size = absolute(a)
    if ord == np.inf:
        return _largest(size, axis, keepdims)
    if ord == -np.inf:
        return size.min(axis=axis, keepdims=keepdims)
    if ord == 0:
        return (a != 0).astype(size.dtype).sum(axis=axis, keepdims=keepdims)
    total: Array = (size**ord).sum(axis=axis, keepdims=keepdims)
    root: Array = total ** (1.0 / ord)
    return root


def _largest(sizes: Array, axis: int, keepdims: bool) -> Array:
    """The largest of sizes, which is 0 where there is none."""
    return (
        sizes.max(axis=axis, keepdims=keepdims, initial=0) if 0 in sizes.shape else sizes.max(axis, keepdims=keepdims)
    )


def _matrix_norm(a: Array, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Array:
    if ord is None or ord == "fro":
        return _root_of_squares(a, axes, keepdims)
    rows, columns = (axis % a.ndim for axis in axes)
    if ord in (1, -1, np.inf, -np.inf):
        inner, outer = (rows, columns) if ord in (1, -1) else (columns, rows)
        sums = absolute(a).sum(axis=inner, keepdims=True)
        found = _largest(sums, outer, True) if ord > 0 else sums.min(axis=outer, keepdims=True)
        return found if keepdims else found.squeeze((rows, columns))
    if ord not in ("nuc", 2, -2):
        raise ValueError(f"a matrix has no norm {ord!r}")
    if a.ndim != 2:
        raise NotImplementedError(f"the norm {ord!r} of a stack of matrices is not implemented")
    s = svd(a)[1]
    found = s.sum() if ord == "nuc" else s.max() if ord == 2 else s.min()
    return found.reshape(1, 1) if keepdims else found


@documented(
    "How many columns.",
    kind="int",
    n="int: The length of one side of a matrix.",
    q="int: How many singular values are wanted.",
    n_oversamples="int: How many columns are drawn beyond them.",
    min_subspace_size="int: How many columns there are at least.",
)
def compression_level(n: int, q: int, n_oversamples: int = 10, min_subspace_size: int = 20) -> int:
    """How many random columns are enough to find singular values.

    >>> ra.linalg.compression_level(100, 10)
    20
    """
    return min(max(min_subspace_size, q + n_oversamples), n)


@documented(
    "Floating, with as many rows as `compression_level` says, which are orthonormal.",
    {"ValueError": "If the iterator is unknown."},
    data="array_like: A matrix.",
    q="int: How many singular values are wanted.",
    n_power_iter="int: How often the matrix is multiplied once more, for values that fall slowly.",
    n_oversamples="int: How many columns are drawn beyond the wanted ones.",
    seed="int or Generator: The seed of the sample.",
    compute="bool: Whether each step is computed at once, and kept.",
    iterator="str: How steps are stabilised: `power` (not) or `QR`.",
)
def compression_matrix(
    data: Any,
    q: int,
    iterator: str = "power",
    n_power_iter: int = 0,
    n_oversamples: int = 10,
    seed: Any = None,
    compute: bool = False,
) -> Array:
    """A matrix of few rows whose product with another keeps its largest singular values.

    N. Halko, P. G. Martinsson, J. A. Tropp: *Finding structure with randomness* (SIAM Review, 2011), algorithms 4.3
    (``iterator="power"``) and 4.4 (``"QR"``).

    >>> ra.linalg.compression_matrix(ra.ones((100, 50)), 5, seed=0).shape
    (20, 100)
    """
    if iterator not in ("power", "QR"):
        raise ValueError(f"iterator must be `power` or `QR`, not {iterator!r}")

    a = _matrix(data, "compression_matrix")
    columns = compression_level(min(a.shape), q, n_oversamples)
    normal = default_rng(seed).normal(size=(a.shape[1], columns), chunks=(a.chunks[1], -1))
    sample = matmul(a, normal.astype(np.result_type(a.dtype, np.float32)) if a.dtype.kind in "fc" else normal)
    for _ in range(n_power_iter):
        if iterator == "QR":
            sample = qr(matmul(a.T.conj(), qr(sample)[0]))[0]
            sample = matmul(a, sample)
        else:
            sample = matmul(a, matmul(a.T.conj(), sample))
        sample = sample.persist() if compute else sample
    return qr(sample)[0].T.conj()


@documented(
    "Of shapes (m, k), (k,), (k, n), floating.",
    {"LinAlgError": "If the array is no matrix."},
    kind="Array, Array, Array",
    a="array_like: A matrix of m rows and n columns.",
    k="int: How many singular values are wanted.",
    coerce_signs="bool: As for `svd`.",
    n_power_iter="int: How often the matrix is multiplied once more, for values that fall slowly.",
    n_oversamples="int: How many columns are drawn beyond the wanted ones.",
    seed="int or Generator: The seed of the sample.",
    compute="bool: Whether each step is computed at once, and kept.",
    iterator="str: How steps are stabilised: `power` (not) or `QR`.",
)
def svd_compressed(
    a: Any,
    k: int,
    iterator: str = "power",
    n_power_iter: int = 0,
    n_oversamples: int = 10,
    seed: Any = None,
    compute: bool = False,
    coerce_signs: bool = True,
) -> tuple[Array, Array, Array]:
    """The largest singular values of a matrix and their vectors, found from random samples of it.

    >>> u, s, vt = ra.linalg.svd_compressed(ra.ones((100, 50)), 1, seed=0)
    >>> s.compute().round(3)
    array([70.711])
    """
    x = _matrix(a, "svd_compressed")
    compression = compression_matrix(x, k, iterator, n_power_iter, n_oversamples, seed, compute)
    small = matmul(compression, x)
    v, s, ut = svd(small.T.conj(), coerce_signs=coerce_signs)
    u = matmul(compression.T.conj(), ut.T.conj())
    return u[:, :k], s[:k], v.T.conj()[:k, :]
