"""What tables of pandas consist of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from raskt._moving.constants import is_constant, is_zone

FRAMES = ("DataFrame", "Series")

_OF_FRAME = ("_mgr", "_attrs", "_flags", "_name", "_typ")
"""The attributes that frames have, and that come back."""

_WITHOUT_MEMORY = ("_cache", "_dtype", "_freq")
"""Attributes of arrays that aren't looked at as parts."""


def is_frame(value: Any) -> bool:
    """Whether it is a table of a class of pandas."""
    return type(value).__name__ in FRAMES and is_of_pandas(value)


def is_of_pandas(value: Any) -> bool:
    """Whether an object is of a class of pandas."""
    return type(value).__module__.partition(".")[0] == "pandas"


def is_array(value: Any) -> bool:
    """Whether it is an array of one of the types that NumPy doesn't have."""
    return hasattr(value, "_from_sequence")


def has_own_attributes(frame: Any) -> bool:
    """Whether somebody has put something beside a table that wouldn't come back, or as another object."""
    return _is_put_beside(frame, _OF_FRAME) or not is_constant(frame.__dict__.get("_name"))


def _is_put_beside(value: Any, own: tuple[str, ...]) -> bool:
    """Whether an object of pandas has other attributes than `own` and what pandas makes when it is asked for."""
    beside = [name for name in value.__dict__ if name not in own]
    return any(not (hasattr(type(value), name) and is_of_pandas(value.__dict__[name])) for name in beside)


def flags_of(frame: Any) -> list[Any]:
    """The object in which a table has its flags, if it has been asked for."""
    flags = frame.__dict__.get("_flags")
    return [] if flags is None else [flags]


def are_flags(value: Any) -> bool:
    """Whether it is such an object."""
    return type(value).__name__ == "Flags" and is_of_pandas(value)


def parts_of_array(array: Any) -> Iterator[Any]:
    """What an array of pandas consists of: other arrays, and what somebody has put beside them."""
    own = getattr(array, "_ndarray", None)
    if own is not None:
        yield own
    for name, part in getattr(array, "__dict__", {}).items():
        if name == "_sparse_index":
            names = ("indices", "blocs", "blengths")
            yield from (getattr(part, name) for name in names if hasattr(part, name))
        elif name not in _WITHOUT_MEMORY:
            yield part


def is_plain_type(dtype: Any) -> bool:
    """Whether what the type of an array refers to comes back as the same, but for labels that are its categories."""
    fill = getattr(dtype, "fill_value", None)
    if not is_constant(fill) and fill == fill:
        return False
    return is_zone(getattr(dtype, "tz", None))


def labels_in(labels: Any) -> list[Any]:
    """Labels of several levels, and those of each."""
    return [labels, *labels._levels] if labels.nlevels > 1 else [labels]


def arrays_of(labels: Any) -> list[Any]:
    """The arrays that labels of any number of levels are in."""
    return [each.__dict__["_data"] for each in labels_in(labels) if "_data" in each.__dict__]


def labels_of(frame: Any) -> list[Any]:
    """All the labels that a table has, level by level."""
    return [each for axis in frame._mgr.axes for each in labels_in(axis)]


def categories_of(array: Any) -> list[Any]:
    """The labels that are the categories of an array."""
    categories = getattr(getattr(array, "dtype", None), "categories", None)
    return [] if categories is None else labels_in(categories)


def holders_of(labels: Any) -> list[Any]:
    """What refers to the memory of labels: they, others that share it (pandas sees to it that nobody changes it), and
    what they have looked up, which several may have in common."""
    references = getattr(labels, "_references", None)
    sharers = [] if references is None else [reference() for reference in list(references.referenced_blocks)]
    found = [labels, *(each for each in sharers if each is not None)]
    for each in list(found):
        looked_up = getattr(each, "_cache", {})
        found += [looked_up, looked_up.get("_engine"), getattr(each, "_codes", None)]
    return [each for each in found if each is not None]


def held_by(holder: Any) -> list[Any]:
    """The arrays that one of those refers to."""
    if isinstance(holder, list):
        parts = list(holder)
    elif isinstance(holder, dict):
        parts = list(holder.values())
    else:
        # Labels, else what finds them, or a column.
        parts = [holder.__dict__.get("_data") if hasattr(holder, "_cache") else getattr(holder, "values", None)]
    return [part for part in parts if isinstance(part, np.ndarray) or is_array(part)]


def are_constants(labels: Any) -> bool:
    """Whether labels, and what they are called, come back as the same or as equal ones."""
    own = tuple(name for name in labels.__dict__ if name.startswith("_") or name == "sortorder")
    if _is_put_beside(labels, own) or not all(map(is_constant, labels.names)):
        return False
    if "_data" not in labels.__dict__:
        # Numbered rows, or several levels.
        return True
    if not is_plain_type(labels.dtype):
        return False
    array = getattr(labels._data, "_ndarray", labels._data)
    return not (isinstance(array, np.ndarray) and array.dtype.hasobject) or all(map(is_constant, array.flat))


def holds_objects(array: Any) -> bool:
    """Whether elements of an array are Python objects."""
    if isinstance(array, np.ndarray):
        return array.dtype.hasobject
    return is_array(array) and any(map(holds_objects, parts_of_array(array)))
