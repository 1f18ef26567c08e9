"""Arrays and frames of other libraries, by their content. Each is registered when one is first met."""

from __future__ import annotations

from typing import Any

from raskt._core import buffer_digest

from ._normalize import normalize_token, reduced


@normalize_token.register_lazy("numpy")
def _register_numpy() -> None:
    import numpy as np

    @normalize_token.register((np.ndarray, np.memmap))
    def array(values: Any) -> Any:
        if type(values) not in (np.ndarray, np.memmap):
            # A masked array or a record array is more than its bytes.
            return reduced(values)
        return "array", *array_content(values)

    @normalize_token.register(np.generic)
    def scalar(value: Any) -> Any:
        content = value.item() if value.dtype.hasobject else value.tobytes()
        return "scalar", dtype_name(value.dtype), content

    @normalize_token.register(np.dtype)
    def dtype(found: Any) -> Any:
        return "dtype", dtype_name(found)

    @normalize_token.register(np.ufunc)
    def ufunc(function: Any) -> Any:
        if getattr(np, function.__name__, None) is function:
            return "ufunc", function.__name__
        return reduced(function)


def dtype_name(dtype: Any) -> Any:
    return (dtype.str, dtype.descr) if dtype.fields is not None else dtype.str


def array_content(values: Any) -> tuple[Any, ...]:
    """Type, shape and hash of the elements of a NumPy array; only what lies scattered is copied."""
    import numpy as np

    kind = (dtype_name(values.dtype), values.shape)
    if values.dtype.hasobject:
        return *kind, values.ravel().tolist()
    order = "C"
    if not values.flags.c_contiguous:
        if values.flags.f_contiguous:
            order, values = "F", values.T
        else:
            values = np.ascontiguousarray(values)
    return *kind, order, digest(values)


def digest(values: Any) -> bytes:
    """The hash of a buffer, or of a NumPy array that lies in one piece."""
    import numpy as np

    if isinstance(values, np.ndarray):
        flat = np.asarray(values).reshape(-1).view(np.uint8) if values.nbytes else np.empty(0, np.uint8)
    else:
        flat = np.frombuffer(values, np.uint8)
    return buffer_digest(flat)


@normalize_token.register_lazy("pandas")
def _register_pandas() -> None:
    import pandas as pd

    @normalize_token.register(pd.DataFrame)
    def frame(found: Any) -> Any:
        columns = [found.iloc[:, at].array for at in range(found.shape[1])]
        return "frame", type(found), found.columns, found.index, columns, found.attrs

    @normalize_token.register(pd.Series)
    def series(found: Any) -> Any:
        return "series", type(found), found.name, found.index, found.array, found.attrs

    @normalize_token.register(pd.Index)
    def index(found: Any) -> Any:
        return "index", type(found), found.name, found.array

    @normalize_token.register(pd.RangeIndex)
    def range_index(found: Any) -> Any:
        return "range index", found.name, found.start, found.stop, found.step

    @normalize_token.register(pd.MultiIndex)
    def multi_index(found: Any) -> Any:
        return "multi-index", list(found.names), list(found.levels), [codes.tobytes() for codes in found.codes]

    @normalize_token.register(pd.api.extensions.ExtensionArray)
    def extension_array(found: Any) -> Any:
        kind = (type(found).__name__, str(found.dtype))
        if isinstance(found, pd.Categorical):
            return *kind, found.codes, found.categories, found.ordered
        if isinstance(found, (pd.arrays.DatetimeArray, pd.arrays.TimedeltaArray, pd.arrays.PeriodArray)):
            return *kind, found.view("i8")
        if hasattr(found, "_mask") and hasattr(found, "_data"):
            return *kind, found._mask, found._data
        if isinstance(getattr(found, "dtype", None), pd.ArrowDtype) or getattr(found.dtype, "storage", "") == "pyarrow":
            arrow = found.__arrow_array__()
            # How the values came together is no part of them.
            return *kind, arrow.combine_chunks() if isinstance(arrow, pyarrow().ChunkedArray) else arrow
        if type(found) is pd.arrays.NumpyExtensionArray:
            return *kind, found.to_numpy()
        return reduced(found)


def pyarrow() -> Any:
    import pyarrow

    return pyarrow


@normalize_token.register_lazy("pyarrow")
def _register_arrow() -> None:
    import pyarrow as pa

    def stream(table: Any) -> bytes:
        # As Arrow writes it to a file: only what a slice shows, with its dictionaries.
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write(table)
        return digest(sink.getvalue())

    @normalize_token.register((pa.Table, pa.RecordBatch))
    def table(found: Any) -> Any:
        return type(found).__name__, stream(found)

    @normalize_token.register((pa.Array, pa.ChunkedArray))
    def array(found: Any) -> Any:
        chunked = found if isinstance(found, pa.ChunkedArray) else pa.chunked_array([found])
        return type(found).__name__, stream(pa.table({"": chunked}))

    @normalize_token.register(pa.Scalar)
    def scalar(found: Any) -> Any:
        return "scalar", stream(pa.table({"": pa.array([found.as_py()], found.type)}))

    @normalize_token.register(pa.Schema)
    def schema(found: Any) -> Any:
        return "schema", found.serialize().to_pybytes()

    @normalize_token.register(pa.DataType)
    def data_type(found: Any) -> Any:
        return "type", pa.schema([pa.field("", found)]).serialize().to_pybytes()

    @normalize_token.register(pa.Buffer)
    def buffer(found: Any) -> Any:
        return "buffer", found.size, digest(found) if found.size else b""


@normalize_token.register_lazy("polars")
def _register_polars() -> None:
    import polars as pl

    @normalize_token.register((pl.DataFrame, pl.Series))
    def frame(found: Any) -> Any:
        return type(found).__name__, getattr(found, "name", None), found.to_arrow()
