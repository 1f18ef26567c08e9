"""Operators, and their methods of the same meaning, for everything that is elementwise."""

from __future__ import annotations

import operator
from typing import Any

from ..base.partitionwise import over_rows

#: The operators by the names that the native side has for operations.
FUNCTIONS = {
    **{name: getattr(operator, name) for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "xor")},
    **{name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "invert")},
    "and": operator.and_,
    "or": operator.or_,
    "abs": operator.abs,
}


def applied(operation: str, left: Any, right: Any, reflected: bool = False) -> Any:
    """An operator between rows, in pandas for each partition."""
    function = FUNCTIONS[operation]
    pair = (right, left) if reflected else (left, right)
    return over_rows(function, *pair, name=operation, plainly=True)


class Operators:
    """Python's operators in terms of `_binary(operation, other, reflected)` and `_unary(operation)`."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def _binary(self, operation: str, other: Any, reflected: bool = False) -> Any:
        raise NotImplementedError

    def _unary(self, operation: str) -> Any:
        raise NotImplementedError

    def __add__(self, other: Any) -> Any:
        return self._binary("add", other)

    def __radd__(self, other: Any) -> Any:
        return self._binary("add", other, True)

    def __sub__(self, other: Any) -> Any:
        return self._binary("sub", other)

    def __rsub__(self, other: Any) -> Any:
        return self._binary("sub", other, True)

    def __mul__(self, other: Any) -> Any:
        return self._binary("mul", other)

    def __rmul__(self, other: Any) -> Any:
        return self._binary("mul", other, True)

    def __truediv__(self, other: Any) -> Any:
        return self._binary("truediv", other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._binary("truediv", other, True)

    def __floordiv__(self, other: Any) -> Any:
        return self._binary("floordiv", other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._binary("floordiv", other, True)

    def __mod__(self, other: Any) -> Any:
        return self._binary("mod", other)

    def __rmod__(self, other: Any) -> Any:
        return self._binary("mod", other, True)

    def __pow__(self, other: Any) -> Any:
        return self._binary("pow", other)

    def __rpow__(self, other: Any) -> Any:
        return self._binary("pow", other, True)

    def __and__(self, other: Any) -> Any:
        return self._binary("and", other)

    def __rand__(self, other: Any) -> Any:
        return self._binary("and", other, True)

    def __or__(self, other: Any) -> Any:
        return self._binary("or", other)

    def __ror__(self, other: Any) -> Any:
        return self._binary("or", other, True)

    def __xor__(self, other: Any) -> Any:
        return self._binary("xor", other)

    def __rxor__(self, other: Any) -> Any:
        return self._binary("xor", other, True)

    def __eq__(self, other: Any) -> Any:
        return self._binary("eq", other)

    def __ne__(self, other: Any) -> Any:
        return self._binary("ne", other)

    def __lt__(self, other: Any) -> Any:
        return self._binary("lt", other)

    def __le__(self, other: Any) -> Any:
        return self._binary("le", other)

    def __gt__(self, other: Any) -> Any:
        return self._binary("gt", other)

    def __ge__(self, other: Any) -> Any:
        return self._binary("ge", other)

    def __neg__(self) -> Any:
        return self._unary("neg")

    def __pos__(self) -> Any:
        return self._unary("pos")

    def __abs__(self) -> Any:
        return self._unary("abs")

    def __invert__(self) -> Any:
        return self._unary("invert")


class OperatorMethods(Operators):
    """The methods `add`, `sub`, `lt` ... of frames and series, in terms of `_flexible`."""

    __slots__ = ()

    def _flexible(self, operation: str, other: Any, axis: Any, level: Any, fill: Any, reflected: bool = False) -> Any:
        raise NotImplementedError


def _method(name: str, operation: str, reflected: bool) -> Any:
    def method(self: Any, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Any:
        return self._flexible(operation, other, axis, level, fill_value, reflected)

    sign = f"other {operation} self" if reflected else f"self {operation} other"
    method.__name__ = name
    method.__qualname__ = f"OperatorMethods.{name}"
    method.__doc__ = f"Elementwise `{sign}`; `fill_value` stands for a value that is missing on one side only."
    return method


_ARITHMETIC = {
    "add": "add", "sub": "sub", "mul": "mul", "div": "truediv", "truediv": "truediv", "floordiv": "floordiv",
    "mod": "mod", "pow": "pow", "subtract": "sub", "multiply": "mul", "divide": "truediv",
}  # fmt: skip
for _name, _operation in _ARITHMETIC.items():
    setattr(OperatorMethods, _name, _method(_name, _operation, False))
    if _name not in ("subtract", "multiply", "divide"):
        setattr(OperatorMethods, f"r{_name}", _method(f"r{_name}", _operation, True))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(OperatorMethods, _name, _method(_name, _name, False))
