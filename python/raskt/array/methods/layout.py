"""Methods of arrays that say where elements stand, of which type and in which chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_astype
from raskt.array.base.arguments import check_order
from raskt.array.base.documentation import as_method, documented
from raskt.array.base.registry import wrap
from raskt.array.blocks.delayed import to_delayed
from raskt.array.blocks.map_blocks import map_blocks as _map_blocks
from raskt.array.elementwise import complex, floating, ufuncs
from raskt.array.io.store import store
from raskt.array.linalg import products
from raskt.array.linalg.products import trace
from raskt.array.manipulation import axes, shapes
from raskt.array.manipulation.repeating import repeat
from raskt.array.searching.searching import argtopk, choose, topk
from raskt.array.selection.nonzero import nonzero

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from raskt.array._array import Array

__all__ = ["LayoutMethods"]


class LayoutMethods:
    """The methods of NumPy's arrays that move, convert or pick elements."""

    __slots__ = ()

    @documented(
        "Of the type `dtype`, of the array's shape and chunks.",
        {"TypeError": "If `casting` forbids it."},
        dtype="data-type: What NumPy takes for a data type.",
        casting="str: What may be lost: `no`, `equiv`, `safe`, `same_kind` or `unsafe`.",
        copy="bool: Of no effect: expressions never change, and share what they can.",
    )
    def astype(
        self: Any,
        dtype: DTypeLike,
        order: str | None = "K",
        casting: str = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> Array:
        """The elements as another data type.

        >>> ra.linspace(0, 2, 5).astype("int8").compute()
        array([0, 0, 1, 1, 2], dtype=int8)
        """
        check_order("astype", order)
        if casting not in ("no", "equiv", "safe", "same_kind", "unsafe"):
            raise ValueError(
                f"casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got {casting!r})"
            )
        if casting != "unsafe" and not np.can_cast(self.dtype, dtype, casting=casting):  # type: ignore[arg-type]
            raise TypeError(f"cannot cast from {self.dtype} to {np.dtype(dtype)} by the rule `{casting}`")
        return wrap(array_astype(self.__raskt_expr__, dtype))

    @documented(
        "Of the array's type; blocks as they come of it.",
        {"ValueError": "If the number of elements differs."},
        shape="int or tuple of int: The lengths of the axes; one may be -1, and is found from the others.",
        order="str: How elements are counted: `C`, with the last axis fastest, or `F`, with the first; `A` means `C`.",
        copy="bool: `False` allows no order but that of memory; `True` changes nothing.",
        merge_chunks="bool: Whether blocks may be put together for it; `False` is refused.",
        limit="int or str: Taken for the sake of Dask's programs; blocks are no larger than they must be.",
    )
    def reshape(
        self: Any,
        *shape: Any,
        order: str = "C",
        copy: bool | None = None,
        merge_chunks: bool = True,
        limit: Any = None,
    ) -> Array:
        """The elements under another shape.

        >>> ra.arange(6, chunks=4).reshape(3, -1).compute()
        array([[0, 1],
               [2, 3],
               [4, 5]])
        """
        lengths = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        return shapes.reshape(self, tuple(lengths), order, copy=copy, merge_chunks=merge_chunks, limit=limit)

    @documented(
        "Of the array's type, of one axis.",
        order="str: How elements are counted: `C`, with the last axis fastest, or `F`, with the first; `A` means `C`.",
    )
    def flatten(self: Any, order: str = "C") -> Array:
        """All elements along one axis.

        >>> ra.ones((2, 3)).flatten().shape
        (6,)
        """
        return shapes.ravel(self, order)

    @documented(
        "Of the array's type; the blocks are those of the array.",
        {"ValueError": "If the axes aren't a permutation of the array's."},
        axes="int or tuple of int: The axes in their new order; reversed if not given.",
    )
    def transpose(self: Any, *axes: Any) -> Array:
        """The axes in another order.

        >>> ra.ones((2, 3, 4)).transpose(1, 0, 2).shape
        (3, 2, 4)
        """
        order = axes[0] if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))) else axes
        return _transpose(self, order if order else None)

    @documented(
        "Of the type that NumPy promotes array and bounds to, of their broadcast shape.",
        min="array_like: The lower bound; none if it is `None`.",
        max="array_like: The upper bound; none if it is `None`.",
        where="array_like of bool: Which elements of `out` are replaced; `out` is needed with it.",
        dtype="data-type: The type that is computed with, and of the result.",
    )
    def clip(
        self: Any,
        min: Any = None,
        max: Any = None,
        out: Any = None,
        *,
        where: Any = True,
        casting: str = "same_kind",
        order: str | None = "K",
        dtype: Any = None,
        subok: bool = True,
        signature: Any = None,
    ) -> Array:
        """The elements, none of them below the lower or above the upper bound.

        >>> ra.arange(5).clip(1, 3).compute()
        array([1, 1, 2, 3, 3])
        """
        options = {"where": where, "casting": casting, "order": order, "dtype": dtype, "signature": signature}
        return floating.clip(self, min, max, out, **options)

    @documented("Of the array's type, shape and chunks.")
    def conj(self: Any) -> Array:
        """The complex conjugates of the elements.

        >>> ra.asarray([1 + 2j]).conj().compute()
        array([1.-2.j])
        """
        return ufuncs.conjugate(self) if self.dtype.kind == "c" else self.copy()

    @documented("Of the array's type, shape and chunks.")
    def conjugate(self: Any) -> Array:
        """The complex conjugates of the elements: another name of :meth:`conj`.

        >>> ra.asarray([1 + 2j]).conjugate().compute()
        array([1.-2.j])
        """
        return ufuncs.conjugate(self) if self.dtype.kind == "c" else self.copy()

    @documented(
        "Of the type that NumPy promotes the operands' types to.",
        {"ValueError": "If the lengths of the summed axes differ."},
        other="array_like: The right operand; its last axis but one, or its only one, is summed over.",
    )
    def dot(self: Any, other: Any, /, out: Any = None) -> Array:
        """NumPy's dot product: of vectors a number, of matrices their product, with a number the multiple.

        >>> ra.asarray([1, 2, 3]).dot([4, 5, 6]).compute()
        np.int64(32)
        """
        return products.dot(self, other, out)

    @property
    def real(self: Any) -> Array:
        """The real parts of the elements.

        Returns
        -------
        Array
            Of the type of the parts, of the array's shape and chunks.

        Examples
        --------
        >>> import raskt.array as ra
        >>> ra.asarray([1 + 2j]).real.compute()
        array([1.])
        """
        return complex.real(self)

    @property
    def imag(self: Any) -> Array:
        """The imaginary parts of the elements; zeros of real ones.

        Returns
        -------
        Array
            Of the type of the parts, of the array's shape and chunks.

        Examples
        --------
        >>> import raskt.array as ra
        >>> ra.asarray([1 + 2j]).imag.compute()
        array([2.])
        """
        return complex.imag(self)

    ravel, rechunk = as_method(shapes.ravel), as_method(shapes.rechunk)
    squeeze, swapaxes = as_method(axes.squeeze), as_method(axes.swapaxes)
    round, repeat, nonzero, choose = as_method(floating.round), as_method(repeat), as_method(nonzero), as_method(choose)
    trace, topk, argtopk = as_method(trace), as_method(topk), as_method(argtopk)
    store, to_delayed = as_method(store), as_method(to_delayed)

    def map_blocks(self: Any, func: Any, *args: Any, **kwargs: Any) -> Array:
        return _map_blocks(func, self, *args, **kwargs)

    map_blocks.__doc__ = _map_blocks.__doc__


_transpose = axes.transpose
