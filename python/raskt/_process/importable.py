"""Which functions, classes and modules no other process could import.

Those are of scripts, tests and plugins that were loaded from a file. They go by value, wherever they stand.
"""

from __future__ import annotations

import sys
from types import FunctionType, ModuleType
from typing import Any


def is_here_only(thing: Any) -> bool:
    """Whether a function, a class or a module is of a module that only this process has, and not of the main one."""
    if isinstance(thing, (FunctionType, type)):
        module = sys.modules.get(getattr(thing, "__module__", None) or "")
    else:
        module = thing if isinstance(thing, ModuleType) else None
    # The main module is cloudpickle's own to tell.
    return isinstance(module, ModuleType) and module.__name__ != "__main__" and not _is_importable(module)


_IMPORTABLE: dict[str, bool] = {}


def _is_importable(module: ModuleType) -> bool:
    """Whether `import` finds the module by its name, and not only because it is loaded here."""
    name = module.__name__
    if name not in _IMPORTABLE:
        _IMPORTABLE[name] = _finds(name, module)
    return _IMPORTABLE[name]


def _finds(name: str, module: ModuleType) -> bool:
    if name in sys.builtin_module_names or getattr(module, "__file__", None) is None:
        return True
    parent, _, _ = name.rpartition(".")
    folders = getattr(sys.modules.get(parent), "__path__", None) if parent else None
    if parent and folders is None:
        return False
    try:
        # All finders are asked: packages that are installed in place have one of their own.
        finders = [finder for finder in sys.meta_path if hasattr(finder, "find_spec")]
        found = any(finder.find_spec(name, folders) is not None for finder in finders)
    except Exception:
        return True
    return found or getattr(getattr(module, "__spec__", None), "origin", None) == "frozen"
