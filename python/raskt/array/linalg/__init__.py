"""Factorisations, solutions and norms; the counterpart of ``numpy.linalg``.

``svd``, ``qr`` and ``lstsq`` run natively, by blocks of rows for tall matrices. What says *(by NumPy)* puts the matrix
in one block first.
"""

from __future__ import annotations

from numpy.linalg import LinAlgError as LinAlgError

from raskt.array.linalg.decompositions import (
    cholesky,
    compression_level,
    compression_matrix,
    inv,
    lstsq,
    lu,
    norm,
    qr,
    sfqr,
    solve,
    solve_triangular,
    svd,
    svd_compressed,
    tsqr,
)

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
