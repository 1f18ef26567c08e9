"""Reading files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

from ..base.registry import core, wrap
from ..generic.elementwise import dtype_name
from .creation import from_map

#: Options of `read_csv` that the native reader has.
NATIVE_CSV = {
    "sep", "header", "names", "usecols", "dtype", "parse_dates", "na_values", "keep_default_na", "skiprows", "nrows",
    "quotechar", "comment", "encoding", "include_path_column",
}  # fmt: skip
#: Options that change nothing here: blocks are cut by the engine, types are those of all rows.
IGNORED = (
    "blocksize",
    "sample",
    "sample_rows",
    "lineterminator",
    "assume_missing",
    "storage_options",
    "enforce",
    "low_memory",
    "engine",
    "compression",
    "memory_map",
    "cache_dates",
    "dtype_backend",
)


def read_csv(urlpath: Any, *, delimiter: str | None = None, **kwargs: Any) -> Any:
    """A lazy frame of CSV files: a path, a pattern with stars, a folder, or a list of paths.

    Types, missing values and quotes are read as `pandas.read_csv` reads them, from all rows of all files, so that
    there is no `assume_missing` and no surprise in a late row. Options are those of pandas; those without a native
    form (`converters`, `thousands`, `decimal` ...) read each file in pandas, which `explain()` shows.

    Errors: FileNotFoundError for no file, TypeError for an unknown option, ValueError naming the file for a value
    that its `dtype` cannot hold.

    >>> import raskt.dataframe as rd, tempfile
    >>> path = tempfile.mkdtemp() + "/file.csv"
    >>> _ = open(path, "w").write("a,b\\n1,x\\n2,\\n")
    >>> rd.read_csv(path).compute()["a"].tolist()
    [1, 2]
    """
    options = {name: value for name, value in kwargs.items() if name not in IGNORED}
    if delimiter is not None:
        options["sep"] = delimiter
    check_csv_options(options)
    paths = path_argument(urlpath)
    if set(options) <= NATIVE_CSV:
        try:
            frame = wrap(core().frame_read_csv(paths, **native_csv(options)))
            return numbered(frame, options) if without_names(options) else frame
        except NotImplementedError:
            pass
    return read_in_pandas(paths, "read_csv", "csv", options)


def without_names(options: dict[str, Any]) -> bool:
    """Whether the files have no names for their columns, and the call neither."""
    return "header" in options and options["header"] is None and options.get("names") is None


def numbered(frame: Any, options: dict[str, Any]) -> Any:
    """The frame with its columns numbered from 0; the path column keeps its name."""
    path = options.get("include_path_column")
    count = len(frame._expr.columns) - bool(path)
    return frame.set_axis([*range(count), *(["path" if path is True else path] if path else [])], axis=1)


def check_csv_options(options: dict[str, Any]) -> None:
    """TypeError for an option that pandas does not have; NotImplementedError for one that needs all rows in order."""
    import inspect

    import pandas as pd

    known = set(inspect.signature(pd.read_csv).parameters) | {"include_path_column"}
    unknown = sorted(set(options) - known)
    if unknown:
        raise TypeError(f"read_csv() got an unexpected keyword argument {unknown[0]!r}")
    if options.get("index_col") is not None and options["index_col"] is not False:
        raise NotImplementedError("read_csv(index_col=): read without, then call set_index")
    options.pop("index_col", None)
    for name in ("iterator", "chunksize"):
        if options.pop(name, None):
            raise NotImplementedError(f"read_csv({name}=): the frame is lazy and partitioned as it is")


def native_csv(options: dict[str, Any]) -> dict[str, Any]:
    """The options as the native reader takes them; NotImplementedError for a form that only pandas has."""
    result = dict(options)
    if result.get("header", "infer") == "infer":
        result["header"] = None if result.get("names") is not None else 0
    for name in ("names", "usecols", "parse_dates", "na_values"):
        value = result.get(name)
        if value is None or value is False:
            result.pop(name, None)
            continue
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list | tuple) or not all(isinstance(one, str) for one in values):
            raise NotImplementedError(name)
        result[name] = list(values)
    dtype = result.pop("dtype", None)
    if dtype is not None:
        many = hasattr(dtype, "items")
        result["dtype"] = {name: dtype_name(one) for name, one in dtype.items()} if many else dtype_name(dtype)
    if not isinstance(result.get("skiprows", 0), int) or not isinstance(result["header"], int | None):
        raise NotImplementedError("skiprows")
    if result.get("include_path_column") is True:
        result["include_path_column"] = "path"
    elif not result.get("include_path_column", True):
        del result["include_path_column"]
    if result.get("encoding", "utf-8") is None:
        del result["encoding"]
    return {name: value for name, value in result.items() if name in NATIVE_CSV}


def read_parquet(
    path: Any, columns: Any = None, filters: Any = None, categories: Any = None, index: Any = None, **kwargs: Any
) -> Any:
    """A lazy frame of Parquet files: a file, a folder, a pattern with stars, or a list of paths.

    Later choices of columns and rows are pushed into the files. `filters` is a list of `(column, operator, value)`, or
    a list of such lists of which one must hold. The index is the one that pandas wrote, if it did.

    Errors: FileNotFoundError for no file, KeyError for an unknown column; OSError naming the file for one that is
    broken.

    >>> import pandas as pd, raskt.dataframe as rd, tempfile
    >>> path = tempfile.mkdtemp() + "/x.parquet"
    >>> pd.DataFrame({"x": [1, 2, 3], "y": ["a", "b", "c"]}).to_parquet(path)
    >>> rd.read_parquet(path, columns=["x"], filters=[("x", ">", 1)]).compute()["x"].tolist()
    [2, 3]
    """
    one = isinstance(columns, str)
    names = [columns] if one else (None if columns is None else list(columns))
    frame = wrap(core().frame_read_parquet(path_argument(path), columns=names, filters=filters, index=index))
    return frame[columns] if one else frame


def path_argument(path: Any) -> Any:
    """Paths as text: one, or a list."""
    if isinstance(path, list | tuple):
        return [os.fspath(one) for one in path]
    return os.fspath(path)


def found_files(paths: Any, ending: str) -> list[str]:
    """The files that a path, a pattern, a folder or a list means, in order; FileNotFoundError if there is none."""
    import glob

    result: list[str] = []
    for path in paths if isinstance(paths, list) else [paths]:
        if os.path.isdir(path):
            found = [
                one for one in in_order(glob.glob(os.path.join(path, "*"))) if f".{ending}" in os.path.basename(one)
            ]
        elif glob.has_magic(path) and not os.path.exists(path):
            found = in_order(glob.glob(path))
        else:
            found = [path] if os.path.exists(path) else []
        if not found:
            raise FileNotFoundError(2, "No such file, or no file in it", path)
        result += found
    return result


def in_order(paths: list[str]) -> list[str]:
    """Paths in order, numbers in them by their value: `part.2` before `part.10`."""
    return sorted(
        paths, key=lambda path: [int(piece) if piece.isdigit() else piece for piece in re.split(r"([0-9]+)", path)]
    )


class ReadFile:
    """One file, read by a function of pandas."""

    def __init__(self, function: str, options: dict[str, Any], path_column: str | None = None) -> None:
        self.function = function
        self.options = options
        self.path_column = path_column

    def __call__(self, path: str, **more: Any) -> Any:
        """The frame in one file; the file is named in errors."""
        import pandas as pd

        try:
            frame = getattr(pd, self.function)(path, **{**self.options, **more})
        except (ValueError, OSError) as error:
            if hasattr(error, "add_note"):  # from Python 3.11
                error.add_note(f"while reading {path}")
            raise
        return frame if self.path_column is None else frame.assign(**{self.path_column: path})


def read_in_pandas(paths: Any, function: str, ending: str, options: dict[str, Any]) -> Any:
    """A partition for each file, read in pandas; the types are those of the first file."""
    column = options.pop("include_path_column", None)
    reader = ReadFile(function, options, "path" if column is True else column or None)
    files = found_files(paths, ending)
    return from_map(reader, files)


def _reader(name: str, ending: str) -> Callable[..., Any]:
    def read(urlpath: Any, **kwargs: Any) -> Any:
        options = {key: value for key, value in kwargs.items() if key not in IGNORED}
        return read_in_pandas(path_argument(urlpath), name, ending, options)

    read.__name__ = name
    read.__doc__ = (
        f"A lazy frame of files, a partition each, read by `pandas.{name}`; the types are those of the first file."
    )
    return read


read_fwf = _reader("read_fwf", "txt")
read_orc = _reader("read_orc", "orc")
_read_json = _reader("read_json", "json")


def read_table(urlpath: Any, *, delimiter: str = "\t", **kwargs: Any) -> Any:
    """A lazy frame of files of values between tabs; see `read_csv`."""
    return read_csv(urlpath, **{"sep": delimiter, **kwargs})


def read_json(url_path: Any, orient: str = "records", lines: bool | None = None, **kwargs: Any) -> Any:
    """A lazy frame of JSON files, a partition each, read by pandas; by default an object a line."""
    return _read_json(url_path, orient=orient, lines=orient == "records" if lines is None else lines, **kwargs)
