"""NumPy's protocols: what `np.sqrt(x)`, `np.mean(x)` and `np.add(x, y, out=z)` do with raskt arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raskt.array._array import Array
from raskt.array._operators import replaced

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from raskt.array._ufunc import ufunc as Ufunc

__all__ = ["accumulate_by", "call_function", "call_ufunc", "call_with_options", "reduce_by", "write_out"]

#: What reducing by a ufunc is called.
_REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}
_RUNNING = {"add": "cumsum", "multiply": "cumprod"}


def call_ufunc(ufunc: np.ufunc, method: str, inputs: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """What `Array.__array_ufunc__` answers."""
    if not all(_is_known(operand) for operand in (*inputs, *kwargs.get("out", ()))):
        return NotImplemented
    import raskt.array as ra

    name = ufunc.__name__
    if method == "reduce":
        return reduce_by(name, inputs[0], kwargs.pop("axis", 0), kwargs)
    if method == "accumulate":
        return accumulate_by(name, inputs[0], kwargs.pop("axis", 0), kwargs)
    function: Any = getattr(ra, name, None) if getattr(np, name, None) is ufunc else None
    if method == "outer" and hasattr(function, "outer"):
        return function.outer(*inputs, **kwargs)
    if method != "__call__":
        raise NotImplementedError(f"`numpy.{name}.{method}` of raskt arrays is not implemented")
    if function is None:
        function = _foreign(ufunc)
    if name == "matmul":
        (out,) = kwargs.pop("out", (None,))
        return function(*inputs, out=out, **kwargs)
    return call_with_options(function, inputs, kwargs) if kwargs else function(*inputs)


def _foreign(ufunc: np.ufunc) -> Callable[..., Any]:
    """A ufunc that is not NumPy's own (SciPy has many): called on each block."""
    from raskt.array._blocks import elementwise

    if ufunc.signature is not None or ufunc.nout != 1:
        raise NotImplementedError(
            f"`{ufunc.__name__}` of raskt arrays is not implemented: compute them first, or use `map_blocks`"
        )
    return lambda *operands: elementwise(ufunc, *operands, name=ufunc.__name__)


def _is_known(operand: Any) -> bool:
    """Whether it is an array or a number; another class may know better what to do with us."""
    return operand is None or isinstance(
        operand, (Array, np.ndarray, np.generic, bool, int, float, complex, list, tuple)
    )


def call_with_options(function: Ufunc | Callable[..., Any], operands: Sequence[Any], options: dict[str, Any]) -> Any:
    """A ufunc with the options that NumPy's ufuncs have."""
    options = {key: value for key, value in options.items() if key not in ("order", "subok", "casting")}
    out, where, dtype = options.pop("out", None), options.pop("where", True), options.pop("dtype", None)
    if options:
        raise TypeError(f"{function.__name__}() takes no argument `{next(iter(options))}`")
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if isinstance(out, tuple):
        raise NotImplementedError(f"{function.__name__}() with several `out` arrays is not implemented")
    if dtype is not None:
        operands = [_converted(operand, dtype) for operand in operands]
    result = function(*operands)
    if dtype is not None and result.dtype != np.dtype(dtype) and result.dtype != bool:
        result = result.astype(dtype)
    if where is not True:
        if out is None:
            raise NotImplementedError("`where` without `out` would leave elements undefined: use `raskt.array.where`")
        from raskt.array._elementwise import where as choose

        result = choose(where, result, out)
    return result if out is None else write_out(result, out)


def _converted(operand: Any, dtype: Any) -> Any:
    from raskt.array._creation import asarray

    return operand if type(operand) in (bool, int, float, complex) else asarray(operand).astype(dtype)


def write_out(result: Array, out: Any) -> Any:
    """Make `out` the result: a raskt array takes over its expression, a NumPy array its computed elements."""
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if isinstance(out, np.ndarray):
        if out.shape != result.shape:
            raise ValueError(f"`out` has shape {out.shape}, and the result {result.shape}")
        np.copyto(out, result.compute(), casting="same_kind")
        return out
    if not isinstance(out, Array):
        raise TypeError(f"`out` must be an array, not {type(out).__name__}")
    return replaced(out, result.__raskt_expr__, "out")


def reduce_by(name: str, x: Any, axis: Any, options: dict[str, Any]) -> Any:
    """`numpy.add.reduce` is a sum, and so on."""
    if name not in _REDUCTIONS:
        raise NotImplementedError(f"`{name}.reduce` of raskt arrays is not implemented")
    options = {key: value for key, value in options.items() if value is not None and value is not np._NoValue}
    if options.pop("where", True) is not True or "initial" in options:
        raise NotImplementedError(f"`{name}.reduce` with `where` or `initial` is not implemented")
    import raskt.array as ra

    return getattr(ra, _REDUCTIONS[name])(x, axis=axis, **options)


def accumulate_by(name: str, x: Any, axis: int, options: dict[str, Any]) -> Any:
    """`numpy.add.accumulate` is a running sum."""
    if name not in _RUNNING:
        raise NotImplementedError(f"`{name}.accumulate` of raskt arrays is not implemented")
    import raskt.array as ra

    return getattr(ra, _RUNNING[name])(
        x, axis=axis, **{key: value for key, value in options.items() if value is not None}
    )


def call_function(function: Any, types: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """What `Array.__array_function__` answers: our function of the same name, or `NotImplemented` (a TypeError)."""
    if not all(issubclass(kind, (Array, np.ndarray)) for kind in types):
        return NotImplemented
    ours = _SPECIAL.get(function) or _find(function)
    if ours is None:
        raise TypeError(
            f"raskt.array has no `{function.__module__}.{function.__name__}`: compute the arrays first, or call it on "
            "each block by `map_blocks`"
        )
    return ours(*args, **{key: value for key, value in kwargs.items() if value is not np._NoValue})


def _find(function: Any) -> Any:
    """The function with the same name in the module of ours that has the name of NumPy's."""
    import raskt.array as ra

    module: Any = ra
    for word in function.__module__.split(".")[1:]:
        if not word.startswith("_"):
            module = getattr(module, word, None)
    found = getattr(module, function.__name__, None)
    return found if callable(found) and function.__name__ not in _HIDDEN else None


#: Names that mean something else here than in NumPy.
_HIDDEN = {"from_array", "store", "map_blocks", "compute"}


def _shape(a: Any) -> tuple[int, ...]:
    return a.shape  # type: ignore[no-any-return]


def _size(a: Any, axis: int | None = None) -> int:
    return a.size if axis is None else a.shape[axis]  # type: ignore[no-any-return]


def _amax(a: Any, axis: Any = None, **options: Any) -> Any:
    from raskt.array._functions import max

    return max(a, axis, **options)


def _amin(a: Any, axis: Any = None, **options: Any) -> Any:
    from raskt.array._functions import min

    return min(a, axis, **options)


def _svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    from raskt.array import linalg

    if full_matrices and compute_uv and a.shape[0] != a.shape[1]:
        raise NotImplementedError("the full matrices of an SVD are not implemented: pass `full_matrices=False`")
    found = linalg.svd(a)
    return found if compute_uv else found[1]


def _copy(a: Any, **options: Any) -> Any:
    return a.copy()


def _allclose(a: Any, b: Any, **options: Any) -> bool:
    from raskt.array._elementwise import allclose

    return bool(allclose(a, b, **options))


def _array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    """NumPy promises a `bool`, so that it is computed."""
    from raskt.array._creation import asarray

    x, y = asarray(a1), asarray(a2)
    if x.shape != y.shape:
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
