"""Frames from what there is in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..base.labels import encode, encode_label
from ..base.meta import empty_of, normalise
from ..base.registry import core, wrap


def from_pandas(data: Any, npartitions: int | None = None, sort: bool = True, chunksize: int | None = None) -> Any:
    """A lazy frame or series of a pandas one, in `npartitions` parts (or as many as `chunksize` rows each make).

    The rows are put in the order of the index unless `sort=False`, so that its divisions are known.

    Errors: TypeError for other objects; ValueError where both or bad numbers are given.

    >>> import pandas as pd, raskt.dataframe as rd
    >>> df = rd.from_pandas(pd.DataFrame({"x": range(6)}), npartitions=3)
    >>> df.divisions
    (0, 2, 4, 5)
    """
    import pandas as pd

    if not isinstance(data, pd.DataFrame | pd.Series):
        raise TypeError(f"from_pandas takes a pandas DataFrame or Series, not {type(data).__name__}")
    if npartitions is not None and chunksize is not None:
        raise ValueError("Exactly one of npartitions and chunksize must be specified.")
    if chunksize is not None:
        npartitions = -(-len(data) // positive(chunksize, "chunksize"))
    if sort and not data.index.is_monotonic_increasing:
        data = data.sort_index(kind="stable")
    return wrap(
        core().frame_from_pandas(
            plain_labels(data),
            max(1, positive(npartitions or 1 if npartitions is None else npartitions, "npartitions")),
        )
    )


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
            raise ValueError(f"column labels must be different from each other: {list(data.columns)}")
        return data if names == list(data.columns) else data.set_axis(names, axis=1)
    return data if data.name is None or isinstance(data.name, str) else data.rename(encode_label(data.name))


def from_dict(
    data: dict[str, Any],
    npartitions: int = 1,
    orient: str = "columns",
    dtype: Any = None,
    columns: Any = None,
    **kwargs: Any,
) -> Any:
    """A lazy frame of a dictionary of columns.

    >>> import raskt.dataframe as rd
    >>> rd.from_dict({"x": [1, 2], "y": ["a", "b"]}, npartitions=2).npartitions
    2
    """
    import pandas as pd

    return from_pandas(
        pd.DataFrame.from_dict(data, orient=orient, dtype=dtype, columns=columns), npartitions=npartitions
    )


def from_array(x: Any, chunksize: int = 50_000, columns: Any = None, meta: Any = None) -> Any:
    """A lazy frame of a two-dimensional array, or a series of a one-dimensional one.

    A lazy array gives a partition for each block of rows; other arrays are cut every `chunksize` rows.

    >>> import numpy as np, raskt.dataframe as rd
    >>> rd.from_array(np.array([[1, 2], [3, 4]]), columns=["x", "y"])["y"].compute().tolist()
    [2, 4]
    """
    if hasattr(x, "__raskt_expr__"):
        return from_lazy_array(x, columns)
    import numpy as np
    import pandas as pd

    values = np.asarray(x)
    if values.ndim == 1 and (values.dtype.names is None):
        return from_pandas(pd.Series(values, name=columns), chunksize=chunksize)
    return from_pandas(pd.DataFrame(values, columns=columns), chunksize=chunksize)


def from_lazy_array(x: Any, columns: Any) -> Any:
    """A lazy array as a frame, or as a series if it has one dimension."""
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
    dfs: Any, meta: Any = None, divisions: Any = None, prefix: str = "from-delayed", verify_meta: bool = True
) -> Any:
    """A lazy frame or series whose partitions are delayed pandas objects.

    The types are those of `meta`; without it, the first part is computed to know them.

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
    return wrap(core().frame_from_delayed(parts, plain_labels(known)))


def from_map(
    func: Callable[..., Any],
    *iterables: Iterable[Any],
    args: Any = (),
    meta: Any = None,
    divisions: Any = None,
    label: str | None = None,
    enforce_metadata: bool = False,
    **kwargs: Any,
) -> Any:
    """A lazy frame of a function called for each item: a partition each.

    >>> import pandas as pd, raskt.dataframe as rd
    >>> len(rd.from_map(lambda n: pd.DataFrame({"x": range(n)}), [1, 2, 3]))
    6
    """
    import raskt

    if not callable(func):
        raise ValueError("`func` argument must be `callable`")
    items = list(zip(*iterables, strict=True))
    if not items:
        raise ValueError("`from_map` needs at least one item to call the function with")
    call = raskt.delayed(func)
    return from_delayed([call(*item, *args, **kwargs) for item in items], meta=meta)
