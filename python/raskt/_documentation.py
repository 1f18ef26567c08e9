"""Docstrings in numpydoc form, put together from a function's own words, its signature, and what many functions share.

A function says in its docstring what it does, and shows it by examples. :func:`compose` adds sections: parameters in
the order of the signature, with their defaults, what is returned, what is raised, and where the namesake in NumPy or
pandas does otherwise. What a parameter means is written once for all functions of a package, unless a function gives it
a meaning of its own.
"""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Mapping
from typing import Any

__all__ = ["compose", "without_parameter"]


def compose(
    text: str,
    signature: inspect.Signature,
    returns: str,
    common: Mapping[str, str],
    *,
    raises: Mapping[str, str] | None = None,
    differences: str | None = None,
    kind: str = "Array",
    parameters: Mapping[str, str] | None = None,
    namesake: str = "NumPy",
    prelude: str = "",
) -> str:
    """A docstring of all sections.

    `text` is a summary, perhaps more, and examples, without the indentation of source; `common` has `"type: meaning"`
    by the name of a parameter, and `parameters` has it for those whose meaning is not the common one. `prelude` is what
    examples begin with.
    """
    words, examples = _split(text)
    meanings = {**common, **(parameters or {})}
    listed = [_parameter(p, meanings) for p in signature.parameters.values() if p.name != "self"]
    sections = [words]
    if listed:
        sections.append(_section("Parameters", "\n".join(listed)))
    sections.append(_section("Returns", _entry(kind, returns)))
    if raises:
        sections.append(_section("Raises", "\n".join(_entry(error, why) for error, why in raises.items())))
    if differences:
        sections.append(_section("Notes", _wrapped(f"Differences from {namesake}: {differences}")))
    if examples:
        if prelude and prelude not in examples:
            examples = f"{prelude}\n{examples}"
        sections.append(_section("Examples", examples))
    return "\n\n".join(sections) + "\n"


def without_parameter(text: str, name: str) -> str:
    """A docstring without the entry of one parameter."""
    lines, kept, inside = text.splitlines(), [], False
    for line in lines:
        if line.startswith(f"{name} : "):
            inside = True
        elif not (inside and line.startswith("    ")):
            inside = False
            kept.append(line)
    return "\n".join(kept).replace("Parameters\n----------\n\n", "") + "\n"


def _split(text: str) -> tuple[str, str]:
    """The words, and the examples after them."""
    lines = text.splitlines()
    at = next((number for number, line in enumerate(lines) if line.startswith(">>>")), len(lines))
    return "\n".join(lines[:at]).strip(), "\n".join(lines[at:]).strip()


def _section(title: str, body: str) -> str:
    return f"{title}\n{'-' * len(title)}\n{body}"


def _parameter(parameter: inspect.Parameter, meanings: Mapping[str, str]) -> str:
    kind, meaning = _read(parameter.name, meanings)
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


def _read(name: str, meanings: Mapping[str, str]) -> tuple[str, str]:
    text = meanings.get(name)
    if text is None:
        raise LookupError(f"nothing says what the parameter `{name}` means")
    kind, _, meaning = text.partition(": ")
    return kind, meaning


def _entry(head: str, meaning: str) -> str:
    return f"{head}\n{textwrap.indent(_wrapped(meaning), '    ')}"


@functools.cache
def _wrapped(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), 108, break_on_hyphens=False, break_long_words=False)
