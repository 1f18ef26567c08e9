"""What is told of a public name beside its own words: what it returns and raises, and examples."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from raskt._documentation import compose
from raskt.dataframe.documentation.parameters import PARAMETERS

__all__ = [
    "GROUPS",
    "META",
    "NO_MEANING",
    "REDUCED",
    "ROWS",
    "SIDES",
    "SPANS",
    "WIDE",
    "WINDOW",
    "Entry",
    "document",
]

# What many functions return, and why many raise.
ROWS = "Of the same rows, labels and partitions."
REDUCED = "A lazy scalar of a series; of a frame, a series with a value for each column."
GROUPS = "A row for each group, labelled by its key; in the order of keys unless `sort=False`."
SPANS = "A row for each span, labelled by its left or right end."
WINDOW = "A row for each row, of float64; missing where the window has too few values."
WIDE = "Of int64 or uint64 for integers and truth values, else of the column's type."
SIDES = "The rows of both sides, met by their labels."
META = "What `meta`, or a trial, says that the function gives."
NO_MEANING = "For a column whose type it has no meaning for; `numeric_only=True` leaves those of a frame out."

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
