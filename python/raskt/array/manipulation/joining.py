"""Arrays put together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_concatenate, array_stack
from raskt.array.base.conversion import asarray, common_type, in_type
from raskt.array.base.documentation import documented
from raskt.array.base.out import write_out
from raskt.array.base.registry import is_array, wrap
from raskt.array.manipulation.axes import atleast_1d, atleast_2d, atleast_3d, expand_dims

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import DTypeLike

    from raskt.array._array import Array

__all__ = ["append", "block", "column_stack", "concat", "concatenate", "dstack", "hstack", "stack", "vstack"]

_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")
_RESULT = "Of the type that NumPy promotes the arrays' types to, or `dtype`; with the blocks of the arrays in turn."
_COMMON = {
    "arrays": "sequence of array_like: The arrays.",
    "tup": "sequence of array_like: The arrays.",
    "dtype": "data-type: The type of the result; not with `out`.",
    "allow_unknown_chunksizes": "bool: Taken for the sake of Dask's programs; lengths may always be unknown.",
}
_RAISES = {
    "ValueError": "If shapes don't fit, or there is no array.",
    "TypeError": "If `casting` forbids a cast, or both `out` and `dtype` are given.",
}


@documented(_RESULT, _RAISES, axis="int: The axis; if `None`, arrays are flattened first.", **_COMMON)
def concatenate(
    arrays: Sequence[Any],
    /,
    axis: int | None = 0,
    out: Any = None,
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
    allow_unknown_chunksizes: bool = False,
) -> Array:
    """Arrays one after the other along an axis.

    >>> ra.concatenate([ra.arange(2), ra.arange(3)]).compute()
    array([0, 1, 0, 1, 2])
    """
    arrays = list(arrays)
    if axis is None:
        kind = common_type(arrays) if arrays else None
        wanted: Any = dtype if dtype is not None else getattr(out, "dtype", kind)
        # Numbers take the type of the result at once, if they may take it from that of the arrays.
        allowed = kind is not None and casting in _CASTINGS and np.can_cast(kind, wanted, casting)  # type: ignore[arg-type]
        arrays, axis = [in_type(array, np.dtype(wanted) if allowed else kind).ravel() for array in arrays], 0
    parts = [array if is_array(array) else asarray(array) for array in arrays]
    return _joined("concatenate", array_concatenate, parts, axis, out, dtype, casting)


concat = concatenate


@documented(_RESULT, _RAISES, axis="int: Where the new axis stands in the result.", **_COMMON)
def stack(
    arrays: Sequence[Any],
    axis: int = 0,
    out: Any = None,
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
    allow_unknown_chunksizes: bool = False,
) -> Array:
    """Arrays of one shape side by side along a new axis.

    >>> ra.stack([ra.zeros(3), ra.ones(3)], axis=1).shape
    (3, 2)
    """
    parts = [array if is_array(array) else asarray(array) for array in arrays]
    return _joined("stack", array_stack, parts, axis, out, dtype, casting)


def _joined(
    name: str, join: Callable[..., Any], parts: Sequence[Array], axis: int, out: Any, dtype: Any, casting: str
) -> Any:
    """The arrays joined, each converted by itself to the type of the result if `casting` allows that."""
    if out is not None and dtype is not None:
        raise TypeError(f"{name}() only takes `out` or `dtype` as an argument, but both were provided.")
    if casting not in _CASTINGS:
        raise ValueError(f"casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got {casting!r})")
    result = wrap(join([part.__raskt_expr__ for part in parts], axis))
    if dtype is None and out is None and casting in ("same_kind", "safe", "unsafe"):
        return result  # The type that all of them can be converted to, without a look at each.
    wanted = np.dtype(dtype) if dtype is not None else result.dtype if out is None else out.dtype
    for part in parts:
        if not np.can_cast(part.dtype, wanted, casting):  # type: ignore[arg-type]
            raise TypeError(f"Cannot cast array data from {part.dtype} to {wanted} according to the rule '{casting}'")
    if result.dtype != wanted:
        result = wrap(join([part.astype(wanted).__raskt_expr__ for part in parts], axis))
    return result if out is None else write_out(result, out)


@documented(_RESULT, _RAISES, **_COMMON)
def vstack(
    tup: Sequence[Any],
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
    allow_unknown_chunksizes: bool = False,
) -> Array:
    """Arrays one below the other, along the first axis; vectors are rows.

    >>> ra.vstack([ra.arange(2), ra.arange(2)]).compute()
    array([[0, 1],
           [0, 1]])
    """
    return concatenate([atleast_2d(array) for array in tup], axis=0, dtype=dtype, casting=casting)


@documented(_RESULT, _RAISES, **_COMMON)
def hstack(
    tup: Sequence[Any],
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
    allow_unknown_chunksizes: bool = False,
) -> Array:
    """Arrays side by side: along the second axis, or the first if there is no second.

    >>> ra.hstack([ra.arange(2), ra.arange(3)]).compute()
    array([0, 1, 0, 1, 2])
    """
    arrays = [atleast_1d(array) for array in tup]
    axis = 0 if arrays and arrays[0].ndim == 1 else 1
    return concatenate(arrays, axis=axis, dtype=dtype, casting=casting)


@documented(_RESULT, _RAISES, **_COMMON)
def dstack(tup: Sequence[Any], *, allow_unknown_chunksizes: bool = False) -> Array:
    """Arrays one behind the other, along the third axis.

    >>> ra.dstack([ra.arange(2), ra.arange(2)]).shape
    (1, 2, 2)
    """
    return concatenate([atleast_3d(array) for array in tup], axis=2)


@documented(_RESULT, {"ValueError": "If shapes don't fit, or there is no array."}, **_COMMON)
def column_stack(tup: Sequence[Any]) -> Array:
    """Vectors as the columns of a matrix; matrices side by side.

    >>> ra.column_stack([ra.arange(2), ra.arange(2)]).compute()
    array([[0, 0],
           [1, 1]])
    """
    arrays = [asarray(array) for array in tup]
    return concatenate([expand_dims(x.ravel() if not x.ndim else x, 1) if x.ndim < 2 else x for x in arrays], axis=1)


@documented(
    _RESULT,
    {"ValueError": "If a list is empty, lists are nested unequally deep, or shapes don't fit."},
    **_COMMON | {"arrays": "nested list of array_like: The blocks; the innermost lists go along the last axis."},
)
def block(arrays: Any, allow_unknown_chunksizes: bool = False) -> Array:
    """An array from nested lists of blocks.

    >>> ra.block([[ra.eye(2), ra.zeros((2, 1))]]).shape
    (2, 3)
    """
    depth = _depth(arrays)
    ndim = max(depth, *(asarray(leaf).ndim for leaf in _leaves(arrays)))
    return _block(arrays, depth, ndim)


def _depth(arrays: Any) -> int:
    if isinstance(arrays, tuple):
        raise TypeError("only lists can be used to arrange blocks, and np.block does not allow tuples")
    if not isinstance(arrays, list):
        return 0
    if not arrays:
        raise ValueError("block takes no empty lists")
    depths = {_depth(item) for item in arrays}
    if len(depths) > 1:
        raise ValueError("the lists that `block` takes must be nested equally deep")
    return depths.pop() + 1


def _leaves(arrays: Any) -> list[Any]:
    return [leaf for item in arrays for leaf in _leaves(item)] if isinstance(arrays, list) else [arrays]


def _block(arrays: Any, depth: int, ndim: int) -> Array:
    if not isinstance(arrays, list):
        leaf = asarray(arrays)
        return expand_dims(leaf, tuple(range(ndim - leaf.ndim)))
    return concatenate([_block(item, depth - 1, ndim) for item in arrays], axis=ndim - depth)


@documented(
    _RESULT,
    {"ValueError": "If shapes don't fit."},
    values="array_like: What is put after it.",
    axis="int: The axis; if not given, both are flattened first.",
)
def append(arr: Any, values: Any, axis: int | None = None) -> Array:
    """Values after an array.

    >>> ra.append([1, 2], [[3], [4]]).compute()
    array([1, 2, 3, 4])
    """
    return concatenate([asarray(arr), asarray(values)], axis=axis)
