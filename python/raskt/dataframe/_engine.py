"""The door to the Rust side: expressions in, collections of Python out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

    from ._collection import Collection

_core: ModuleType | None = None


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


def wrap(expression: Any) -> Any:
    """The collection of users that shows an expression: a frame, or by its kind a series, a scalar or an index."""
    from ._frame import DataFrame
    from ._index import Index
    from ._scalar import Scalar
    from ._series import Series

    if isinstance(expression, core().FrameExpr):
        return DataFrame(expression)
    return {"series": Series, "scalar": Scalar, "index": Index}[expression.kind](expression)


def is_collection(value: Any) -> bool:
    """Whether a value is a frame, series, index or scalar of this package."""
    from ._collection import Collection

    return isinstance(value, Collection)


def native(value: Any) -> Any:
    """The expression behind a collection; every other value as it is."""
    return value._expr if is_collection(value) else value


def root_frame(collection: Collection) -> Any:
    """A frame expression with the rows of a collection: itself, or its one column under the name `0`."""
    from ._frame import DataFrame

    if isinstance(collection, DataFrame):
        return collection._expr
    return as_column(collection).to_frame("0")


def as_column(collection: Collection) -> Any:
    """The column expression of a series or an index."""
    expression = collection._expr
    return expression.to_series() if expression.kind == "index" else expression
