"""The reductions that NumPy's arrays have as methods: the functions, of the array itself."""

from __future__ import annotations

from raskt.array.base.documentation import as_method
from raskt.array.reductions import averages, extremes, running, sums, truths
from raskt.array.statistics.averages import moment

__all__ = ["ReductionMethods"]


class ReductionMethods:
    """The reductions that NumPy's arrays have.

    They are the functions of :mod:`raskt.array`, with the array for the first argument. The tree of a reduction is
    fixed, so that the same array gives the same bits on every run.
    """

    __slots__ = ()

    sum, prod = as_method(sums.sum), as_method(sums.prod)
    mean, std, var = as_method(averages.mean), as_method(averages.std), as_method(averages.var)
    min, max = as_method(extremes.min), as_method(extremes.max)
    any = as_method(truths.any, keepdims=False, where=True)
    all = as_method(truths.all, keepdims=False, where=True)
    argmin, argmax = as_method(extremes.argmin, keepdims=False), as_method(extremes.argmax, keepdims=False)
    cumsum, cumprod = as_method(running.cumsum), as_method(running.cumprod)
    moment = as_method(moment)
