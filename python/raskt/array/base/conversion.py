"""Arrays from what is in memory, or can be read: NumPy's arrays, lists, numbers, Zarr and HDF5."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_from_numpy, array_operand, array_stack
from raskt.array.base.registry import is_array, wrap
from raskt.array.base.settings import block_bytes
from raskt.array.base.sliceable import from_sliceable

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from raskt.array._array import Array

__all__ = ["array", "asanyarray", "asarray", "from_array"]


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
    if is_array(x):
        raise ValueError("the array is raskt's already: use `rechunk` to change its chunks")
    if isinstance(x, (list, tuple, int, float, complex, np.generic)):
        x = np.asarray(x)
    if isinstance(x, np.ma.MaskedArray):
        raise NotImplementedError("masked arrays are not implemented: fill them first, as in `x.filled(np.nan)`")
    if not isinstance(x, np.ndarray) and (hasattr(x, "__array_interface__") or hasattr(x, "iloc")):
        x = np.asarray(x)  # In memory already: a pandas object, or the array of another library.
    if isinstance(x, np.ndarray):
        return wrap(array_from_numpy(x, chunks, block_bytes()))
    if all(hasattr(x, attribute) for attribute in ("shape", "dtype", "__getitem__")):
        return from_sliceable(x, chunks, lock)
    return wrap(array_from_numpy(np.asarray(x), chunks, block_bytes()))


def asarray(a: Any, dtype: DTypeLike | None = None, chunks: Any = "auto", **kwargs: Any) -> Array:
    """``a`` as an array: raskt's own as it is, anything else by :func:`from_array`.

    >>> import raskt.array as ra
    >>> ra.asarray([1, 2, 3]).sum().compute()
    np.int64(6)
    """
    if is_array(a):
        found = a
    elif (to_array := getattr(type(a), "to_raskt_array", None)) is not None:
        found = to_array(a)
    elif isinstance(a, (list, tuple)) and any(is_array(item) for item in a):
        found = wrap(array_stack([asarray(item).__raskt_expr__ for item in a], 0))
    elif not isinstance(a, np.ndarray) and (expr := array_operand(a)) is not None:
        found = wrap(expr)
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


def operand_of(x: Any) -> Any:
    """What the engine takes: numbers as they are, arrays by their expressions."""
    if type(x) in (bool, int, float, complex):
        return x
    return asarray(x).__raskt_expr__
