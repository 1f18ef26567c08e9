"""Keys of pure calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import raskt


def content_key(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> str:
    """A key that equal calls have in common."""
    named = [_by_key(kwargs)] if kwargs else []
    return f"{getattr(function, '__name__', 'call')}-{raskt.tokenize(function, _by_key(args), *named)}"


def _by_key(value: Any) -> Any:
    """`value` with futures told apart by their keys: their results may not be there yet."""
    if isinstance(value, raskt.futures.Future):
        return ("raskt.future", value.key)
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(map(_by_key, value))
    if type(value) is dict:
        return {_by_key(key): _by_key(item) for key, item in value.items()}
    return value
