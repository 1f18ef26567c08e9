"""Where pandas takes the values of an object that it doesn't know by position, though the object has labels."""

from __future__ import annotations

from types import FrameType

#: Functions of pandas that put such values beside labels of their own: `frame.assign(z=lazy)`, `Series(lazy)`...
BY_POSITION = {
    ("pandas.core.construction", "sanitize_array"),
    ("pandas.core.frame", "__init__"),
    ("pandas.core.frame", "dot"),
    ("pandas.core.series", "dot"),
    ("pandas.core.generic", "_where"),
    ("pandas.core.internals.blocks", "setitem"),
}
#: What they leave the conversion to; others have it, too, and mean values alone.
CONVERSION = ("pandas.core.common", "asarray_tuplesafe")
#: The modules of functions that pandas' users call with values, and that give values for them without their labels:
#: `pandas.to_datetime`, `pandas.cut`, `pandas.isna`, and classes of values.
VALUE_BY_VALUE = (
    "pandas.core.tools.",
    "pandas.core.reshape.",
    "pandas.core.dtypes.missing",
    "pandas.core.indexes.",
    "pandas.core.arrays.",
    "pandas.core.construction",
)
#: Methods of these classes, whose arguments are values to look for.
LOOKED_FOR = {
    "isin",
    "searchsorted",
    "get_indexer",
    "get_indexer_for",
    "reindex",
    "difference",
    "intersection",
    "union",
}


def refuse_by_position(caller: FrameType) -> None:
    """NotImplementedError if the values of lazy rows are asked for by a function of pandas that loses their labels."""
    if place_of(caller) == CONVERSION and caller.f_back is not None:
        caller = caller.f_back
    if place_of(caller) in BY_POSITION:
        raise NotImplementedError(
            "a lazy object inside a pandas object: pandas would take its values by position and lose its labels; call "
            "compute() first, or make the pandas object lazy by from_pandas"
        )
    entry = entry_of(caller)
    if entry is not None and place_of(entry)[0].startswith(VALUE_BY_VALUE) and entry.f_code.co_name not in LOOKED_FOR:
        called = name_of(entry)
        raise NotImplementedError(
            f"pandas' {called} of a lazy object: pandas would take its values by position and lose its labels; "
            f"{instead_of(called)}"
        )


def entry_of(caller: FrameType) -> FrameType | None:
    """The function of pandas that was called from outside of pandas and asks for values; None if it isn't pandas."""
    entry, at = None, caller
    while at is not None and place_of(at)[0].partition(".")[0] == "pandas":
        entry, at = at, at.f_back  # type: ignore[assignment]
    return entry


def name_of(entry: FrameType) -> str:
    """The name of a function, or of the class that is made, of which a frame of the stack is the call."""
    name, first = entry.f_code.co_name, entry.f_code.co_varnames[:1]
    made = entry.f_locals.get(first[0]) if first and first[0] in ("self", "cls") else None
    if made is None:
        return name
    kind = made.__name__ if isinstance(made, type) else type(made).__name__
    return kind if name in ("__new__", "__init__") else f"{kind}.{name}"


def instead_of(called: str) -> str:
    """What to call instead."""
    import raskt.dataframe

    name = {"isnull": "isna", "notnull": "notna"}.get(called, called)
    if name.islower() and hasattr(raskt.dataframe, name):
        return f"call raskt.dataframe.{name}, or compute() first"
    if name.islower() and hasattr(raskt.dataframe.Series, name):
        return f"call its method {name}, or compute() first"
    return "call compute() first, or map_partitions with such a function"


def place_of(caller: FrameType) -> tuple[str, str]:
    """The module and the name of the function that a frame of the stack runs."""
    return caller.f_globals.get("__name__", ""), caller.f_code.co_name
