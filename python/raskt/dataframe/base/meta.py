"""Empty and sample pandas objects: what a partition looks like, known without computing one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .collection import is_collection, is_frame, is_index, is_labels, is_scalar
from .labels import decode, decode_label

if TYPE_CHECKING:
    import pandas as pd

#: Rows of a sample: two, so that functions which need more than one row work on it.
SAMPLE_ROWS = 2


def empty(collection: Any) -> Any:
    """The pandas object without rows that has the columns, types and index of a collection."""
    expression = collection._expr
    if is_frame(collection):
        return _empty_frame(expression)
    if is_index(collection):
        return _empty_index(collection)
    if is_labels(collection):
        return _empty_labels(expression.index_names, expression.index_dtypes)
    series = _empty_frame(expression.to_frame("0"))["0"]
    return series.rename(expression.name)


def _empty_frame(expression: Any) -> pd.DataFrame:
    import pandas as pd

    index = _empty_labels(expression.index_names, expression.index_dtypes)
    columns = {at: pd.Series([], dtype=dtype, index=index) for at, dtype in enumerate(expression.dtypes)}
    return pd.DataFrame(columns, index=index).set_axis(decode(expression.columns), axis=1)


def _empty_index(collection: Any) -> pd.Index:
    import pandas as pd

    return pd.Index([], dtype=collection._expr.dtype, name=collection._expr.name)


def _empty_labels(names: list[str | None], dtypes: list[str]) -> pd.Index:
    import pandas as pd

    labels = [None if name is None else decode_label(name) for name in names]
    levels = [pd.Index([], dtype=dtype) for dtype in dtypes]
    return levels[0].rename(labels[0]) if len(levels) == 1 else pd.MultiIndex.from_arrays(levels, names=labels)


def sample_of(value: Any) -> Any:
    """What stands for an argument in a trial call: a few rows, or one value, of a collection; else the argument."""
    if not is_collection(value):
        return value
    if is_scalar(value):
        from pandas.api.types import pandas_dtype

        return _sample_values(pandas_dtype(value._expr.dtype))[-1]
    return sample(empty(value))


def sample(meta: Any) -> Any:
    """The same object with a few ordinary rows, on which functions show the types that they give."""
    import pandas as pd

    if isinstance(meta, pd.DataFrame):
        index = _sample_index(meta.index)
        columns = {at: _sample_values(meta.iloc[:, at].dtype) for at in range(meta.shape[1])}
        frame = pd.DataFrame({at: pd.Series(values, index=index) for at, values in columns.items()}, index=index)
        return frame.set_axis(meta.columns, axis=1)
    if isinstance(meta, pd.Series):
        return pd.Series(_sample_values(meta.dtype), index=_sample_index(meta.index), name=meta.name)
    return _sample_index(meta)


def _sample_index(index: pd.Index) -> pd.Index:
    import pandas as pd

    if isinstance(index, pd.MultiIndex):
        levels = [_sample_values(level.dtype) for level in index.levels]
        return pd.MultiIndex.from_arrays(levels, names=index.names)
    if isinstance(index, pd.RangeIndex):
        return pd.RangeIndex(SAMPLE_ROWS, name=index.name)
    return pd.Index(_sample_values(index.dtype), name=index.name)


def _sample_values(dtype: Any) -> Any:
    """Two different values of a type, in order."""
    import pandas as pd

    kinds = pd.api.types
    if isinstance(dtype, pd.CategoricalDtype):
        known = list(dtype.categories)[:SAMPLE_ROWS] if dtype.categories is not None else []
        return pd.Categorical(
            known * SAMPLE_ROWS if len(known) == 1 else known or ["a", "b"], dtype=dtype if known else None
        )[:2]
    if kinds.is_bool_dtype(dtype):
        values: list[Any] = [False, True]
    elif kinds.is_numeric_dtype(dtype):
        values = [0, 1]
    elif kinds.is_timedelta64_dtype(dtype):
        values = [pd.Timedelta(days=1), pd.Timedelta(days=2)]
    elif kinds.is_datetime64_any_dtype(dtype):
        values = [pd.Timestamp(2000, 1, 1), pd.Timestamp(2000, 1, 2)]
        zone = getattr(dtype, "tz", None)
        values = [value.tz_localize(zone) for value in values] if zone else values
    else:
        values = ["a", "b"]
    return (
        pd.array(values, dtype=dtype) if kinds.is_extension_array_dtype(dtype) else pd.Series(values, dtype=dtype).array
    )


def normalise(meta: Any) -> Any:
    """The empty pandas object that a user means by `meta`.

    A pandas object or a collection stands for its types, a `(name, dtype)` pair for a series, a dictionary or a list
    of such pairs for a frame, a bare dtype for a series without a name.
    """
    import pandas as pd

    if is_collection(meta):
        return empty(meta)
    if isinstance(meta, pd.DataFrame | pd.Series | pd.Index):
        return meta.iloc[:0] if not isinstance(meta, pd.Index) else meta[:0]
    if isinstance(meta, dict):
        meta = list(meta.items())
    if isinstance(meta, tuple) and len(meta) == 2 and not isinstance(meta[1], tuple):
        return pd.Series([], dtype=meta[1], name=meta[0])
    if isinstance(meta, list | tuple) and all(isinstance(item, tuple) and len(item) == 2 for item in meta):
        return pd.DataFrame({name: pd.Series([], dtype=dtype) for name, dtype in meta})
    if isinstance(meta, str | type) or hasattr(meta, "kind"):
        return pd.Series([], dtype=meta)
    raise TypeError(f"meta must be a pandas object, a dict, a list of (name, dtype) pairs or one pair, not {meta!r}")


def infer(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], name: str) -> Any:
    """The empty pandas object that `function` gives, found by calling it on samples of its arguments."""
    samples = [sample_of(value) for value in args]
    options = {key: sample_of(value) for key, value in kwargs.items()}
    try:
        result = function(*samples, **options)
    except NotImplementedError:
        raise
    except Exception as error:
        raise ValueError(
            f"`{name}` failed on a sample of two rows, by which the types of its result are found "
            f"({type(error).__name__}: {error}). Pass meta= with the names and types of the result"
        ) from error
    return empty_of(result)


def empty_of(result: Any) -> Any:
    """The first no rows of a result; a plain value stands for a series of such values."""
    import pandas as pd

    if isinstance(result, pd.DataFrame | pd.Series):
        return result.iloc[:0]
    if isinstance(result, pd.Index):
        return result[:0].to_series()
    return pd.Series([result]).iloc[:0]
