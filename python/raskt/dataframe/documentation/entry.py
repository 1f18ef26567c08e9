"""What is told of a public name beside its own words: what it returns and raises, and examples."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from raskt._documentation import compose
from raskt.dataframe.documentation.parameters import PARAMETERS

__all__ = ["Entry", "document"]

IMPORTS = ">>> import pandas as pd, raskt.dataframe as rd"


@dataclass(frozen=True)
class Entry:
    """The sections of a docstring that its signature doesn't tell.

    `example` begins with what `prelude` makes; both are lines of an interactive session.
    """

    kind: str
    returns: str
    example: str = ""
    raises: Mapping[str, str] = field(default_factory=dict)
    prelude: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)


def document(owner: Any, entries: Mapping[str, Entry], prelude: str) -> None:
    """Complete the docstrings of the names of a class or module that there are entries for.

    A function that several names or classes share is completed once, by the first of them.
    """
    for name, entry in entries.items():
        found = inspect.getattr_static(owner, name, None)
        function = found.fget if isinstance(found, property) else found
        if function is None or _is_complete(found.__doc__ or ""):
            continue
        text = _composed(function, found.__doc__ or "", entry, prelude)
        try:
            found.__doc__ = text
        except AttributeError:  # of the native module, which documents itself
            continue


def _is_complete(text: str) -> bool:
    return "Returns\n" in text


def _composed(function: Callable[..., Any], text: str, entry: Entry, prelude: str) -> str:
    text = inspect.cleandoc(text)
    if ">>>" not in text and entry.example:
        begin = prelude if entry.prelude is None else entry.prelude
        text = f"{text}\n\n{IMPORTS}\n{begin}\n{entry.example.strip()}"
    signature = inspect.signature(function)
    unknown = {name: "object: As in pandas." for name in signature.parameters if name not in PARAMETERS}
    return compose(
        text,
        signature,
        entry.returns,
        {**unknown, **PARAMETERS},
        raises=entry.raises,
        kind=entry.kind,
        parameters=entry.parameters,
        namesake="pandas",
    )
