"""Names of what processes share: texts, and numbers, bytes and tuples of them as Dask has them."""

from __future__ import annotations

import ast
import math
import uuid
from typing import Any

ODD = "\x00"
"""What the written form of a name that isn't a plain text begins with."""

DEPTH = 20
"""Tuples in tuples are followed this far."""


def written(name: Any) -> str:
    """The text that stands for a name.

    >>> written("x"), written(("x", 1))
    ('x', "\\x00('x', 0x1)")
    >>> written([1])
    Traceback (most recent call last):
    TypeError: a name is a text, a number, bytes, or a tuple of such, not [1]
    """
    if type(name) is str and name.isprintable() and name:
        return name
    return ODD + _repr(name, name, 0)


def read(text: str) -> Any:
    """The name for which a text stands.

    >>> read(written(("x", 1.5, b"y", ("z",))))
    ('x', 1.5, b'y', ('z',))
    """
    return ast.literal_eval(text[1:]) if text.startswith(ODD) else text


def fresh(kind: str, name: Any) -> Any:
    """The name, or one that nobody has."""
    if name is None or name == "":
        return f"{kind}-{uuid.uuid4().hex}"
    written(name)
    return name


def _repr(part: Any, name: Any, depth: int) -> str:
    if depth > DEPTH:
        raise ValueError(f"a name is a tuple of tuples of tuples, more than {DEPTH} deep")
    if isinstance(part, str):
        # In letters that can be sent, whatever it has.
        return ascii(str(part))
    if isinstance(part, tuple):
        items = [_repr(item, name, depth + 1) for item in part]
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    if isinstance(part, bool):
        return repr(part)
    if isinstance(part, float) and math.isfinite(part):
        return repr(float(part))
    if isinstance(part, int):
        return hex(part)
    if isinstance(part, bytes):
        return repr(bytes(part))
    raise TypeError(f"a name is a text, a number, bytes, or a tuple of such, not {name!r}")
