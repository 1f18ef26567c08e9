"""Arrays in other shapes: axes moved, added, dropped and turned; elements repeated or picked along them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import (
    array_broadcast_to,
    array_expand_dims,
    array_flip,
    array_moveaxis,
    array_take,
)
from raskt.array.base.conversion import asarray
from raskt.array.base.registry import is_array, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from raskt.array._array import Array

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_to",
    "coarsen",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "moveaxis",
    "ravel",
    "rechunk",
    "reshape",
    "rollaxis",
    "rot90",
    "squeeze",
    "swapaxes",
    "take",
    "transpose",
    "unify_chunks",
]


def _at_least(arrays: Sequence[Any], shape: Any) -> Any:
    found = [x.reshape(shape(x)) for x in map(asarray, arrays)]
    return found[0] if len(found) == 1 else found


def atleast_1d(*arys: Any) -> Any:
    """Arrays with at least one axis."""
    return _at_least(arys, lambda x: x.shape or (1,))


def atleast_2d(*arys: Any) -> Any:
    """Arrays with at least two axes; new ones come first."""
    return _at_least(arys, lambda x: (1,) * (2 - x.ndim) + x.shape)


def atleast_3d(*arys: Any) -> Any:
    """Arrays with at least three axes; a vector becomes ``(1, n, 1)``, a matrix ``(m, n, 1)``."""

    def shape(x: Array) -> tuple[int, ...]:
        return [(1, 1, 1), (1, *x.shape, 1), (*x.shape, 1)][x.ndim] if x.ndim < 3 else x.shape

    return _at_least(arys, shape)


def reshape(a: Any, shape: Any = None, *, merge_chunks: bool = True, limit: Any = None, newshape: Any = None) -> Array:
    """The elements in C order under another shape; one length may be -1."""
    lengths = newshape if shape is None else shape
    return asarray(a).reshape(lengths if isinstance(lengths, (tuple, list)) else (lengths,))


def ravel(a: Any) -> Array:
    """All elements in C order along one axis."""
    return asarray(a).ravel()


def transpose(a: Any, axes: Sequence[int] | None = None) -> Array:
    """The axes in another order; reversed if none is given."""
    return asarray(a).transpose(axes)


def swapaxes(a: Any, axis1: int, axis2: int) -> Array:
    """Two axes swapped."""
    return asarray(a).swapaxes(axis1, axis2)


def moveaxis(a: Any, source: int | Sequence[int], destination: int | Sequence[int]) -> Array:
    """Axes moved to other places; the others keep their order."""
    return wrap(array_moveaxis(asarray(a).__raskt_expr__, source, destination))


def rollaxis(a: Any, axis: int, start: int = 0) -> Array:
    """``axis`` moved back until it stands before ``start``."""
    x = asarray(a)
    axis, start = axis % x.ndim, start + x.ndim if start < 0 else start
    return moveaxis(x, axis, start - 1 if axis < start else start)


def expand_dims(a: Any, axis: int | Sequence[int]) -> Array:
    """New axes of length 1."""
    return wrap(array_expand_dims(asarray(a).__raskt_expr__, axis))


def squeeze(a: Any, axis: int | Sequence[int] | None = None) -> Array:
    """The array without axes of length 1."""
    return asarray(a).squeeze(axis)


def rechunk(
    x: Any,
    chunks: Any = "auto",
    threshold: Any = None,
    block_size_limit: int | None = None,
    balance: bool = False,
    method: str | None = None,
) -> Array:
    """The same array in other chunks; see :meth:`Array.rechunk`."""
    return asarray(x).rechunk(chunks, threshold, block_size_limit, balance, method)


def broadcast_to(x: Any, shape: Any, chunks: Any = None, meta: Any = None) -> Array:
    """The elements repeated along new axes and axes of length 1, without a copy."""
    lengths = [int(shape)] if np.ndim(shape) == 0 else [int(length) for length in shape]
    result = wrap(array_broadcast_to(asarray(x).__raskt_expr__, lengths))
    return result if chunks is None else result.rechunk(chunks)


def broadcast_arrays(*args: Any, subok: bool = False) -> list[Array]:
    """Arrays broadcast to one shape."""
    arrays = [asarray(array) for array in args]
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    return [broadcast_to(array, shape) for array in arrays]


def flip(m: Any, axis: int | Sequence[int] | None = None) -> Array:
    """The elements in reverse order along axes; along all of them if none is given."""
    return wrap(array_flip(asarray(m).__raskt_expr__, axis))


def flipud(m: Any) -> Array:
    """The elements in reverse order along the first axis."""
    return flip(m, 0)


def fliplr(m: Any) -> Array:
    """The elements in reverse order along the second axis."""
    return flip(m, 1)


def rot90(m: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    """The array turned by 90 degrees ``k`` times in the plane of two axes."""
    x = asarray(m)
    first, second = axes
    if k % 4 == 0:
        return x
    if k % 4 == 2:
        return flip(x, (first, second))
    return flip(x, second).swapaxes(first, second) if k % 4 == 1 else flip(x.swapaxes(first, second), second)


def take(a: Any, indices: Any, axis: int | None = 0) -> Array:
    """The elements at positions along ``axis``.

    >>> import raskt.array as ra
    >>> ra.take(ra.arange(5) * 10, [3, 0, -1]).compute()
    array([30,  0, 40])
    """
    x = asarray(a)
    if axis is None:
        x, axis = x.ravel(), 0
    if is_array(indices):
        raise NotImplementedError("take with lazy positions is not implemented: compute them first")
    positions = np.asarray(indices)
    if positions.ndim == 1 and positions.dtype.kind in "iu":
        return wrap(array_take(x.__raskt_expr__, positions.tolist(), axis))
    return x[(slice(None),) * (axis % x.ndim) + (positions if positions.ndim else int(positions),)]


def coarsen(reduction: Any, x: Any, axes: dict[int, int], trim_excess: bool = False, **kwargs: Any) -> Array:
    """``reduction`` of boxes of neighbours: ``axes`` says how many along each axis.

    >>> import raskt.array as ra
    >>> ra.coarsen(ra.sum, ra.arange(6, chunks=4), {0: 2}).compute()
    array([1, 5, 9])
    """
    array = asarray(x)
    shape: list[int] = []
    inner: list[int] = []
    for axis, length in enumerate(array.shape):
        factor = axes.get(axis, axes.get(axis - array.ndim, 1))
        if length % factor:
            if not trim_excess:
                raise ValueError(
                    f"boxes of {factor} do not fill axis {axis} of length {length}: pass `trim_excess=True`"
                )
            array = array[(slice(None),) * axis + (slice(0, length - length % factor),)]
        inner.append(len(shape) + 1)
        shape += [length // factor, factor]
    result: Array = reduction(array.reshape(shape), axis=tuple(inner), **kwargs)
    return result


def unify_chunks(*args: Any) -> tuple[dict[Any, Any], list[Array]]:
    """Arrays and the labels of their axes in turn: the chunks of each label, and the arrays in chunks that agree.

    >>> import raskt.array as ra
    >>> ra.unify_chunks(ra.ones(4, chunks=2), "i", ra.ones(4, chunks=3), "i")[0]
    {'i': (2, 1, 1)}
    """
    pairs = [(asarray(array), tuple(labels)) for array, labels in zip(args[::2], args[1::2], strict=True)]
    cuts: dict[Any, set[int]] = {}
    for array, labels in pairs:
        for label, lengths in zip(labels, array.chunks, strict=True):
            if sum(lengths) != 1 or label not in cuts:
                cuts[label] = cuts.get(label, set()) | set(np.cumsum(lengths).tolist())
    chunks = {label: tuple(np.diff([0, *sorted(ends)]).tolist()) for label, ends in cuts.items()}
    return chunks, [
        array.rechunk(
            tuple((1,) if length == 1 else chunks[label] for label, length in zip(labels, array.shape, strict=True))
        )
        for array, labels in pairs
    ]
