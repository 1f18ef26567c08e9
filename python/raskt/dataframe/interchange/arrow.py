"""pandas objects as Arrow batches for the native side, and back."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..base.labels import INTERNAL, decode, decode_label, encode_label, is_plain, levels_of
from ..base.steps import offset_of, word_of
from ..base.storage import Storage, described, key_of, one, storage_for, storage_of

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def to_dataframe(
    batch: pa.RecordBatch,
    labels: list[str | None],
    levels: int,
    names: list[str],
    start: int,
    codecs: list[bytes | None],
    frequency: str | None = None,
) -> pd.DataFrame:
    """The frame of a batch whose first `levels` columns are the row labels; numbered rows begin at `start`.

    `codecs` say how the values of each level and column were stored, where they aren't plain.
    """
    import pandas as pd

    index = stepped(row_labels(batch, labels, levels, start, codecs), frequency)
    if not names:
        return pd.DataFrame(index=index, columns=column_labels([]))
    first = batch.num_columns - len(names)
    columns = batch.select(list(range(first, batch.num_columns)))
    codecs = codecs[len(codecs) - len(names) :]
    if any(codecs):
        values = {at: own_values_of(columns, at, codec) for at, codec in enumerate(codecs)}
        frame = pd.DataFrame(values, copy=False) if values else pd.DataFrame(index=index)
    else:
        frame = columns.to_pandas()
        for at, field in enumerate(columns.schema):
            if is_object(field.type):
                frame[frame.columns[at]] = values_of(columns, at, None)
    frame.index = index
    frame.columns = column_labels(names)
    return frame


def to_series(
    batch: pa.RecordBatch,
    labels: list[str | None],
    levels: int,
    name: str | None,
    start: int,
    codecs: list[bytes | None],
    frequency: str | None = None,
) -> pd.Series:
    """The series of a batch whose last column has the values."""
    series = own_values_of(batch, batch.num_columns - 1, codecs[-1])
    series.index = stepped(row_labels(batch, labels, levels, start, codecs), frequency)
    return series.rename(label_of(name))


def to_index(
    batch: pa.RecordBatch, name: str | None, codecs: list[bytes | None], frequency: str | None = None
) -> pd.Index:
    """The index of a batch of one column."""
    return stepped(index_of(batch, 0, codecs[0]).rename(label_of(name)), frequency)


def stepped(index: pd.Index, frequency: str | None) -> pd.Index:
    """Times whose steps are known as pandas knows them; steps that are not theirs are none."""
    if frequency is not None and hasattr(index, "freq"):
        with suppress(ValueError):
            index.freq = offset_of(frequency)
    return index


def frequency_of(index: pd.Index) -> str | None:
    """The steps of times, as `word_of` calls them; None for other labels, and where periods have it as their type."""
    import pandas as pd

    if not isinstance(index, pd.DatetimeIndex | pd.TimedeltaIndex):
        return None
    return word_of(index.freq)


def to_scalar(batch: pa.RecordBatch, codecs: list[bytes | None], counted: bool = False) -> Any:
    """The value of a batch of one column and one row; an integer of Python if it is what pandas has counted."""
    import pyarrow as pa

    column = batch.column(0)
    if counted:
        return column[0].as_py()
    # Numbers need nothing of pandas, whose conversion takes milliseconds the first time.
    is_number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    if codecs[0] is None and not column.null_count and is_number:
        return column.to_numpy(zero_copy_only=False)[0]
    return values_of(batch, 0, codecs[0]).iloc[0]


def index_of(batch: pa.RecordBatch, at: int, codec: bytes | None) -> pd.Index:
    """One column of a batch as labels."""
    import pandas as pd

    values = values_of(batch, at, codec)
    return pd.Index(values, dtype=values.dtype)


def own_values_of(batch: pa.RecordBatch, at: int, codec: bytes | None) -> pd.Series:
    """One column of a batch as pandas has it, in memory of its own: whoever gets it may write to it."""
    import pyarrow as pa

    column = batch.column(at)
    shared = codec is None and not column.null_count and pa.types.is_primitive(column.type)
    values = values_of(batch, at, codec)
    return values.copy() if shared else values


def values_of(batch: pa.RecordBatch, at: int, codec: bytes | None) -> pd.Series:
    """One column of a batch as pandas has it, without a name."""
    import numpy as np
    import pandas as pd

    column, dtype = batch.column(at), batch.schema.field(at).type
    storage = storage_for(codec)
    if storage is not None:
        restored = storage.restore(column)
        return pd.Series(restored, dtype=restored.dtype, copy=False)
    if is_list(dtype):
        values = pd.Series(column.to_pylist(), dtype=object)
    else:
        values = column.to_pandas().rename(None)
    if isinstance(values.dtype, pd.CategoricalDtype):
        return values.cat.as_unordered()
    if values.dtype == object and column.null_count:
        # The one NaN of NumPy, which sets of Python have once; `Series.where` would make one for each value.
        objects = values.to_numpy(copy=True)
        objects[values.isna().to_numpy()] = pd.NaT if is_time(dtype) else np.nan
        return pd.Series(objects, dtype=object, copy=False)
    return values


def is_object(dtype: pa.DataType) -> bool:
    """Whether pandas may hold such values as objects that Arrow does not make as pandas does."""
    import pyarrow as pa

    is_bytes = pa.types.is_binary(dtype) or pa.types.is_large_binary(dtype) or pa.types.is_binary_view(dtype)
    is_category = pa.types.is_dictionary(dtype)
    return bool(is_time(dtype) or is_list(dtype) or is_bytes or is_category or dtype == pa.bool_())


def is_list(dtype: pa.DataType) -> bool:
    """Whether such values are lists."""
    import pyarrow as pa

    return bool(pa.types.is_list(dtype) or pa.types.is_large_list(dtype) or pa.types.is_fixed_size_list(dtype))


def is_time(dtype: pa.DataType) -> bool:
    """Whether pandas holds such values as objects of `datetime`."""
    import pyarrow as pa

    return bool(pa.types.is_date(dtype) or pa.types.is_time(dtype))


def row_labels(
    batch: pa.RecordBatch, labels: list[str | None], levels: int, start: int, codecs: list[bytes | None]
) -> pd.Index:
    """The row labels of a batch: its first columns, or numbers."""
    import pandas as pd

    if levels == 0:
        return pd.RangeIndex(start, start + batch.num_rows, name=label_of(labels[0]))
    columns = [index_of(batch, at, codecs[at]) for at in range(levels)]
    if levels == 1:
        return columns[0].rename(label_of(labels[0]))
    names = [label_of(name) for name in labels]
    try:
        return pd.MultiIndex.from_arrays(columns, names=names)
    except ValueError:  # zeros of both signs are two of Arrow's values, and no two categories
        codes, distinct = zip(*map(pd.factorize, columns), strict=True)
        return pd.MultiIndex(distinct, codes, names=names, verify_integrity=False)


def column_labels(names: list[str]) -> Any:
    """The column labels that names stand for."""
    import pandas as pd

    if not names:
        return pd.Index([], dtype="str")
    return pd.Index(names, dtype="str") if is_plain(names) else decode(names)


def label_of(name: str | None) -> Any:
    """The label that a name stands for; None for none."""
    return None if name is None else decode_label(name)


def from_pandas(
    data: Any, number: bool, is_meta: bool = False, codecs: list[bytes | None] | None = None
) -> tuple[pa.RecordBatch, list[str | None], str | None, list[str | None], bool, list[Any]]:
    """A batch of the row labels and columns of a frame or series, with what tells them apart.

    Returns the batch, the names of the levels of labels that are columns of it (none if `number` and the rows are
    numbered from 0), the name of numbered rows, the names of the columns, whether it was a series, and for each level
    and column what its storage is, or None if it is plain. `codecs` are the storages that were promised.
    """
    import pandas as pd
    import pyarrow as pa

    if not isinstance(data, pd.DataFrame | pd.Series):
        raise TypeError(f"a pandas DataFrame or Series is wanted, not {type(data).__name__}")
    is_series = isinstance(data, pd.Series)
    index = data.index
    numbered = number and isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1
    levels = [] if numbered else levels_of(index)
    columns = [data] if is_series else [data.iloc[:, at] for at in range(data.shape[1])]
    names = [name_of(data.name) if is_series else name_of(label) for label in ([None] if is_series else data.columns)]
    every = levels + columns
    promised = codecs is not None and len(codecs) == len(every)
    wanted = [storage_for(codec) for codec in codecs] if promised else [None] * len(every)
    stored = [stored_as(values, promised, storage, is_meta) for values, storage in zip(every, wanted, strict=True)]
    if not stored:
        batch = pa.RecordBatch.from_struct_array(pa.array([{}] * len(data), type=pa.struct([])))
    else:
        labels = [f"{INTERNAL}index_{at}" for at in range(len(levels))]
        arrays = [array for array, _ in stored]
        batch = pa.RecordBatch.from_arrays(arrays, names=labels + [name or "" for name in names])
    known = codecs if promised and codecs else [None] * len(every)
    storages = [
        described(storage, codec if storage is promise else None)
        for (_, storage), promise, codec in zip(stored, wanted, known, strict=True)
    ]
    name = name_of(index.name) if numbered else None
    return batch, [name_of(level.name) for level in levels], name, names, is_series, storages


def stored_as(values: Any, promised: bool, wanted: Storage | None, is_meta: bool) -> tuple[pa.Array, Storage | None]:
    """Values as an array, and how they are stored; as they were promised, if that loses nothing."""
    import pandas as pd

    values = pd.Series(values, dtype=values.dtype) if isinstance(values, pd.Index) else values
    storage = storage_of(values.dtype, is_meta)
    if not promised or (storage is None and wanted is None):
        return plain(values) if storage is None else storage.store(values), storage
    if wanted is None:
        return as_plain(values, storage)
    if storage is None or key_of(storage) != key_of(wanted):
        try:
            values = wanted.fit(values)
        except (TypeError, ValueError, OverflowError):
            return plain(values) if storage is None else storage.store(values), storage
    return wanted.store(values), wanted


def as_plain(values: pd.Series, storage: Storage) -> tuple[pa.Array, Storage | None]:
    """Objects and categories as what they hold, where numbers, text or times were promised; others as they are."""
    import pandas as pd
    import pyarrow as pa

    if len(values) and values.isna().all():
        return pa.nulls(len(values), pa.float64()), None
    if isinstance(values.dtype, pd.CategoricalDtype) and storage_of(values.cat.categories.dtype) is None:
        return plain(values.astype(values.cat.categories.dtype)), None
    if values.dtype == object:
        try:
            array = plain(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
            return storage.store(values), storage
        moments = pa.types.is_timestamp(array.type) or pa.types.is_duration(array.type)
        if moments and values.infer_objects().dtype == object:
            return storage.store(values), storage  # times of several zones, which are of none together
        if not is_nested(array.type):
            return array, None
    return storage.store(values), storage


def plain(values: pd.Series) -> pa.Array:
    """Values of a plain type as one Arrow array; missing ones are null, whatever pandas has for them."""
    import pyarrow as pa

    array = one(pa.Array.from_pandas(values))
    if values.dtype == object and pa.types.is_temporal(array.type):
        # Arrow takes objects that are times for microseconds, whatever they are.
        inferred = values.infer_objects()
        array = array if inferred.dtype == object else one(pa.Array.from_pandas(inferred))
    if pa.types.is_null(array.type):
        array = array.cast(pa.large_string() if values.dtype == object else pa.float64())
    return array


def is_nested(dtype: pa.DataType) -> bool:
    """Whether pandas would not get the objects back that it gave."""
    import pyarrow as pa

    return bool(
        pa.types.is_nested(dtype)
        or pa.types.is_binary(dtype)
        or pa.types.is_large_binary(dtype)
        or isinstance(dtype, pa.BaseExtensionType)
    )


def name_of(label: Any) -> str | None:
    """The name that stands for a label, which may stand for one already; None for none."""
    return label if label is None or isinstance(label, str) else encode_label(label)


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
