"""Elements chosen among several arrays by several conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt.array.base.conversion import as_assigned, asarray
from raskt.array.base.documentation import documented
from raskt.array.base.lengths import shapes_differ
from raskt.array.base.out import in_place_of
from raskt.array.base.registry import is_array
from raskt.array.creation.constructors import zeros
from raskt.array.manipulation.axes import broadcast_to
from raskt.array.selection.where import where

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["piecewise", "select"]


@documented(
    "Of the type that NumPy promotes choices and default to, of their broadcast shape.",
    {
        "ValueError": "If there are not as many choices as conditions, or none.",
        "TypeError": "If a condition is not of booleans.",
    },
    condlist="list of array_like of bool: The conditions.",
    choicelist="list of array_like: The array that is taken where the condition of its place is the first to hold.",
    default="scalar or array_like: What is taken where no condition holds.",
)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Array:
    """Elements of the first choice whose condition holds.

    >>> x = ra.arange(5, chunks=2)
    >>> ra.select([x < 2, x > 2], [x, x * 10], -1).compute()
    array([ 0,  1, -1, 30, 40])
    """
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not len(condlist):
        raise ValueError("select with an empty condition list is not possible")
    conditions = [asarray(condition) for condition in condlist]
    for number, condition in enumerate(conditions):
        if condition.dtype != bool:
            raise TypeError(f"invalid entry {number} in condlist: should be boolean ndarray")
    values = [value if type(value) in (int, float, complex) else asarray(value) for value in (*choicelist, default)]
    dtype = np.result_type(*(value.dtype if is_array(value) else value for value in values))
    if wrong := [v for v in values if type(v) is int and dtype.kind == "u" and not 0 <= v <= np.iinfo(dtype).max]:
        raise TypeError(f"{wrong[0]} cannot be cast to {dtype}, the type of the choices")
    result: Any = values[-1]
    for condition, choice in zip(reversed(conditions), reversed(values[:-1]), strict=True):
        result = where(condition, choice, result)
    return asarray(result).astype(dtype)


@documented(
    "Of the array's type, shape and chunks.",
    {"ValueError": "If there are not as many functions as conditions, or one more."},
    condlist="list of array_like of bool: The conditions; of several that hold the last one counts.",
    funclist="list of callable or scalar: What an element becomes where the condition holds; one more is for the rest.",
    args="object: Are passed on to the functions.",
    kw="object: Are passed on to the functions.",
    differences="a function is tried on a few numbers; if it works on elements it is called with the whole lazy array, "
    "else with the lazy elements that it is for, also where there are none.",
)
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Array:
    """A function that is defined piece by piece.

    >>> x = ra.arange(-2, 3)
    >>> ra.piecewise(x, [x < 0, x > 0], [lambda v: -v, 10]).compute()
    array([ 2,  1,  0, 10, 10])
    """
    array = asarray(x)
    conditions = [condlist] if _is_one_condition(condlist, array) else list(condlist)
    number = len(conditions)
    if len(funclist) not in (number, number + 1):
        raise ValueError(f"with {number} condition(s), either {number} or {number + 1} functions are expected")
    flags = [_rows(asarray(condition).astype(bool), array) for condition in conditions]
    if not all(_is_elementwise(piece, array.dtype, args, kw) for piece in funclist if callable(piece)):
        return in_place_of(array, _by_parts(array, flags, funclist, args, kw))
    pieces = [piece(array, *args, **kw) if callable(piece) else _number(piece, array.dtype) for piece in funclist]
    default = pieces.pop() if len(pieces) == number + 1 else 0
    return in_place_of(array, select(flags[::-1], pieces[::-1], default).astype(array.dtype))


def _is_elementwise(piece: Any, dtype: np.dtype[Any], args: Any, kw: Any) -> bool:
    """Whether a function gives for some of the elements what it gives for them among others, as far as a few tell."""
    few = np.arange(1, 6).astype(dtype)
    call = lambda elements: np.asarray(piece(elements, *args, **kw))
    try:
        whole = call(few)
        some = (slice(1, None), slice(0, 1), [4, 0, 2])
        return all(np.array_equal(call(few[at]), whole if whole.ndim == 0 else whole[at]) for at in some)
    except Exception:  # it is called with the elements that it is for, and tells what it has to say then
        return False


def _by_parts(x: Array, flags: list[Array], pieces: Any, args: Any, kw: Any) -> Array:
    """Each function of the elements that it is for, which are put into their places: it may look at all of them."""
    if x.ndim == 0:
        raise NotImplementedError("piecewise of a value without axes by functions that look at several elements")
    if len(pieces) > len(flags):
        rest = flags[0] | False
        for flag in flags[1:]:
            rest = rest | flag
        flags = [*flags, ~rest]
    result = zeros(x.shape, dtype=x.dtype, chunks=x.chunks)
    for flag, piece in zip(flags, pieces, strict=True):
        chosen = broadcast_to(flag, x.shape)
        result[chosen] = piece(x[chosen], *args, **kw) if callable(piece) else _number(piece, x.dtype)
    return result


def _rows(condition: Array, x: Array) -> Array:
    """A condition of the first axes of an array, with an axis for each of the others."""
    if condition.ndim > x.ndim:
        raise IndexError(
            f"too many indices for array: array is {x.ndim}-dimensional, but {condition.ndim} were indexed"
        )
    for axis, (found, size) in enumerate(zip(condition.shape, x.shape, strict=False)):
        if shapes_differ((found,), (size,)):
            raise IndexError(
                f"boolean index did not match indexed array along axis {axis}; size of axis is {size} but size of "
                f"corresponding boolean axis is {found}"
            )
    return condition[(..., *[None] * (x.ndim - condition.ndim))]


def _number(piece: Any, dtype: np.dtype[Any]) -> Array:
    value = as_assigned(piece, dtype)
    if value.ndim:
        raise NotImplementedError("piecewise with an array in place of a function is not implemented: use `select`")
    return value


def _is_one_condition(condlist: Any, x: Array) -> bool:
    """Whether it is one condition, and not a list of them."""
    if np.isscalar(condlist) or (is_array(condlist) and condlist.ndim == x.ndim):
        return True
    first = condlist[0]
    return not (is_array(first) or isinstance(first, (list, np.ndarray))) and x.ndim != 0
