"""Arrays from memory, from rules, and like other arrays."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import (
    array_arange,
    array_eye,
    array_from_numpy,
    array_full,
    array_linspace,
    array_operand,
)
from raskt.array._array import Array
from raskt.array._settings import block_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import DTypeLike

__all__ = [
    "arange",
    "array",
    "asanyarray",
    "asarray",
    "empty",
    "empty_like",
    "eye",
    "from_array",
    "fromfunction",
    "full",
    "full_like",
    "identity",
    "indices",
    "linspace",
    "meshgrid",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]


def from_array(
    x: Any,
    chunks: Any = "auto",
    name: Any = None,
    lock: Any = False,
    asarray: bool | None = None,
    fancy: bool = True,
    getitem: Any = None,
    meta: Any = None,
    inline_array: bool = False,
) -> Array:
    """An array over the memory of a NumPy array, or over anything that can be sliced like one.

    Parameters
    ----------
    x
        A NumPy array of booleans, integers, floats or complex numbers. Its memory is used as it is, whatever its order
        and strides: don't write to it before the results are computed. Another object with ``shape``, ``dtype`` and
        ``__getitem__`` (a Zarr or HDF5 array) is read a block at a time, when it is computed.
    chunks
        ``"auto"``, a length, a tuple of them, a tuple of tuples of block lengths, a size in bytes (``"8MB"``), -1 for a
        whole axis, or a dictionary from axes to these.
    lock
        ``True``, or a lock to hold while a block is read, for an object that cannot be read by several threads.
    name, asarray, fancy, getitem, meta, inline_array
        Are taken for the sake of programs that give them, and have no effect.

    Raises
    ------
    TypeError
        For data types that raskt has no blocks of: objects, strings, dates.

    Examples
    --------
    >>> import numpy as np
    >>> import raskt.array as ra
    >>> x = ra.from_array(np.arange(6.0).reshape(2, 3), chunks=(1, 2))
    >>> x.chunks
    ((1, 1), (2, 1))
    """
    if isinstance(x, Array):
        raise ValueError("the array is raskt's already: use `rechunk` to change its chunks")
    if isinstance(x, (list, tuple, int, float, complex, np.generic)):
        x = np.asarray(x)
    if isinstance(x, np.ma.MaskedArray):
        raise NotImplementedError("masked arrays are not implemented: fill them first, as in `x.filled(np.nan)`")
    if not isinstance(x, np.ndarray) and (hasattr(x, "__array_interface__") or hasattr(x, "iloc")):
        x = np.asarray(x)  # In memory already: a pandas object, or the array of another library.
    if isinstance(x, np.ndarray):
        return Array(array_from_numpy(x, chunks, block_bytes()))
    if all(hasattr(x, attribute) for attribute in ("shape", "dtype", "__getitem__")):
        from raskt.array._sources import from_sliceable

        return from_sliceable(x, chunks, lock)
    return Array(array_from_numpy(np.asarray(x), chunks, block_bytes()))


def asarray(a: Any, dtype: DTypeLike | None = None, chunks: Any = "auto", **kwargs: Any) -> Array:
    """``a`` as an array: raskt's own as it is, anything else by :func:`from_array`.

    >>> import raskt.array as ra
    >>> ra.asarray([1, 2, 3]).sum().compute()
    np.int64(6)
    """
    if isinstance(a, Array):
        found = a
    elif (to_array := getattr(type(a), "to_raskt_array", None)) is not None:
        found = to_array(a)
    elif isinstance(a, (list, tuple)) and any(isinstance(item, Array) for item in a):
        from raskt.array._joining import stack

        found = stack([asarray(item) for item in a])
    elif not isinstance(a, np.ndarray) and (expr := array_operand(a)) is not None:
        found = Array(expr)
    else:
        found = from_array(a, chunks=chunks)
    return found if dtype is None or found.dtype == np.dtype(dtype) else found.astype(dtype)


def asanyarray(a: Any, dtype: DTypeLike | None = None, **kwargs: Any) -> Array:
    """The same as :func:`asarray`."""
    return asarray(a, dtype=dtype, **kwargs)


def array(x: Any, dtype: DTypeLike | None = None, ndmin: int = 0, **kwargs: Any) -> Array:
    """``x`` as an array with at least ``ndmin`` axes; NumPy's memory is copied, unlike by :func:`asarray`."""
    found = asarray(np.array(x) if isinstance(x, np.ndarray) else x, dtype=dtype, **kwargs)
    return found.reshape((1,) * (ndmin - found.ndim) + found.shape) if found.ndim < ndmin else found


def _lengths(shape: Any) -> list[int]:
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
    return Array(array_full(_lengths(shape), fill_value, dtype, chunks, block_bytes()))


def zeros(shape: int | Sequence[int], dtype: DTypeLike = float, chunks: Any = "auto", name: Any = None) -> Array:
    """An array of zeros."""
    return Array(array_full(_lengths(shape), 0, float if dtype is None else dtype, chunks, block_bytes()))


def ones(shape: int | Sequence[int], dtype: DTypeLike = float, chunks: Any = "auto", name: Any = None) -> Array:
    """An array of ones.

    >>> import raskt.array as ra
    >>> ra.ones((1000, 1000), chunks=100).sum().compute()
    np.float64(1000000.0)
    """
    return Array(array_full(_lengths(shape), 1, float if dtype is None else dtype, chunks, block_bytes()))


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
    return Array(array_arange(start, stop, step, dtype, chunks, block_bytes()))


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
    found = Array(array_linspace(float(start), float(stop), int(num), endpoint, dtype or float, chunks, block_bytes()))
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
    return Array(array_eye((N, N if M is None else M), k, float if dtype is None else dtype, chunks, block_bytes()))


def identity(n: int, dtype: DTypeLike = float, chunks: Any = "auto") -> Array:
    """The identity matrix of ``n`` rows."""
    return eye(n, chunks=chunks, dtype=dtype)


def indices(dimensions: Sequence[int], dtype: DTypeLike = int, chunks: Any = "auto") -> Array:
    """The coordinates of a grid: along the first axis of the result, one array for each axis of the grid."""
    from raskt.array._joining import stack

    lengths = _lengths(dimensions)
    if not lengths:
        return zeros((0,), dtype=dtype)
    grid = zeros(lengths, dtype=dtype, chunks=chunks)
    lines = [arange(length, dtype=dtype, chunks=(axis,)) for length, axis in zip(lengths, grid.chunks, strict=True)]
    places = [line.reshape([-1 if at == axis else 1 for at in range(len(lengths))]) for axis, line in enumerate(lines)]
    return stack([place + grid for place in places])


def meshgrid(*xi: Any, sparse: bool = False, indexing: str = "xy", **kwargs: Any) -> list[Array]:
    """Coordinate matrices from coordinate vectors.

    >>> import raskt.array as ra
    >>> [x.shape for x in ra.meshgrid([1, 2, 3], [4, 5])]
    [(2, 3), (2, 3)]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing must be `xy` or `ij`, not {indexing!r}")
    lines = [asarray(line).ravel() for line in xi]
    order = list(range(len(lines)))
    if indexing == "xy" and len(lines) > 1:
        order[0], order[1] = 1, 0
    grids = [
        line.reshape([-1 if at == order[axis] else 1 for at in range(len(lines))]) for axis, line in enumerate(lines)
    ]
    if sparse:
        return grids
    from raskt.array._axes import broadcast_arrays

    return list(broadcast_arrays(*grids))


def fromfunction(
    function: Callable[..., Any],
    chunks: Any = "auto",
    shape: Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
    **kwargs: Any,
) -> Array:
    """``function`` of the coordinates, called on each block of them.

    >>> import raskt.array as ra
    >>> ra.fromfunction(lambda i, j: i + j, shape=(2, 2), dtype=int).compute()
    array([[0, 1],
           [1, 2]])
    """
    from raskt.array._blocks import map_blocks

    if shape is None:
        raise ValueError("fromfunction needs a shape")
    dtype = np.dtype(float if dtype is None else dtype)
    places = indices(shape, dtype=dtype, chunks=chunks)
    coordinates = [places[axis] for axis in range(len(shape))]
    return map_blocks(function, *coordinates, dtype=dtype, **kwargs)
