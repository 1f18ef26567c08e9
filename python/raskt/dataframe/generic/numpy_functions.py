"""NumPy's functions of arrays, called with frames and series."""

from __future__ import annotations

from typing import Any

#: Functions that are methods by the same name, and those by another. With a frame, pandas' methods get `axis=None`.
METHODS = {
    "sum": "sum",
    "prod": "prod",
    "mean": "mean",
    "std": "std",
    "var": "var",
    "min": "min",
    "max": "max",
    "amin": "min",
    "amax": "max",
    "any": "any",
    "all": "all",
    "cumsum": "cumsum",
    "cumprod": "cumprod",
    "round": "round",
    "around": "round",
    "clip": "clip",
}
#: Arguments of NumPy that say where a result goes or of what type it is, if they are given.
ELSEWHERE = ("dtype", "out", "keepdims", "initial", "where", "mean")
#: Names of arguments that differ.
RENAMED = {"a": "self", "a_min": "lower", "a_max": "upper", "min": "lower", "max": "upper"}


def numpy_function(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """The method that a function of NumPy means; without one, the function of the computed values."""
    import inspect

    import numpy as np

    name = getattr(func, "__name__", "")
    if name not in METHODS or func.__module__ != "numpy":
        return func._implementation(*args, **kwargs)
    bound = inspect.signature(func).bind(*args, **kwargs).arguments
    told = {RENAMED.get(key, key): value for key, value in bound.items() if value is not np._NoValue}
    refused = [key for key in ELSEWHERE if told.pop(key, None) is not None]
    rows = told.pop("self")
    if refused or not hasattr(rows, "_expr"):
        raise NotImplementedError(
            f"np.{name}({refused}=) of a lazy object: call its method {METHODS[name]}, or compute"
        )
    if name in ("std", "var"):
        told.setdefault("ddof", 0)
    if name in ("cumsum", "cumprod"):
        told["axis"] = told.get("axis") or 0
    elif name not in ("round", "around", "clip"):
        told.setdefault("axis", None)
    return getattr(rows, METHODS[name])(**told)
