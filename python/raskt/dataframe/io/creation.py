"""Frames from what there is in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..base.labels import encode, encode_label
from ..base.lazy_arrays import refuse_complex
from ..base.meta import empty_of, normalise
from ..base.registry import core, wrap


def from_pandas(data: Any, npartitions: int | None = None, sort: bool = True, chunksize: int | None = None) -> Any:
    """A lazy frame, series or index of a pandas one, which is copied: changing it later changes nothing here.

    Labels of columns are kept, but no name of theirs (`data.columns.name`): they are a plain index.

    Parameters
    ----------
    data : pandas.DataFrame, pandas.Series or pandas.Index
        The rows.
    npartitions : int, optional
        How many partitions there are at most: rows with equal labels are in one if `sort`.
    sort : bool, default True
        Whether the rows are put in the order of the index, so that its divisions are known.
    chunksize : int, optional
        How many rows a partition has, instead of `npartitions`.

    Returns
    -------
    DataFrame, Series or Index
        The rows in partitions of about the same length.

    Raises
    ------
    TypeError
        For other objects.
    ValueError
        Where both or bad numbers are given.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> df = rd.from_pandas(pd.DataFrame({"x": range(6)}), npartitions=3)
    >>> df.divisions
    (0, 2, 4, 5)
    """
    import pandas as pd

    if isinstance(data, pd.Index) and not isinstance(data, pd.MultiIndex):
        return from_pandas(data.to_series(), npartitions, sort, chunksize).index
    if not isinstance(data, pd.DataFrame | pd.Series):
        raise TypeError(f"from_pandas takes a pandas DataFrame or Series, not {type(data).__name__}")
    if npartitions is not None and chunksize is not None:
        raise ValueError("Exactly one of npartitions and chunksize must be specified.")
    count = positive(npartitions, "npartitions") if npartitions is not None else 1
    rows = None if chunksize is None else positive(chunksize, "chunksize")
    in_order = data.index.is_monotonic_increasing
    owned = data.sort_index(kind="stable") if sort and not in_order else data.copy()
    starts = starts_of(owned.index, count, rows, whole_labels=sort and owned.index.is_monotonic_increasing)
    return wrap(core().frame_from_pandas(plain_labels(owned), locations=starts, known=sort))


def starts_of(index: Any, count: int, rows: int | None, *, whole_labels: bool) -> list[int]:
    """The positions at which partitions begin: `count` of them of about the same length, or one every `rows` rows.

    With `whole_labels`, each begins with a label that no other has.
    """
    total = len(index)
    if not total:
        return [0]
    if rows is not None:
        starts = list(range(0, total, rows))
    else:
        count = min(count, total)
        starts = [at * (total // count) + min(at, total % count) for at in range(count)]
    if not whole_labels or index.nlevels > 1 or index.is_unique:
        return starts
    found = [0]
    for start in starts[1:]:
        at = int(index.searchsorted(index[start], side="left"))
        if at <= found[-1]:
            at = int(index.searchsorted(index[found[-1]], side="right"))
        if found[-1] < at < total:
            found.append(at)
    return found


def positive(number: Any, what: str) -> int:
    """A count of at least one; TypeError or ValueError otherwise."""
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise TypeError(f"{what} must be an integer, not {number!r}")
    if number < 1:
        raise ValueError(f"{what} must be at least 1, not {number}")
    return int(number)


def plain_labels(data: Any) -> Any:
    """The same pandas object with strings for labels."""
    import pandas as pd

    if isinstance(data, pd.DataFrame):
        names = encode(data.columns)
        if len(set(names)) != len(names):
            raise NotImplementedError(f"two columns cannot have one name yet: {list(data.columns)}")
        return data if names == list(data.columns) else data.set_axis(names, axis=1)
    return data if data.name is None or isinstance(data.name, str) else data.rename(encode_label(data.name))


def from_dict(
    data: dict[Any, Any], npartitions: int = 1, orient: str = "columns", dtype: Any = None, columns: Any = None
) -> Any:
    """A lazy frame of a dictionary of columns, as `pandas.DataFrame.from_dict` makes it.

    Parameters
    ----------
    data : dict
        Columns by their labels, or what `orient` says.
    npartitions : int, default 1
        Partitions of the frame.
    orient, dtype, columns : as in pandas
        How the dictionary is read.

    Returns
    -------
    DataFrame
        The rows in order, in `npartitions` equal parts.

    Examples
    --------
    >>> import raskt.dataframe as rd
    >>> rd.from_dict({"x": [1, 2], "y": ["a", "b"]}, npartitions=2).npartitions
    2
    """
    import pandas as pd

    return from_pandas(
        pd.DataFrame.from_dict(data, orient=orient, dtype=dtype, columns=columns), npartitions=npartitions, sort=False
    )


def from_array(x: Any, chunksize: int = 50_000, columns: Any = None, meta: Any = None) -> Any:
    """A lazy frame of a two-dimensional array, or a series of a one-dimensional one.

    A lazy array gives a partition for each block of rows; other arrays are cut every `chunksize` rows.

    >>> import numpy as np, raskt.dataframe as rd
    >>> rd.from_array(np.array([[1, 2], [3, 4]]), columns=["x", "y"])["y"].compute().tolist()
    [2, 4]
    """
    if meta is not None:
        raise NotImplementedError("from_array(meta=): frames are of pandas; convert afterwards with map_partitions")
    if hasattr(x, "__raskt_expr__"):
        return from_lazy_array(x, columns)
    import numpy as np
    import pandas as pd

    values = np.asarray(x)
    if values.ndim == 1 and (values.dtype.names is None):
        return from_pandas(pd.Series(values, name=columns), chunksize=chunksize)
    return from_pandas(pd.DataFrame(values, columns=columns), chunksize=chunksize)


def from_dask_array(x: Any, columns: Any = None, index: Any = None, meta: Any = None) -> Any:
    """A lazy frame or series of a lazy array, a partition for each block of rows; `from_array` under Dask's name.

    >>> import raskt.array as ra, raskt.dataframe as rd
    >>> rd.from_dask_array(ra.arange(3, chunks=2), columns="x").compute().tolist()
    [0, 1, 2]
    """
    if index is not None:
        raise NotImplementedError("from_dask_array(index=): set the labels afterwards, by set_index of a column")
    return from_array(x, columns=columns, meta=meta)


def from_lazy_array(x: Any, columns: Any) -> Any:
    """A lazy array as a frame, or as a series if it has one dimension."""
    refuse_complex(x)
    if x.ndim == 1:
        frame = core().frame_from_array(x.__raskt_expr__, ["0"])
        return wrap(frame.column("0").rename(None if columns is None else encode_label(columns)))
    if x.ndim != 2:
        raise ValueError(f"a frame is made of an array of one or two dimensions, not of {x.ndim}")
    names = encode(columns if columns is not None else range(int(x.shape[1])))
    if len(names) != x.shape[1]:
        raise ValueError(f"{len(names)} column labels for an array of {x.shape[1]} columns")
    return wrap(core().frame_from_array(x.__raskt_expr__, names))


def from_delayed(
    dfs: Any, meta: Any = None, divisions: Any = None, prefix: str | None = "from-delayed", verify_meta: bool = True
) -> Any:
    """A lazy frame or series whose partitions are delayed pandas objects.

    Parameters
    ----------
    dfs : Delayed or list of Delayed
        A partition each.
    meta : pandas object, dict or list of pairs, optional
        The types; without it, the first part is computed to know them.
    divisions : tuple of labels, optional
        The least label of each part and the greatest of the last. They are taken as they are: `loc` finds nothing in
        parts where it should not be by them.
    prefix : str
        What the partitions are called in `explain()`.
    verify_meta : bool
        For programs written for Dask. Types are always compared with `meta`.

    Returns
    -------
    DataFrame or Series
        A partition for each part.

    Raises
    ------
    TypeError
        For other objects than delayed ones.
    ValueError
        For another number of divisions than one more than there are parts.

    Examples
    --------
    >>> import pandas as pd, raskt, raskt.dataframe as rd
    >>> parts = [raskt.delayed(pd.DataFrame)({"x": [at]}) for at in range(3)]
    >>> rd.from_delayed(parts)["x"].compute().tolist()
    [0, 1, 2]
    """
    from raskt import Delayed

    parts = list(dfs) if isinstance(dfs, list | tuple) else [dfs]
    if not parts:
        raise TypeError("Must supply at least one delayed object")
    wrong = next((part for part in parts if not isinstance(part, Delayed)), None)
    if wrong is not None:
        raise TypeError(f"Expected Delayed object, got {type(wrong).__name__}")
    known = empty_of(parts[0].compute()) if meta is None else normalise(meta)
    found = wrap(core().frame_from_delayed(parts, plain_labels(known), name=prefix or "from-delayed"))
    return with_divisions(found, divisions)


def with_divisions(rows: Any, divisions: Any) -> Any:
    """The collection whose labels are promised to lie between `divisions`; ValueError for another number of them."""
    if divisions is None or all(bound is None for bound in divisions):
        return rows
    if isinstance(divisions, str):
        raise NotImplementedError("divisions='sorted' would compute all parts: give the divisions as a tuple")
    if len(divisions) != rows.npartitions + 1:
        raise ValueError(f"divisions should be a tuple of len(parts) + 1 labels, not of {len(divisions)}")
    return rows._framed(lambda frame: frame.divided(list(divisions)))


def from_map(
    func: Callable[..., Any],
    *iterables: Iterable[Any],
    args: Any = None,
    meta: Any = None,
    divisions: Any = None,
    label: str | None = None,
    enforce_metadata: bool = False,
    **kwargs: Any,
) -> Any:
    """A lazy frame of a function called for each item: a partition each.

    Parameters
    ----------
    func : callable
        Gives a pandas object for an item of each of `iterables`.
    args : tuple, optional
        More arguments, behind the items.
    meta : pandas object, dict or list of pairs, optional
        The types; without it, the first part is computed to know them.
    divisions : tuple of labels, optional
        The least label of each part and the greatest of the last. They are taken as they are: `loc` finds nothing in
        parts where it should not be by them.
    label : str, optional
        What the partitions are called in `explain()`.
    enforce_metadata : bool
        For programs written for Dask. Types are always compared with `meta`.
    **kwargs
        Handed to `func`.

    Returns
    -------
    DataFrame or Series
        A partition for each item.

    Raises
    ------
    ValueError
        For no items, for iterables of different lengths, and for another number of divisions than of items and one.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> len(rd.from_map(lambda n: pd.DataFrame({"x": range(n)}), [1, 2, 3]))
    6
    """
    import raskt

    if not callable(func):
        raise ValueError("`func` argument must be `callable`")
    given = [list(iterable) for iterable in iterables]
    if len({len(each) for each in given}) > 1:
        raise ValueError(f"the iterables have different lengths: {[len(each) for each in given]}")
    items = list(zip(*given, strict=True))
    if not items:
        raise ValueError("`from_map` needs at least one item to call the function with")
    call = raskt.delayed(func)
    more = () if args is None else tuple(args)
    parts = [call(*item, *more, **kwargs) for item in items]
    return from_delayed(parts, meta=meta, divisions=divisions, prefix=label or "from-map")
