"""The parts that the large classes are put together from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any


class Mixin:
    """A part of a class of collections; type checkers are told that the whole has what the part leaves out."""

    __slots__ = ()

    if TYPE_CHECKING:
        _expr: Any

        def __getattr__(self, name: str) -> Any: ...

        def __getitem__(self, key: Any) -> Any: ...
