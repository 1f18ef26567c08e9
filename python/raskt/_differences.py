"""What differs from NumPy and pandas on purpose: one table that tests hold true.

>>> from raskt._differences import DIFFERENCES
>>> all(row.what and row.why for row in DIFFERENCES)
True
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """One difference: the operations it is about, by patterns, what one sees, and the reason.

    `kinds`, `types` and `arguments` say to which combinations of the tests it applies; `example` is the key of one.
    """

    names: tuple[str, ...]
    what: str
    why: str
    kinds: tuple[str, ...] = ("value",)
    types: str = "*"
    arguments: str = "*"
    example: str = ""


DIFFERENCES: tuple[Difference, ...] = ()
