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


def as_method(function: Any, **defaults: Any) -> Any:
    """The same function as a method of its first parameter, with the same documentation less that parameter.

    `defaults` are those that the method has and the function has not.
    """
    made = FunctionType(function.__code__, function.__globals__, function.__name__, None, function.__closure__)
    parameters = inspect.signature(function).parameters.values()
    changed = [p.replace(default=defaults.get(p.name, p.default)) for p in parameters]
    made.__defaults__ = tuple(p.default for p in changed if p.kind is not p.KEYWORD_ONLY and p.default is not p.empty)
    made.__kwdefaults__ = {p.name: p.default for p in changed if p.kind is p.KEYWORD_ONLY and p.default is not p.empty}
    made.__qualname__ = f"Array.{function.__name__}"
    made.__module__ = function.__module__
    first, *rest = changed
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    rest = [p.replace(kind=p.POSITIONAL_OR_KEYWORD) if p.kind is p.POSITIONAL_ONLY else p for p in rest]
    made.__signature__ = inspect.Signature([own, *rest])  # type: ignore[attr-defined]
    made.__doc__ = without_parameter(function.__doc__ or "", first.name)
    return made
