"""Averages, moments, covariances, quantiles and histograms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt.array.base.conversion import asarray
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


def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, keepdims: bool = False) -> Any:
    """The mean with weights; with ``returned``, the mean and the sum of the weights."""
    x = asarray(a)
    if weights is None:
        mean = x.mean(axis, keepdims=keepdims)
        count = ones_like(x, dtype=mean.dtype).sum(axis, keepdims=keepdims)
        return (mean, count) if returned else mean
    w = asarray(weights)
    if w.shape != x.shape:
        if axis is None or w.ndim != 1 or np.ndim(axis):
            raise TypeError(f"weights of shape {w.shape} do not fit an array of shape {x.shape} along axis {axis}")
        if len(w) != x.shape[axis]:
            raise ValueError(f"{len(w)} weights do not fit axis {axis} of length {x.shape[axis]}")
        w = w.reshape([-1 if at == axis % x.ndim else 1 for at in range(x.ndim)])
    total = (ones_like(x, dtype=w.dtype) * w).sum(axis, keepdims=keepdims)
    mean = (x * w).sum(axis, dtype=np.result_type(x.dtype, w.dtype, np.float64), keepdims=keepdims) / total
    return (mean, total) if returned else mean


def moment(a: Any, order: int, axis: Any = None, dtype: Any = None, keepdims: bool = False, ddof: float = 0) -> Array:
    """The central moment of an ``order``."""
    if order < 0 or int(order) != order:
        raise ValueError(f"the order of a moment is a whole number that is not negative, not {order}")
    x = asarray(a) if dtype is None else asarray(a).astype(dtype)
    distance = x - x.mean(axis, keepdims=True)
    raised = distance**order
    if not ddof:
        return raised.mean(axis, keepdims=keepdims)
    total = raised.sum(axis, keepdims=keepdims)
    return total / (x.size / max(total.size, 1) - ddof)


def cov(m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None) -> Array:
    """The covariance matrix of variables, which are the rows of ``m``, or its columns.

    >>> import raskt.array as ra
    >>> ra.cov(ra.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])).compute()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    x = _variables(m, rowvar)
    if y is not None:
        x = concatenate([x, _variables(y, rowvar)], axis=0)
    x = x.astype(np.result_type(x.dtype, np.float64))
    if not x.__raskt_expr__.is_known:
        raise ValueError("a covariance needs the number of observations: call `compute_chunk_sizes()` first")
    free = x.shape[1] - ((0 if bias else 1) if ddof is None else ddof)
    centred = x - x.mean(axis=1, keepdims=True)
    product = centred @ centred.T.conj()
    return (product / float(free) if free > 0 else product * np.nan).squeeze()


def _variables(m: Any, rowvar: bool) -> Array:
    x = asarray(m)
    if x.ndim > 2:
        raise ValueError(f"variables are the rows of a matrix, not of an array of {x.ndim} axes")
    x = x.reshape(1, -1) if x.ndim < 2 else x
    return x if rowvar or x.shape[0] == 1 else x.T


def corrcoef(x: Any, y: Any = None, rowvar: bool = True) -> Array:
    """The correlation coefficients of variables."""
    c = cov(x, y, rowvar)
    if not c.ndim:
        return c / c

    deviation = sqrt(diagonal(c).real)
    return c / deviation[:, None] / deviation[None, :]


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Array:
    """Differences of neighbours along ``axis``, taken ``n`` times."""
    if n < 0:
        raise ValueError(f"differences are taken a number of times that is not negative, not {n}")
    x = asarray(a)
    if not x.ndim:
        raise ValueError("differences need an array of at least one axis")
    axis %= x.ndim
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


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Array:
    """Differences of neighbours in C order, with elements put before and after."""
    line = diff(asarray(ary).ravel())
    parts = [asarray(to_begin).ravel()] if to_begin is not None else []
    parts += [line] + ([asarray(to_end).ravel()] if to_end is not None else [])
    return concatenate(parts) if len(parts) > 1 else line


def gradient(f: Any, *varargs: float, axis: Any = None) -> Any:
    """Slopes along axes: central differences inside, one-sided ones at the ends.

    The spacing is a number, or one for each axis.
    """
    x = asarray(f)
    x = x if x.dtype.kind in "fc" else x.astype(float)
    axes = list(range(x.ndim)) if axis is None else [int(at) % x.ndim for at in np.atleast_1d(axis)]
    if any(np.ndim(step) for step in varargs):
        raise NotImplementedError("gradient takes the spacing as a number for each axis")
    if len(varargs) not in (0, 1, len(axes)):
        raise TypeError(f"gradient along {len(axes)} axes takes no spacing, one, or as many, not {len(varargs)}")
    steps = list(varargs) * (len(axes) if len(varargs) == 1 else 1) or [1.0] * len(axes)
    slopes = [_slope(x, along, step) for along, step in zip(axes, steps, strict=True)]
    return slopes[0] if len(slopes) == 1 else slopes


def _slope(x: Array, axis: int, step: float) -> Array:
    if x.shape[axis] < 2:
        raise ValueError(f"a slope needs at least two elements along axis {axis}")

    def at(start: int | None, stop: int | None) -> Array:
        return x[(slice(None),) * axis + (slice(start, stop),)]

    first, last = (at(1, 2) - at(0, 1)) / step, (at(-1, None) - at(-2, -1)) / step
    inner = (at(2, None) - at(None, -2)) / (2 * step)
    return concatenate([first, inner, last] if x.shape[axis] > 2 else [first, last], axis=axis)


def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, dtype: Any = None, shape: Any = None, **kwargs: Any
) -> Array:
    """A Python function of lines along ``axis``, which is put in one block."""
    x = asarray(arr)
    axis %= x.ndim
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


def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Array:
    """A reduction applied along one axis after the other."""
    x = asarray(a)
    for axis in np.atleast_1d(axes).tolist():
        result = func(x, axis)
        x = (
            result
            if result.ndim == x.ndim
            else result.reshape([1 if at == axis % x.ndim else n for at, n in enumerate(x.shape)])
        )
    return x


def _by_lines(function: Callable[..., Any], a: Any, axis: Any, keepdims: bool, leading: tuple[int, ...] = ()) -> Array:
    """A NumPy reduction that needs whole lines: the axes are put in one block each, and NumPy does the rest."""
    x = asarray(a)
    axes = tuple(range(x.ndim)) if axis is None else tuple(int(at) % x.ndim for at in np.atleast_1d(axis))
    x = x.rechunk(dict.fromkeys(axes, -1)) if axes else x
    kept = [(1,) if at in axes else lengths for at, lengths in enumerate(x.chunks)]
    # The blocks keep their axes; what was reduced goes afterwards, natively.
    found = map_blocks(
        lambda block: function(block, axes),
        x,
        name=f"numpy.{function.__name__}",
        dtype=np.asarray(function(np.ones((1,) * x.ndim, x.dtype), axes)).dtype,
        chunks=[*((length,) for length in leading), *kept],
        new_axis=list(range(len(leading))),
    )
    return found if keepdims else found.squeeze(tuple(at + len(leading) for at in axes))


def median(a: Any, axis: Any = None, keepdims: bool = False, out: Any = None) -> Array:
    """The median along axes, which are put in one block each (by NumPy)."""

    def median(block: Any, axes: Any) -> Any:
        return np.median(block, axis=axes, keepdims=True)

    return _by_lines(median, a, axis, keepdims)


def nanmedian(a: Any, axis: Any = None, keepdims: bool = False, out: Any = None) -> Array:
    """The median of elements that are not NaN (by NumPy)."""

    def nanmedian(block: Any, axes: Any) -> Any:
        return np.nanmedian(block, axis=axes, keepdims=True)

    return _by_lines(nanmedian, a, axis, keepdims)


def _quantile(name: str, a: Any, q: Any, axis: Any, method: str, keepdims: bool) -> Array:
    fractions = np.asarray(q, dtype=float)

    def quantile(block: Any, axes: Any) -> Any:
        return getattr(np, name)(block, fractions, axis=axes, method=method, keepdims=True)

    quantile.__name__ = name
    return _by_lines(quantile, a, axis, keepdims, leading=fractions.shape)


def quantile(a: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False, **kwargs: Any) -> Array:
    """Quantiles ``q`` (from 0 to 1) along axes, which are put in one block each (by NumPy).

    >>> import raskt.array as ra
    >>> ra.quantile(ra.arange(5, chunks=2), [0.5, 1.0]).compute()
    array([2., 4.])
    """
    return _quantile("quantile", a, q, axis, method, keepdims)


def nanquantile(
    a: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False, **kwargs: Any
) -> Array:
    """Quantiles of elements that are not NaN (by NumPy)."""
    return _quantile("nanquantile", a, q, axis, method, keepdims)


def percentile(
    a: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False, **kwargs: Any
) -> Array:
    """Percentiles ``q`` (from 0 to 100) along axes, or of all elements: exact, unlike Dask's (by NumPy)."""
    return _quantile("percentile", a, q, axis, method, keepdims)


def nanpercentile(
    a: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False, **kwargs: Any
) -> Array:
    """Percentiles of elements that are not NaN (by NumPy)."""
    return _quantile("nanpercentile", a, q, axis, method, keepdims)


def digitize(a: Any, bins: Any, right: bool = False) -> Array:
    """The number of the bin that each element falls in (by NumPy)."""
    edges = np.asarray(bins)
    return elementwise(lambda block: np.digitize(block, edges, right=right), a, name="numpy.digitize", dtype=np.int64)


def histogram(a: Any, bins: Any = None, range: Any = None, density: bool = False, weights: Any = None) -> Any:
    """How many elements fall in each bin, and the edges of the bins (a NumPy array).

    ``bins`` is a number of bins within ``range``, or their edges.

    >>> import raskt.array as ra
    >>> counts, edges = ra.histogram(ra.arange(10, chunks=4), bins=2, range=(0, 10))
    >>> counts.compute()
    array([5, 5])
    """
    if bins is None or (np.ndim(bins) == 0 and range is None):
        raise ValueError("histogram of a lazy array needs the edges of the bins, or their number and a range")
    edges = np.linspace(range[0], range[1], int(bins) + 1) if np.ndim(bins) == 0 else np.asarray(bins)
    if edges.ndim != 1 or len(edges) < 2 or (np.diff(edges) < 0).any():
        raise ValueError("the edges of bins must increase, and there must be at least two")
    line = asarray(a).ravel()
    lines = [line] if weights is None else [line, asarray(weights).ravel()]
    dtype = np.dtype(np.int64) if weights is None else np.result_type(lines[1].dtype, np.float64)
    counts = _count(
        line, lines, len(edges) - 1, dtype, "numpy.histogram", lambda x, w: np.histogram(x, edges, weights=w)[0]
    )
    if density:
        counts = counts / (counts.sum() * asarray(np.diff(edges)))
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


def bincount(x: Any, weights: Any = None, minlength: int = 0, split_every: Any = None) -> Array:
    """How often each whole number from 0 to before ``minlength`` appears.

    ``minlength`` is needed, since the length of the result must be known before it is computed.
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
