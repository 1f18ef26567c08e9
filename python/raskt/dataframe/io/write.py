"""Writing frames to files."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from raskt._core import NotNative

from ..base.arguments import as_list
from ..base.collection import Collection
from ..base.meta import sample_of

#: Options of `to_csv` that the native writer has; others are left to pandas.
NATIVE_CSV = {"sep", "header", "index"}


class Written(Collection):
    """Files to be written: `compute()` writes them and gives their paths."""

    __slots__ = ()

    def __raskt_rebuild__(self, expression: Any) -> Any:
        return Written(expression)


def finish(written: Any, compute: bool, compute_kwargs: Any) -> Any:
    """Write now, or give the object that will."""
    return written.compute(**(compute_kwargs or {})) if compute else written


def write_parquet(
    frame: Any,
    path: Any,
    *,
    compression: str | None,
    write_index: bool | None,
    overwrite: bool,
    append: bool,
    partition_on: Any,
    compute: bool,
    compute_kwargs: Any,
    **kwargs: Any,
) -> Any:
    """A folder of Parquet files."""
    unknown = [
        name
        for name, value in kwargs.items()
        if value is not None and name not in ("engine", "name_function", "write_metadata_file")
    ]
    if append or unknown or kwargs.get("name_function"):
        asked = "append" if append else ", ".join(unknown) or "name_function"
        raise NotImplementedError(f"to_parquet({asked}=): write to a new folder and read both folders as a list")
    folder = os.fspath(path)
    clear_folder(folder, overwrite)
    if partition_on is not None:
        return write_partitioned(frame, folder, partition_on, write_index, compute)
    options = {"compression": compression or "none", "index": write_index}
    try:
        written = Written(frame._expr.to_parquet(folder, **options))
    except NotNative:
        return write_by_pandas(frame, folder, compression, write_index, compute)
    return finish(written, compute, compute_kwargs)


def write_by_pandas(frame: Any, folder: str, compression: str | None, write_index: bool | None, compute: bool) -> Any:
    """A folder of Parquet files of columns that only pandas knows how to write."""
    import pyarrow as pa

    pa.Schema.from_pandas(sample_of(frame))  # raises at once for types without a form in files
    os.makedirs(folder, exist_ok=True)

    def write(part: Any, at: int) -> str:
        path = os.path.join(folder, f"part.{at}.parquet")
        part.to_parquet(path, compression=compression, index=write_index)
        return path

    return run_parts(frame, write, compute)


def clear_folder(folder: str, overwrite: bool) -> None:
    """Remove the Parquet files of a folder that is to be overwritten; FileExistsError unless it is."""
    if not os.path.isdir(folder):
        return
    old = [name for name in os.listdir(folder) if name.endswith((".parquet", "_metadata"))]
    if old and not overwrite:
        raise FileExistsError(f"{folder!r} holds {len(old)} Parquet files: pass overwrite=True to replace them")
    for name in old:
        os.unlink(os.path.join(folder, name))


def write_partitioned(frame: Any, folder: str, by: Any, write_index: bool | None, compute: bool) -> Any:
    """A folder for each value of some columns, by pyarrow."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = as_list(by)
    frame[names]  # raises for unknown names

    def write(part: Any, at: int) -> str:
        table = pa.Table.from_pandas(part, preserve_index=False if write_index is False else None)
        pq.write_to_dataset(table, folder, partition_cols=names, basename_template=f"part.{at}-{{i}}.parquet")
        return folder

    return run_parts(frame, write, compute)


def run_parts(frame: Any, write: Callable[[Any, int], str], compute: bool) -> Any:
    """Call `write` with each partition and its number; the paths that it gives."""
    import raskt

    calls = [raskt.delayed(write)(part, at) for at, part in enumerate(frame.to_delayed())]
    return list(raskt.compute(*calls)) if compute else calls


def numbered(filename: Any, count: int, ending: str, name_function: Callable[[int], str] | None = None) -> list[str]:
    """The file of each partition: the star in the name is its number; a name without a star is a folder."""
    name = os.fspath(filename)
    width = len(str(count - 1))
    numbers = [name_function(at) if name_function else str(at).zfill(width) for at in range(count)]
    if "*" not in name:
        os.makedirs(name, exist_ok=True)
        return [os.path.join(name, f"{number}.{ending}") for number in numbers]
    if name.count("*") > 1:
        raise ValueError(f"a file name may have one star, for the number of the partition: {name!r}")
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    return [name.replace("*", number) for number in numbers]


def write_parts(
    frame: Any, filename: Any, ending: str, write: Callable[[Any, str], Any], compute: bool, name_function: Any = None
) -> Any:
    """A file for each partition, by a method of pandas."""
    names = numbered(filename, frame.npartitions, ending, name_function)

    def call(part: Any, at: int) -> str:
        write(part, names[at])
        return names[at]

    return run_parts(frame, call, compute)


def write_csv(
    frame: Any, filename: Any, single_file: bool, compute: bool, compute_kwargs: Any, options: dict[str, Any]
) -> Any:
    """CSV: natively into a folder or one file, by pandas where the options or a star in the name ask for it."""
    name_function = options.pop("name_function", None)
    name = os.fspath(filename)
    native = set(options) <= NATIVE_CSV and "*" not in name and name_function is None
    if native and frame.has_plain_labels() and isinstance(options.get("header", True), bool):
        try:
            return finish(
                Written(frame._expr.to_csv(name, single_file=single_file, **options)), compute, compute_kwargs
            )
        except NotNative:
            pass  # pandas writes columns that only it has
    if single_file:
        return write_parts(
            frame.repartition(npartitions=1),
            name + "*",
            "csv",
            lambda part, _: part.to_csv(name, **options),
            compute,
            lambda at: "",
        )
    return write_parts(frame, name, "csv", lambda part, target: part.to_csv(target, **options), compute, name_function)
