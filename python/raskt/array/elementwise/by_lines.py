"""Reductions and running reductions by ufuncs that the engine doesn't reduce by: NumPy's, of whole lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from raskt.array.base.out import write_out
from raskt.array.blocks.map_blocks import map_blocks

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["accumulate_lines", "reduce_lines"]


def accumulate_lines(ufunc: Any, array: Array, axis: int, dtype: Any, out: Any) -> Any:
    """`ufunc.accumulate` along an axis, which is put in one block."""
    at = normalize_axis_index(axis, array.ndim)
    dtype = _type_with(ufunc, array, out) if dtype is None and out is not None else dtype
    kind = ufunc.accumulate(np.ones((1,) * array.ndim, array.dtype), at, dtype).dtype

    def accumulate(block: Any) -> Any:
        with np.errstate(all="ignore"):
            return ufunc.accumulate(block, at, dtype)

    found = map_blocks(accumulate, array.rechunk({at: -1}), name=f"numpy.{ufunc.__name__}.accumulate", dtype=kind)
    return found if out is None else write_out(found, out, "unsafe")


def reduce_lines(
    ufunc: Any, array: Array, axis: Any, dtype: Any, out: Any, keepdims: bool, options: dict[str, Any]
) -> Any:
    """`ufunc.reduce` along axes, which are put in one block each."""
    if not array.ndim and (axis is None or axis in (0, -1)):
        axis = ()  # By NumPy's courtesy a single number has an axis, along which it stands alone.
    axes = tuple(range(array.ndim)) if axis is None else normalize_axis_tuple(axis, array.ndim)
    dtype = _type_with(ufunc, array, out) if dtype is None and out is not None else dtype
    # What NumPy refuses of these types and axes is refused at the call.
    trial = np.ones(tuple(min(length, 1) for length in array.shape), array.dtype)
    kind = np.asarray(ufunc.reduce(trial, axes, dtype, keepdims=True, **options)).dtype

    def reduce(block: Any) -> Any:
        with np.errstate(all="ignore"):
            if ufunc in _STALE and kind.kind == "f" and len(axes) == 1:
                return _folded(ufunc, block, axes[0], kind, options)
            return ufunc.reduce(block, axes, dtype, keepdims=True, **options)

    whole = array.rechunk(dict.fromkeys(axes, -1)) if axes else array
    chunks = [(1,) if at in axes else lengths for at, lengths in enumerate(whole.chunks)]
    found = map_blocks(reduce, whole, name=f"numpy.{ufunc.__name__}.reduce", dtype=kind, chunks=chunks)
    found = found if keepdims else found.squeeze(axes)
    return found if out is None else write_out(found, out, "unsafe")


def _type_with(ufunc: Any, array: Array, out: Any) -> Any:
    """The type that NumPy computes in where results go to `out`: its elements are the ufunc's first operands."""
    kind = (out[0] if isinstance(out, tuple) else out).dtype
    ufunc.reduce(np.ones((1, 1), array.dtype), 0, out=np.zeros(1, kind))  # What NumPy refuses is refused at the call.
    return ufunc.resolve_dtypes((kind, array.dtype, None), casting="unsafe")[-1]


#: NumPy reduces lines that are contiguous in memory by loops of these that read results before they are written.
_STALE = {np.power, np.arctan2}


def _folded(ufunc: Any, block: Any, axis: int, kind: Any, options: dict[str, Any]) -> Any:
    """`ufunc.reduce` along one axis, element by element."""
    rows = iter(np.moveaxis(block, axis, 0))
    found = options.get("initial")
    if found is None:
        found = next(rows).astype(kind)
    for row in rows:
        found = ufunc(found, row, dtype=kind)
    shape = tuple(1 if at == axis else length for at, length in enumerate(block.shape))
    return np.broadcast_to(np.asarray(found, kind), shape[:axis] + shape[axis + 1 :]).reshape(shape)
