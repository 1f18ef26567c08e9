"""Chunked, lazy arrays with NumPy's names.

>>> import raskt.array as ra
>>> x = ra.random.default_rng(0).normal(size=(1000, 10), chunks=(100, 10))
>>> standard = (x - x.mean(axis=0)) / x.std(axis=0)
>>> standard.shape
(1000, 10)

Work is done by ``compute()``; whatever needs a value (``float(x)``, ``if x > 0``) computes, too. What runs natively and
what through NumPy, ``explain()`` shows.
"""

from __future__ import annotations

from typing import Any as _Any

import numpy as _np

from raskt._compute import compute as _compute
from raskt.array import linalg as linalg
from raskt.array import random as random
from raskt.array._array import Array as Array
from raskt.array.base.conversion import *
from raskt.array.base.documentation import documented as _documented
from raskt.array.base.registry import register_functions as _register_functions
from raskt.array.blocks.blockwise import blockwise as blockwise
from raskt.array.blocks.delayed import from_delayed as from_delayed
from raskt.array.blocks.fromfunction import fromfunction as fromfunction
from raskt.array.blocks.map_blocks import map_blocks as map_blocks
from raskt.array.creation.constructors import *
from raskt.array.creation.grids import *
from raskt.array.creation.spaces import *
from raskt.array.elementwise.complex import *
from raskt.array.elementwise.conditional import *
from raskt.array.elementwise.floating import *
from raskt.array.elementwise.ufunc import frompyfunc as frompyfunc
from raskt.array.elementwise.ufunc import ufunc as ufunc
from raskt.array.elementwise.ufuncs import *
from raskt.array.io.store import store as store
from raskt.array.linalg.matrices import *
from raskt.array.linalg.products import *
from raskt.array.manipulation.axes import *
from raskt.array.manipulation.joining import *
from raskt.array.manipulation.padding import *
from raskt.array.manipulation.repeating import *
from raskt.array.manipulation.shapes import *
from raskt.array.manipulation.splitting import *
from raskt.array.reductions.averages import *
from raskt.array.reductions.extremes import *
from raskt.array.reductions.running import *
from raskt.array.reductions.sums import *
from raskt.array.reductions.truths import *
from raskt.array.searching.searching import *
from raskt.array.searching.sets import *
from raskt.array.searching.sorting import *
from raskt.array.selection.nonzero import *
from raskt.array.selection.where import where as where
from raskt.array.statistics.averages import *
from raskt.array.statistics.counting import *
from raskt.array.statistics.covariances import *
from raskt.array.statistics.differences import *
from raskt.array.statistics.interpolation import *
from raskt.array.statistics.lines import *
from raskt.array.statistics.quantiles import *

bool, bool_ = _np.bool_, _np.bool_
int8, int16, int32, int64 = _np.int8, _np.int16, _np.int32, _np.int64
uint8, uint16, uint32, uint64 = _np.uint8, _np.uint16, _np.uint32, _np.uint64
float32, float64, complex64, complex128 = _np.float32, _np.float64, _np.complex64, _np.complex128
e, pi, inf, nan, euler_gamma, newaxis = _np.e, _np.pi, _np.inf, _np.nan, _np.euler_gamma, None


@_documented("A length for each axis; NaN where it is not known before the array is computed.", kind="tuple of int")
def shape(a: _Any) -> tuple[int, ...]:
    """The lengths of the axes.

    >>> ra.shape([[1, 2], [3, 4]])
    (2, 2)
    """
    return asarray(a).shape


@_documented("Zero for a single number.", kind="int")
def ndim(a: _Any) -> int:
    """How many axes there are.

    >>> ra.ndim([[1, 2], [3, 4]])
    2
    """
    return asarray(a).ndim


@_documented(
    "As of an operation on all of them.",
    kind="numpy.dtype",
    arrays_and_dtypes="array_like or data-type: What takes part.",
)
def result_type(*arrays_and_dtypes: _Any) -> _np.dtype[_Any]:
    """The data type that NumPy promotes to.

    >>> ra.result_type(ra.ones(2, dtype="float32"), "int8", 3)
    dtype('float32')
    """
    return _np.result_type(*(x.dtype if isinstance(x, Array) else x for x in arrays_and_dtypes))


@_documented(
    "The results, in the order of the arguments.",
    kind="tuple",
    args="Array or collection: What is computed, together.",
    kwargs="object: Settings of the computation; see :func:`raskt.compute`.",
)
def compute(*args: _Any, **kwargs: _Any) -> _Any:
    """Compute several arrays at once.

    >>> x = ra.arange(4, chunks=2)
    >>> ra.compute(x.sum(), x.max())
    (np.int64(6), np.int64(3))
    """
    return _compute(*args, **kwargs)


_register_functions("numpy", globals())
_register_functions("numpy.linalg", vars(linalg))
_register_functions("numpy.random", vars(random))
