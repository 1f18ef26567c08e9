"""Frames as arrays and as Arrow tables."""

from __future__ import annotations

from typing import Any

from raskt._core import NotNative

from ..base.collection import is_frame
from ..base.registry import wrap


def to_array(rows: Any, lengths: Any, meta: Any = None) -> Any:
    """The values as a lazy array of a block for each partition; `meta`, an example of a block, can be NumPy's only."""
    import numpy as np

    from raskt.array import Array

    if meta is not None and not isinstance(meta, np.ndarray):
        raise NotImplementedError(f"to_array(meta={type(meta).__name__}): blocks are arrays of NumPy")
    frame = rows._expr if is_frame(rows) else rows._as_frame()
    try:
        made = Array(frame.to_array(lengths if lengths is None or isinstance(lengths, bool) else list(lengths)))
    except NotNative:
        if is_frame(rows):
            raise
        kind = f"values of {rows.dtype}, and lazy arrays hold numbers: convert them by astype first"
        raise NotImplementedError(kind) from None
    if lengths is True and made.shape[0] != made.shape[0]:  # unknown lengths are NaN
        made = Array(frame.to_array(partition_lengths(frame)))
    return made if is_frame(rows) else made[:, 0]


def partition_lengths(frame: Any) -> list[int]:
    """The rows of each partition, computed."""
    first = wrap(frame.project(frame.columns[:1]))
    return [int(length) for length in first.map_partitions(len, meta=(None, "int64")).compute()]


def to_arrow(frame: Any) -> Any:
    """The computed rows as a `pyarrow.Table`."""
    import pyarrow as pa

    return pa.Table.from_pandas(frame.compute())
