"""Docstrings in numpydoc form, put together from a function's own words, its signature, and what many functions share.

A function says in its docstring what it does, and shows it by examples. :func:`documented` adds sections: parameters
in the order of the signature, with their defaults, what is returned, what is raised, and where NumPy does otherwise.
What a parameter means is written once, in :data:`PARAMETERS`, unless a function gives it a meaning of its own.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, TypeVar

from raskt.array.base.parameters import PARAMETERS

__all__ = ["as_method", "compose", "documented"]

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
    """Complete a function's docstring: see :func:`compose`. ``kind`` is the class of what is returned."""

    def decorate(function: F) -> F:
        function.__doc__ = compose(
            function.__doc__ or "",
            inspect.signature(function),
            returns,
            raises=raises,
            differences=differences,
            kind=kind,
            parameters=parameters,
        )
        return function

    return decorate


def compose(
    text: str,
    signature: inspect.Signature,
    returns: str,
    *,
    raises: Mapping[str, str] | None = None,
    differences: str | None = None,
    kind: str = "Array",
    parameters: Mapping[str, str] | None = None,
) -> str:
    """A docstring of all sections.

    `text` is a summary, perhaps more, and examples; `parameters` has `"type: meaning"` for those whose meaning is not
    the common one.
    """
    words, examples = _split(inspect.cleandoc(text))
    own = parameters or {}
    listed = [_parameter(p, own.get(p.name)) for p in signature.parameters.values() if p.name != "self"]
    sections = [words]
    if listed:
        sections.append(_section("Parameters", "\n".join(listed)))
    sections.append(_section("Returns", _entry(kind, returns)))
    if raises:
        sections.append(_section("Raises", "\n".join(_entry(error, why) for error, why in raises.items())))
    if differences:
        sections.append(_section("Notes", _wrapped(f"Differences from NumPy: {differences}")))
    if examples:
        examples = examples if "import raskt" in examples else f"{PRELUDE}\n{examples}"
        sections.append(_section("Examples", examples))
    return "\n\n".join(sections) + "\n"


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
    made.__doc__ = _without_parameter(function.__doc__ or "", first.name)
    return made


def _split(text: str) -> tuple[str, str]:
    """The words, and the examples after them."""
    lines = text.splitlines()
    at = next((number for number, line in enumerate(lines) if line.startswith(">>>")), len(lines))
    return "\n".join(lines[:at]).strip(), "\n".join(lines[at:]).strip()


def _section(title: str, body: str) -> str:
    return f"{title}\n{'-' * len(title)}\n{body}"


def _parameter(parameter: inspect.Parameter, own: str | None) -> str:
    kind, meaning = _read(parameter.name, own)
    default = parameter.default
    if parameter.kind is parameter.VAR_POSITIONAL:
        return _entry(f"*{parameter.name} : {kind}", meaning)
    if parameter.kind is parameter.VAR_KEYWORD:
        return _entry(f"**{parameter.name} : {kind}", meaning)
    if default is inspect.Parameter.empty:
        return _entry(f"{parameter.name} : {kind}", meaning)
    plain = default is None or repr(default) == "<no value>"
    return _entry(f"{parameter.name} : {kind}, {'optional' if plain else f'default {_shown(default)}'}", meaning)


def _shown(default: Any) -> str:
    return default.__name__ if isinstance(default, type) else repr(default)


def _read(name: str, own: str | None) -> tuple[str, str]:
    text = PARAMETERS.get(name) if own is None else own
    if text is None:
        raise LookupError(f"nothing says what the parameter `{name}` means")
    kind, _, meaning = text.partition(": ")
    return kind, meaning


def _entry(head: str, meaning: str) -> str:
    return f"{head}\n{textwrap.indent(_wrapped(meaning), '    ')}"


def _wrapped(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), 108, break_on_hyphens=False, break_long_words=False)


def _without_parameter(text: str, name: str) -> str:
    """A docstring without the entry of one parameter."""
    lines, kept, inside = text.splitlines(), [], False
    for line in lines:
        if line.startswith(f"{name} : "):
            inside = True
        elif not (inside and line.startswith("    ")):
            inside = False
            kept.append(line)
    return "\n".join(kept).replace("Parameters\n----------\n\n", "") + "\n"
