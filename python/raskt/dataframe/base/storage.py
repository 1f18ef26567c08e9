"""How values of pandas' types are stored as Arrow arrays, and restored bit by bit.

Types that the engine has by itself (NumPy's numbers, `str`, times) are *plain* and need nothing of this. Every other
type has a storage: what its values are for the engine, which can then take, filter and spill them, and group by them
where storage is in the order of the values. A storage travels with a column's type as bytes (see `described` and
`storage_for`).
"""

from __future__ import annotations

import pickle
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .results import ROUNDED, is_rounded

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

#: The field of stored objects that says which of them are missing.
MISSING = "missing"
#: The field that holds them.
VALUE = "value"
#: Units of time that the engine has.
UNITS = ("ms", "us", "ns")
MASKED = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Float32", "Float64", "boolean")


class Storage:
    """How the values of one type are stored."""

    #: The family of types that the engine tells apart.
    family = "opaque"

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype

    def store(self, values: pd.Series) -> pa.Array:
        """The values, which are of this very type, as one array."""
        raise NotImplementedError

    def restore(self, column: pa.Array) -> Any:
        """The values of an array that `store` made, or of parts of such arrays; null ones are missing."""
        raise NotImplementedError

    def fit(self, values: pd.Series) -> pd.Series:
        """Values of another type as of this one; ValueError if some would be lost."""
        if values.dtype == object and is_time(self.dtype) and values.notna().any():
            raise ValueError(f"objects are no values of {self.dtype}: times of several zones, or of a finer unit")
        if is_time(self.dtype) and not is_time(values.dtype) and values.notna().any():
            raise ValueError(f"values of {values.dtype} are no times")
        found = values.astype(self.dtype)
        if not (found.isna().to_numpy() == values.isna().to_numpy()).all():
            raise ValueError(f"values of {values.dtype} are not all of {self.dtype}")
        numbers = is_number(values.dtype) and is_number(self.dtype)
        rounded = is_wide(values.dtype) and kind_of(self.dtype) in "fc" and is_rounded(values.dropna())
        if numbers and (rounded or not equal_numbers(found, values)):
            raise ValueError(f"values of {values.dtype} are others as {self.dtype}")
        if is_time(values.dtype) and is_time(self.dtype) and not equal_numbers(found.astype(values.dtype), values):
            raise ValueError(f"values of {values.dtype} are finer than {self.dtype}")
        if is_interval(values.dtype) and is_interval(self.dtype):
            if not equal_numbers(found.astype(values.dtype), values):
                raise ValueError(f"bounds of {values.dtype} are others in {self.dtype}")
        return found


def is_time(dtype: Any) -> bool:
    """Whether a type is of points, lengths or periods of time."""
    import pandas as pd

    return getattr(dtype, "kind", "O") in "mM" or isinstance(dtype, pd.PeriodDtype)


def is_interval(dtype: Any) -> bool:
    """Whether a type is of intervals."""
    import pandas as pd

    return isinstance(dtype, pd.IntervalDtype)


def kind_of(dtype: Any) -> str:
    """The letter that NumPy has for a kind of values; that of objects for what has none."""
    return str(getattr(dtype, "kind", "O"))


def is_number(dtype: Any) -> bool:
    """Whether a type is of numbers or truth values."""
    return kind_of(dtype) in "biufc"


def is_wide(dtype: Any) -> bool:
    """Whether a type is of integers of 64 bits."""
    return kind_of(dtype) in "iu" and getattr(dtype, "itemsize", 0) == 8


def equal_numbers(found: pd.Series, values: pd.Series) -> bool:
    """Whether values are the same in two types, where they are there in both."""
    there = (found.notna() & values.notna()).to_numpy()
    return bool((found.array[there] == values.array[there]).all())


class Masked(Storage):
    """pandas' nullable numbers and truth values: NaN stays NaN, and what is masked is null."""

    family = "nullable"

    def store(self, values: pd.Series) -> pa.Array:
        """See `Storage`."""
        import pyarrow as pa

        return pa.array(values.array._data, mask=values.array._mask, from_pandas=False)

    def restore(self, column: pa.Array) -> Any:
        """See `Storage`."""
        import numpy as np

        mask = column.is_null().to_numpy(zero_copy_only=False)
        # What pandas has below the mask: it computes with that, and may refuse it.
        below = {"b": False, "f": float("nan")}.get(self.dtype.kind, 1)
        known = column.fill_null(below).to_numpy(zero_copy_only=False)
        data = np.array(known, dtype=self.dtype.numpy_dtype)
        return self.dtype.construct_array_type()(data, np.array(mask, dtype=bool))


class Strings(Storage):
    """Text in any of pandas' types for it."""

    family = "nullable"

    def store(self, values: pd.Series) -> pa.Array:
        """See `Storage`."""
        import pyarrow as pa

        return one(pa.array(values.array, pa.large_string(), from_pandas=True))

    def restore(self, column: pa.Array) -> Any:
        """See `Storage`."""
        return self.dtype.__from_arrow__(column)


class Arrow(Storage):
    """Arrow's types that the engine holds without a change."""

    family = "arrow"

    def store(self, values: pd.Series) -> pa.Array:
        """See `Storage`."""
        return one(values.array.__arrow_array__()).cast(self.stored_type())

    def restore(self, column: pa.Array) -> Any:
        """See `Storage`."""
        stored = column if column.type == self.stored_type() else column.cast(self.stored_type())
        return self.dtype.__from_arrow__(stored.cast(self.dtype.pyarrow_dtype))

    def stored_type(self) -> pa.DataType:
        """The type that the engine sees: integers for units of time that it lacks."""
        import pyarrow as pa

        kind, types = self.dtype.pyarrow_dtype, pa.types
        if types.is_time32(kind):
            return pa.int32()
        if types.is_date64(kind) or types.is_time64(kind):
            return pa.int64()
        if (types.is_timestamp(kind) or types.is_duration(kind)) and (kind.unit == "s" or odd_zone_name(kind)):
            return pa.int64()
        return kind


class ArrowValues(Storage):
    """Arrow's other types (lists, structs, dictionaries), value by value."""

    family = "arrow"

    def store(self, values: pd.Series) -> pa.Array:
        """See `Storage`."""
        return pickled(one(values.array.__arrow_array__()).to_pylist())

    def restore(self, column: pa.Array) -> Any:
        """See `Storage`."""
        import pyarrow as pa

        return self.dtype.__from_arrow__(pa.array(unpickled(column, None), self.dtype.pyarrow_dtype))


class Category(Storage):
    """Known categories: codes, in the order of the categories."""

    family = "category"

    def store(self, values: pd.Series) -> pa.Array:
        """See `Storage`."""
        import pyarrow as pa

        codes = values.array.codes
        return pa.array(codes.astype("int32"), mask=codes < 0)

    def restore(self, column: pa.Array) -> Any:
        """See `Storage`."""
        import pandas as pd

        codes = column.fill_null(-1).to_numpy(zero_copy_only=False)
        return pd.Categorical.from_codes(codes, dtype=self.dtype)


class Found(Storage):
    """Categories that nobody knows before they are computed: values, whose categories are those that occur.

    `dtype` has no categories; its `categories.dtype` is the type of the values.
    """

    family = "category"

    def __init__(self, dtype: Any) -> None:
        super().__init__(dtype)
        self.values = storage_of(dtype.categories.dtype)

    def store(self, values: pd.Series) -> pa.Array:
        """See `Storage`."""
        import pyarrow as pa

        self._check_order(values.cat)
        categories = values.cat.categories
        if categories.dtype != self.dtype.categories.dtype:
            if categories.dtype in ("int64", "uint64") and is_rounded(categories):
                raise NotImplementedError(ROUNDED)
            categories = categories.astype(self.dtype.categories.dtype)
        words = self._stored(categories.to_series())
        return words.take(pa.array(values.cat.codes.to_numpy().astype("int32"), mask=(values.cat.codes < 0).to_numpy()))

    def _check_order(self, values: Any) -> None:
        """ValueError for an order that would be lost: categories that are found are in the order of their values."""
        if bool(values.ordered) != bool(self.dtype.ordered):
            have, want = ("are" if ordered else "are not" for ordered in (values.ordered, self.dtype.ordered))
            raise ValueError(f"categories {have} ordered, and {want} by what was promised of them: say it in meta")
        if values.ordered and not values.categories.is_monotonic_increasing:
            raise ValueError(
                f"nothing says the order of the categories {list(values.categories[:5])} before they are computed: "
                "give meta with a CategoricalDtype of all categories in their order, or that type to astype"
            )

    def _stored(self, values: pd.Series) -> pa.Array:
        import pyarrow as pa

        return one(pa.Array.from_pandas(values)) if self.values is None else self.values.store(values)

    def restore(self, column: pa.Array) -> Any:
        """See `Storage`."""
        import numpy as np
        import pandas as pd
        import pyarrow as pa

        present = is_present(column)
        there = column.filter(pa.array(present))
        if self.values is not None:
            restored = self.values.restore(there)
            values = pd.Series(restored, dtype=restored.dtype).astype(pd.CategoricalDtype(None, self.dtype.ordered))
            categories, own = values.cat.categories, values.cat.codes
        else:
            values = there.to_pandas()
            categories = pd.Index(values.unique(), dtype=self.dtype.categories.dtype).sort_values()
            own = categories.get_indexer(pd.Index(values, dtype=categories.dtype))
        codes = np.full(len(column), -1, dtype="int64")
        codes[present] = own
        return pd.Categorical.from_codes(codes, dtype=pd.CategoricalDtype(categories, self.dtype.ordered))

    def fit(self, values: pd.Series) -> pd.Series:
        """See `Storage`."""
        return values if isinstance(values.dtype, type(self.dtype)) else values.astype("category")


class Integers(Storage):
    """Values that an integer stands for in their order: periods, and times of units or zones that the engine lacks."""

    def store(self, values: pd.Series) -> pa.Array:
        """See `Storage`."""
        import pyarrow as pa

        return pa.array(values.array.asi8, mask=values.isna().to_numpy())

    def restore(self, column: pa.Array) -> Any:
        """See `Storage`."""
        import numpy as np
        import pandas as pd

        lowest = np.iinfo("int64").min
        numbers = np.array(column.fill_null(int(lowest)).to_numpy(zero_copy_only=False), dtype="int64")
        if isinstance(self.dtype, pd.PeriodDtype):
            return pd.arrays.PeriodArray(numbers, dtype=self.dtype)
        if isinstance(self.dtype, pd.DatetimeTZDtype):
            utc = pd.Series(numbers.view(f"M8[{self.dtype.unit}]")).dt.tz_localize("UTC")
            return utc.dt.tz_convert(self.dtype.tz).array
        return pd.Series(numbers.view(self.dtype)).array


class Halves(Storage):
    """Floats of 16 bits, as floats of 32."""

    def store(self, values: pd.Series) -> pa.Array:
        """See `Storage`."""
        import pyarrow as pa

        return pa.array(values.to_numpy().astype("float32"), from_pandas=True)

    def restore(self, column: pa.Array) -> Any:
        """See `Storage`."""
        return column.to_numpy(zero_copy_only=False).astype(self.dtype)


class Bits(Storage):
    """Numbers that only NumPy has (complex ones, long doubles), as their bytes."""

    def store(self, values: pd.Series) -> pa.Array:
        """See `Storage`."""
        import pyarrow as pa

        width, numbers = self.dtype.itemsize, values.to_numpy()
        data = numbers.tobytes()
        cells = [data[at : at + width] for at in range(0, len(data), width)]
        return with_missing(pa.array(cells, pa.large_binary()), values.isna().to_numpy())

    def restore(self, column: pa.Array) -> Any:
        """See `Storage`."""
        import numpy as np

        nothing = np.array([np.nan], self.dtype).tobytes()
        cells = [nothing if cell is None else cell for cell in cells_of(column)]
        return np.frombuffer(b"".join(cells), self.dtype).copy()


class Pickles(Storage):
    """Python objects, and values of types that nobody here knows, as pickles."""

    def store(self, values: pd.Series) -> pa.Array:
        """See `Storage`."""
        import numpy as np

        is_object = self.dtype == np.dtype(object)
        return pickled(values.to_numpy() if is_object else list(values))

    def restore(self, column: pa.Array) -> Any:
        """See `Storage`."""
        import numpy as np
        import pandas as pd

        if self.dtype != np.dtype(object):
            missing = getattr(self.dtype, "na_value", np.nan)
            return pd.array(unpickled(column, missing), dtype=self._dtype_of(column))
        values = np.empty(len(column), dtype=object)
        for at, value in enumerate(unpickled(column, np.nan)):
            values[at] = value
        return values

    def fit(self, values: pd.Series) -> pd.Series:
        """See `Storage`; what is missing among objects is what pandas gives for it, which isn't None."""
        found = super().fit(values)
        missing = getattr(values.dtype, "na_value", None)
        return found if found.dtype != object or missing is None else found.where(values.notna(), missing)

    def _dtype_of(self, column: pa.Array) -> Any:
        """The type of values that may be missing: intervals of integers are of floats then."""
        import pandas as pd

        if column.null_count and isinstance(self.dtype, pd.IntervalDtype) and self.dtype.subtype.kind in "iu":
            return pd.IntervalDtype("float64", self.dtype.closed)
        return self.dtype


def storage_of(dtype: Any, is_meta: bool = False) -> Storage | None:
    """How values of a type are stored; None for a plain one. In a meta, a category type without categories stands for
    one whose categories are not known."""
    import numpy as np
    import pandas as pd

    if is_plain(dtype):
        return None
    if isinstance(dtype, pd.CategoricalDtype):
        unknown = dtype.categories is None or (is_meta and not len(dtype.categories))
        return Found(unknown_categories(dtype)) if unknown else Category(dtype)
    if isinstance(dtype, pd.StringDtype):
        return Strings(dtype)
    if isinstance(dtype, pd.ArrowDtype):
        return (Arrow if is_held(dtype.pyarrow_dtype) else ArrowValues)(dtype)
    if isinstance(dtype, pd.PeriodDtype | pd.DatetimeTZDtype) or getattr(dtype, "kind", "") in "mM":
        return Integers(dtype)
    if not isinstance(dtype, np.dtype):
        return Masked(dtype) if str(dtype) in MASKED else Pickles(dtype)
    if dtype == np.dtype("float16"):
        return Halves(dtype)
    return Bits(dtype) if dtype.kind in "cf" else Pickles(dtype)


def is_plain(dtype: Any) -> bool:
    """Whether the engine has a type by itself."""
    import datetime
    import zoneinfo

    import numpy as np
    import pandas as pd

    if isinstance(dtype, np.dtype):
        if dtype.kind in "mM":
            return np.datetime_data(dtype)[0] in UNITS
        return dtype.kind in "biu" or dtype in (np.dtype("float32"), np.dtype("float64"))
    if isinstance(dtype, pd.DatetimeTZDtype):
        named = isinstance(dtype.tz, zoneinfo.ZoneInfo) and dtype.tz.key is not None
        return dtype.unit in UNITS and (named or dtype.tz is datetime.timezone.utc)
    return isinstance(dtype, pd.StringDtype) and dtype == pd.StringDtype(na_value=np.nan)


def is_held(kind: pa.DataType) -> bool:
    """Whether the engine holds values of an Arrow type without a change, or as integers that stand for them."""
    import pyarrow as pa

    types = pa.types
    if types.is_decimal(kind):
        return types.is_decimal128(kind) and kind.scale >= 0
    same = types.is_integer(kind) or types.is_float32(kind) or types.is_float64(kind) or types.is_boolean(kind)
    text = types.is_string(kind) or types.is_large_string(kind) or types.is_binary(kind) or types.is_large_binary(kind)
    return bool(same or text or (types.is_temporal(kind) and not types.is_interval(kind)))


def odd_zone_name(kind: pa.DataType) -> bool:
    """Whether a type of Arrow's times is of a zone that has no name."""
    zone = getattr(kind, "tz", None)
    return bool(zone) and (zone[0] in "+-")


def unknown_categories(dtype: pd.CategoricalDtype) -> pd.CategoricalDtype:
    """The type of categories that are not known: one without any, which keeps the type of their values."""
    import pandas as pd

    kind = "str" if dtype.categories is None else dtype.categories.dtype
    return pd.CategoricalDtype(pd.Index([], dtype=kind), dtype.ordered)


#: Storages by the bytes that stand for them, and those bytes by what tells types apart: the last few.
_storages: dict[bytes, Storage] = {}
_bytes: dict[Any, bytes] = {}

#: How many types are remembered; a program may make new categories for ever.
REMEMBERED = 1024


def _remember(known: dict[Any, Any], key: Any, value: Any) -> Any:
    """The value of `key`, which is `value` if there was none yet; the oldest gives way."""
    if len(known) >= REMEMBERED:
        # In another thread it may be gone already, or all may have changed.
        with suppress(KeyError, RuntimeError, StopIteration):
            del known[next(iter(known))]
    return known.setdefault(key, value)


def described(storage: Storage | None, known: bytes | None = None) -> tuple[str, str, bytes] | None:
    """A storage for the native side: the name of its type, its family, and the bytes that stand for it.

    Those are `known` if it was made of them: another process may have others for an equal type.
    """
    if storage is None:
        return None
    return str(storage.dtype), storage.family, known or bytes_of(storage)


def bytes_of(storage: Storage) -> bytes:
    """The bytes that stand for a storage: the same ones for equal types."""
    key = key_of(storage)
    found = _bytes.get(key)
    if found is None:
        found = _remember(_bytes, key, pickle.dumps(storage, 5))
        _remember(_storages, found, storage)
    return found


def storage_for(codec: bytes | None) -> Storage | None:
    """The storage that bytes of `bytes_of` stand for; None for plain values."""
    if codec is None:
        return None
    found = _storages.get(codec)
    if found is None:
        found = _remember(_storages, codec, pickle.loads(codec))
    return found


def own_bytes(codec: bytes) -> bytes:
    """The bytes that stand in this process for a type that another process has described."""
    storage = storage_for(codec)
    return codec if storage is None else bytes_of(storage)


def key_of(storage: Storage) -> Any:
    """What is equal for equal types only."""
    import pandas as pd

    dtype, kind = storage.dtype, type(storage).__name__
    if isinstance(dtype, pd.CategoricalDtype):
        categories = dtype.categories
        types = tuple(type(one).__name__ for one in categories) if categories.dtype == object else ()
        inner = repr(categories.dtype), repr(getattr(categories, "freq", None)), str(categories.name)
        try:
            key = (kind, dtype.ordered, inner, types, tuple(categories))
            hash(key)
        except TypeError:
            return kind, pickle.dumps(dtype, 5)
        return key
    return kind, repr(dtype), str(dtype), repr(getattr(dtype, "tz", None)), repr(getattr(dtype, "pyarrow_dtype", None))


def dtype_of(name: str, codec: bytes | None, categories: list[str] | None = None) -> Any:
    """pandas' type of a column by its name, by the bytes that stand for its storage, and by the categories that the
    engine has."""
    from pandas.api.types import CategoricalDtype, pandas_dtype

    if categories is not None:
        return CategoricalDtype(categories)
    storage = storage_for(codec)
    return pandas_dtype(name) if storage is None else storage.dtype


def one(array: Any) -> pa.Array:
    """An array in one piece."""
    import pyarrow as pa

    if not isinstance(array, pa.ChunkedArray):
        return array
    if array.num_chunks == 1:
        return array.chunk(0)
    return pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], type=array.type)


def pickled(values: Any) -> pa.Array:
    """Objects as their pickles, with a mark on those that pandas takes for missing."""
    import pandas as pd
    import pyarrow as pa

    missing = [bool(pd.api.types.is_scalar(value) and pd.isna(value)) for value in values]
    return with_missing(pa.array([dumped(value) for value in values], pa.large_binary()), missing)


def dumped(value: Any) -> bytes:
    """One object as bytes."""
    try:
        return pickle.dumps(value, 5)
    except (pickle.PicklingError, AttributeError, TypeError):
        import cloudpickle

        return bytes(cloudpickle.dumps(value, 5))


def with_missing(cells: pa.Array, missing: Any) -> pa.Array:
    """Cells with a mark on the missing ones."""
    import pyarrow as pa

    return pa.StructArray.from_arrays([cells, pa.array(missing, pa.bool_())], names=[VALUE, MISSING])


def cells_of(column: pa.Array) -> list[bytes | None]:
    """The cells of `with_missing`; None where a row came without one, from a join for example."""
    gone = column.is_null().to_pylist() if column.null_count else None
    cells = column.field(0).to_pylist()
    return cells if gone is None else [None if lost else cell for cell, lost in zip(cells, gone, strict=True)]


def unpickled(column: pa.Array, missing: Any) -> list[Any]:
    """The objects of `pickled`, which this process or one that it trusts made; `missing` where there is none."""
    return [missing if cell is None else one_nan(pickle.loads(cell)) for cell in cells_of(column)]


def one_nan(value: Any) -> Any:
    """A value; for any NaN the one of NumPy, of which sets and dicts of Python have one, as they have in pandas."""
    import numpy as np

    return np.nan if type(value) is float and value != value else value


def is_present(column: pa.Array) -> Any:
    """Where the values of a stored column are not missing."""
    import pyarrow as pa

    valid = column.is_valid().to_numpy(zero_copy_only=False)
    if not pa.types.is_struct(column.type):
        return valid
    return valid & ~column.field(1).fill_null(True).to_numpy(zero_copy_only=False)
