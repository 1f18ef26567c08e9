"""Joins of frames."""

from __future__ import annotations

from typing import Any

from ..base.arguments import no_default, without_effect
from ..base.collection import as_column, is_collection, is_frame
from ..base.labels import decode, encode_label
from ..base.mixin import Mixin
from ..base.registry import wrap
from ..base.whole import has_rows, over_whole
from ..generic.alignment import Named
from ..generic.levels import level_count, level_names
from ..io.creation import from_pandas
from ..reshape.concat import beside, can_stand_beside, can_stand_under, gathered, under

METHODS = ("inner", "left", "right", "outer", "cross", "leftsemi", "leftanti")


class FrameJoins(Mixin):
    """The part of `DataFrame` about joins."""

    __slots__ = ()

    def merge(
        self,
        right: Any,
        how: str = "inner",
        on: Any = None,
        left_on: Any = None,
        right_on: Any = None,
        left_index: bool = False,
        right_index: bool = False,
        sort: bool = False,
        suffixes: Any = ("_x", "_y"),
        copy: Any = None,
        indicator: bool | str = False,
        validate: str | None = None,
        *,
        npartitions: int | None = None,
        shuffle_method: Any = None,
        broadcast: Any = None,
    ) -> Any:
        """Rows of two frames with equal keys side by side, as a database joins; see `pandas.merge`.

        `how`: inner, left, right, outer, cross, leftsemi or leftanti. Without keys, the columns that both have are
        the keys. A pandas frame on the right is taken into the plan.

        Errors: KeyError for an unknown column, ValueError for keys that do not go together.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> left = rd.from_pandas(pd.DataFrame({"k": [1, 2], "x": ["a", "b"]}), npartitions=2)
        >>> left.merge(pd.DataFrame({"k": [2, 3], "y": ["c", "d"]}), on="k").compute().values.tolist()
        [[2, 'b', 'c']]
        """
        without_effect(copy, shuffle_method, broadcast)
        right = as_lazy(right)
        if how not in METHODS:
            raise ValueError(f"'{how}' is not a valid Merge type: {', '.join(METHODS)}")
        options = {"how": how, "on": on, "left_on": left_on, "right_on": right_on, "left_index": left_index,
                   "right_index": right_index, "sort": sort, "suffixes": suffixes, "indicator": indicator,
                   "validate": validate}  # fmt: skip
        if needs_pandas(self, right, options):
            found = over_whole(merge_whole, self, right, name="merge", may_miss=True, **options)
            return found if npartitions is None else found.repartition(npartitions=npartitions)
        left_keys, right_keys = keys_of(self, right, how, on, left_on, right_on, left_index, right_index)
        columns = self._expr.join(
            right._expr,
            how=how,
            left_on=left_keys,
            right_on=right_keys,
            left_index=left_index,
            right_index=right_index,
            suffixes=suffix_pair(suffixes),
            indicator="_merge" if indicator is True else (indicator or None),
        )
        found = wrap(columns)
        return found if npartitions is None else found.repartition(npartitions=npartitions)

    def join(
        self,
        other: Any,
        on: Any = None,
        how: str = "left",
        lsuffix: str = "",
        rsuffix: str = "",
        sort: bool = False,
        validate: str | None = None,
        *,
        suffixes: Any = None,
        npartitions: int | None = None,
        shuffle_method: Any = None,
    ) -> Any:
        """The columns of other frames beside those of this one, by index; `on` names columns to meet their index by.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> left = rd.from_pandas(pd.DataFrame({"x": [1, 2]}, index=["a", "b"]), npartitions=2)
        >>> left.join(pd.DataFrame({"y": [3.0]}, index=["b"])).compute()["y"].tolist()
        [nan, 3.0]
        """
        if isinstance(other, list):
            if on is not None:
                raise ValueError("Joining multiple DataFrames only supported for joining on index")
            result = self
            for one in other:
                result = result.join(one, how=how, lsuffix=lsuffix, rsuffix=rsuffix)
            return result.sort_index() if sort else result
        lsuffix, rsuffix = (lsuffix, rsuffix) if suffixes is None else suffix_pair(suffixes)
        other = as_lazy(other)
        both = set(self._expr.columns) & set(other._expr.columns)
        if both and not (lsuffix or rsuffix):
            raise ValueError(f"columns overlap but no suffix specified: {pandas_labels(decode(sorted(both)))}")
        if level_count(self) > 1 or level_count(other) > 1:
            options = {"on": on, "how": how, "lsuffix": lsuffix, "rsuffix": rsuffix, "sort": sort, "validate": validate}
            return over_whole(Named("join"), self, other, name="join", may_miss=True, **options)
        keys = {"left_index": True} if on is None else {"left_on": on}
        options = {"sort": sort, "validate": validate, "npartitions": npartitions, "shuffle_method": shuffle_method}
        return self.merge(other, how=how, right_index=True, suffixes=(lsuffix, rsuffix), **options, **keys)


def pandas_labels(labels: Any) -> Any:
    """Labels as pandas shows them."""
    import pandas as pd

    return pd.Index(labels)


def needs_pandas(left: Any, right: Any, options: dict[str, Any]) -> bool:
    """Whether pandas does a merge on all rows: what is native has no levels for keys, and checks nothing."""
    how, left_on = options["how"], options["left_on"] if options["on"] is None else options["on"]
    right_on = options["right_on"] if options["on"] is None else options["on"]
    if how in ("leftsemi", "leftanti"):
        if options["validate"] or options["sort"]:
            raise NotImplementedError(f"merge(how={how!r}) takes neither validate= nor sort=True")
        return False
    if options["validate"] is not None or options["sort"]:
        return True
    if not (options["left_index"] or options["right_index"]):
        named = [(left, left_on), (right, right_on)]
        return any(is_level(frame, key) for frame, keys in named if keys is not None for key in key_list(keys))
    if level_count(left) > 1 or level_count(right) > 1:
        return True
    if options["left_index"] and options["right_index"]:
        return False
    keys = key_list(right_on if options["left_index"] else left_on)
    other = left if options["left_index"] else right
    names = {encode_label(key) for key in keys if not is_collection(key)}
    keeps = "left" if options["right_index"] else "right"
    return how not in ("inner", keeps) or bool(names & set(other._expr.columns)) or any(
        is_level(frame, key) for frame in (left, right) for key in keys
    )  # fmt: skip


def is_level(frame: Any, key: Any) -> bool:
    """Whether a key is the name of a level of the row labels, and of no column."""
    if is_collection(key) or has_rows(key):
        return has_rows(key)
    return key in level_names(frame) and encode_label(key) not in frame._expr.columns


def merge_whole(left: Any, right: Any, **options: Any) -> Any:
    """A merge of pandas frames."""
    return left.merge(right, **options)


def as_lazy(other: Any) -> Any:
    """A frame for one side of a join: a lazy frame, a lazy or pandas series with a name, or a pandas frame."""
    if not is_collection(other):
        if type(other).__module__.partition(".")[0] != "pandas":
            raise TypeError(f"Can only merge Series or DataFrame objects, a {type(other)} was passed")
        other = from_pandas(other, npartitions=1, sort=False)
    if is_frame(other):
        return other
    if other.name is None:
        raise ValueError("Cannot merge a Series without a name")
    return other.to_frame()


def suffix_pair(suffixes: Any) -> tuple[str, str]:
    """The two suffixes; ValueError unless there are two."""
    pair = tuple("" if suffix is None else suffix for suffix in suffixes)
    if len(pair) != 2:
        raise ValueError(f"suffixes must be a pair, not {suffixes!r}")
    return pair


def keys_of(
    left: Any, right: Any, how: str, on: Any, left_on: Any, right_on: Any, left_index: bool, right_index: bool
) -> Any:
    """The key expressions of both sides; None for a side that is met by its index."""
    if how == "cross":
        if on is not None or left_on is not None or right_on is not None or left_index or right_index:
            raise merge_error(
                "Can not pass on, right_on, left_on or set right_index=True or left_index=True in a cross merge"
            )
        return None, None
    if on is not None:
        if left_on is not None or right_on is not None or left_index or right_index:
            raise merge_error('Can only pass argument "on" OR "left_on" and "right_on", not a combination of both.')
        left_on = right_on = on
    elif left_on is None and right_on is None and not (left_index or right_index):
        common = [name for name in left._expr.columns if name in set(right._expr.columns)]
        if not common:
            raise merge_error(f"No common columns to perform merge on: {list(left)} and {list(right)}")
        left_on = right_on = decode(common)
    if (left_on is None) == (not left_index) or (right_on is None) == (not right_index):
        raise merge_error(
            "give left_on or left_index=True for the left side, and right_on or right_index=True for the right"
        )
    left_keys = None if left_index else [key_of(left, key) for key in key_list(left_on)]
    right_keys = None if right_index else [key_of(right, key) for key in key_list(right_on)]
    check_pairs(left_keys or [left._expr.index()], right_keys or [right._expr.index()])
    return left_keys, right_keys


def key_list(keys: Any) -> list[Any]:
    """Keys of a join as a list; a tuple of them is one too."""
    return list(keys) if isinstance(keys, list | tuple) else [keys]


def key_of(frame: Any, key: Any) -> Any:
    """The expression of a key: a column by its name, or a series of the same rows."""
    return as_column(key) if is_collection(key) else frame._expr.column(encode_label(key))


def check_pairs(left: list[Any], right: list[Any]) -> None:
    """ValueError where the keys of both sides differ in number or in kind."""
    if len(left) != len(right):
        raise merge_error(f"len(left_on) must equal len(right_on): {len(left)} keys and {len(right)}")
    for one, other in zip(left, right, strict=True):
        if kind_of(one.dtype) != kind_of(other.dtype):
            raise merge_error(
                f"You are trying to merge on {one.dtype} and {other.dtype} columns for key {one.name!r}. "
                "Bring both to one type with astype first"
            )


def kind_of(dtype: str) -> str:
    """What types may meet: numbers and booleans, texts and categories, times with and without a zone, durations."""
    lower = dtype.lower()
    if lower.startswith(("int", "uint", "float", "bool")):
        return "number"
    if lower.startswith("datetime64"):
        return "time with a zone" if "," in lower else "time"
    return "duration" if lower.startswith("timedelta") else "text"


def merge_error(message: str) -> Exception:
    """pandas' error for impossible joins, which is a ValueError."""
    from pandas.errors import MergeError

    return MergeError(message)


def merge(
    left: Any, right: Any, how: str = "inner", on: Any = None, left_on: Any = None, right_on: Any = None, **kwargs: Any
) -> Any:
    """Rows of two frames with equal keys side by side; see `DataFrame.merge`.

    >>> import pandas as pd, raskt.dataframe as rd
    >>> df = rd.from_pandas(pd.DataFrame({"k": [1, 2], "x": [3, 4]}), npartitions=1)
    >>> len(rd.merge(df, df, on="k"))
    2
    """
    return as_lazy(left).merge(right, how=how, on=on, left_on=left_on, right_on=right_on, **kwargs)


def merge_asof(left: Any, right: Any, **kwargs: Any) -> Any:
    """Rows of two sorted frames matched by the nearest key; see `pandas.merge_asof` (both gathered, in pandas).

    The right frame is computed when the plan runs, inside its one task; the left one keeps its order.
    """
    raise NotImplementedError(
        "merge_asof: compute the smaller frame and use map_partitions(pandas.merge_asof, small, on=...)"
    )


def concat(
    objs: Any,
    axis: Any = 0,
    join: str = "outer",
    ignore_index: bool = False,
    keys: Any = None,
    levels: Any = None,
    names: Any = None,
    verify_integrity: bool = False,
    sort: Any = no_default,
    copy: Any = None,
    *,
    ignore_unknown_divisions: bool = False,
    ignore_order: bool = False,
    interleave_partitions: bool = False,
) -> Any:
    """Frames and series one under another; with `axis=1`, side by side.

    Rows stay in their partitions where they go one under another as they are. Where labels have to be aligned, or made
    anew by `keys`, all rows are gathered, and pandas does it.

    Parameters
    ----------
    objs : sequence or dict of DataFrame or Series
        Lazy ones, or pandas objects; the keys of a dictionary are `keys`.
    axis : {0, "index", 1, "columns"}
        One under another, or side by side.
    join : {"outer", "inner"}
        Whether columns (or, side by side, rows) of some stay, missing elsewhere, or those of all.
    ignore_index : bool, default False
        Whether to number the rows (or columns) anew.
    keys : sequence, optional
        A label for each object, as the first level of the result's.
    levels, names : sequence, optional
        The values of the levels of `keys`, and the names of levels.
    verify_integrity : bool, default False
        Whether labels that come twice are an error, when it is computed.
    sort : bool, default False
        Whether to put the labels that are not concatenated in order.
    copy : object, optional
        Without effect.
    ignore_unknown_divisions, ignore_order, interleave_partitions : bool
        Ways of Dask to lay out partitions, without effect here.

    Returns
    -------
    DataFrame or Series
        The rows of all, in as many partitions as all have together, or, gathered, in one.

    Raises
    ------
    ValueError
        For nothing to concatenate, or another `join`.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> df = rd.from_pandas(pd.DataFrame({"x": [1, 2]}), npartitions=1)
    >>> rd.concat([df, df]).compute()["x"].tolist()
    [1, 2, 1, 2]
    >>> rd.concat({"a": df, "b": df}).compute().index.nlevels
    2
    """
    without_effect(copy, ignore_unknown_divisions, ignore_order, interleave_partitions)
    if isinstance(objs, dict):
        keys = list(objs) if keys is None else list(keys)
        objs = [objs[key] for key in keys]
    if is_collection(objs) or isinstance(objs, str) or not hasattr(objs, "__iter__"):
        raise TypeError(
            "first argument must be an iterable of pandas objects, you passed an object of type "
            f'"{type(objs).__name__}"'
        )
    items = list(objs)
    if keys is not None and len(list(keys)) == len(items):
        keys = [key for key, item in zip(keys, items, strict=True) if item is not None]
    items = [item for item in items if item is not None]
    if not items:
        raise ValueError(
            "No objects to concatenate" if objs is None or not list(objs) else "All objects passed were None"
        )
    if join not in ("inner", "outer"):
        raise ValueError("Only can inner (intersect) or outer (union) join the other axis")
    options = {"axis": axis, "join": join, "ignore_index": ignore_index, "keys": keys, "levels": levels, "names": names,
               "verify_integrity": verify_integrity, "sort": sort is True}  # fmt: skip
    lazy = [item if is_collection(item) else from_pandas(item, npartitions=1, sort=False) for item in items]
    plain = keys is None and levels is None and names is None and not verify_integrity
    if axis in (1, "columns"):
        return beside(lazy) if plain and not ignore_index and can_stand_beside(lazy) else gathered(lazy, options)
    if plain and can_stand_under(lazy, join, sort is True):
        return under(lazy, join, ignore_index)
    return gathered(lazy, options)
