"""Reductions of frames: a value for each column, or for each row."""

from __future__ import annotations

from typing import Any

from ..base.labels import encode_label, is_plain
from ..base.partitionwise import over_all, over_rows
from ..base.registry import wrap
from ..generic.reductions import Reductions, along_rows, is_rows_axis
from ..generic.summaries import describe_frame, value_counts


class FrameReductions(Reductions):
    """The part of `DataFrame` about reductions."""

    __slots__ = ()

    def _reduce(self, name: str, axis: Any = 0, numeric_only: bool = False, **options: Any) -> Any:
        if not is_rows_axis(axis):
            return along_rows(self, name, numeric_only, options)
        frame = self._numeric() if numeric_only else self
        return frame._laid_out(lambda column: column.reduce(name, **options), name, options)

    def _numeric(self) -> Any:
        """The frame of the numeric and boolean columns."""
        return self.select_dtypes(["number", "bool"])

    def _laid_out(self, reduce: Any, name: str, options: dict[str, Any]) -> Any:
        """A series of one lazy scalar for each column, labelled by the columns.

        Labels that are not text have no native form as values of an index: those are gathered, in pandas.
        """
        names = self._expr.columns
        if not is_plain(names):
            return over_all(lambda rows: getattr(rows, name)(**options), self, name=name)
        values = [reduce(self._expr.column_at(at)) for at in range(len(names))]
        refuse_mixture(names, values)
        return wrap(self._expr.cells(names, [(None, values)]).column_at(0))

    def _gathered_reduction(self, name: str, axis: Any, numeric_only: bool) -> Any:
        frame = self._numeric() if numeric_only else self
        if not is_rows_axis(axis):
            return over_rows(lambda part: getattr(part, name)(axis=1), frame, name=f"{name} of rows")
        return over_all(lambda rows: getattr(rows, name)(), frame, name=name)

    def nunique(self, axis: Any = 0, dropna: bool = True) -> Any:
        """How many different values each column has."""
        if not is_rows_axis(axis):
            return along_rows(self, "nunique", False, {"dropna": dropna})
        return self._laid_out(lambda column: wrap(column).nunique(dropna)._expr, "nunique", {"dropna": dropna})

    def quantile(self, q: Any = 0.5, axis: Any = 0, numeric_only: bool = False, method: str = "default") -> Any:
        """The quantile `q` of each column; a list of them gives a frame (gathered, in pandas)."""
        frame = self._numeric() if numeric_only else self
        if not is_rows_axis(axis):
            return over_rows(lambda part: part.quantile(q, axis=1), frame, name="quantile of rows")
        if hasattr(q, "__iter__"):
            return over_all(lambda rows: rows.quantile(list(q)), frame, name="quantile")
        return frame._laid_out(lambda column: column.reduce("quantile", q=float(q)), "quantile", {"q": q}).rename(
            float(q)
        )

    def describe(
        self, split_every: Any = None, percentiles: Any = None, include: Any = None, exclude: Any = None, **kwargs: Any
    ) -> Any:
        """Count, mean, standard deviation, least value, quantiles and greatest value of each numeric column.

        Columns of other types are left out, times and durations too (pandas would include them).

        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"x": [1.0, 2.0, 3.0], "s": ["a", "b", "c"]}), npartitions=2)
        >>> df.describe().compute()["x"].to_dict()["50%"]
        2.0
        """
        if include is not None or exclude is not None:
            raise NotImplementedError(
                "describe(include=, exclude=): choose columns first, as in df[['x', 'y']].describe()"
            )
        return describe_frame(self, percentiles)

    def agg(self, func: Any, axis: Any = 0, **kwargs: Any) -> Any:
        """Reductions by name: one for all columns, several as a frame, or by column in a dictionary of names."""
        if isinstance(func, str):
            return getattr(self, func)(**kwargs)
        if isinstance(func, dict) and all(isinstance(one, str) for one in func.values()):
            columns = [(encode_label(label), one) for label, one in func.items()]
            values = [getattr(wrap(self._expr.column(name)), one)()._expr for name, one in columns]
            return wrap(self._expr.cells([name for name, _ in columns], [(None, values)]).column_at(0))
        if isinstance(func, list) and all(isinstance(one, str) for one in func):
            columns = [
                (name, [getattr(wrap(self._expr.column(name)), one)()._expr for one in func])
                for name in self._expr.columns
            ]
            return wrap(self._expr.cells(func, columns))
        return over_all(lambda rows: rows.agg(func), self, name="agg")

    aggregate = agg

    def value_counts(
        self,
        subset: Any = None,
        sort: bool = True,
        ascending: bool = False,
        dropna: bool = True,
        normalize: bool = False,
    ) -> Any:
        """How often each row (or each row of `subset`) comes, most often first."""
        frame = self if subset is None else self[subset]
        return value_counts(frame, sort, ascending, dropna, normalize)

    def corr(self, method: str = "pearson", min_periods: Any = None, numeric_only: bool = False) -> Any:
        """The correlations of the columns, each pair over the rows where both are there (gathered, in pandas)."""
        options = {} if min_periods is None else {"min_periods": min_periods}
        return over_all(lambda rows: rows.corr(method=method, numeric_only=numeric_only, **options), self, name="corr")

    def cov(self, min_periods: Any = None, numeric_only: bool = False) -> Any:
        """The covariances of the columns, each pair over the rows where both are there (gathered, in pandas)."""
        return over_all(lambda rows: rows.cov(min_periods=min_periods, numeric_only=numeric_only), self, name="cov")

    def dot(self, other: Any) -> Any:
        """The product with a pandas series or frame labelled by the columns, in pandas for each partition."""
        return over_rows(lambda part: part.dot(other), self, name="dot")

    def memory_usage(self, index: bool = True, deep: bool = False) -> Any:
        """Bytes of each column in pandas' layout (gathered, in pandas)."""
        return over_all(lambda rows: rows.memory_usage(index=index, deep=deep), self, name="memory_usage")

    def memory_usage_per_partition(self, index: bool = True, deep: bool = False) -> Any:
        """Bytes of each partition in pandas' layout, as a series."""
        return self.map_partitions(
            lambda part: int(part.memory_usage(index=index, deep=deep).sum()), meta=(None, "int64")
        )

    @property
    def nbytes(self) -> Any:
        """Bytes of all columns in pandas' layout, as a lazy scalar."""
        return self.memory_usage(index=False).sum()


def refuse_mixture(names: list[str], values: list[Any]) -> None:
    """NotImplementedError where the results of a reduction have no common type short of any object."""
    kinds: dict[str, str] = {}
    for name, value in zip(names, values, strict=True):
        dtype = value.dtype.lower()
        kind = "number" if dtype.startswith(("int", "uint", "float")) else dtype.split("[")[0]
        kinds.setdefault(kind, name)
    if len(kinds) > 1:
        listed = ", ".join(f"{name!r} is of type {kind}" for kind, name in kinds.items())
        raise NotImplementedError(
            f"the results have no common type ({listed}): pass numeric_only=True, or choose columns of one kind"
        )
