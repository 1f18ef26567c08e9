"""Medians and quantiles, which need whole lines."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from raskt.array.base.arguments import NO_VALUE, is_given
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.base.out import average_input, write_out
from raskt.array.base.plain import held_copy
from raskt.array.base.registry import is_array
from raskt.array.blocks.map_blocks import map_blocks
from raskt.array.manipulation.axes import broadcast_to
from raskt.array.statistics.averages import weights_like

if TYPE_CHECKING:
    from collections.abc import Callable

    from raskt.array._array import Array

__all__ = ["median", "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"]


_MEDIAN = "Floating, without the reduced axes, which are put in one block each; NumPy computes the lines."
_RESULT = "Of NumPy's type, without the reduced axes and with the axes of `q` in front; NumPy computes whole lines."
_RAISES = {"ValueError": "If `q` is out of bounds, or the method unknown, or takes no weights."}
_OVERWRITE = "bool: Of no effect: inputs are never written to."
_OPTIONS = {
    "overwrite_input": _OVERWRITE,
    "method": "str: How values between elements are found: any of NumPy's methods, such as `linear` or `nearest`.",
    "weights": "array_like: How much each element counts, for the method `inverted_cdf`.",
}
#: Methods that take elements as they are: NumPy broadcasts no result of theirs in `out`.
_TAKEN = {"inverted_cdf", "closest_observation", "lower", "higher", "nearest"}


def _by_lines(
    function: Callable[..., Any], a: Any, axis: Any, keepdims: bool, leading: tuple[int, ...] = (), weights: Any = None
) -> Array:
    """A NumPy reduction that needs whole lines: the axes are put in one block each, and NumPy does the rest."""
    x = asarray(a)
    axes = tuple(range(x.ndim)) if axis is None else normalize_axis_tuple(axis, x.ndim, argname="axis")
    w = None if weights is None else broadcast_to(weights_like(x, weights, None if axis is None else axes), x.shape)
    if not x.ndim:
        x, axes, w = x.reshape(1), (0,), None if w is None else w.reshape(1)
    arrays = [x.rechunk(dict.fromkeys(axes, -1))] if axes else [x]
    if w is not None:
        arrays.append(w.rechunk(arrays[0].chunks))
    kept = [(1,) if at in axes else lengths for at, lengths in enumerate(arrays[0].chunks)]
    # The function is tried at the call, so that what it refuses is told of there.
    trial = [np.ones((1,) * x.ndim, array.dtype) for array in arrays]
    dtype = np.asarray(function(*trial, axes=axes)).dtype

    def lines(*blocks: Any) -> Any:
        shape = (*leading, *(1 if at in axes else length for at, length in enumerate(blocks[0].shape)))
        # Of blocks without lines NumPy gives other shapes and types, or nothing at all.
        return function(*blocks, axes=axes) if math.prod(shape) else np.empty(shape, dtype)

    # The blocks keep their axes; what was reduced goes afterwards, natively.
    found = map_blocks(
        lines,
        *arrays,
        name=f"numpy.{function.__name__}",
        dtype=dtype,
        chunks=[*((length,) for length in leading), *kept],
        new_axis=list(range(len(leading))),
    )
    if is_given(keepdims) and keepdims:
        return found if np.ndim(a) else found.reshape(leading)
    return found.squeeze(tuple(at + len(leading) for at in axes))


@documented(_MEDIAN, overwrite_input=_OVERWRITE)
def median(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Array:
    """The median of elements; NaN where there is a NaN.

    >>> ra.median(ra.asarray([3.0, 1.0, 2.0])).compute()
    np.float64(2.0)
    """
    return _median("median", a, axis, out, keepdims)


@documented(_MEDIAN, overwrite_input=_OVERWRITE)
def nanmedian(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: Any = NO_VALUE
) -> Array:
    """The median of elements that are not NaN.

    >>> ra.nanmedian(ra.asarray([3.0, ra.nan, 1.0])).compute()
    np.float64(2.0)
    """
    return _median("nanmedian", a, axis, out, keepdims)


def _median(name: str, a: Any, axis: Any, out: Any, keepdims: bool) -> Array:
    def function(block: Any, axes: Any) -> Any:
        return getattr(np, name)(block, axis=axes, keepdims=True)

    function.__name__ = name
    x = asarray(a) if out is None else average_input(asarray(a), name, out)
    if 0 in x.shape:
        found = asarray(getattr(np, name)(np.empty(x.shape, x.dtype), axis=axis, keepdims=keepdims))
    else:
        found = _by_lines(function, x, axis, keepdims)
    return found if out is None else write_out(found, out, broadcast=name == "nanmedian")


def _quantile(name: str, a: Any, q: Any, axis: Any, out: Any, method: str, keepdims: bool, weights: Any) -> Array:
    if is_array(q):
        raise NotImplementedError(f"{name} takes `q` in memory: compute it first")
    q = held_copy(q) if isinstance(q, (np.ndarray, list, tuple)) else q  # A number of Python's own has a weak type.
    x = asarray(a)
    if x.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    getattr(np, name)(np.ones(1), q)  # What NumPy refuses of `q` is refused here.
    if weights is not None and method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    # Elements as they are, and quantiles of what is not NaN, go to `out` whatever its type is.
    taken, skips = method in _TAKEN, name.startswith("nan")
    place: dict[str, Any] = {"casting": "unsafe" if taken or skips else "same_kind", "broadcast": skips or not taken}
    if 0 in x.shape:
        options = {"axis": axis, "method": method, "keepdims": keepdims}
        given = weights.compute() if is_array(weights) else weights
        found = asarray(getattr(np, name)(np.empty(x.shape, x.dtype), q, weights=given, **options))
        return found if out is None else write_out(found, out, **place)

    def function(block: Any, weights: Any = None, *, axes: Any) -> Any:
        options = {} if weights is None else {"weights": weights}
        return getattr(np, name)(block, q, axis=axes, method=method, keepdims=True, **options)

    function.__name__ = name
    found = _by_lines(function, x, axis, keepdims, np.shape(q), weights)
    return found if out is None else write_out(found, out, **place)


@documented(_RESULT, _RAISES, q="float or array_like: From 0 to 1.", **_OPTIONS)
def quantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Array:
    """Quantiles of elements.

    They are exact, unlike Dask's: the reduced axes are put in one block each.

    >>> ra.quantile(ra.arange(5, chunks=2), [0.5, 1.0]).compute()
    array([2., 4.])
    """
    return _quantile("quantile", a, q, axis, out, method, keepdims, weights)


@documented(_RESULT, _RAISES, q="float or array_like: From 0 to 1.", **_OPTIONS)
def nanquantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: Any = NO_VALUE,
    *,
    weights: Any = None,
) -> Array:
    """Quantiles of elements that are not NaN.

    They are exact, unlike Dask's: the reduced axes are put in one block each.

    >>> ra.nanquantile(ra.asarray([ra.nan, 1.0, 3.0]), 0.5).compute()
    np.float64(2.0)
    """
    return _quantile("nanquantile", a, q, axis, out, method, keepdims, weights)


@documented(_RESULT, _RAISES, q="float or array_like: From 0 to 100.", **_OPTIONS)
def percentile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Array:
    """Percentiles of elements.

    They are exact, unlike Dask's: the reduced axes are put in one block each.

    >>> ra.percentile(ra.arange(5, chunks=2), [50, 100]).compute()
    array([2., 4.])
    """
    return _quantile("percentile", a, q, axis, out, method, keepdims, weights)


@documented(_RESULT, _RAISES, q="float or array_like: From 0 to 100.", **_OPTIONS)
def nanpercentile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: Any = NO_VALUE,
    *,
    weights: Any = None,
) -> Array:
    """Percentiles of elements that are not NaN.

    They are exact, unlike Dask's: the reduced axes are put in one block each.

    >>> ra.nanpercentile(ra.asarray([ra.nan, 1.0, 3.0]), 50).compute()
    np.float64(2.0)
    """
    return _quantile("nanpercentile", a, q, axis, out, method, keepdims, weights)
