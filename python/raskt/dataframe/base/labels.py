"""Column labels that are not plain strings, as the native side carries them.

The native side names columns by strings. A tuple label travels as its parts joined by the unit separator, a number
with a prefix; both control characters have no place in a name that people write.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

TUPLE = "\x1f"
NUMBER = "\x1d"
#: What the names of columns begin with that the native side has for itself.
INTERNAL = "\uf8ff"


def encode_label(label: Any) -> str:
    """The name that stands for a label; NotImplementedError for one that is neither text, nor a number, nor
    a tuple of them.

    >>> encode_label(("b", "mean")) == "b\\x1fmean"
    True
    """
    if isinstance(label, str):
        if "\0" in label or TUPLE in label or label.startswith((INTERNAL, NUMBER)):
            raise NotImplementedError(
                f"a column label cannot hold a zero byte or a unit separator, nor begin with {INTERNAL!r} or "
                f"{NUMBER!r}: {label!r}; give it another name"
            )
        return label
    if isinstance(label, tuple):
        return TUPLE.join(encode_label(part) for part in label)
    if isinstance(label, float):
        return f"{NUMBER}{float(label)!r}"
    if isinstance(label, bool) or not hasattr(label, "__index__"):
        hash(label)
        raise NotImplementedError(f"a label must be a string, a number or a tuple of them, not {label!r}")
    return f"{NUMBER}{int(label)}"


def encode(labels: Iterable[Any]) -> list[str]:
    """The names that stand for the labels of a pandas object."""
    return [encode_label(label) for label in labels]


def decode_label(name: str) -> Any:
    """The label that a name stands for."""
    if TUPLE in name:
        return tuple(decode_label(part) for part in name.split(TUPLE))
    if not name.startswith(NUMBER):
        return name
    number = name[len(NUMBER) :]
    return int(number) if number.lstrip("-").isdigit() else float(number)


def is_plain(names: Iterable[str]) -> bool:
    """Whether every name stands for itself."""
    return not any(TUPLE in name or name.startswith(NUMBER) for name in names)


def decode(names: Sequence[str]) -> Any:
    """The labels for pandas: a list, or a MultiIndex where a label is a tuple."""
    if is_plain(names):
        return list(names)
    labels = [decode_label(name) for name in names]
    depth = max((len(label) for label in labels if isinstance(label, tuple)), default=1)
    if depth == 1:
        return labels
    import pandas as pd

    padded = [label if isinstance(label, tuple) else (label,) for label in labels]
    return pd.MultiIndex.from_tuples([label + ("",) * (depth - len(label)) for label in padded])


def select(names: Sequence[str], first: Any) -> list[str]:
    """The names of tuple labels whose first part is `first`."""
    prefix = encode_label(first) + TUPLE
    return [name for name in names if name.startswith(prefix)]


def levels_of(labels: Any) -> list[Any]:
    """The values of each level of pandas' row labels, whose names may be numbers: by a number pandas looks for a name
    first."""
    nameless = labels.set_names([None] * labels.nlevels)
    return [nameless.get_level_values(at).rename(labels.names[at]) for at in range(labels.nlevels)]


def without_levels(rows: Any, places: list[int]) -> Any:
    """A pandas object whose row labels lack the levels at some places, as `droplevel`, which looks for names first."""
    if not places:
        return rows
    names = [name for at, name in enumerate(rows.index.names) if at not in places]
    kept = rows.index.set_names([None] * rows.index.nlevels).droplevel(places).set_names(names)
    return rows.set_axis(kept, axis=0)
