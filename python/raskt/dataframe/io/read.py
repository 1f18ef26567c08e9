"""Files of other formats, read by pandas: a task and a partition for each file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .creation import from_pandas
from .csv import REFUSED, in_pandas
from .files import FileReader, read_files
from .options import NO_DEFAULT, given, refuse
from .paths import found_files, path_argument


def read_fwf(
    filepath_or_buffer: Any,
    *,
    colspecs: Sequence[tuple[int, int]] | str | None = "infer",
    widths: Sequence[int] | None = None,
    infer_nrows: int = 100,
    iterator: bool = False,
    chunksize: int | None = None,
    include_path_column: bool | str = False,
    **kwds: Any,
) -> Any:
    """A lazy frame of files with columns of fixed width, a partition each, read by pandas.

    Parameters
    ----------
    filepath_or_buffer : path, list of paths, or file object
        A file, a folder, a pattern with stars, or a list of them.
    colspecs, widths, infer_nrows, **kwds : as in pandas
        All are handed to `pandas.read_fwf`.
    include_path_column : bool or str, default False
        Whether a column, `path` or one of this name, says which file a row comes from.

    Returns
    -------
    DataFrame
        With the types that one file with the rows of all would have.

    Raises
    ------
    FileNotFoundError
        Where there is no file.
    NotImplementedError
        For files whose types can't be told without reading them as one, and for `iterator` and `chunksize`.

    Examples
    --------
    >>> import raskt.dataframe as rd, tempfile
    >>> path = tempfile.mkdtemp() + "/file.txt"
    >>> _ = open(path, "w").write("a  b\\n1  x\\n22 y\\n")
    >>> rd.read_fwf(path).compute()["a"].tolist()
    [1, 22]
    """
    arguments = locals()
    options = {**given(read_fwf, {**arguments, "kwds": None}), **kwds}
    options.pop("kwds", None)
    return _read("read_fwf", filepath_or_buffer, options, (".txt", ".fwf"), as_text=True)


def read_json(
    path_or_buf: Any,
    *,
    orient: str | None = "records",
    typ: str = "frame",
    dtype: Any = None,
    convert_axes: bool | None = None,
    convert_dates: Any = NO_DEFAULT,
    keep_default_dates: Any = NO_DEFAULT,
    precise_float: bool = False,
    date_unit: str | None = None,
    encoding: str | None = None,
    encoding_errors: str | None = "strict",
    lines: bool | None = None,
    chunksize: int | None = None,
    compression: Any = "infer",
    nrows: int | None = None,
    storage_options: Any = None,
    dtype_backend: Any = NO_DEFAULT,
    engine: str = "ujson",
    blocksize: Any = None,
    sample: Any = 2**20,
    meta: Any = None,
    include_path_column: bool | str = False,
) -> Any:
    """A lazy frame of JSON files, a partition each, read by pandas.

    As Dask, and unlike pandas, it takes `orient="records"` and then an object a line unless told otherwise. A file that
    turns out to be one document is a ValueError then.

    Parameters
    ----------
    path_or_buf : path, list of paths, or file object
        A file, a folder, a pattern with stars, or a list of them.
    orient : str, default 'records'
        How the objects are laid out, as in pandas.
    lines : bool, optional
        Whether each line is an object; by default if `orient` is 'records'.
    typ, dtype, convert_axes, ... : as in pandas
        All are handed to `pandas.read_json`.
    sample : int
        For programs written for Dask. All rows are looked at, so that it makes no difference.
    include_path_column : bool or str, default False
        Whether a column, `path` or one of this name, says which file a row comes from.

    Returns
    -------
    DataFrame
        A partition for each file.

    Raises
    ------
    FileNotFoundError
        Where there is no file.
    NotImplementedError
        For files with other types, `chunksize`, `blocksize`, `meta` and `typ='series'`.

    Examples
    --------
    >>> import raskt.dataframe as rd, tempfile
    >>> path = tempfile.mkdtemp() + "/file.json"
    >>> _ = open(path, "w").write('{"a": 1}\\n{"a": 2}\\n')
    >>> rd.read_json(path).compute()["a"].tolist()
    [1, 2]
    """
    options = given(read_json, locals())
    options.pop("sample", None)
    refuse(
        "read_json",
        options,
        {
            "blocksize": "each file is a partition; use repartition afterwards",
            "meta": "types are those of all rows; use astype afterwards",
            "typ": "read a frame and choose its column",
        },
    )
    options["orient"], options["lines"] = orient, orient == "records" if lines is None else lines
    read = RecordsOfLines() if lines is None and orient == "records" else None
    return _read("read_json", path_or_buf, options, (".json", ".jsonl", ".ndjson"), read=read)


class RecordsOfLines:
    """`pandas.read_json` of files that nobody said to have a record a line: ValueError for one that has not.

    It can be sent to a worker process.
    """

    def __call__(self, source: Any, **options: Any) -> Any:
        """The rows of a file."""
        import pandas as pd

        rows = pd.read_json(source, **options)
        nested = len(rows) == 1 and all(isinstance(value, dict | list) for value in rows.iloc[0]) and rows.shape[1] > 0
        if nested or not all(isinstance(label, str) for label in rows.columns):
            raise ValueError(
                "the file is one JSON document, and has no record a line, which read_json takes it to have by default: "
                "pass lines=False and the orient that it was written with, such as pandas' 'columns', or lines=True if "
                "each line is a record after all"
            )
        return rows


def read_orc(
    path: Any,
    columns: list[str] | None = None,
    dtype_backend: Any = NO_DEFAULT,
    filesystem: Any = None,
    *,
    engine: str | None = None,
    index: Any = None,
    split_stripes: Any = 1,
    aggregate_files: Any = None,
    storage_options: Any = None,
) -> Any:
    """A lazy frame of ORC files, a partition each, read by pandas.

    Parameters
    ----------
    path : path or list of paths
        A file, a folder, a pattern with stars, or a list of them.
    columns : list of str, optional
        The columns to read.
    dtype_backend, filesystem : as in pandas
        Handed to `pandas.read_orc`.
    index : str or False, optional
        The column that becomes the index.

    Returns
    -------
    DataFrame
        A partition for each file.

    Raises
    ------
    FileNotFoundError
        Where there is no file.
    NotImplementedError
        For `split_stripes`, `aggregate_files` and `storage_options`.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd, tempfile
    >>> path = tempfile.mkdtemp() + "/file.orc"
    >>> pd.DataFrame({"a": [1, 2]}).to_orc(path)
    >>> rd.read_orc(path).compute()["a"].tolist()
    [1, 2]
    """
    options = given(read_orc, locals())
    refuse(
        "read_orc",
        options,
        {
            "split_stripes": "each file is a partition; use repartition afterwards",
            "aggregate_files": "each file is a partition; use repartition afterwards",
            "storage_options": "pass filesystem=",
        },
    )
    if options.pop("engine", None) not in (None, "pyarrow"):
        raise NotImplementedError("read_orc(engine=): files are read by pyarrow")
    options.pop("index", None)
    frame = _read("read_orc", path, options, (".orc",))
    return frame.set_index(index, sort=False) if index else frame


def read_hdf(
    path_or_buf: Any,
    key: str | None = None,
    mode: str = "r",
    errors: str = "strict",
    where: Any = None,
    start: int | None = None,
    stop: int | None = None,
    columns: list[str] | None = None,
    iterator: bool = False,
    chunksize: int | None = None,
    **kwargs: Any,
) -> Any:
    """A lazy frame of HDF5 files, a partition each, read by pandas.

    Parameters
    ----------
    path_or_buf : path or list of paths
        A file, a folder, a pattern with stars, or a list of them.
    key, mode, errors, where, start, stop, columns, **kwargs : as in pandas
        All are handed to `pandas.read_hdf`, which needs the package `tables`.

    Returns
    -------
    DataFrame
        A partition for each file.

    Raises
    ------
    FileNotFoundError
        Where there is no file.
    NotImplementedError
        For `iterator` and `chunksize`.

    Examples
    --------
    >>> import raskt.dataframe as rd
    >>> rd.read_hdf("data/*.h5", key="rows").compute()  # doctest: +SKIP
    """
    arguments = locals()
    options = {**given(read_hdf, {**arguments, "kwargs": None}), **kwargs}
    options.pop("kwargs", None)
    return _read("read_hdf", path_or_buf, options, (".h5", ".hdf", ".hdf5"))


def _read(
    function: str,
    source: Any,
    options: dict[str, Any],
    endings: tuple[str, ...],
    as_text: bool = False,
    read: Any = None,
) -> Any:
    """The frame of the files that `pandas.<function>`, or `read` in its place, reads with `options`."""
    options = dict(options)
    refuse(function, options, REFUSED)
    column = options.pop("include_path_column", None)
    if hasattr(source, "read"):
        rows = in_pandas(function, options)(source) if read is None else read(source, **options)
        return from_pandas(rows, npartitions=1, sort=False)
    plain = as_text and "converters" not in options and "parse_dates" not in options
    reader = FileReader(
        function,
        in_pandas(function, {}) if read is None else read,
        options,
        path_column="path" if column is True else column or None,
        as_text=plain,
    )
    return read_files(reader, found_files(path_argument(source), endings), options.get("nrows"))
