"""How many bytes objects hold: what `memory.limit` is held by, for results of Python functions.

Arrays, pandas, Arrow and Polars objects are known; of tuples, lists, dictionaries and sets, all that is in them counts.
An object of another class counts by its `nbytes`, or by its ``__sizeof__`` and its attributes. Where that isn't what it
holds (memory of a library in C, say), tell:

>>> from raskt.sizeof import sizeof
>>> class Model:
...     "Keeps a mebibyte where Python doesn't see it."
>>> @sizeof.register(Model)
... def _(model):
...     return 2**20
>>> sizeof(Model())
1048576
>>> sizeof([Model(), Model()]) // 2**20
2
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["sizeof"]

_SIZERS: dict[type, Callable[[Any], int]] = {}


class _Sizeof:
    """Bytes that an object holds."""

    def __call__(self, value: Any) -> int:
        """Bytes that `value` holds, as `memory.limit` counts them."""
        from raskt import _core

        return int(_core.size_of(value))

    def register(
        self, kind: type, function: Callable[[Any], int] | None = None
    ) -> Callable[[Callable[[Any], int]], Callable[[Any], int]] | Callable[[Any], int]:
        """Have a function tell the bytes of objects of a class, and of classes derived from it.

        Parameters
        ----------
        kind : type
            The class.
        function : callable, optional
            Gets an object of it and gives the bytes that it holds; without it a decorator is returned.

        Returns
        -------
        callable
            The function, or the decorator.
        """
        if not isinstance(kind, type):
            raise TypeError(f"a class is registered, not {kind!r}")
        if function is None:
            return lambda function: self.register(kind, function)  # type: ignore[return-value]
        if not callable(function):
            raise TypeError(f"a function tells the bytes, not {function!r}")
        _SIZERS[kind] = function
        return function


sizeof = _Sizeof()


def registered(value: Any) -> int | None:
    """What was registered for the class of an object; None if nothing was, or it fails or gives no count."""
    if not _SIZERS:
        return None
    for kind in type(value).__mro__:
        if kind in _SIZERS:
            try:
                size = int(_SIZERS[kind](value))
            except Exception:  # a size that can't be told is no reason to lose a result
                return None
            return size if size >= 0 else None
    return None
