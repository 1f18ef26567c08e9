"""Delayed functions: ordinary Python calls, gathered into a graph and made in parallel."""

from __future__ import annotations

from functools import partial
from typing import Any

from raskt._core import Delayed, make_delayed

__all__ = ["Delayed", "delayed"]

_MISSING: Any = object()


def _itself(self: Delayed, _memo: Any = None) -> Delayed:
    """Delayed objects never change, so that copies are the objects themselves."""
    return self


for _name, _method in {"copy": _itself, "deepcopy": _itself}.items():
    setattr(Delayed, f"__{_name}__", _method)


def delayed(
    obj: Any = _MISSING,
    name: str | None = None,
    pure: bool | None = None,
    nout: int | None = None,
    traverse: bool = True,
) -> Any:
    """Makes a function lazy, or wraps an object so that what is done with it is lazy.

    Parameters
    ----------
    obj
        A function (calls of it become delayed), or any other object. Left out, a decorator with the other
        parameters comes back.
    name
        The key of the object in messages.
    pure
        Whether equal calls give equal results: then calls with equal arguments are one task, and their keys come from
        `raskt.tokenize`. Calls can say it as well, by the same name. Operators, items and attributes are always pure.
    nout
        How many results a call gives, so that they can be unpacked.
    traverse
        Whether to look for delayed objects in lists, tuples, named tuples, dicts, sets, slices and dataclasses.

    Returns
    -------
    Delayed
        Calling it, its attributes, items and operators give further delayed objects.

    Raises
    ------
    ValueError
        If `nout` is negative.

    Examples
    --------
    >>> from raskt import delayed
    >>> @delayed
    ... def inc(x):
    ...     return x + 1
    >>> (inc(1) + inc(2)).compute()
    5
    >>> low, high = delayed(divmod, nout=2)(17, 5)
    >>> high.compute()
    2
    >>> delayed(abs, pure=True)(-1).key == delayed(abs, pure=True)(-1).key
    True
    """
    if obj is _MISSING:
        return partial(delayed, name=name, pure=pure, nout=nout, traverse=traverse)
    return make_delayed(obj, name, nout, traverse, pure)
