"""Functions of the module: conversions, and methods under a second name."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from .base.checks import no_default
from .base.collection import is_collection, is_frame, is_scalar
from .base.labels import decode_label, encode_label
from .base.meta import empty, type_of
from .base.pandas_methods import given
from .base.partitionwise import over_all, over_rows
from .frame.frame import DataFrame
from .generic.partitioned import each_partition
from .generic.scalar import Scalar
from .index.index import Index
from .io.creation import from_pandas
from .series.series import Series

#: Types of text, of which some may be other objects.
TEXTS = ("str", "object", "string")


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
    return each_partition(func, args, meta, kwargs)


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


def melt(
    frame: Any,
    id_vars: Any = None,
    value_vars: Any = None,
    var_name: Any = None,
    value_name: Any = "value",
    col_level: Any = None,
    ignore_index: bool = True,
) -> Any:
    """Columns turned into rows of name and value; see `DataFrame.melt`."""
    names = {"var_name": var_name, "value_name": value_name, "col_level": col_level}
    return frame.melt(id_vars=id_vars, value_vars=value_vars, ignore_index=ignore_index, **names)


def pivot_table(
    data: Any,
    values: Any = None,
    index: Any = None,
    columns: Any = None,
    aggfunc: Any = "mean",
    fill_value: Any = None,
    margins: bool = False,
    dropna: bool = True,
    margins_name: Any = "All",
    observed: bool = True,
    sort: bool = True,
) -> Any:
    """A table of aggregates by the values of two columns; see `DataFrame.pivot_table`."""
    options = {"margins": margins, "dropna": dropna, "margins_name": margins_name, "observed": observed, "sort": sort}
    return data.pivot_table(values, index, columns, aggfunc, fill_value, **options)


def to_datetime(
    arg: Any,
    errors: str = "raise",
    dayfirst: bool = False,
    yearfirst: bool = False,
    utc: bool = False,
    format: str | None = None,
    exact: Any = no_default,
    unit: str | None = None,
    origin: Any = "unix",
    cache: bool = True,
    meta: Any = None,
) -> Any:
    """Times from text or numbers, or from a frame of columns year, month, day and so on.

    Parameters
    ----------
    arg : Series, DataFrame or what pandas takes
        Read by pandas, of each partition.
    errors : {"raise", "coerce"}
        Whether what is no time raises ValueError, at `compute`, or is missing.
    dayfirst, yearfirst, utc, exact, unit, origin, cache
        As in `pandas.to_datetime`.
    format : str, optional
        The format of text; without it pandas finds one by the first text (rows are gathered for that).
    meta : optional
        The name and the type of the result.

    Returns
    -------
    Series
        Of datetime64[us], unless types are known better; of floats of datetime64[ns], since a fraction may need that.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> rd.to_datetime(rd.from_pandas(pd.Series(["2013-01-01"]), npartitions=1)).dt.year.compute().tolist()
    [2013]
    """
    import pandas as pd

    options = {"errors": errors, "format": format, "dayfirst": dayfirst, "yearfirst": yearfirst, "utc": utc}
    options = given({**options, "exact": exact, "unit": unit, "origin": origin, "cache": cache})
    if not is_collection(arg):
        return pd.to_datetime(arg, **options)
    refuse_value(arg, "to_datetime")
    if errors not in ("raise", "coerce"):
        raise ValueError(f"invalid error value specified: {errors!r}")
    is_text = not is_frame(arg) and arg._expr.dtype in TEXTS
    found = meta is None
    if found and (is_text or is_frame(arg)):
        meta = (None if is_frame(arg) else arg.name, "datetime64[us, UTC]" if utc else "datetime64[us]")
    elif found and has_fractions(arg):
        meta = (arg.name, "datetime64[ns, UTC]" if utc else "datetime64[ns]")
    # Of Arrow's integers pandas makes floats if one of all is missing, and they may be too large then.
    rounded = not is_frame(arg) and arg._expr.dtype.endswith("[pyarrow]") and "int" in arg._expr.dtype
    convert = TextTimes(meta[1]) if is_text and found else pd.to_datetime
    over = over_all if rounded or (is_text and format is None) else over_rows
    with warnings.catch_warnings():
        # Of the rows that it is tried on, which aren't the user's.
        warnings.filterwarnings("ignore", "Could not infer format")
        return over(convert, arg, name="to_datetime", meta=meta, plainly=found, **options)


class TextTimes:
    """`pandas.to_datetime` of texts, of one type also where there are none."""

    __name__ = "to_datetime"

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype

    def __call__(self, texts: Any, **options: Any) -> Any:
        """The times of the texts."""
        import pandas as pd

        found = pd.to_datetime(texts, **options)
        return found if len(found) else found.astype(self.dtype)


def to_numeric(
    arg: Any, errors: str = "raise", downcast: str | None = None, dtype_backend: Any = no_default, meta: Any = None
) -> Any:
    """Numbers from text, in pandas for each partition; of type float64 unless `meta` says otherwise.

    Parameters
    ----------
    arg : Series or what pandas takes
        Text, or numbers as they are.
    errors : {"raise", "coerce"}
        Whether what is no number raises ValueError, at `compute`, or is missing.
    downcast : {"integer", "signed", "unsigned", "float"}, optional
        The smallest type that holds all values: only computing can tell, so that it needs `meta`.
    dtype_backend : optional
        Not supported; it needs `meta` as well.
    meta : optional
        The name and the type of the result.

    Returns
    -------
    Series
        In as many partitions.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> rd.to_numeric(rd.from_pandas(pd.Series(["1", "2.5"]), npartitions=1)).compute().tolist()
    [1.0, 2.5]
    """
    import pandas as pd

    options = given({"errors": errors, "downcast": downcast, "dtype_backend": dtype_backend})
    if not is_collection(arg):
        return pd.to_numeric(arg, **options)
    refuse_value(arg, "to_numeric")
    if errors not in ("raise", "coerce"):
        raise ValueError("invalid error value specified")
    if downcast not in (None, "integer", "signed", "unsigned", "float"):
        raise ValueError("invalid downcasting method provided")
    if meta is None and (downcast is not None or dtype_backend is not no_default):
        raise NotImplementedError("to_numeric(downcast=, dtype_backend=): types depend on all values; give meta=")
    if meta is None and arg._expr.dtype not in TEXTS:
        return over_rows(pd.to_numeric, arg, name="to_numeric", **options)
    if meta is not None:
        return over_rows(pd.to_numeric, arg, name="to_numeric", meta=meta, **options)
    return over_rows(_floats, arg, name="to_numeric", meta=(arg.name, "float64"), plainly=True, **options)


def _floats(texts: Any, **options: Any) -> Any:
    """Numbers of texts as floats, if they are exact."""
    import pandas as pd

    numbers = pd.to_numeric(texts, **options)
    floats = numbers.astype("float64")
    if numbers.dtype.kind in "iu" and any(int(one) != float(one) for one in numbers[floats.abs() >= 2**53]):
        raise NotImplementedError(
            "to_numeric gives float64, which can't hold all of these integers: give meta=(name, 'int64')"
        )
    return floats


def to_timedelta(arg: Any, unit: str | None = None, errors: str = "raise") -> Any:
    """Durations from numbers of a unit, or from text, in pandas for each partition.

    Those of text are of type timedelta64[us]; those of floats of timedelta64[ns], since a fraction may need that.
    """
    import pandas as pd

    if not is_collection(arg):
        return pd.to_timedelta(arg, unit=unit, errors=errors)
    refuse_value(arg, "to_timedelta")
    if errors not in ("raise", "coerce"):
        raise ValueError("errors must be one of 'raise', or 'coerce'.")
    is_text, finest = arg._expr.dtype in TEXTS, has_fractions(arg)
    meta = (arg.name, "timedelta64[us]" if is_text else "timedelta64[ns]") if is_text or finest else None
    how: dict[str, Any] = {"name": "to_timedelta", "meta": meta, "plainly": True}
    return over_rows(pd.to_timedelta, arg, unit=unit, errors=errors, **how)


def refuse_value(arg: Any, name: str) -> None:
    """NotImplementedError for a lazy value in place of rows."""
    if is_scalar(arg):
        raise NotImplementedError(f"{name} of one lazy value: convert the column first, or compute the value")


def has_fractions(arg: Any) -> bool:
    """Whether a column is of floats, whose fractions tell in pandas how fine the unit of times made of them is."""
    import pandas as pd

    return not is_frame(arg) and pd.api.types.is_float_dtype(type_of(arg._expr))


def get_dummies(
    data: Any,
    prefix: Any = None,
    prefix_sep: Any = "_",
    dummy_na: bool = False,
    columns: Any = None,
    sparse: bool = False,
    drop_first: bool = False,
    dtype: Any = None,
) -> Any:
    """A column of zeros and ones for each category of the categorical columns.

    Parameters
    ----------
    data : DataFrame or Series
        Columns of categories, which are computed now if they aren't known.
    prefix, prefix_sep, dummy_na, sparse, drop_first, dtype
        As in `pandas.get_dummies`.
    columns : list of labels, optional
        The columns that are encoded; by default all of categories.

    Returns
    -------
    DataFrame
        In as many partitions.

    Raises
    ------
    NotImplementedError
        For columns of text, whose categories only computing can tell.
    """
    import pandas as pd

    options = {"prefix": prefix, "prefix_sep": prefix_sep, "dummy_na": dummy_na, "columns": columns, "dtype": dtype}
    options = {**options, "sparse": sparse, "drop_first": drop_first}
    if not is_collection(data):
        return pd.get_dummies(data, **options)
    wanted = [encode_label(label) for label in columns] if columns is not None else None
    types = zip(data._plan.columns, data._expr.dtypes, strict=True) if is_frame(data) else [(None, data._expr.dtype)]
    chosen = {
        name: dtype for name, dtype in types if (dtype in (*TEXTS, "category") if wanted is None else name in wanted)
    }
    if not is_frame(data) and not chosen:
        raise NotImplementedError(
            "get_dummies of numbers or times: only computing tells which there are; make a category of them, and call "
            "categorize"
        )
    others = [name for name, dtype in chosen.items() if dtype != "category"]
    if others:
        raise NotImplementedError(
            f"get_dummies needs columns of known categories, which {others if is_frame(data) else 'these values'} are "
            "not: call categorize first"
        )
    if dummy_na and any(not is_text(empty(data if name is None else data[decode_label(name)])) for name in chosen):
        raise NotImplementedError(
            "get_dummies(dummy_na=True) of categories that are no text: give missing values a category"
        )
    known = {name: (data if name is None else data[decode_label(name)]).cat.categories for name in chosen}
    encode = Dummies(known, options)
    return over_rows(encode, data, name="get_dummies", meta=encode(empty(data)))


def is_text(values: Any) -> bool:
    """Whether the categories of a column are strings."""
    return str(values.cat.categories.dtype) in ("str", "object", "string")


class Dummies:
    """`pandas.get_dummies` of a partition, with the categories of all; it can be sent to a worker process."""

    def __init__(self, categories: dict[Any, Any], options: dict[str, Any]) -> None:
        self.categories, self.options = categories, options

    def __call__(self, part: Any) -> Any:
        """The columns of zeros and ones."""
        import pandas as pd

        types = {name: pd.CategoricalDtype(found) for name, found in self.categories.items()}
        named = {decode_label(name): dtype for name, dtype in types.items() if name is not None}
        typed = part.astype(types.get(None, named)) if types else part
        return pd.get_dummies(typed, **self.options)


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
