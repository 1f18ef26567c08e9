"""Frames as arrays and as Arrow tables."""

from __future__ import annotations

from typing import Any


def to_array(rows: Any, lengths: Any) -> Any:
    """The values as a lazy array of a block for each partition."""
    from raskt import array

    from ._frame import DataFrame

    is_frame = isinstance(rows, DataFrame)
    frame = rows._expr if is_frame else rows._as_frame()
    made = array.Array(frame.to_array(lengths if lengths is None or lengths is True else list(lengths)))
    if lengths is True:
        made = made.compute_chunk_sizes()
    return made if is_frame else made[:, 0]


def to_arrow(frame: Any) -> Any:
    """The computed rows as a `pyarrow.Table`."""
    import pyarrow as pa

    return pa.Table.from_pandas(frame.compute())
