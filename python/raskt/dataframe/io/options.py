"""What a caller asked for, told from what a function does anyway."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, ParamSpec

P = ParamSpec("P")


class NoDefault:
    """Stands for an argument that wasn't given, where `None` means something."""

    def __repr__(self) -> str:
        return "<no_default>"


#: The default of arguments for which `None` means something.
NO_DEFAULT: Final = NoDefault()


def given(function: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call that differ from the defaults of the function, its first one left out."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return {one.name: arguments[one.name] for one in parameters if not _same(arguments[one.name], one.default)}


def with_parameters_of(model: Callable[P, Any]) -> Callable[[Callable[..., Any]], Callable[P, Any]]:
    """Give a function of a source and of options the parameters of another one.

    It is called with the first argument, and with a dictionary of those that differ from their defaults.
    """
    signature = inspect.signature(model)

    def decorate(function: Callable[..., Any]) -> Callable[P, Any]:
        @functools.wraps(function)
        def call(*args: P.args, **named: P.kwargs) -> Any:
            try:
                bound = signature.bind(*args, **named)
            except TypeError as error:
                raise TypeError(f"{function.__name__}() {error}") from None
            bound.apply_defaults()
            source, *_ = bound.arguments.values()
            return function(source, given(model, bound.arguments))

        call.__signature__ = signature  # type: ignore[attr-defined]
        del call.__wrapped__  # type: ignore[attr-defined]
        return call

    return decorate


def _same(value: Any, default: Any) -> bool:
    if value is default:
        return True
    return isinstance(value, str | bool | int | float) and type(value) is type(default) and bool(value == default)


def refuse(function: str, options: dict[str, Any], reasons: Mapping[str, str]) -> None:
    """NotImplementedError for an option that has no meaning here, with the reason and what would work."""
    for name, reason in reasons.items():
        if name in options:
            raise NotImplementedError(f"{function}({name}=): {reason}")
