"""What `agg` is told, as a list of single aggregations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.labels import TUPLE, encode_label, levels_of

#: Aggregations that the native side has.
NATIVE = (
    "sum",
    "mean",
    "min",
    "max",
    "count",
    "size",
    "std",
    "var",
    "median",
    "nunique",
    "first",
    "last",
    "prod",
    "any",
    "all",
)
#: Aggregations that pandas does on the gathered rows.
PANDAS = ("idxmax", "idxmin", "sem", "skew", "kurt", "quantile", "mode", "unique", "ohlc", "describe")
#: NumPy's functions that give of a column what the aggregation of their name does.
#:
#: Python's don't, which know nothing of missing values; nor do `std` and `var`, which NumPy divides by another number,
#: and `median`, which is NaN there if any value is.
NUMPY = ("sum", "min", "max", "mean", "prod")


class Aggregation:
    """An aggregation of one's own: `chunk` of the groups, `agg` of its results, `finalize` of those.

    Examples
    --------
    >>> import raskt.dataframe as rd
    >>> spread = rd.Aggregation("spread", lambda g: (g.min(), g.max()), lambda low, high: (low.min(), high.max()),
    ...                         lambda low, high: high - low)
    >>> import pandas as pd
    >>> df = rd.from_pandas(pd.DataFrame({"k": ["a", "a", "b"], "x": [1, 5, 3]}), npartitions=2)
    >>> df.groupby("k").x.agg(spread).compute().tolist()
    [4, 0]
    """

    def __init__(
        self, name: str, chunk: Callable[..., Any], agg: Callable[..., Any], finalize: Callable[..., Any] | None = None
    ) -> None:
        self.__name__ = name
        self.chunk = chunk
        self.agg = agg
        self.finalize = finalize

    def of_groups(self, grouped: Any) -> Any:
        """The aggregate of a pandas series group-by."""
        chunks = self.chunk(grouped)
        chunks = chunks if isinstance(chunks, tuple) else (chunks,)
        # Each group has a row, and is to keep it.
        kept = {"sort": False, "observed": True, "dropna": False}
        by_key = [part.groupby(levels_of(part.index), **kept) for part in chunks]
        merged = self.agg(*by_key)
        merged = merged if isinstance(merged, tuple) else (merged,)
        return self.finalize(*merged) if self.finalize else merged[0]


class One:
    """One aggregation: the name of its result, the column it reads, what is done, and options."""

    __slots__ = ("column", "function", "options", "output")

    def __init__(self, output: str, column: str, function: Any, options: dict[str, Any] | None = None) -> None:
        self.output = output
        self.column = column
        self.function = function
        self.options = options or {}

    @property
    def is_native(self) -> bool:
        """Whether the native side has it."""
        return isinstance(self.function, str) and self.function in NATIVE


def function_of(func: Any) -> Any:
    """A name for a function that means one, otherwise the function; AttributeError for an unknown name."""
    if isinstance(func, str):
        if func not in NATIVE and func not in PANDAS:
            from difflib import get_close_matches

            near = get_close_matches(func, [*NATIVE, *PANDAS], 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise AttributeError(f"{func!r} is not an aggregation{hint} (there are {', '.join(NATIVE + PANDAS)})")
        return func
    if isinstance(func, Aggregation):
        return func
    if not callable(func):
        raise TypeError(f"an aggregation is a name, a function or an Aggregation, not {func!r}")
    module, name = getattr(func, "__module__", "") or "", getattr(func, "__name__", "")
    return name if module.partition(".")[0] == "numpy" and name in NUMPY else func


def label_of(func: Any) -> str:
    """How the result of a function in a list is called."""
    return func if isinstance(func, str) else getattr(func, "__name__", type(func).__name__)


def parse(func: Any, named: dict[str, Any], values: list[str], as_series: bool) -> list[One]:
    """The single aggregations that the arguments of `agg` mean, for the value columns `values`."""
    if func is None:
        if not named:
            raise TypeError("Must provide 'func' or tuples of '**kwargs'.")
        return [_named(output, what, values, as_series) for output, what in named.items()]
    if isinstance(func, dict):
        if as_series:
            raise NotImplementedError("a dictionary for one column: name results by keywords, as in agg(total='sum')")
        return _of_dictionary(func)
    if isinstance(func, list | tuple):
        if as_series:
            return _unique([One(label, values[0], function_of(one)) for label, one in map(_labelled, func)])
        return _unique([_nested(column, one) for column in values for one in func])
    return [One(column, column, function_of(func)) for column in values]


def _of_dictionary(func: dict[Any, Any]) -> list[One]:
    several = any(isinstance(what, list | tuple) for what in func.values())
    result = []
    for label, what in func.items():
        column = encode_label(label)
        if several:
            if isinstance(what, list | tuple) and not what:
                raise NotImplementedError(f"agg of the column {label!r} by an empty list: leave the column out")
            result += [_nested(column, one) for one in (what if isinstance(what, list | tuple) else [what])]
        else:
            result.append(One(column, column, function_of(what)))
    return _unique(result)


def _nested(column: str, func: Any) -> One:
    label, func = _labelled(func)
    return One(f"{column}{TUPLE}{label}", column, function_of(func))


def _labelled(func: Any) -> tuple[str, Any]:
    """The label and the function of one entry of a list: a function, or a pair of both."""
    label, func = func if isinstance(func, list | tuple) else (label_of(func), func)
    return encode_label(label), func


def _named(output: str, what: Any, values: list[str], as_series: bool) -> One:
    if as_series:
        if isinstance(what, tuple):
            raise TypeError(f"func is expected but received tuple in **kwargs for {output!r}")
        return One(output, values[0], function_of(what))
    if hasattr(what, "column") and hasattr(what, "aggfunc"):  # pandas.NamedAgg
        what = (what.column, what.aggfunc)
    if not isinstance(what, tuple) or len(what) != 2:
        raise TypeError("Must provide 'func' or tuples of '**kwargs'.")
    return One(output, encode_label(what[0]), function_of(what[1]))


def _unique(ones: list[One]) -> list[One]:
    # pandas numbers lambdas, and is handed all that it was told of if there are any.
    own = any(isinstance(one.function, Aggregation) for one in ones)
    outputs = [one.output for one in ones if own or getattr(one.function, "__name__", "") != "<lambda>"]
    twice = next((name for name in outputs if outputs.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"Function names must be unique, found multiple named {twice.rsplit(TUPLE, 1)[-1]}")
    return ones
