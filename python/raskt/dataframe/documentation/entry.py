"""What is told of a public name beside its own words: what it returns and raises, and examples."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from raskt._documentation import compose
from raskt.dataframe.documentation.parameters import PARAMETERS

__all__ = [
    "FADING",
    "GROUPS",
    "META",
    "NO_MEANING",
    "PIPED",
    "REDUCED",
    "ROWS",
    "SORTED",
    "SIDES",
    "SPANS",
    "WIDE",
    "WINDOW",
    "Entry",
    "alike",
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

#: The parameters of windows whose weights fade.
FADING = {
    "com": "float: The weights by their centre of mass: they shrink by `com / (1 + com)` from row to row.",
    "span": "float: The weights by their span: `com = (span - 1) / 2`.",
    "halflife": "float or timedelta: After how many rows weights are halved; with `times`, after what time.",
    "alpha": "float: The weight of the newest row, between 0 and 1.",
    "adjust": "bool: Whether weights are divided by their sum, which matters for the first rows.",
    "ignore_na": "bool: Whether rows with a missing value don't count for the weights of others.",
    "times": "list-like or label: The times of the rows.",
    "method": 'str: `"single"` for windows of each column, `"table"` for those of all together.',
}
#: The parameters by which rows are put in order.
SORTED = {
    "axis": "int or str: Only 0: the order of columns by the values of a row only computing can tell.",
    "ascending": "bool or list of bool: Least values first, for all keys or for each.",
    "kind": 'str: pandas\' ways, `"quicksort"` and others; the order is stable, whichever is named.',
    "na_position": 'str: `"first"` or `"last"`: where missing values stand.',
    "key": "callable: What values are compared by: a function of a series (gathered, in pandas).",
    "npartitions": "int: Dask's: the partitions of the result.",
}
#: The parameters of `pipe`.
PIPED = {
    "func": "callable or (callable, str): Is called with this object, by the name of an argument in the second form.",
}

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


def alike(
    kind: str, returns: str, call: str, results: Mapping[str, str], prelude: str | None = None
) -> dict[str, Entry]:
    """Entries of functions that are called alike: `call` has `{}` for a name, `results` what each of them shows."""
    return {
        name: Entry(kind, returns, f">>> {call.format(name)}\n{shown}", prelude=prelude)
        for name, shown in results.items()
    }


def document(owner: Any, entries: Mapping[str, Entry], prelude: str) -> None:
    """Complete the docstrings of the names of a class or module that there are entries for.

    A function that several names or classes share is completed once, by the first of them.
    """
    for name, entry in entries.items():
        found = inspect.getattr_static(owner, name, None)
        found = getattr(found, "__func__", found)
        function = found.fget if isinstance(found, property) else found
        if function is None or ("Examples\n" in (found.__doc__ or "") and _is_complete(found.__doc__ or "")):
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
    if _is_complete(text):
        begin = prelude if entry.prelude is None else entry.prelude
        lines = "\n".join(part for part in (IMPORTS, begin, entry.example.strip()) if part)
        return f"{text}\n\nExamples\n--------\n{lines}\n"
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
