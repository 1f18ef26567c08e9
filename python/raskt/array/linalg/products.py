"""Products of matrices, and sums over diagonals."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from raskt._core import array_dot, array_matmul, array_tensordot
from raskt._errors import UnknownLengths
from raskt.array.base.arguments import NO_VALUE, check_order, is_given, refuse
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.base.lengths import lengths_of, shapes_differ
from raskt.array.base.out import write_out
from raskt.array.base.registry import wrap
from raskt.array.blocks.blockwise import contract
from raskt.array.linalg.matrices import diagonal
from raskt.array.manipulation.axes import expand_dims, moveaxis
from raskt.array.manipulation.joining import stack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike

    from raskt.array._array import Array

__all__ = ["cross", "dot", "einsum", "inner", "kron", "matmul", "outer", "tensordot", "trace", "vdot"]


_DTYPE = "data-type: The type that is computed with, and of the result."


@documented(
    "Of the type that NumPy promotes the operands' types to, or `dtype`.",
    {
        "ValueError": "If an operand has no axes, or the lengths of the summed axes differ.",
        "TypeError": "For `axis` and `keepdims`, as in NumPy.",
        "NotImplementedError": 'For `axes`, `signature` and `order="F"`.',
    },
    x1="array_like: Matrices in its last two axes, or a row.",
    x2="array_like: Matrices in its last two axes, or a column.",
    dtype=_DTYPE,
    axes="list of tuple of int: Where the axes of matrices are; only the last two are implemented.",
    axis="int: Refused, as NumPy does.",
    keepdims="bool: Refused, as NumPy does.",
)
def matmul(
    x1: Any,
    x2: Any,
    /,
    out: Any = None,
    *,
    casting: str = "same_kind",
    order: str | None = "K",
    dtype: Any = None,
    subok: bool = True,
    signature: Any = None,
    axes: Any = NO_VALUE,
    axis: Any = NO_VALUE,
    keepdims: bool = False,
) -> Array:
    """The product of matrices, or of stacks of them; vectors are rows on the left and columns on the right.

    >>> (ra.eye(3, chunks=2) @ ra.arange(3)).compute()
    array([0., 1., 2.])
    """
    check_order("matmul", order)
    has_axes = all(np.ndim(x) for x in (x1, x2))
    if axes is None and has_axes:
        raise TypeError("axes should be a list.")
    if axis is not NO_VALUE or keepdims:
        raise TypeError("matmul takes neither `axis` nor `keepdims`, since several axes of each operand take part")
    for name, value in (("axes", axes), ("signature", signature)):
        if is_given(value):
            refuse("matmul", name, value, "move the axes of matrices to the end, and convert operands by `astype`")
    if type(x1) is int or type(x2) is int:  # An error of NumPy's, of the type or of the missing axes.
        np.matmul(*(x if type(x) is int else np.zeros((1, 1), asarray(x).dtype) for x in (x1, x2)))
    x, y = asarray(x1), asarray(x2)
    if dtype is not None or casting != "same_kind":
        wanted = np.result_type(x.dtype, y.dtype) if dtype is None else np.dtype(dtype)
        for part in (x, y):
            if not np.can_cast(part.dtype, wanted, casting):  # type: ignore[arg-type]
                raise TypeError(f"Cannot cast ufunc 'matmul' input from {part.dtype} to {wanted} with '{casting}'")
        x, y = x.astype(wanted), y.astype(wanted)
    operands = x.__raskt_expr__, y.__raskt_expr__
    with lengths_of(*operands):
        result = wrap(array_matmul(*operands))
    # Stacks of matrices are broadcast in `out`, matrices and vectors in it are not.
    axes = (x.ndim > 1) + (y.ndim > 1)
    if out is not None and axes and shapes_differ(_last(out, axes), _last(result, axes)):
        raise ValueError(f"`out` has shape {np.shape(out)}, and the result {result.shape}")
    return result if out is None else write_out(result, out, broadcast=True)


def _last(array: Any, axes: int) -> tuple[int, ...]:
    array = array[0] if isinstance(array, tuple) else array
    return tuple(array.shape)[-axes:]


@documented(
    "Of the type that NumPy promotes the operands' types to.",
    {"ValueError": "If the lengths of the summed axes differ."},
    b="array_like: The right operand; its last axis but one, or its only one, is summed over.",
)
def dot(a: Any, b: Any, out: Any = None) -> Array:
    """NumPy's dot product: of vectors a number, of matrices their product, with a number the multiple.

    >>> ra.dot([1, 2, 3], [4, 5, 6]).compute()
    np.int64(32)
    """
    x, y = asarray(a), asarray(b)
    operands = x.__raskt_expr__, y.__raskt_expr__
    with lengths_of(*operands):
        result = x * y if not x.ndim or not y.ndim else wrap(array_dot(*operands))
    if out is not None and getattr(out, "dtype", result.dtype) != result.dtype:
        raise ValueError(f"output array is not acceptable: it must be of {result.dtype}, not {out.dtype}")
    return result if out is None else write_out(result, out)


@documented(
    "Of the type that NumPy promotes the operands' types to, without axes.",
    {"ValueError": "If there are not as many elements in both."},
    b="array_like: The other array.",
)
def vdot(a: Any, b: Any, /) -> Array:
    """The dot product of all elements in C order, those of the first array conjugated.

    >>> ra.vdot([1j, 2], [1j, 3]).compute()
    np.complex128(7+0j)
    """
    x = asarray(a)
    return dot((x.conj() if x.dtype.kind == "c" else x).ravel(), asarray(b).ravel())


@documented(
    "Of the type that NumPy promotes the operands' types to, with a row for each element of `a`.",
    b="array_like: The array whose elements make columns.",
)
def outer(a: Any, b: Any, out: Any = None) -> Array:
    """Each element of one array times each of another, both in C order: a matrix.

    >>> ra.outer([1, 2], [3, 4]).compute()
    array([[3, 4],
           [6, 8]])
    """
    result = asarray(a).reshape(-1, 1) * asarray(b).reshape(1, -1)
    return result if out is None else write_out(result, out, broadcast=True)


@documented(
    "Of the type that NumPy promotes the operands' types to, with the axes of both but for the last ones.",
    {"ValueError": "If the last axes differ in length."},
    b="array_like: The other array.",
)
def inner(a: Any, b: Any, /) -> Array:
    """The sums of products over the last axes; with a number the multiple.

    >>> ra.inner([1, 2, 3], [4, 5, 6]).compute()
    np.int64(32)
    """
    x, y = asarray(a), asarray(b)
    return x * y if not x.ndim or not y.ndim else tensordot(x, y, ([-1], [-1]))


@documented(
    "Of the type that NumPy promotes the operands' types to; its lengths are the products of theirs.",
    b="array_like: The array whose multiples are put in the place of each element of `a`.",
)
def kron(a: Any, b: Any) -> Array:
    """Kronecker's product: the second array times each element of the first, block by block.

    >>> ra.kron([1, 10], [1, 2]).compute()
    array([ 1,  2, 10, 20])
    """
    x, y = asarray(a), asarray(b)
    if not x.ndim or not y.ndim:
        return x * y
    ndim = max(x.ndim, y.ndim)
    x, y = (part.reshape((1,) * (ndim - part.ndim) + part.shape) for part in (x, y))
    shape = [one * other for one, other in zip(x.shape, y.shape, strict=True)]
    wide = expand_dims(x, tuple(range(1, 2 * ndim, 2))) * expand_dims(y, tuple(range(0, 2 * ndim, 2)))
    return wide.reshape(shape)


@documented(
    "Of the type that NumPy promotes the operands' types to, of the broadcast shape.",
    {"ValueError": "If vectors have neither two nor three parts."},
    b="array_like: The other vectors; the two are broadcast.",
    axisa="int: The axis of `a` along which vectors lie.",
    axisb="int: The axis of `b` along which vectors lie.",
    axisc="int: The axis of the result along which vectors lie.",
    axis="int: The axis for all three.",
)
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Array:
    """The cross products of vectors of three parts; of vectors of two parts the third part of it.

    >>> ra.cross([1, 0, 0], [0, 1, 0]).compute()
    array([0, 0, 1])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    arrays = [asarray(a), asarray(b)]
    if not all(x.ndim for x in arrays):
        raise ValueError("At least one array has zero dimension")
    axes = [normalize_axis_index(at, x.ndim) for at, x in zip((axisa, axisb), arrays, strict=True)]
    dtype = np.promote_types(*(x.dtype for x in arrays))
    x, y = (moveaxis(part, at, -1).astype(dtype) for part, at in zip(arrays, axes, strict=True))
    wide, tall = x.shape[-1], y.shape[-1]
    if wide != wide or tall != tall:
        raise UnknownLengths("cross needs to know the parts of the vectors: call `compute_chunk_sizes()` first")
    if wide not in (2, 3) or tall not in (2, 3):
        raise ValueError("incompatible dimensions for cross product (dimension must be 2 or 3)")
    last = x[..., 0] * y[..., 1] - x[..., 1] * y[..., 0]
    if wide == tall == 2:
        return last
    axisc = normalize_axis_index(axisc, last.ndim + 1)
    if wide == 2:
        parts = [x[..., 1] * y[..., 2], -(x[..., 0] * y[..., 2]), last]
    elif tall == 2:
        parts = [-(x[..., 2] * y[..., 1]), x[..., 2] * y[..., 0], last]
    else:
        parts = [
            x[..., 1] * y[..., 2] - x[..., 2] * y[..., 1],
            x[..., 2] * y[..., 0] - x[..., 0] * y[..., 2],
            last,
        ]
    return stack(parts, axis=axisc)


@documented(
    "Of the type that NumPy promotes the operands' types to, with the axes of `a` and `b` that are left.",
    {"ValueError": "If the lengths of the summed axes differ, or there are not as many."},
    b="array_like: The other array.",
    axes="int or pair of sequence of int: How many of the last axes of `a` and the first of `b`, or which of both.",
)
def tensordot(a: Any, b: Any, axes: Any = 2) -> Array:
    """The sum of products over pairs of axes.

    >>> ra.tensordot(ra.ones((2, 3)), ra.ones((3, 4)), axes=1).shape
    (2, 4)
    """
    x, y = asarray(a), asarray(b)
    if isinstance(axes, (int, np.integer)):
        for at in range(axes):  # In the order in which NumPy finds out.
            one, other = x.shape[at - axes], y.shape[at]
            if one == one and other == other and one != other:
                raise ValueError("shape-mismatch for sum")
        left, right = list(range(x.ndim - axes, x.ndim)), list(range(axes))
    else:
        left, right = ([operator.index(axis) for axis in (side if np.ndim(side) else [side])] for side in axes)
    operands = x.__raskt_expr__, y.__raskt_expr__
    with lengths_of(*operands):
        return wrap(array_tensordot(*operands, left, right))


@documented(
    "Of the promoted type, or `dtype`, with the axes that the subscripts name. NumPy computes each block.",
    {
        "ValueError": "If subscripts don't fit the operands.",
        "NotImplementedError": 'For a repeated subscript of one operand, for lists of subscripts, and `order="F"`.',
    },
    operands='str, array_like: The subscripts, such as ``"ij,jk->ik"``, and the arrays.',
    optimize="bool or str: Whether NumPy looks for a better order of products.",
    casting="str: What casts to `dtype` are allowed.",
)
def einsum(
    *operands: Any,
    out: Any = None,
    optimize: Any = False,
    dtype: DTypeLike | None = None,
    order: str | None = "K",
    casting: str = "safe",
    split_every: Any = None,
) -> Array:
    """Sums of products by Einstein's convention. Summed axes are put in one block each.

    >>> ra.einsum("ij,j->i", ra.ones((2, 3)), ra.arange(3)).compute()
    array([3., 3.])
    """
    check_order("einsum", order)
    if not operands or not isinstance(operands[0], str):
        raise NotImplementedError("`einsum` with lists of subscripts is not implemented: pass a string of them first")
    text, *arrays = operands
    found = [asarray(array) for array in arrays]
    inputs, output = _subscripts(text, found)
    if any(len(set(labels)) != len(labels) for labels in inputs):
        raise NotImplementedError(
            "`einsum` over a diagonal (a repeated subscript of one operand) is not implemented: use `diagonal`"
        )
    wanted: Any = np.result_type(*(array.dtype for array in found)) if dtype is None else np.dtype(dtype)
    for array in found:
        if not np.can_cast(array.dtype, wanted, casting):  # type: ignore[arg-type]
            raise TypeError(f"Cannot cast operand data from {array.dtype} to {wanted} by the rule '{casting}'")
    subscripts = f"{','.join(inputs)}->{output}"

    def call(*blocks: Any) -> Any:
        return np.einsum(subscripts, *blocks, dtype=wanted, optimize=optimize, casting="unsafe")

    result = contract(call, f"numpy.einsum({subscripts})", output, found, inputs, wanted)
    return result if out is None else write_out(result, out)


def _subscripts(text: str, arrays: Sequence[Array]) -> tuple[list[str], str]:
    """The labels of each operand and of the result, with letters in place of dots."""
    text = text.replace(" ", "")
    left, arrow, right = text.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(arrays):
        raise ValueError(f"einsum `{text}` names {len(inputs)} operands, and {len(arrays)} were given")
    free = [letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" if letter not in text]
    spread = [
        max(array.ndim - len(labels) + 3, 0) if "..." in labels else 0
        for labels, array in zip(inputs, arrays, strict=True)
    ]
    dots = "".join(free[: max(spread, default=0)])
    inputs = [
        labels.replace("...", dots[len(dots) - extra :] if extra else "")
        for labels, extra in zip(inputs, spread, strict=True)
    ]
    for labels, array in zip(inputs, arrays, strict=True):
        if len(labels) != array.ndim:
            raise ValueError(f"einsum labels `{labels}` do not fit an operand of {array.ndim} axes")
    if arrow:
        if dots and "..." not in right:
            raise ValueError("output has fewer axes than the dots stand for: NumPy sums none of those by dots")
        return inputs, right.replace("...", dots)
    joined = "".join(inputs)
    once = sorted(letter for letter in set(joined) if joined.count(letter) == 1 and letter not in dots)
    return inputs, dots + "".join(once)


@documented(
    "Of the type that a sum has, or `dtype`; without the two axes.",
    {"ValueError": "If there are no two axes, or they are the same."},
)
def trace(
    a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike | None = None, out: Any = None
) -> Array:
    """The sum of a diagonal.

    >>> ra.trace([[1, 2], [3, 4]]).compute()
    np.int64(5)
    """
    result: Array = diagonal(a, offset, axis1, axis2).sum(axis=-1, dtype=dtype, out=out)
    return result
