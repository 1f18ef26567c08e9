"""CSV files and other texts of values."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

from ..base.collection import Collection
from ..base.registry import core, wrap
from ..generic.elementwise import dtype_name
from .creation import from_pandas
from .files import FileReader, read_files
from .options import NO_DEFAULT, given, refuse, with_parameters_of
from .paths import found_files, is_remote, path_argument

#: Arguments that the native reader understands; what it doesn't understand of their values is left to pandas, as is
#: `nrows`: the engine parses fields behind the last row too, which may be of other types.
NATIVE = {
    "sep",
    "header",
    "names",
    "usecols",
    "dtype",
    "parse_dates",
    "na_values",
    "skiprows",
    "quotechar",
    "comment",
}
#: Arguments about how pandas works, which change no answer.
WITHOUT_EFFECT = {"low_memory", "memory_map", "cache_dates"}
#: Arguments of Dask, and those that are settled before a file is opened.
OWN = {"blocksize", "sample", "assume_missing", "include_path_column"}
#: What cannot be had of a lazy frame.
REFUSED = {
    "iterator": "the frame is lazy and partitioned as it is; use partitions or to_delayed",
    "chunksize": "the frame is lazy and partitioned as it is; use blocksize= or repartition",
}
ENDINGS = (".csv", ".txt", ".tsv", ".tbl")


def read_csv(
    filepath_or_buffer: Any,
    *,
    sep: Any = NO_DEFAULT,
    delimiter: Any = NO_DEFAULT,
    header: int | Sequence[int] | str | None = "infer",
    names: Any = NO_DEFAULT,
    index_col: Any = None,
    usecols: Any = None,
    dtype: Any = None,
    engine: str | None = None,
    converters: Mapping[Any, Callable[..., Any]] | None = None,
    true_values: list[Any] | None = None,
    false_values: list[Any] | None = None,
    skipinitialspace: bool = False,
    skiprows: Any = None,
    skipfooter: int = 0,
    nrows: int | None = None,
    na_values: Hashable | Iterable[Hashable] | Mapping[Hashable, Iterable[Hashable]] | None = None,
    keep_default_na: bool = True,
    na_filter: bool = True,
    skip_blank_lines: bool = True,
    parse_dates: bool | Sequence[Hashable] | None = None,
    date_format: str | dict[Hashable, str] | None = None,
    dayfirst: bool = False,
    cache_dates: bool = True,
    iterator: bool = False,
    chunksize: int | None = None,
    compression: Any = "infer",
    thousands: str | None = None,
    decimal: str = ".",
    lineterminator: str | None = None,
    quotechar: str = '"',
    quoting: int = 0,
    doublequote: bool = True,
    escapechar: str | None = None,
    comment: str | None = None,
    encoding: str | None = None,
    encoding_errors: str | None = "strict",
    dialect: Any = None,
    on_bad_lines: Any = "error",
    low_memory: bool = True,
    memory_map: bool = False,
    float_precision: str | None = None,
    storage_options: Any = None,
    dtype_backend: Any = NO_DEFAULT,
    blocksize: int | str | None = "default",
    sample: Any = 256_000,
    assume_missing: bool = False,
    include_path_column: bool | str = False,
) -> Any:
    """A lazy frame of CSV files.

    Types are those that `pandas.read_csv` would give one file with the rows of all files: every row counts, whatever
    the size. Tasks look at the files for that, at the call. Rows are numbered through all files.

    Parameters
    ----------
    filepath_or_buffer : path, list of paths, or file object
        A file, a folder, a pattern with stars, or a list of them. An open file is read at once, in pandas.
    sep, delimiter, header, names, index_col, usecols, dtype, converters, na_values, ... : as in pandas
        Each means what it means in `pandas.read_csv`. What the native reader doesn't read just as pandas does is read
        by pandas, a task for each file; `explain()` shows it.
    engine : {'c', 'python', 'pyarrow'}, optional
        'python' and 'pyarrow' read in pandas with that parser.
    low_memory, memory_map, cache_dates : bool
        How pandas works. They change no answer: types are always those of all rows.
    nrows : int, optional
        Rows of all files together.
    blocksize : int, str or None, default 'default'
        Bytes of text to a partition, as a number or like '64MB'. By default, and with None, each file is a partition.
    sample : int
        For programs written for Dask. All rows are looked at, so that it makes no difference.
    assume_missing : bool, default False
        Read columns of integers that `dtype` doesn't name as float64.
    include_path_column : bool or str, default False
        Whether a column, `path` or one of this name, says which file a row comes from, as a category.

    Returns
    -------
    DataFrame
        A partition for each file, unless `blocksize` says otherwise.

    Raises
    ------
    FileNotFoundError
        Where there is no file.
    ValueError
        For files that have other columns than the first, and for what pandas refuses.
    NotImplementedError
        For files whose types can't be told without reading them as one, and for `iterator` and `chunksize`.

    Examples
    --------
    >>> import raskt.dataframe as rd, tempfile
    >>> path = tempfile.mkdtemp() + "/file.csv"
    >>> _ = open(path, "w").write("a,b\\n1,x\\n2,\\n")
    >>> rd.read_csv(path).compute()["a"].tolist()
    [1, 2]
    """
    options = given(read_csv, locals())
    return read_text("read_csv", filepath_or_buffer, options, ENDINGS)


@with_parameters_of(read_csv)
def read_table(filepath_or_buffer: Any, options: dict[str, Any]) -> Any:
    """A lazy frame of files of values between tabs.

    Parameters
    ----------
    filepath_or_buffer : path, list of paths, or file object
        As for `read_csv`, as everything else but `sep`, which is a tab by default.

    Returns
    -------
    DataFrame
        A partition for each file, unless `blocksize` says otherwise.

    Examples
    --------
    >>> import raskt.dataframe as rd, tempfile
    >>> path = tempfile.mkdtemp() + "/file.tsv"
    >>> _ = open(path, "w").write("a\\tb\\n1\\tx\\n")
    >>> rd.read_table(path).compute()["b"].tolist()
    ['x']
    """
    return read_text("read_table", filepath_or_buffer, options, ENDINGS)


def read_text(function: str, source: Any, options: dict[str, Any], endings: tuple[str, ...]) -> Any:
    """The frame of the files that `pandas.<function>` would read with `options`, natively where that is the same."""
    refuse(function, options, REFUSED)
    own = {name: options.pop(name) for name in OWN & set(options)}
    if hasattr(source, "read"):
        return from_pandas(in_pandas(function, options)(source), npartitions=1, sort=False)
    files = found_files(path_argument(source), endings)
    frame = None if own.get("include_path_column") else _natively(function, files, options)
    if frame is None:
        column = own.get("include_path_column")
        reader = FileReader(
            function,
            in_pandas(function, {}),
            {name: value for name, value in options.items() if name != "low_memory"},
            path_column="path" if column is True else column or None,
            as_text="converters" not in options and "parse_dates" not in options,
        )
        frame = read_files(reader, files, options.get("nrows"))
    if own.get("assume_missing"):
        frame = _with_floats(frame, options.get("dtype"))
    return _in_blocks(frame, files, own.get("blocksize"))


def in_pandas(function: str, options: dict[str, Any]) -> Callable[..., Any]:
    """A function of pandas with some options; it takes types from all rows."""
    return _PandasReader(function, options)


class _PandasReader:
    """Calls `pandas.<function>`; an object with a name, so that it can be sent to another process."""

    def __init__(self, function: str, options: dict[str, Any]) -> None:
        self.function = function
        self.options = options

    def __call__(self, source: Any, **more: Any) -> Any:
        import pandas as pd

        options = {**self.options, **more}
        is_text = self.function in ("read_csv", "read_table")
        has_rows = options.get("nrows") != 0
        if is_text and has_rows and options.get("engine") in (None, "c") and not needs_python(options):
            # In pieces, pandas would give pieces of one column other types. Of no row it has other types as a whole.
            options["low_memory"] = False
        return getattr(pd, self.function)(source, **options)


def needs_python(options: dict[str, Any]) -> bool:
    """Whether pandas reads with its engine in Python, which takes all rows together, unless told otherwise."""
    sep = options.get("sep", options.get("delimiter", ","))
    is_pattern = isinstance(sep, str) and len(sep.encode()) > 1 and sep != r"\s+"
    odd_quotes = not str(options.get("quotechar", '"')).isascii()
    only_there = sep is None or is_pattern or odd_quotes or bool(options.get("skipfooter"))
    return options.get("engine") is None and only_there


def _natively(function: str, files: list[str], options: dict[str, Any]) -> Any:
    """The frame by the native reader; None where pandas has to read."""
    import raskt

    options = {name: value for name, value in options.items() if name not in WITHOUT_EFFECT}
    for name, harmless in (("engine", "c"), ("float_precision", "round_trip"), ("index_col", False)):
        if name in options and options[name] == harmless and type(options[name]) is type(harmless):
            del options[name]
    if "delimiter" in options and "sep" not in options and options["delimiter"] is not None:
        options["sep"] = options.pop("delimiter")
    options.setdefault("sep", "\t" if function == "read_table" else ",")
    if any(map(is_remote, files)):
        return None
    if str(options.pop("encoding", None) or "utf-8").lower() not in ("utf-8", "utf8"):
        return None
    arguments = _native_arguments(options) if set(options) <= NATIVE else None
    if arguments is None:
        return None
    try:
        look = core().frame_look_csv(files, **arguments)
        (expression,) = raskt.compute(_Look(look))
    except NotImplementedError:
        return None
    frame = wrap(expression)
    if arguments["header"] or "names" in arguments:
        return frame
    return frame.set_axis(range(len(expression.columns)), axis=1)


class _Look(Collection):
    """A look at files that is to be computed."""

    __slots__ = ()


def _native_arguments(options: dict[str, Any]) -> dict[str, Any] | None:
    """The options as the native reader takes them; None for a form that only pandas has."""
    result = dict(options)
    names = result.get("names", NO_DEFAULT)
    if names is None or names is NO_DEFAULT:
        result.pop("names", None)
    header = result.pop("header", "infer")
    if header == "infer":
        header = None if "names" in result else 0
    if not (header is None or (type(header) is int and header == 0)) or not _is_separator(result["sep"]):
        return None
    result["header"] = header is not None
    if header is None and "names" not in result and {"usecols", "dtype", "parse_dates"} & set(result):
        return None
    for name in ("names", "usecols", "parse_dates", "na_values"):
        value = result.pop(name, None)
        if value is None or value is False:
            continue
        values = [value] if isinstance(value, str) and name == "na_values" else value
        if not isinstance(values, list | tuple) or not all(type(one) is str for one in values):
            return None
        if len(set(values)) != len(values) and name != "na_values":
            return None
        result[name] = list(values)
    if "usecols" in result and not set(result.get("parse_dates", ())) <= set(result["usecols"]):
        return None  # an error of pandas
    if any(_is_number(word) for word in result.get("na_values", ())):
        return None
    if not _with_native_types(result):
        return None
    skipped = result.get("skiprows", 0)
    if skipped is None:
        del result["skiprows"]
    elif type(skipped) is not int or skipped < 0:
        return None
    return result


def _is_separator(sep: Any) -> bool:
    return isinstance(sep, str) and len(sep) == 1 and sep.isascii() and sep not in " \r\n\"'"


def _is_number(word: str) -> bool:
    """Whether a word for a missing value is a number, which pandas then compares by its value."""
    try:
        float(word)
    except ValueError:
        return False
    return True


def _with_native_types(options: dict[str, Any]) -> bool:
    """Puts the native names of types into the options; False where a type is none that the native reader has."""
    dtype = options.pop("dtype", None)
    if dtype is None:
        return True
    try:
        if hasattr(dtype, "items"):
            if type(dtype) is not dict or not all(type(name) is str for name in dtype):
                return False
            options["dtype"] = {name: _native_type(one) for name, one in dtype.items()}
        else:
            options["dtype"] = _native_type(dtype)
    except (NotImplementedError, TypeError, ValueError):
        return False
    return True


#: Types that the native reader gives columns.
NATIVE_TYPES = {"bool", "str", "category", "float32", "float64"} | {
    f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)
}


def _native_type(dtype: Any) -> str:
    """The name of a type; NotImplementedError for one that only pandas has."""
    import numpy as np
    import pandas as pd

    if isinstance(dtype, pd.CategoricalDtype) and (dtype.categories is not None or dtype.ordered):
        raise NotImplementedError("categories that are given are read by pandas")
    if isinstance(dtype, str):
        name = dtype if dtype in ("category", "str") else (np.dtype(dtype).name if not dtype[0].isupper() else dtype)
    elif isinstance(dtype, type | np.dtype):
        name = "str" if dtype is str else np.dtype(dtype).name
    else:
        name = dtype_name(dtype)
    if name not in NATIVE_TYPES:
        raise NotImplementedError(f"columns of {dtype} are read by pandas")
    return name


def _with_floats(frame: Any, dtype: Any) -> Any:
    """The frame with integers as floats, but for columns that were given a type."""
    named = set(dtype) if hasattr(dtype, "keys") else set()
    if dtype is not None and not named:
        return frame
    dtypes = frame.dtypes
    columns = [name for name in frame.columns if name not in named and str(dtypes[name]) == "int64"]
    return frame.astype(dict.fromkeys(columns, "float64")) if columns else frame


def _in_blocks(frame: Any, files: list[str], blocksize: Any) -> Any:
    """The frame in as many partitions as the files have blocks."""
    if blocksize is None or blocksize == "default":
        return frame
    size = _bytes(blocksize)
    blocks = sum(max(1, -(-os.path.getsize(path) // size)) for path in files if not is_remote(path))
    return frame.repartition(npartitions=blocks) if blocks > frame.npartitions else frame


def _bytes(size: Any) -> int:
    """A number of bytes; as text it may have a unit: `64MB`, `1 GiB`."""
    if isinstance(size, str):
        text = size.strip().lower()
        digits = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
        unit = text[len(digits) :].strip().removesuffix("b")
        factors = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
        factors |= {f"{name}i": 2 ** (10 * at) for at, name in enumerate("kmgt", 1)}
        try:
            size = int(float(digits or "1") * factors[unit])
        except (KeyError, ValueError):
            raise ValueError(f"blocksize must be a number of bytes like 64_000_000 or '64MB', not {size!r}") from None
    if isinstance(size, bool) or not isinstance(size, int | float) or size < 1:
        raise ValueError(f"blocksize must be a number of bytes like 64_000_000 or '64MB', not {size!r}")
    return int(size)
