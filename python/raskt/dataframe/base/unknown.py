"""Which collections have categories that no plan says; what finds them is registered here (see `categories`)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .registry import kind_of
from .storage import Found, storage_for

_state = threading.local()
_finders: list[Callable[[Any], Any]] = []


def finding(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Make a function the one that finds categories: from an expression to one that says them."""
    _finders.append(function)
    return function


def settled(expression: Any) -> Any:
    """The same rows by a plan that says their categories, which are computed now."""
    return _finders[-1](expression)


def is_settled(expression: Any) -> bool:
    """Whether the plan of an expression says all the categories of its values."""
    kind = kind_of(expression)
    if kind == "frame":
        return "category" not in expression.dtypes or not unknown_columns(expression)
    return kind != "series" or expression.dtype != "category" or not is_unknown(expression)


def is_unknown(column: Any) -> bool:
    """Whether the plan of a column of categories does not say which they are."""
    if column.dtype != "category":
        return False
    return column.categories is None if column.codec is None else isinstance(storage_for(column.codec), Found)


def unknown_columns(frame: Any) -> list[tuple[str, Any]]:
    """The columns of a frame expression whose categories are not known, with their names."""
    categories = [at for at, dtype in enumerate(frame.dtypes) if dtype == "category"]
    columns = [(frame.columns[at], frame.column_at(at)) for at in categories]
    return [(name, column) for name, column in columns if is_unknown(column)]


def is_left() -> bool:
    """Whether this thread leaves categories unknown just now, since it is about to find them."""
    return bool(getattr(_state, "left", False))


@contextmanager
def leaving_unknown() -> Iterator[None]:
    """Plans are made meanwhile as if all categories were known; only those that read rows as they are may be."""
    before = is_left()
    _state.left = True
    try:
        yield
    finally:
        _state.left = before
