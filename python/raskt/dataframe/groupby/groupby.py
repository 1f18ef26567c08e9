"""Group-by."""

from __future__ import annotations

from typing import Any

from ..base.arguments import as_list
from ..base.collection import as_column, is_collection
from ..base.labels import decode_label, encode, encode_label
from ..base.registry import wrap
from .aggregations import Aggregation, One, parse
from .grouping import Grouping
from .transforms import GroupRows

#: Types that have no mean and no sum of squares.
NOT_NUMBERS = ("str", "object", "string", "category")
NUMBERS_ONLY = ("mean", "std", "var", "median", "sem", "prod")


class GroupBy(GroupRows):
    """The methods of grouped frames and of grouped series."""

    _as_series = False

    def __init__(self, grouping: Grouping, chosen: list[str] | None = None) -> None:
        self._grouping = grouping
        self._chosen = chosen

    # Aggregations.

    def _aggregate(self, ones: list[One]) -> Any:
        """The frame of several aggregations: natively if each has a native form, otherwise in pandas."""
        for one in ones:
            check_type(one, self._column(one.column))
        if not all(one.is_native for one in ones):
            return self._aggregate_in_pandas(ones)
        grouping = self._grouping
        specs = [(one.output, self._column(one.column), one.function, one.options) for one in ones]
        frame = grouping.frame._expr.groupby(
            grouping.keys, specs, sort=grouping.sort, dropna=grouping.dropna, as_index=grouping.as_index
        )
        return wrap(frame)

    def _aggregate_in_pandas(self, ones: list[One]) -> Any:
        def call(grouped: Any) -> Any:
            import pandas as pd

            parts = {one.output: aggregate_one(grouped[decode_label(one.column)], one) for one in ones}
            result = pd.DataFrame(parts)
            return result if self._grouping.as_index else result.reset_index()

        indexed = Grouping(
            self._grouping.frame, self._grouping.by, sort=self._grouping.sort, dropna=self._grouping.dropna
        )
        indexed.as_list = self._grouping.as_list
        name = "groupby " + ", ".join(sorted({str(getattr(one.function, "__name__", one.function)) for one in ones}))
        return indexed.over_all(call, name)

    def _simple(self, function: str, **options: Any) -> Any:
        """One aggregation of each value column."""
        numeric_only = options.pop("numeric_only", False)
        names = self._values
        if numeric_only:
            names = [
                name for name in names if self._column(name).dtype.lower().startswith(("int", "uint", "float", "bool"))
            ]
        return self._finish(self._aggregate([One(name, name, function, options) for name in names]))

    def _finish(self, frame: Any) -> Any:
        return frame

    def agg(self, func: Any = None, **kwargs: Any) -> Any:
        """Aggregations by name, by function, as a list, by column in a dictionary, or named by keywords.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"k": [1, 1, 2], "x": [1.0, 2.0, 3.0]}), npartitions=2)
        >>> df.groupby("k").agg(mean=("x", "mean"), rows=("x", "size")).compute()["mean"].tolist()
        [1.5, 3.0]
        """
        for ignored in ("split_every", "split_out", "shuffle_method"):
            kwargs.pop(ignored, None)
        ones = parse(func, kwargs, self._values, self._as_series)
        result = self._aggregate(ones)
        return self._finish(result) if not isinstance(func, list | tuple) and func is not None else result

    aggregate = agg

    def sum(self, numeric_only: bool = False, min_count: int | None = None, **kwargs: Any) -> Any:
        """The sum of each group; missing where fewer than `min_count` values are there."""
        return self._simple("sum", numeric_only=numeric_only, **({"min_count": min_count} if min_count else {}))

    def prod(self, numeric_only: bool = False, min_count: int | None = None, **kwargs: Any) -> Any:
        """The product of each group."""
        return self._simple("prod", numeric_only=numeric_only, **({"min_count": min_count} if min_count else {}))

    def mean(self, numeric_only: bool = False, **kwargs: Any) -> Any:
        """The mean of each group."""
        return self._simple("mean", numeric_only=numeric_only)

    def median(self, numeric_only: bool = False, **kwargs: Any) -> Any:
        """The median of each group, exact."""
        return self._simple("median", numeric_only=numeric_only)

    def min(self, numeric_only: bool = False, **kwargs: Any) -> Any:
        """The least value of each group."""
        return self._simple("min", numeric_only=numeric_only)

    def max(self, numeric_only: bool = False, **kwargs: Any) -> Any:
        """The greatest value of each group."""
        return self._simple("max", numeric_only=numeric_only)

    def count(self, **kwargs: Any) -> Any:
        """How many values of each group are there."""
        return self._simple("count")

    def first(self, numeric_only: bool = False, **kwargs: Any) -> Any:
        """The first value of each group that is there."""
        return self._simple("first", numeric_only=numeric_only)

    def last(self, numeric_only: bool = False, **kwargs: Any) -> Any:
        """The last value of each group that is there."""
        return self._simple("last", numeric_only=numeric_only)

    def nunique(self, **kwargs: Any) -> Any:
        """How many different values each group has."""
        return self._simple("nunique")

    def any(self, **kwargs: Any) -> Any:
        """Whether some value of each group is true."""
        return self._simple("any")

    def all(self, **kwargs: Any) -> Any:
        """Whether every value of each group is true."""
        return self._simple("all")

    def std(self, ddof: int = 1, numeric_only: bool = False, **kwargs: Any) -> Any:
        """The standard deviation of each group, with `n - ddof` as divisor."""
        return self._simple("std", ddof=ddof, numeric_only=numeric_only)

    def var(self, ddof: int = 1, numeric_only: bool = False, **kwargs: Any) -> Any:
        """The variance of each group, with `n - ddof` as divisor."""
        return self._simple("var", ddof=ddof, numeric_only=numeric_only)

    def size(self, **kwargs: Any) -> Any:
        """How many rows each group has, missing values included."""
        output = "size"
        names = self._grouping.frame._expr.columns
        column = self._column(names[0]) if names else self._grouping.keys[0]
        grouping = self._grouping
        frame = grouping.frame._expr.groupby(
            grouping.keys,
            [(output, column, "size", {})],
            sort=grouping.sort,
            dropna=grouping.dropna,
            as_index=grouping.as_index,
        )
        if not grouping.as_index:
            return wrap(frame)
        return wrap(frame.column(output)).rename(self._values[0] if self._as_series else None)

    def get_group(self, key: Any) -> Any:
        """The rows of one group."""
        keys = self._grouping.keys
        labels = key if isinstance(key, tuple) else (key,)
        if len(labels) != len(keys):
            raise ValueError(f"a group of {len(keys)} keys is named by a tuple of as many, not by {key!r}")
        mask = keys[0].binary("eq", labels[0])
        for column, label in zip(keys[1:], labels[1:], strict=True):
            mask = mask.binary("and", column.binary("eq", label))
        rows = self._grouping.frame._framed(lambda frame: frame.filter(mask))
        chosen = self._selection()
        return rows if chosen is None else rows[chosen[0] if self._as_series else chosen]

    def compute(self, **kwargs: Any) -> Any:
        """The pandas group-by of the computed rows."""
        return self._grouping.frame.compute(**kwargs).groupby(
            [key for key in self._grouping.by], **self._grouping.options
        )

    def __iter__(self) -> Any:
        raise NotImplementedError("iterating over groups needs all rows: compute first, or use get_group or apply")


class DataFrameGroupBy(GroupBy):
    """A grouped frame."""

    def __getitem__(self, key: Any) -> Any:
        names = encode(key) if isinstance(key, list) else [encode_label(key)]
        for name in names:
            self._column(name)
        return (
            DataFrameGroupBy(self._grouping, names) if isinstance(key, list) else SeriesGroupBy(self._grouping, names)
        )

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._grouping.frame._expr.columns:
            return self[name]
        raise AttributeError(f"'DataFrameGroupBy' object has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(name for name in self._grouping.values if name.isidentifier())})

    def value_counts(self, **kwargs: Any) -> Any:
        """How often each row comes in each group (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.value_counts(**kwargs), "groupby value_counts")


class SeriesGroupBy(GroupBy):
    """A grouped column."""

    _as_series = True

    def _finish(self, frame: Any) -> Any:
        if not self._grouping.as_index:
            return frame
        name = self._values[0]
        return wrap(frame._expr.column(name)) if name in frame._expr.columns else frame

    def _row_result(self, frame: Any) -> Any:
        return wrap(frame.column(self._values[0]))

    def _selection(self) -> Any:
        return decode_label(self._values[0])

    def value_counts(self, **kwargs: Any) -> Any:
        """How often each value comes in each group (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.value_counts(**kwargs), "groupby value_counts")

    def unique(self, **kwargs: Any) -> Any:
        """The different values of each group as lists (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.apply(lambda values: list(values.unique())), "groupby unique",
                               (self._values[0], "object"))  # fmt: skip


def series_groupby(series: Any, by: Any, **kwargs: Any) -> SeriesGroupBy:
    """A series grouped by series of the same rows."""
    name = series._expr.name
    held = encode_label(0 if name is None else name)
    frame = wrap(as_column(series).to_frame(held))
    if not all(is_collection(one) for one in as_list(by)):
        raise NotImplementedError("a series is grouped by series of the same rows: s.groupby(df['key'])")
    return SeriesGroupBy(Grouping(frame, by, **kwargs), [held])


def check_type(one: One, column: Any) -> None:
    """TypeError for arithmetic on what is no number, as pandas gives it."""
    if one.function in NUMBERS_ONLY and column.dtype in NOT_NUMBERS and not column.is_numeric:
        raise TypeError(f"agg function failed [how->{one.function},dtype->{column.dtype}] on column {column.name!r}: "
                        "choose numeric columns, or pass numeric_only=True")  # fmt: skip


def aggregate_one(grouped: Any, one: One) -> Any:
    """One aggregation of a pandas series group-by."""
    if isinstance(one.function, Aggregation):
        return one.function.of_groups(grouped)
    if one.function == "size":
        return grouped.size()
    return grouped.agg(one.function, **one.options)
