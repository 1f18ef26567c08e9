"""Tables of counts and of statistics."""

from __future__ import annotations

from typing import Any

from ..base.collection import ONLY_COLUMN, as_column, is_frame
from ..base.meta import dtypes_of, empty
from ..base.pandas_methods import gathered
from ..base.registry import wrap
from ..base.storage import is_plain
from .elementwise import is_number
from .ordering import check_order

QUARTILES = (0.25, 0.5, 0.75)


def value_counts(rows: Any, sort: bool, ascending: bool, dropna: bool, normalize: bool) -> Any:
    """How often each value of a series, or each row of a frame, comes; the values are the index.

    Categories that do not occur have a count as well, which pandas knows.
    """
    if sort:
        check_order(ascending, None, "last", [None])
        ascending = bool(ascending[0] if isinstance(ascending, list | tuple) else ascending)
    if not all(map(is_plain, dtypes_of(empty(rows)))):
        return gathered("value_counts", rows, sort=sort, ascending=ascending, dropna=dropna, normalize=normalize)
    if is_frame(rows):
        frame = rows._expr
        keys = [frame.column_at(at) for at in range(len(frame.columns))]
    else:
        frame = as_column(rows).to_frame(ONLY_COLUMN)
        keys = [frame.column(ONLY_COLUMN).rename(rows._plan.name)]
    output = "proportion" if normalize else "count"
    counted = frame.groupby(keys, [(output, keys[0], "size", {})], sort=False, dropna=dropna)
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
    import pandas as pd

    # pandas writes them with as many digits as tell them apart.
    return list(pd.Series([0.0]).describe(percentiles=percentiles).index)


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
    if not is_described(column):
        return gathered("describe", series, percentiles=percentiles)
    chosen = checked_percentiles(percentiles)
    frame = column.to_frame(ONLY_COLUMN)
    cells = frame.cells(
        statistic_names(chosen), [(ONLY_COLUMN, as_floats(statistics(frame.column(ONLY_COLUMN), chosen)))]
    )
    return wrap(cells.column(ONLY_COLUMN).rename(series._plan.name))


def is_described(column: Any) -> bool:
    """Whether the statistics of a column are native: pandas rounds those of narrow floats on the way."""
    return column.codec is None and is_number(column) and column.dtype != "float32"


def describe_frame(frame: Any, percentiles: Any) -> Any:
    """The statistics of the numeric columns of a frame, as a frame."""
    chosen = checked_percentiles(percentiles)
    types = dict(zip(frame._plan.columns, frame._expr.dtypes, strict=True))
    names = [name for name in types if is_number(frame._expr.column(name))]
    exact = all(is_described(frame._expr.column(name)) for name in names)
    times = any(one.startswith(("datetime", "timedelta")) for one in types.values())
    if not names or not exact or any(frame._expr.codecs) or times:
        return gathered("describe", frame, percentiles=percentiles)
    columns = [(name, as_floats(statistics(frame._expr.column(name), chosen))) for name in names]
    return wrap(frame._expr.cells(statistic_names(chosen), columns))


def as_floats(scalars: list[Any]) -> list[Any]:
    """Scalars of one type, floats."""
    return [scalar.cast("float64") for scalar in scalars]
