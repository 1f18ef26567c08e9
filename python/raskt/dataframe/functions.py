"""Functions of the module: conversions, and methods under a second name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .base.collection import is_collection
from .base.meta import empty
from .base.partitionwise import over_rows
from .base.registry import wrap
from .frame.frame import DataFrame
from .generic.partitioned import side_by_side
from .generic.scalar import Scalar
from .index.index import Index
from .io.creation import from_pandas
from .series.series import Series


def isna(obj: Any) -> Any:
    """True where a value is missing; for a lazy object lazily, for others as pandas does."""
    if is_collection(obj):
        return obj.isna()
    import pandas as pd

    return pd.isna(obj)


def map_partitions(func: Callable[..., Any], *args: Any, meta: Any = None, **kwargs: Any) -> Any:
    """Apply a function to each partition of the lazy objects among its arguments; see `DataFrame.map_partitions`.

    >>> import pandas as pd, raskt.dataframe as rd
    >>> df = rd.from_pandas(pd.DataFrame({"x": [1, 2]}), npartitions=2)
    >>> rd.map_partitions(lambda part: part + 1, df).compute()["x"].tolist()
    [2, 3]
    """
    for ignored in ("enforce_metadata", "transform_divisions", "align_dataframes", "clear_divisions"):
        kwargs.pop(ignored, None)
    name = kwargs.pop("token", None) or getattr(func, "__name__", type(func).__name__)
    return side_by_side(func, args, kwargs, name=name, meta=meta)


def map_overlap(func: Callable[..., Any], df: Any, before: Any, after: Any, *args: Any, **kwargs: Any) -> Any:
    """Apply a function whose results depend on rows nearby; see `DataFrame.map_overlap`."""
    return df.map_overlap(func, before, after, *args, **kwargs)


def repartition(
    df: Any,
    divisions: Any = None,
    npartitions: int | None = None,
    partition_size: int | str | None = None,
    freq: Any = None,
    force: bool = False,
) -> Any:
    """The same rows in other partitions; a pandas object is taken into a plan first. See `DataFrame.repartition`."""
    lazy = df if is_collection(df) else from_pandas(df, npartitions=1)
    return lazy.repartition(divisions, npartitions, partition_size, freq, force)


def melt(frame: Any, **kwargs: Any) -> Any:
    """Columns turned into rows of name and value; see `DataFrame.melt`."""
    return frame.melt(**kwargs)


def pivot_table(df: Any, index: str, columns: str, values: Any, aggfunc: str = "mean") -> Any:
    """A table of aggregates by the values of two columns; see `DataFrame.pivot_table`."""
    return df.pivot_table(index, columns, values, aggfunc)


def to_datetime(arg: Any, errors: str = "raise", format: str | None = None, meta: Any = None, **kwargs: Any) -> Any:
    """Times from text or numbers, or from a frame of columns year, month, day and so on.

    Text is read natively in the format that is given, or as ISO 8601; other options run in pandas for each partition.

    >>> import pandas as pd, raskt.dataframe as rd
    >>> rd.to_datetime(rd.from_pandas(pd.Series(["2013-01-01"]), npartitions=1)).dt.year.compute().tolist()
    [2013]
    """
    if errors not in ("raise", "coerce"):
        raise ValueError(f"errors must be 'raise' or 'coerce', not {errors!r}")
    import pandas as pd

    if not is_collection(arg):
        return pd.to_datetime(arg, errors=errors, format=format, **kwargs)
    if not kwargs and not hasattr(arg, "columns") and arg._expr.dtype == "str":
        try:
            return wrap(arg._expr.to_datetime(format, errors))
        except NotImplementedError:
            pass
    known = meta if meta is not None else _times_meta(arg, kwargs)
    return over_rows(
        lambda part: pd.to_datetime(part, errors=errors, format=format, **kwargs), arg, name="to_datetime", meta=known
    )


def _times_meta(arg: Any, options: dict[str, Any]) -> Any:
    name = None if hasattr(arg, "columns") else arg._expr.name
    return (name, "datetime64[us, UTC]" if options.get("utc") else "datetime64[us]")


def to_numeric(arg: Any, errors: str = "raise", downcast: str | None = None, meta: Any = None) -> Any:
    """Numbers from text, in pandas for each partition; of type float64 unless `meta` says otherwise.

    >>> import pandas as pd, raskt.dataframe as rd
    >>> rd.to_numeric(rd.from_pandas(pd.Series(["1", "2.5"]), npartitions=1)).compute().tolist()
    [1.0, 2.5]
    """
    import pandas as pd

    if errors not in ("raise", "coerce"):
        raise ValueError("invalid error value specified")
    if not is_collection(arg):
        return pd.to_numeric(arg, errors=errors, downcast=downcast)
    if meta is None:
        text = arg._expr.dtype in ("str", "object", "string")
        meta = (arg._expr.name, "float64" if text else arg._expr.dtype)
        dtype = meta[1]
        convert = lambda part: pd.to_numeric(part, errors=errors, downcast=downcast).astype(dtype)
        return over_rows(convert, arg, name="to_numeric", meta=meta)
    return over_rows(
        lambda part: pd.to_numeric(part, errors=errors, downcast=downcast), arg, name="to_numeric", meta=meta
    )


def to_timedelta(arg: Any, unit: str | None = None, errors: str = "raise") -> Any:
    """Durations from numbers of a unit, or from text, in pandas for each partition."""
    import pandas as pd

    if not is_collection(arg):
        return pd.to_timedelta(arg, unit=unit, errors=errors)
    meta = (arg._expr.name, "timedelta64[ns]") if arg._expr.dtype in ("str", "object") else None
    return over_rows(lambda part: pd.to_timedelta(part, unit=unit, errors=errors), arg, name="to_timedelta", meta=meta)


def get_dummies(data: Any, **kwargs: Any) -> Any:
    """A column of zeros and ones for each category of the categorical columns.

    The categories must be known: a categorical column of `from_pandas`, or one that `categorize` made, is computed for
    them. Columns of text have no known categories: NotImplementedError.
    """
    import pandas as pd

    if not is_collection(data):
        return pd.get_dummies(data, **kwargs)
    pairs = (
        zip(data._expr.columns, data._expr.dtypes, strict=True)
        if hasattr(data, "columns")
        else [(None, data._expr.dtype)]
    )
    kinds = list(pairs)
    text = [name for name, dtype in kinds if dtype in ("str", "object")]
    if text and not kwargs.get("columns"):
        raise NotImplementedError(
            f"get_dummies needs categorical columns with known categories; {text} are text: call categorize first"
        )
    chosen = [name for name, dtype in kinds if dtype == "category"]
    known = {name: (data if name is None else data[name]).cat.categories for name in chosen}

    def encode(part: Any) -> Any:
        types = {name: pd.CategoricalDtype(categories) for name, categories in known.items()}
        typed = part.astype(types.get(None) or types) if types else part
        return pd.get_dummies(typed, **kwargs)

    return over_rows(encode, data, name="get_dummies", meta=encode(empty(data)))


def compute(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """Compute several lazy objects at once; see `raskt.compute`."""
    from raskt._compute import compute as run

    return run(*args, **kwargs)


def get_collection_type(meta: Any) -> Any:
    """The class that shows partitions of the type of `meta`."""
    import pandas as pd

    if isinstance(meta, pd.DataFrame):
        return DataFrame
    return Series if isinstance(meta, pd.Series) else Index if isinstance(meta, pd.Index) else Scalar


def to_parquet(df: Any, path: Any, **kwargs: Any) -> Any:
    """Write a folder of Parquet files; see `DataFrame.to_parquet`."""
    return df.to_parquet(path, **kwargs)


def to_csv(df: Any, filename: Any, **kwargs: Any) -> Any:
    """Write CSV files; see `DataFrame.to_csv`."""
    return df.to_csv(filename, **kwargs)


def to_json(df: Any, url_path: Any, **kwargs: Any) -> Any:
    """Write JSON files; see `DataFrame.to_json`."""
    return df.to_json(url_path, **kwargs)


def to_orc(df: Any, path: Any, **kwargs: Any) -> Any:
    """Write ORC files; see `DataFrame.to_orc`."""
    return df.to_orc(path, **kwargs)


def to_records(df: Any, **kwargs: Any) -> Any:
    """The computed rows as a NumPy record array."""
    return df.to_records(**kwargs)
