"""Arrays of a shape: filled with one value, counting up, or like another array."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import (
    array_arange,
    array_broadcast_to,
    array_eye,
    array_full,
    array_where,
)
from raskt._errors import UnknownLengths
from raskt.array.base.arguments import NO_VALUE, check_device, check_like, check_order
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.base.lengths import lengths_of
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


_CHECKED = {
    "ValueError": "If a length is negative, or the device unknown.",
    "NotImplementedError": 'For `order="F"`, and for `like` of another class.',
}
_FILLED = "Of `dtype` and `shape`, in blocks as `chunks` says. It takes no memory until it is computed."


def _check(function: str, order: Any, device: Any, like: Any = None) -> None:
    if order is not None:
        check_order(function, order, "CKA" if function.endswith("_like") else "C")
    check_device(device)
    check_like(function, like)


@documented(
    _FILLED,
    {**_CHECKED, "ValueError": "If a length is negative, or `fill_value` does not broadcast."},
    fill_value="scalar or array_like: The element, or elements that are broadcast to the shape.",
    dtype="data-type: The type of the elements; that of `fill_value` if not given.",
)
def full(
    shape: int | Sequence[int],
    fill_value: Any,
    dtype: DTypeLike | None = None,
    order: str = "C",
    *,
    device: Any = None,
    like: Any = None,
    chunks: Any = "auto",
    name: Any = None,
) -> Array:
    """An array whose elements are all one value.

    >>> ra.full((2, 2), 7, chunks=1).compute()
    array([[7, 7],
           [7, 7]])
    """
    _check("full", order, device, like)
    if np.ndim(fill_value):
        return _filled_with(asarray(fill_value), read_lengths(shape), dtype, chunks)
    dtype = np.asarray(fill_value).dtype if dtype is None else dtype
    lengths = read_lengths(shape)
    fill_value = np.full((), fill_value, dtype)[()]  # Converted, or refused, as by NumPy.
    return wrap(array_full(lengths, fill_value, dtype, chunks, block_bytes()))


def _filled_with(values: Array, lengths: Any, dtype: DTypeLike | None, chunks: Any) -> Array:
    """Several values, broadcast."""
    values = values if dtype is None else values.astype(dtype)
    return wrap(array_broadcast_to(values.__raskt_expr__, list(lengths))).rechunk(chunks)


@documented(_FILLED, _CHECKED)
def zeros(
    shape: int | Sequence[int],
    dtype: DTypeLike | None = None,
    order: str = "C",
    *,
    device: Any = None,
    like: Any = None,
    chunks: Any = "auto",
    name: Any = None,
) -> Array:
    """An array of zeros, of float64 if no type is given.

    >>> ra.zeros((2, 2), chunks=1).compute()
    array([[0., 0.],
           [0., 0.]])
    """
    return full(shape, 0, float if dtype is None else dtype, order, device=device, like=like, chunks=chunks)


@documented(_FILLED, _CHECKED)
def ones(
    shape: int | Sequence[int],
    dtype: DTypeLike | None = None,
    order: str = "C",
    *,
    device: Any = None,
    like: Any = None,
    chunks: Any = "auto",
    name: Any = None,
) -> Array:
    """An array of ones, of float64 if no type is given.

    >>> ra.ones((1000, 1000), chunks=100).sum().compute()
    np.float64(1000000.0)
    """
    return full(shape, 1, float if dtype is None else dtype, order, device=device, like=like, chunks=chunks)


@documented(_FILLED, _CHECKED, differences="the elements are zeros, since there is no memory to leave as it is.")
def empty(
    shape: int | Sequence[int],
    dtype: DTypeLike | None = None,
    order: str = "C",
    *,
    device: Any = None,
    like: Any = None,
    chunks: Any = "auto",
    name: Any = None,
) -> Array:
    """An array whose elements mean nothing.

    >>> ra.empty((2, 3)).shape
    (2, 3)
    """
    return zeros(shape, dtype, order, device=device, like=like, chunks=chunks)


_LIKE = "Of the shape, the type and the chunks of the other array, where they are not given."
_SHAPE_LIKE = {
    "shape": "int or tuple of int: The lengths of the axes; those of the other array if not given.",
    "dtype": "data-type: The type of the elements; that of the other array if not given.",
    "chunks": "int, tuple, dict or str: The blocks; those of the other array if neither they nor a shape are given.",
    "prototype": "array_like: The other array.",
    "a": "array_like: The other array.",
}


@documented(_LIKE, _CHECKED, fill_value="scalar: The element.", **_SHAPE_LIKE)
def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
    chunks: Any = None,
    name: Any = None,
) -> Array:
    """An array of one value, like another array.

    >>> ra.full_like(ra.ones((2, 2)), 7).compute()
    array([[7., 7.],
           [7., 7.]])
    """
    _check("full_like", order, device)
    like = asarray(a)
    dtype = np.dtype(like.dtype if dtype is None else dtype)
    if shape is None and not like.__raskt_expr__.is_known:
        if chunks is not None:
            raise UnknownLengths("`chunks` of lengths that are not known yet: call `compute_chunk_sizes()` first")
        return _everywhere(like, fill_value, dtype)
    if shape is None:
        shape, chunks = like.shape, like.chunks if chunks is None else chunks
    return full(shape, fill_value, dtype, chunks="auto" if chunks is None else chunks)


def _everywhere(like: Array, fill_value: Any, dtype: np.dtype[Any]) -> Array:
    """One value in the place of each element of an array whose lengths are not known yet."""
    if np.ndim(fill_value) > like.ndim:
        raise ValueError(f"could not broadcast input array of {np.ndim(fill_value)} axes into shape {like.shape}")
    other = like.astype(dtype).__raskt_expr__
    if np.ndim(fill_value):
        value = asarray(fill_value).astype(dtype).__raskt_expr__
    else:
        value = asarray(np.full((), fill_value, dtype)).__raskt_expr__  # Converted, or refused, as by NumPy.
    with lengths_of(value, other):
        return wrap(array_where(True, value, other))


@documented(_LIKE, _CHECKED, **_SHAPE_LIKE)
def zeros_like(
    a: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
    chunks: Any = None,
    name: Any = None,
) -> Array:
    """Zeros, like another array.

    >>> ra.zeros_like(ra.ones((2, 2))).compute()
    array([[0., 0.],
           [0., 0.]])
    """
    _check("zeros_like", order, device)
    return full_like(a, 0, dtype=dtype, chunks=chunks, shape=shape)


@documented(_LIKE, _CHECKED, **_SHAPE_LIKE)
def ones_like(
    a: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
    chunks: Any = None,
    name: Any = None,
) -> Array:
    """Ones, like another array.

    >>> ra.ones_like(ra.zeros((2, 2))).compute()
    array([[1., 1.],
           [1., 1.]])
    """
    _check("ones_like", order, device)
    return full_like(a, 1, dtype=dtype, chunks=chunks, shape=shape)


@documented(
    _LIKE,
    _CHECKED,
    differences="the elements are zeros, since there is no memory to leave as it is.",
    **_SHAPE_LIKE,
)
def empty_like(
    prototype: Any,
    /,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
    chunks: Any = None,
    name: Any = None,
) -> Array:
    """An array whose elements mean nothing, like another array.

    >>> ra.empty_like(ra.ones((2, 3))).shape
    (2, 3)
    """
    _check("empty_like", order, device)
    return full_like(prototype, 0, dtype=dtype, chunks=chunks, shape=shape)


@documented(
    "Of the type that NumPy gives the bounds, or `dtype`.",
    {"ZeroDivisionError": "If the step is zero.", "NotImplementedError": "For `like` of another class."},
    start="number: The first number; with one bound alone, that is the upper one.",
    stop="number: Where it ends; it is not there itself.",
    step="number: The distance of neighbours.",
)
def arange(
    start: Any = NO_VALUE,
    stop: Any = None,
    step: Any = 1,
    *,
    dtype: DTypeLike | None = None,
    device: Any = None,
    like: Any = None,
    chunks: Any = "auto",
) -> Array:
    """Numbers from a bound to before another one, evenly spaced.

    >>> ra.arange(1, 10, 3, chunks=2).compute()
    array([1, 4, 7])
    """
    check_device(device)
    check_like("arange", like)
    if start is NO_VALUE and stop is None:
        raise TypeError("arange() requires stop to be specified.")
    start = 0 if start is NO_VALUE else start
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    if dtype is None:
        dtype = np.result_type(np.int_, *(np.asarray(bound).dtype for bound in (start, stop, step)))
    dtype = np.dtype(dtype)
    if dtype.kind != "c" and any(np.iscomplexobj(bound) for bound in (start, stop, step)):
        return asarray(np.arange(start, stop, step, dtype), chunks=chunks)  # An error of NumPy's, or nothing at all.
    try:
        length = _range_length(start, stop, step)
        second = start + step if length else start
    except OverflowError:
        raise ValueError("Maximum allowed size exceeded") from None
    if length * dtype.itemsize > np.iinfo(np.intp).max:
        raise ValueError("Maximum allowed size exceeded")
    if dtype == bool:
        if length > 2:
            raise TypeError("arange() is only supported for booleans when the result has at most length 2.")
        return asarray(np.array([start, second][:length], bool), chunks=chunks)
    # NumPy puts down the first two numbers, and goes on by their difference.
    ends = np.ones(2, dtype)
    whole = dtype.kind in "iu"  # Of any number it takes the whole part, which has to fit the type.
    if length:
        ends[0] = int(start) if whole else start
    if length > 1:
        ends[1] = int(second) if whole else second
    with np.errstate(all="ignore"):
        gap = dtype.type(1) if length < 2 or dtype == bool else ends[1] - ends[0]
    return wrap(array_arange(ends[0], gap, ends[1], length, dtype, chunks, block_bytes()))


def _range_length(start: Any, stop: Any, step: Any) -> int:
    """How many numbers there are, in the arithmetic of the bounds' own types, as NumPy counts them."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        span = stop - start
        steps: Any = span / step
        if steps == 0 and span != 0:
            return 0 if np.signbit(steps) else 1
        sizes = [steps.real, steps.imag] if isinstance(steps, complex) else [steps]
        if any(size != size or abs(size) > 2.0**63 for size in sizes):
            raise ValueError("Maximum allowed size exceeded")
        # The one length that rounding lets through is negative to NumPy.
        return max(min(-1 if size == 2.0**63 else math.ceil(size) for size in sizes), 0)


@documented(
    "Of `dtype`, with `N` rows and `M` columns.",
    _CHECKED,
    N="int: How many rows there are.",
    M="int: How many columns there are; as many as rows if not given.",
)
def eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: DTypeLike = float,
    order: str = "C",
    *,
    device: Any = None,
    like: Any = None,
    chunks: Any = "auto",
) -> Array:
    """A matrix with ones on a diagonal and zeros elsewhere.

    >>> ra.eye(2, dtype="int8").compute()
    array([[1, 0],
           [0, 1]], dtype=int8)
    """
    _check("eye", order, device, like)
    if isinstance(chunks, int) and chunks != -1:
        chunks = (chunks, chunks)
    if N < 0 or (M is not None and M < 0):
        raise ValueError("negative dimensions are not allowed")
    rows, columns = N, N if M is None else M
    k = max(-rows, min(k, columns))
    return wrap(array_eye((rows, columns), k, float if dtype is None else dtype, chunks, block_bytes()))


@documented("Of `dtype`, with `n` rows and columns.", _CHECKED, n="int: How many rows and columns there are.")
def identity(n: int, dtype: DTypeLike | None = None, *, like: Any = None, chunks: Any = "auto") -> Array:
    """The identity matrix.

    >>> ra.identity(2).compute()
    array([[1., 0.],
           [0., 1.]])
    """
    return eye(n, dtype=float if dtype is None else dtype, like=like, chunks=chunks)
