"""Averages, moments, covariances, quantiles and histograms."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.base.out import write_out
from raskt.array.base.registry import is_array
from raskt.array.blocks.map_blocks import elementwise, map_blocks
from raskt.array.creation.constructors import ones_like
from raskt.array.elementwise.ufuncs import sqrt
from raskt.array.linalg.matrices import diagonal
from raskt.array.manipulation.axes import broadcast_to
from raskt.array.manipulation.joining import concatenate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from raskt.array._array import Array

__all__ = [
    "apply_along_axis",
    "apply_over_axes",
    "average",
    "bincount",
    "corrcoef",
    "cov",
    "diff",
    "digitize",
    "ediff1d",
    "gradient",
    "histogram",
    "median",
    "moment",
    "nanmedian",
    "nanpercentile",
    "nanquantile",
    "percentile",
    "quantile",
]


@documented(
    "Of float64 for integers, else of the promoted type, without the reduced axes; with `returned` a pair.",
    {"ValueError": "If weights don't fit the array.", "TypeError": "If weights of another shape come without an axis."},
    kind="Array or tuple of Array",
    weights="array_like: How much each element counts, in the array's shape, or a line of them along the axis.",
    returned="bool: Whether the sum of weights comes along.",
)
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False) -> Any:
    """The mean of elements, each with a weight.

    >>> ra.average(ra.asarray([1.0, 4.0]), weights=[3, 1]).compute()
    np.float64(1.75)
    """
    x = asarray(a)
    axes = None if axis is None else normalize_axis_tuple(axis, x.ndim, argname="axis")
    if weights is None:
        mean = x.mean(axes, keepdims=keepdims)
        count = ones_like(x, dtype=mean.dtype).sum(axes, keepdims=keepdims)
        return (mean, count) if returned else mean
    w = _weights_like(x, weights, axes)
    kinds = (np.dtype(float),) if x.dtype.kind in "iub" else ()
    dtype = np.result_type(x.dtype, w.dtype, *kinds)
    total = broadcast_to(w, x.shape).sum(axes, dtype=dtype, keepdims=keepdims)
    weighted = (x.astype(dtype) * w.astype(dtype)).sum(axes, keepdims=keepdims)
    mean = elementwise(_normalised, weighted, total, name="divide", dtype=dtype)
    return (mean, total) if returned else mean


def _normalised(weighted: Any, total: Any) -> Any:
    if (total == 0).any():
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return weighted / total


def _weights_like(x: Array, weights: Any, axes: tuple[int, ...] | None) -> Array:
    """Weights for each element, or for each place along `axes`, so that they broadcast with the array."""
    w = asarray(weights)
    if w.shape == x.shape:
        return w
    if axes is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    if w.shape != tuple(x.shape[axis] for axis in axes):
        raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    order = sorted(range(len(axes)), key=axes.__getitem__)
    return w.transpose(order).reshape([length if axis in axes else 1 for axis, length in enumerate(x.shape)])


@documented(
    "Floating, without the reduced axes.",
    {"ValueError": "If the order is negative or no whole number."},
    order="int: To which power distances are raised.",
)
def moment(a: Any, order: int, axis: Any = None, dtype: Any = None, keepdims: bool = False, ddof: float = 0) -> Array:
    """The central moment of an order: the mean of the distances to the mean, raised to it.

    >>> ra.moment(ra.asarray([1.0, 3.0]), 2).compute()
    np.float64(1.0)
    """
    if order < 0 or int(order) != order:
        raise ValueError(f"the order of a moment is a whole number that is not negative, not {order}")
    x = asarray(a) if dtype is None else asarray(a).astype(dtype)
    distance = x - x.mean(axis, keepdims=True)
    raised = distance**order
    if not ddof:
        return raised.mean(axis, keepdims=keepdims)
    total = raised.sum(axis, keepdims=keepdims)
    return total / (x.size / max(total.size, 1) - ddof)


@documented(
    "Floating: a matrix with a row and a column for each variable.",
    {"ValueError": "If there are more than two axes."},
    m="array_like: The variables, in rows.",
    x="array_like: The variables, in rows.",
    y="array_like: More variables.",
    rowvar="bool: Whether rows are variables, and not columns.",
    bias="bool: Whether sums are divided by the number of observations, and not by one less.",
    ddof="int: What is taken off the number of observations in the divisor, whatever `bias` says.",
    fweights="array_like of int: How often each observation counts; in memory.",
    aweights="array_like: How much each observation counts; in memory.",
)
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Array:
    """The covariance matrix of variables.

    >>> ra.cov(ra.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])).compute()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    found = [asarray(part) for part in ([m] if y is None else [m, y])]
    for name, part in zip("my", found, strict=False):
        if part.ndim > 2:
            raise ValueError(f"{name} has more than 2 dimensions")
    dtype = np.result_type(*(part.dtype for part in found), np.float64) if dtype is None else np.dtype(dtype)
    rows = [(part.reshape(1, -1) if part.ndim < 2 else part).astype(dtype) for part in found]
    x = rows[0].T if not rowvar and found[0].ndim != 1 else rows[0]
    if x.shape[0] == 0:
        return asarray(np.zeros((0, 0)))
    if y is not None:
        x = concatenate([x, rows[1].T if not rowvar and rows[1].shape[0] != 1 else rows[1]], axis=0)
    if not x.__raskt_expr__.is_known:
        raise ValueError("a covariance needs the number of observations: call `compute_chunk_sizes()` first")
    ddof = (0 if bias else 1) if ddof is None else int(ddof)
    w, free = _observation_weights(fweights, aweights, x.shape[1], ddof)
    if free <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=2)
        free = 0.0
    mean = x.mean(axis=1, keepdims=True) if w is None else average(x, axis=1, weights=w, keepdims=True)
    centred = x - mean
    product = centred @ (centred if w is None else centred * w).T.conj()
    with np.errstate(divide="ignore"):
        return (product * float(np.true_divide(1, free))).squeeze()


def _observation_weights(fweights: Any, aweights: Any, count: int, ddof: int) -> tuple[Any, float]:
    """The weight of each observation, and how many degrees of freedom there are."""
    w: Any = None
    checked: list[Any] = []
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        if is_array(given):
            raise NotImplementedError(f"cov takes `{name}` in memory: compute them first")
        part = np.asarray(given, dtype=float)
        if name == "fweights" and not np.all(part == np.around(part)):
            raise TypeError("fweights must be integer")
        if part.ndim > 1:
            raise RuntimeError(f"cannot handle multidimensional {name}")
        if part.shape[0] != count:
            raise RuntimeError(f"incompatible numbers of samples and {name}")
        if any(part < 0):
            raise ValueError(f"{name} cannot be negative")
        w = part if w is None else w * part
        checked.append(part)
    if w is None:
        return None, count - ddof
    total = w.sum()
    if aweights is None or ddof == 0:
        return w, total - ddof
    return w, total - ddof * (w * checked[-1]).sum() / total


@documented(
    "Floating: a matrix with a row and a column for each variable.",
    {"ValueError": "If there are more than two axes."},
    m="array_like: The variables, in rows.",
    x="array_like: The variables, in rows.",
    y="array_like: More variables.",
    rowvar="bool: Whether rows are variables, and not columns.",
)
def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Array:
    """The correlation coefficients of variables.

    >>> ra.corrcoef(ra.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])).compute()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    c = cov(x, y, rowvar, dtype=dtype)
    if not c.ndim:
        return c / c
    deviation = sqrt(diagonal(c).real)
    found = c / deviation[:, None] / deviation[None, :]
    if found.dtype.kind == "c":
        return elementwise(_within_one, found, dtype=found.dtype)
    return found.clip(-1, 1)


def _within_one(block: Any) -> Any:
    return np.clip(block.real, -1, 1) + 1j * np.clip(block.imag, -1, 1)


@documented(
    "Of the array's type; of bool for booleans, which are compared. Each time an axis gets shorter by one.",
    {"ValueError": "If `n` is negative, or the array has no axes."},
    n="int: How many times differences are taken.",
    axis="int: The axis along which neighbours are looked for.",
    prepend="scalar or array_like: What stands before the array.",
    append="scalar or array_like: What stands after the array.",
)
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Array:
    """Differences of neighbours along an axis.

    >>> ra.diff(ra.asarray([1, 4, 9])).compute()
    array([3, 5])
    """
    if n == 0:
        return asarray(a)
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    x = asarray(a)
    if not x.ndim:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis_index(axis, x.ndim)
    ends = [(_end(x, prepend, axis), prepend), (x, x), (_end(x, append, axis), append)]
    parts = [part for part, given in ends if given is not None]
    x = concatenate(parts, axis=axis) if len(parts) > 1 else x
    before = (slice(None),) * axis
    for _ in range(n):
        after, before_it = x[(*before, slice(1, None))], x[(*before, slice(None, -1))]
        x = after != before_it if x.dtype == bool else after - before_it
    return x


def _end(x: Array, end: Any, axis: int) -> Any:
    if end is None or np.ndim(end):
        return end if end is None else asarray(end)
    return broadcast_to(asarray(end), (*x.shape[:axis], 1, *x.shape[axis + 1 :]))


@documented(
    "Of the array's type, of one axis.",
    {"TypeError": "If what is put around can't be cast to the array's type."},
    to_end="array_like: What stands after the differences.",
    to_begin="array_like: What stands before the differences.",
)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Array:
    """Differences of neighbours in C order.

    >>> ra.ediff1d(ra.asarray([1, 4, 9]), to_end=[0]).compute()
    array([3, 5, 0])
    """
    x = asarray(ary).ravel()
    ends = []
    for name, end in (("to_begin", to_begin), ("to_end", to_end)):
        part = None if end is None else asarray(end).ravel()
        if part is not None and not np.can_cast(part.dtype, x.dtype, casting="same_kind"):
            raise TypeError(f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule.")
        ends.append(None if part is None else part.astype(x.dtype))
    parts = [part for part in (ends[0], x[1:] - x[:-1], ends[1]) if part is not None]
    return concatenate(parts) if len(parts) > 1 else parts[0]


@documented(
    "Floating, of the array's shape; for several axes a tuple, an array for each.",
    {"ValueError": "If an axis is too short.", "TypeError": "If there are neither as many spacings as axes nor one."},
    kind="Array or tuple of Array",
    varargs="float or array_like: The distance of neighbours: one for all axes, or for each a number or coordinates.",
    edge_order="int: How exact slopes at the ends are: 1 or 2.",
)
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Slopes along axes: central differences inside, one-sided ones at the ends.

    >>> ra.gradient(ra.asarray([1.0, 4.0, 9.0])).compute()
    array([3., 4., 5.])
    """
    x = asarray(f)
    x = x.astype(float) if x.dtype.kind in "iu" else x
    axes = tuple(range(x.ndim)) if axis is None else normalize_axis_tuple(axis, x.ndim)
    if len(varargs) == 1 and np.ndim(varargs[0]) == 0:
        varargs = varargs * len(axes)
    if len(varargs) not in (0, len(axes)):
        raise TypeError("invalid number of arguments")
    gaps = (
        [_gaps(gap, x.shape[along]) for gap, along in zip(varargs, axes, strict=True)] if varargs else [1.0] * len(axes)
    )
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    for along in axes:
        if x.shape[along] < edge_order + 1:
            raise ValueError(
                "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are "
                "required."
            )
    slopes = [_slope(x, along, gap, edge_order).astype(x.dtype) for along, gap in zip(axes, gaps, strict=True)]
    return slopes[0] if len(slopes) == 1 else tuple(slopes)


def _gaps(spacing: Any, length: int) -> Any:
    """The distance of neighbours, or the distances where they differ."""
    if np.ndim(spacing) == 0:
        return spacing
    if is_array(spacing):
        raise NotImplementedError("gradient takes coordinates in memory: compute them first")
    places = np.asarray(spacing)
    if places.ndim != 1:
        raise ValueError("distances must be either scalars or 1d")
    if len(places) != length:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    gaps = np.diff(places.astype(float) if places.dtype.kind in "iu" else places)
    return gaps[0] if (gaps == gaps[0]).all() else gaps


def _slope(x: Array, axis: int, gap: Any, edge_order: int) -> Array:
    def at(start: int | None, stop: int | None) -> Array:
        return x[(slice(None),) * axis + (slice(start, stop),)]

    def one(place: int) -> Array:
        return at(place, place + 1 or None)

    if np.ndim(gap):
        shape = [-1 if along == axis else 1 for along in range(x.ndim)]
        h1, h2 = gap[:-1].reshape(shape), gap[1:].reshape(shape)
        inner = (
            -h2 / (h1 * (h1 + h2)) * at(None, -2)
            + (h2 - h1) / (h1 * h2) * at(1, -1)
            + h1 / (h2 * (h1 + h2)) * at(2, None)
        )
    else:
        inner = (at(2, None) - at(None, -2)) / (2.0 * gap)
    first, last = (gap[0], gap[-1]) if np.ndim(gap) else (gap, gap)
    if edge_order < 2:
        return _joined((one(1) - one(0)) / first, inner, (one(-1) - one(-2)) / last, axis)
    if np.ndim(gap):
        (a, b, c), (p, q, r) = _second_order(gap[0], gap[1]), _second_order(gap[-1], gap[-2])
        p, q, r = -r, -q, -p
    else:
        (a, b, c), (p, q, r) = (-1.5 / gap, 2.0 / gap, -0.5 / gap), (0.5 / gap, -2.0 / gap, 1.5 / gap)
    begin = a * one(0) + b * one(1) + c * one(2)
    return _joined(begin, inner, p * one(-3) + q * one(-2) + r * one(-1), axis)


def _second_order(near: Any, far: Any) -> tuple[Any, Any, Any]:
    """The weights of the end and of its two neighbours, at distances `near` and `near + far`."""
    return -(2.0 * near + far) / (near * (near + far)), (near + far) / (near * far), -near / (far * (near + far))


def _joined(first: Array, inner: Array, last: Array, axis: int) -> Array:
    return concatenate([first, inner, last] if inner.shape[axis] else [first, last], axis=axis)


@documented(
    "Of `dtype`, with the axes of what the function gives in place of `axis`.",
    func1d="callable: Takes a line as a NumPy array, and gives a number or an array.",
    axis="int: The axis of the lines; it is put in one block.",
    args="object: Are passed on to the function.",
    dtype="data-type: The type of what the function gives; found by trying it on ones if not given.",
    shape="tuple of int: The shape of what the function gives; found by trying it on ones if not given.",
    kwargs="object: Are passed on to the function.",
)
def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, dtype: Any = None, shape: Any = None, **kwargs: Any
) -> Array:
    """A Python function of the lines along an axis.

    >>> ra.apply_along_axis(sorted, 1, ra.asarray([[3, 1], [2, 4]])).compute()
    array([[1, 3],
           [2, 4]])
    """
    x = asarray(arr)
    axis = normalize_axis_index(axis, x.ndim)
    if dtype is None or shape is None:
        sample = np.asarray(func1d(np.ones(x.shape[axis], x.dtype), *args, **kwargs))
        dtype, shape = sample.dtype if dtype is None else dtype, sample.shape if shape is None else shape
    shape = (shape,) if np.ndim(shape) == 0 else tuple(shape)
    x = x.rechunk({axis: -1})
    chunks = [*x.chunks[:axis], *((length,) for length in shape), *x.chunks[axis + 1 :]]
    new = list(range(axis, axis + len(shape)))

    def call(block: Any) -> Any:
        return np.apply_along_axis(func1d, axis, block, *args, **kwargs)

    return map_blocks(
        call, x, name=f"apply {func1d.__name__}", dtype=dtype, chunks=chunks, drop_axis=axis, new_axis=new
    )


@documented(
    "What the function gives, with as many axes as the array.",
    {"ValueError": "If the function gives neither as many axes nor one less."},
    func="callable: Takes an array and an axis, such as `ra.sum`.",
    axes="int or sequence of int: The axes.",
)
def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Array:
    """A reduction along one axis after the other.

    >>> ra.apply_over_axes(ra.sum, ra.ones((2, 3)), [0, 1]).compute()
    array([[6.]])
    """
    x = asarray(a)
    for axis in np.atleast_1d(axes).tolist():
        result = func(x, axis)
        x = (
            result
            if result.ndim == x.ndim
            else result.reshape([1 if at == normalize_axis_index(axis, x.ndim) else n for at, n in enumerate(x.shape)])
        )
    return x


def _by_lines(
    function: Callable[..., Any], a: Any, axis: Any, keepdims: bool, leading: tuple[int, ...] = (), weights: Any = None
) -> Array:
    """A NumPy reduction that needs whole lines: the axes are put in one block each, and NumPy does the rest."""
    x = asarray(a)
    axes = tuple(range(x.ndim)) if axis is None else normalize_axis_tuple(axis, x.ndim, argname="axis")
    w = None if weights is None else broadcast_to(_weights_like(x, weights, None if axis is None else axes), x.shape)
    if not x.ndim:
        x, axes, w = x.reshape(1), (0,), None if w is None else w.reshape(1)
    arrays = [x.rechunk(dict.fromkeys(axes, -1))] if axes else [x]
    if w is not None:
        arrays.append(w.rechunk(arrays[0].chunks))
    kept = [(1,) if at in axes else lengths for at, lengths in enumerate(arrays[0].chunks)]
    # The function is tried at the call, so that what it refuses is told of there.
    trial = [np.ones((1,) * x.ndim, array.dtype) for array in arrays]
    # The blocks keep their axes; what was reduced goes afterwards, natively.
    found = map_blocks(
        lambda *blocks: function(*blocks, axes=axes),
        *arrays,
        name=f"numpy.{function.__name__}",
        dtype=np.asarray(function(*trial, axes=axes)).dtype,
        chunks=[*((length,) for length in leading), *kept],
        new_axis=list(range(len(leading))),
    )
    if keepdims:
        return found if np.ndim(a) else found.reshape(leading)
    return found.squeeze(tuple(at + len(leading) for at in axes))


@documented(
    "Floating, without the reduced axes, which are put in one block each; NumPy computes the lines.",
    overwrite_input="bool: Of no effect: inputs are never written to.",
)
def median(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Array:
    """The median of elements; NaN where there is a NaN.

    >>> ra.median(ra.asarray([3.0, 1.0, 2.0])).compute()
    np.float64(2.0)
    """
    return _median("median", a, axis, out, keepdims)


@documented(
    "Floating, without the reduced axes, which are put in one block each; NumPy computes the lines.",
    overwrite_input="bool: Of no effect: inputs are never written to.",
)
def nanmedian(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
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
    found = _by_lines(function, a, axis, keepdims)
    return found if out is None else write_out(found, out)


def _quantile(name: str, a: Any, q: Any, axis: Any, out: Any, method: str, keepdims: bool, weights: Any) -> Array:
    if is_array(q):
        raise NotImplementedError(f"{name} takes `q` in memory: compute it first")
    if weights is not None and method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")

    def function(block: Any, weights: Any = None, *, axes: Any) -> Any:
        options = {} if weights is None else {"weights": weights}
        return getattr(np, name)(block, q, axis=axes, method=method, keepdims=True, **options)

    function.__name__ = name
    found = _by_lines(function, a, axis, keepdims, np.shape(q), weights)
    return found if out is None else write_out(found, out)


@documented(
    "Of NumPy's type, without the reduced axes and with the axes of `q` in front; NumPy computes whole lines.",
    {"ValueError": "If `q` is out of bounds, or the method unknown, or takes no weights."},
    q="float or array_like: From 0 to 1.",
    overwrite_input="bool: Of no effect: inputs are never written to.",
    method="str: How values between elements are found: any of NumPy's methods, such as `linear` or `nearest`.",
    weights="array_like: How much each element counts, for the method `inverted_cdf`.",
)
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


@documented(
    "Of NumPy's type, without the reduced axes and with the axes of `q` in front; NumPy computes whole lines.",
    {"ValueError": "If `q` is out of bounds, or the method unknown, or takes no weights."},
    q="float or array_like: From 0 to 1.",
    overwrite_input="bool: Of no effect: inputs are never written to.",
    method="str: How values between elements are found: any of NumPy's methods, such as `linear` or `nearest`.",
    weights="array_like: How much each element counts, for the method `inverted_cdf`.",
)
def nanquantile(
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
    """Quantiles of elements that are not NaN.

    They are exact, unlike Dask's: the reduced axes are put in one block each.

    >>> ra.nanquantile(ra.asarray([ra.nan, 1.0, 3.0]), 0.5).compute()
    np.float64(2.0)
    """
    return _quantile("nanquantile", a, q, axis, out, method, keepdims, weights)


@documented(
    "Of NumPy's type, without the reduced axes and with the axes of `q` in front; NumPy computes whole lines.",
    {"ValueError": "If `q` is out of bounds, or the method unknown, or takes no weights."},
    q="float or array_like: From 0 to 100.",
    overwrite_input="bool: Of no effect: inputs are never written to.",
    method="str: How values between elements are found: any of NumPy's methods, such as `linear` or `nearest`.",
    weights="array_like: How much each element counts, for the method `inverted_cdf`.",
)
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


@documented(
    "Of NumPy's type, without the reduced axes and with the axes of `q` in front; NumPy computes whole lines.",
    {"ValueError": "If `q` is out of bounds, or the method unknown, or takes no weights."},
    q="float or array_like: From 0 to 100.",
    overwrite_input="bool: Of no effect: inputs are never written to.",
    method="str: How values between elements are found: any of NumPy's methods, such as `linear` or `nearest`.",
    weights="array_like: How much each element counts, for the method `inverted_cdf`.",
)
def nanpercentile(
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
    """Percentiles of elements that are not NaN.

    They are exact, unlike Dask's: the reduced axes are put in one block each.

    >>> ra.nanpercentile(ra.asarray([ra.nan, 1.0, 3.0]), 50).compute()
    np.float64(2.0)
    """
    return _quantile("nanpercentile", a, q, axis, out, method, keepdims, weights)


@documented(
    "Of int64, of the array's shape and chunks.",
    {"ValueError": "If the edges neither rise nor fall."},
    x="array_like: The elements.",
    bins="array_like: The edges of bins, rising or falling, in memory.",
    right="bool: Whether a bin has its right edge, and not its left one.",
)
def digitize(x: Any, bins: Any, right: bool = False) -> Array:
    """The number of the bin that each element falls in. NumPy looks in each block.

    >>> ra.digitize(ra.asarray([0.5, 2.5]), [1, 2, 3]).compute()
    array([0, 2])
    """
    if is_array(bins):
        raise NotImplementedError("digitize takes `bins` in memory: compute them first")
    edges = np.asarray(bins)
    np.digitize(np.empty(0), edges)  # Edges that are in no order are told of here.
    return elementwise(lambda block: np.digitize(block, edges, right=right), x, name="numpy.digitize", dtype=np.int64)


@documented(
    "Of int64, or of the type of the weights; floating with `density`. The edges are a NumPy array.",
    {"ValueError": "If the edges don't rise, or a number of bins comes without a range."},
    kind="Array, numpy.ndarray",
    bins="int or array_like: How many bins there are in the range, or their edges.",
    range="pair of float: The outer edges; needed with a number of bins.",
    density="bool: Whether the counts are scaled so that the integral is 1.",
    differences="the edges must be known at the call, so that a number of bins needs a range.",
)
def histogram(a: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None) -> Any:
    """How many elements fall in each bin, and the edges of the bins.

    >>> counts, edges = ra.histogram(ra.arange(10, chunks=4), bins=2, range=(0, 10))
    >>> counts.compute()
    array([5, 5])
    """
    if is_array(bins) or is_array(range) or isinstance(bins, str):
        raise NotImplementedError("histogram takes `bins` as a number or as edges in memory, and `range` in memory")
    if bins is None or (np.ndim(bins) == 0 and range is None):
        raise ValueError("histogram of a lazy array needs the edges of the bins, or their number and a range")
    edges = np.histogram_bin_edges(np.empty(0), bins, range) if np.ndim(bins) == 0 else np.asarray(bins)
    if edges.ndim != 1 or len(edges) < 2 or (np.diff(edges) < 0).any():
        raise ValueError("the edges of bins must increase, and there must be at least two")
    line = asarray(a).ravel()
    lines = [line] if weights is None else [line, asarray(weights).ravel()]
    if weights is not None and asarray(weights).shape != asarray(a).shape:
        raise ValueError("weights should have the same shape as a.")
    dtype = np.dtype(np.int64) if weights is None else lines[1].dtype
    counts = _count(
        line, lines, len(edges) - 1, dtype, "numpy.histogram", lambda x, w: np.histogram(x, edges, weights=w)[0]
    )
    if density:
        counts = counts / asarray(np.diff(edges).astype(float)) / counts.sum()
    return counts, edges


def _count(
    line: Array, lines: Sequence[Array], bins: int, dtype: Any, name: str, function: Callable[..., Any]
) -> Array:
    """Counts of each block, a row for each, natively summed."""

    def call(block: Any, weights: Any = None) -> Any:
        return function(block, weights).astype(dtype, copy=False)[None, :]

    rows = [(1,) * line.numblocks[0], (bins,)]
    tables = map_blocks(call, *lines, name=name, dtype=dtype, chunks=rows, new_axis=1)
    return tables.sum(axis=0)


@documented(
    "Of int64, or of float64 with weights, of the length `minlength`.",
    {
        "ValueError": "If a number is negative, or as large as `minlength` (when it is computed).",
        "NotImplementedError": "If `minlength` is not given: the length must be known at the call.",
    },
    x="array_like of int: The numbers, along one axis.",
    minlength="int: The length of the result; it is needed.",
)
def bincount(x: Any, weights: Any = None, minlength: int = 0, split_every: Any = None) -> Array:
    """How often each whole number from zero appears.

    >>> ra.bincount(ra.asarray([0, 1, 1, 3]), minlength=4).compute()
    array([1, 2, 0, 1])
    """
    line = asarray(x)
    if line.ndim != 1 or line.dtype.kind not in "iub":
        raise ValueError(f"bincount takes whole numbers along one axis, not {line.dtype} along {line.ndim}")
    if minlength < 1:
        raise NotImplementedError("bincount needs `minlength`: the length of the result must be known at the call")
    lines = [line] if weights is None else [line, asarray(weights)]
    dtype = np.dtype(np.int64 if weights is None else np.float64)

    def function(block: Any, part: Any) -> Any:
        found = np.bincount(block, part, minlength)
        if len(found) > minlength:
            raise ValueError(f"bincount met the number {len(found) - 1}, and `minlength` is {minlength}")
        return found

    return _count(line, lines, minlength, dtype, "numpy.bincount", function)
