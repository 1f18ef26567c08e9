"""The functions of Dask's shuffle by tasks, for frames of pandas whose columns in question are plain numbers.

Each takes what Dask's own function takes and gives the same. What it doesn't know it hands over to that function.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from dask.dataframe.dask_expr._shuffle import AssignPartitioningIndex, SimpleShuffle
from dask.dataframe.dispatch import group_split_dispatch
from pandas.core.util.hashing import combine_hash_arrays

PARTS = "_partitions"
"""The column that says where each row goes."""


def assign_parts(df: Any, index: Any, name: str, npartitions: int, meta: Any, index_shuffle: bool) -> Any:
    """The frame with a column that says into which of `npartitions` parts each row goes, by the columns `index`."""
    columns = None if index_shuffle else _numbers(df, index, meta)
    if columns is None:
        return AssignPartitioningIndex.operation(df, index, name, npartitions, meta, index_shuffle)
    hashes = (pd.util.hash_array(column) for column in columns)
    parts = combine_hash_arrays(hashes, len(columns)) % int(npartitions)
    # The type that Dask takes, which has a sign.
    return df.assign(**{name: parts.astype(np.min_scalar_type(-npartitions - 1))})


def _numbers(df: Any, names: Any, meta: Any) -> list[Any] | None:
    """The columns `names` as arrays of doubles, as Dask hashes them; nothing if they aren't all plain numbers."""
    names = names if isinstance(names, list) else [names]
    if not names or type(df) is not pd.DataFrame or type(meta) is not pd.DataFrame:
        return None
    columns = []
    for name in names:
        if not isinstance(name, str) or name not in df.columns or name not in meta.columns:
            return None
        column = df[name]
        if not _is_numeric(column) or not _is_numeric(meta[name]):
            return None
        columns.append(column.to_numpy().astype(np.float64))
    return columns


def _is_numeric(column: Any) -> bool:
    """Whether it is one column (and not several of the same name), of numbers in an array of NumPy."""
    return type(column) is pd.Series and isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf"


def split(
    df: Any, only: Any, by: Any, stage: int, k: int, npartitions: int, ignore_index: bool, nfinal: int
) -> dict[int, Any]:
    """The rows of the frame by the digit at `stage` of the part that they go to, written to the base `k`."""
    parts: Any = df[PARTS] if isinstance(by, str) and by == PARTS and type(df) is pd.DataFrame else None
    if not _is_numeric(parts) or parts.dtype.kind != "i":
        theirs: dict[int, Any] = SimpleShuffle._shuffle_group(df, only, by, stage, k, npartitions, ignore_index, nfinal)
        return theirs
    digits = parts.to_numpy().astype(np.intp) % npartitions // k**stage % k
    pieces = group_split_dispatch(df, digits, k, ignore_index=ignore_index)
    return pieces if only is None else {part: piece for part, piece in pieces.items() if part in only}
