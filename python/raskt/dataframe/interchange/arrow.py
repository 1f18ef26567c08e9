"""pandas objects as Arrow batches for the native side, and back."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from ..base.labels import decode, decode_label, encode_label, is_plain

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def to_dataframe(
    batch: pa.RecordBatch, labels: list[str | None], levels: int, names: list[str], start: int
) -> pd.DataFrame:
    """The frame of a batch whose first `levels` columns are the row labels; numbered rows begin at `start`."""
    index = row_labels(batch, labels, levels, start)
    if not names:
        import pandas as pd

        return pd.DataFrame(index=index)
    columns = batch.select(list(range(batch.num_columns - len(names), batch.num_columns)))
    frame = columns.to_pandas()
    for at, field in enumerate(columns.schema):
        if is_object(field.type):
            frame[frame.columns[at]] = values_of(columns, at)
    frame.index = index
    frame.columns = column_labels(names)
    return frame


def to_series(batch: pa.RecordBatch, labels: list[str | None], levels: int, name: str | None, start: int) -> pd.Series:
    """The series of a batch whose last column has the values."""
    series = values_of(batch, batch.num_columns - 1)
    series.index = row_labels(batch, labels, levels, start)
    return series.rename(label_of(name))


def to_index(batch: pa.RecordBatch, name: str | None) -> pd.Index:
    """The index of a batch of one column."""
    import pandas as pd

    return pd.Index(values_of(batch, 0)).rename(label_of(name))


def to_scalar(batch: pa.RecordBatch) -> Any:
    """The value of a batch of one column and one row."""
    import pyarrow as pa

    column = batch.column(0)
    # Numbers need nothing of pandas, whose conversion takes milliseconds the first time.
    if not column.null_count and (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        return column.to_numpy(zero_copy_only=False)[0]
    return values_of(batch, 0).iloc[0]


def values_of(batch: pa.RecordBatch, at: int) -> pd.Series:
    """One column of a batch as pandas has it, without a name."""
    import pandas as pd

    column, dtype = batch.column(at), batch.schema.field(at).type
    if is_pickled(dtype):
        values = pd.Series(unpickled(column), dtype=object)
    elif is_list(dtype):
        values = pd.Series(column.to_pylist(), dtype=object)
    else:
        values = column.to_pandas().rename(None)
    if isinstance(values.dtype, pd.CategoricalDtype):
        return values.cat.as_unordered()
    if values.dtype == object and column.null_count:
        values = values.where(values.notna(), pd.NaT if is_time(dtype) else float("nan"))
    return values


def is_object(dtype: pa.DataType) -> bool:
    """Whether pandas may hold such values as objects that Arrow does not make as pandas does."""
    import pyarrow as pa

    is_bytes = pa.types.is_binary(dtype) or pa.types.is_large_binary(dtype) or pa.types.is_binary_view(dtype)
    is_category = pa.types.is_dictionary(dtype)
    return bool(is_time(dtype) or is_list(dtype) or is_pickled(dtype) or is_bytes or is_category or dtype == pa.bool_())


#: The one field of the structs that objects travel in. Only this process knows its name: no file can hold such a
#: struct, so that reading data never unpickles.
PICKLE = f"__pickle_{os.urandom(16).hex()}__"


def is_pickled(dtype: pa.DataType) -> bool:
    """Whether such values are objects of Python that travel pickled."""
    import pyarrow as pa

    return bool(pa.types.is_struct(dtype) and dtype.num_fields == 1 and dtype.field(0).name == PICKLE)


def pickled(values: Any) -> pa.Array:
    """Objects that no Arrow type stands for, in structs of their pickles; missing ones are null."""
    import pickle

    import pandas as pd
    import pyarrow as pa

    missing = [bool(pd.api.types.is_scalar(value) and pd.isna(value)) for value in values]
    dumps = [None if gone else pickle.dumps(value, 5) for value, gone in zip(values, missing, strict=True)]
    mask = pa.array(missing, pa.bool_())
    field = pa.field(PICKLE, pa.large_binary())
    return pa.StructArray.from_arrays([pa.array(dumps, pa.large_binary())], fields=[field], mask=mask)


def unpickled(column: pa.Array) -> list[Any]:
    """The objects of a column of pickles, which this process made."""
    import pickle

    dumps = column.field(0).to_pylist()
    return [None if dump is None else pickle.loads(dump) for dump in dumps]


def is_list(dtype: pa.DataType) -> bool:
    """Whether such values are lists."""
    import pyarrow as pa

    return bool(pa.types.is_list(dtype) or pa.types.is_large_list(dtype) or pa.types.is_fixed_size_list(dtype))


def is_time(dtype: pa.DataType) -> bool:
    """Whether pandas holds such values as objects of `datetime`."""
    import pyarrow as pa

    return bool(pa.types.is_date(dtype) or pa.types.is_time(dtype))


def row_labels(batch: pa.RecordBatch, labels: list[str | None], levels: int, start: int) -> pd.Index:
    """The row labels of a batch: its first columns, or numbers."""
    import pandas as pd

    if levels == 0:
        return pd.RangeIndex(start, start + batch.num_rows, name=label_of(labels[0]))
    columns = [pd.Index(values_of(batch, at)) for at in range(levels)]
    if levels == 1:
        return columns[0].rename(label_of(labels[0]))
    return pd.MultiIndex.from_arrays(columns, names=[label_of(name) for name in labels])


def column_labels(names: list[str]) -> Any:
    """The column labels that names stand for."""
    import pandas as pd

    if not names:
        return pd.RangeIndex(0)
    return pd.Index(names, dtype="str") if is_plain(names) else decode(names)


def label_of(name: str | None) -> Any:
    """The label that a name stands for; None for none."""
    return None if name is None or name == "" else decode_label(name)


def from_pandas(
    data: Any, number: bool, is_meta: bool = False, objects: list[bool] | None = None
) -> tuple[pa.RecordBatch, list[str | None], str | None, list[str | None], bool]:
    """A batch of the row labels and columns of a frame or series, with what tells them apart.

    Returns the batch, the names of the levels of labels that are columns of it (none if `number` and the rows are
    numbered from 0), the name of numbered rows, the names of the columns, and whether it was a series.
    """
    import pandas as pd
    import pyarrow as pa

    if not isinstance(data, pd.DataFrame | pd.Series):
        raise TypeError(f"a pandas DataFrame or Series is wanted, not {type(data).__name__}")
    is_series = isinstance(data, pd.Series)
    index = data.index
    numbered = number and isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1
    levels = [] if numbered else [index.get_level_values(at) for at in range(index.nlevels)]
    columns = [data] if is_series else [data.iloc[:, at] for at in range(data.shape[1])]
    names = [name_of(data.name) if is_series else name_of(label) for label in ([None] if is_series else data.columns)]
    whats = ["the row labels"] * len(levels) + [f"column `{name}`" for name in names]
    wanted = objects if objects is not None and len(objects) == len(whats) else [False] * len(whats)
    arrays = [array_of(*one, is_meta) for one in zip(levels + columns, whats, wanted, strict=True)]
    if not arrays:
        batch = pa.RecordBatch.from_struct_array(pa.array([{}] * len(data), type=pa.struct([])))
    else:
        labels = [f"__index_{at}__" for at in range(len(levels))]
        batch = pa.RecordBatch.from_arrays(arrays, names=labels + [name or "" for name in names])
    return batch, [name_of(level.name) for level in levels], name_of(index.name) if numbered else None, names, is_series


def array_of(values: Any, what: str, as_objects: bool, is_meta: bool) -> pa.Array:
    """The values as one Arrow array; missing ones are null, whatever pandas has for them.

    Objects that no Arrow type stands for travel pickled; so do all of a column that was promised to be of objects
    (`as_objects`), and what a meta promises as objects.
    """
    import pyarrow as pa

    values = values.to_series() if not hasattr(values, "iloc") else values
    if as_objects or (is_meta and values.dtype == object):
        return pickled(values)
    try:
        array = pa.Array.from_pandas(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return pickled(values)
    if isinstance(array.type, pa.BaseExtensionType) or (values.dtype == object and is_nested(array.type)):
        return pickled(values)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks() if array.num_chunks != 1 else array.chunk(0)
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], type=array.type)
    if pa.types.is_dictionary(array.type):
        array = coded(array, what)
    if pa.types.is_null(array.type):
        array = array.cast(pa.large_string() if values.dtype == object else pa.float64())
    if pa.types.is_timestamp(array.type) and array.type.unit == "s":
        array = array.cast(pa.timestamp("ms", array.type.tz))
    if pa.types.is_duration(array.type) and array.type.unit == "s":
        array = array.cast(pa.duration("ms"))
    return array


def coded(array: pa.DictionaryArray, what: str) -> pa.DictionaryArray:
    """Categories of strings, by codes of four bytes."""
    import pyarrow as pa

    words = array.dictionary
    if len(words) and not (pa.types.is_string(words.type) or pa.types.is_large_string(words.type)):
        raise NotImplementedError(f"{what} has categories of {words.type}, and only strings can be categories yet")
    if array.type.ordered:
        raise NotImplementedError(f"{what} has ordered categories, which have no native form yet; use astype(str)")
    return pa.DictionaryArray.from_arrays(array.indices.cast(pa.int32()), words.cast(pa.large_string()))


def is_nested(dtype: pa.DataType) -> bool:
    """Whether pandas would not get the objects back that it gave."""
    import pyarrow as pa

    return bool(pa.types.is_nested(dtype) or pa.types.is_binary(dtype) or pa.types.is_large_binary(dtype))


def name_of(label: Any) -> str | None:
    """The name that stands for a label; None for none."""
    return None if label is None else encode_label(label)


def parquet_notes(columns: list[str], dtypes: list[str], labels: list[str | None]) -> str:
    """What pandas notes in a Parquet file about `columns`, the first of which are the row labels `labels`, as JSON."""
    import pandas as pd

    fields = []
    for at, (column, dtype) in enumerate(zip(columns, dtypes, strict=True)):
        name = labels[at] if at < len(labels) else column
        kind = {"str": "unicode", "object": "object"}.get(dtype, dtype.split("[")[0])
        zone = {"timezone": dtype[:-1].split(", ")[1]} if ", " in dtype else None
        fields.append({"name": name, "field_name": column, "pandas_type": kind, "numpy_type": dtype, "metadata": zone})
    notes = {
        "index_columns": columns[: len(labels)],
        "column_indexes": [],
        "columns": fields,
        "creator": {"library": "raskt", "version": "0.1.0"},
        "pandas_version": pd.__version__,
    }
    return json.dumps(notes)
