"""Pickles from which NumPy's arrays come back with the flags, strides and owner that they had.

NumPy's own pickles give arrays that own nothing, can be written to, and have no gaps: `resize`, `reshape` (a view or a
copy?) and `setflags` would do something else then.
"""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np

from raskt._moving.constants import has_name
from raskt._moving.pages import copied


class Inexact(TypeError):
    """An array wouldn't come back as it was."""

    def __init__(self, why: str) -> None:
        super().__init__(f"an array would come back otherwise: {why}")


class Pickler(pickle.Pickler):
    """Writes arrays as their memory, out of band, and how they show it."""

    def __init__(self, file: Any) -> None:
        self.buffers: list[pickle.PickleBuffer] = []
        """What is written beside the pickle."""
        self.kept: dict[int, Any] = {}
        """What stays in memory beside it: what has a name, which may come to stand for something else."""
        super().__init__(file, protocol=5, buffer_callback=self.buffers.append)
        self._memory: dict[int, _Memory] = {}
        self._inner: dict[int, np.ndarray] = {}

    def persistent_id(self, value: Any) -> int | None:
        """The number of an object that stays in memory, which is no other one's while it is there."""
        if not has_name(value):
            return None
        self.kept[id(value)] = value
        return id(value)

    def reducer_override(self, value: Any) -> Any:
        """How arrays are written; and which of them pandas holds, where nobody sees whose they are."""
        kind = type(value)
        if kind is np.ndarray:
            return NotImplemented if value.dtype.hasobject else self._of_array(value)
        if kind is _Memory:
            return _same, (value.buffer,)
        if kind.__module__.partition(".")[0] == "pandas":
            self._inner.update((id(array), array) for array in _arrays_in(value))
        return NotImplemented

    def _of_array(self, array: np.ndarray) -> Any:
        if not is_exact_type(array.dtype):
            raise Inexact(f"its type is {array.dtype!r}")
        if id(array) in self._inner:
            return self._of_inner_array(array)
        if type(array.base) is np.ndarray:
            if array.flags.writeable and not array.base.flags.writeable:
                raise Inexact("it can be written to, and what it is a part of can't")
            return _view, (array.base, _distance(array, array.base), *_shape_of(array))
        if array.base is not None:
            return self._of_others_memory(array)
        if not array.flags.owndata or _steps(np.empty_like(array)) != _steps(array):
            raise Inexact("nobody knows how it was made")
        return _owner, (_buffer(_bytes_of(array), fixed=False), 0, *_shape_of(array))

    def _of_inner_array(self, array: np.ndarray) -> Any:
        """One that pandas holds: it may come back as a view, and without what lies beside it."""
        dense = array if _is_dense(array) else array.copy(order="K")
        memory = _buffer(_bytes_of(dense), fixed=_is_fixed(array))
        return _view, (memory, _offset(dense), array.dtype, array.shape, dense.strides, array.flags.writeable)

    def _of_others_memory(self, array: np.ndarray) -> Any:
        """One over memory that isn't an array's: that of bytes is written as a whole, since others may show it too."""
        owner = array.base
        while isinstance(owner, memoryview):
            owner = owner.obj
        if isinstance(owner, bytes | bytearray):
            whole = np.frombuffer(owner, np.uint8)
            memory = self._memory.setdefault(id(owner), _Memory(owner))
            if memory.buffer is None:
                memory.buffer = _buffer(whole, fixed=_is_fixed(array))
            return _view, (memory, _distance(array, whole), *_shape_of(array))
        if isinstance(array.base, np.ndarray):
            raise Inexact(f"it is a part of a {type(array.base).__name__}")
        if not _is_dense(array):
            start, end = byte_bounds(array)
            elements = _buffer(_bytes_of(array.copy()), fixed=False)
            return _with_gaps, (elements, end - start, _offset(array), *_shape_of(array))
        return _view, (_buffer(_bytes_of(array), fixed=_is_fixed(array)), _offset(array), *_shape_of(array))


class _Memory:
    """Memory of bytes that several arrays may show."""

    def __init__(self, owner: bytes | bytearray) -> None:
        self.owner = owner
        self.buffer: pickle.PickleBuffer | None = None


def is_exact_type(dtype: np.dtype) -> bool:
    """Whether a type of elements comes back as it was, with all that somebody has put beside it."""
    if dtype.hasobject or dtype.kind not in "?biufcmMSUV":
        return False
    beside = dtype.metadata or {}
    if not all(type(each) in (str, int, float, bool) for pair in beside.items() for each in pair):
        return False
    if dtype.subdtype is not None:
        return is_exact_type(dtype.subdtype[0])
    return all(is_exact_type(field[0]) for field in (dtype.fields or {}).values())


def byte_bounds(array: np.ndarray) -> tuple[int, int]:
    """Where the first and behind the last byte of an array is."""
    start = end = array.__array_interface__["data"][0]
    if not array.nbytes:
        return start, start
    for length, stride in zip(array.shape, array.strides, strict=True):
        reach = (length - 1) * stride
        start, end = start + min(reach, 0), end + max(reach, 0)
    return start, end + array.itemsize


def _arrays_in(value: Any) -> list[np.ndarray]:
    """The arrays that an object of pandas is made of."""
    blocks = getattr(getattr(value, "_mgr", None), "blocks", ())
    parts = [*getattr(value, "__dict__", {}).values(), *(block.values for block in blocks)]
    parts.append(getattr(value, "_ndarray", None))
    codes = getattr(value, "_codes", None)
    parts.extend(codes if isinstance(codes, list) else ())
    return [part for part in parts if type(part) is np.ndarray]


def _is_fixed(array: np.ndarray) -> bool:
    """Whether nobody can have it written to, though it may not be at the moment."""
    if array.flags.writeable:
        return False
    owner: Any = array
    while isinstance(owner, np.ndarray) and owner.base is not None:
        owner = owner.base
        if isinstance(owner, np.ndarray) and owner.flags.writeable:
            return False
    if isinstance(owner, np.ndarray):
        return not owner.flags.owndata
    return not isinstance(owner, bytearray) and not (isinstance(owner, memoryview) and not owner.readonly)


def _shape_of(array: np.ndarray) -> tuple[Any, ...]:
    return array.dtype, array.shape, array.strides, array.flags.writeable


def _distance(array: np.ndarray, other: np.ndarray) -> int:
    """How far behind the first byte of one array the first element of another is."""
    if not array.nbytes:
        return 0
    start, end = byte_bounds(other)
    first, last = byte_bounds(array)
    if not (start <= first and last <= end):
        raise Inexact("it reaches beyond what it is a part of")
    return first - start + _offset(array)


def _offset(array: np.ndarray) -> int:
    """How far behind the first byte of an array its first element is."""
    return array.__array_interface__["data"][0] - byte_bounds(array)[0] if array.nbytes else 0


def _is_dense(array: np.ndarray) -> bool:
    start, end = byte_bounds(array)
    return end - start == array.nbytes


def _bytes_of(array: np.ndarray) -> np.ndarray:
    """The memory that an array without gaps shows, from its first byte to its last."""
    if not array.nbytes:
        return np.empty(0, np.uint8)
    forward = array[(..., *(slice(None, None, -1 if stride < 0 else 1) for stride in array.strides))]
    order = sorted(range(forward.ndim), key=lambda axis: -forward.strides[axis])
    memory = forward.transpose(order).reshape(-1).view(np.uint8)
    if not _is_dense(array) or memory.__array_interface__["data"][0] != byte_bounds(array)[0]:
        raise Inexact("there are gaps in it")
    return memory


def _steps(array: np.ndarray) -> list[int]:
    """The strides along which there is another element."""
    return [stride for length, stride in zip(array.shape, array.strides, strict=True) if length > 1 and array.size]


def _buffer(memory: np.ndarray, *, fixed: bool) -> pickle.PickleBuffer:
    """What is written, and comes back as memory that can be written to unless it is fixed."""
    return pickle.PickleBuffer(memory if fixed or memory.flags.writeable else np.asarray(_Unlocked(memory)))


class _Unlocked:
    """Memory of an array that isn't to be written to at the moment."""

    def __init__(self, memory: np.ndarray) -> None:
        self._memory = memory
        interface = memory.__array_interface__
        self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}


def _same(memory: Any) -> Any:
    return memory


def _view(
    memory: Any, offset: int, dtype: np.dtype, shape: tuple[int, ...], strides: tuple[int, ...], writeable: bool
) -> np.ndarray:
    """An array that shows a part of memory."""
    if math.prod(shape) * dtype.itemsize:
        whole = _bytes_of(memory) if isinstance(memory, np.ndarray) else memory
        array = np.ndarray(shape, dtype, whole, offset, strides)
    else:
        nothing = np.empty(shape, dtype)
        nothing.flags.writeable = writeable
        array = nothing.view()
    if array.flags.writeable and not writeable:
        array.flags.writeable = False
    return array


def _owner(memory: Any, offset: int, dtype: np.dtype, shape: tuple[int, ...], *layout: Any) -> np.ndarray:
    """An array that owns its memory."""
    strides, writeable = layout
    array = copied(_view(memory, offset, dtype, shape, strides, True))
    array.flags.writeable = writeable
    return array


def _with_gaps(elements: Any, length: int, offset: int, dtype: np.dtype, *layout: Any) -> np.ndarray:
    """An array over memory of which it shows only parts."""
    shape, strides, writeable = layout
    array = _view(np.empty(length, np.uint8), offset, dtype, shape, strides, True)
    array[...] = np.ndarray(shape, dtype, elements)
    array.flags.writeable = writeable
    return array
