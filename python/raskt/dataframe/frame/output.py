"""What frames become: files, arrays, Arrow tables, delayed parts."""

from __future__ import annotations

from typing import Any

from ..base.mixin import Mixin
from ..io.arrays import to_array, to_arrow
from ..io.creation import from_dict, from_pandas
from ..io.memory import frame_to_string, to_html, to_records
from ..io.write import to_csv, to_json, to_orc
from ..io.write_parquet import to_parquet


class FrameOutput(Mixin):
    """The part of `DataFrame` about output."""

    __slots__ = ()

    to_csv = to_csv
    to_json = to_json
    to_orc = to_orc
    to_parquet = to_parquet

    def to_array(self, lengths: Any = None, meta: Any = None) -> Any:
        """The values as a lazy two-dimensional array, a block for each partition.

        The block lengths are unknown unless `lengths=True`, which computes them now, or a list that says them.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> rd.from_pandas(pd.DataFrame({"x": [1.0, 2.0], "y": [3.0, 4.0]}), npartitions=2).to_array(lengths=True).shape
        (2, 2)
        """
        return to_array(self, lengths, meta)

    to_dask_array = to_array

    def to_arrow(self) -> Any:
        """The computed rows as a `pyarrow.Table`, the index as pandas writes it to Parquet."""
        return to_arrow(self)

    to_html = to_html
    to_records = to_records
    to_string = frame_to_string

    @staticmethod
    def from_dict(
        data: dict[Any, Any], orient: str = "columns", dtype: Any = None, columns: Any = None, *, npartitions: int = 1
    ) -> Any:
        """A lazy frame of a dictionary; see `raskt.dataframe.from_dict`."""
        return from_dict(data, npartitions, orient, dtype, columns)

    @staticmethod
    def from_records(
        data: Any,
        index: Any = None,
        exclude: Any = None,
        columns: Any = None,
        coerce_float: bool = False,
        nrows: int | None = None,
        *,
        npartitions: int = 1,
    ) -> Any:
        """A lazy frame of rows in memory: tuples, dictionaries, or a NumPy record array, as pandas makes it.

        Parameters
        ----------
        data, index, exclude, columns, coerce_float, nrows : as in pandas
            What the rows are, and which of their fields are labels and columns.
        npartitions : int, default 1
            Partitions of the frame.

        Returns
        -------
        DataFrame
            The rows in order, in `npartitions` equal parts.

        Examples
        --------
        >>> import raskt.dataframe as rd
        >>> rd.DataFrame.from_records([(1, "a"), (2, "b")], columns=["x", "y"])["y"].compute().tolist()
        ['a', 'b']
        """
        import pandas as pd

        made = pd.DataFrame.from_records(data, index, exclude, columns, coerce_float, nrows)
        return from_pandas(made, npartitions=npartitions, sort=False)

    def to_pandas(self) -> Any:
        """The computed frame; the same as `compute()`."""
        return self.compute()
