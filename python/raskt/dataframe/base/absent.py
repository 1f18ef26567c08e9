"""What is said of attributes that pandas has and raskt has not."""

from __future__ import annotations

from typing import Any


def absent(owner: Any, name: str) -> AttributeError:
    """The error for an attribute of a lazy object, by whether the pandas object that it stands for has it."""
    kind = type(owner).__name__
    if name == "__finalize__":
        return AttributeError(
            "a function of pandas takes no lazy object: call the function or the method of raskt by its name, or "
            "compute() first",
            name=name,
            obj=owner,
        )
    counterpart = None if name.startswith("_") else counterpart_of(kind)
    if counterpart is None or not hasattr(counterpart, name):
        return AttributeError(f"{kind!r} object has no attribute {name!r}", name=name, obj=owner)
    return AttributeError(
        f"{kind!r} object has no attribute {name!r}: raskt has no `{kind}.{name}` yet, which pandas has; call "
        "compute() first, or map_partitions with a function that calls it where each partition is enough for it",
        name=name,
        obj=owner,
    )


def own_or_absent(owner: Any, name: str) -> Any:
    """For `__getattr__`: the error of a property of the class that raised one, else that of an absent attribute."""
    if hasattr(type(owner), name):
        return object.__getattribute__(owner, name)
    raise absent(owner, name)


def counterpart_of(kind: str) -> Any:
    """The class of pandas that a class of such a name stands for."""
    import pandas as pd

    accessors = {"StringMethods": pd.Series.str, "DatetimeMethods": pd.Series.dt, "CategoricalMethods": pd.Series.cat}
    return accessors.get(kind) or getattr(pd, kind, None) or getattr(pd.api.typing, kind, None)
