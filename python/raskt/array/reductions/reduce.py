"""Reductions and running reductions by name, with every argument that NumPy's have."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from raskt._core import array_astype, array_binary, array_cumulative, array_reduce, array_where
from raskt._errors import UnknownLengths, Unsupported
from raskt.array.base.arguments import NO_VALUE, check_axis, fan_in, is_given
from raskt.array.base.conversion import asarray, operand_of
from raskt.array.base.lengths import lengths_of, shapes_differ
from raskt.array.base.out import write_back, write_out
from raskt.array.base.registry import wrap
from raskt.array.creation.constructors import full
from raskt.array.manipulation.joining import concatenate

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["cumulate", "in_type_of", "plain_name", "reduce", "reduce_all", "reduced_lengths"]

#: What an element that doesn't count is replaced by.
_IDENTITIES: dict[str, Any] = {
    "sum": -0.0,
    "nansum": -0.0,
    "prod": 1,
    "nanprod": 1,
    "any": False,
    "all": True,
}
#: Reductions whose result NumPy doesn't cast to every type of `out`.
_CAREFUL = {"std", "nanstd", "nanmean", "nanvar"}
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
    "any": "logical_or",
    "all": "logical_and",
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
    """The reduction `name` of an array, written to `out` if that is given.

    `initial=None` begins with the first element, so that there has to be one.
    """
    keepdims = bool(keepdims) if is_given(keepdims) else False
    name, ddof = plain_name(array, name), _degrees(ddof)
    if name.startswith("nanarg") and isinstance(axis, tuple) and array.size:
        normalize_axis_tuple(axis, array.ndim)  # NumPy looks for the axes first.
    if "arg" in name and axis is not None and not isinstance(axis, (bool, np.bool_)):
        axis = operator.index(axis)
    axis = check_axis(axis, array.ndim, name not in ("mean", "std", "var"))
    if initial is None and name in _IDENTITIES:
        _check_first(array, name, axis, where)
    if not array.ndim and _is_line(axis) and name not in ("mean", "std", "var"):
        axis = None
    if dtype is None and out is not None and name in ("sum", "prod", "nansum", "nanprod"):
        dtype = _type_of_out(array, out)
    if out is not None and name in ("min", "max", "nanmin", "nanmax"):
        array = in_type_of(array, out)
    if is_given(where) and where is not True:
        array = _masked(array, name, where, initial)
    if axis == () and name in ("nanmin", "nanmax") and not is_given(initial):
        return array if out is None else write_out(array, out)  # Every element is the only one, NaN or not.
    if is_given(initial) and 0 in reduced_lengths(array, axis) and name not in ("sum", "prod", "nansum", "nanprod"):
        lengths = _reduced_shape(array, axis, keepdims)
        result = full(lengths, np.array(initial, dtype=array.dtype)[()], dtype=array.dtype)
    else:
        if is_given(initial) and name in ("min", "max", "nanmin", "nanmax"):
            array = _with_first(array, name, axis, initial)
        expr = array_reduce(name, array.__raskt_expr__, axis, keepdims, dtype, ddof, fan_in(split_every, array.ndim))
        result = wrap(expr)
        if is_given(initial):
            result = _with_initial(result, name, initial)
    if out is not None and "arg" in name:
        return write_back(result, out)
    return result if out is None else write_out(result, out, "same_kind" if name in _CAREFUL else "unsafe")


def _check_first(array: Array, name: str, axis: Any, where: Any) -> None:
    """An error if a reduction without an identity has no element to begin with."""
    step = _STEPS.get(name, name)
    if is_given(where) and where is not True:
        raise ValueError(
            f"reduction operation '{step}' does not have an identity, so to use a where mask one has to specify "
            "'initial'"
        )
    gone = set(reduced_axes(array, axis))
    kept = [length for at, length in enumerate(array.shape) if at not in gone]
    lengths = reduced_lengths(array, axis)
    if any(length != length for length in (*lengths, *kept)):
        raise UnknownLengths(f"`{name}` with `initial=None` needs to know lengths: call `compute_chunk_sizes()` first")
    if 0 in lengths and 0 not in kept:
        raise ValueError(f"zero-size array to reduction operation {step} which has no identity")


def _degrees(ddof: Any) -> float:
    """A number of degrees of freedom: text is none, whatever `float` makes of it."""
    if isinstance(ddof, (str, bytes)) or np.ndim(ddof):
        raise TypeError(f"`ddof` must be a real number, not {ddof!r}")
    return float(ddof)


def reduce_all(array: Array, name: str) -> Array:
    """The reduction of all elements, without any options."""
    return wrap(array_reduce(plain_name(array, name), array.__raskt_expr__, None, False, None, 0.0, None))


def _is_line(axis: Any) -> bool:
    """Whether it is the axis that a single number has by NumPy's courtesy."""
    return isinstance(axis, (int, np.integer)) and axis in (0, -1)


def plain_name(array: Array, name: str) -> str:
    """The reduction without `nan`, if the array can have no NaN."""
    return name if not name.startswith("nan") or array.dtype.kind in "fc" else name.removeprefix("nan")


def _type_of_out(array: Array, out: Any) -> Any:
    """NumPy sums in the type that elements and those of `out` are promoted to; the result is cast to `out`."""
    return np.promote_types(array.dtype, (out[0] if isinstance(out, tuple) else out).dtype)


def in_type_of(array: Array, out: Any) -> Array:
    """The array in the type of `out`, to which NumPy casts elements on the way to extremes; nothing else may be lost by
    that than decimals.
    """
    if out is None:
        return array
    kind = (out[0] if isinstance(out, tuple) else out).dtype
    if not np.can_cast(array.dtype, kind, "safe") and not array.dtype.kind == kind.kind in "fc":
        raise Unsupported(
            f"extremes of {array.dtype} with an `out` of {kind} are not implemented: convert the result by `astype`"
        )
    return array if kind == array.dtype else array.astype(kind)


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
    operands = operand_of(mask), array.__raskt_expr__, operand_of(np.asarray(other))
    with lengths_of(*operands):
        masked = wrap(array_where(*operands))
    if shapes_differ(masked.shape, array.shape):
        raise ValueError(f"`where` of shape {mask.shape} does not fit an array of shape {array.shape}")
    return masked


def _with_initial(result: Array, name: str, initial: Any) -> Array:
    start = np.array(initial, dtype=result.dtype)
    if start.ndim:
        raise ValueError(f"`initial` must be a single number, not an array of shape {start.shape}")
    expr = array_binary(_STEPS[name], result.__raskt_expr__, operand_of(start))
    assert expr is not None, "arrays are known operands"
    return wrap(expr if expr.dtype == result.dtype else array_astype(expr, result.dtype))


def _with_first(array: Array, name: str, axis: Any, initial: Any) -> Array:
    """The array with `initial` before its elements along a reduced axis whose length isn't known: it may have none."""
    unknown = [at for at in reduced_axes(array, axis) if at < array.ndim and array.shape[at] != array.shape[at]]
    if not unknown or np.ndim(initial):
        return array
    at = unknown[0]
    shape = [1 if other == at else length for other, length in enumerate(array.shape)]
    if any(length != length for length in shape):
        raise UnknownLengths(f"`{name}` with `initial` needs to know lengths: call `compute_chunk_sizes()` first")
    cuts = tuple((1,) if other == at else cut for other, cut in enumerate(array.chunks))
    first = full(tuple(shape), np.array(initial, dtype=array.dtype)[()], dtype=array.dtype, chunks=cuts)
    return concatenate([first, array], axis=at)


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
        dtype = _type_of_out(array, out)
    if axis is not None and not isinstance(axis, (bool, np.bool_)):
        axis = operator.index(axis)
    axis = check_axis(axis, array.ndim)
    axis = None if not array.ndim and _is_line(axis) else axis
    result = wrap(array_cumulative(name, array.__raskt_expr__, axis, dtype))
    return result if out is None else write_out(result, out, "unsafe")
