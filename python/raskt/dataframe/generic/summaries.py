"""Tables of counts and of statistics."""

from __future__ import annotations

from typing import Any

from ..base.collection import ONLY_COLUMN, as_column, is_frame
from ..base.pandas_methods import gathered
from ..base.partitionwise import over_all
from ..base.registry import wrap
from .elementwise import is_number

QUARTILES = (0.25, 0.5, 0.75)


def value_counts(rows: Any, sort: bool, ascending: bool, dropna: bool, normalize: bool) -> Any:
    """How often each value of a series, or each row of a frame, comes; the values are the index.

    Categories that do not occur have a count as well, which pandas knows.
    """
    if "category" in (rows._expr.dtypes if is_frame(rows) else [rows._expr.dtype]):
        return gathered("value_counts", rows, sort=sort, ascending=ascending, dropna=dropna, normalize=normalize)
    if is_frame(rows):
        frame = rows._expr
        keys = [frame.column_at(at) for at in range(len(frame.columns))]
    else:
        frame = as_column(rows).to_frame(ONLY_COLUMN)
        keys = [frame.column(ONLY_COLUMN).rename(rows._expr.name)]
    output = "proportion" if normalize else "count"
    counted = frame.groupby(keys, [(output, keys[0], "size", {})], sort=is_frame(rows), dropna=dropna)
    if sort:
        counted = counted.sort([counted.column(output)], [ascending])
    counts = counted.column(output)
    return wrap(counts.binary("truediv", counts.reduce("sum")) if normalize else counts)


def statistics(column: Any, percentiles: list[float]) -> list[Any]:
    """The lazy scalars of `describe` for a numeric column."""
    low, high = column.reduce("min"), column.reduce("max")
    middle = [column.reduce("quantile", q=q) for q in percentiles]
    return [column.reduce("count"), column.reduce("mean"), column.reduce("std"), low, *middle, high]


def statistic_names(percentiles: list[float]) -> list[str]:
    """The row labels of `describe`."""
    return ["count", "mean", "std", "min", *(percent_text(q) for q in percentiles), "max"]


def percent_text(q: float) -> str:
    """A quantile as pandas writes it: `25%`, `99.9%`."""
    percent = round(q * 100, 10)
    return f"{int(percent)}%" if percent == int(percent) else f"{percent}%"


def checked_percentiles(percentiles: Any) -> list[float]:
    """The quantiles in order; ValueError for one outside of [0, 1] or met twice."""
    chosen = sorted(float(q) for q in (QUARTILES if percentiles is None else percentiles))
    if chosen and (chosen[0] < 0 or chosen[-1] > 1):
        raise ValueError(f"percentiles should all be in the interval [0, 1]: {chosen}")
    if len(set(chosen)) != len(chosen):
        raise ValueError(f"percentiles cannot contain duplicates: {chosen}")
    return chosen


def describe_series(series: Any, percentiles: Any) -> Any:
    """The statistics of a numeric series, as a series."""
    column = as_column(series)
    if not is_number(column):
        return gathered("describe", series, percentiles=percentiles)
    chosen = checked_percentiles(percentiles)
    frame = column.to_frame(ONLY_COLUMN)
    cells = frame.cells(
        statistic_names(chosen), [(ONLY_COLUMN, as_floats(statistics(frame.column(ONLY_COLUMN), chosen)))]
    )
    return wrap(cells.column(ONLY_COLUMN).rename(series._expr.name))


def describe_frame(frame: Any, percentiles: Any) -> Any:
    """The statistics of the numeric columns of a frame, as a frame."""
    chosen = checked_percentiles(percentiles)
    types = dict(zip(frame._expr.columns, frame._expr.dtypes, strict=True))
    names = [name for name in types if is_number(frame._expr.column(name))]
    if not names or any(one.startswith(("datetime64", "timedelta64")) for one in types.values()):
        return gathered("describe", frame, percentiles=percentiles)
    columns = [(name, as_floats(statistics(frame._expr.column(name), chosen))) for name in names]
    return wrap(frame._expr.cells(statistic_names(chosen), columns))


def as_floats(scalars: list[Any]) -> list[Any]:
    """Scalars of one type, floats."""
    return [scalar.cast("float64") for scalar in scalars]


def pivot_table(frame: Any, index: str, columns: str, values: Any, aggfunc: str) -> Any:
    """A table of aggregates by the values of two columns (gathered, in pandas)."""
    if frame[columns]._expr.dtype != "category":
        raise NotImplementedError(
            f"pivot_table needs known categories in {columns!r}: call categorize first, or compute"
        )
    categories = frame[columns].compute().cat.categories

    def table(rows: Any) -> Any:
        made = rows.pivot_table(index=index, columns=columns, values=values, aggfunc=aggfunc, observed=True)
        return made.reindex(columns=list(categories))

    import pandas as pd

    kind = "int64" if aggfunc in ("count", "size") else "float64"
    meta = pd.DataFrame({label: pd.Series([], dtype=kind) for label in categories})
    return over_all(table, frame, name="pivot_table", meta=meta)
