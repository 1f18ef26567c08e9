"""Writing frames and series to files: a file for each partition, all of them or none."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from raskt._core import NotNative

from ..base.collection import Collection, is_frame
from ..base.meta import columns_of
from .options import given, refuse
from .paths import absolute
from .publish import Publication, publishing, whole

#: Arguments of `to_csv` that the native writer has; others are left to pandas.
NATIVE_CSV = {"sep", "header", "index"}
#: Types that the native writer writes as pandas does.
NATIVE_TYPES = re.compile(r"u?int(8|16|32|64)|float(32|64)|bool|str|datetime64\[(ms|us|ns)\]")
#: Arguments about how and where files are written.
OWN = ("single_file", "name_function", "compute", "compute_kwargs", "header_first_partition_only", "scheduler")
#: Endings of packed files.
PACKINGS = {"gzip": ".gz", "bz2": ".bz2", "xz": ".xz", "zip": ".zip", "zstd": ".zst", "tar": ".tar"}


class Written(Collection):
    """Files to be written: `compute()` writes them and gives their paths."""

    __slots__ = ()

    def __raskt_rebuild__(self, expression: Any) -> Any:
        return Written(expression)


def as_frame(data: Any) -> Any:
    """A frame as it is, a series as one with a column."""
    return data if is_frame(data) else data.to_frame()


def told_as_one(rows: Any, shown: str) -> tuple[Any, list[int]]:
    """Rows whose integers that may be missing are written alike in all partitions: as floats if one is missing.

    With them, where the columns stand that are of another type now.
    """
    alike = [at for at, column in enumerate(columns_of(rows)) if column.may_be_rounded]
    if alike and not is_frame(rows):
        return rows.astype(shown), alike
    labels = list(rows.columns) if alike else []
    # All at once: one by one, each would be a step over all columns.
    return rows.astype({labels[at]: shown for at in alike}) if alike else rows, alike


def to_csv(
    self: Any,
    path_or_buf: Any = None,
    *,
    sep: str = ",",
    na_rep: str = "",
    float_format: Any = None,
    columns: Sequence[Hashable] | None = None,
    header: bool | list[str] = True,
    index: bool = True,
    index_label: Any = None,
    mode: str = "w",
    encoding: str | None = None,
    compression: Any = "infer",
    quoting: int | None = None,
    quotechar: str = '"',
    lineterminator: str | None = None,
    chunksize: int | None = None,
    date_format: str | None = None,
    doublequote: bool = True,
    escapechar: str | None = None,
    decimal: str = ".",
    errors: str = "strict",
    storage_options: Any = None,
    single_file: bool = False,
    name_function: Callable[[int], str] | None = None,
    header_first_partition_only: bool | None = None,
    compute: bool = True,
    compute_kwargs: dict[str, Any] | None = None,
    scheduler: str | None = None,
) -> Any:
    """Write CSV files: one for each partition, or one for all.

    All files appear under their names when all are whole; until then, and if anything fails, what was there stays.

    Parameters
    ----------
    path_or_buf : path, file object or None
        A folder for files `part.0.csv` and so on, a path with a `*` for the number of the partition, or the file if
        `single_file`. With None the text is returned, and a file object is written to, both at once.
    sep, na_rep, float_format, columns, header, index, mode, compression, ... : as in pandas
        Each means what it means in `pandas.DataFrame.to_csv`, for each file.
    single_file : bool, default False
        Write one file.
    name_function : callable, optional
        Gives the name of a file, or what replaces the `*`, by the number of the partition.
    header_first_partition_only : bool, optional
        Whether only the first file has the names of the columns.
    compute : bool, default True
        Write now; otherwise the delayed object that does.
    compute_kwargs, scheduler
        How to compute.

    Returns
    -------
    list of str
        The paths of the files; a Delayed of it with `compute=False`.

    Raises
    ------
    ValueError
        For a path with several stars, and names that are equal.
    NotImplementedError
        For `storage_options`.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd, tempfile
    >>> path = tempfile.mkdtemp() + "/file.csv"
    >>> _ = rd.from_pandas(pd.DataFrame({"x": [1, 2]}), npartitions=2).to_csv(path, single_file=True, index=False)
    >>> open(path).read()
    'x\\n1\\n2\\n'
    """
    options = given(to_csv, locals())
    options.pop("path_or_buf", None)
    refuse("to_csv", options, {"storage_options": "write to a local folder, and copy it"})
    own = {name: options.pop(name) for name in OWN if name in options}
    frame = as_frame(self)
    if path_or_buf is None or hasattr(path_or_buf, "write"):
        told = own.keys() - {"single_file", "header_first_partition_only", "compute_kwargs", "scheduler"}
        refuse("to_csv", own, dict.fromkeys(told, "give the path of a folder or a file"))
        return frame.compute().to_csv(path_or_buf, **options)
    how = dict(compute_kwargs or {}) | ({"scheduler": scheduler} if scheduler else {})
    path = os.fspath(path_or_buf)
    native = _is_native(frame, options)
    frame, alike = told_as_one(frame, "str" if native else "object")
    if own.get("header_first_partition_only") is False and single_file:
        raise ValueError("header_first_partition_only=False: one file has its names once")
    if single_file:
        packed = path.lower().endswith(tuple(PACKINGS.values()))  # which pandas takes for a way to pack the file
        return _one_csv(frame, path, options, native and not packed, compute, how, alike)
    if native and "*" not in path and not own.keys() & {"name_function", "header_first_partition_only"}:
        publication = Publication(path)
        names = numbered(path, frame.npartitions, "csv", None)[1]
        refuse_leftovers(path, path, names, options.get("mode", "w"))
        with contextlib.suppress(NotNative):
            return _published(
                publication, Written(frame._expr.to_csv(publication.stage, has_folder=compute, **options)), compute, how
            )
    first_only = bool(header_first_partition_only)
    return write_parts(
        frame,
        path,
        "csv",
        WriteCsv(options, first_only, alike),
        name_function,
        compute,
        how,
        options.get("compression", "infer"),
    )


def _is_native(frame: Any, options: dict[str, Any]) -> bool:
    """Whether the native writer writes such a frame as pandas does."""
    if not set(options) <= NATIVE_CSV or not isinstance(options.get("header", True), bool):
        return False
    expression = frame._expr
    labels = expression.index_dtypes if len(expression.index_names) == 1 else ["several"]
    if len(expression.columns) + bool(options.get("index", True)) < 2:
        # A line of nothing is written in quotes.
        return False
    written = [*expression.columns, *(name or "" for name in expression.index_names if options.get("index", True))]
    if len(set(written)) < len(written):
        return False
    plain = all(NATIVE_TYPES.fullmatch(str(dtype)) for dtype in [*expression.dtypes, *labels])
    sep = options.get("sep", ",")
    return plain and frame.has_plain_labels() and len(sep) == 1 and sep.isascii()


def _one_csv(
    frame: Any,
    path: str,
    options: dict[str, Any],
    native: bool,
    compute: bool,
    how: dict[str, Any],
    alike: list[int],
) -> Any:
    path = absolute(path)
    if native:
        with contextlib.suppress(NotNative):
            written = Written(frame._expr.to_csv(path, single_file=True, **options))
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            return written.compute(**how) if compute else written
    import raskt

    (part,) = frame.repartition(npartitions=1).to_delayed()
    call = raskt.delayed(WriteWhole(WriteCsv(options, False, alike)))(part, path)
    return call.compute(**how) if compute else call


class WriteCsv:
    """Writes one partition by pandas."""

    def __init__(self, options: dict[str, Any], first_only: bool, alike: list[int]) -> None:
        self.options = options
        self.first_only = first_only
        #: Where columns stand that hold numbers of one type among objects.
        self.alike = alike

    def __call__(self, part: Any, path: str, at: int, place: str) -> None:
        """Write the rows to `path`, which will be moved to `place`."""
        options = dict(self.options)
        if self.first_only and at:
            options["header"] = False
        prepare(options.get("mode", "w"), path, place)
        with_inferred(part, self.alike).to_csv(path, **options)


def with_inferred(part: Any, columns: list[int]) -> Any:
    """A partition with the numbers of some columns of objects as numbers."""
    found = {at: part.iloc[:, at].infer_objects().dtype for at in columns}
    return part.set_axis(range(part.shape[1]), axis=1).astype(found).set_axis(part.columns, axis=1) if found else part


def prepare(mode: str, path: str, place: str) -> None:
    """Whatever the mode says about a file that is there: what is appended to is copied, what must not be is refused."""
    if not os.path.exists(place):
        return
    if "x" in mode:
        raise FileExistsError(f"{place!r} is there already")
    if "a" in mode and os.path.isfile(place):
        shutil.copyfile(place, path)


class WriteWhole:
    """Writes a file beside its place and renames it."""

    def __init__(self, write: Callable[[Any, str, int, str], None]) -> None:
        self.write = write

    def __call__(self, part: Any, path: str) -> list[str]:
        """The path, when the file is there."""
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        return [whole(lambda beside: self.write(part, beside, 0, path), path)]


def write_parts(
    frame: Any,
    filename: Any,
    ending: str,
    write: Callable[[Any, str, int, str], None],
    name_function: Callable[[int], str] | None,
    compute: bool,
    how: dict[str, Any],
    compression: Any = "infer",
) -> Any:
    """A file for each partition, by a method of pandas."""
    import raskt

    method = compression.get("method") if isinstance(compression, dict) else compression
    folder, names = numbered(filename, frame.npartitions, ending + PACKINGS.get(method, ""), name_function)
    publication = Publication(folder)
    if name_function is None:
        refuse_leftovers(folder, os.fspath(filename), names, getattr(write, "options", {}).get("mode", "w"))
    call = raskt.delayed(WritePart(publication, write))
    parts = [call(part, name, at) for at, (part, name) in enumerate(zip(frame.to_delayed(), names, strict=True))]
    return _published(publication, parts, compute, how)


def refuse_leftovers(folder: str, filename: str, names: list[str], mode: str) -> None:
    """FileExistsError if files of the same form would stay: of a write of more partitions, whose rows are others."""
    last = os.path.basename(filename)
    ending = names[0].removeprefix("part.0") if "*" not in last else ""
    form = re.escape(last).replace(r"\*", r"\d+") if "*" in last else rf"part\.\d+{re.escape(ending)}"
    there = os.listdir(folder) if os.path.isdir(folder) and "a" not in mode else []
    left = [name for name in there if re.fullmatch(form, name) and name not in set(names)]
    if left:
        raise FileExistsError(
            f"{folder!r} holds {len(left)} files like {left[0]!r} which these {len(names)} would not replace"
        )


class WritePart:
    """Writes one partition where it waits to be published."""

    def __init__(self, publication: Publication, write: Callable[[Any, str, int, str], None]) -> None:
        self.publication = publication
        self.write = write

    def __call__(self, part: Any, name: str, at: int) -> str:
        """The name of the file."""
        with self.publication.writing():
            self.write(part, self.publication.path(name), at, os.path.join(self.publication.folder, name))
        return name


def _published(
    publication: Publication, parts: Any, compute: bool, how: dict[str, Any], replaced: Sequence[str] = ()
) -> Any:
    import raskt

    finished = raskt.delayed(Publish(publication, replaced))(parts)
    return publishing(publication, compute, how, finished)


class Publish:
    """Moves files to their places when all parts are written."""

    def __init__(self, publication: Publication, replaced: Sequence[str]) -> None:
        self.publication = publication
        self.replaced = replaced

    def __call__(self, parts: Any) -> list[str]:
        """The paths of the files, in the order of the partitions."""
        from .paths import in_order

        return in_order(self.publication.publish(self.replaced))


def numbered(
    filename: Any, count: int, ending: str, name_function: Callable[[int], str] | None
) -> tuple[str, list[str]]:
    """The folder and the name of the file of each partition: the star in the name is its number."""
    name = os.fspath(filename)
    folder, last = os.path.split(name)
    if "*" in folder or last.count("*") > 1:
        raise ValueError(f"a file name may have one star, for the number of the partition: {name!r}")
    width = len(str(count - 1))
    if name_function is not None:
        numbers = [str(name_function(at)) for at in range(count)]
    else:
        numbers = [str(at).zfill(width) if "*" in last else f"part.{at}" for at in range(count)]
    if len(set(numbers)) != count:
        raise ValueError(f"name_function must give each partition another name, and gave {numbers}")
    if "*" not in last:
        return name, [f"{number}.{ending}" for number in numbers]
    return folder or ".", [last.replace("*", number) for number in numbers]


def to_json(
    self: Any,
    path_or_buf: Any = None,
    *,
    orient: str | None = "records",
    date_format: str | None = None,
    double_precision: int = 10,
    force_ascii: bool = True,
    date_unit: str = "ms",
    default_handler: Callable[[Any], Any] | None = None,
    lines: bool | None = None,
    compression: Any = "infer",
    index: bool | None = None,
    indent: int | None = None,
    storage_options: Any = None,
    mode: str = "w",
    name_function: Callable[[int], str] | None = None,
    compute: bool = True,
    compute_kwargs: dict[str, Any] | None = None,
) -> Any:
    """Write JSON files by pandas: one for each partition.

    As Dask, and unlike pandas, it writes `orient="records"` and then an object a line unless told otherwise.

    Parameters
    ----------
    path_or_buf : path, file object or None
        A folder for files `part.0.json` and so on, or a path with a `*` for the number of the partition. With None the
        text is returned, and a file object is written to, both at once.
    orient : str, default 'records'
        How objects are laid out, as in pandas.
    lines : bool, optional
        Whether each line is an object; by default if `orient` is 'records'.
    date_format, double_precision, ... : as in pandas
        Each means what it means in `pandas.DataFrame.to_json`, for each file.
    name_function, compute, compute_kwargs
        As in `to_csv`.

    Returns
    -------
    list of str
        The paths of the files; a Delayed of it with `compute=False`.

    Raises
    ------
    NotImplementedError
        For `storage_options`.
    ValueError
        For an `indent` where each line is an object.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd, tempfile
    >>> paths = rd.from_pandas(pd.DataFrame({"x": [1, 2]}), npartitions=2).to_json(tempfile.mkdtemp() + "/x-*.json")
    >>> [open(path).read() for path in paths]
    ['{"x":1}\\n', '{"x":2}\\n']
    """
    options = given(to_json, locals())
    options.pop("path_or_buf", None)
    refuse("to_json", options, {"storage_options": "write to a local folder, and copy it"})
    for name in ("name_function", "compute", "compute_kwargs"):
        options.pop(name, None)
    options["orient"], options["lines"] = orient, orient == "records" if lines is None else lines
    if indent and options["lines"]:
        raise ValueError(f"indent={indent!r} makes several lines of what is to be one line: give lines=False")
    frame = self
    if path_or_buf is None or hasattr(path_or_buf, "write"):
        return frame.compute().to_json(path_or_buf, **options)
    if orient != "table":  # which says the types of columns
        frame, _ = told_as_one(frame, "object")
    write = WriteByPandas("to_json", options)
    return write_parts(
        frame, path_or_buf, "json", write, name_function, compute, dict(compute_kwargs or {}), compression
    )


class WriteByPandas:
    """Writes one partition by a method of pandas."""

    def __init__(self, method: str, options: dict[str, Any]) -> None:
        self.method = method
        self.options = options

    def __call__(self, part: Any, path: str, at: int, place: str) -> None:
        """Write the rows to `path`, which will be moved to `place`."""
        prepare(self.options.get("mode", "w"), path, place)
        getattr(part, self.method)(path, **self.options)


def to_orc(
    self: Any,
    path: Any = None,
    *,
    engine: str = "pyarrow",
    index: bool | None = None,
    engine_kwargs: dict[str, Any] | None = None,
    name_function: Callable[[int], str] | None = None,
    compute: bool = True,
    compute_kwargs: dict[str, Any] | None = None,
) -> Any:
    """Write ORC files by pandas: one for each partition.

    Parameters
    ----------
    path : path
        A folder for files `part.0.orc` and so on, or a path with a `*` for the number of the partition.
    engine, index, engine_kwargs : as in pandas
        Each means what it means in `pandas.DataFrame.to_orc`. ORC has no labels: an index that isn't a numbering is
        refused by pandas.
    name_function, compute, compute_kwargs
        As in `to_csv`.

    Returns
    -------
    list of str
        The paths of the files; a Delayed of it with `compute=False`.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> _ = rd.from_pandas(pd.DataFrame({"x": [1, 2]}), npartitions=2).to_orc(folder)
    >>> rd.read_orc(folder)["x"].compute().tolist()
    [1, 2]
    """
    options = given(to_orc, locals())
    for name in ("path", "name_function", "compute", "compute_kwargs"):
        options.pop(name, None)
    frame = as_frame(self)
    if path is None or hasattr(path, "write"):
        return frame.compute().to_orc(path, **options)
    # Numbers of rows that aren't those of a range, since no partition knows how many are before it.
    numbered = frame._expr.is_numbered and frame._expr.index_names == [None]
    write = WriteOrc("to_orc", options, numbered)
    return write_parts(frame, path, "orc", write, name_function, compute, dict(compute_kwargs or {}))


class WriteOrc(WriteByPandas):
    """Writes one partition; its rows are numbered from 0 where they are numbered through."""

    def __init__(self, method: str, options: dict[str, Any], numbered: bool) -> None:
        super().__init__(method, options)
        self.numbered = numbered

    def __call__(self, part: Any, path: str, at: int, place: str) -> None:
        """Write the rows to `path`, which will be moved to `place`."""
        import pandas as pd

        if self.numbered or (isinstance(part.index, pd.RangeIndex) and part.index.step == 1):
            part = part.reset_index(drop=True)
        super().__call__(part, path, at, place)
