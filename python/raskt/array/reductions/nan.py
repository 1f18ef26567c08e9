"""Elements that are not NaN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from raskt.array.base.conversion import asarray
from raskt.array.selection.where import where as choose

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["without_nan"]


def without_nan(a: Any, number: int) -> Array:
    """The array, each NaN replaced by a number."""
    x = asarray(a)
    return choose(x != x, x.dtype.type(number), x) if x.dtype.kind in "fc" else x
