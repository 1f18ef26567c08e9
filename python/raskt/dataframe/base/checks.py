"""Checks of arguments that need nothing of collections, and what stands for an argument that was not given."""

from __future__ import annotations

import enum
import sys
import warnings
from typing import Any


class NoDefault(enum.Enum):
    """What stands for an argument that was not given, where None means something else."""

    no_default = "<no_default>"

    def __repr__(self) -> str:
        return "<no_default>"


no_default = NoDefault.no_default


def refuse_given(method: str, refused: dict[str, tuple[Any, Any]], instead: str) -> None:
    """NotImplementedError for arguments that have another value than their default.

    `refused` has the value and the default of each, by name; `instead` says what works.
    """
    for name, (value, default) in refused.items():
        if value is not default and (type(value) is not type(default) or value != default):
            raise NotImplementedError(f"{method}({name}={value!r}) is not supported: {instead}")


def refuse_engine(method: str, engine: Any, engine_kwargs: Any) -> None:
    """NotImplementedError for compiled functions of Numba; the other engines give the same results as none."""
    if engine not in (None, "cython", "python") or engine_kwargs:
        raise NotImplementedError(
            f"{method}(engine={engine!r}, engine_kwargs={engine_kwargs!r}) is not supported: leave both out"
        )


def check_boolean(name: str, value: Any) -> bool:
    """A flag as pandas checks it: ValueError for another type."""
    if not isinstance(value, bool) and type(value).__name__ != "bool":
        raise ValueError(f'For argument "{name}" expected type bool, received type {type(value).__name__}.')
    return bool(value)


def deprecated_copy(copy: Any) -> None:
    """pandas' warning for the argument `copy`, which it takes no more note of since version 3 than plans do."""
    if copy is not no_default:
        warn_deprecated(
            "The copy keyword is deprecated and will be removed in a future version. Copy-on-Write is active in pandas "
            "since 3.0 which utilizes a lazy copy mechanism that defers copies until necessary. Use .copy() to make an "
            "eager copy if necessary."
        )


def warn_deprecated(message: str) -> None:
    """Warn whoever called this package, in pandas' class where it has one of its own for it."""
    from pandas import errors

    kind = getattr(errors, "Pandas4Warning", DeprecationWarning)
    warnings.warn(message, kind, stacklevel=caller_level())


def caller_level() -> int:
    """The `stacklevel` by which a warning of whoever calls this points to the first frame outside of this package."""
    frame: Any = sys._getframe(1)
    level = 1
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "raskt":
        frame, level = frame.f_back, level + 1
    return level


def without_effect(*hints: Any) -> None:
    """Take arguments that cannot change what a result is: about copies, about how work is laid out."""


def check_series_axis(axis: Any) -> None:
    """ValueError for an axis that a series does not have."""
    if axis not in (None, 0, "index", "rows"):
        raise ValueError(f"No axis named {axis!r} for object type Series")


def check_frame_axis(axis: Any) -> None:
    """ValueError for an axis that a frame does not have."""
    if axis not in (None, 0, 1, "index", "rows", "columns"):
        raise ValueError(f"No axis named {axis!r} for object type DataFrame")
