"""Reductions and running reductions by name, with every argument that NumPy's have."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_astype, array_binary, array_cumulative, array_reduce, array_where
from raskt.array.base.arguments import NO_VALUE, fan_in, is_given
from raskt.array.base.conversion import asarray, operand_of
from raskt.array.base.out import write_out
from raskt.array.base.registry import wrap
from raskt.array.creation.constructors import full

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["cumulate", "plain_name", "reduce", "reduced_lengths"]

#: What an element that doesn't count is replaced by.
_IDENTITIES: dict[str, Any] = {
    "sum": -0.0,
    "nansum": -0.0,
    "prod": 1,
    "nanprod": 1,
    "any": False,
    "all": True,
}
#: How a reduction takes up one element more.
_STEPS = {
    "sum": "add",
    "nansum": "add",
    "prod": "multiply",
    "nanprod": "multiply",
    "min": "minimum",
    "max": "maximum",
    "nanmin": "fmin",
    "nanmax": "fmax",
}


def reduce(
    array: Array,
    name: str,
    axis: Any = None,
    *,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    ddof: float = 0,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
    split_every: Any = None,
) -> Any:
    """The reduction `name` of an array, written to `out` if that is given."""
    keepdims = bool(keepdims) if is_given(keepdims) else False
    name = plain_name(array, name)
    if "arg" in name and axis is not None:
        axis = operator.index(axis)
    if dtype is None and out is not None and name in ("sum", "prod", "nansum", "nanprod"):
        dtype = _type_of_out(name, array, out)
    if is_given(where) and where is not True:
        array = _masked(array, name, where, initial)
    if is_given(initial) and 0 in reduced_lengths(array, axis) and name not in ("sum", "prod", "nansum", "nanprod"):
        lengths = _reduced_shape(array, axis, keepdims)
        result = full(lengths, np.array(initial, dtype=array.dtype)[()], dtype=array.dtype)
    else:
        expr = array_reduce(name, array.__raskt_expr__, axis, keepdims, dtype, float(ddof), fan_in(split_every))
        result = wrap(expr)
        if is_given(initial):
            result = _with_initial(result, name, initial)
    return result if out is None else write_out(result, out)


def plain_name(array: Array, name: str) -> str:
    """The reduction without `nan`, if the array can have no NaN."""
    return name.removeprefix("nan") if array.dtype.kind not in "fc" else name


def _type_of_out(name: str, array: Array, out: Any) -> Any:
    """NumPy sums in the type of `out`, if elements may be cast to it."""
    wanted = (out[0] if isinstance(out, tuple) else out).dtype
    if not np.can_cast(array.dtype, wanted, "same_kind"):
        raise TypeError(f"`{name}` cannot cast elements of {array.dtype} to {wanted} of `out`")
    return wanted


def _masked(array: Array, name: str, where: Any, initial: Any) -> Array:
    """The array with elements that don't count replaced by one that changes nothing."""
    if name not in _IDENTITIES or initial is None:
        if not is_given(initial):
            raise ValueError(
                f"reduction operation '{_STEPS[name]}' does not have an identity, so to use a where mask one has to "
                "specify 'initial'"
            )
        other = np.array(initial, dtype=array.dtype)[()]
    else:
        other = np.array(_IDENTITIES[name]).astype(array.dtype)[()]
    mask = asarray(where)
    if mask.dtype != bool:
        raise TypeError(f"`where` must be an array of booleans, not of {mask.dtype}")
    masked = wrap(array_where(operand_of(mask), array.__raskt_expr__, operand_of(np.asarray(other))))
    if masked.shape != array.shape:
        raise ValueError(f"`where` of shape {mask.shape} does not fit an array of shape {array.shape}")
    return masked


def _with_initial(result: Array, name: str, initial: Any) -> Array:
    start = np.array(initial, dtype=result.dtype)
    if start.ndim:
        raise ValueError(f"`initial` must be a single number, not an array of shape {start.shape}")
    expr = array_binary(_STEPS[name], result.__raskt_expr__, operand_of(start))
    assert expr is not None, "arrays are known operands"
    return wrap(expr if expr.dtype == result.dtype else array_astype(expr, result.dtype))


def reduced_axes(array: Array, axis: Any) -> list[int]:
    """The axes that a reduction takes away, counted from the front."""
    if not is_given(axis):
        return list(range(array.ndim))
    return [int(at) % max(array.ndim, 1) for at in (axis if isinstance(axis, (tuple, list)) else (axis,))]


def reduced_lengths(array: Array, axis: Any) -> list[int]:
    """The lengths of the axes that a reduction takes away."""
    return [array.shape[at] for at in reduced_axes(array, axis) if at < array.ndim]


def _reduced_shape(array: Array, axis: Any, keepdims: bool) -> list[int]:
    gone = reduced_axes(array, axis)
    return [1 if at in gone else n for at, n in enumerate(array.shape) if keepdims or at not in gone]


def count_of(array: Array, axis: Any) -> float:
    """How many elements a reduction takes for one of its result."""
    return math.prod(reduced_lengths(array, axis))


def cumulate(array: Array, name: str, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
    """The running reduction `name` (`"sum"` or `"prod"`) along an axis, or of all elements in C order."""
    if dtype is None and out is not None:
        dtype = _type_of_out(name, array, out)
    result = wrap(array_cumulative(name, array.__raskt_expr__, axis, dtype))
    return result if out is None else write_out(result, out)
