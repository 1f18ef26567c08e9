"""Reductions of frames: a value for each column, or for each row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.arguments import as_list
from ..base.checks import check_boolean
from ..base.collection import is_collection
from ..base.labels import encode_label, is_plain
from ..base.meta import types_of
from ..base.pandas_methods import Method, elementwise, gathered, gathered_value, native_or, run
from ..base.partitionwise import over_all
from ..base.registry import wrap
from ..base.tuning import tunable
from ..generic.reductions import Reductions, check_quantile_method, is_rows_axis
from ..generic.summaries import describe_frame, value_counts


class FrameReductions(Reductions):
    """The part of `DataFrame` about reductions."""

    __slots__ = ()

    def _reduce(self, method: str, axis: Any, numeric_only: bool, native: dict[str, Any] | None, **options: Any) -> Any:
        numeric_only = bool(numeric_only)
        if axis is None:
            return gathered_value(method, self, axis=None, numeric_only=numeric_only, **options)
        if not is_rows_axis(axis):
            return elementwise(method, self, axis=1, numeric_only=numeric_only, **options)
        in_pandas = lambda: gathered(method, self, axis=0, numeric_only=numeric_only, **options)
        if native is None:
            return in_pandas()
        frame = self._numeric() if numeric_only else self
        return native_or(lambda: frame._laid_out(lambda column: column.reduce(method, **native)), in_pandas)

    def _truth(self, method: str, axis: Any, bool_only: bool, skipna: bool) -> Any:
        options = {"bool_only": bool_only, "skipna": skipna}
        if axis is None:
            return gathered_value(method, self, axis=None, **options)
        if not is_rows_axis(axis):
            return elementwise(method, self, axis=axis, **options)
        frame = self.select_dtypes(["bool"]) if bool_only else self
        skipna = check_boolean("skipna", skipna)
        native = lambda: frame._laid_out(lambda column: column.reduce(method, skipna=skipna))
        return native_or(native, lambda: gathered(method, self, axis=0, **options))

    def _numeric(self) -> Any:
        """The frame of the numeric and boolean columns: of those that `numeric_only` means."""
        import pandas as pd

        chosen = [pd.api.types.is_numeric_dtype(dtype) for dtype in types_of(self._expr)]
        return self._project([label for label, is_chosen in zip(self.columns, chosen, strict=True) if is_chosen])

    def _laid_out(self, reduce: Callable[[Any], Any]) -> Any:
        """A series of one lazy scalar for each column, labelled by the columns.

        NotImplementedError for labels that are not text, which have no native form as values of an index, and for
        results without a common type, which only objects of Python can hold.
        """
        names = self._plan.columns
        if not names or not is_plain(names):
            raise NotImplementedError
        values = [reduce(self._expr.column_at(at)) for at in range(len(names))]
        if len({kind_of_value(value.dtype) for value in values}) > 1:
            raise NotImplementedError
        return wrap(self._expr.cells(names, [(None, values)]).column_at(0).rename(None))

    def cumsum(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        """Running sums; a missing value stays missing and counts as nothing, or ends them unless `skipna`."""
        return self._cumulative("cumsum", axis, skipna, numeric_only=numeric_only)

    def cumprod(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        """Running products."""
        return self._cumulative("cumprod", axis, skipna, numeric_only=numeric_only)

    def cummin(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        """Running minima."""
        return self._cumulative("cummin", axis, skipna, numeric_only=numeric_only)

    def cummax(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        """Running maxima."""
        return self._cumulative("cummax", axis, skipna, numeric_only=numeric_only)

    @tunable("split_every")
    def count(self, axis: Any = 0, numeric_only: bool = False) -> Any:
        """How many values of each column (of each row, with `axis=1`) are there, missing ones left out."""
        if axis is None:
            raise ValueError("No axis named None for object type DataFrame")
        return self._reduce("count", axis, numeric_only, {})

    @tunable("split_every")
    def idxmax(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The index label of the greatest value of each column (gathered, in pandas)."""
        return self._located("idxmax", axis, skipna, numeric_only)

    @tunable("split_every")
    def idxmin(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The index label of the least value of each column (gathered, in pandas)."""
        return self._located("idxmin", axis, skipna, numeric_only)

    def _located(self, method: str, axis: Any, skipna: bool, numeric_only: bool) -> Any:
        if not is_rows_axis(axis):
            return elementwise(method, self, axis=1, skipna=skipna, numeric_only=numeric_only)
        return gathered(method, self, skipna=skipna, numeric_only=numeric_only)

    @tunable("split_every")
    def mode(self, axis: Any = 0, numeric_only: bool = False, dropna: bool = True) -> Any:
        """The values of each column that come most often, in order (gathered, in pandas)."""
        if not is_rows_axis(axis):
            raise NotImplementedError(
                "mode(axis=1): how many columns there are only the values tell; use apply(..., axis=1, meta=...)"
            )
        return gathered("mode", self, numeric_only=numeric_only, dropna=dropna, may_miss=True)

    def nunique(self, axis: Any = 0, dropna: bool = True) -> Any:
        """How many different values each column (each row, with `axis=1`) has; a missing one counts unless `dropna`."""
        if not is_rows_axis(axis):
            return elementwise("nunique", self, axis=1, dropna=dropna)
        native = lambda: self._laid_out(lambda column: wrap(column)._different(dropna)._expr)
        return native_or(native, lambda: gathered("nunique", self, dropna=dropna))

    def quantile(
        self,
        q: Any = 0.5,
        axis: Any = 0,
        numeric_only: bool = False,
        interpolation: str = "linear",
        method: str = "single",
    ) -> Any:
        """The quantile `q` of each column, exact; a list of them gives a frame (gathered, in pandas).

        Parameters
        ----------
        q : float or list of floats
            Between 0 and 1.
        axis : {0, 1}
            0 down the rows, 1 along each row.
        numeric_only : bool, default False
            Whether only columns of numbers and booleans are looked at.
        interpolation : {"linear", "lower", "higher", "midpoint", "nearest"}
            What lies between two values; all but `linear` are gathered, in pandas.
        method : {"single", "table", "default", "dask", "tdigest"}
            pandas' ways; Dask's are taken as `single`, and are exact here.

        Returns
        -------
        Series or DataFrame
            Labelled by the columns; a row for each of several `q`.
        """
        if method not in ("single", "table"):
            check_quantile_method(method)
            method = "single"
        several = hasattr(q, "__iter__")
        options = {"numeric_only": numeric_only, "interpolation": interpolation, "method": method}
        if not is_rows_axis(axis):
            if several:
                raise NotImplementedError(
                    "quantile of rows takes one q: its results are columns then; call it for each"
                )
            return elementwise("quantile", self, q, axis=1, **options)
        if several or (interpolation, method) != ("linear", "single"):
            return gathered("quantile", self, list(q) if several else q, **options)
        if not 0 <= q <= 1:
            raise ValueError(f"percentiles should all be in the interval [0, 1]. Try {q / 100} instead.")
        frame = self._numeric() if numeric_only else self
        native = lambda: frame._laid_out(lambda column: column.reduce("quantile", q=float(q))).rename(float(q))
        return native_or(native, lambda: gathered("quantile", self, q, **options))

    @tunable("split_every")
    def describe(self, percentiles: Any = None, include: Any = None, exclude: Any = None) -> Any:
        """Count, mean, standard deviation, least value, quantiles and greatest value, by the rules of pandas.

        Parameters
        ----------
        percentiles : list of floats, optional
            Between 0 and 1; the quartiles by default.
        include, exclude : "all" or types, optional
            The columns that are looked at; by default those of numbers and times, or all if there are none.

        Returns
        -------
        DataFrame
            In one partition; natively where all are numbers, gathered, in pandas, for other types.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"x": [1.0, 2.0, 3.0], "s": ["a", "b", "c"]}), npartitions=2)
        >>> df.describe().compute()["x"].to_dict()["50%"]
        2.0
        """
        if include is not None or exclude is not None:
            return gathered("describe", self, percentiles=percentiles, include=include, exclude=exclude)
        return describe_frame(self, percentiles)

    def agg(self, func: Any = None, axis: Any = 0, *args: Any, **kwargs: Any) -> Any:
        """Reductions by name: one for all columns, several as a frame, or by column in a dictionary of names.

        Parameters
        ----------
        func : str, callable, list or dict, optional
            What is done, with the columns; left out if the results are named by keywords.
        axis : {0, 1}
            0 down the rows, 1 along each row.
        *args, **kwargs
            More arguments of `func`, or `result=(column, function)`.

        Returns
        -------
        Series or DataFrame
            Functions, and what has more arguments, are gathered, in pandas.
        """
        if isinstance(func, str):
            return getattr(self, func)(*args, axis=axis, **kwargs)
        if not is_rows_axis(axis):
            return run(Method("agg"), (self, func, 1, *args), kwargs, same_rows=True, by_labels=True)
        if not args and not kwargs:
            return native_or(lambda: self._agg_of_names(func), lambda: self._agg_in_pandas(func))
        return self._agg_in_pandas(func, *args, **kwargs)

    aggregate = agg

    def _agg_in_pandas(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        if not callable(func):
            return gathered("agg", self, func, 0, *args, **kwargs)
        name = getattr(func, "__name__", "agg")
        return over_all(lambda rows: rows.agg(func, 0, *args, **kwargs), self, name=name)

    def _agg_of_names(self, func: Any) -> Any:
        """Aggregations by names alone, natively; NotImplementedError for others."""
        if isinstance(func, dict) and func and all(isinstance(one, str) for one in func.values()):
            names = [encode_label(label) for label in func]
            values = [scalar_of(self._expr.column(name), func[label]) for name, label in zip(names, func, strict=True)]
            if not is_plain(names) or len({kind_of_value(value.dtype) for value in values}) > 1:
                raise NotImplementedError
            return wrap(self._expr.cells(names, [(None, values)]).column_at(0).rename(None))
        if isinstance(func, list) and func and all(isinstance(one, str) for one in func):
            columns = []
            for name in self._plan.columns:
                values = [scalar_of(self._expr.column(name), one) for one in func]
                if len({kind_of_value(value.dtype) for value in values}) > 1:
                    raise NotImplementedError
                columns.append((name, values))
            return wrap(self._expr.cells(func, columns))
        raise NotImplementedError

    def value_counts(
        self,
        subset: Any = None,
        normalize: bool = False,
        sort: bool = True,
        ascending: bool = False,
        dropna: bool = True,
    ) -> Any:
        """How often each row (or each row of the columns `subset`) comes, most often first."""
        frame = self if subset is None else self[as_list(subset)]
        if not frame._plan.columns:
            raise ValueError("No group keys passed!")
        return value_counts(frame, sort, ascending, dropna, normalize)

    @tunable("split_every")
    def corr(self, method: Any = "pearson", min_periods: int = 1, numeric_only: bool = False) -> Any:
        """The correlations of the columns, each pair over the rows where both are there (gathered, in pandas)."""
        min_periods = 1 if min_periods is None else min_periods  # Dask's default
        return gathered("corr", self, method=method, min_periods=min_periods, numeric_only=numeric_only)

    @tunable("split_every")
    def cov(self, min_periods: int | None = None, ddof: int = 1, numeric_only: bool = False) -> Any:
        """The covariances of the columns, each pair over the rows where both are there (gathered, in pandas)."""
        return gathered("cov", self, min_periods=min_periods, ddof=ddof, numeric_only=numeric_only)

    def corrwith(
        self,
        other: Any,
        axis: Any = 0,
        drop: bool = False,
        method: Any = "pearson",
        numeric_only: bool = False,
        min_periods: int | None = None,
    ) -> Any:
        """The correlation of each column with a series, or with the column of the same name (gathered, in pandas)."""
        options = {"drop": drop, "method": method, "numeric_only": numeric_only, "min_periods": min_periods}
        if is_collection(other) and not is_rows_axis(axis):
            return elementwise("corrwith", self, other, axis=1, **options)
        return gathered("corrwith", self, other, axis=axis, **options)  # by labels, which may be more than rows

    def dot(self, other: Any) -> Any:
        """The product with a pandas series or frame labelled by the columns, in pandas for each partition."""
        return elementwise("dot", self, other, by_labels=False)

    def memory_usage(self, index: bool = True, deep: bool = False) -> Any:
        """Bytes of each column in pandas' layout (gathered, in pandas)."""
        return gathered("memory_usage", self, index=index, deep=deep)

    def memory_usage_per_partition(self, index: bool = True, deep: bool = False) -> Any:
        """Bytes of each partition in pandas' layout, as a series."""
        return self.map_partitions(
            lambda part: int(part.memory_usage(index=index, deep=deep).sum()), meta=(None, "int64")
        )

    @property
    def nbytes(self) -> Any:
        """Bytes of all columns in pandas' layout, as a lazy scalar."""
        return self.memory_usage(index=False).sum()


def scalar_of(column: Any, method: str) -> Any:
    """The expression of a reduction of a column, by its name; NotImplementedError where it gives no single value."""
    value = getattr(wrap(column), method)()
    if not is_collection(value) or getattr(value._expr, "kind", None) != "scalar":
        raise NotImplementedError
    return value._expr


def kind_of_value(dtype: str) -> str:
    """What types of values share a type: numbers, and each other kind for itself."""
    lower = dtype.lower()
    return "number" if lower.startswith(("int", "uint", "float")) else lower.split("[")[0]
