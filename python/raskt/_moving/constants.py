"""Objects of which it makes no difference whether they are the same or equal ones."""

from __future__ import annotations

import copyreg
import datetime
import pickle
import sys
import types
from typing import Any

import numpy as np

_CONSTANTS = (
    *(bool, int, float, complex, type(None), type(Ellipsis), type(NotImplemented)),
    *(datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone),
    range,
)
"""Kinds of which nobody can change an object: it makes no difference whether others refer to it."""

_OF_MODULES = (("decimal", "Decimal"), ("fractions", "Fraction"), ("uuid", "UUID"))
"""The same of modules that aren't loaded for them: whoever has such an object has."""

_OF_PANDAS = ("NAType", "NaTType", "Timestamp", "Timedelta", "Period")
"""The same of pandas."""

_WITH_NAMES = (type, types.FunctionType, types.ModuleType)
"""Kinds of what has a name, by which others find it."""

_SMALL = 4096
"""Immutable bytes and texts of no more characters may be everybody's: they free nothing that counts."""

_ELEMENTS = 1000
"""Elements of tuples that are looked at to see that nobody can change them."""

_OF_LIBRARIES = ("pytz", "dateutil")
"""Libraries whose time zones are told apart by what they are."""

_REBUILDING = (
    *("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__", "__new__"),
    *("__getattribute__", "__iter__", "items", "__setitem__", "append", "extend", "add", "__del__"),
)
"""Methods that say how a container is written, made again, and let go."""


def is_constant(value: Any) -> bool:
    """Whether nobody can change it, and it is too small to count: it may be everybody's, as literals and `()` are."""
    left, looked_at = [value], 0
    while left and looked_at < _ELEMENTS:
        looked_at += 1
        each = left.pop()
        if type(each) in (tuple, frozenset):
            if len(each) > _ELEMENTS or (type(each) is frozenset and not keeps_order(each)):
                return False
            left.extend(each)
        elif not _is_one(each):
            return False
    return not left


def has_name(value: Any) -> bool:
    """Whether it is found by a name, which may come to stand for something else: it stays in memory itself."""
    return issubclass(type(value), _WITH_NAMES)


def _is_one(value: Any) -> bool:
    """Whether a single object is a constant."""
    kind = type(value)
    if kind in (str, bytes):
        return len(value) <= _SMALL
    if isinstance(value, float | complex | np.inexact | np.datetime64 | np.timedelta64) and value != value:
        # It is found in containers by what object it is.
        return False
    if _is_of_module(kind, "decimal", "Decimal") and value.is_nan():
        return False
    if isinstance(value, datetime.datetime | datetime.time) and not is_zone(value.tzinfo):
        return False
    if kind in _CONSTANTS or has_name(value) or any(_is_of_module(kind, *of) for of in _OF_MODULES):
        return True
    if isinstance(value, types.BuiltinFunctionType):
        # Else it is a method of an object, which would be another one.
        return value.__self__ is None or isinstance(value.__self__, types.ModuleType)
    if isinstance(value, np.generic):
        return kind.__module__ == "numpy" and not isinstance(value, np.void | np.object_)
    return kind.__name__ in _OF_PANDAS and kind.__module__.partition(".")[0] == "pandas"


def _is_of_module(kind: type, module: str, name: str) -> bool:
    """Whether it is the class of that name. It isn't looked for: memory may be short, and so may open files."""
    return kind.__name__ == name and kind is getattr(sys.modules.get(module), name, None)


def is_zone(zone: Any) -> bool:
    """Whether a time zone is none, or one of those that come back as the same or as an equal one."""
    if zone is None or type(zone) is datetime.timezone:
        return True
    if _is_of_module(type(zone), "zoneinfo", "ZoneInfo"):
        return zone.key is not None
    return type(zone).__module__.partition(".")[0] in _OF_LIBRARIES


def keeps_order(value: set[Any] | frozenset[Any]) -> bool:
    """Whether the elements of a set of constants are in the same order in one that is read."""
    return list(pickle.loads(pickle.dumps(value, protocol=5))) == list(value)


def is_plain_container(value: Any) -> bool:
    """Whether a container is written and made again as Python's own are, with nothing beside its elements."""
    kind = type(value)
    if getattr(value, "__dict__", None):
        return False
    if kind.__module__ in ("builtins", "collections"):
        return True
    if kind in copyreg.dispatch_table or copyreg._slotnames(kind):  # type: ignore[attr-defined]
        return False
    return all(_is_of_python(kind, name) for name in _REBUILDING)


def _is_of_python(kind: type, name: str) -> bool:
    """Whether a class has a method from Python itself, or none."""
    owner = next((base for base in kind.__mro__ if name in base.__dict__), object)
    made = owner.__dict__.get("__new__")
    return owner.__module__ in ("builtins", "collections") or getattr(made, "__module__", "").startswith("namedtuple_")
