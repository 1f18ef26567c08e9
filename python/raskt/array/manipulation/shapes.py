"""Elements under other shapes and in other chunks."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from raskt._core import array_rechunk, array_reshape
from raskt.array.base.arguments import refuse
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.base.registry import wrap
from raskt.array.base.settings import block_bytes
from raskt.array.manipulation.axes import transpose

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["coarsen", "ravel", "rechunk", "reshape", "unify_chunks"]

_ORDER = (
    "str: The order in which elements are counted: `C`, with the last axis fastest, or `F`, with the first. Lazy "
    "arrays have no order in memory, so that `A` means `C`, and `K` is refused."
)
_NEW_SHAPE = "int or tuple of int: The lengths of the axes; one may be -1, and is found from the others."
_MERGE = "bool: Whether blocks may be put together for it; `False` is refused."
_LIMIT = "int or str: Bytes of the largest block that Dask would make; blocks are no larger than they must be here."
_METHOD = "str: Dask's way to rechunk, `tasks` or `p2p`; there is one here, with the same result."
_THRESHOLD = "int: How Dask plans steps in between; there are none here."


@documented(
    "Of the array's type; blocks as they come of it.",
    {"ValueError": "If the number of elements differs, or if `copy=False` and elements would have to be moved."},
    shape=_NEW_SHAPE,
    order=_ORDER,
    copy="bool: Whether memory is copied; expressions share what they can. `False` allows no order but that of memory.",
    merge_chunks=_MERGE,
    limit=_LIMIT,
)
def reshape(
    a: Any,
    /,
    shape: Any,
    order: str = "C",
    *,
    copy: bool | None = None,
    merge_chunks: bool = True,
    limit: Any = None,
) -> Array:
    """The elements under another shape.

    >>> ra.reshape(ra.arange(6, chunks=2), (3, -1)).compute()
    array([[0, 1],
           [2, 3],
           [4, 5]])
    """
    if not merge_chunks:
        refuse("reshape", "merge_chunks", merge_chunks, "rechunk the array first, so that no blocks have to be merged")
    x = asarray(a)
    lengths = list(shape) if isinstance(shape, (tuple, list)) else [shape]
    if counts_columns("reshape", order):
        if copy is False and x.__raskt_expr__.is_known:
            _check_shareable(x.shape, lengths)
        return transpose(wrap(array_reshape(transpose(x).__raskt_expr__, lengths[::-1])))
    return wrap(array_reshape(x.__raskt_expr__, lengths))


def _check_shareable(shape: tuple[int, ...], lengths: list[int]) -> None:
    """A ValueError of NumPy's if an array in C's order takes the shape, counted by columns, by a copy alone."""
    strides = [math.prod(shape[at + 1 :]) for at in range(len(shape))]
    trial = np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), shape, strides, writeable=False)
    trial.reshape(lengths, order="F", copy=False)


def counts_columns(function: str, order: str | None) -> bool:
    """Whether elements are counted with the first axis fastest."""
    if order in ("C", "A", None):
        return False
    if order == "F":
        return True
    if order == "K":
        refuse(function, "order", order, "lazy arrays have no order in memory: use `C` or `F`")
    raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")


@documented("Of the array's type, of one axis.", order=_ORDER)
def ravel(a: Any, order: str = "C") -> Array:
    """All elements along one axis.

    >>> ra.ravel([[1, 2], [3, 4]], order="F").compute()
    array([1, 3, 2, 4])
    """
    return reshape(a, -1, order=order)


@documented(
    "Of the array's type and shape.",
    {"ValueError": "If the lengths of blocks don't sum up to those of the axes."},
    balance="bool: Whether blocks along an axis are made equally long, the last one perhaps shorter.",
    block_size_limit="int: Bytes of an `auto` block; the setting `array.chunk-size` if not given.",
    threshold=_THRESHOLD,
    method=_METHOD,
)
def rechunk(
    x: Any,
    chunks: Any = "auto",
    threshold: Any = None,
    block_size_limit: int | None = None,
    balance: bool = False,
    method: str | None = None,
) -> Array:
    """The same array in other chunks.

    >>> ra.rechunk(ra.zeros((4, 6), chunks=2), {0: -1, 1: 3}).chunks
    ((4,), (3, 3))
    """
    if method not in (None, "tasks", "p2p"):
        raise ValueError(f"`method` must be `tasks` or `p2p`, not {method!r}")
    limit = block_size_limit if block_size_limit is not None else block_bytes()
    result = wrap(array_rechunk(asarray(x).__raskt_expr__, chunks, limit))
    if not balance:
        return result
    return wrap(array_rechunk(result.__raskt_expr__, tuple(map(_balanced, result.chunks)), limit))


def _balanced(lengths: tuple[int, ...]) -> tuple[int, ...]:
    """Equal lengths, the last one perhaps shorter: as many, or one less where the shortest is half of the longest."""
    if len(lengths) < 2:
        return lengths
    count = len(lengths) - (min(lengths) <= max(lengths) / 2)
    length = -(-sum(lengths) // count)
    if not length:
        return lengths
    whole, rest = divmod(sum(lengths), length)
    return (length,) * whole + ((rest,) if rest else ())


@documented(
    "What the reduction gives, with each axis as many times shorter as `axes` says.",
    {"ValueError": "If boxes don't fill an axis, and `trim_excess` is false; AxisError for axes that are not there."},
    reduction="callable: A reduction such as `ra.sum`, which takes `axis`.",
    axes="dict of int to int: For axes, how many neighbours are in a box.",
    trim_excess="bool: Whether elements at the end that fill no box are left out.",
    kwargs="object: Are passed on to the reduction.",
)
def coarsen(reduction: Any, x: Any, axes: dict[int, int], trim_excess: bool = False, **kwargs: Any) -> Array:
    """A reduction of boxes of neighbours.

    >>> ra.coarsen(ra.sum, ra.arange(6, chunks=4), {0: 2}).compute()
    array([1, 5, 9])
    """
    array = asarray(x)
    factors = dict(zip(normalize_axis_tuple(tuple(axes), array.ndim), axes.values(), strict=True))
    shape: list[int] = []
    inner: list[int] = []
    for axis, length in enumerate(array.shape):
        factor = operator.index(factors.get(axis, 1))
        if factor < 1:
            raise ValueError(f"a box has one element at least along axis {axis}, not {factor}")
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


@documented(
    "The chunks of each label, and the arrays in chunks that agree.",
    kind="dict, list of Array",
    args="array_like, sequence: Arrays and the labels of their axes, in turn.",
)
def unify_chunks(*args: Any) -> tuple[dict[Any, Any], list[Array]]:
    """Arrays rechunked so that axes of one label have one chunking.

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
