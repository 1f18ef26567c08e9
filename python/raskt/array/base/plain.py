"""The boundary between NumPy's plain arrays, which blocks are, and its classes whose operators mean something else."""

from __future__ import annotations

from typing import Any

import numpy as np

from raskt._errors import Unsupported
from raskt._late import refuse_late

__all__ = ["block_of", "check_plain", "held", "held_copy", "is_own", "narrowed"]

#: What to do with the classes that say more than their elements, or compute otherwise.
_INSTEAD = {
    np.ma.MaskedArray: "masked arrays are not implemented: fill them first, as in `x.filled(np.nan)`",
    np.matrix: "`numpy.matrix`, whose `*` is the matrix product, is not implemented: pass `np.asarray(x)`, and use `@`",
}


def check_plain(x: Any) -> None:
    """Refuse an array of a class that a lazy array would forget."""
    if type(x) is np.ndarray or not isinstance(x, np.ndarray):
        return
    for kind, words in _INSTEAD.items():
        if isinstance(x, kind):
            raise Unsupported(words)


def held_copy(x: Any) -> Any:
    """A plain array of what is in memory, copied: what is written to it after a call changes no result."""
    check_plain(x)
    return np.array(x)


def held(value: Any) -> Any:
    """An argument of a function that is called later, copied: what is written to it until then changes no result.

    So are the arrays, lists and dictionaries in it. Other objects are the caller's, who may mean to share them.
    """
    if type(value) is np.ndarray:
        return value.copy()
    if type(value) in (list, tuple):
        return type(value)(held(item) for item in value)
    if type(value) is dict:
        return {key: held(item) for key, item in value.items()}
    refuse_late(value)
    return value


def is_own(function: Any) -> bool:
    """Whether it is NumPy's ufunc of its name: other libraries', and those of `numpy.frompyfunc`, may be called so."""
    return isinstance(function, np.ufunc) and getattr(np, function.__name__, None) is function


def narrowed(block: Any, dtype: Any, name: str) -> Any:
    """A block in the type that was promised for it, in which no whole number may become another."""
    found = block.astype(dtype)
    whole = block.dtype.kind in "iu" and found.dtype.kind in "iu"
    if whole and not np.can_cast(block.dtype, found.dtype, "safe") and not (found == block).all():
        wrong = block[found != block].flat[0]
        raise OverflowError(f"`{name}` gave {wrong}, which {found.dtype} cannot hold: promise another type (`dtype`)")
    return found


def block_of(result: Any) -> Any:
    """What a function gave as an array; the engine calls it with what is no plain array."""
    check_plain(result)
    found = np.asarray(result)
    if found.dtype == object:
        kind = type(result).__name__
        raise TypeError(f"a function of blocks gave a {kind}, and not an array of booleans or numbers")
    return found
