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


def refuse_by_position(caller: FrameType) -> None:
    """NotImplementedError if an array is asked for by such a function."""
    if place_of(caller) == CONVERSION and caller.f_back is not None:
        caller = caller.f_back
    if place_of(caller) in BY_POSITION:
        raise NotImplementedError(
            "a lazy object inside a pandas object: pandas would take its values by position and lose its labels; call "
            "compute() first, or make the pandas object lazy by from_pandas"
        )


def place_of(caller: FrameType) -> tuple[str, str]:
    """The module and the name of the function that a frame of the stack runs."""
    return caller.f_globals.get("__name__", ""), caller.f_code.co_name
