"""Blocks brought together by the labels of their axes: `blockwise` and `einsum`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_map_blocks
from raskt.array.base.arguments import check_meta
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.base.plain import held
from raskt.array.base.registry import wrap
from raskt.array.blocks.map_blocks import find_dtype

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import DTypeLike

    from raskt.array._array import Array

__all__ = ["blockwise", "contract"]


@documented(
    "Of `dtype`, with the axes `out_ind`, each in the blocks of the arrays that have it.",
    {
        "ValueError": "If the result has an axis that no array has, or labels don't fit.",
        "NotImplementedError": "For `new_axes`, `adjust_chunks` and `align_arrays=False`, for axes that the result "
        "lacks without `concatenate=True`, and for a label twice for one array.",
    },
    func="callable: Takes a NumPy array for each array, with its axes, and gives one with the axes `out_ind`.",
    out_ind='sequence: Labels of the axes of the result: ``"ij"`` or ``(0, 1)``.',
    args=(
        "array_like, sequence: Arrays and the labels of their axes in turn; an argument with ``None`` for labels is "
        "passed as it is. Axes whose labels are not in `out_ind` are put in one block each."
    ),
    name="str: What it is called in `explain()`.",
    token="str: Another name of `name`.",
    dtype="data-type: The type of the result. Without it, the function is tried on arrays of length 1.",
    adjust_chunks="dict: Refused: how the function changes the lengths of blocks.",
    new_axes="dict: Refused: the lengths of axes that no array has.",
    align_arrays="bool: Whether arrays are rechunked so that their blocks agree; `False` is refused.",
    concatenate="bool: Whether blocks along summed axes come as one array; lists of them are refused.",
    kwargs="object: Are passed on to the function.",
)
def blockwise(
    func: Callable[..., Any],
    out_ind: Sequence[Any],
    *args: Any,
    name: str | None = None,
    token: str | None = None,
    dtype: DTypeLike | None = None,
    adjust_chunks: dict[Any, Any] | None = None,
    new_axes: dict[Any, Any] | None = None,
    align_arrays: bool = True,
    concatenate: bool | None = True,
    meta: Any = None,
    **kwargs: Any,
) -> Array:
    """Call a Python function on blocks that are brought together by the labels of their axes.

    >>> import operator
    >>> x, y = ra.arange(2), ra.arange(3)
    >>> ra.blockwise(operator.mul, "ij", x[:, None], "ij", y[None, :], "ij").shape
    (2, 3)
    """
    if new_axes or adjust_chunks:
        raise NotImplementedError("blockwise with `new_axes` or `adjust_chunks` is not implemented: use `map_blocks`")
    if not align_arrays:
        raise NotImplementedError("blockwise with `align_arrays=False` is not implemented: blocks are made to agree")
    pairs = [(held(arg) if labels is None else arg, labels) for arg, labels in zip(args[::2], args[1::2], strict=True)]
    kwargs = held(kwargs)
    arrays = [asarray(array) for array, labels in pairs if labels is not None]
    labels = [list(labels) for _, labels in pairs if labels is not None]
    if any(len(set(line)) < len(line) for line in labels):
        raise NotImplementedError("blockwise with a label twice for one array is not implemented: use `diagonal`")
    if not concatenate and any(label not in out_ind for line in labels for label in line):
        raise NotImplementedError(
            f"blockwise with `concatenate={concatenate}` along an axis that the result lacks is not implemented: "
            "the blocks come as one array"
        )

    # Arrays stand in the call as blocks alone: it is sent to where they are.
    given = [(labels is None, arg if labels is None else None) for arg, labels in pairs]

    def call(*blocks: Any) -> Any:
        rest = iter(blocks)
        return func(*(arg if is_given else next(rest) for is_given, arg in given), **kwargs)

    name = name or token or str(getattr(func, "__name__", type(func).__name__))
    check_meta("blockwise", meta)
    if dtype is None:
        dtype = None if meta is None else meta.dtype
    if dtype is None:
        dtype = find_dtype(call, arrays, name)
    return contract(call, name, list(out_ind), arrays, labels, dtype)


def contract(
    call: Callable[..., Any],
    name: str,
    output: Sequence[Any],
    arrays: Sequence[Array],
    labels: Sequence[Sequence[Any]],
    dtype: DTypeLike,
) -> Array:
    """`call` of blocks whose axes with one label belong together; labels that `output` lacks are summed by `call`.

    Each array gets an axis for every label, so that blocks meet by broadcasting; `call` sees only its own axes.
    """
    summed = [label for label in dict.fromkeys(label for line in labels for label in line) if label not in output]
    if missing := [label for label in output if not any(label in line for line in labels)]:
        raise ValueError(f"the result has the axis `{missing[0]}`, and no array has it")
    everything = [*output, *summed]
    spread = [_spread(array, line, everything, summed) for array, line in zip(arrays, labels, strict=True)]
    orders = [_own_axes(line, everything) for line in labels]

    def of_blocks(*blocks: Any) -> Any:
        return call(*(_own_block(block, order) for block, order in zip(blocks, orders, strict=True)))

    drop = list(range(len(output), len(everything)))
    expressions = [array.__raskt_expr__ for array in spread]
    return wrap(array_map_blocks(of_blocks, name, expressions, np.dtype(dtype), drop, [], None, False, None))


def _spread(array: Array, labels: Sequence[Any], everything: Sequence[Any], summed: Sequence[Any]) -> Array:
    """The array with an axis for each label, in their order; summed axes in one block."""
    if len(labels) != array.ndim:
        raise ValueError(f"{len(labels)} labels do not fit an array of {array.ndim} axes")
    whole = {axis: -1 for axis, label in enumerate(labels) if label in summed}
    array = array.rechunk(whole) if whole else array
    array = array.transpose([labels.index(label) for label in everything if label in labels])
    return array[tuple(slice(None) if label in labels else None for label in everything)]


def _own_axes(labels: Sequence[Any], everything: Sequence[Any]) -> tuple[tuple[int, ...], list[int]]:
    """Which axes of a spread block are not the array's own, and the order of those that are."""
    foreign = tuple(at for at, label in enumerate(everything) if label not in labels)
    inner = [label for label in everything if label in labels]
    return foreign, [inner.index(label) for label in labels]


def _own_block(block: Any, order: tuple[tuple[int, ...], list[int]]) -> Any:
    foreign, axes = order
    return block.squeeze(foreign).transpose(axes)
