"""Python functions on blocks."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_block_shapes, array_from_function, array_map_blocks
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.base.layout import Layout
from raskt.array.base.lengths import lengths_of
from raskt.array.base.plain import held, is_own
from raskt.array.base.registry import is_array, wrap
from raskt.array.base.settings import block_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import DTypeLike

    from raskt.array._array import Array

__all__ = ["block_shapes", "elementwise", "find_dtype", "map_blocks"]


@documented(
    "Of `dtype`, in blocks as the function gives them.",
    {
        "ValueError": "If the type of the result is not given and the trial fails.",
        "TypeError": "If `func` is no function.",
    },
    func=(
        "callable: Takes NumPy arrays, which it must not write to, and gives one. If it has a parameter ``block_id``, "
        "that is the place of the block in the grid of the result; if it has ``block_info``, that is a dictionary from "
        "the position of each array among the arguments (``None`` for the result) to what is known of the block: "
        "``shape``, ``num-chunks``, ``array-location``, ``chunk-shape``, ``chunk-location`` and ``dtype``."
    ),
    args=(
        "Array or object: Lazy arrays, whose blocks are aligned as by broadcasting; all else, NumPy's arrays too, is "
        "passed to each call as a whole."
    ),
    name="str: What it is called in `explain()`.",
    token="str: Another name of `name`.",
    dtype="data-type: The type of the result. Without it, the function is tried on arrays of length 1.",
    chunks="tuple: The block lengths of the result, if the function changes them: a length or a tuple for each axis.",
    drop_axis="int or sequence of int: Axes that the function takes away from its blocks.",
    new_axis="int or sequence of int: Axes that the function adds.",
    enforce_ndim="bool: Whether Dask checks the axes of results; they are always checked here when they are joined.",
    kwargs="object: Are passed on to the function.",
)
def map_blocks(
    func: Callable[..., Any],
    *args: Any,
    name: str | None = None,
    token: str | None = None,
    dtype: DTypeLike | None = None,
    chunks: Any = None,
    drop_axis: int | Sequence[int] | None = None,
    new_axis: int | Sequence[int] | None = None,
    enforce_ndim: bool = False,
    meta: Any = None,
    **kwargs: Any,
) -> Array:
    """Call a Python function on each block.

    >>> x = ra.arange(6, chunks=3)
    >>> x.map_blocks(lambda block: block[::-1]).compute()
    array([2, 1, 0, 5, 4, 3])
    >>> x.map_blocks(lambda block: block.sum(keepdims=True), chunks=(1,)).compute()
    array([ 3, 12])
    """
    if not callable(func):
        raise TypeError(f"map_blocks takes a function first, not {type(func).__name__}")
    name = name or token or _name_of(func)
    arrays = {at: arg for at, arg in enumerate(args) if is_array(arg)}
    args, kwargs = held(args), held(kwargs)
    if not arrays:
        return _from_no_array(func, args, kwargs, name, dtype, chunks)
    places = _Places(func, arrays)
    drop, new = _axes(drop_axis), _axes(new_axis)
    if dtype is None:
        dtype = meta.dtype if hasattr(meta, "dtype") else _try(func, args, kwargs, arrays, places, name)
    constants, count = {at: arg for at, arg in enumerate(args) if at not in arrays}, len(args)

    def call(index: int, *blocks: Any) -> Any:
        return func(*_merge(constants, blocks, count), **kwargs, **places.of_block(index))

    # Of a function that changes something of this process, such as an array that blocks are stored in.
    call.__raskt_stays__ = getattr(func, "__raskt_stays__", False)  # type: ignore[attr-defined]

    expressions = [array.__raskt_expr__ for array in _meeting(arrays.values())]
    lengths = None if chunks is None else list(chunks) if isinstance(chunks, (tuple, list)) else [chunks]
    with lengths_of(*expressions):
        expr = array_map_blocks(call, name, expressions, np.dtype(dtype), drop, new, lengths, True, None)
    result = wrap(expr)
    places.result = Layout(result)
    return result


def elementwise(
    function: Callable[..., Any], *args: Any, name: str | None = None, dtype: Any = None, **kwargs: Any
) -> Array:
    """A NumPy function of corresponding elements, called on each block; `explain()` shows it as a Python node."""
    arrays = {at: asarray(arg) for at, arg in enumerate(args) if type(arg) not in (bool, int, float, complex)}
    if not arrays:
        arrays = {0: asarray(args[0])}
    constants, count = {at: arg for at, arg in enumerate(args) if at not in arrays}, len(args)
    kwargs = held(kwargs)
    if all(array.dtype == bool for array in arrays.values()):
        # Beside truth values NumPy takes Python's integers for int64, whatever the function takes.
        constants = {at: np.int64(arg) if type(arg) is int else arg for at, arg in constants.items()}
    name = name or f"numpy.{_name_of(function)}"

    def call(*blocks: Any) -> Any:
        # Blocks of NumPy's own operations warn where the native ones don't.
        with np.errstate(all="ignore"):
            return function(*_merge(constants, blocks, count), **kwargs)

    if dtype is None:
        # What NumPy refuses of these types is refused at the call, in its words.
        dtype = np.asarray(call(*(np.ones((1,) * array.ndim, array.dtype) for array in arrays.values()))).dtype
        if dtype == np.float16:
            # There are no blocks of float16: as the engine does, compute in float32 where NumPy computes in that.
            whole = 1 if function is np.ldexp else None
            arrays = {at: x if at == whole else x.astype(np.float32) for at, x in arrays.items()}
            constants = {at: arg if at == whole else np.float32(arg) for at, arg in constants.items()}
            dtype = np.dtype(np.float32)
    expressions = [array.__raskt_expr__ for array in _meeting(arrays.values())]
    # Blocks are made to be of the data type that was found: calls that differ in it alone are two.
    # Only NumPy's own ufuncs are known by their names, which others may share.
    key = f"{name} of {dtype}" if is_own(function) and not kwargs and not constants else None
    return wrap(array_map_blocks(call, name, expressions, dtype, [], [], None, False, key))


def _meeting(arrays: Iterable[Array]) -> list[Array]:
    """The arrays, each of whose axes of length 1 is in one block if it is broadcast.

    A filter may leave one element in one of several blocks, and the others without any.
    """
    arrays = list(arrays)
    shapes = {array.shape for array in arrays}
    if len(shapes) < 2:
        return arrays
    longest = max(map(len, shapes))
    wide = {at for shape in shapes for at, length in enumerate(shape, longest - len(shape)) if length != 1}
    found = []
    for array in arrays:
        axes = [at for at, n in enumerate(array.shape) if n == 1 and at + longest - array.ndim in wide]
        whole = {at: -1 for at in axes if array.numblocks[at] > 1}
        found.append(array.rechunk(whole) if whole else array)
    return found


def _name_of(function: Callable[..., Any]) -> str:
    inner = getattr(function, "func", function)
    return str(getattr(inner, "__name__", None) or type(inner).__name__)


def _merge(constants: dict[int, Any], blocks: Sequence[Any], length: int) -> list[Any]:
    """The arguments in their order: constants where they stood, blocks between."""
    rest = iter(blocks)
    return [constants[at] if at in constants else next(rest) for at in range(length)]


def _axes(axis: int | Sequence[int] | None) -> list[int]:
    return [] if axis is None else [int(axis)] if isinstance(axis, (int, np.integer)) else [int(at) for at in axis]


def _try(
    func: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    arrays: dict[int, Array],
    places: _Places,
    name: str,
) -> np.dtype[Any]:
    constants = {at: arg for at, arg in enumerate(args) if at not in arrays}
    return find_dtype(
        lambda *blocks: func(*_merge(constants, blocks, len(args)), **kwargs, **places.of_trial()),
        arrays.values(),
        name,
    )


def find_dtype(function: Callable[..., Any], arrays: Iterable[Array], name: str) -> np.dtype[Any]:
    """The data type that `function` gives for blocks of these arrays, by trying it on blocks of length 1."""
    blocks = [np.ones((1,) * array.ndim, array.dtype) for array in arrays]
    try:
        with np.errstate(all="ignore"):
            return np.asarray(function(*blocks)).dtype
    except Exception as error:
        raise ValueError(
            f"the data type of `{name}` could not be found by trying it on arrays of length 1 "
            f"({type(error).__name__}: {error}): pass `dtype`"
        ) from error


class _Places:
    """What a function may ask about the place of its block."""

    __slots__ = ("_arrays", "_wants_id", "_wants_info", "result")

    def __init__(self, func: Callable[..., Any], arrays: dict[int, Array]) -> None:
        self._wants_id, self._wants_info = (_has_parameter(func, word) for word in ("block_id", "block_info"))
        self._arrays = {at: Layout(array) for at, array in arrays.items()}
        self.result: Layout | None = None

    def of_trial(self) -> dict[str, Any]:
        trial = {"block_id": (0,) * max(array.ndim for array in self._arrays.values())} if self._wants_id else {}
        return {**trial, "block_info": None} if self._wants_info else trial

    def of_block(self, index: int) -> dict[str, Any]:
        if not (self._wants_id or self._wants_info):
            return {}
        assert self.result is not None
        place = tuple(int(at) for at in np.unravel_index(index, self.result.numblocks))
        found: dict[str, Any] = {"block_id": place} if self._wants_id else {}
        if self._wants_info:
            info: dict[int | None, Any] = {
                at: _block_info(array, _broadcast_place(place, array.numblocks)) for at, array in self._arrays.items()
            }
            found["block_info"] = info | {None: _block_info(self.result, place)}
        return found


def _has_parameter(func: Callable[..., Any], word: str) -> bool:
    try:
        return word in inspect.signature(func).parameters
    except (TypeError, ValueError):
        return False


def _broadcast_place(place: tuple[int, ...], blocks: tuple[int, ...]) -> tuple[int, ...]:
    last = place[len(place) - len(blocks) :] if len(place) >= len(blocks) else (0,) * (len(blocks) - len(place)) + place
    return tuple(at if number > 1 else 0 for at, number in zip(last, blocks, strict=True))


def _block_info(array: Layout, place: tuple[int, ...]) -> dict[str, Any]:
    return {
        "shape": array.shape,
        "num-chunks": array.numblocks,
        "array-location": [(line[at], line[at + 1]) for line, at in zip(array.bounds, place, strict=True)],
        "chunk-location": place,
        "chunk-shape": tuple(lengths[at] for lengths, at in zip(array.chunks, place, strict=True)),
        "dtype": array.dtype,
    }


def _from_no_array(func: Callable[..., Any], args: Any, kwargs: Any, name: str, dtype: Any, chunks: Any) -> Array:
    """Blocks that come from their places alone."""
    if chunks is None or not all(isinstance(axis, (tuple, list)) for axis in chunks):
        raise ValueError("map_blocks without an array needs `chunks` with the lengths of all blocks")
    if dtype is None:
        raise ValueError("map_blocks without an array needs `dtype`")
    lengths = [tuple(int(length) for length in axis) for axis in chunks]
    numbers = tuple(len(axis) for axis in lengths)
    wants_id, wants_info = (_has_parameter(func, word) for word in ("block_id", "block_info"))
    made: list[Layout] = []

    def call(index: int) -> Any:
        place = tuple(int(at) for at in np.unravel_index(index, numbers))
        known: dict[str, Any] = {"block_id": place} if wants_id else {}
        if wants_info:
            known["block_info"] = {None: _block_info(made[0], place)}
        return func(*args, **kwargs, **known)

    shape = [sum(axis) for axis in lengths]
    result = wrap(array_from_function(call, name, shape, np.dtype(dtype), tuple(lengths), block_bytes(), None))
    made.append(Layout(result))
    return result


def block_shapes(array: Array) -> list[list[int]]:
    """The shape of each block, found by computing them."""
    shapes = wrap(array_block_shapes(array.__raskt_expr__)).compute()
    lengths: list[list[int]] = shapes.reshape(-1, array.ndim).tolist()
    return lengths
