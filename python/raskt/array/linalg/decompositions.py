"""Factorisations, solutions and norms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_lstsq, array_qr, array_svd
from raskt.array.base.conversion import asarray
from raskt.array.base.registry import wrap
from raskt.array.blocks.blockwise import contract
from raskt.array.blocks.map_blocks import map_blocks
from raskt.array.elementwise.ufuncs import absolute
from raskt.array.linalg.matrices import tril, triu
from raskt.array.linalg.products import matmul
from raskt.array.random.generator import default_rng
from raskt.array.selection.where import where

if TYPE_CHECKING:
    from collections.abc import Callable

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
    if x.ndim != 2:
        raise np.linalg.LinAlgError(f"{what} takes a matrix, not an array of {x.ndim} axes")
    return x


def svd(a: Any, coerce_signs: bool = True, full_matrices: bool = False) -> tuple[Array, Array, Array]:
    """The thin singular value decomposition ``u, s, vt`` of a matrix: ``a = u @ diag(s) @ vt``.

    Parameters
    ----------
    a
        A matrix of m rows and n columns, with k = min(m, n).
    coerce_signs
        Whether to choose the signs of singular vectors so that the sum of each row of ``vt`` is not negative, whichever
        way they were found.
    full_matrices
        Must be false.

    Returns
    -------
    u, s, vt
        Of shapes (m, k), (k,), (k, n). Singular values stand in descending order.

    >>> import raskt.array as ra
    >>> u, s, vt = ra.linalg.svd(ra.eye(4, chunks=2)[:, :2] * 3)
    >>> s.compute()
    array([3., 3.])
    """
    if full_matrices:
        raise NotImplementedError("the full matrices of an SVD are not implemented: pass `full_matrices=False`")
    u, s, vt = (wrap(expr) for expr in array_svd(_matrix(a, "svd").__raskt_expr__))
    if not coerce_signs or vt.dtype.kind == "c":
        return u, s, vt
    signs = where(vt.sum(axis=1) < 0, -1.0, 1.0).astype(vt.dtype)
    return u * signs[None, :], s, vt * signs[:, None]


def qr(a: Any, mode: str = "reduced") -> tuple[Array, Array]:
    """The thin QR factorisation of a matrix: ``a = q @ r``.

    The columns of ``q`` are orthonormal, and ``r`` is upper triangular. A matrix with more columns than rows is put in
    one block.
    """
    if mode != "reduced":
        raise NotImplementedError(f"qr with mode {mode!r} is not implemented: only `reduced` is")
    x = _matrix(a, "qr")
    q, r = array_qr((x.rechunk(-1) if x.shape[0] < x.shape[1] else x).__raskt_expr__)
    return wrap(q), wrap(r)


def tsqr(data: Any, compute_svd: bool = False, **kwargs: Any) -> tuple[Array, ...]:
    """The QR factorisation of a tall matrix (or its SVD), by blocks of rows; the same as :func:`qr` and :func:`svd`."""
    return svd(data) if compute_svd else qr(data)


def sfqr(data: Any, name: Any = None) -> tuple[Array, Array]:
    """The QR factorisation of a short and wide matrix; the same as :func:`qr`."""
    return qr(data)


def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[Array, Array, Array, Array]:
    """The least-squares solution of ``a @ x = b``.

    Returns
    -------
    x, residuals, rank, s
        The solution, the sums of squared distances for each column of ``b``, the rank of ``a`` and its singular values.

    >>> import raskt.array as ra
    >>> a = ra.asarray([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> ra.linalg.lstsq(a, ra.asarray([1.0, 3.0, 5.0]))[0].compute().round(6)
    array([1., 2.])
    """
    if rcond is not None and rcond != -1:
        raise NotImplementedError("lstsq with `rcond` is not implemented: the machine's precision is used")
    y = asarray(b)
    if y.ndim not in (1, 2):
        raise np.linalg.LinAlgError(f"lstsq takes right-hand sides of one or two axes, not of {y.ndim}")
    found = array_lstsq(_matrix(a, "lstsq").__raskt_expr__, y.__raskt_expr__)
    solution, residuals, rank, singular = (wrap(expr) for expr in found)
    return solution, residuals, rank, singular


def _squares(a: Any, what: str) -> Array:
    x = asarray(a)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise np.linalg.LinAlgError(f"{what} takes square matrices, not an array of shape {x.shape}")
    x = x if x.dtype.kind in "fc" else x.astype(float)
    return x.rechunk({x.ndim - 2: -1, x.ndim - 1: -1})


def _of_matrices(function: Callable[..., Any], x: Array) -> Array:
    """A NumPy function of square matrices that gives matrices of their shape."""
    return map_blocks(function, x, name=f"numpy.linalg.{function.__name__}", dtype=x.dtype)


def inv(a: Any) -> Array:
    """The inverse of a square matrix, or of a stack of them (by NumPy)."""
    return _of_matrices(np.linalg.inv, _squares(a, "inv"))


def cholesky(a: Any, lower: bool = False) -> Array:
    """The Cholesky factor of a positive definite matrix: upper triangular, or lower (by NumPy)."""
    factor = _of_matrices(np.linalg.cholesky, _squares(a, "cholesky"))
    return factor if lower else factor.swapaxes(-1, -2).conj()


def solve(a: Any, b: Any, sym_pos: bool = False, assume_a: str = "gen") -> Array:
    """The solution of ``a @ x = b`` for a square matrix (by NumPy)."""
    return _solution(np.linalg.solve, _squares(_matrix(a, "solve"), "solve"), b)


def solve_triangular(a: Any, b: Any, lower: bool = False) -> Array:
    """The solution of ``a @ x = b`` for a triangular matrix, whose other triangle is not looked at (by NumPy)."""
    x = _squares(_matrix(a, "solve_triangular"), "solve_triangular")
    return _solution(np.linalg.solve, tril(x) if lower else triu(x), b)


def _solution(function: Callable[..., Any], a: Array, b: Any) -> Array:
    y = asarray(b)
    if y.ndim not in (1, 2) or y.shape[0] != a.shape[0]:
        raise np.linalg.LinAlgError(f"right-hand sides of shape {y.shape} do not fit a matrix of shape {a.shape}")
    dtype = np.result_type(a.dtype, y.dtype)
    columns = [2] * (y.ndim - 1)
    return contract(function, "numpy.linalg.solve", [1, *columns], [a, y], [[0, 1], [0, *columns]], dtype)


def lu(a: Any) -> tuple[Array, Array, Array]:
    """The factors ``p, l, u`` of a square matrix: a permutation, a lower and an upper triangle (by SciPy)."""
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


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    """The norm of vectors or matrices, as ``numpy.linalg.norm`` defines it.

    >>> import raskt.array as ra
    >>> ra.linalg.norm(ra.asarray([3.0, 4.0])).compute()
    np.float64(5.0)
    """
    a = asarray(x)
    a = a if a.dtype.kind in "fc" else a.astype(float)
    if axis is None and (ord is None or a.ndim == 0):
        return _root_of_squares(a, None, keepdims)
    axes = tuple(range(a.ndim)) if axis is None else (axis,) if isinstance(axis, (int, np.integer)) else tuple(axis)
    if len(axes) == 1:
        return _vector_norm(a, ord, int(axes[0]), keepdims)
    if len(axes) != 2:
        raise ValueError(f"a norm is of vectors or matrices, not along {len(axes)} axes")
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
        return size.max(axis=axis, keepdims=keepdims)
    if ord == -np.inf:
        return size.min(axis=axis, keepdims=keepdims)
    if ord == 0:
        return (a != 0).astype(size.dtype).sum(axis=axis, keepdims=keepdims)
    total: Array = (size**ord).sum(axis=axis, keepdims=keepdims)
    root: Array = total ** (1.0 / ord)
    return root


def _matrix_norm(a: Array, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Array:
    if ord is None or ord == "fro":
        return _root_of_squares(a, axes, keepdims)
    rows, columns = (axis % a.ndim for axis in axes)
    if ord in (1, -1, np.inf, -np.inf):
        inner, outer = (rows, columns) if ord in (1, -1) else (columns, rows)
        sums = absolute(a).sum(axis=inner, keepdims=True)
        found = sums.max(axis=outer, keepdims=True) if ord > 0 else sums.min(axis=outer, keepdims=True)
        return found if keepdims else found.squeeze((rows, columns))
    if ord not in ("nuc", 2, -2):
        raise ValueError(f"a matrix has no norm {ord!r}")
    if a.ndim != 2:
        raise NotImplementedError(f"the norm {ord!r} of a stack of matrices is not implemented")
    s = svd(a)[1]
    found = s.sum() if ord == "nuc" else s.max() if ord == 2 else s.min()
    return found.reshape(1, 1) if keepdims else found


def compression_level(n: int, q: int, n_oversamples: int = 10, min_subspace_size: int = 20) -> int:
    """How many columns are enough to find ``q`` singular values of a matrix of which one side is ``n``."""
    return min(max(min_subspace_size, q + n_oversamples), n)


def compression_matrix(
    data: Any,
    q: int,
    iterator: str = "power",
    n_power_iter: int = 0,
    n_oversamples: int = 10,
    seed: Any = None,
    compute: bool = False,
) -> Array:
    """A matrix of few orthonormal rows whose product with ``data`` keeps its largest singular values.

    N. Halko, P. G. Martinsson, J. A. Tropp: *Finding structure with randomness* (SIAM Review, 2011), algorithms 4.3
    (``iterator="power"``) and 4.4 (``"QR"``).
    """
    if iterator not in ("power", "QR"):
        raise ValueError(f"iterator must be `power` or `QR`, not {iterator!r}")

    a = _matrix(data, "compression_matrix")
    columns = compression_level(min(a.shape), q, n_oversamples)
    sample = matmul(a, default_rng(seed).normal(size=(a.shape[1], columns), chunks=(a.chunks[1], -1)))
    for _ in range(n_power_iter):
        if iterator == "QR":
            sample = qr(matmul(a.T.conj(), qr(sample)[0]))[0]
            sample = matmul(a, sample)
        else:
            sample = matmul(a, matmul(a.T.conj(), sample))
        sample = sample.persist() if compute else sample
    return qr(sample)[0].T.conj()


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
    """The ``k`` largest singular values of a matrix and their vectors, found from random samples of it."""
    x = _matrix(a, "svd_compressed")
    compression = compression_matrix(x, k, iterator, n_power_iter, n_oversamples, seed, compute)
    small = matmul(compression, x)
    v, s, ut = svd(small.T.conj(), coerce_signs=coerce_signs)
    u = matmul(compression.T.conj(), ut.T.conj())
    return u[:, :k], s[:k], v.T.conj()[:k, :]
