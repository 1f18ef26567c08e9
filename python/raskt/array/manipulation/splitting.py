"""Arrays cut into several."""

from __future__ import annotations

from typing import Any

import numpy as np

from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.base.registry import is_array

__all__ = ["array_split", "dsplit", "hsplit", "split", "vsplit"]

_PARTS = "Of the array's type; each a slice along the axis."
_SECTIONS = {
    "indices_or_sections": "int or sequence of int: How many parts there are, or before which positions it is cut.",
    "axis": "int: The axis.",
}
_LIST = "list of Array"


@documented(_PARTS, {"ValueError": "If there is to be no part."}, kind=_LIST, **_SECTIONS)
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Parts of an array along an axis; if they can't be equally long, the first ones are longer by one.

    >>> [part.compute() for part in ra.array_split(ra.arange(5), 2)]
    [array([0, 1, 2]), array([3, 4])]
    """
    x = asarray(ary)
    if is_array(indices_or_sections):
        raise NotImplementedError("array_split takes positions in memory: compute them first")
    length = x.shape[axis]
    if np.ndim(indices_or_sections):
        ends = [*indices_or_sections, length]
    else:
        number = int(indices_or_sections)
        if number <= 0:
            raise ValueError("number sections must be larger than 0.")
        short, longer = divmod(length, number)
        ends = np.cumsum([short + 1] * longer + [short] * (number - longer)).tolist()
    before = (slice(None),) * (axis % x.ndim)
    return [x[(*before, slice(start, end))] for start, end in zip([0, *ends[:-1]], ends, strict=True)]


@documented(_PARTS, {"ValueError": "If the parts can't be equally long."}, kind=_LIST, **_SECTIONS)
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Parts of an array along an axis.

    >>> [part.compute() for part in ra.split(ra.arange(4), 2)]
    [array([0, 1]), array([2, 3])]
    """
    x = asarray(ary)
    if np.ndim(indices_or_sections) == 0 and x.shape[axis] % indices_or_sections:
        raise ValueError("array split does not result in an equal division")
    return array_split(x, indices_or_sections, axis)


def _along(ary: Any, indices_or_sections: Any, axis: int, name: str) -> Any:
    x = asarray(ary)
    if x.ndim < axis + 1:
        raise ValueError(f"{name} only works on arrays of {axis + 1} or more dimensions")
    return split(x, indices_or_sections, axis)


@documented(_PARTS, {"ValueError": "If there are no two axes, or the parts can't be equal."}, kind=_LIST, **_SECTIONS)
def vsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Parts of an array one below the other: along the first of at least two axes.

    >>> [part.shape for part in ra.vsplit(ra.ones((4, 3)), 2)]
    [(2, 3), (2, 3)]
    """
    x = asarray(ary)
    if x.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(x, indices_or_sections, 0)


@documented(_PARTS, {"ValueError": "If there is no axis, or the parts can't be equal."}, kind=_LIST, **_SECTIONS)
def hsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Parts of an array side by side: along the second axis, or the first if there is no second.

    >>> [part.shape for part in ra.hsplit(ra.ones((3, 4)), 2)]
    [(3, 2), (3, 2)]
    """
    return _along(ary, indices_or_sections, min(asarray(ary).ndim - 1, 1) if asarray(ary).ndim else 0, "hsplit")


@documented(_PARTS, {"ValueError": "If there are no three axes, or the parts can't be equal."}, kind=_LIST, **_SECTIONS)
def dsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Parts of an array one behind the other: along the third axis.

    >>> [part.shape for part in ra.dsplit(ra.ones((3, 2, 4)), 2)]
    [(3, 2, 2), (3, 2, 2)]
    """
    return _along(ary, indices_or_sections, 2, "dsplit")
