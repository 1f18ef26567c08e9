"""Joins by the nearest key."""

from __future__ import annotations

from typing import Any

from ..base.pandas_methods import trial
from ..base.whole import over_whole
from .join_keys import key_list, labels_of_sides, shared_keys
from .joins import as_lazy, suffix_pair


def merge_asof(
    left: Any,
    right: Any,
    on: Any = None,
    left_on: Any = None,
    right_on: Any = None,
    left_index: bool = False,
    right_index: bool = False,
    by: Any = None,
    left_by: Any = None,
    right_by: Any = None,
    suffixes: Any = ("_x", "_y"),
    tolerance: Any = None,
    allow_exact_matches: bool = True,
    direction: str = "backward",
) -> Any:
    """Rows of two sorted frames matched by the nearest key (gathered, in pandas).

    Parameters
    ----------
    left, right : DataFrame or Series
        Lazy or pandas', each in the order of its key.
    on, left_on, right_on : label, optional
        The keys: columns of numbers or times.
    left_index, right_index : bool, default False
        Whether a side is met by its index.
    by, left_by, right_by : label or list of labels, optional
        Columns that have to be equal as well.
    suffixes : pair of str, default ("_x", "_y")
        What is put behind the names of columns that both have.
    tolerance : int or timedelta, optional
        How far away the nearest key may be.
    allow_exact_matches : bool, default True
        Whether an equal key is a match.
    direction : {"backward", "forward", "nearest"}
        Where the nearest key is looked for.

    Returns
    -------
    DataFrame
        A row for each row of the left side, in one partition.

    Raises
    ------
    ValueError
        At `compute`, for keys that are not in order.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> left = rd.from_pandas(pd.DataFrame({"t": [1, 5, 10]}), npartitions=2)
    >>> right = pd.DataFrame({"t": [2, 3, 7], "x": ["a", "b", "c"]})
    >>> rd.merge_asof(left, right, on="t").compute()["x"].tolist()
    [nan, 'b', 'c']
    """
    named = {"on": on, "left_on": left_on, "right_on": right_on, "left_index": left_index, "right_index": right_index}
    others = {"by": by, "left_by": left_by, "right_by": right_by, "suffixes": suffixes, "tolerance": tolerance}
    how = {"allow_exact_matches": allow_exact_matches, "direction": direction}
    left, right = as_lazy(left), as_lazy(right)
    trial(nearest, (left, right), {**named, **others, **how})
    # Whether a row has a match only the rows tell: the types are those where each has one, and values may be missing.
    matched = {**named, **others, **how, "allow_exact_matches": True, "tolerance": None}
    meta = trial(nearest, (left, right), matched)
    keys = [[on, *key_list(by), one, *key_list(more)] for one, more in ((left_on, left_by), (right_on, right_by))]
    shared = shared_keys(*keys)
    _, found = labels_of_sides(left.columns, right.columns, shared, suffix_pair(suffixes))
    gaps = [label in found for label in meta.columns]
    return over_whole(nearest, left, right, name="merge_asof", meta=meta, may_miss=gaps, **named, **others, **how)


def nearest(left: Any, right: Any, **options: Any) -> Any:
    """`pandas.merge_asof`."""
    import pandas as pd

    return pd.merge_asof(left, right, **options)
