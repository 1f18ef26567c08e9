"""The native module, and the classes that show its expressions.

Classes of collections register themselves here when they are defined, so that everything below them can give
collections without importing them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from types import ModuleType

Shown = TypeVar("Shown")

_core: ModuleType | None = None
_classes: dict[str, Any] = {}


def core() -> ModuleType:
    """The native module, its threads set up once."""
    global _core
    if _core is None:
        from raskt import _core as native

        native.frame_initialise(_threads())
        _core = native
    return _core


def _threads() -> int:
    """Threads that the frame engine may use: those that this process may run on."""
    from raskt import config

    chosen = config.get("num-workers", None)
    if chosen:
        return int(chosen)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def register(kind: str) -> Callable[[type[Shown]], type[Shown]]:
    """Make a class the one that shows expressions of a kind: frame, series, scalar, index or labels."""

    def remember(shown: type[Shown]) -> type[Shown]:
        _classes[kind] = shown
        return shown

    return remember


def wrap(expression: Any) -> Any:
    """The collection of users that shows an expression: a frame, or by its kind a series, a scalar or an index."""
    return _classes[kind_of(expression)](expression)


def kind_of(expression: Any) -> str:
    """The kind of an expression: frame, series, scalar, index, or labels (an index of several levels)."""
    return str(expression.kind)
