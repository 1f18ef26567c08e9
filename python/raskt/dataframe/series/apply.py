"""Methods of series that work on each value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.collection import native
from ..base.meta import empty
from ..base.partitionwise import over_rows
from ..base.registry import wrap
from ..base.whole import is_foreign, over_whole
from ..generic.alignment import Named
from ..generic.elementwise import Elementwise


class SeriesValues(Elementwise):
    """The part of `Series` about values."""

    __slots__ = ()

    def between(self, left: Any, right: Any, inclusive: Any = "both") -> Any:
        """True where a value lies between two others; `inclusive`: both, neither, left or right."""
        if inclusive not in ("both", "neither", "left", "right"):
            raise ValueError(f"inclusive must be 'both', 'neither', 'left' or 'right', not {inclusive!r}")
        call = lambda rows, low, high: rows.between(low, high, inclusive)
        return self._native_or_pandas(
            lambda: wrap(self._expr.between(native(left), native(right), inclusive)), call, left, right, name="between"
        )

    def map(self, arg: Any, na_action: Any = None, meta: Any = None) -> Any:
        """Values replaced as a dictionary, a pandas series or a function says; missing where it has no answer.

        Dictionaries run natively, functions in pandas for each partition.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> rd.from_pandas(pd.Series([1, 2]), npartitions=1).map({1: "one", 2: "two"}).compute().tolist()
        ['one', 'two']
        """
        call = lambda s: s.map(arg, na_action=na_action)
        if isinstance(arg, dict) and not hasattr(arg, "__missing__") and meta is None and na_action is None:
            return self._native_or_pandas(
                lambda: wrap(self._expr.map_values(list(arg), list(arg.values()))),
                call,
                name="map",
                meta=mapped_values(empty(self), arg),
            )
        return over_rows(call, self, name="map", meta=meta)

    def apply(
        self, function: Callable[..., Any], convert_dtype: Any = None, meta: Any = None, args: Any = (), **kwargs: Any
    ) -> Any:
        """A function of each value, in pandas for each partition."""
        return over_rows(lambda s: s.apply(function, args=args, **kwargs), self, name="apply", meta=meta)

    def case_when(self, caselist: list[Any]) -> Any:
        """Values replaced where a condition holds; the first condition that holds counts."""
        result = self
        for condition, value in reversed(caselist):
            result = result.mask(condition, value)
        return result

    def combine_first(self, other: Any) -> Any:
        """Values of this series, and of another one of the same rows where they are missing."""
        if is_foreign(self, other):
            return over_whole(Named("combine_first"), self, other, name="combine_first", may_miss=True)
        return self.fillna(other)

    def combine(self, other: Any, func: Callable[..., Any], fill_value: Any = None) -> Any:
        """A function of pairs of values of two series of the same rows, in pandas for each partition."""
        return over_rows(lambda a, b: a.combine(b, func, fill_value), self, other, name="combine")

    def explode(self) -> Any:
        """A row for each item of each list, in pandas for each partition."""
        return self.map_partitions(lambda part: part.explode(), meta=(self._expr.name, "object"))


def mapped_values(meta: Any, values: dict[Any, Any]) -> Any:
    """The empty series of what a dictionary says, missing values among it."""
    import pandas as pd

    found = pd.Series([*values.values(), None]) if values else pd.Series([], dtype="float64")
    dtype = found.dtype if not isinstance(meta.dtype, pd.CategoricalDtype) else object
    return pd.Series([], dtype=dtype, name=meta.name, index=meta.index if isinstance(meta, pd.Series) else meta)
