"""A few rows of a type, on which functions show the types that they give."""

from __future__ import annotations

from typing import Any

#: Rows of a sample: two, so that functions which need more than one row work on it.
SAMPLE_ROWS = 2


def sample(meta: Any, variant: int = 0) -> Any:
    """The object without rows, with a few ordinary ones; other ones for another `variant`."""
    import pandas as pd

    if isinstance(meta, pd.DataFrame):
        index = sample_index(meta.index, variant)
        values = [sample_values(meta.iloc[:, at].dtype, variant) for at in range(meta.shape[1])]
        columns = {at: pd.Series(one, index=index, dtype=one.dtype) for at, one in enumerate(values)}
        return pd.DataFrame(columns, index=index).set_axis(meta.columns, axis=1)
    if isinstance(meta, pd.Series):
        values = sample_values(meta.dtype, variant)
        return pd.Series(values, index=sample_index(meta.index, variant), name=meta.name, dtype=values.dtype)
    return sample_index(meta, variant)


def with_missing(rows: Any, can_miss: list[bool] | None = None) -> Any:
    """The sample with a missing value in the last row of each column, or of those that can miss one, if its type has
    any."""
    import numpy as np
    import pandas as pd

    present = [True] * (len(rows) - 1) + [False] * min(len(rows), 1)
    if isinstance(rows, pd.Series):
        dtype = rows.dtype.subtype if isinstance(rows.dtype, pd.IntervalDtype) else rows.dtype
        is_full = isinstance(dtype, np.dtype) and dtype.kind in "biu"
        return rows if is_full or (can_miss is not None and not can_miss[0]) else rows.where(present)
    if isinstance(rows, pd.DataFrame):
        each = [True] * rows.shape[1] if can_miss is None else can_miss
        columns = {at: with_missing(rows.iloc[:, at], [misses]) for at, misses in enumerate(each)}
        return pd.DataFrame(columns, index=rows.index).set_axis(rows.columns, axis=1)
    return rows


def sample_index(index: Any, variant: int = 0) -> Any:
    """The labels of a sample."""
    import pandas as pd

    if isinstance(index, pd.MultiIndex):
        levels = [sample_values(level.dtype, variant) for level in index.levels]
        return pd.MultiIndex.from_arrays(levels, names=index.names)
    if isinstance(index, pd.RangeIndex):
        return pd.RangeIndex(SAMPLE_ROWS, name=index.name)
    values = sample_values(index.dtype, variant)
    return pd.Index(values, name=index.name, dtype=values.dtype)


def sample_values(dtype: Any, variant: int = 0) -> Any:
    """Two different values of a type, in order; none of them zero, so that it can be divided by them."""
    import numpy as np
    import pandas as pd

    if isinstance(dtype, pd.CategoricalDtype):
        return sample_categories(dtype, variant)
    if isinstance(dtype, pd.IntervalDtype):
        bounds = sample_values(np.dtype("int64") if dtype.subtype is None else dtype.subtype, variant)
        return pd.arrays.IntervalArray.from_arrays(bounds, bounds, closed=dtype.closed or "right")
    if isinstance(dtype, pd.PeriodDtype):
        return pd.PeriodIndex.from_ordinals([1 + variant, 2 + variant], freq=dtype.freq).array
    days = [pd.Timestamp(2000, 1, 1 + variant), pd.Timestamp(2000, 1, 2 + variant)]
    zone = getattr(dtype, "tz", None)
    candidates: list[list[Any]] = [
        [False, True] if pd.api.types.is_bool_dtype(dtype) else [1 + variant, 2 + variant],
        ["ab"[variant], "bc"[variant]],
        [day.tz_localize(zone) for day in days] if zone else days,
        [day - pd.Timestamp(1999, 12, 31) for day in days],
        [day.date() for day in days],
        [b"a", b"b"],
        [None, None],
    ]
    if isinstance(dtype, np.dtype):
        place = {"M": 2, "m": 3, "O": 1}.get(dtype.kind, 0)
        return pd.Series(candidates[place], dtype=dtype).array
    order = candidates[1:2] + candidates if isinstance(dtype, pd.StringDtype) else candidates
    for values in (candidates[2:3] if isinstance(dtype, pd.DatetimeTZDtype) else []) + order:
        try:
            return pd.array(values, dtype=dtype)
        except (TypeError, ValueError, NotImplementedError, ArithmeticError):
            continue
    return dtype.construct_array_type()._from_sequence([dtype.na_value] * SAMPLE_ROWS, dtype=dtype)


def sample_categories(dtype: Any, variant: int) -> Any:
    """Two values of categories: the first ones if they are known."""
    import pandas as pd

    if dtype.categories is not None and len(dtype.categories):
        last = len(dtype.categories) - 1
        return pd.Categorical.from_codes([min(variant, last), min(1 + variant, last)], dtype=dtype)
    kind = "str" if dtype.categories is None else dtype.categories.dtype
    categories = pd.Index(sample_values(pd.api.types.pandas_dtype(kind), variant), dtype=kind)
    return pd.Categorical.from_codes([0, 1], categories=categories, ordered=bool(dtype.ordered))
