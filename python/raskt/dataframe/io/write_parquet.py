"""Writing Parquet files."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Callable
from typing import Any

from raskt._core import NotNative

from ..base.labels import decode
from ..base.meta import columns_of
from ..base.registry import wrap
from ..base.storage import described, storage_of
from .options import NO_DEFAULT, given, refuse
from .parquet import _check_engine
from .publish import Publication
from .write import Written, _published, as_frame

#: What cannot be written yet.
REFUSED = {
    "storage_options": "write to a local folder, and copy it",
    "filesystem": "write to a local folder, and copy it",
    "custom_metadata": "write it with pyarrow.parquet afterwards",
}
#: Types that the native writer writes as pandas does.
NATIVE_TYPES = re.compile(
    r"u?int(8|16|32|64)|float(32|64)|bool|str|datetime64\[(ms|us|ns)(, .*)?\]|timedelta64\[(ms|us|ns)\]|category"
)
NATIVE_COMPRESSIONS = ("snappy", "zstd", "gzip", "lz4", "none", None)


def to_parquet(
    self: Any,
    path: Any = None,
    *,
    engine: str | Any = NO_DEFAULT,
    compression: str | None = "snappy",
    index: bool | None = None,
    partition_cols: str | list[str] | None = None,
    storage_options: Any = None,
    filesystem: Any = None,
    write_index: bool | None = None,
    append: bool = False,
    overwrite: bool = False,
    ignore_divisions: bool = False,
    partition_on: str | list[str] | None = None,
    custom_metadata: Any = None,
    write_metadata_file: bool | None = None,
    schema: Any = "infer",
    row_group_size: int | None = None,
    name_function: Callable[[int], str] | None = None,
    compute: bool = True,
    compute_kwargs: dict[str, Any] | None = None,
) -> Any:
    """Write a folder of Parquet files, one for each partition: `part.0.parquet` and so on.

    All files appear under their names when all are whole. Until then, and if anything fails, the folder stays what it
    was.

    Parameters
    ----------
    path : path
        The folder. With None the bytes of one file are returned, at once, as pandas does it.
    engine : {'auto', 'pyarrow'}, optional
        For programs written for pandas: it makes no difference.
    compression : {'snappy', 'gzip', 'zstd', 'lz4', 'brotli', None}, default 'snappy'
        How columns are packed.
    index, write_index : bool, optional
        Whether the index is written as columns. By default it is, but for numbered rows, which are only noted
        (those of one file, or without a name).
    partition_cols, partition_on : str or list of str, optional
        Columns whose values become folders: `key=value`. `read_parquet` gives them back as categories.
    append : bool, default False
        Add files to those in the folder, which must have the same columns.
    overwrite : bool, default False
        Replace all Parquet files in the folder and in folders named `key=value` in it, when the new ones are whole.
    schema : pyarrow.Schema or dict of str to pyarrow.DataType, default 'infer'
        Types to write.
    row_group_size : int, optional
        Rows to a group.
    name_function : callable, optional
        Gives the name of a file by the number of the partition.
    write_metadata_file : bool, optional
        Whether to write what is noted in all files into a file `_metadata`, too.
    ignore_divisions : bool
        For programs written for Dask. Divisions are not compared, so that it makes no difference.
    compute : bool, default True
        Write now; otherwise the delayed object that does.
    compute_kwargs : dict, optional
        How to compute.

    Returns
    -------
    list of str
        The paths of the files; a Delayed of it with `compute=False`.

    Raises
    ------
    FileExistsError
        Where the folder holds Parquet files already, and neither `overwrite` nor `append` is asked for.
    ValueError
        For columns that are appended to others, and for bad combinations of arguments.
    NotImplementedError
        For `storage_options`, `filesystem` and `custom_metadata`.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd, tempfile
    >>> folder = tempfile.mkdtemp() + "/data"
    >>> paths = rd.from_pandas(pd.DataFrame({"x": [1, 2, 3]}), npartitions=2).to_parquet(folder)
    >>> rd.read_parquet(folder)["x"].compute().tolist()
    [1, 2, 3]
    """
    options = given(to_parquet, locals())
    refuse("to_parquet", options, REFUSED)
    _check_engine(options.get("engine"))
    if append and overwrite:
        raise ValueError("append and overwrite: files are either added or replaced")
    if write_index is not None and index is not None and write_index != index:
        raise ValueError(f"index={index!r} and write_index={write_index!r} say the same thing in different ways")
    index = write_index if index is None else index
    if index not in (None, True, False):
        raise TypeError(f"index must be True, False or None, not {index!r}; choose labels by set_index")
    frame = as_frame(self)
    if path is None or hasattr(path, "write"):
        known = {"engine", "compression", "index", "write_index", "path"}
        refuse("to_parquet", options, dict.fromkeys(options.keys() - known, "give the path of a folder"))
        return frame.compute().to_parquet(path, compression=compression, index=index)
    by = _folders(frame, partition_cols, partition_on)
    folder = os.fspath(path)
    old = _parquet_files(folder)
    if old and not (overwrite or append):
        raise FileExistsError(
            f"{folder!r} holds {len(old)} Parquet files: pass overwrite=True to replace them, or append=True"
        )
    publication = Publication(folder)
    how = dict(compute_kwargs or {})
    replaced = old if overwrite else []
    simple = (
        not by
        and not append
        and not set(options) & {"schema", "row_group_size", "name_function", "write_metadata_file"}
    )
    if simple and _is_native(frame, compression, index):
        options = {"compression": compression or "none", "index": index}
        with contextlib.suppress(NotNative):
            written = Written(frame._expr.to_parquet(publication.stage, has_folder=compute, **options))
            return _published(publication, written, compute, how, replaced)
    if index is None and frame._expr.index_names != [None]:
        # pandas forgets the name of a numbering that one of many files notes.
        index = (
            _has_labels(os.path.join(folder, old[0]), frame)
            if append and old
            else (True if frame.npartitions > 1 else None)
        )
    frame, whole = _with_whole_numbers(frame, by)
    names = _names(frame, name_function, old)
    write = WriteParquet(publication, by, index, compression, schema, row_group_size, names, whole)
    return _by_tasks(
        frame, publication, write, compute, how, replaced, old if append else [], bool(write_metadata_file)
    )


def _with_whole_numbers(frame: Any, by: list[str]) -> tuple[Any, list[int]]:
    """A frame whose integers that may be missing are nullable ones, with where they stand.

    pandas would hand over rounded floats from partitions that miss one, and integers from others. Columns that become
    folders are left alone.
    """
    import pandas as pd

    labels = decode(frame._plan.columns)
    loose = [at for at, one in enumerate(columns_of(frame)) if one.may_be_rounded and labels[at] not in by]
    if not loose:
        return frame, loose
    nullable = []
    for at in loose:
        column = frame._expr.column_at(at)
        dtype = pd.api.types.pandas_dtype(column.whole_type)
        nullable.append((frame._plan.columns[at], column.stored_as(described(storage_of(dtype)))))
    return wrap(frame._plan.assign(nullable)), loose


def _folders(frame: Any, partition_cols: Any, partition_on: Any) -> list[str]:
    """The columns whose values become folders."""
    if partition_cols is not None and partition_on is not None:
        raise ValueError("partition_cols and partition_on are the same argument")
    by = partition_cols if partition_on is None else partition_on
    by = [] if by is None else [by] if isinstance(by, str) else list(by)
    if by:
        frame[by]  # raises for unknown names
        if len(by) == len(frame.columns):
            raise ValueError("no column is left for the files: partition_on names all of them")
    return by


def _is_native(frame: Any, compression: Any, index: Any) -> bool:
    """Whether the native writer writes such a frame as pandas does."""
    expression = frame._expr
    plain = all(NATIVE_TYPES.fullmatch(str(dtype)) for dtype in expression.dtypes)
    # pandas finds labels in folders only if pyarrow noted them.
    without_labels = index is False or (index is None and expression.is_numbered and expression.index_names == [None])
    return (
        bool(expression.columns)
        and plain
        and without_labels
        and compression in NATIVE_COMPRESSIONS
        and frame.has_plain_labels()
    )


def _has_labels(path: str, frame: Any) -> bool | None:
    """Whether a file holds the row labels of a frame as columns; None if it can note at most that they are numbered."""
    import pyarrow.parquet as pq

    return True if set(map(str, frame._expr.index_names)) <= set(pq.read_schema(path).names) else None


def _parquet_files(folder: str) -> list[str]:
    """The Parquet files of a folder and of the folders `key=value` in it, by their names from there on."""
    found = []
    for at, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if "=" in name]
        wanted = [
            name
            for name in names
            if name.endswith((".parquet", ".parq", ".pq")) or name in ("_metadata", "_common_metadata")
        ]
        found += [os.path.relpath(os.path.join(at, name), folder) for name in wanted if not name.startswith(".")]
    return found


def _names(frame: Any, name_function: Callable[[int], str] | None, old: list[str]) -> list[str]:
    """The names of the files; after those that are there, if any are."""
    numbers = [re.match(r"part\.(\d+)", os.path.basename(name)) for name in old]
    first = max((int(number[1]) + 1 for number in numbers if number), default=0)
    if name_function is None:
        return [f"part.{first + at}.parquet" for at in range(frame.npartitions)]
    names = [name_function(first + at) for at in range(frame.npartitions)]
    if not all(isinstance(name, str) and name and os.sep not in name for name in names) or len(set(names)) != len(
        names
    ):
        raise ValueError(f"name_function must give each partition another name of a file, and gave {names}")
    return [name if name.endswith((".parquet", ".parq", ".pq")) else f"{name}.parquet" for name in names]


def _by_tasks(
    frame: Any,
    publication: Publication,
    write: WriteParquet,
    compute: bool,
    how: dict[str, Any],
    replaced: list[str],
    appended: list[str],
    notes: bool,
) -> Any:
    import raskt

    call = raskt.delayed(write)
    parts = [call(part, at) for at, part in enumerate(frame.to_delayed())]
    settle = Settle(publication, write.compression, write.row_group_size)
    parts = raskt.delayed(Finish(publication, appended, notes, settle))(parts)
    return _published(publication, parts, compute, how, replaced)


class WriteParquet:
    """Writes one partition by pyarrow."""

    def __init__(
        self,
        publication: Publication,
        by: list[str],
        index: bool | None,
        compression: Any,
        schema: Any,
        row_group_size: int | None,
        names: list[str],
        whole: list[int],
    ) -> None:
        #: Where columns stand that are nullable integers only to keep every digit.
        self.whole = whole
        self.publication = publication
        self.by = by
        self.index = index
        self.compression = compression
        self.schema = schema
        self.row_group_size = row_group_size
        self.names = names

    def __call__(self, part: Any, at: int) -> str:
        """The name of the file."""
        table = self.table(part)
        with self.publication.writing():
            self._write(part, table, at)
        return self.names[at]

    def _write(self, part: Any, table: Any, at: int) -> None:
        import pyarrow.parquet as pq

        path = self.publication.path(self.names[at])
        if not self.by:
            pq.write_table(table, path, compression=self.compression or "none", row_group_size=self.row_group_size)
        elif len(part):
            pq.write_to_dataset(
                table,
                self.publication.stage,
                partition_cols=self.by,
                basename_template=self.names[at].removesuffix(".parquet") + "-{i}.parquet",
                compression=self.compression or "none",
                row_group_size=self.row_group_size,
            )

    def table(self, part: Any) -> Any:
        """The rows with the types that are to be written."""
        import pyarrow as pa

        schema = None if isinstance(self.schema, str | None) else self.schema
        if isinstance(schema, dict):
            schema = pa.Schema.from_pandas(part, preserve_index=self.index)
            for name, dtype in self.schema.items():
                schema = schema.set(schema.get_field_index(name), pa.field(name, dtype))
        table = pa.Table.from_pandas(part, schema=schema, preserve_index=self.index)
        return as_plain_numbers(table, self.whole) if self.whole else table


def as_plain_numbers(table: Any, columns: list[int]) -> Any:
    """A table whose notes for pandas say of some columns that they are none of its nullable integers."""
    notes = json.loads(table.schema.metadata[b"pandas"])
    names = {table.schema.names[at] for at in columns}
    for note in notes["columns"]:
        if note["field_name"] in names:
            note["numpy_type"] = "float64"
    return table.replace_schema_metadata({**table.schema.metadata, b"pandas": json.dumps(notes)})


def _plain_types(schema: Any) -> list[str]:
    """The types by their names, strings of any layout alike."""
    return [re.sub(r"\b(large_)?(string|binary)(_view)?\b", r"\2", str(dtype)) for dtype in schema.types]


class Settle:
    """Gives columns of objects the type that they have in other files, where they hold nothing that tells a type."""

    def __init__(self, publication: Publication, compression: Any, row_group_size: int | None) -> None:
        self.publication = publication
        self.options = {"compression": compression or "none", "row_group_size": row_group_size}

    def __call__(self, names: list[str], appended: list[str]) -> None:
        """Write those files anew whose columns have no types: others have, or those that they are `appended` to."""
        import pyarrow.parquet as pq

        schemas = {name: pq.read_schema(self.publication.path(name)) for name in names}
        before = [pq.read_schema(os.path.join(self.publication.folder, name)) for name in appended]
        told = [*before, *schemas.values()]
        known = {field.name: field.type for schema in told for field in schema if is_settled(field.type)}
        for name, schema in schemas.items():
            if any(field.name in known and not is_settled(field.type) for field in schema):
                self.rewrite(self.publication.path(name), known)

    def rewrite(self, path: str, known: dict[str, Any]) -> None:
        """Write a file with the types that are known."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        with pq.ParquetFile(path) as file:
            table = file.read()
        types = [field.type if is_settled(field.type) else known.get(field.name, field.type) for field in table.schema]
        fields = [field.with_type(dtype) for field, dtype in zip(table.schema, types, strict=True)]
        with contextlib.suppress(
            pa.ArrowInvalid, pa.ArrowNotImplementedError
        ):  # lists beside texts, say: left as it is
            settled = table.cast(pa.schema(fields, table.schema.metadata))
            with self.publication.writing():
                pq.write_table(settled, path, **self.options)


def is_settled(dtype: Any) -> bool:
    """Whether a type of Arrow says what the values are, in lists as well."""
    return not re.search(r"\bnull\b", str(dtype))


class Finish:
    """What is left to do when all files are written: compare them with those they join, and note them."""

    def __init__(self, publication: Publication, appended: list[str], notes: bool, settle: Settle) -> None:
        self.publication = publication
        self.settle = settle
        self.appended = [name for name in appended if not os.path.basename(name).startswith("_")]
        self.notes = notes

    def __call__(self, parts: list[str]) -> list[str]:
        """The names of the files."""
        stage = self.publication.stage
        found = _parquet_files(stage)
        self.settle(found, self.appended)
        if self.appended and found:
            self.compare(os.path.join(stage, found[0]), os.path.join(self.publication.folder, self.appended[0]))
        if self.notes:
            self.note(found)
        return parts

    def compare(self, new: str, old: str) -> None:
        """ValueError unless both have the same columns."""
        import pyarrow.parquet as pq

        mine, theirs = pq.read_schema(new), pq.read_schema(old)
        if mine.names != theirs.names or _plain_types(mine) != _plain_types(theirs):
            told = [", ".join(f"{field.name}: {field.type}" for field in one) for one in (mine, theirs)]
            raise ValueError(f"append=True: the new files have other columns ({told[0]}) than those there ({told[1]})")

    def note(self, names: list[str]) -> None:
        """Write what all files tell of themselves into one."""
        import pyarrow.parquet as pq

        together = None
        folder = self.publication.folder
        places = [(os.path.join(folder, name), name) for name in self.appended]
        places += [(os.path.join(self.publication.stage, name), name) for name in names]
        for path, name in places:
            one = pq.read_metadata(path)
            one.set_file_path(name)
            if together is None:
                together = one
            else:
                together.append_row_groups(one)
        if together is not None:
            together.write_metadata_file(self.publication.path("_metadata"))
