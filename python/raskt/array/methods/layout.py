"""Methods of arrays that say where elements stand, of which type and in which chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from raskt._core import (
    array_astype,
    array_clip,
    array_rechunk,
    array_reshape,
    array_squeeze,
    array_swapaxes,
    array_transpose,
)
from raskt.array.base.registry import wrap
from raskt.array.base.settings import block_bytes
from raskt.array.blocks.delayed import to_delayed
from raskt.array.blocks.map_blocks import map_blocks
from raskt.array.elementwise.functions import conjugate, imag, real, round
from raskt.array.indexing.nonzero import nonzero
from raskt.array.io.store import store
from raskt.array.linalg.products import dot, trace
from raskt.array.manipulation.joining import repeat
from raskt.array.searching.searching import argtopk, choose, topk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import DTypeLike

    from raskt.array._array import Array


__all__ = ["LayoutMethods"]


class LayoutMethods:
    """The methods of NumPy's arrays that move, convert or pick elements."""

    __slots__ = ()

    def astype(self: Any, dtype: DTypeLike, casting: str = "unsafe", copy: bool = True) -> Array:
        """The elements as another data type.

        Parameters
        ----------
        dtype
            What NumPy takes for a data type.
        casting
            What may be lost: ``"no"``, ``"equiv"``, ``"safe"``, ``"same_kind"`` or ``"unsafe"``.
        copy
            Has no effect: expressions share what they can.

        >>> import raskt.array as ra
        >>> ra.linspace(0, 2, 5).astype("int8").compute()
        array([0, 0, 1, 1, 2], dtype=int8)
        """
        if casting != "unsafe":
            import numpy as np

            if not np.can_cast(self.dtype, dtype, casting=casting):  # type: ignore[arg-type]
                raise TypeError(f"cannot cast from {self.dtype} to {np.dtype(dtype)} by the rule `{casting}`")
        return wrap(array_astype(self.__raskt_expr__, dtype))

    def reshape(self: Any, *shape: Any, merge_chunks: bool = True, limit: Any = None) -> Array:
        """The elements in C order under another shape; one length may be -1.

        >>> import raskt.array as ra
        >>> ra.arange(6, chunks=4).reshape(3, -1).compute()
        array([[0, 1],
               [2, 3],
               [4, 5]])
        """
        lengths = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        return wrap(array_reshape(self.__raskt_expr__, list(lengths)))

    def ravel(self: Any) -> Array:
        """All elements in C order along one axis."""
        return wrap(array_reshape(self.__raskt_expr__, [-1]))

    flatten = ravel

    def transpose(self: Any, *axes: Any) -> Array:
        """The axes in another order; reversed if none is given."""
        order = axes[0] if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))) else axes
        return wrap(array_transpose(self.__raskt_expr__, list(order) if order else None))

    def swapaxes(self: Any, axis1: int, axis2: int) -> Array:
        """Two axes swapped."""
        return wrap(array_swapaxes(self.__raskt_expr__, axis1, axis2))

    def squeeze(self: Any, axis: int | Sequence[int] | None = None) -> Array:
        """The array without axes of length 1: all of them, or those in ``axis``."""
        return wrap(array_squeeze(self.__raskt_expr__, axis))

    def rechunk(
        self: Any,
        chunks: Any = "auto",
        threshold: Any = None,
        block_size_limit: int | None = None,
        balance: bool = False,
        method: str | None = None,
    ) -> Array:
        """The same array in other chunks.

        Parameters
        ----------
        chunks
            ``"auto"``, a length, a tuple of them, a tuple of tuples of block lengths, a size in bytes (``"8MB"``), -1
            for a whole axis, ``None`` for an axis as it is, or a dictionary from axes to these.
        block_size_limit
            Bytes of an ``"auto"`` block.
        threshold, balance, method
            Are taken for the sake of programs that give them, and have no effect.

        >>> import raskt.array as ra
        >>> ra.zeros((4, 6), chunks=2).rechunk({0: -1, 1: 3}).chunks
        ((4,), (3, 3))
        """
        limit = block_size_limit if block_size_limit is not None else block_bytes()
        return wrap(array_rechunk(self.__raskt_expr__, chunks, limit))

    def clip(self: Any, min: Any = None, max: Any = None) -> Array:
        """The elements, none below ``min`` or above ``max``."""
        return wrap(array_clip(self.__raskt_expr__, min, max))

    def round(self: Any, decimals: int = 0) -> Array:
        """The elements rounded to ``decimals`` decimal places, halves to even."""

        return round(self, decimals)

    def conj(self: Any) -> Array:
        """The complex conjugates of the elements."""

        return conjugate(self)

    conjugate = conj

    @property
    def real(self: Any) -> Array:
        """The real parts of the elements."""

        return real(self)

    @property
    def imag(self: Any) -> Array:
        """The imaginary parts of the elements."""

        return imag(self)

    def dot(self: Any, other: Any) -> Array:
        """The product of matrices; see :func:`raskt.array.dot`."""

        return dot(self, other)

    def repeat(self: Any, repeats: int, axis: int | None = None) -> Array:
        """Each element ``repeats`` times; see :func:`raskt.array.repeat`."""

        return repeat(self, repeats, axis=axis)

    def nonzero(self: Any) -> tuple[Array, ...]:
        """Positions of elements that are not zero, an array for each axis."""

        return nonzero(self)

    def choose(self: Any, choices: Any) -> Array:
        """Elements of ``choices`` that this array numbers; see :func:`raskt.array.choose`."""

        return choose(self, choices)

    def trace(self: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike | None = None) -> Array:
        """The sum along a diagonal."""

        return trace(self, offset, axis1, axis2, dtype)

    def topk(self: Any, k: int, axis: int = -1, split_every: int | None = None) -> Array:
        """The ``k`` largest elements along ``axis``, largest first; the smallest for a negative ``k``."""

        return topk(self, k, axis)

    def argtopk(self: Any, k: int, axis: int = -1, split_every: int | None = None) -> Array:
        """The positions of the ``k`` largest elements along ``axis``."""

        return argtopk(self, k, axis)

    def map_blocks(self: Any, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Array:
        """Call a Python function on each block; see :func:`raskt.array.map_blocks`."""

        return map_blocks(function, self, *args, **kwargs)

    def store(self: Any, target: Any, **kwargs: Any) -> Any:
        """Write the blocks into an array-like; see :func:`raskt.array.store`."""

        return store(self, target, **kwargs)

    def to_delayed(self: Any) -> Any:
        """A NumPy array of :class:`raskt.delayed` values, one for each block."""

        return to_delayed(self)
