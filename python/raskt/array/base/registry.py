"""The class of arrays and the functions that NumPy's protocols look up, known by name to files that come before them.

Functions make arrays and the methods of arrays call functions. So that neither file imports the other, functions make
arrays by :func:`wrap`; the class, which comes last, enters itself here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import TypeGuard

    from raskt._core import ArrayExpr
    from raskt.array._array import Array

__all__ = ["find_function", "is_array", "is_array_class", "register_array", "register_functions", "wrap"]

_array_class: type[Any]
_functions: dict[str, dict[str, Any]] = {}


def register_array(kind: type[Array]) -> None:
    """Make `kind` the class of all arrays."""
    global _array_class
    _array_class = kind


def wrap(expr: ArrayExpr) -> Array:
    """The array of an expression."""
    made: Array = _array_class(expr)
    return made


def is_array(x: Any) -> TypeGuard[Array]:
    """Whether `x` is a lazy array."""
    return isinstance(x, _array_class)


def is_array_class(kind: type[Any]) -> bool:
    """Whether `kind` is the class of lazy arrays."""
    return issubclass(kind, _array_class)


def register_functions(module: str, functions: dict[str, Any]) -> None:
    """Offer the namesakes of the functions in a module of NumPy (``"numpy"``, ``"numpy.linalg"``)."""
    _functions[module] = functions


def find_function(module: str, name: str) -> Any:
    """The namesake of a function of NumPy's, or ``None``."""
    return _functions.get(module, {}).get(name)
