"""Ufuncs: functions of corresponding elements, native where the engine has a kernel and NumPy's elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_binary, array_has_ufunc, array_unary
from raskt.array.base.conversion import asarray
from raskt.array.base.registry import wrap
from raskt.array.blocks.map_blocks import elementwise
from raskt.array.elementwise.options import accumulate_by, call_with_options, reduce_by

if TYPE_CHECKING:
    from collections.abc import Callable

    from raskt.array._array import Array

__all__ = ["frompyfunc", "ufunc"]


class ufunc:
    """A function of corresponding elements, as NumPy's ufuncs are.

    Operands are arrays, anything array-like, or numbers; they are broadcast. ``out`` takes a raskt array, which becomes
    the result, or a NumPy array, which is written to; ``where`` picks the elements of ``out`` that are replaced;
    ``dtype`` is the type of the result and of the computation.

    >>> import raskt.array as ra
    >>> ra.add(ra.arange(3), 10).compute()
    array([10, 11, 12])
    >>> ra.multiply.outer(ra.arange(2), ra.arange(3)).compute()
    array([[0, 0, 0],
           [0, 1, 2]])
    """

    __slots__ = ("__dict__", "_engine_name", "_numpy")

    def __init__(self, name: str, numpy_function: Callable[..., Any] | None = None) -> None:
        self._numpy: Any = getattr(np, name) if numpy_function is None else numpy_function
        # The engine knows NumPy's other names, too.
        self._engine_name = name if array_has_ufunc(name) else None
        self.__name__ = self.__qualname__ = name
        self.__doc__ = _first_sentence(self._numpy, name)

    @property
    def is_native(self) -> bool:
        """Whether the engine has a kernel for it, so that it takes part in fusing."""
        return self._engine_name is not None

    @property
    def nin(self) -> int:
        """How many operands it takes."""
        return getattr(self._numpy, "nin", 1)

    @property
    def nout(self) -> int:
        """How many results it gives."""
        return getattr(self._numpy, "nout", 1)

    def __call__(self, *operands: Any, **kwargs: Any) -> Array:
        if kwargs:
            result: Array = call_with_options(self, operands, kwargs)
            return result
        if self._engine_name is not None:
            return self._native(operands)

        return elementwise(self._numpy, *operands)

    def _native(self, operands: tuple[Any, ...]) -> Array:
        name = str(self._engine_name)
        if len(operands) != self.nin:
            raise TypeError(f"{self.__name__}() takes {self.nin} operands, and {len(operands)} were given")
        if len(operands) == 1:
            x = operands[0]
            expr = array_unary(name, getattr(x, "__raskt_expr__", x))
        else:
            x, y = operands
            expr = array_binary(name, getattr(x, "__raskt_expr__", x), getattr(y, "__raskt_expr__", y))
        # Anything that has a NumPy form is taken, as NumPy does.
        return wrap(expr) if expr is not None else self._native(tuple(asarray(operand) for operand in operands))

    def outer(self, x: Any, y: Any, **kwargs: Any) -> Array:
        """The function of each element of ``x`` with each of ``y``; the axes of ``x`` come first."""
        x, y = asarray(x), asarray(y)
        return self(x.reshape(x.shape + (1,) * y.ndim), y, **kwargs)

    def reduce(self, x: Any, axis: Any = 0, **kwargs: Any) -> Array:
        """The reduction by this function: ``add.reduce`` is the sum."""
        result: Array = reduce_by(self.__name__, x, axis, kwargs)
        return result

    def accumulate(self, x: Any, axis: int = 0, **kwargs: Any) -> Array:
        """The running reduction by this function: ``add.accumulate`` is the running sum."""
        result: Array = accumulate_by(self.__name__, x, axis, kwargs)
        return result

    def __repr__(self) -> str:
        return f"<ufunc '{self.__name__}' of raskt.array>"

    def __reduce__(self) -> str:
        return self.__name__


def _first_sentence(function: Any, name: str) -> str:
    text = (getattr(function, "__doc__", None) or "").strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    sentence = next((line for line in lines if not line.startswith(name + "(") and "[, out]" not in line), "")
    return f"{sentence}\n\nSee :obj:`numpy.{name}`; the result is lazy."


def frompyfunc(func: Callable[..., Any], nin: int, nout: int) -> Callable[..., Any]:
    """A function of elements from a Python function of numbers; it runs in Python, element by element."""
    if nout != 1:
        raise NotImplementedError("frompyfunc with several results is not implemented")
    vectorised = np.vectorize(func)

    def function(*operands: Any) -> Array:
        if len(operands) != nin:
            raise TypeError(f"{func.__name__}() takes {nin} operands, and {len(operands)} were given")

        return elementwise(vectorised, *operands, name=getattr(func, "__name__", "frompyfunc"))

    return function
