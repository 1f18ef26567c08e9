"""The reductions that NumPy's arrays have as methods: the functions, of the array itself."""

from __future__ import annotations

from raskt.array.base.documentation import as_method
from raskt.array.reductions import functions
from raskt.array.statistics.statistics import moment

__all__ = ["ReductionMethods"]


class ReductionMethods:
    """The reductions that NumPy's arrays have.

    They are the functions of :mod:`raskt.array`, with the array for the first argument. The tree of a reduction is
    fixed, so that the same array gives the same bits on every run.
    """

    __slots__ = ()

    sum, prod = as_method(functions.sum), as_method(functions.prod)
    mean, std, var = as_method(functions.mean), as_method(functions.std), as_method(functions.var)
    min, max = as_method(functions.min), as_method(functions.max)
    any, all = as_method(functions.any), as_method(functions.all)
    argmin, argmax = as_method(functions.argmin), as_method(functions.argmax)
    cumsum, cumprod = as_method(functions.cumsum), as_method(functions.cumprod)
    moment = as_method(moment)
