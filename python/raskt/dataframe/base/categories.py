"""Categories that nobody knows before they are computed: found once, of all rows at the place where they were made.

`astype("category")`, files and functions of users give columns whose plan does not say the categories. pandas has those
of all rows there, whatever is done to the rows afterwards. So the first operation that leaves rows out, or that reads
such a column, computes them (see `Collection._expr`), and goes on from a plan that says them. A collection that is
computed as it is needs none of this, nor does what keeps all rows (new columns, other partitions) or reads other
columns: they take the plan as it was made (`Collection._plan`).
"""

from __future__ import annotations

from typing import Any

from .meta import empty
from .partitionwise import over_partitions, over_rows
from .registry import kind_of, wrap
from .storage import is_plain
from .unknown import finding, leaving_unknown, unknown_columns


@finding
def with_found_categories(expression: Any) -> Any:
    """The same rows by a plan that says their categories, which are computed now."""
    if kind_of(expression) == "frame":
        columns = unknown_columns(expression)
        known = known_columns([column for _, column in columns])
        return expression.assign([(name, one) for (name, _), one in zip(columns, known, strict=True)])
    return known_columns([expression])[0]


def known_columns(columns: list[Any]) -> list[Any]:
    """Columns with the categories of all their rows; these are computed together."""
    import raskt

    with leaving_unknown():
        each = [wrap(column) for column in columns]
        metas = [value_meta(column) for column in each]
        distinct = [
            without_repeats(over_partitions(distinct_values, (column,), {}, name="categories", meta=meta))
            for column, meta in zip(each, metas, strict=True)
        ]
    found = raskt.compute(*distinct)
    with leaving_unknown():
        known = []
        for column, values in zip(each, found, strict=True):
            meta = in_categories(column, values)
            known.append(over_rows(WithCategories(meta.dtype), column, name="categories", meta=meta)._plan)
    return known


def without_repeats(values: Any) -> Any:
    """The distinct values of all partitions where the engine tells which are equal, else those of each partition."""
    return values.drop_duplicates() if is_plain(values.dtype) else values


def value_meta(column: Any) -> Any:
    """The empty series of the values of a column of categories."""
    import pandas as pd

    rows = empty(column)
    kind = "str" if rows.dtype.categories is None else rows.dtype.categories.dtype
    return pd.Series([], dtype=kind, index=rows.index, name=rows.name)


def in_categories(column: Any, values: Any) -> Any:
    """The empty series of a column whose values are these."""
    import pandas as pd

    rows = empty(column)
    dtype = pd.CategoricalDtype(None, bool(rows.dtype.ordered))
    return pd.Series([], index=rows.index, name=rows.name, dtype=values.astype(dtype).dtype)


def distinct_values(part: Any) -> Any:
    """The values that occur in a partition, in the order in which they do."""
    values = part.dropna().drop_duplicates()
    return values.astype(values.cat.categories.dtype)


class WithCategories:
    """The values of a partition in the categories of all; it can be sent to a worker process."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype

    def __call__(self, part: Any) -> Any:
        """See the class."""
        found = part.cat.set_categories(self.dtype.categories, ordered=self.dtype.ordered)
        if int(found.isna().sum()) != int(part.isna().sum()):
            raise ValueError(
                "the values of a column of categories are others than when its categories were computed: rows must be "
                "the same each time, or give the categories to astype"
            )
        return found
