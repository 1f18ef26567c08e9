"""Arrays from what is in memory, or can be read: NumPy's arrays, lists, numbers, Zarr and HDF5."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_from_numpy, array_operand, array_stack
from raskt.array.base.arguments import check_device, check_like, check_meta, check_order, refuse
from raskt.array.base.documentation import documented
from raskt.array.base.plain import check_plain
from raskt.array.base.registry import is_array, wrap
from raskt.array.base.settings import block_bytes
from raskt.array.base.sliceable import from_sliceable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike

    from raskt.array._array import Array

__all__ = ["array", "asanyarray", "asarray", "from_array"]

#: The numbers of Python's own that have no type in NumPy until they meet an array.
WEAK = (int, float, complex)


@documented(
    "Of the type of `x`, in blocks as `chunks` says.",
    {
        "TypeError": "For data types that raskt has no blocks of: objects, strings, dates, float16.",
        "ValueError": "If `x` is a lazy array already: use `rechunk`.",
        "NotImplementedError": "For masked arrays, `numpy.matrix`, and `asarray=False`.",
    },
    x=(
        "array_like: A NumPy array of booleans, integers, floats or complex numbers, which is copied: what is written "
        "to it afterwards changes no result. One that can't be written to (``x.flags.writeable = False``) and a "
        "``numpy.memmap`` are used as they are. Another object with ``shape``, ``dtype`` and ``__getitem__`` (a Zarr "
        "or HDF5 array) is read a block at a time, as it is computed."
    ),
    lock="bool or lock: `True`, or a lock to hold while a block is read, for an object that threads can't share.",
    asarray="bool: Whether blocks become NumPy arrays, as they always do; `False` is refused.",
    fancy="bool: Whether the object takes lists of positions; it is asked for slices alone.",
    getitem="callable: Takes the object and slices, and gives a block; the object's own if not given.",
    meta="numpy.ndarray: An example of a block; the type is that of `x`.",
    inline_array="bool: Where Dask's graph holds the object; there is no difference here.",
)
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
    """An array of what a NumPy array holds, or anything that can be sliced like one.

    >>> import numpy as np
    >>> x = ra.from_array(np.arange(6.0).reshape(2, 3), chunks=(1, 2))
    >>> x.chunks
    ((1, 1), (2, 1))
    """
    check_meta("from_array", meta)
    if asarray is False:
        refuse("from_array", "asarray", asarray, "blocks are NumPy arrays")
    if is_array(x):
        raise ValueError("the array is raskt's already: use `rechunk` to change its chunks")
    if isinstance(x, (list, tuple, int, float, complex, np.generic)):
        x = np.asarray(x)
    check_plain(x)
    of_another_type = hasattr(x, "__array__") and not isinstance(getattr(x, "dtype", None), (np.dtype, type(None)))
    if not isinstance(x, np.ndarray) and (hasattr(x, "__array_interface__") or hasattr(x, "iloc") or of_another_type):
        x = np.asarray(x)  # In memory already: a pandas object, or the array of another library.
    if getitem is not None:
        return from_sliceable(x, chunks, lock, getitem)
    if isinstance(x, np.ndarray):
        return wrap(array_from_numpy(x, chunks, block_bytes(), False))
    if all(hasattr(x, attribute) for attribute in ("shape", "dtype", "__getitem__")):
        return from_sliceable(x, chunks, lock)
    return wrap(array_from_numpy(np.asarray(x), chunks, block_bytes(), False))


_CHECKED = {
    "ValueError": "For `copy=False` where memory must be copied, and for unknown devices.",
    "NotImplementedError": 'For `order="F"`, and for `like` of another class.',
}
_BLOCKS = {"chunks": "int, tuple, dict or str: The blocks of what is no lazy array yet, as for `from_array`."}


@documented("Of the type `dtype`, or of that of `a`. A lazy array is given back as it is.", _CHECKED, **_BLOCKS)
def asarray(
    a: Any,
    dtype: DTypeLike | None = None,
    order: str | None = None,
    *,
    device: Any = None,
    copy: bool | None = None,
    like: Any = None,
    chunks: Any = "auto",
) -> Array:
    """Anything array-like as a lazy array.

    >>> ra.asarray([1, 2, 3]).sum().compute()
    np.int64(6)
    """
    if order is not None:
        check_order("asarray", order)
    check_device(device)
    check_like("asarray", like)
    if copy is False and not isinstance(a, np.ndarray) and not is_array(a):
        raise ValueError("Unable to avoid copy while creating an array as requested: `a` is no array")
    check_plain(a)
    if dtype is not None and isinstance(a, (bool, int, float, complex, list, tuple)) and not _holds_arrays(a):
        a = np.asarray(a, dtype)  # NumPy converts numbers of Python's own one by one: those that don't fit are errors.
    if copy is False and isinstance(a, np.ndarray):
        found = wrap(array_from_numpy(a, chunks, block_bytes(), True))
    else:
        found = _converted(a, chunks)
    if dtype is None or found.dtype == np.dtype(dtype):
        return found
    if copy is False:
        raise ValueError(f"Unable to avoid copy while converting {found.dtype} to {np.dtype(dtype)}")
    return found.astype(dtype)


def _holds_arrays(a: Any) -> bool:
    """Whether a list holds a lazy array, on any level."""
    return is_array(a) or (isinstance(a, (list, tuple)) and any(map(_holds_arrays, a)))


def _converted(a: Any, chunks: Any) -> Array:
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
    return found


@documented("Of the type `dtype`, or of that of `a`. A lazy array is given back as it is.", _CHECKED, **_BLOCKS)
def asanyarray(
    a: Any,
    dtype: DTypeLike | None = None,
    order: str | None = None,
    *,
    device: Any = None,
    copy: bool | None = None,
    like: Any = None,
    chunks: Any = "auto",
) -> Array:
    """Anything array-like as a lazy array: another name of :func:`asarray`, since lazy arrays have no subclasses.

    >>> ra.asanyarray([1, 2, 3]).shape
    (3,)
    """
    return asarray(a, dtype, order, device=device, copy=copy, like=like, chunks=chunks)


@documented(
    "Of the type `dtype`, or of that of `object`.",
    _CHECKED,
    object="array_like: The array, or what NumPy makes one of.",
    ndmin="int: How many axes there are at least; new ones come first.",
    ndmax="int: How many levels of lists are axes at most; only 0, which sets no limit, is implemented.",
    **_BLOCKS,
)
def array(
    object: Any,
    dtype: DTypeLike | None = None,
    *,
    copy: bool | None = True,
    order: str | None = "K",
    subok: bool = False,
    ndmin: int = 0,
    ndmax: int = 0,
    like: Any = None,
    chunks: Any = "auto",
) -> Array:
    """Anything array-like as a lazy array, with its memory copied.

    >>> ra.array([1, 2, 3], ndmin=2).shape
    (1, 3)
    """
    if ndmax != 0:
        refuse("array", "ndmax", ndmax, "make a NumPy array of objects first")
    found = asarray(object, dtype, order, copy=copy, like=like, chunks=chunks)
    return found.reshape((1,) * (ndmin - found.ndim) + found.shape) if found.ndim < ndmin else found


def as_assigned(value: Any, dtype: np.dtype[Any]) -> Array:
    """The value as an array of `dtype`, by the conversion that NumPy assigns with."""
    if is_array(value) or hasattr(type(value), "to_raskt_array"):
        return asarray(value).astype(dtype)
    return asarray(held(value, dtype))


def held(value: Any, dtype: np.dtype[Any]) -> Any:
    """A value in memory as NumPy assigns it to elements of `dtype`: a number that doesn't fit raises."""
    check_plain(value)
    holder = np.empty(np.shape(value), dtype)
    holder[...] = value
    return holder


def common_type(values: Sequence[Any]) -> np.dtype[Any]:
    """The type that NumPy promotes values to, of which numbers of Python's own have none until they meet another."""
    return np.result_type(*(type(x)(0) if type(x) in WEAK else asarray(x).dtype for x in values))


def in_type(value: Any, dtype: np.dtype[Any]) -> Array:
    """The value as an array; a number of Python's own is one of `dtype`, which it need not fit."""
    with np.errstate(all="ignore"):
        return asarray(np.asarray(value).astype(dtype) if type(value) in WEAK else value)


def weak_or_array(x: Any) -> Any:
    """Numbers of Python's own as they are, since they take the type of what they meet; all else as an array."""
    return x if type(x) in (bool, *WEAK) else asarray(x)


def operand_of(x: Any) -> Any:
    """What the engine takes: numbers as they are, arrays by their expressions."""
    if type(x) in (bool, *WEAK):
        return x
    return asarray(x).__raskt_expr__
