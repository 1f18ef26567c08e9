"""What `out=` and in-place operators do: an array takes over the expression of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_astype
from raskt.array.base.registry import is_array

if TYPE_CHECKING:
    from raskt._core import ArrayExpr
    from raskt.array._array import Array

__all__ = ["replaced", "write_out"]


def write_out(result: Array, out: Any) -> Any:
    """Make `out` the result: a raskt array takes over its expression, a NumPy array its computed elements."""
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if isinstance(out, np.ndarray):
        if out.shape != result.shape:
            raise ValueError(f"`out` has shape {out.shape}, and the result {result.shape}")
        np.copyto(out, result.compute(), casting="same_kind")
        return out
    if not is_array(out):
        raise TypeError(f"`out` must be an array, not {type(out).__name__}")
    return replaced(out, result.__raskt_expr__, "out")


def replaced(array: Array, expr: ArrayExpr, name: str) -> Array:
    """The array with a result in its place, if NumPy would let it be there."""
    if expr.shape != array.shape and expr.is_known:
        raise ValueError(f"in-place `{name}` cannot give shape {expr.shape} to an array of shape {array.shape}")
    if expr.dtype != array.dtype:
        if not np.can_cast(expr.dtype, array.dtype, "same_kind"):
            raise TypeError(f"in-place `{name}` gives {expr.dtype}, which an array of {array.dtype} cannot hold")
        expr = array_astype(expr, array.dtype)
    array.__raskt_expr__ = expr
    return array
