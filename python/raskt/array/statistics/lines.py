"""Functions of lines, and along one axis after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.base.plain import held
from raskt.array.blocks.map_blocks import map_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from raskt.array._array import Array

__all__ = ["apply_along_axis", "apply_over_axes"]


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
    args = tuple(held(arg) for arg in args)
    kwargs = {name: held(value) for name, value in kwargs.items()}
    if dtype is None or shape is None:
        sample = np.asarray(func1d(np.ones(x.shape[axis], x.dtype), *args, **kwargs))
        dtype, shape = sample.dtype if dtype is None else dtype, sample.shape if shape is None else shape
    shape = (shape,) if np.ndim(shape) == 0 else tuple(shape)
    x = x.rechunk({axis: -1})
    chunks = [*x.chunks[:axis], *((length,) for length in shape), *x.chunks[axis + 1 :]]
    new = list(range(axis, axis + len(shape)))

    if 0 in (*x.shape[:axis], *x.shape[axis + 1 :]):
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")

    def call(block: Any) -> Any:
        others = (*block.shape[:axis], *block.shape[axis + 1 :])
        if 0 in others:
            return np.empty((*others[:axis], *shape, *others[axis:]), dtype)
        return np.apply_along_axis(func1d, axis, block, *args, **kwargs)

    return map_blocks(
        call,
        x,
        name=f"apply {getattr(func1d, '__name__', type(func1d).__name__)}",
        dtype=dtype,
        chunks=chunks,
        drop_axis=axis,
        new_axis=new,
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
