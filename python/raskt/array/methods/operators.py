"""Python's operators on arrays; each is one call into Rust."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_unary
from raskt.array.base.binary import binary
from raskt.array.base.out import SWAP, replaced
from raskt.array.linalg.products import matmul
from raskt.array.methods.foreign import with_foreign

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["Operators"]


def _unary(name: str) -> Callable[[Any], Array]:
    def operator(self: Array) -> Array:
        expr = array_unary(name, self.__raskt_expr__)
        assert expr is not None, "an array is a known operand"
        return self.__class__(expr)

    return operator


def _binary(name: str) -> Callable[[Any, Any], Array]:
    def operator(self: Array, other: Any) -> Array:
        expr = binary(name, self.__raskt_expr__, other)
        if expr is None:
            expr = with_foreign(name, self, other)
        return NotImplemented if expr is NotImplemented else self.__class__(expr)

    return operator


def _reflected(name: str) -> Callable[[Any, Any], Array]:
    def operator(self: Array, other: Any) -> Array:
        expr = binary(name, other, self.__raskt_expr__)
        if expr is None:
            expr = with_foreign(name, self, other, is_left=False)
        return NotImplemented if expr is NotImplemented else self.__class__(expr)

    return operator


def _in_place(name: str) -> Callable[[Any, Any], Array]:
    def operator(self: Array, other: Any) -> Array:
        while True:
            before = self.__raskt_expr__
            expr = binary(name, before, other)
            if expr is None:
                expr = with_foreign(name, self, other)
            if expr is NotImplemented:
                return NotImplemented
            with SWAP:
                if self.__raskt_expr__ is before:
                    return replaced(self, expr, name)

    return operator


#: Powers that NumPy's operator computes by another function than `power`, and another number or type comes out.
_POWERS = {("c", float, 0.5): "sqrt", ("c", int, -1): "reciprocal", ("c", int, 2): "square", ("b", int, 2): "square"}


def _function_of_power(array: Array, exponent: Any) -> str | None:
    kind = type(exponent)
    return _POWERS.get((array.dtype.kind, kind, exponent)) if kind in (int, float) else None


def _power(self: Array, other: Any) -> Array:
    name = _function_of_power(self, other)
    return _unary(name)(self) if name else _plain_power(self, other)


def _power_in_place(self: Array, other: Any) -> Array:
    name = _function_of_power(self, other)
    return replaced(self, _unary(name)(self).__raskt_expr__, "power") if name else _plain_power_in_place(self, other)


_plain_power, _plain_power_in_place = _binary("power"), _in_place("power")


def _matmul_in_place(self: Array, other: Any) -> Array:
    if not self.ndim or np.ndim(other) < 2:
        raise ValueError(
            "inplace matrix multiplication requires the first operand to have at least one and the second at "
            "least two dimensions."
        )
    while True:
        before = self.__raskt_expr__
        expr = matmul(self.__class__(before), other).__raskt_expr__
        with SWAP:
            if self.__raskt_expr__ is before:
                return replaced(self, expr, "matmul")


class Operators:
    """The operators that NumPy's arrays have.

    An operand that is no array, number or list of numbers is converted as NumPy does it, or refused. Where its own
    class may know what to do, they return ``NotImplemented``.
    """

    __slots__ = ()

    __add__, __radd__, __iadd__ = _binary("add"), _reflected("add"), _in_place("add")
    __sub__, __rsub__, __isub__ = _binary("subtract"), _reflected("subtract"), _in_place("subtract")
    __mul__, __rmul__, __imul__ = _binary("multiply"), _reflected("multiply"), _in_place("multiply")
    __truediv__, __rtruediv__, __itruediv__ = _binary("divide"), _reflected("divide"), _in_place("divide")
    __floordiv__, __rfloordiv__ = _binary("floor_divide"), _reflected("floor_divide")
    __ifloordiv__ = _in_place("floor_divide")
    __mod__, __rmod__, __imod__ = _binary("remainder"), _reflected("remainder"), _in_place("remainder")
    __pow__, __rpow__, __ipow__ = _power, _reflected("power"), _power_in_place
    __and__, __rand__, __iand__ = _binary("bitwise_and"), _reflected("bitwise_and"), _in_place("bitwise_and")
    __or__, __ror__, __ior__ = _binary("bitwise_or"), _reflected("bitwise_or"), _in_place("bitwise_or")
    __xor__, __rxor__, __ixor__ = _binary("bitwise_xor"), _reflected("bitwise_xor"), _in_place("bitwise_xor")
    __lshift__, __rlshift__, __ilshift__ = _binary("left_shift"), _reflected("left_shift"), _in_place("left_shift")
    __rshift__, __rrshift__ = _binary("right_shift"), _reflected("right_shift")
    __irshift__ = _in_place("right_shift")

    __lt__, __le__ = _binary("less"), _binary("less_equal")
    __gt__, __ge__ = _binary("greater"), _binary("greater_equal")
    __eq__ = _binary("equal")  # type: ignore[assignment]
    __ne__ = _binary("not_equal")  # type: ignore[assignment]
    # Equality makes an array, so that arrays are no keys of dictionaries; NumPy's are none either.
    __hash__ = None  # type: ignore[assignment]

    __neg__, __pos__, __abs__, __invert__ = _unary("negative"), _unary("positive"), _unary("absolute"), _unary("invert")

    def __divmod__(self, other: Any) -> tuple[Array, Array]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Array, Array]:
        return other // self, other % self

    def __matmul__(self, other: Any) -> Array:
        return matmul(self, other)

    def __rmatmul__(self, other: Any) -> Array:
        return matmul(other, self)

    __imatmul__ = _matmul_in_place
