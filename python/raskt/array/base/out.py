"""What `out=` and in-place operators do: an array takes over the expression of a result."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_astype, array_where
from raskt._errors import UnknownLengths, Unsupported
from raskt.array.base.lengths import lengths_of, of_lengths, shapes_differ
from raskt.array.base.registry import is_array, wrap

if TYPE_CHECKING:
    from raskt._core import ArrayExpr
    from raskt.array._array import Array

__all__ = ["SWAP", "average_input", "in_place_of", "replaced", "write_back", "write_out"]

#: Is held while an array takes over an expression, if it is still the one that the new expression was made of. What
#: threads do to one array at a time is so done one after the other; nothing is computed meanwhile.
SWAP = threading.Lock()


def write_out(result: Array, out: Any, casting: Any = "same_kind", *, broadcast: bool = False) -> Any:
    """Make `out` the result: a raskt array takes over its expression, a NumPy array its computed elements.

    `out` has the result's shape, but for functions that NumPy broadcasts their result in.
    """
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if isinstance(out, np.ndarray):
        found = result if result.__raskt_expr__.is_known else result.compute()
        if not broadcast or np.broadcast_shapes(out.shape, found.shape) != out.shape:
            _check_shape(out, found)
        np.copyto(out, np.asarray(found), casting=casting)
        return out
    if not is_array(out):
        raise TypeError(f"`out` must be an array, not {type(out).__name__}")
    if not broadcast:
        _check_shape(out, result)
    if not np.can_cast(result.dtype, out.dtype, casting):
        raise TypeError(f"in-place `out` gives {result.dtype}, which an array of {out.dtype} cannot hold")
    return replaced(out, in_place_of(out, result.astype(out.dtype)).__raskt_expr__, "out")


def _check_shape(out: Any, result: Any) -> None:
    if shapes_differ(tuple(out.shape), tuple(result.shape)):
        raise ValueError(f"`out` has shape {out.shape}, and the result {result.shape}")


def in_place_of(array: Array, result: Array) -> Array:
    """The result, of the type of an array and, which may show only when it is computed, of its shape."""
    if result.__raskt_expr__.is_known and result.shape == array.shape:
        return result
    with lengths_of(result, array):
        fitted = wrap(array_where(True, result.__raskt_expr__, array.__raskt_expr__))
    if fitted.ndim == array.ndim and all(x == y or y != y for x, y in zip(fitted.shape, array.shape, strict=True)):
        return fitted
    refused = ValueError(f"a result of shape {result.shape} does not fit an array of shape {array.shape}")
    raise of_lengths(refused, result, array)


def write_back(result: Array, out: Any) -> Any:
    """As `write_out`, by the rule of NumPy's older functions.

    They work in an array of the result's type, which has to hold what `out` does, and copy it back.
    """
    first = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    kind = getattr(first, "dtype", result.dtype)
    if hasattr(first, "shape"):
        _check_shape(first, result)
    if not np.can_cast(kind, result.dtype, "safe"):
        raise TypeError(f"Cannot cast array data from {kind} to {result.dtype} according to the rule 'safe'")
    return write_out(result, out, "unsafe")


def average_input(x: Array, name: str, out: Any) -> Array:
    """What an average written to `out` is taken of: NumPy adds up in the type of `out`, if that is wider."""
    kind = (out[0] if isinstance(out, tuple) else out).dtype
    real = name.endswith(("std", "var"))
    if kind.kind in "biu" or (kind.kind == "c" and real) or (kind.kind == "f" and x.dtype.kind == "c" and not real):
        raise Unsupported(
            f"`{name}` of {x.dtype} with an `out` of {kind}, in which NumPy would add up, is not implemented: convert "
            "the result by `astype`"
        )
    wider = x.dtype.kind in "fc" or kind.kind == "c"
    return x.astype(kind) if wider and np.can_cast(x.dtype, kind, "same_kind") and kind.itemsize >= x.itemsize else x


def replaced(array: Array, expr: ArrayExpr, name: str, casting: Any = "same_kind") -> Array:
    """The array with a result in its place, if NumPy would let it be there."""
    if array.__raskt_expr__.is_known and not expr.is_known:
        raise UnknownLengths(f"the shape that in-place `{name}` gives is not known: call `compute_chunk_sizes()` first")
    if shapes_differ(expr.shape, array.shape):
        raise ValueError(f"in-place `{name}` cannot give shape {expr.shape} to an array of shape {array.shape}")
    if expr.dtype != array.dtype:
        if not np.can_cast(expr.dtype, array.dtype, casting):
            raise TypeError(f"in-place `{name}` gives {expr.dtype}, which an array of {array.dtype} cannot hold")
        expr = array_astype(expr, array.dtype)
    array.__raskt_expr__ = expr
    return array
