"""Arguments of frames and series, checked."""

from __future__ import annotations

import enum
from typing import Any

from .collection import is_collection


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


def without_effect(*hints: Any) -> None:
    """Take arguments that cannot change what a result is: about copies, about how work is laid out."""


def check_boolean(name: str, value: Any) -> bool:
    """A flag as pandas checks it: ValueError for another type."""
    if not isinstance(value, bool) and type(value).__name__ != "bool":
        raise ValueError(f'For argument "{name}" expected type bool, received type {type(value).__name__}.')
    return bool(value)


def as_list(value: Any) -> list[Any]:
    """A value as a list: itself, or it alone. A tuple is one label, of several levels."""
    return list(value) if isinstance(value, list) else [value]


def check_na_position(na_position: Any) -> None:
    """ValueError unless missing values are to come first or last."""
    if na_position not in ("first", "last"):
        raise ValueError(f"na_position must be 'first' or 'last', not {na_position!r}")


def require_boolean(mask: Any) -> Any:
    """The expression of a boolean series; TypeError for another type."""
    if not mask._expr.dtype.startswith("bool"):
        raise TypeError(f"rows are chosen by a boolean series, and `{mask.name}` is of type {mask._expr.dtype}")
    return mask._expr


def plain_operand(value: Any) -> Any:
    """An operand that is a value or a lazy object; NotImplementedError for data outside of the plan."""
    if is_collection(value) or isinstance(value, str | bytes) or value is None:
        return value
    if hasattr(value, "dtype") and getattr(value, "ndim", 0) == 0:
        return value
    if hasattr(value, "__len__") or hasattr(value, "dtype"):
        raise NotImplementedError(
            f"a lazy column with a {type(value).__name__}: rows of other data are not aligned; make it a column of the "
            "same frame before from_pandas, or merge with it"
        )
    return value
