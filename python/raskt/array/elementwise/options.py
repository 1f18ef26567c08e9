"""What ufuncs take beside their operands, and their methods `reduce` and `accumulate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_where
from raskt.array.base.conversion import asarray, operand_of
from raskt.array.base.out import write_out
from raskt.array.base.registry import wrap
from raskt.array.reductions.reduce import cumulate, reduce

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from raskt.array.elementwise.ufunc import ufunc

__all__ = ["accumulate_by", "call_with_options", "reduce_by"]

#: What reducing by a ufunc is called.
_REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}
_RUNNING = {"add": "sum", "multiply": "prod"}


def call_with_options(function: ufunc | Callable[..., Any], operands: Sequence[Any], options: dict[str, Any]) -> Any:
    """A ufunc with the options that NumPy's ufuncs have."""
    options = {key: value for key, value in options.items() if key not in ("order", "subok", "casting")}
    out, where, dtype = options.pop("out", None), options.pop("where", True), options.pop("dtype", None)
    if options:
        raise TypeError(f"{function.__name__}() takes no argument `{next(iter(options))}`")
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if isinstance(out, tuple):
        raise NotImplementedError(f"{function.__name__}() with several `out` arrays is not implemented")
    if dtype is not None:
        operands = [_converted(operand, dtype) for operand in operands]
    result = function(*operands)
    if dtype is not None and result.dtype != np.dtype(dtype) and result.dtype != bool:
        result = result.astype(dtype)
    if where is not True:
        if out is None:
            raise NotImplementedError("`where` without `out` would leave elements undefined: use `raskt.array.where`")

        result = wrap(array_where(operand_of(where), operand_of(result), operand_of(out)))
    return result if out is None else write_out(result, out)


def _converted(operand: Any, dtype: Any) -> Any:
    return operand if type(operand) in (bool, int, float, complex) else asarray(operand).astype(dtype)


def reduce_by(name: str, x: Any, axis: Any, options: dict[str, Any]) -> Any:
    """`numpy.add.reduce` is a sum, and so on."""
    if name not in _REDUCTIONS:
        raise NotImplementedError(f"`{name}.reduce` of raskt arrays is not implemented")
    options = {key: value for key, value in options.items() if value is not None and value is not np._NoValue}
    if options.pop("where", True) is not True or "initial" in options:
        raise NotImplementedError(f"`{name}.reduce` with `where` or `initial` is not implemented")
    return reduce(asarray(x), _REDUCTIONS[name], axis, **options)


def accumulate_by(name: str, x: Any, axis: int, options: dict[str, Any]) -> Any:
    """`numpy.add.accumulate` is a running sum."""
    if name not in _RUNNING:
        raise NotImplementedError(f"`{name}.accumulate` of raskt arrays is not implemented")
    options = {key: value for key, value in options.items() if value is not None}
    return cumulate(asarray(x), _RUNNING[name], axis, **options)
