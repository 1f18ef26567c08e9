"""Parts of complex elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_unary
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.base.registry import wrap
from raskt.array.creation.constructors import zeros_like
from raskt.array.elementwise.ufuncs import arctan2

if TYPE_CHECKING:
    from raskt.array._array import Array

__all__ = ["angle", "imag", "iscomplex", "iscomplexobj", "isreal", "isrealobj", "real"]

_REAL = "Of the type of the parts, of the array's shape and chunks."
_BOOL = "Of bool, of the array's shape and chunks."


@documented(_REAL)
def real(val: Any) -> Array:
    """The real parts of the elements.

    >>> ra.real(ra.asarray([1 + 2j, 3])).compute()
    array([1., 3.])
    """
    return _part(val, "real")


@documented(_REAL)
def imag(val: Any) -> Array:
    """The imaginary parts of the elements; zeros of real ones.

    >>> ra.imag(ra.asarray([1 + 2j, 3])).compute()
    array([2., 0.])
    """
    return _part(val, "imag")


def _part(val: Any, name: str) -> Array:
    x = asarray(val)
    if x.dtype.kind != "c":
        return x if name == "real" else zeros_like(x)
    expr = array_unary(name, x.__raskt_expr__)
    assert expr is not None, "an array is a known operand"
    return wrap(expr)


@documented(
    "Floating, of the array's shape and chunks.",
    z="array_like: The array, of complex or real elements.",
    deg="bool: Whether angles are in degrees.",
)
def angle(z: Any, deg: bool = False) -> Array:
    """The angles of complex elements, in radians from -pi to pi, or in degrees.

    >>> ra.angle(ra.asarray([1, 1j, -1]), deg=True).compute()
    array([  0.,  90., 180.])
    """
    x = asarray(z)
    # The imaginary part of real numbers is Python's 0, which takes no part in the type.
    found = arctan2(imag(x), real(x)) if x.dtype.kind == "c" else arctan2(0, x)
    return found * (180 / np.pi) if deg else found


@documented(_BOOL)
def isreal(x: Any) -> Array:
    """Whether the imaginary part of each element is zero.

    >>> ra.isreal(ra.asarray([1 + 2j, 3])).compute()
    array([False,  True])
    """
    return imag(x) == 0


@documented(_BOOL)
def iscomplex(x: Any) -> Array:
    """Whether the imaginary part of each element is not zero.

    >>> ra.iscomplex(ra.asarray([1 + 2j, 3])).compute()
    array([ True, False])
    """
    return imag(x) != 0


@documented("As the type says; nothing is computed.", kind="bool")
def iscomplexobj(x: Any) -> bool:
    """Whether the elements are of a complex type.

    >>> ra.iscomplexobj(ra.ones(2)), ra.iscomplexobj(ra.asarray([1j]))
    (False, True)
    """
    return bool(asarray(x).dtype.kind == "c")


@documented("As the type says; nothing is computed.", kind="bool")
def isrealobj(x: Any) -> bool:
    """Whether the elements are of a type that is not complex.

    >>> ra.isrealobj(ra.ones(2)), ra.isrealobj(ra.asarray([1j]))
    (True, False)
    """
    return not iscomplexobj(x)
