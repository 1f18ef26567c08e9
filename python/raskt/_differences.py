"""What differs from NumPy and pandas on purpose: the one table of it, which tests hold true and the documentation shows.

>>> from raskt._differences import DIFFERENCES
>>> all(row.what and row.why for row in DIFFERENCES)
True
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """One difference: the operations it is about, by patterns, what one sees, and the reason."""

    names: tuple[str, ...]
    what: str
    why: str
    kinds: tuple[str, ...] = ("value",)
    types: str = "*"
    arguments: str = "*"


DIFFERENCES: tuple[Difference, ...] = ()
