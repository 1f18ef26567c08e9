"""The array that users hold: a lazy expression, NumPy's operators and methods, and the ways to a result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import ArrayExpr, Lazy, array_transpose
from raskt._errors import CopyNeeded, UnknownLengths
from raskt.array.base.arguments import check_order
from raskt.array.base.documentation import documented
from raskt.array.base.lengths import marked
from raskt.array.base.out import SWAP
from raskt.array.base.registry import register_array
from raskt.array.blocks.map_blocks import block_shapes
from raskt.array.indexing.assignment import assign
from raskt.array.indexing.selection import Blocks, VectorIndex, select
from raskt.array.methods.drawing import describe_html, draw
from raskt.array.methods.layout import LayoutMethods
from raskt.array.methods.operators import Operators
from raskt.array.methods.reductions import ReductionMethods
from raskt.array.protocols.numpy import call_function, call_ufunc

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

__all__ = ["Array"]

#: How many axes NumPy's arrays have at most.
_MOST_AXES = 64
#: What positions of 64 bits tell apart.
_MOST_ELEMENTS = 2**63 - 1


class Array(Operators, ReductionMethods, LayoutMethods, Lazy):
    """A chunked, lazy n-dimensional array.

    It is made by functions (:func:`~raskt.array.from_array`, :func:`~raskt.array.zeros`, …), never by calling the
    class. Shapes, data types and errors are settled at each call; :meth:`compute` does the work and gives NumPy's
    result.

    Parameters
    ----------
    expr : ArrayExpr
        An expression of the engine.

    Examples
    --------
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
        if expr.ndim > _MOST_AXES:
            raise ValueError(f"arrays have {_MOST_AXES} axes at most, as NumPy's, and this one would have {expr.ndim}")
        if expr.size > _MOST_ELEMENTS:
            shown = " x ".join(map(str, expr.shape))
            raise ValueError(f"array is too big: {shown} elements are more than positions of 64 bits can tell apart")
        self.__raskt_expr__ = expr

    def __raskt_rebuild__(self, expr: ArrayExpr) -> Array:
        return Array(expr)

    # What it is

    @property
    @documented("A length for each axis; NaN where it is not known before the array is computed.", kind="tuple of int")
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes.

        >>> ra.ones((3, 4), chunks=2).shape
        (3, 4)
        """
        expr = self.__raskt_expr__
        return expr.shape if expr.is_known else marked(expr.shape)

    @property
    @documented("One of NumPy's types of booleans, integers, floating or complex numbers.", kind="numpy.dtype")
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements.

        >>> ra.ones(3).dtype
        dtype('float64')
        """
        return self.__raskt_expr__.dtype

    @property
    @documented("Zero for a single number.", kind="int")
    def ndim(self) -> int:
        """How many axes there are.

        >>> ra.ones((3, 4)).ndim
        2
        """
        return self.__raskt_expr__.ndim

    @property
    @documented("The product of the lengths; NaN if one is not known yet.", kind="int")
    def size(self) -> int:
        """How many elements there are.

        >>> ra.ones((3, 4)).size
        12
        """
        expr = self.__raskt_expr__
        return expr.size if expr.is_known else marked(expr.size)

    @property
    @documented("As NumPy says of the type.", kind="int")
    def itemsize(self) -> int:
        """The bytes of one element.

        >>> ra.ones(3).itemsize
        8
        """
        return self.__raskt_expr__.itemsize

    @property
    @documented("The bytes of one element times their number.", kind="int")
    def nbytes(self) -> int:
        """The bytes of all elements, once computed.

        >>> ra.ones(3).nbytes
        24
        """
        expr = self.__raskt_expr__
        return expr.size * expr.dtype.itemsize if expr.is_known else marked(expr.nbytes)

    @property
    @documented("A tuple for each axis; NaN where a length is not known yet.", kind="tuple of tuple of int")
    def chunks(self) -> tuple[tuple[int, ...], ...]:
        """The lengths of the blocks along each axis.

        >>> ra.ones((3, 4), chunks=2).chunks
        ((2, 1), (2, 2))
        """
        expr = self.__raskt_expr__
        return expr.chunks if expr.is_known else marked(expr.chunks)

    @property
    @documented("A length for each axis.", kind="tuple of int")
    def chunksize(self) -> tuple[int, ...]:
        """The largest block length of each axis.

        >>> ra.ones((3, 4), chunks=2).chunksize
        (2, 2)
        """
        expr = self.__raskt_expr__
        return expr.chunksize if expr.is_known else marked(expr.chunksize)

    @property
    @documented("A number for each axis.", kind="tuple of int")
    def numblocks(self) -> tuple[int, ...]:
        """How many blocks there are along each axis.

        >>> ra.ones((3, 4), chunks=2).numblocks
        (2, 2)
        """
        return self.__raskt_expr__.numblocks

    @property
    @documented("The product of the numbers along the axes.", kind="int")
    def npartitions(self) -> int:
        """How many blocks there are.

        >>> ra.ones((3, 4), chunks=2).npartitions
        4
        """
        return self.__raskt_expr__.npartitions

    @property
    @documented("The operation, and a hash of all that the array is made of.", kind="str")
    def name(self) -> str:
        """A name that arrays made in the same way from the same data share.

        >>> ra.ones(3).name == ra.ones(3).name
        True
        """
        return self.__raskt_expr__.name

    @property
    @documented("Of the same type; the blocks are transposed.", kind="Array")
    def T(self) -> Array:
        """The array with its axes reversed.

        >>> ra.ones((3, 4)).T.shape
        (4, 3)
        """
        return Array(array_transpose(self.__raskt_expr__, None))

    @property
    @documented("Is indexed by integers and slices, and gives an array of those blocks.", kind="Blocks")
    def blocks(self) -> Blocks:
        """Blocks by their place in the grid.

        >>> ra.arange(5, chunks=2).blocks[1].compute()
        array([2, 3])
        """
        return Blocks(self)

    @property
    @documented("Is indexed by integers and slices, and gives an array of those blocks.", kind="Blocks")
    def partitions(self) -> Blocks:
        """Blocks by their place in the grid: another name of :attr:`blocks`.

        >>> ra.arange(5, chunks=2).partitions[1].compute()
        array([2, 3])
        """
        return Blocks(self)

    @property
    @documented("Is indexed by positions for each axis, which are broadcast.", kind="VectorIndex")
    def vindex(self) -> VectorIndex:
        """Points by their coordinates.

        >>> x = ra.arange(6).reshape(2, 3)
        >>> x.vindex[[0, 1], [1, 2]].compute()
        array([1, 5])
        """
        return VectorIndex(self)

    # Results

    @documented("A line for the work as a whole, and one for each node, with where it runs.", kind="str")
    def explain(self) -> str:
        """The optimised expression, with what will run natively and what through NumPy.

        >>> print(ra.ones(4, chunks=2).sum().explain())  # doctest: +ELLIPSIS
        3 tasks in 2 layers, 8 bytes, the largest block 8
        sum-...  float64 ()  1 block  [native]
          full-...  float64 (4,)  2 blocks  [native]
        """
        tasks, layers, size, block = self.__raskt_expr__.describe()
        known = f"{size} bytes, the largest block {block}" if size is not None else "a size that is not known yet"
        return f"{tasks} tasks in {layers} layers, {known}\n{self.__raskt_expr__.tree()}".rstrip()

    @documented("The array itself, with the lengths known.")
    def compute_chunk_sizes(self) -> Array:
        """Compute the lengths of blocks that are not known yet, and remember them, in place.

        The array is computed for it, a block at a time, and the blocks are let go again.

        >>> x = ra.arange(5, chunks=2)
        >>> y = x[x > 1]
        >>> y.compute_chunk_sizes().chunks
        ((0, 2, 1),)
        """
        while not (before := self.__raskt_expr__).is_known:
            after = before.with_block_shapes(block_shapes(Array(before)))
            with SWAP:
                if self.__raskt_expr__ is before:
                    self.__raskt_expr__ = after
        return self

    @documented(
        "The same expression: expressions never change, so nothing is copied.",
        order="str: Of no effect but for `F`, which is refused.",
    )
    def copy(self, order: str = "C") -> Array:
        """Another array of the same elements, which doesn't change with this one.

        >>> x = ra.ones(2)
        >>> y = x.copy()
        >>> x += 1
        >>> y.compute()
        array([1., 1.])
        """
        check_order("copy", order)
        return Array(self.__raskt_expr__)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Array:
        return self.copy()

    def __reduce__(self) -> Any:
        # The expression is pickled as its graph, with the data that it was given.
        return type(self), (self.__raskt_expr__,)

    # Conversions that compute

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise CopyNeeded("`copy=False` asks for memory that a lazy array has not got: call `compute()`")
        result = np.asarray(self.compute())
        return result if dtype is None else result.astype(dtype, copy=False)

    def _know_size(self) -> None:
        """An error where the number of elements is not known."""
        if self.size != self.size:
            raise UnknownLengths("the number of elements is not known yet: call `compute_chunk_sizes()` first")

    def _element(self, kind: str) -> Any:
        """The only element, computed; NumPy raises a TypeError where there are more."""
        self._know_size()
        if self.size != 1:
            raise TypeError(f"only an array with one element can be converted to {kind}, not one of shape {self.shape}")
        return np.asarray(self.compute()).reshape(())[()]

    def __bool__(self) -> bool:
        self._know_size()
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

    @documented(
        "The element, computed, as a Python number.",
        {"ValueError": "If there are several elements, and no position.", "IndexError": "If there is no such element."},
        kind="bool, int, float or complex",
        args="int or tuple of int: The position of the element: in C order, or one for each axis.",
    )
    def item(self, *args: Any) -> Any:
        """An element as a Python number.

        >>> ra.arange(6, chunks=4).reshape(2, 3).item(1, 2)
        5
        """
        place = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
        if not place:
            self._know_size()
            if self.size != 1:
                raise ValueError("can only convert an array of size 1 to a Python scalar")
            return self._element("a scalar").item()
        return self.ravel()[place[0]].item() if len(place) == 1 else self[place].item()

    # Elements

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of an array without axes")
        length = self.shape[0]
        if length != length:
            raise UnknownLengths("the length is not known yet: call `compute_chunk_sizes()` first")
        return length

    def __iter__(self) -> Iterator[Array]:
        if not self.ndim:
            raise TypeError("iteration over an array without axes")
        return (self[at] for at in range(len(self)))

    def __contains__(self, value: Any) -> bool:
        return bool(np.any(self == value))

    def __getitem__(self, key: Any) -> Array:
        return select(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        while True:
            before = self.__raskt_expr__
            after = assign(Array(before), key, value).__raskt_expr__
            with SWAP:
                if self.__raskt_expr__ is before:
                    self.__raskt_expr__ = after
                    return

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

    @documented(
        "A picture, as SVG.",
        {"ValueError": "If the array has no axes, or blocks of unknown length."},
        kind="str",
        size="int: The pixels of its longer side.",
    )
    def to_svg(self, size: int = 200) -> str:
        """A drawing of the chunk grid.

        >>> ra.ones(4, chunks=2).to_svg()[:4]
        '<svg'
        """
        return draw(self.chunks, size)


register_array(Array)
