"""NumPy's protocols: what `np.sqrt(x)`, `np.mean(x)` and `np.add(x, y, out=z)` do with raskt arrays."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from raskt._errors import Unsupported
from raskt.array.base.conversion import asarray
from raskt.array.base.lengths import shapes_differ
from raskt.array.base.registry import find_function, is_array, is_array_class
from raskt.array.elementwise.floating import allclose
from raskt.array.elementwise.ufunc import ufunc as Ufunc
from raskt.array.linalg.decompositions import svd

if TYPE_CHECKING:
    from collections.abc import Sequence


__all__ = ["call_function", "call_ufunc"]


def call_ufunc(ufunc: np.ufunc, method: str, inputs: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """What `Array.__array_ufunc__` answers."""
    if not all(_is_known(operand) for operand in (*inputs, *kwargs.get("out", ()))):
        return NotImplemented
    name = ufunc.__name__
    function: Any = find_function("numpy", name) if getattr(np, name, None) is ufunc else None
    if name == "matmul" and method == "__call__":
        return function(*inputs, **kwargs)
    if not isinstance(function, Ufunc):
        function = _foreign(ufunc)
    if method not in ("__call__", "outer", "reduce", "accumulate"):
        raise NotImplementedError(f"`numpy.{name}.{method}` of raskt arrays is not implemented: use `map_blocks`")
    return getattr(function, method)(*inputs, **kwargs)


def _foreign(ufunc: np.ufunc) -> Ufunc:
    """A ufunc that is not NumPy's own (SciPy has many): called on each block."""
    if ufunc.signature is not None or ufunc.nout != 1:
        raise NotImplementedError(
            f"`{ufunc.__name__}` of raskt arrays is not implemented: compute them first, or use `map_blocks`"
        )
    return Ufunc(ufunc.__name__, ufunc)


def _is_known(operand: Any) -> bool:
    """Whether it is an array, or what NumPy makes one of; a class with this protocol may know better what to do."""
    kind = type(operand)
    return is_array(operand) or not hasattr(kind, "__array_ufunc__") or isinstance(operand, (np.ndarray, np.generic))


def call_function(function: Any, types: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """What `Array.__array_function__` answers: our function of the same name, or `NotImplemented` (a TypeError)."""
    if not all(is_array_class(kind) or issubclass(kind, np.ndarray) for kind in types):
        return NotImplemented
    ours = _SPECIAL.get(function) or _find(function)
    if ours is None:
        raise Unsupported(
            f"raskt.array has no `{function.__module__}.{function.__name__}`: compute the arrays first, or call it on "
            "each block by `map_blocks`"
        )
    return ours(*args, **{key: value for key, value in kwargs.items() if value is not np._NoValue})


def _find(function: Any) -> Any:
    """The function with the same name in the module of ours that has the name of NumPy's."""
    module = ".".join(word for word in function.__module__.split(".") if not word.startswith("_"))
    found = find_function(module, function.__name__)
    return found if callable(found) and function.__name__ not in _HIDDEN else None


#: Names that mean something else here than in NumPy.
_HIDDEN = {"from_array", "store", "map_blocks", "compute"}


def _shape(a: Any) -> tuple[int, ...]:
    return a.shape  # type: ignore[no-any-return]


def _size(a: Any, axis: int | tuple[int, ...] | None = None) -> int:
    if axis is None:
        return a.size  # type: ignore[no-any-return]
    return math.prod(a.shape[at] for at in normalize_axis_tuple(axis, a.ndim))


def _amax(a: Any, axis: Any = None, **options: Any) -> Any:
    return find_function("numpy", "max")(a, axis, **options)


def _amin(a: Any, axis: Any = None, **options: Any) -> Any:
    return find_function("numpy", "min")(a, axis, **options)


def _svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    return svd(a, full_matrices, compute_uv, hermitian)


def _copy(a: Any, order: str = "K", subok: bool = False) -> Any:
    return a.copy(order)


def _allclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> bool:
    return bool(allclose(a, b, rtol, atol, equal_nan))


def _array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    """NumPy promises a `bool`, so that it is computed."""

    x, y = asarray(a1), asarray(a2)
    if shapes_differ(x.shape, y.shape):
        return False
    same = x == y
    return bool((same | ((x != x) & (y != y)) if equal_nan else same).all())


_SPECIAL: dict[Any, Any] = {
    np.shape: _shape,
    np.ndim: lambda a: a.ndim,
    np.size: _size,
    np.amax: _amax,
    np.amin: _amin,
    np.max: _amax,
    np.min: _amin,
    np.copy: _copy,
    np.linalg.svd: _svd,
    np.allclose: _allclose,
    np.array_equal: _array_equal,
}
