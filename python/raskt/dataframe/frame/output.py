"""What frames become: files, arrays, Arrow tables, delayed parts."""

from __future__ import annotations

from typing import Any

from ..base.mixin import Mixin
from ..io.arrays import to_array, to_arrow
from ..io.creation import from_dict
from ..io.write import write_csv, write_parquet, write_parts


class FrameOutput(Mixin):
    """The part of `DataFrame` about output."""

    __slots__ = ()

    def to_parquet(
        self,
        path: Any,
        compression: str | None = "snappy",
        write_index: bool | None = None,
        overwrite: bool = False,
        append: bool = False,
        partition_on: Any = None,
        compute: bool = True,
        compute_kwargs: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Write a folder of Parquet files, one for each partition: `part.0.parquet` and so on.

        The index is written unless `write_index=False` (a plain numbering as metadata only, as pandas does it).
        FileExistsError where the folder holds Parquet files already, unless `overwrite=True`.

        >>> import pandas as pd, raskt.dataframe as rd, tempfile
        >>> folder = tempfile.mkdtemp() + "/data"
        >>> paths = rd.from_pandas(pd.DataFrame({"x": [1, 2, 3]}), npartitions=2).to_parquet(folder)
        >>> rd.read_parquet(folder)["x"].compute().tolist()
        [1, 2, 3]
        """
        return write_parquet(
            self,
            path,
            compression=compression,
            write_index=write_index,
            overwrite=overwrite,
            append=append,
            partition_on=partition_on,
            compute=compute,
            compute_kwargs=compute_kwargs,
            **kwargs,
        )

    def to_csv(
        self, filename: Any, single_file: bool = False, compute: bool = True, compute_kwargs: Any = None, **kwargs: Any
    ) -> Any:
        """Write CSV: a file for each partition in a folder, or, with a `*` in the name, files numbered there.

        `single_file=True` writes one file. Other options (`sep`, `index`, `header`, ...) are those of
        `pandas.DataFrame.to_csv`. Gives the paths that were written.
        """
        return write_csv(self, filename, single_file, compute, compute_kwargs, kwargs)

    def to_json(
        self, filename: Any, orient: str = "records", lines: bool = True, compute: bool = True, **kwargs: Any
    ) -> Any:
        """Write JSON, a file for each partition, by pandas."""
        return write_parts(
            self, filename, "json", lambda part, name: part.to_json(name, orient=orient, lines=lines, **kwargs), compute
        )

    def to_orc(self, path: Any, compute: bool = True, **kwargs: Any) -> Any:
        """Write ORC, a file for each partition, by pandas."""
        return write_parts(self, path, "orc", lambda part, name: part.to_orc(name, **kwargs), compute)

    def to_array(self, lengths: Any = None, meta: Any = None) -> Any:
        """The values as a lazy two-dimensional array, a block for each partition.

        The block lengths are unknown unless `lengths=True`, which computes them now, or a list that says them.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> rd.from_pandas(pd.DataFrame({"x": [1.0, 2.0], "y": [3.0, 4.0]}), npartitions=2).to_array(lengths=True).shape
        (2, 2)
        """
        return to_array(self, lengths)

    to_dask_array = to_array

    def to_arrow(self) -> Any:
        """The computed rows as a `pyarrow.Table`, the index as pandas writes it to Parquet."""
        return to_arrow(self)

    def to_records(self, index: bool = False, lengths: Any = None) -> Any:
        """The computed rows as a NumPy record array."""
        return self.compute().to_records(index=index)

    @staticmethod
    def from_dict(data: dict[str, Any], npartitions: int = 1, **kwargs: Any) -> Any:
        """A lazy frame of a dictionary of columns; see `raskt.dataframe.from_dict`."""
        return from_dict(data, npartitions=npartitions, **kwargs)

    def to_pandas(self) -> Any:
        """The computed frame; the same as `compute()`."""
        return self.compute()
