"""Checks of arguments that need nothing of collections, and what stands for an argument that was not given."""

from __future__ import annotations

import enum
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


def unused(*values: Any) -> None:
    """Arguments that pandas has for a method of series because frames have them, and reads as little."""


def check_series_axis(axis: Any) -> None:
    """ValueError for an axis that a series does not have."""
    if axis not in (None, 0, "index", "rows"):
        raise ValueError(f"No axis named {axis!r} for object type Series")
