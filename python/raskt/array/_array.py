"""The array that users hold: a lazy expression, NumPy's operators and methods, and the ways to a result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import ArrayExpr, Lazy, array_transpose
from raskt.array.base.registry import register_array
from raskt.array.blocks.map_blocks import block_shapes
from raskt.array.indexing.selection import Blocks, VectorIndex, assign, select
from raskt.array.methods.drawing import describe_html, draw
from raskt.array.methods.layout import LayoutMethods
from raskt.array.methods.operators import Operators
from raskt.array.methods.reductions import ReductionMethods
from raskt.array.protocols.numpy import call_function, call_ufunc

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

__all__ = ["Array"]


class Array(Operators, ReductionMethods, LayoutMethods, Lazy):
    """A chunked, lazy n-dimensional array.

    It is made by functions (:func:`~raskt.array.from_array`, :func:`~raskt.array.zeros`, …), never by calling the
    class. Shapes, data types and errors are settled at each call; :meth:`compute` does the work and gives NumPy's
    result.

    >>> import raskt.array as ra
    >>> x = ra.arange(6, chunks=2).reshape(2, 3)
    >>> x.shape, x.dtype
    ((2, 3), dtype('int64'))
    >>> (x + 1).sum(axis=0).compute()
    array([5, 7, 9])
    """

    __slots__ = ("__raskt_expr__", "__weakref__")

    __raskt_expr__: ArrayExpr

    #: NumPy's operators leave the work to this class.
    __array_priority__ = 11

    def __init__(self, expr: ArrayExpr) -> None:
        if not isinstance(expr, ArrayExpr):
            raise TypeError("arrays are made by functions such as `raskt.array.from_array`, not by the class")
        self.__raskt_expr__ = expr

    def __raskt_rebuild__(self, expr: ArrayExpr) -> Array:
        return Array(expr)

    # What it is

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes; NaN where a length isn't known before the array is computed."""
        return self.__raskt_expr__.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        return self.__raskt_expr__.dtype

    @property
    def ndim(self) -> int:
        """How many axes there are."""
        return self.__raskt_expr__.ndim

    @property
    def size(self) -> int:
        """How many elements there are."""
        return self.__raskt_expr__.size

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.__raskt_expr__.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements, once computed."""
        return self.__raskt_expr__.nbytes

    @property
    def chunks(self) -> tuple[tuple[int, ...], ...]:
        """Lengths of the blocks along each axis."""
        return self.__raskt_expr__.chunks

    @property
    def chunksize(self) -> tuple[int, ...]:
        """The largest block length of each axis."""
        return self.__raskt_expr__.chunksize

    @property
    def numblocks(self) -> tuple[int, ...]:
        """How many blocks there are along each axis."""
        return self.__raskt_expr__.numblocks

    @property
    def npartitions(self) -> int:
        """How many blocks there are."""
        return self.__raskt_expr__.npartitions

    @property
    def name(self) -> str:
        """A name that arrays made in the same way from the same data share."""
        return self.__raskt_expr__.name

    @property
    def T(self) -> Array:
        """The array with its axes reversed."""
        return Array(array_transpose(self.__raskt_expr__, None))

    @property
    def blocks(self) -> Blocks:
        """Blocks by their place in the grid: ``x.blocks[0, 1]`` is an array of one block."""
        return Blocks(self)

    @property
    def partitions(self) -> Blocks:
        """The same as :attr:`blocks`."""
        return Blocks(self)

    @property
    def vindex(self) -> VectorIndex:
        """Pointwise indexing: ``x.vindex[[0, 2], [1, 3]]`` has the elements ``x[0, 1]`` and ``x[2, 3]``."""
        return VectorIndex(self)

    # Results

    def explain(self) -> str:
        """The optimised expression, a node a line, with what will run natively and what through NumPy.

        >>> import raskt.array as ra
        >>> print(ra.ones(4, chunks=2).sum().explain())  # doctest: +ELLIPSIS
        3 tasks in 2 layers, 8 bytes, the largest block 8
        sum-...  float64 ()  1 block  [native]
          full-...  float64 (4,)  2 blocks  [native]
        """
        tasks, layers, size, block = self.__raskt_expr__.describe()
        known = f"{size} bytes, the largest block {block}" if size is not None else "a size that is not known yet"
        return f"{tasks} tasks in {layers} layers, {known}\n{self.__raskt_expr__.tree()}".rstrip()

    def compute_chunk_sizes(self) -> Array:
        """Compute the lengths of blocks that are not known yet, and remember them (in place).

        The array is computed for it, a block at a time, and the blocks are let go again.

        >>> import raskt.array as ra
        >>> x = ra.arange(5, chunks=2)
        >>> y = x[x > 1]
        >>> y.compute_chunk_sizes().chunks
        ((0, 2, 1),)
        """
        if not self.__raskt_expr__.is_known:
            self.__raskt_expr__ = self.__raskt_expr__.with_block_shapes(block_shapes(self))
        return self

    def copy(self) -> Array:
        """Another array with the same expression; expressions never change, so nothing is copied."""
        return Array(self.__raskt_expr__)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Array:
        return self.copy()

    def __reduce__(self) -> Any:
        raise NotImplementedError("a lazy array cannot be pickled yet: pickle the result of `compute()`")

    # Conversions that compute

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("`copy=False` asks for memory that a lazy array has not got: call `compute()`")
        result = np.asarray(self.compute())
        return result if dtype is None else result.astype(dtype, copy=False)

    def _element(self, kind: str) -> Any:
        """The only element, computed; NumPy raises a TypeError where there are more."""
        if self.size != 1:
            raise TypeError(f"only an array with one element can be converted to {kind}, not one of shape {self.shape}")
        return np.asarray(self.compute()).reshape(())[()]

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(
                f"the truth value of an array of shape {self.shape} is ambiguous: use `.any()` or `.all()`"
            )
        return bool(self._element("bool"))

    def __int__(self) -> int:
        return int(self._element("int"))

    def __float__(self) -> float:
        return float(self._element("float"))

    def __complex__(self) -> complex:
        return complex(self._element("complex"))

    def __index__(self) -> int:
        if self.dtype.kind not in "iu" or self.ndim:
            raise TypeError("only an integer array without axes can be converted to an index")
        return int(self._element("int"))

    def __round__(self, ndigits: int = 0) -> Array:
        return self.round(ndigits)

    def item(self) -> Any:
        """The only element as a Python number, computed."""
        return self._element("a scalar").item()

    # Elements

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of an array without axes")
        length = self.shape[0]
        if length != length:
            raise ValueError("the length is not known yet: call `compute_chunk_sizes()` first")
        return length

    def __iter__(self) -> Iterator[Array]:
        if not self.ndim:
            raise TypeError("iteration over an array without axes")
        return (self[at] for at in range(len(self)))

    def __getitem__(self, key: Any) -> Array:
        return select(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.__raskt_expr__ = assign(self, key, value).__raskt_expr__

    # NumPy's protocols

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return call_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return call_function(function, types, args, kwargs)

    # How it looks

    def __repr__(self) -> str:
        word = self.name.rpartition("-")[0] or self.name
        grid = f"shape={self.shape}, dtype={self.dtype}, chunksize={self.chunksize}"
        return f"raskt.array<{word}, {grid}, type=numpy>"

    def _repr_html_(self) -> str:
        return describe_html(self)

    def to_svg(self, size: int = 200) -> str:
        """A drawing of the chunk grid, as SVG text whose longer side is ``size`` pixels."""
        return draw(self.chunks, size)


register_array(Array)
