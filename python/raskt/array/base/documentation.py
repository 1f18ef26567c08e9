"""Docstrings of functions over arrays: see :mod:`raskt._documentation`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, TypeVar

from raskt._documentation import compose, without_parameter
from raskt.array.base.parameters import PARAMETERS

__all__ = ["as_method", "documented"]

F = TypeVar("F", bound=Callable[..., Any])

#: What every docstring's examples may use.
PRELUDE = ">>> import raskt.array as ra"


def documented(
    returns: str,
    raises: Mapping[str, str] | None = None,
    differences: str | None = None,
    kind: str = "Array",
    **parameters: str,
) -> Callable[[F], F]:
    """Complete a function's docstring by :func:`compose`. ``kind`` is the class of what is returned."""

    def decorate(function: F) -> F:
        function.__doc__ = compose(
            inspect.cleandoc(function.__doc__ or ""),
            inspect.signature(function),
            returns,
            PARAMETERS,
            raises=raises,
            differences=differences,
            kind=kind,
            parameters=parameters,
            prelude=PRELUDE,
        )
        return function

    return decorate


def as_method(function: Any, **parameters: str) -> Any:
    """The same function as a method of its first parameter, with the same documentation less that parameter."""
    made = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = f"Array.{function.__name__}"
    made.__module__ = function.__module__
    first, *rest = inspect.signature(function).parameters.values()
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    rest = [p.replace(kind=p.POSITIONAL_OR_KEYWORD) if p.kind is p.POSITIONAL_ONLY else p for p in rest]
    made.__signature__ = inspect.Signature([own, *rest])  # type: ignore[attr-defined]
    made.__doc__ = without_parameter(function.__doc__ or "", first.name)
    return made
