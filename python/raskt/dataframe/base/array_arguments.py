"""Lazy arrays among the arguments of functions that read them as no array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from raskt._core import ArrayExpr


def is_lazy_array(value: Any) -> bool:
    """Whether a value is an array of `raskt.array`."""
    return isinstance(getattr(value, "__raskt_expr__", None), ArrayExpr)


def refuse_lazy_arrays(
    function: Callable[..., Any], args: Any, kwargs: dict[str, Any], name: str, few: Callable[[Any], Any]
) -> None:
    """An error if a lazy array is among the arguments of a function of pandas that would read it as an object.

    What pandas says of arrays there, or NotImplementedError if it takes them. `few` gives the rows that stand for any
    other argument.
    """
    given = [*args, *kwargs.values()]
    several = [one for value in given if isinstance(value, list | tuple) for one in value]
    if not any(map(is_lazy_array, (*given, *several))):
        return
    stand_in = lambda value: example_of(value) if is_lazy_array(value) else few(value)
    try:
        function(*map(stand_in, args), **{key: stand_in(value) for key, value in kwargs.items()})
    except (TypeError, AttributeError):
        raise
    except Exception:  # of made-up rows, so that it says little
        pass
    raise NotImplementedError(
        f"`{name}` with a lazy array: make it a column by `frame.assign(c=array)` and pass that, make it a series of "
        "its own by raskt.dataframe.from_array, or compute it first"
    )


def example_of(array: Any) -> Any:
    """An array in memory of the type of a lazy one, with two rows."""
    import numpy as np

    return np.ones((2,) * min(array.ndim, 1) + tuple(1 for _ in array.shape[1:]), array.dtype)
