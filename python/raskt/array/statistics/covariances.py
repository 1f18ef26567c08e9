"""Covariances and correlations."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._errors import UnknownLengths
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.base.registry import is_array
from raskt.array.blocks.map_blocks import elementwise
from raskt.array.elementwise.ufuncs import sqrt
from raskt.array.linalg.matrices import diagonal
from raskt.array.manipulation.joining import concatenate
from raskt.array.statistics.averages import average

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["corrcoef", "cov"]


@documented(
    "Floating: a matrix with a row and a column for each variable.",
    {"ValueError": "If there are more than two axes."},
    m="array_like: The variables, in rows.",
    x="array_like: The variables, in rows.",
    y="array_like: More variables.",
    rowvar="bool: Whether rows are variables, and not columns.",
    bias="bool: Whether sums are divided by the number of observations, and not by one less.",
    ddof="int: What is taken off the number of observations in the divisor, whatever `bias` says.",
    fweights="array_like of int: How often each observation counts; in memory.",
    aweights="array_like: How much each observation counts; in memory.",
)
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Array:
    """The covariance matrix of variables.

    >>> ra.cov(ra.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])).compute()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    found = [asarray(part) for part in ([m] if y is None else [m, y])]
    for name, part in zip("my", found, strict=False):
        if part.ndim > 2:
            raise ValueError(f"{name} has more than 2 dimensions")
    dtype = np.result_type(*(part.dtype for part in found), np.float64) if dtype is None else np.dtype(dtype)
    rows = [(part.reshape(1, -1) if part.ndim < 2 else part).astype(dtype) for part in found]
    x = rows[0].T if not rowvar and found[0].ndim != 1 else rows[0]
    if x.shape[0] == 0:
        return asarray(np.zeros((0, 0)))
    if y is not None:
        x = concatenate([x, rows[1].T if not rowvar and rows[1].shape[0] != 1 else rows[1]], axis=0)
    if dtype.kind not in "fc":
        raise TypeError(f"the means of variables are floating, and cannot be taken off variables of {dtype}")
    if not x.__raskt_expr__.is_known:
        raise UnknownLengths("a covariance needs the number of observations: call `compute_chunk_sizes()` first")
    ddof = (0 if bias else 1) if ddof is None else int(ddof)
    w, free = _observation_weights(fweights, aweights, x.shape[1], ddof)
    if free <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=2)
        free = 0.0
    mean = x.mean(axis=1, keepdims=True) if w is None else average(x, axis=1, weights=w, keepdims=True)
    centred = (x - mean).astype(dtype)
    product = centred @ (centred if w is None else centred * w).T.conj()
    with np.errstate(divide="ignore"):
        return (product * float(np.true_divide(1, free))).squeeze()


def _observation_weights(fweights: Any, aweights: Any, count: int, ddof: int) -> tuple[Any, float]:
    """The weight of each observation, and how many degrees of freedom there are."""
    w: Any = None
    checked: list[Any] = []
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        if is_array(given):
            raise NotImplementedError(f"cov takes `{name}` in memory: compute them first")
        part = np.asarray(given, dtype=float)
        if name == "fweights" and not np.all(part == np.around(part)):
            raise TypeError("fweights must be integer")
        if part.ndim > 1:
            raise RuntimeError(f"cannot handle multidimensional {name}")
        if part.shape[0] != count:
            raise RuntimeError(f"incompatible numbers of samples and {name}")
        if any(part < 0):
            raise ValueError(f"{name} cannot be negative")
        w = part if w is None else w * part
        checked.append(part)
    if w is None:
        return None, count - ddof
    total = w.sum()
    if aweights is None or ddof == 0:
        return w, total - ddof
    return w, total - ddof * (w * checked[-1]).sum() / total


@documented(
    "Floating: a matrix with a row and a column for each variable.",
    {"ValueError": "If there are more than two axes."},
    m="array_like: The variables, in rows.",
    x="array_like: The variables, in rows.",
    y="array_like: More variables.",
    rowvar="bool: Whether rows are variables, and not columns.",
)
def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Array:
    """The correlation coefficients of variables.

    >>> ra.corrcoef(ra.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])).compute()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    c = cov(x, y, rowvar, dtype=dtype)
    if not c.ndim:
        return c / c
    deviation = sqrt(diagonal(c).real)
    found = c / deviation[:, None] / deviation[None, :]
    if found.dtype.kind == "c":
        return elementwise(_within_one, found, dtype=found.dtype)
    return found.clip(-1, 1)


def _within_one(block: Any) -> Any:
    return np.clip(block.real, -1, 1) + 1j * np.clip(block.imag, -1, 1)
