"""Group-by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._aggregations import Aggregation, One, parse
from ._engine import as_column, is_collection, wrap
from ._labels import decode_label, encode, encode_label
from ._partitionwise import over_all
from ._series import Series, as_list

#: Types that have no mean and no sum of squares.
NOT_NUMBERS = ("str", "object", "string", "category")
NUMBERS_ONLY = ("mean", "std", "var", "median", "sem", "prod")


class Grouping:
    """The rows, the keys they are grouped by, and how."""

    def __init__(self, frame: Any, by: Any, *, sort: bool = True, observed: bool | None = None, dropna: bool = True,
                 as_index: bool = True, group_keys: bool = True, level: Any = None, axis: Any = 0) -> None:  # fmt: skip
        if level is not None or axis not in (0, "index") or by is None:
            raise NotImplementedError("groupby takes keys: column names, or series of the same rows")
        self.frame = frame
        self.by = as_list(by)
        if not self.by:
            raise ValueError("No group keys passed!")
        self.as_list = isinstance(by, list)
        self.sort, self.dropna, self.as_index, self.group_keys = bool(sort), bool(dropna), bool(as_index), bool(group_keys)
        self.observed = observed
        self.keys = [self._key(one) for one in self.by]
        self.key_columns = self._key_columns()
        self._refuse_unobserved()

    def _key(self, one: Any) -> Any:
        if is_collection(one):
            return as_column(one)
        if callable(one) or hasattr(one, "freq") or (hasattr(one, "__len__") and not isinstance(one, str | tuple)):
            raise NotImplementedError(f"groupby by {type(one).__name__}: give a column name or a series of the same rows")
        return self.frame._expr.column(encode_label(one))

    def _key_columns(self) -> set[str]:
        """The columns of the frame that are keys themselves, which are no values then."""
        columns = set(self.frame._expr.columns)
        mine = set()
        for one, key in zip(self.by, self.keys, strict=True):
            if not is_collection(one):
                mine.add(encode_label(one))
            elif key.name in columns and self.frame._expr.column(key.name).key == key.key:
                mine.add(key.name)
        return mine

    def _refuse_unobserved(self) -> None:
        if self.observed is False and any(key.dtype == "category" for key in self.keys):
            raise NotImplementedError("observed=False: categories without rows are not made up; use observed=True")

    @property
    def values(self) -> list[str]:
        """The columns that are no keys."""
        return [name for name in self.frame._expr.columns if name not in self.key_columns]

    @property
    def options(self) -> dict[str, Any]:
        """The options for pandas."""
        options = {"sort": self.sort, "dropna": self.dropna, "as_index": self.as_index, "group_keys": self.group_keys}
        return {**options, "observed": True}

    def over_all(self, function: Callable[[Any], Any], name: str, meta: Any = None) -> Any:
        """`function` of the pandas group-by of all rows, gathered."""
        lazy = [key for key in self.by if is_collection(key)]
        by, as_one, options = self.by, not self.as_list, self.options
        places = [is_collection(key) for key in by]
        plain = [None if lazily else key for key, lazily in zip(by, places, strict=True)]

        def call(rows: Any, *keys: Any) -> Any:
            given = iter(keys)
            full = [next(given) if lazily else key for key, lazily in zip(plain, places, strict=True)]
            return function(rows.groupby(full[0] if as_one and len(full) == 1 else full, **options))

        return over_all(call, self.frame, *lazy, name=name, meta=meta)


class GroupBy:
    """The methods of grouped frames and of grouped series."""

    _as_series = False

    def __init__(self, grouping: Grouping, chosen: list[str] | None = None) -> None:
        self._grouping = grouping
        self._chosen = chosen

    @property
    def _values(self) -> list[str]:
        return self._grouping.values if self._chosen is None else self._chosen

    def _column(self, name: str) -> Any:
        return self._grouping.frame._expr.column(name)

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

        indexed = Grouping(self._grouping.frame, self._grouping.by, sort=self._grouping.sort, dropna=self._grouping.dropna)
        indexed.as_list = self._grouping.as_list
        name = "groupby " + ", ".join(sorted({str(getattr(one.function, "__name__", one.function)) for one in ones}))
        return indexed.over_all(call, name)

    def _simple(self, function: str, **options: Any) -> Any:
        """One aggregation of each value column."""
        numeric_only = options.pop("numeric_only", False)
        names = self._values
        if numeric_only:
            names = [name for name in names if self._column(name).dtype.lower().startswith(("int", "uint", "float", "bool"))]
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
            grouping.keys, [(output, column, "size", {})], sort=grouping.sort, dropna=grouping.dropna, as_index=grouping.as_index
        )
        if not grouping.as_index:
            return wrap(frame)
        return wrap(frame.column(output)).rename(self._values[0] if self._as_series else None)

    # Rows of groups.

    def apply(self, func: Callable[..., Any], *args: Any, meta: Any = None, **kwargs: Any) -> Any:
        """A function of each group (a pandas object); all rows are gathered into one partition for it.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"k": [1, 1, 2], "x": [1, 5, 3]}), npartitions=2)
        >>> df.groupby("k")["x"].apply(lambda x: x.max() - x.min()).compute().tolist()
        [4, 0]
        """
        name = getattr(func, "__name__", "apply")
        return self._in_pandas(lambda grouped: grouped.apply(func, *args, **kwargs), f"groupby apply {name}", meta)

    def transform(self, func: Any, *args: Any, meta: Any = None, **kwargs: Any) -> Any:
        """A value for each row from its group: natively for the name of an aggregation, otherwise gathered, in pandas."""
        if isinstance(func, str) and not args and not kwargs and self._grouping.dropna is True:
            try:
                return self._over(lambda column: column.reduce(func))
            except NotImplementedError:
                pass
        name = getattr(func, "__name__", str(func))
        return self._in_pandas(lambda grouped: grouped.transform(func, *args, **kwargs), f"groupby transform {name}", meta)

    def _over(self, function: Callable[[Any], Any]) -> Any:
        """A function of the rows of each group that gives as many, natively."""
        keys = self._grouping.keys
        columns = [(name, function(self._column(name)).over(keys)) for name in self._values]
        return self._row_result(self._grouping.frame._expr.select(columns))

    def _row_result(self, frame: Any) -> Any:
        return wrap(frame)

    def _in_pandas(self, function: Callable[[Any], Any], name: str, meta: Any = None) -> Any:
        chosen = self._selection()
        return self._grouping.over_all(lambda grouped: function(grouped if chosen is None else grouped[chosen]), name, meta)

    def _selection(self) -> Any:
        return None if self._chosen is None else [decode_label(name) for name in self._chosen]

    def _by_rows(self, name: str, function: Callable[[Any], Any] | None, *args: Any, **kwargs: Any) -> Any:
        if function is not None:
            try:
                return self._over(function)
            except NotImplementedError:
                pass
        return self._in_pandas(lambda grouped: getattr(grouped, name)(*args, **kwargs), f"groupby {name}")

    def cumsum(self, **kwargs: Any) -> Any:
        """Running sums in each group."""
        return self._by_rows("cumsum", lambda column: column.cumulative("cumsum"))

    def cumprod(self, **kwargs: Any) -> Any:
        """Running products in each group."""
        return self._by_rows("cumprod", lambda column: column.cumulative("cumprod"))

    def cummin(self, **kwargs: Any) -> Any:
        """Running minima in each group."""
        return self._by_rows("cummin", lambda column: column.cumulative("cummin"))

    def cummax(self, **kwargs: Any) -> Any:
        """Running maxima in each group."""
        return self._by_rows("cummax", lambda column: column.cumulative("cummax"))

    def cumcount(self) -> Any:
        """The number of each row in its group, from zero (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.cumcount(), "groupby cumcount")

    def ngroup(self) -> Any:
        """The number of the group of each row (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.ngroup(), "groupby ngroup")

    def shift(self, periods: int = 1, fill_value: Any = None, **kwargs: Any) -> Any:
        """Values moved by `periods` rows in each group."""
        options = {} if fill_value is None else {"fill_value": fill_value}
        return self._by_rows("shift", lambda column: column.shift(int(periods), fill_value), periods, **options)

    def diff(self, periods: int = 1) -> Any:
        """Each value less the one `periods` rows before it in its group."""
        return self._by_rows("diff", lambda column: column.diff(int(periods)), periods)

    def rank(self, method: str = "average", ascending: bool = True, **kwargs: Any) -> Any:
        """The place of each value in its group, from one (gathered, in pandas)."""
        return self._by_rows("rank", None, method=method, ascending=ascending, **kwargs)

    def ffill(self, limit: int | None = None) -> Any:
        """Missing values replaced by the last value before them in their group."""
        return self._by_rows("ffill", (lambda column: column.ffill()) if limit is None else None, limit=limit)

    def bfill(self, limit: int | None = None) -> Any:
        """Missing values replaced by the next value after them in their group."""
        return self._by_rows("bfill", (lambda column: column.bfill()) if limit is None else None, limit=limit)

    def head(self, n: int = 5, **kwargs: Any) -> Any:
        """The first `n` rows of each group (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.head(n), "groupby head")

    def tail(self, n: int = 5, **kwargs: Any) -> Any:
        """The last `n` rows of each group (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.tail(n), "groupby tail")

    def idxmax(self, **kwargs: Any) -> Any:
        """The index label of the greatest value of each group (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.idxmax(), "groupby idxmax")

    def idxmin(self, **kwargs: Any) -> Any:
        """The index label of the least value of each group (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.idxmin(), "groupby idxmin")

    def quantile(self, q: Any = 0.5, **kwargs: Any) -> Any:
        """The quantile `q` of each group (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.quantile(q), "groupby quantile")

    def describe(self, **kwargs: Any) -> Any:
        """A summary of each group (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.describe(), "groupby describe")

    def corr(self, **kwargs: Any) -> Any:
        """The correlations in each group (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.corr(**kwargs), "groupby corr")

    def cov(self, **kwargs: Any) -> Any:
        """The covariances in each group (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.cov(**kwargs), "groupby cov")

    def sem(self, **kwargs: Any) -> Any:
        """The standard error of the mean of each group (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.sem(**kwargs), "groupby sem")

    def rolling(self, window: Any, **kwargs: Any) -> Any:
        """Windows that move over the rows of each group (gathered, in pandas)."""
        from ._windows import GroupedRolling

        return GroupedRolling(self, window, kwargs)

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
        return self._grouping.frame.compute(**kwargs).groupby([key for key in self._grouping.by], **self._grouping.options)

    def __iter__(self) -> Any:
        raise NotImplementedError("iterating over groups needs all rows: compute first, or use get_group or apply")


class DataFrameGroupBy(GroupBy):
    """A grouped frame."""

    def __getitem__(self, key: Any) -> Any:
        names = encode(key) if isinstance(key, list) else [encode_label(key)]
        for name in names:
            self._column(name)
        return DataFrameGroupBy(self._grouping, names) if isinstance(key, list) else SeriesGroupBy(self._grouping, names)

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


def series_groupby(series: Series, by: Any, **kwargs: Any) -> SeriesGroupBy:
    """A series grouped by series of the same rows."""
    name = series._expr.name
    held = encode_label(0 if name is None else name)
    frame = wrap(as_column(series).to_frame(held))
    if not all(is_collection(one) for one in as_list(by)):
        raise NotImplementedError("a series is grouped by series of the same rows: s.groupby(df['key'])")
    return SeriesGroupBy(Grouping(frame, by, **kwargs), [held])


def check_type(one: One, column: Any) -> None:
    """TypeError for arithmetic on what is no number, as pandas gives it."""
    if one.function in NUMBERS_ONLY and column.dtype in NOT_NUMBERS:
        raise TypeError(f"agg function failed [how->{one.function},dtype->{column.dtype}] on column {column.name!r}: "
                        "choose numeric columns, or pass numeric_only=True")  # fmt: skip


def aggregate_one(grouped: Any, one: One) -> Any:
    """One aggregation of a pandas series group-by."""
    if isinstance(one.function, Aggregation):
        return one.function.of_groups(grouped)
    if one.function == "size":
        return grouped.size()
    return grouped.agg(one.function, **one.options)

