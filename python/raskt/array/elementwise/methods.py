"""The methods `reduce` and `accumulate` of ufuncs, which are reductions under other names."""

from __future__ import annotations

from typing import Any

import numpy as np

from raskt.array.base.arguments import NO_VALUE
from raskt.array.base.conversion import asarray
from raskt.array.base.plain import is_own
from raskt.array.elementwise.by_lines import accumulate_lines, reduce_lines
from raskt.array.reductions.reduce import cumulate, reduce

__all__ = ["accumulate_by", "reduce_by"]

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


def reduce_by(
    function: Any,
    x: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Any:
    """`numpy.add.reduce` is a sum, and so on."""
    out = out[0] if isinstance(out, tuple) else out
    array, name, is_known = asarray(x), function.__name__, is_own(function)
    if name not in _REDUCTIONS or not is_known:
        if where is not True or not is_known:
            raise NotImplementedError(f"`{name}.reduce` of raskt arrays is not implemented: use `map_blocks`")
        options = {} if initial is NO_VALUE else {"initial": initial}
        return reduce_lines(function, array, axis, dtype, out, bool(keepdims), options)
    if name in ("logical_and", "logical_or"):
        if dtype is not None and np.dtype(dtype) != bool:
            raise NotImplementedError(f"`{name}.reduce` gives booleans, and not {np.dtype(dtype)}: use `astype`")
        dtype = None
    elif name in ("maximum", "minimum") and dtype is not None:
        array, dtype = array.astype(dtype), None
    return reduce(array, _REDUCTIONS[name], axis, dtype=dtype, out=out, keepdims=keepdims, initial=initial, where=where)


def accumulate_by(function: Any, x: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
    """`numpy.add.accumulate` is a running sum."""
    array, name, is_known = asarray(x), function.__name__, is_own(function)
    if not array.ndim:
        raise TypeError("cannot accumulate on a scalar")
    if name not in _RUNNING or not is_known:
        if not is_known:
            raise NotImplementedError(f"`{name}.accumulate` of raskt arrays is not implemented: use `map_blocks`")
        return accumulate_lines(function, array, axis, dtype, out[0] if isinstance(out, tuple) else out)
    return cumulate(array, _RUNNING[name], axis, dtype, out[0] if isinstance(out, tuple) else out)
