"""Integers and truth values that may be missing, handed over to functions of partitions.

pandas has floats or objects of all of them as soon as one of all rows is missing, in every partition then. So what
functions of partitions get of such columns goes by what all rows tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .collection import is_collection, is_scalar
from .loosened import loosened
from .meta import columns_of, retypable
from .registry import wrap

#: Of how many columns one argument tells whether a value is missing.
COUNT = 50


def with_gaps(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A function that gets columns of the types that all of their rows give them, and its arguments without names."""
    places: list[tuple[int | str, int]] = []
    missing: list[Any] = []
    for place, rows in (*enumerate(args), *kwargs.items()):
        if not is_collection(rows) or is_scalar(rows):
            continue
        for at, column in retypable(rows):
            missing.append(column.unary("isna").reduce("any"))
            places.append((place, at))
    if not places:
        return function, args
    told = [bits_of(missing[at : at + COUNT]) for at in range(0, len(places), COUNT)]
    return WithGaps(function, places, len(told)), (*args, *told)


def bits_of(marks: list[Any]) -> Any:
    """Lazy truth values as the bits of one lazy integer."""
    bits = [wrap(mark.cast("int64")) * (1 << at) for at, mark in enumerate(marks)]
    return sum(bits[1:], bits[0])


class WithGaps:
    """A function that gets floats for integers, and objects for truth values, where it is told so; it can be sent to a
    worker process."""

    def __init__(self, function: Callable[..., Any], places: list[tuple[int | str, int]], untried: int) -> None:
        self.function, self.places = function, places
        #: How many of the last arguments without names tell of missing values, which takes all rows: trials do without.
        self.untried = untried

    def tried(self, *args: Any, **kwargs: Any) -> Any:
        """The result for a few rows, which are of the promised types already."""
        return getattr(self.function, "tried", self.function)(*args[: -self.untried], **kwargs)

    def learn(self, found: Any) -> None:
        """Tell the function what a trial gave, if it learns from that."""
        learn = getattr(self.function, "learn", None)
        if learn is not None:
            learn(found)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result of the function."""
        bits = [int(one) for one in args[-self.untried :]]
        positional: list[Any] = list(args[: -self.untried])
        loose: dict[int | str, list[int]] = {}
        for number, (place, at) in enumerate(self.places):
            if bits[number // COUNT] >> number % COUNT & 1:
                loose.setdefault(place, []).append(at)
        for place, columns in loose.items():
            if isinstance(place, str):
                kwargs[place] = loosened(kwargs[place], columns)
            else:
                positional[place] = loosened(positional[place], columns)
        return self.function(*positional, **kwargs)


#: What truth values among objects give other results for than those of their own type, beside others and alone.
OF_TWO = {"add", "sub", "mul"}
OF_ONE = {"neg", "pos", "invert", "abs", "diff", "replace", "quantile", "pct_change", "round"}


def refuse_were_missing(name: str, values: Iterable[Any]) -> None:
    """NotImplementedError for what pandas computes of truth values that were missing before rows were left out.

    They are objects there if one was missing, which only the rows that are gone tell, and compute as integers.
    """
    if name not in OF_ONE and name not in OF_TWO:
        return
    values = list(values)
    if name == "replace" and not any(may_equal_truth(value) for value in values[1:]):
        return
    truth = [are_truth(value) for value in values]
    if (name in OF_ONE or sum(map(bool, truth)) > 1) and any(any(one) for one in truth):
        raise NotImplementedError(
            f"`{name}` of truth values of which some may have been missing, before rows were left out or "
            "values filled: pandas has objects of them if one was, which compute as integers; convert them by "
            "astype(bool) first, or by astype(object) for integers"
        )


def may_equal_truth(value: Any) -> bool:
    """Whether an argument of `replace` may name what equals a truth value; or is a column of that name."""
    import numpy as np

    if isinstance(value, dict):
        return any(may_equal_truth(one) for pair in value.items() for one in pair)
    if isinstance(value, bool | int | float | complex | np.generic):
        return bool(value in (0, 1))
    if isinstance(value, str | bytes) or value is None:
        return False
    if isinstance(value, list | tuple | set | np.ndarray):
        return any(map(may_equal_truth, value))
    return True


def are_truth(value: Any) -> list[bool]:
    """For each column of truth values of an argument, whether some of them may have been missing."""
    if not is_collection(value):
        return [False] if isinstance(value, bool) or str(getattr(value, "dtype", "")) == "bool" else []
    if is_scalar(value):
        return [False] if value._expr.is_truth else []
    return [one.was_missing for one in columns_of(value) if getattr(one, "is_truth", False)]
