"""Whether elements are true, and how many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from raskt.array.base.arguments import NO_VALUE
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.reductions.descriptions import AXIS, BOOL, PLACE
from raskt.array.reductions.reduce import reduce

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["all", "any", "count_nonzero"]


@documented(BOOL, AXIS)
def any(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
    split_every: Any = None,
) -> Array:
    """Whether an element is not zero; False where there is none.

    >>> ra.any(ra.asarray([[0, 1], [0, 0]]), axis=1).compute()
    array([ True, False])
    """
    return reduce(asarray(a), "any", axis, out=out, keepdims=keepdims, where=where, split_every=split_every)


@documented(BOOL, AXIS)
def all(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
    split_every: Any = None,
) -> Array:
    """Whether no element is zero; True where there is none.

    >>> ra.all(ra.asarray([[0, 1], [1, 1]]), axis=1).compute()
    array([False,  True])
    """
    return reduce(asarray(a), "all", axis, out=out, keepdims=keepdims, where=where, split_every=split_every)


@documented(PLACE, AXIS)
def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False, split_every: Any = None) -> Array:
    """How many elements are not zero.

    >>> ra.count_nonzero(ra.asarray([[0, 1], [2, 3]]), axis=0).compute()
    array([1, 2])
    """
    return reduce(asarray(a) != 0, "sum", axis, keepdims=keepdims, split_every=split_every)
