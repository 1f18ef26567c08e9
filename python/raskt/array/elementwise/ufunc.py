"""Ufuncs: functions of corresponding elements, native where the engine has a kernel and NumPy's elsewhere."""

from __future__ import annotations

import inspect
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_has_ufunc, array_unary
from raskt._documentation import compose
from raskt.array.base.arguments import NO_VALUE
from raskt.array.base.binary import binary
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import PRELUDE
from raskt.array.base.parameters import PARAMETERS
from raskt.array.base.registry import find_function, wrap
from raskt.array.blocks.map_blocks import elementwise
from raskt.array.elementwise.descriptions import DESCRIPTIONS
from raskt.array.elementwise.methods import accumulate_by, reduce_by
from raskt.array.elementwise.options import call_with_options

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from raskt.array._array import Array

__all__ = ["frompyfunc", "ufunc"]


class ufunc:
    """A function of corresponding elements, as NumPy's ufuncs are.

    Operands are arrays, anything array-like, or numbers; they are broadcast. What a call takes beside them is what
    NumPy's ufuncs take: ``out`` (a lazy array takes over the result, an ndarray gets its elements), ``where`` (which
    elements of ``out`` are replaced), ``casting``, ``dtype`` and ``signature``.

    Parameters
    ----------
    name : str
        The name of one of NumPy's ufuncs.
    numpy_function : callable, optional
        What computes it where the engine has no kernel; NumPy's function of that name if not given.

    Examples
    --------
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
        # The engine knows NumPy's other names, too; those of other libraries are none of its.
        self._engine_name = name if numpy_function is None and array_has_ufunc(name) else None
        self.__name__ = self.__qualname__ = name
        self.__signature__ = _signature_of(self._numpy)
        self.__doc__ = _documentation(name, self._numpy.__name__, self.__signature__)

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

    def __call__(
        self,
        *operands: Any,
        out: Any = None,
        where: Any = True,
        casting: str = "same_kind",
        order: str | None = "K",
        dtype: Any = None,
        subok: bool = True,
        signature: Any = None,
    ) -> Any:
        if len(operands) > self.nin:
            operands, out = operands[: self.nin], self._positional_out(operands[self.nin :], out)
        if len(operands) != self.nin:
            raise TypeError(f"{self.__name__}() takes {self.nin} operands, and {len(operands)} were given")
        plain = out is None and where is True and dtype is None and signature is None
        if plain and casting == "same_kind" and order == "K":
            return self._apply(*operands)
        return call_with_options(self._numpy, self._apply, operands, out, where, casting, order, dtype, signature)

    def _positional_out(self, outs: Sequence[Any], out: Any) -> Any:
        if len(outs) > self.nout:
            raise TypeError(f"{self.__name__}() takes {self.nin} operands and {self.nout} outputs at most")
        if out is not None:
            raise TypeError("cannot specify 'out' as both a positional and keyword argument")
        return (*outs, *[None] * (self.nout - len(outs)))

    def _apply(self, *operands: Any) -> Any:
        if self.nout > 1:
            if parts := _PARTS.get(self.__name__):
                return tuple(ufunc(part)(*operands) for part in parts)
            return tuple(
                elementwise(partial(_one_result, self._numpy, at), *operands, name=f"numpy.{self.__name__}")
                for at in range(self.nout)
            )
        if self._engine_name is None:
            return elementwise(self._numpy, *operands)
        return self._native(operands)

    def _native(self, operands: tuple[Any, ...]) -> Array:
        name = str(self._engine_name)
        if len(operands) == 1:
            x = operands[0]
            expr = array_unary(name, getattr(x, "__raskt_expr__", x))
        else:
            x, y = operands
            expr = binary(name, getattr(x, "__raskt_expr__", x), getattr(y, "__raskt_expr__", y))
        # Anything that has a NumPy form is taken, as NumPy does.
        return wrap(expr) if expr is not None else self._native(tuple(asarray(operand) for operand in operands))

    def outer(self, A: Any, B: Any, /, **kwargs: Any) -> Any:
        """The function of each element of ``A`` with each of ``B``; the axes of ``A`` come first."""
        x, y = asarray(A), asarray(B)
        return self(x.reshape(x.shape + (1,) * y.ndim), y, **kwargs)

    def reduce(
        self,
        array: Any,
        /,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = NO_VALUE,
        where: Any = True,
    ) -> Any:
        """The reduction by this function: ``add.reduce`` is the sum."""
        return reduce_by(self._numpy, array, axis, dtype, out, keepdims, initial, where)

    def accumulate(self, array: Any, /, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """The running reduction by this function: ``add.accumulate`` is the running sum."""
        return accumulate_by(self._numpy, array, axis, dtype, out)

    def __repr__(self) -> str:
        return f"<ufunc '{self.__name__}' of raskt.array>"

    def __reduce__(self) -> Any:
        is_named = find_function("numpy", self.__name__) is self
        return (find_function, ("numpy", self.__name__)) if is_named else self.__name__


#: Ufuncs of several results that are native ones beside each other.
_PARTS = {"divmod": ("floor_divide", "remainder")}


def _signature_of(function: Any) -> inspect.Signature:
    """The signature of a ufunc, as NumPy 2.4 gives it; those of older ones, and of other libraries, can't be read."""
    kind = inspect.Parameter
    operands = ["x"] if function.nin == 1 else [f"x{number}" for number in range(1, function.nin + 1)]
    options = {"where": True, "casting": "same_kind", "order": "K", "dtype": None, "subok": True, "signature": None}
    out = None if function.nout == 1 else (None,) * function.nout
    parameters = [kind(name, kind.POSITIONAL_ONLY) for name in operands]
    parameters.append(kind("out", kind.POSITIONAL_OR_KEYWORD, default=out))
    parameters += [kind(name, kind.KEYWORD_ONLY, default=default) for name, default in options.items()]
    return inspect.Signature(parameters)


def _one_result(function: Any, at: int, *operands: Any) -> Any:
    return function(*operands)[at]


#: What a ufunc gives, by the keys of the table of descriptions.
_RESULTS = {
    "P": "Of the type that NumPy promotes the operands' types to, of their broadcast shape.",
    "S": "Of the operand's type and shape, in its chunks.",
    "F": "Floating: of float64 for integers of 32 bits and more, else of the promoted type; of the broadcast shape.",
    "N": "Of uint8, of the operand's shape, in its chunks.",
    "B": "Of bool, of the broadcast shape.",
    "P2": "Two arrays of the promoted type and the broadcast shape.",
    "F2": "Two floating arrays of the operand's shape.",
    "M": "Mantissas of the operand's floating type, and exponents of int32.",
}
_PARAMETERS = {
    "x": "array_like: The operand.",
    "where": "array_like of bool: Which elements of `out` are replaced; `out` is needed with it.",
    "dtype": "data-type: The type that is computed with, and of the result.",
}
_SMALL = "of booleans and integers of 8 bits it computes in float32, since there are no blocks of float16."


def _documentation(name: str, known_as: str, signature: inspect.Signature) -> str:
    found = DESCRIPTIONS.get(name) or DESCRIPTIONS.get(known_as)
    if found is None:
        return f"`{name}` of elements, called on each block."
    runs = "natively" if array_has_ufunc(name) else "by NumPy on each block"
    call = f">>> ra.{name}({found.operands})"
    results = found.kind in ("P2", "F2", "M")
    example = f">>> [part.compute() for part in ra.{name}({found.operands})]\n" if results else f"{call}.compute()\n"
    shown = f"[{found.shown[1:-1]}]" if results else found.shown
    return compose(
        f"{found.summary}\n\nIt runs {runs}.\n\n{example}{shown}",
        signature,
        _RESULTS[found.kind],
        PARAMETERS,
        raises={
            "TypeError": "If the operands have no common type that it takes, or the result can't be cast to `out`.",
            "NotImplementedError": 'For `where` without `out`, for `order="F"`, and for types that have no blocks.',
        },
        differences=_SMALL if found.kind in ("F", "F2", "M") else None,
        kind="Array, Array" if results else "Array",
        parameters=_PARAMETERS,
        prelude=PRELUDE,
    )


def frompyfunc(func: Callable[..., Any], /, nin: int, nout: int, *, identity: Any = None) -> Callable[..., Any]:
    """A function of elements from a Python function of numbers; it runs in Python, element by element.

    Parameters
    ----------
    func : callable
        Takes ``nin`` numbers and gives one.
    nin : int
        How many operands there are.
    nout : int
        How many results there are; more than one isn't implemented.
    identity : object, optional
        What reducing by the function would begin with; not implemented.

    Returns
    -------
    callable
        Takes ``nin`` arrays and gives a lazy array of their broadcast shape.

    Raises
    ------
    NotImplementedError
        For several results, or an identity.

    Notes
    -----
    Differences from NumPy: the result has the data type that the function gives for ones, not ``object``. A result that
    this type can't hold is a ``TypeError`` when it is computed.

    Examples
    --------
    >>> import raskt.array as ra
    >>> ra.frompyfunc(lambda x, y: 10 * x + y, 2, 1)(ra.arange(3), 5).compute()
    array([ 5, 15, 25])
    """
    if nout != 1:
        raise NotImplementedError("`frompyfunc` with several results is not implemented: make a function for each")
    if identity is not None:
        raise NotImplementedError("`frompyfunc` with `identity` is not implemented: such functions don't reduce")
    name = getattr(func, "__name__", "frompyfunc")

    def function(*operands: Any) -> Array:
        if len(operands) != nin:
            raise TypeError(f"{name}() takes {nin} operands, and {len(operands)} were given")
        trial = [asarray(operand).dtype.type(1).item() for operand in operands]
        dtype = np.asarray(func(*trial)).dtype
        return elementwise(_Typed(func, nin, dtype), *operands, name=name, dtype=dtype)

    return function


class _Typed:
    """A function of numbers over blocks, whose results are of one type, or an error."""

    __slots__ = ("_called", "_dtype", "_function", "_name")

    def __init__(self, func: Callable[..., Any], nin: int, dtype: np.dtype[Any]) -> None:
        # NumPy's own object of it can't be pickled.
        self._called = (func, nin, dtype)
        self._function: Any = np.frompyfunc(func, nin, 1)
        self._name, self._dtype = getattr(func, "__name__", "frompyfunc"), dtype

    def __reduce__(self) -> Any:
        return _Typed, self._called

    def __call__(self, *blocks: Any) -> Any:
        objects = np.asarray(self._function(*blocks), dtype=object)
        found = objects.astype(self._dtype)
        for value, held in zip(objects.flat, found.flat, strict=True):
            if value != held and value == value:
                raise TypeError(f"{self._name}() gave {value!r}, which {self._dtype}, the type for ones, cannot hold")
        return found
