"""Functions whose pickles are known, since nothing of what these are made of has changed.

That is looked at each time. A function of the main module that has defaults, attributes, annotations or a closure, or
reads anything of its module, is never known: others may change what these hold.
"""

from __future__ import annotations

import builtins
import operator
import sys
import weakref
from collections.abc import Callable
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any

from raskt._process import importable

KNOWN_MOST = 512
"""Functions of which the pickle is kept."""

FROM_GLOBALS = ("__package__", "__name__", "__path__", "__file__")
"""What of a module goes with each of its functions."""

_known: dict[int, tuple[weakref.ref[Any], tuple[Any, ...], bytes]] = {}
"""By the address: the function, what it is made of, and its pickle."""

_names: dict[int, tuple[CodeType, tuple[str, ...]]] = {}
"""By the address: code, and the names in it."""


def pickled(function: Any, way: Callable[[Any], bytes | None]) -> bytes | None:
    """What `way` gives for a function, from memory if it is the same as before."""
    made_of = _made_of(function)
    if made_of is None:
        return way(function)
    known = _known.get(id(function))
    if known is not None and known[0]() is function and _same(known[1], made_of):
        return known[2]
    data = way(function)
    if data is not None:
        if len(_known) >= KNOWN_MOST:
            _known.clear()
        _known[id(function)] = weakref.ref(function), made_of, data
    return data


def _same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    if len(one) == len(other) and all(map(operator.is_, one, other)):
        return True
    return len(one) == len(other) and all(a is b or type(a) is type(b) is str and a == b for a, b in zip(one, other))


def _made_of(function: Any) -> tuple[Any, ...] | None:
    """All that a pickle of the function is made of: the same things, the same pickle. None if that can't be told."""
    kind = type(function)
    if kind is not FunctionType and kind is not BuiltinFunctionType:
        return None
    name, module_name = function.__qualname__, function.__module__
    if module_name != "__main__":
        # By its name, if it is found by that.
        module = sys.modules.get(module_name) if type(module_name) is str else None
        if module is None or getattr(module, "__dict__", {}).get(name) is not function or _by_value_is_asked_for():
            return None
        return None if importable.is_here_only(function) else (module, module_name, name)
    if kind is BuiltinFunctionType:
        return None
    if (
        function.__closure__ is not None
        or function.__defaults__ is not None
        or function.__kwdefaults__ is not None
        or function.__dict__
        or function.__annotations__
        or getattr(function, "__type_params__", ())
    ):
        return None
    names = function.__globals__
    if function.__builtins__ is not builtins.__dict__ or not names.keys().isdisjoint(_known_names(function.__code__)):
        return None
    own = map(names.get, FROM_GLOBALS)
    return (function.__code__, function.__name__, name, module_name, function.__doc__, *own)


def _known_names(code: CodeType) -> tuple[str, ...]:
    """The same as `_names_of`, looked up once: code never changes."""
    known = _names.get(id(code))
    if known is None or known[0] is not code:
        if len(_names) >= KNOWN_MOST:
            _names.clear()
        known = _names[id(code)] = code, _names_of(code)
    return known[1]


def _names_of(code: CodeType) -> tuple[str, ...]:
    """All global names, and names of attributes, that code has, with that of functions within it."""
    inner = [name for part in code.co_consts if type(part) is CodeType for name in _names_of(part)]
    return (*code.co_names, *inner)


def _by_value_is_asked_for() -> bool:
    """Whether somebody has cloudpickle send modules by value."""
    cloudpickle = sys.modules.get("cloudpickle.cloudpickle")
    return bool(getattr(cloudpickle, "_PICKLE_BY_VALUE_MODULES", ()))
