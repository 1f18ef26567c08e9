"""Reductions and running reductions by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from raskt._core import array_cumulative, array_reduce
from raskt.array.base.out import write_out
from raskt.array.base.registry import wrap

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["cumulate", "reduce"]


def reduce(
    array: Any,
    name: str,
    axis: Any = None,
    keepdims: bool = False,
    dtype: Any = None,
    ddof: float = 0,
    split_every: int | None = None,
    out: Any = None,
) -> Array:
    """The reduction `name` of a raskt array, written to `out` if that is given."""
    expr = array_reduce(name, array.__raskt_expr__, axis, bool(keepdims), dtype, float(ddof), split_every)
    result = wrap(expr)
    return result if out is None else write_out(result, out)


def cumulate(array: Any, name: str, axis: int | None = None, dtype: Any = None, out: Any = None) -> Array:
    """The running reduction `name` (`"sum"` or `"prod"`) along an axis, or of all elements in C order."""
    result = wrap(array_cumulative(name, array.__raskt_expr__, axis, dtype))
    return result if out is None else write_out(result, out)
