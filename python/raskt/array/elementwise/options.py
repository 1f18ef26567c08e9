"""What ufuncs take beside their operands: `out`, `where`, `dtype`, `signature`, `casting`, `order`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_broadcast_to, array_where
from raskt.array.base.arguments import check_order
from raskt.array.base.conversion import asarray, operand_of
from raskt.array.base.lengths import has_unknown
from raskt.array.base.out import write_out
from raskt.array.base.registry import wrap

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from raskt.array._array import Array

__all__ = ["call_with_options"]

_COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")


def call_with_options(
    function: Any,
    apply: Callable[..., Any],
    operands: Sequence[Any],
    out: Any = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    dtype: Any = None,
    signature: Any = None,
) -> Any:
    """`apply` to operands with the options of NumPy's ufunc `function`."""
    check_order(function.__name__, order)
    outs = _outs(function, out)
    if where is not True and any(part is None for part in outs):
        raise NotImplementedError(
            f"`{function.__name__}` with `where` and without `out` would leave elements undefined: pass `out`, or "
            "choose by `raskt.array.where`"
        )
    types = None
    if dtype is not None or signature is not None or casting != "same_kind":
        types = _loop(function, operands, dtype, signature, casting)
        exactly = function.__name__ in _COMPARISONS  # with whole numbers of any size
        operands = [
            operand if exactly and type(operand) is int and kind.kind in "iu" else _converted(operand, kind)
            for operand, kind in zip(operands, types, strict=False)
        ]
    results = apply(*operands)
    results = results if isinstance(results, tuple) else (results,)
    if types is not None:
        results = tuple(x.astype(kind) for x, kind in zip(results, types[len(operands) :], strict=True))
    results = _of_one_shape(results, outs)
    found = tuple(_placed(x, part, where, casting) for x, part in zip(results, outs, strict=True))
    return found if len(found) > 1 else found[0]


def _outs(function: Any, out: Any) -> tuple[Any, ...]:
    """Where each result goes."""
    number = getattr(function, "nout", 1)
    if out is None:
        return (None,) * number
    outs = out if isinstance(out, tuple) else (out,)
    if len(outs) != number:
        raise ValueError(f"The 'out' tuple must have exactly one entry per ufunc output: {number}, not {len(outs)}")
    return outs


def _loop(function: Any, operands: Sequence[Any], dtype: Any, signature: Any, casting: str) -> tuple[Any, ...]:
    """The types that NumPy computes with: of the operands, then of the results."""
    if casting not in _CASTINGS:
        raise ValueError(f"casting must be one of {', '.join(map(repr, _CASTINGS))} (got {casting!r})")
    if not hasattr(function, "resolve_dtypes"):
        raise NotImplementedError(f"`{function.__name__}` takes no `dtype`, `casting` or `signature`: use `astype`")
    if dtype is not None and signature is not None:
        raise TypeError("cannot specify both 'signature' and 'dtype'")
    wanted = _signature(function, dtype, signature)
    kinds = (*(_kind(operand) for operand in operands), *[None] * function.nout)
    fixed = {} if wanted is None else {"signature": wanted}
    # What NumPy refuses it refuses here: `resolve_dtypes` loses references on its way to that error (NumPy 2.4).
    pairs = zip(operands, kinds, strict=False)
    few = [operand if isinstance(kind, type) else np.zeros(0, kind) for operand, kind in pairs]
    with np.errstate(all="ignore"):
        function(*few, casting=casting, **fixed)
    types: tuple[Any, ...] = function.resolve_dtypes(kinds, casting=casting, **fixed)
    if any(kind.kind not in "biufc" or kind == np.float16 for kind in types):
        names = ", ".join(str(kind) for kind in types)
        raise NotImplementedError(f"`{function.__name__}` in {names} is not implemented: there are no such blocks")
    return types


def _signature(function: Any, dtype: Any, signature: Any) -> Any:
    if dtype is not None:
        return (*[None] * function.nin, *[np.dtype(dtype)] * function.nout)
    if not isinstance(signature, str):
        return signature
    operands, arrow, results = signature.partition("->")
    kinds = [np.dtype(letter) for letter in operands + results]
    if not arrow or len(operands) != function.nin or len(results) != function.nout:
        raise ValueError(f"the signature {signature!r} does not fit `{function.__name__}`")
    return tuple(kinds)


def _kind(operand: Any) -> Any:
    """A type as NumPy resolves them: numbers of Python's own are weak."""
    return type(operand) if type(operand) in (int, float, complex) else asarray(operand).dtype


def _converted(operand: Any, kind: Any) -> Array:
    if type(operand) in (bool, int, float, complex):
        whole = type(operand) is int and np.dtype(kind).kind in "iu"
        return asarray(np.asarray(operand, kind) if whole else np.asarray(operand).astype(kind))
    return asarray(operand).astype(kind)


def _of_one_shape(results: tuple[Array, ...], outs: tuple[Any, ...]) -> tuple[Array, ...]:
    """Results of which some have a place: all get the shape that they have together with it."""
    shapes = [tuple(part.shape) for part in outs if part is not None]
    if len(results) == 1 or not shapes or any(has_unknown(shape) for shape in (*shapes, results[0].shape)):
        return results
    wide = list(np.broadcast_shapes(results[0].shape, *shapes))
    return tuple(wrap(array_broadcast_to(result.__raskt_expr__, wide)) for result in results)


def _placed(result: Array, out: Any, where: Any, casting: str) -> Any:
    """The result, in its place if it has one."""
    if out is None:
        return result
    if not np.can_cast(result.dtype, out.dtype, casting):
        raise TypeError(f"Cannot cast the result from {result.dtype} to {out.dtype} with casting rule '{casting}'")
    if result.dtype != out.dtype:
        result = result.astype(out.dtype)
    if where is not True:
        mask = asarray(where)
        if mask.dtype != bool:
            raise TypeError(f"`where` must be an array of booleans, not of {mask.dtype}")
        result = wrap(array_where(mask.__raskt_expr__, result.__raskt_expr__, operand_of(out)))
    elif result.shape != out.shape and result.__raskt_expr__.is_known:
        result = wrap(array_broadcast_to(result.__raskt_expr__, list(out.shape)))
    return write_out(result, out, broadcast=True)
