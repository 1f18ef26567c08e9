"""Rows of pandas with the types that columns and labels have where one of their values is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

#: What stands for the first level of row labels among the numbers of columns; others are below it.
LABELS = -1


def loosened(rows: Any, places: Sequence[int]) -> Any:
    """Rows with floats for integers, and objects for truth values, at `places`: numbers of columns, and of levels below
    them."""
    import pandas as pd

    levels = {LABELS - at for at in places if at <= LABELS}
    columns = [at for at in places if at > LABELS]
    if levels:
        rows = rows.set_axis(with_levels(rows.index, levels, as_if_missing), axis=0)
    if isinstance(rows, pd.MultiIndex):
        return with_levels(rows, set(columns), as_if_missing)
    if not columns:
        return rows
    return as_if_missing(rows) if rows.ndim == 1 else of_loose_types(rows, columns)


def as_if_missing(values: Any) -> Any:
    """Integers as floats, truth values as objects; others as they are."""
    dtype = loose_type(values.dtype)
    return values if dtype is None else values.astype(dtype)


def loose_type(dtype: Any) -> Any:
    """The type that integers and truth values have where one is missing; None for other types."""
    return {"i": "float64", "u": "float64", "b": object}.get(dtype.kind) if dtype.kind in "iub" else None


def of_loose_types(rows: Any, columns: list[int]) -> Any:
    """A frame with such types in some columns, which are set at once: one by one, each would move the others."""
    dtypes = {at: loose_type(rows.dtypes.iloc[at]) for at in columns}
    changed = {at: dtype for at, dtype in dtypes.items() if dtype is not None}
    if not changed:
        return rows
    return rows.set_axis(range(rows.shape[1]), axis=1).astype(changed).set_axis(rows.columns, axis=1)


def with_levels(index: Any, levels: set[int], change: Callable[[Any], Any]) -> Any:
    """Labels with some levels changed."""
    import pandas as pd

    if index.nlevels == 1:
        return change(index)
    each = [index.get_level_values(level) for level in range(index.nlevels)]
    return pd.MultiIndex.from_arrays(
        [change(values) if at in levels else values for at, values in enumerate(each)], names=index.names
    )


def with_truth(rows: Any, places: Sequence[int]) -> Any:
    """A sample of two rows, with truth values as objects at `places`."""
    import pandas as pd

    levels = {LABELS - at for at in places if at <= LABELS}
    columns = {at for at in places if at > LABELS}
    truth = lambda values: type(values)([False, True], dtype=object, name=values.name)
    if levels:
        rows = rows.set_axis(with_levels(rows.index, levels, truth), axis=0)
    if isinstance(rows, pd.Index):
        return with_levels(rows, columns, truth)
    if not columns:
        return rows
    new = pd.Series([False, True], index=rows.index, dtype=object)
    if rows.ndim == 1:
        return new.rename(rows.name)
    every = {at: new if at in columns else rows.iloc[:, at] for at in range(rows.shape[1])}
    return pd.DataFrame(every, index=rows.index).set_axis(rows.columns, axis=1)
