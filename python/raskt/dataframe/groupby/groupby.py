"""Group-by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..base.absent import own_or_absent
from ..base.arguments import as_list
from ..base.checks import check_boolean, refuse_engine
from ..base.collection import is_collection, is_frame
from ..base.labels import decode_label, encode, encode_label
from ..base.meta import empty
from ..base.pandas_methods import Method, native_or
from ..base.partitionwise import over_all
from ..base.registry import wrap
from ..base.tuning import tunable
from .aggregations import Aggregation, One, parse
from .grouping import COUNTS, Grouping, is_nullable
from .transforms import GroupTransforms

#: Types that have no mean and no sum of squares.
NOT_NUMBERS = ("str", "object", "string", "category")
NUMBERS_ONLY = ("mean", "std", "var", "median", "sem", "prod")


class GroupBy(GroupTransforms):
    """The methods of grouped frames and of grouped series.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> df = rd.from_pandas(pd.DataFrame({"k": ["a", "b", "a"], "x": [1, 2, 3]}), npartitions=2)
    >>> df.groupby("k").size().compute().to_dict()
    {'a': 2, 'b': 1}
    """

    _as_series = False

    def __init__(self, grouping: Grouping, chosen: list[str] | None = None) -> None:
        self._grouping = grouping
        self._chosen = chosen

    # Aggregations.

    def _aggregate(self, ones: list[One]) -> Any:
        """The frame of several aggregations; NotImplementedError where one has no native form."""
        grouping = self._grouping
        if grouping.keys is None or not all(one.is_native for one in ones):
            raise NotImplementedError
        for one in ones:
            check_type(one, self._column(one.column))
            if one.function in COUNTS and is_nullable(self._column(one.column)):
                raise NotImplementedError  # pandas counts in the types of the column's family
        specs = [(one.output, self._column(one.column), one.function, one.options) for one in ones]
        frame = grouping.frame._plan.groupby(
            grouping.keys, specs, sort=grouping.sort, dropna=grouping.dropna, as_index=grouping.as_index
        )
        return wrap(frame)

    def _reduce(self, method: str, native: dict[str, Any] | None, /, numeric_only: bool = False, **options: Any) -> Any:
        """One aggregation of each value column.

        `native` are the options of the native form, or None where the arguments have none; pandas gets `options`.
        """
        numeric_only = check_boolean("numeric_only", numeric_only)
        flag = {"numeric_only": True} if numeric_only else {}
        in_pandas = lambda: self._in_pandas(method, **flag, **options)
        if native is None:
            return in_pandas()
        ones = lambda: [One(name, name, method, native) for name in self._numbers(numeric_only)]
        return native_or(lambda: self._finish(self._aggregate(ones())), in_pandas)

    def _finish(self, frame: Any) -> Any:
        return frame

    @tunable("split_every", "split_out", "shuffle_method")
    def agg(self, func: Any = None, *args: Any, engine: Any = None, engine_kwargs: Any = None, **kwargs: Any) -> Any:
        """Aggregations by name, by function, as a list, by column in a dictionary, or named by keywords.

        Parameters
        ----------
        func : str, callable, Aggregation, list or dict, optional
            What is done, with the columns; left out if the results are named by keywords.
        *args
            More arguments of `func`.
        engine, engine_kwargs : None
            Kept for pandas' sake: Numba is not supported.
        **kwargs
            `result=(column, function)` for a frame and `result=function` for a series, or more arguments of `func`.

        Returns
        -------
        DataFrame or Series
            A row for each group, in one partition; names that have a native form run natively.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"k": [1, 1, 2], "x": [1.0, 2.0, 3.0]}), npartitions=2)
        >>> df.groupby("k").agg(mean=("x", "mean"), rows=("x", "size")).compute()["mean"].tolist()
        [1.5, 3.0]
        """
        refuse_engine("agg", engine, engine_kwargs)
        if func is not None and (args or kwargs):
            return self._agg_with_arguments(func, args, kwargs)
        if isinstance(func, str) and callable(getattr(type(self), func, None)):
            return getattr(self, func)()
        ones = parse(func, kwargs, self._values, self._as_series)
        one_each = func is not None and not isinstance(func, list | tuple)
        native = lambda: self._finish(self._aggregate(ones)) if one_each else self._aggregate(ones)
        return native_or(native, lambda: self._aggregate_in_pandas(ones, func, kwargs))

    aggregate = agg

    def _agg_with_arguments(self, func: Any, args: Any, options: dict[str, Any]) -> Any:
        if isinstance(func, Aggregation):
            raise TypeError("an Aggregation takes no more arguments: put them into its functions")
        if isinstance(func, str):
            return getattr(self, func)(*args, **options)
        return self._by_function("agg", func, args, options, None)

    def _aggregate_in_pandas(self, ones: list[One], func: Any, named: dict[str, Any]) -> Any:
        names = ", ".join(sorted({str(getattr(one.function, "__name__", one.function)) for one in ones}))
        own_function = any(callable(one.function) for one in ones)
        if not any(isinstance(one.function, Aggregation) for one in ones):
            options = {"chosen": self._selection(), "own_function": own_function}
            return self._grouping.over_all(Method("agg"), f"groupby {names}", func, **options, named=named)
        call = Aggregations(ones, self._grouping)
        result = self._grouping.over_all(call, f"groupby {names}", own_function=own_function)
        return self._finish(result) if func is not None and not isinstance(func, list | tuple) else result

    @tunable("split_every", "split_out", "shuffle_method")
    def sum(
        self,
        numeric_only: bool = False,
        min_count: int = 0,
        skipna: bool = True,
        engine: Any = None,
        engine_kwargs: Any = None,
    ) -> Any:
        """The sum of each group; missing where fewer than `min_count` values are there."""
        return self._counted("sum", numeric_only, min_count, skipna, engine, engine_kwargs)

    @tunable("split_every", "split_out", "shuffle_method")
    def prod(self, numeric_only: bool = False, min_count: int = 0, skipna: bool = True) -> Any:
        """The product of each group; missing where fewer than `min_count` values are there."""
        return self._counted("prod", numeric_only, min_count, skipna)

    def _counted(
        self,
        method: str,
        numeric_only: bool,
        min_count: Any,
        skipna: bool,
        engine: Any = None,
        engine_kwargs: Any = None,
    ) -> Any:
        refuse_engine(method, engine, engine_kwargs)
        min_count = 0 if min_count is None else min_count  # Dask's default
        native = ({"min_count": min_count} if min_count > 0 else {}) if skipna else None
        return self._reduce(method, native, numeric_only, min_count=min_count, skipna=skipna)

    @tunable("split_every", "split_out", "shuffle_method")
    def mean(
        self, numeric_only: bool = False, skipna: bool = True, engine: Any = None, engine_kwargs: Any = None
    ) -> Any:
        """The mean of each group, missing values left out if `skipna`."""
        refuse_engine("mean", engine, engine_kwargs)
        return self._reduce("mean", {} if skipna else None, numeric_only, skipna=skipna)

    @tunable("split_every", "split_out", "shuffle_method")
    def median(self, numeric_only: bool = False, skipna: bool = True) -> Any:
        """The median of each group, exact, missing values left out if `skipna`."""
        return self._reduce("median", {} if skipna else None, numeric_only, skipna=skipna)

    @tunable("split_every", "split_out", "shuffle_method")
    def min(
        self,
        numeric_only: bool = False,
        min_count: int = -1,
        skipna: bool = True,
        engine: Any = None,
        engine_kwargs: Any = None,
    ) -> Any:
        """The least value of each group; missing where fewer than `min_count` values are there."""
        return self._extreme("min", numeric_only, min_count, skipna, engine, engine_kwargs)

    @tunable("split_every", "split_out", "shuffle_method")
    def max(
        self,
        numeric_only: bool = False,
        min_count: int = -1,
        skipna: bool = True,
        engine: Any = None,
        engine_kwargs: Any = None,
    ) -> Any:
        """The greatest value of each group; missing where fewer than `min_count` values are there."""
        return self._extreme("max", numeric_only, min_count, skipna, engine, engine_kwargs)

    @tunable("split_every", "split_out", "shuffle_method")
    def first(self, numeric_only: bool = False, min_count: int = -1, skipna: bool = True) -> Any:
        """The first value of each group that is there, or the first of all unless `skipna`."""
        return self._extreme("first", numeric_only, min_count, skipna)

    @tunable("split_every", "split_out", "shuffle_method")
    def last(self, numeric_only: bool = False, min_count: int = -1, skipna: bool = True) -> Any:
        """The last value of each group that is there, or the last of all unless `skipna`."""
        return self._extreme("last", numeric_only, min_count, skipna)

    def _extreme(
        self,
        method: str,
        numeric_only: bool,
        min_count: int,
        skipna: bool,
        engine: Any = None,
        engine_kwargs: Any = None,
    ) -> Any:
        refuse_engine(method, engine, engine_kwargs)
        native = {} if skipna and min_count <= 1 else None
        return self._reduce(method, native, numeric_only, min_count=min_count, skipna=skipna)

    @tunable("split_every", "split_out", "shuffle_method")
    def count(self) -> Any:
        """How many values of each group are there."""
        return self._reduce("count", {})

    @tunable("split_every", "split_out", "shuffle_method")
    def nunique(self, dropna: bool = True) -> Any:
        """How many different values each group has; a missing one counts as one unless `dropna`."""
        return self._reduce("nunique", {} if dropna else None, dropna=dropna)

    @tunable("split_every", "split_out", "shuffle_method")
    def any(self, skipna: bool = True) -> Any:
        """Whether some value of each group is true; a missing one is true unless `skipna`."""
        return self._reduce("any", {} if skipna else None, skipna=skipna)

    @tunable("split_every", "split_out", "shuffle_method")
    def all(self, skipna: bool = True) -> Any:
        """Whether every value of each group is true; a missing one is true unless `skipna`."""
        return self._reduce("all", {} if skipna else None, skipna=skipna)

    @tunable("split_every", "split_out", "shuffle_method")
    def std(
        self,
        ddof: int = 1,
        engine: Any = None,
        engine_kwargs: Any = None,
        numeric_only: bool = False,
        skipna: bool = True,
    ) -> Any:
        """The standard deviation of each group, with `n - ddof` as divisor."""
        return self._spread("std", ddof, numeric_only, skipna, engine, engine_kwargs)

    @tunable("split_every", "split_out", "shuffle_method")
    def var(
        self,
        ddof: int = 1,
        engine: Any = None,
        engine_kwargs: Any = None,
        numeric_only: bool = False,
        skipna: bool = True,
    ) -> Any:
        """The variance of each group, with `n - ddof` as divisor."""
        return self._spread("var", ddof, numeric_only, skipna, engine, engine_kwargs)

    @tunable("split_every", "split_out", "shuffle_method")
    def sem(self, ddof: int = 1, numeric_only: bool = False, skipna: bool = True) -> Any:
        """The standard error of the mean of each group (gathered, in pandas)."""
        return self._reduce("sem", None, numeric_only, ddof=ddof, skipna=skipna)

    def _spread(self, method: str, ddof: int, numeric_only: bool, skipna: bool, engine: Any, engine_kwargs: Any) -> Any:
        refuse_engine(method, engine, engine_kwargs)
        native = {"ddof": ddof} if skipna else None
        return self._reduce(method, native, numeric_only, ddof=ddof, skipna=skipna)

    def skew(self, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The skewness of each group, corrected for bias (gathered, in pandas)."""
        return self._reduce("skew", None, numeric_only, skipna=skipna)

    def kurt(self, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The excess kurtosis of each group, corrected for bias (gathered, in pandas)."""
        return self._reduce("kurt", None, numeric_only, skipna=skipna)

    def ohlc(self) -> Any:
        """The first, greatest, least and last value of each group (gathered, in pandas)."""
        return self._in_pandas("ohlc")

    def quantile(self, q: Any = 0.5, interpolation: str = "linear", numeric_only: bool = False) -> Any:
        """The quantile `q` of each group; a list of them makes a level of the index (gathered, in pandas)."""
        return self._in_pandas("quantile", q, interpolation=interpolation, numeric_only=numeric_only)

    def describe(self, percentiles: Any = None, include: Any = None, exclude: Any = None) -> Any:
        """A summary of each group (gathered, in pandas)."""
        return self._in_pandas("describe", percentiles=percentiles, include=include, exclude=exclude)

    @tunable("split_every", "split_out", "shuffle_method")
    def size(self) -> Any:
        """How many rows each group has, missing values included."""
        return native_or(self._native_size, lambda: self._in_pandas("size"))

    def _native_size(self) -> Any:
        grouping = self._grouping
        if grouping.keys is None or (self._as_series and is_nullable(self._column(self._values[0]))):
            raise NotImplementedError
        names = grouping.frame._plan.columns
        column = grouping.frame._plan.column(names[0]) if names else grouping.keys[0]
        frame = grouping.frame._plan.groupby(
            grouping.keys,
            [("size", column, "size", {})],
            sort=grouping.sort,
            dropna=grouping.dropna,
            as_index=grouping.as_index,
        )
        if not grouping.as_index:
            return wrap(frame)
        return wrap(frame.column("size").rename(self._series_name() if self._as_series else None))

    def get_group(self, name: Any) -> Any:
        """The rows of one group; KeyError at `compute` if there is no such group.

        Parameters
        ----------
        name : label or tuple of labels
            The values of the keys; a tuple of one label where the keys are a list of one.

        Returns
        -------
        DataFrame or Series
            Filtered natively, then gathered into one partition.
        """
        grouping = self._grouping
        keys = grouping.keys
        meta = self._rows_meta()
        if keys is None:
            return self._in_pandas("get_group", name, meta=meta)
        if grouping.is_list and not (isinstance(name, tuple) and len(name) == len(keys)):
            raise KeyError(name) if isinstance(name, tuple) else ValueError("must supply a tuple to get_group")
        labels = name if grouping.is_list else (name,)
        mask = keys[0].binary("eq", labels[0])
        for column, label in zip(keys[1:], labels[1:], strict=True):
            mask = mask.binary("and", column.binary("eq", label))
        rows = grouping.rows._framed(lambda frame: frame.filter(mask))
        chosen = self._selection()
        rows = rows if chosen is None or not is_frame(rows) else rows[chosen]
        return over_all(Found(name), rows, name="get_group", meta=empty(rows))

    def compute(self, **kwargs: Any) -> Any:
        """The pandas group-by of the rows, which are computed now, with the keys that are lazy."""
        from raskt._compute import compute as run

        grouping = self._grouping
        rows, *lazy = run(grouping.rows, *(key for key in grouping.by if is_collection(key)), **kwargs)
        rest = iter(lazy)
        by = [next(rest) if is_collection(key) else key for key in grouping.by]
        keys = None if not by else by if grouping.is_list else by[0]
        chosen = self._selection()
        grouped = rows.groupby(keys, level=grouping.level, **grouping.options)
        return grouped if chosen is None or rows.ndim == 1 else grouped[chosen]

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError("iterating over groups needs all rows: compute first, or use get_group or apply")

    def __len__(self) -> int:
        """How many groups there are, computed."""
        return len(self.size())


class DataFrameGroupBy(GroupBy):
    """A grouped frame.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> df = rd.from_pandas(pd.DataFrame({"k": ["a", "b", "a"], "x": [1, 2, 3]}), npartitions=2)
    >>> df.groupby("k").sum().compute()["x"].to_dict()
    {'a': 4, 'b': 2}
    """

    def __getitem__(self, key: Any) -> Any:
        names = encode(key) if isinstance(key, list) else [encode_label(key)]
        for name in names:
            self._column(name)
        return (
            DataFrameGroupBy(self._grouping, names) if isinstance(key, list) else SeriesGroupBy(self._grouping, names)
        )

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._grouping.frame._plan.columns:
            return self[name]
        return own_or_absent(self, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(name for name in self._grouping.values if name.isidentifier())})

    @tunable("split_every", "split_out", "shuffle_method")
    def idxmax(self, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The index label of the greatest value of each column in each group (gathered, in pandas)."""
        return self._in_pandas("idxmax", skipna=skipna, numeric_only=numeric_only)

    @tunable("split_every", "split_out", "shuffle_method")
    def idxmin(self, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The index label of the least value of each column in each group (gathered, in pandas)."""
        return self._in_pandas("idxmin", skipna=skipna, numeric_only=numeric_only)

    @tunable("split_every", "split_out")
    def corr(self, method: Any = "pearson", min_periods: int = 1, numeric_only: bool = False) -> Any:
        """The correlations of the columns in each group (gathered, in pandas)."""
        return self._in_pandas("corr", method, min_periods=min_periods, numeric_only=numeric_only)

    @tunable("split_every", "split_out", "shuffle_method")
    def cov(self, min_periods: int | None = None, ddof: int = 1, numeric_only: bool = False) -> Any:
        """The covariances of the columns in each group (gathered, in pandas)."""
        return self._in_pandas("cov", min_periods=min_periods, ddof=ddof, numeric_only=numeric_only)

    @tunable("split_every", "split_out")
    def value_counts(
        self,
        subset: Any = None,
        normalize: bool = False,
        sort: bool = True,
        ascending: bool = False,
        dropna: bool = True,
    ) -> Any:
        """How often each row comes in each group (gathered, in pandas)."""
        return self._in_pandas(
            "value_counts", subset=subset, normalize=normalize, sort=sort, ascending=ascending, dropna=dropna
        )


class SeriesGroupBy(GroupBy):
    """A grouped column.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> df = rd.from_pandas(pd.DataFrame({"k": ["a", "b", "a"], "x": [1, 2, 3]}), npartitions=2)
    >>> df.groupby("k")["x"].max().compute().to_dict()
    {'a': 3, 'b': 2}
    """

    _as_series = True

    def __getattr__(self, name: str) -> Any:
        return own_or_absent(self, name)

    def _finish(self, frame: Any) -> Any:
        name = self._values[0]
        if not self._grouping.as_index or name not in frame._plan.columns:
            return frame
        return wrap(frame._expr.column(name).rename(self._series_name()))

    def _row_result(self, frame: Any) -> Any:
        return wrap(frame.column(self._values[0]).rename(self._series_name()))

    def _series_name(self) -> str | None:
        """The name of the column, as the engine has it; a grouped series may have none."""
        rows = self._grouping.rows
        return self._values[0] if is_frame(rows) else rows._plan.name

    def _selection(self) -> Any:
        return decode_label(self._values[0])

    def transform(
        self, func: Any, *args: Any, engine: Any = None, engine_kwargs: Any = None, meta: Any = None, **kwargs: Any
    ) -> Any:
        """A value for each row from its group: natively for an aggregation by name, otherwise gathered, in pandas."""
        return super().transform(func, *args, engine=engine, engine_kwargs=engine_kwargs, meta=meta, **kwargs)

    @tunable("split_every", "split_out", "shuffle_method")
    def idxmax(self, skipna: bool = True) -> Any:
        """The index label of the greatest value of each group (gathered, in pandas)."""
        return self._in_pandas("idxmax", skipna=skipna)

    @tunable("split_every", "split_out", "shuffle_method")
    def idxmin(self, skipna: bool = True) -> Any:
        """The index label of the least value of each group (gathered, in pandas)."""
        return self._in_pandas("idxmin", skipna=skipna)

    @tunable("split_every", "split_out")
    def corr(self, other: Any, method: Any = "pearson", min_periods: int | None = None) -> Any:
        """The correlation with another series of the same rows in each group (gathered, in pandas)."""
        return self._in_pandas("corr", other, method=method, min_periods=min_periods)

    @tunable("split_every", "split_out", "shuffle_method")
    def cov(self, other: Any, min_periods: int | None = None, ddof: int = 1) -> Any:
        """The covariance with another series of the same rows in each group (gathered, in pandas)."""
        return self._in_pandas("cov", other, min_periods=min_periods, ddof=ddof)

    @tunable("split_every", "split_out")
    def value_counts(
        self, normalize: bool = False, sort: bool = True, ascending: bool = False, bins: Any = None, dropna: bool = True
    ) -> Any:
        """How often each value comes in each group (gathered, in pandas)."""
        return self._in_pandas(
            "value_counts", normalize=normalize, sort=sort, ascending=ascending, bins=bins, dropna=dropna
        )

    @tunable("split_every", "split_out")
    def unique(self) -> Any:
        """The different values of each group as arrays (gathered, in pandas)."""
        return self._in_pandas("unique")

    def nlargest(self, n: int = 5, keep: str = "first") -> Any:
        """The `n` greatest values of each group (gathered, in pandas)."""
        return self._in_pandas("nlargest", n, keep=keep)

    def nsmallest(self, n: int = 5, keep: str = "first") -> Any:
        """The `n` least values of each group (gathered, in pandas)."""
        return self._in_pandas("nsmallest", n, keep=keep)


def group_series(series: Any, by: Any, level: Any, **options: Any) -> SeriesGroupBy:
    """A series grouped by series of the same rows, by its index, or by what pandas knows."""
    for key in as_list(by) if by is not None else []:
        if isinstance(key, str | tuple) or not (hasattr(key, "__len__") or is_collection(key) or callable(key)):
            if key not in series._as_frame().index_names and not hasattr(key, "freq"):
                raise KeyError(key)
    grouping = Grouping(series, by, level, **options)
    grouping.key_columns = set()
    return SeriesGroupBy(grouping, list(grouping.frame._plan.columns))


class Aggregations:
    """Several aggregations of a pandas group-by as one frame; they can be sent to a worker process."""

    def __init__(self, ones: list[One], grouping: Grouping) -> None:
        self.ones = ones
        self.as_index = grouping.as_index
        self.dropna = grouping.dropna

    def __call__(self, grouped: Any) -> Any:
        """The frame of the results, a column for each."""
        import pandas as pd

        # With as_index, so that results meet by their groups; keys become columns at the end.
        grouped.as_index = True
        results = {one.output: aggregate_one(column_of(grouped, one.column), one) for one in self.ones}
        result = pd.DataFrame(results)
        return result if self.as_index else result.reset_index()


def column_of(grouped: Any, name: str) -> Any:
    """One column of a pandas group-by; a grouped series is it."""
    return grouped if grouped.ndim == 1 else grouped[decode_label(name)]


def aggregate_one(grouped: Any, one: One) -> Any:
    """One aggregation of a pandas series group-by."""
    if isinstance(one.function, Aggregation):
        return one.function.of_groups(grouped)
    if one.function == "size":
        return grouped.size()
    return grouped.agg(one.function, **one.options)


class Found:
    """The rows of a group; KeyError if there are none."""

    def __init__(self, name: Any) -> None:
        self.name = name

    def __call__(self, rows: Any) -> Any:
        """The rows as they are."""
        if not len(rows):
            raise KeyError(self.name)
        return rows


def check_type(one: One, column: Any) -> None:
    """TypeError for arithmetic on what is no number, as pandas gives it."""
    if one.function in NUMBERS_ONLY and column.dtype in NOT_NUMBERS and not column.is_numeric:
        raise TypeError(f"agg function failed [how->{one.function},dtype->{column.dtype}] on column {column.name!r}: "
                        "choose numeric columns, or pass numeric_only=True")  # fmt: skip
