"""Arrays of a shape: filled with one value, counting up, or like another array."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import (
    array_arange,
    array_eye,
    array_full,
    array_linspace,
)
from raskt.array.base.conversion import asarray
from raskt.array.base.registry import wrap
from raskt.array.base.settings import block_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike

    from raskt.array._array import Array

__all__ = [
    "arange",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "identity",
    "linspace",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]


def read_lengths(shape: Any) -> list[int]:
    lengths = [operator.index(length) for length in ((shape,) if np.ndim(shape) == 0 else shape)]
    if any(length < 0 for length in lengths):
        raise ValueError(f"an array cannot have the negative length in {tuple(lengths)}")
    return lengths


def full(
    shape: int | Sequence[int],
    fill_value: Any,
    dtype: DTypeLike | None = None,
    chunks: Any = "auto",
    name: Any = None,
) -> Array:
    """An array of ``shape`` whose elements are all ``fill_value``. It takes no memory until it is computed.

    >>> import raskt.array as ra
    >>> ra.full((2, 2), 7, chunks=1).compute()
    array([[7, 7],
           [7, 7]])
    """
    if np.ndim(fill_value):
        raise ValueError(f"fill_value must be a single number, not an array of shape {np.shape(fill_value)}")
    dtype = np.asarray(fill_value).dtype if dtype is None else dtype
    return wrap(array_full(read_lengths(shape), fill_value, dtype, chunks, block_bytes()))


def zeros(shape: int | Sequence[int], dtype: DTypeLike = float, chunks: Any = "auto", name: Any = None) -> Array:
    """An array of zeros."""
    return wrap(array_full(read_lengths(shape), 0, float if dtype is None else dtype, chunks, block_bytes()))


def ones(shape: int | Sequence[int], dtype: DTypeLike = float, chunks: Any = "auto", name: Any = None) -> Array:
    """An array of ones.

    >>> import raskt.array as ra
    >>> ra.ones((1000, 1000), chunks=100).sum().compute()
    np.float64(1000000.0)
    """
    return wrap(array_full(read_lengths(shape), 1, float if dtype is None else dtype, chunks, block_bytes()))


def empty(shape: int | Sequence[int], dtype: DTypeLike = float, chunks: Any = "auto", name: Any = None) -> Array:
    """An array whose elements mean nothing; they are zeros."""
    return zeros(shape, dtype, chunks)


def full_like(
    a: Any,
    fill_value: Any,
    order: Any = None,
    dtype: Any = None,
    chunks: Any = None,
    name: Any = None,
    shape: Any = None,
) -> Array:
    """An array of one value, with the shape, data type and chunks of ``a`` where they are not given."""
    like = asarray(a)
    if shape is None:
        shape, chunks = like.shape, like.chunks if chunks is None else chunks
    return full(shape, fill_value, like.dtype if dtype is None else dtype, "auto" if chunks is None else chunks)


def zeros_like(
    a: Any, dtype: Any = None, order: Any = None, chunks: Any = None, name: Any = None, shape: Any = None
) -> Array:
    """Zeros with the shape, data type and chunks of ``a`` where they are not given."""
    return full_like(a, 0, dtype=dtype, chunks=chunks, shape=shape)


def ones_like(
    a: Any, dtype: Any = None, order: Any = None, chunks: Any = None, name: Any = None, shape: Any = None
) -> Array:
    """Ones with the shape, data type and chunks of ``a`` where they are not given."""
    return full_like(a, 1, dtype=dtype, chunks=chunks, shape=shape)


def empty_like(
    a: Any, dtype: Any = None, order: Any = None, chunks: Any = None, name: Any = None, shape: Any = None
) -> Array:
    """The same as :func:`zeros_like`: there is no memory to leave as it is."""
    return full_like(a, 0, dtype=dtype, chunks=chunks, shape=shape)


def arange(
    start: Any = 0,
    stop: Any = None,
    step: Any = 1,
    *,
    chunks: Any = "auto",
    dtype: DTypeLike | None = None,
    like: Any = None,
) -> Array:
    """Numbers from ``start`` to before ``stop`` by ``step``; with one argument, from zero to before it.

    >>> import raskt.array as ra
    >>> ra.arange(1, 10, 3, chunks=2).compute()
    array([1, 4, 7])
    """
    if stop is None:
        start, stop = 0, start
    if dtype is None:
        dtype = np.result_type(*(np.asarray(bound).dtype for bound in (start, stop, step)))
    return wrap(array_arange(start, stop, step, dtype, chunks, block_bytes()))


def linspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    chunks: Any = "auto",
    dtype: DTypeLike | None = None,
) -> Any:
    """``num`` evenly spaced numbers from ``start`` to ``stop``, ``stop`` included if ``endpoint``.

    With ``retstep``, the array and the distance between neighbours.

    >>> import raskt.array as ra
    >>> ra.linspace(0, 1, 5, chunks=2).compute()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    if num < 0:
        raise ValueError(f"linspace needs a number of samples that is not negative, not {num}")
    if isinstance(start, complex) or isinstance(stop, complex):
        raise NotImplementedError("linspace between complex numbers is not implemented: add the parts")
    found = wrap(array_linspace(float(start), float(stop), int(num), endpoint, dtype or float, chunks, block_bytes()))
    gaps = num - 1 if endpoint else num
    return (found, (stop - start) / gaps if gaps > 0 else float("nan")) if retstep else found


def eye(N: int, chunks: Any = "auto", M: int | None = None, k: int = 0, dtype: DTypeLike = float) -> Array:
    """A matrix of ``N`` rows and ``M`` columns with ones on diagonal ``k`` and zeros elsewhere.

    >>> import raskt.array as ra
    >>> ra.eye(2, dtype="int8").compute()
    array([[1, 0],
           [0, 1]], dtype=int8)
    """
    if isinstance(chunks, int) and chunks != -1:
        chunks = (chunks, chunks)
    return wrap(array_eye((N, N if M is None else M), k, float if dtype is None else dtype, chunks, block_bytes()))


def identity(n: int, dtype: DTypeLike = float, chunks: Any = "auto") -> Array:
    """The identity matrix of ``n`` rows."""
    return eye(n, chunks=chunks, dtype=dtype)
