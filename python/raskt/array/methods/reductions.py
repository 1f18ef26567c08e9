"""Reductions: methods of arrays, and functions that take anything array-like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from raskt.array.reductions.reduce import cumulate, reduce
from raskt.array.statistics.statistics import moment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike

    from raskt.array._array import Array


__all__ = ["ReductionMethods"]


class ReductionMethods:
    """The reductions that NumPy's arrays have.

    ``axis`` is one axis, several, or ``None`` for all; ``keepdims`` keeps reduced axes with length 1; ``split_every``
    says how many blocks one task of the reduction tree takes. The tree is fixed, so that the same array gives the same
    bits on every run.
    """

    __slots__ = ()

    def sum(
        self,
        axis: int | Sequence[int] | None = None,
        dtype: DTypeLike | None = None,
        keepdims: bool = False,
        split_every: int | None = None,
        out: Any = None,
    ) -> Array:
        """The sum of elements. Small integers are summed as ``int64`` or ``uint64``, as NumPy does.

        >>> import raskt.array as ra
        >>> ra.ones((2, 3), chunks=2).sum(axis=1).compute()
        array([3., 3.])
        """
        return reduce(self, "sum", axis, keepdims, dtype, 0, split_every, out)

    def prod(
        self,
        axis: int | Sequence[int] | None = None,
        dtype: DTypeLike | None = None,
        keepdims: bool = False,
        split_every: int | None = None,
        out: Any = None,
    ) -> Array:
        """The product of elements."""
        return reduce(self, "prod", axis, keepdims, dtype, 0, split_every, out)

    def mean(
        self,
        axis: int | Sequence[int] | None = None,
        dtype: DTypeLike | None = None,
        keepdims: bool = False,
        split_every: int | None = None,
        out: Any = None,
    ) -> Array:
        """The arithmetic mean of elements; NaN where there is none.

        >>> import raskt.array as ra
        >>> ra.arange(5, chunks=2).mean().compute()
        np.float64(2.0)
        """
        return reduce(self, "mean", axis, keepdims, dtype, 0, split_every, out)

    def std(
        self,
        axis: int | Sequence[int] | None = None,
        dtype: DTypeLike | None = None,
        keepdims: bool = False,
        ddof: float = 0,
        split_every: int | None = None,
        out: Any = None,
    ) -> Array:
        """The standard deviation of elements, with ``ddof`` degrees of freedom taken off."""
        return reduce(self, "std", axis, keepdims, dtype, ddof, split_every, out)

    def var(
        self,
        axis: int | Sequence[int] | None = None,
        dtype: DTypeLike | None = None,
        keepdims: bool = False,
        ddof: float = 0,
        split_every: int | None = None,
        out: Any = None,
    ) -> Array:
        """The variance of elements, with ``ddof`` degrees of freedom taken off."""
        return reduce(self, "var", axis, keepdims, dtype, ddof, split_every, out)

    def min(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        split_every: int | None = None,
        out: Any = None,
    ) -> Array:
        """The smallest element; NaN where there is a NaN."""
        return reduce(self, "min", axis, keepdims, None, 0, split_every, out)

    def max(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        split_every: int | None = None,
        out: Any = None,
    ) -> Array:
        """The largest element; NaN where there is a NaN."""
        return reduce(self, "max", axis, keepdims, None, 0, split_every, out)

    def any(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        split_every: int | None = None,
        out: Any = None,
    ) -> Array:
        """Whether an element is not zero."""
        return reduce(self, "any", axis, keepdims, None, 0, split_every, out)

    def all(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        split_every: int | None = None,
        out: Any = None,
    ) -> Array:
        """Whether no element is zero."""
        return reduce(self, "all", axis, keepdims, None, 0, split_every, out)

    def argmin(
        self, axis: int | None = None, keepdims: bool = False, split_every: int | None = None, out: Any = None
    ) -> Array:
        """The position of the smallest element, of the first of equal ones."""
        return reduce(self, "argmin", axis, keepdims, None, 0, split_every, out)

    def argmax(
        self, axis: int | None = None, keepdims: bool = False, split_every: int | None = None, out: Any = None
    ) -> Array:
        """The position of the largest element, of the first of equal ones."""
        return reduce(self, "argmax", axis, keepdims, None, 0, split_every, out)

    def cumsum(self: Any, axis: int | None = None, dtype: DTypeLike | None = None, out: Any = None) -> Array:
        """The running sum along ``axis``, or of all elements in C order.

        >>> import raskt.array as ra
        >>> ra.arange(4, chunks=2).cumsum().compute()
        array([0, 1, 3, 6])
        """
        return cumulate(self, "sum", axis, dtype, out)

    def cumprod(self: Any, axis: int | None = None, dtype: DTypeLike | None = None, out: Any = None) -> Array:
        """The running product along ``axis``, or of all elements in C order."""
        return cumulate(self, "prod", axis, dtype, out)

    def moment(
        self: Any,
        order: int,
        axis: int | Sequence[int] | None = None,
        dtype: DTypeLike | None = None,
        keepdims: bool = False,
        ddof: float = 0,
    ) -> Array:
        """The central moment of an ``order``: the mean of the distances to the mean, raised to it."""

        return moment(self, order, axis=axis, dtype=dtype, keepdims=keepdims, ddof=ddof)
