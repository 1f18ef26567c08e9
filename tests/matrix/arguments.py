"""Every argument value that a signature documents: names come from `inspect`, values from tables by parameter name."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Values = Mapping[str, list[Any]]


def parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The named parameters of a function or a method, without `self`."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p for p in found if p.name not in ("self", "cls") and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def argument_sets(
    names: list[str], values: Values, required: tuple[str, ...] = (), depth: int = 2
) -> Iterator[dict[str, Any]]:
    """Keyword arguments: the required ones in every combination, the others up to `depth` of them at a time."""
    fixed = [[(name, value) for value in values[name]] for name in required]
    optional = [name for name in names if name in values and name not in required]
    for base in itertools.product(*fixed):
        for count in range(min(depth, len(optional)) + 1):
            for several in itertools.combinations(optional, count):
                for more in itertools.product(*(values[name] for name in several)):
                    yield dict(base) | dict(zip(several, more))


def described(arguments: Mapping[str, Any]) -> str:
    """Arguments as one reads them in a call; the same text in every run."""
    return ", ".join(f"{name}={text_of(value)}" for name, value in arguments.items())


def text_of(value: Any) -> str:
    """A value without addresses in it."""
    if isinstance(value, list | tuple) and any(map(callable, value)):
        return "[" + ", ".join(map(text_of, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {text_of(part)}" for key, part in value.items()) + "}"
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    return " ".join(repr(value).split())
