"""Reading Parquet files."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import unquote

from raskt._core import NotNative

from ..base.meta import empty
from ..base.registry import core, wrap
from .files import FileReader, read_files
from .options import NO_DEFAULT, given, refuse
from .paths import found_files, is_remote, path_argument

#: What a lazy frame does in another way, or not yet.
REFUSED = {
    "categories": "read the columns, and use astype('category')",
    "split_row_groups": "each file is a partition; use repartition afterwards",
    "aggregate_files": "each file is a partition; use repartition afterwards",
    "blocksize": "each file is a partition; use repartition afterwards",
}
#: How the native reader works anyway: it reads the notes of each file, and no `_metadata` file.
WITHOUT_EFFECT = {"ignore_metadata_file", "metadata_task_size"}
#: The name that pyarrow gives a folder of rows whose value is missing.
MISSING = "__HIVE_DEFAULT_PARTITION__"


def read_parquet(
    path: Any,
    engine: str | Any = NO_DEFAULT,
    columns: str | Sequence[str] | None = None,
    storage_options: Any = None,
    dtype_backend: Any = NO_DEFAULT,
    filesystem: Any = None,
    filters: Any = None,
    to_pandas_kwargs: dict[str, Any] | None = None,
    *,
    index: str | Sequence[str] | bool | None = None,
    categories: Any = None,
    calculate_divisions: bool = False,
    ignore_metadata_file: bool = False,
    metadata_task_size: int | None = None,
    split_row_groups: bool | int | str = "infer",
    blocksize: Any = "default",
    aggregate_files: Any = None,
    parquet_file_extension: str | Sequence[str] = (".parq", ".parquet", ".pq"),
) -> Any:
    """A lazy frame of Parquet files.

    Later choices of columns and rows are pushed into the files. Folders named like `key=value` give a column `key`, a
    category. Rows have the labels that pandas noted in the files; without notes they are numbered through all files.
    Where columns that are read are of types that the native reader doesn't give as pandas does, or filters compare what
    only pyarrow does, pandas reads, a task for each file; `explain()` shows it.

    Parameters
    ----------
    path : path or list of paths
        A file, a folder, a pattern with stars, or a list of them.
    engine : {'auto', 'pyarrow'}, optional
        For programs written for pandas: it makes no difference. 'fastparquet' is refused.
    columns : str or list of str, optional
        The columns to read; one name gives a Series.
    filters : list of tuples, or list of lists of tuples, optional
        Rows to read, by `(column, operator, value)`: those for which all of a list hold, of one of the lists. Columns
        of folder names count too.
    calculate_divisions : bool, default False
        Whether to find the divisions, for which the labels are read now. They stay unknown where labels are not in
        order, where two files have one in common, and for labels of several levels.
    dtype_backend, filesystem, storage_options, to_pandas_kwargs : as in pandas
        With any of them pandas reads, a task for each file; `explain()` shows it.
    index : str, list of str or False, optional
        The columns that are the index; False for none. By default those that pandas noted.
    parquet_file_extension : str or sequence of str
        How the names of files in a folder have to end.

    Returns
    -------
    DataFrame or Series
        A partition for each file.

    Raises
    ------
    FileNotFoundError
        Where there is no file.
    KeyError
        For an unknown column.
    OSError
        For a file that is broken; it is named.
    NotImplementedError
        For `categories`, and for partitions other than files.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd, tempfile
    >>> path = tempfile.mkdtemp() + "/x.parquet"
    >>> pd.DataFrame({"x": [1, 2, 3], "y": ["a", "b", "c"]}).to_parquet(path)
    >>> rd.read_parquet(path, columns=["x"], filters=[("x", ">", 1)]).compute()["x"].tolist()
    [2, 3]
    """
    options = {name: value for name, value in given(read_parquet, locals()).items() if name not in WITHOUT_EFFECT}
    if options.get("split_row_groups") is False or options.get("blocksize", "") is None:
        # Whole files, as it is.
        options.pop("split_row_groups", None)
        options.pop("blocksize", None)
    refuse("read_parquet", options, REFUSED)
    _check_engine(options.pop("engine", None))
    endings = options.pop("parquet_file_extension", parquet_file_extension)
    paths = path_argument(path)
    files = found_files(paths, (endings,) if isinstance(endings, str) else tuple(endings or [""]))
    parts = _parts(paths, files)
    asked = options.pop("columns", None)
    names = [asked] if isinstance(asked, str) else None if asked is None else list(asked)
    in_pandas = (
        bool(parts)
        or bool(set(options) - {"filters", "index", "calculate_divisions"})
        or any(is_remote(file) for file in files)
    )
    divided = options.pop("calculate_divisions", False)
    frame = None if in_pandas else _natively(files, names, filters, index)
    if frame is None:
        for name in ("filters", "index"):
            options.pop(name, None)
        frame = _by_tasks(files, parts, names, filters, index, options)
    frame = _divided(frame) if divided and len(frame._plan.index_names) == 1 else frame
    return frame[asked] if isinstance(asked, str) else frame


def _divided(frame: Any) -> Any:
    """The frame with its divisions, if the labels of each file are in order and above those of the one before."""
    ends = frame[[]].map_partitions(_ends, meta=_ends(empty(frame))).compute()
    starts, stops = ends["first"].tolist(), ends["last"].tolist()
    apart = all(stop < start for stop, start in zip(stops, starts[1:], strict=False))
    if len(ends) < frame.npartitions or not ends["ordered"].all() or not apart:
        return frame
    return frame._framed(lambda expression: expression.divided([*starts, stops[-1]], sorted=True))


def _ends(part: Any) -> Any:
    """The first and the last label of a partition, and whether they are in order; nothing for no rows."""
    import pandas as pd

    index = part.index
    ends = pd.DataFrame({"first": index[:1], "last": index[-1:]})
    return ends.assign(ordered=pd.Series([index.is_monotonic_increasing and not index.hasnans] * len(ends), dtype=bool))


def _check_engine(engine: Any) -> None:
    if engine is None or engine in ("auto", "pyarrow"):
        return
    if not isinstance(engine, str):
        raise TypeError(f"engine must be a string, not {engine!r}; give columns by name: columns=")
    raise NotImplementedError(f"read_parquet(engine={engine!r}): files are read natively, or by pyarrow")


def _natively(files: list[str], columns: Any, filters: Any, index: Any) -> Any:
    """The frame by the native reader; None where the files hold what only pandas makes of them."""
    read = None if columns is None else {*columns, *_filtered(filters), *(_as_list(index) if index else ())}
    notes = _common_notes(core().frame_parquet_notes(files), read)
    if notes is None:
        return None
    levels = _levels(notes, index)
    if _filtered(filters) & {column for column, _ in levels}:
        return None  # natively, what becomes row labels is no column to go by
    try:
        expression = core().frame_read_parquet(files, columns=columns, filters=filters, index=levels)
    except NotNative:
        return None
    if columns is None and index is not None:
        # Labels that are none any more are columns, the first ones; but for those without a name.
        noted = {column: name for column, name in _noted_levels(notes) if column in expression.columns}
        kept = [column for column, name in noted.items() if name is not None]
        expression = expression.project(kept + [name for name in expression.columns if name not in noted])
    return wrap(expression)


def _levels(notes: dict[str, Any], index: Any) -> list[tuple[str, str | None]]:
    """The columns that become row labels, with the names of the levels."""
    if index is None:
        return _noted_levels(notes)
    if index is False:
        return []
    names = [index] if isinstance(index, str) else list(index)
    return [(name, name) for name in names]


def _noted_levels(notes: dict[str, Any]) -> list[tuple[str, str | None]]:
    names = {column.get("field_name"): column.get("name") for column in notes.get("columns", ())}
    return [(one, names.get(one)) for one in notes.get("index_columns", ()) if isinstance(one, str)]


def _filtered(filters: Any) -> set[str]:
    """The columns that filters, one list or several, go by."""
    found: set[str] = set()
    for one in filters or ():
        found |= {one[0]} if isinstance(one[0], str) else _filtered(one)
    return found


def _common_notes(texts: list[str | None], read: set[str] | None) -> dict[str, Any] | None:
    """What pandas noted in all files; None if that makes frames that the native reader doesn't make.

    `read` are the columns that are read beside row labels; None for all.
    """
    first = texts[0]
    notes = json.loads(first) if first else {}
    if first and not _is_plain(notes, read):
        return None
    before = 0
    restarts = True
    through = True
    for text in texts:
        own = notes if text == first else json.loads(text) if text else {}
        if own.get("columns", ()) != notes.get("columns", ()) and not _is_plain(own, read):
            return None
        if _noted_levels(own) != _noted_levels(notes):
            return None
        for one in own.get("index_columns", ()):
            if isinstance(one, dict):
                restarts &= one["start"] == 0 and one["step"] == 1
                through &= one["start"] == before and one["step"] == 1
                before = one["stop"]
    return notes if restarts or through else None


#: Types of pandas that the native reader gives back as they are.
PLAIN = re.compile(r"bool|str|float(32|64)|u?int(8|16|32|64)|datetime64\[(ms|us|ns)(, .*)?\]|timedelta64\[(ms|us|ns)\]")
#: What columns of objects may hold to be read natively.
TEXT = ("unicode", "string", "empty")


def _is_plain(notes: dict[str, Any], read: set[str] | None) -> bool:
    """Whether all columns are of NumPy's types, or strings, and have strings for names.

    Categories of columns that aren't `read` don't count.
    """
    labels = [one for one in notes.get("index_columns", ()) if isinstance(one, str)]
    if len(notes.get("column_indexes", ())) > 1:
        return False
    for level in notes.get("column_indexes", ()):
        if level.get("name") is not None or level.get("pandas_type") not in TEXT:
            return False
    for level in notes.get("index_columns", ()):
        if isinstance(level, dict) and level.get("name") is not None:
            return False
    for column in notes.get("columns", ()):
        kind, dtype, name = column.get("pandas_type"), str(column.get("numpy_type")), column.get("field_name")
        if kind == "categorical" and read is not None and name not in read and name not in labels:
            continue
        # The order of categories, and those without rows, are in Arrow's schema, which the native reader leaves out.
        if kind == "categorical" or not (PLAIN.fullmatch(dtype) or (dtype == "object" and kind in TEXT)):
            return False
    return True


def _parts(paths: Any, files: list[str]) -> list[dict[str, str | None]]:
    """What the names of folders say of each file; nothing if they say nothing."""
    roots = paths if isinstance(paths, list) else [paths]
    root = os.path.abspath(roots[0]) if len(roots) == 1 and os.path.isdir(roots[0]) else None
    found = []
    for file in files:
        folder = os.path.dirname(file if is_remote(file) else os.path.abspath(file))
        folder = os.path.relpath(folder, root) if root is not None else folder
        pairs = [piece.split("=", 1) for piece in folder.split(os.sep) if "=" in piece]
        found.append({unquote(name): None if value == MISSING else unquote(value) for name, value in pairs})
    if not any(found):
        return []
    if any(list(one) != list(found[0]) for one in found):
        raise ValueError(f"the folders of the files have other names than each other: {[list(one) for one in found]}")
    return found


def _values(parts: list[dict[str, str | None]]) -> list[dict[str, Any]]:
    """The same with integers where all values of a name are, as pyarrow takes them."""
    result: list[dict[str, Any]] = [dict(one) for one in parts]
    for name in parts[0] if parts else ():
        texts = [one[name] for one in parts if one[name] is not None]
        if texts and all(text is not None and text.lstrip("-").isdigit() for text in texts):
            for one in result:
                one[name] = None if one[name] is None else int(one[name])
    return result


def _by_tasks(
    files: list[str],
    parts: list[dict[str, str | None]],
    columns: list[str] | None,
    filters: Any,
    index: Any,
    options: dict[str, Any],
) -> Any:
    """A partition for each file that may have rows, read by pandas."""
    values = dict(zip(files, _values(parts), strict=True)) if parts else dict.fromkeys(files, {})
    left = {file: _left(filters, values[file]) for file in files}
    chosen = [file for file in files if left[file] is not False]
    reader = ParquetFile(values, left, columns, index, options)
    if not chosen:
        left[files[0]] = None
        return read_files(FileReader("read_parquet", reader, {}), files[:1], 0)
    return read_files(FileReader("read_parquet", reader, {}), chosen)


def _left(filters: Any, values: dict[str, Any]) -> Any:
    """The filters that remain for a file of these values: None if all rows pass, False if none does."""
    if not filters:
        return None
    flat = isinstance(filters[0], tuple) and len(filters[0]) == 3 and isinstance(filters[0][0], str)
    result = []
    for conditions in [filters] if flat else filters:
        known = [one for one in conditions if one[0] in values]
        if all(_holds(values[name], op, value) for name, op, value in known):
            rest = [one for one in conditions if one[0] not in values]
            if not rest:
                return None
            result.append(rest)
    return result or False


COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": lambda a, b: a == b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b,
}


def _holds(own: Any, op: str, value: Any) -> bool:
    """Whether the value of a folder passes a filter; what is missing passes none but `not in`."""
    if op not in COMPARISONS:
        raise ValueError(f"`{op}` is no comparison for a filter; there are {', '.join(COMPARISONS)}")
    if own is None:
        return op == "not in" and value is not None
    if isinstance(own, int) and isinstance(value, str) and value.lstrip("-").isdigit():
        value = int(value)
    if isinstance(own, str) and isinstance(value, int | float):
        raise TypeError(f"folders are named by text like {own!r}, which is not compared with {value!r}")
    return bool(COMPARISONS[op](own, value))


class ParquetFile:
    """Reads one file in pandas, with the columns that its folders' names give."""

    def __init__(
        self,
        values: dict[str, dict[str, Any]],
        filters: dict[str, Any],
        columns: list[str] | None,
        index: Any,
        options: dict[str, Any],
    ) -> None:
        self.values = values
        self.filters = filters
        self.columns = columns
        self.index = index
        self.options = options
        first = next(iter(values.values()))
        # The order of pyarrow: that in which files are found.
        self.categories = {
            name: list(dict.fromkeys(one[name] for one in values.values() if one[name] is not None)) for name in first
        }

    def __call__(self, path: str) -> Any:
        """The rows of a file."""
        import pandas as pd

        folders = self.values[path]
        wanted = self.columns
        if wanted is not None:
            levels = [] if self.index is None or self.index is False else _as_list(self.index)
            wanted = [name for name in dict.fromkeys([*wanted, *levels]) if name not in folders]
        frame = pd.read_parquet(path, columns=wanted, filters=self.filters[path], partitioning=None, **self.options)
        if len(self.values) > 1 and isinstance(frame.index, pd.RangeIndex):
            # Rows of several files are numbered through, whatever numbers and names were noted in each, as by pandas.
            frame = frame.reset_index(drop=True)
        for name, value in folders.items():
            categories = self.categories[name]
            if categories and isinstance(categories[0], int):
                # As pyarrow has them.
                categories = pd.Index(categories, dtype="int32")
            column = pd.Categorical([value] * len(frame), categories=categories)
            frame[name] = pd.Series(column, index=frame.index)
        if self.index is not None:
            unnamed = frame.index.names == [None]
            frame = frame.reset_index(drop=unnamed)
            frame = frame if self.index is False else frame.set_index(_as_list(self.index))
        return frame if self.columns is None else frame[self.columns]


def _as_list(value: Any) -> list[Any]:
    return [value] if isinstance(value, str) else list(value)
