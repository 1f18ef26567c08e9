"""Joins of frames."""

from __future__ import annotations

from typing import Any

from ..base.collection import as_column, is_collection, is_frame
from ..base.labels import decode, encode_label
from ..base.mixin import Mixin
from ..base.registry import wrap
from ..base.tuning import tunable
from ..base.whole import has_rows, over_whole
from ..generic.alignment import Named
from ..generic.levels import level_count, level_names
from ..io.creation import from_pandas

METHODS = ("inner", "left", "right", "outer", "cross", "leftsemi", "leftanti")


class FrameJoins(Mixin):
    """The part of `DataFrame` about joins."""

    __slots__ = ()

    @tunable("shuffle_method")
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
        indicator: bool | str = False,
        validate: str | None = None,
        npartitions: int | None = None,
        broadcast: Any = None,
    ) -> Any:
        """Rows of two frames with equal keys side by side, as a database joins.

        Parameters
        ----------
        right : DataFrame or Series
            A lazy frame or named series, or one of pandas, which is taken into the plan.
        how : {"inner", "left", "right", "outer", "cross", "leftsemi", "leftanti"}
            Whose keys are in the result; the last two are Dask's.
        on, left_on, right_on : label, series or list of them, optional
            The keys; without any, the columns that both have.
        left_index, right_index : bool, default False
            Whether a side is met by its index.
        sort : bool, default False
            Whether the result is in the order of the keys.
        suffixes : pair of str, default ("_x", "_y")
            What is put behind the names of columns that both have.
        indicator : bool or str, default False
            A column that says which side each row is from, called `_merge` or so.
        validate : {"1:1", "1:m", "m:1", "m:m"}, optional
            MergeError at `compute` if keys come more often than this says (gathered, in pandas).
        npartitions : int, optional
            Dask's: the partitions of the result.
        broadcast : bool or float, optional
            Dask's hint, which the engine does without.

        Returns
        -------
        DataFrame
            In one partition, unless `npartitions` says otherwise.

        Raises
        ------
        KeyError
            For an unknown column.
        MergeError
            A ValueError of pandas, for keys that do not go together.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> left = rd.from_pandas(pd.DataFrame({"k": [1, 2], "x": ["a", "b"]}), npartitions=2)
        >>> left.merge(pd.DataFrame({"k": [2, 3], "y": ["c", "d"]}), on="k").compute().values.tolist()
        [[2, 'b', 'c']]
        """
        right = as_lazy(right)
        check_how(how)
        options = {"how": how, "on": on, "left_on": left_on, "right_on": right_on, "left_index": left_index}
        options = {**options, "right_index": right_index, "sort": sort, "suffixes": suffixes, "indicator": indicator}
        if needs_pandas(self, right, {**options, "validate": validate}):
            found = over_whole(merge_whole, self, right, name="merge", may_miss=True, validate=validate, **options)
            return found if npartitions is None else found.repartition(npartitions=npartitions)
        left_keys, right_keys = keys_of(self, right, how, on, left_on, right_on, left_index, right_index)
        pair = suffix_pair(suffixes)
        columns = self._expr.join(
            right._expr,
            how=how,
            left_on=left_keys,
            right_on=right_keys,
            left_index=left_index,
            right_index=right_index,
            suffixes=pair,
            indicator="_merge" if indicator is True else (indicator or None),
        )
        joined = wrap(columns)
        return joined if npartitions is None else joined.repartition(npartitions=npartitions)

    @tunable("shuffle_method")
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
    ) -> Any:
        """The columns of other frames beside those of this one, by index; `on` names columns to meet their index by.

        Parameters
        ----------
        other : DataFrame, Series or list of them
            Lazy or pandas'.
        on : label or list of labels, optional
            Columns of this frame that meet the index of the other; by default its own index does.
        how : {"left", "right", "outer", "inner", "cross"}
            Whose keys are in the result.
        lsuffix, rsuffix : str
            What is put behind the names of columns that both have; `suffixes` is the pair of them.
        sort, validate, npartitions
            As in `merge`.

        Returns
        -------
        DataFrame
            In one partition, unless `npartitions` says otherwise.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> left = rd.from_pandas(pd.DataFrame({"x": [1, 2]}, index=["a", "b"]), npartitions=2)
        >>> left.join(pd.DataFrame({"y": [3.0]}, index=["b"])).compute()["y"].tolist()
        [nan, 3.0]
        """
        if isinstance(other, list):
            if on is not None:
                raise ValueError("Joining multiple DataFrames only supported for joining on index")
            if lsuffix or rsuffix:
                raise ValueError("Suffixes not supported when joining multiple DataFrames")
            return self._join_several(other, how, sort, validate)
        lsuffix, rsuffix = (lsuffix, rsuffix) if suffixes is None else suffix_pair(suffixes)
        other = as_lazy(other)
        both = set(self._expr.columns) & set(other._expr.columns)
        if both and not (lsuffix or rsuffix):
            raise ValueError(f"columns overlap but no suffix specified: {decode(sorted(both))}")
        if level_count(self) > 1 or level_count(other) > 1:
            told = {"on": on, "how": how, "lsuffix": lsuffix, "rsuffix": rsuffix, "sort": sort, "validate": validate}
            return over_whole(Named("join"), self, other, name="join", may_miss=True, **told)
        options = {"how": how, "sort": sort, "suffixes": (lsuffix, rsuffix), "validate": validate}
        if how == "cross":
            return self.merge(other, npartitions=npartitions, **options)
        keys = {"left_index": True} if on is None else {"left_on": on}
        return self.merge(other, right_index=True, npartitions=npartitions, **keys, **options)

    def _join_several(self, others: list[Any], how: str, sort: bool, validate: Any) -> Any:
        result = self
        for one in others:
            result = result.join(one, how=how, sort=sort, validate=validate)
        return result


def check_how(how: Any) -> None:
    """ValueError for no way to join; NotImplementedError for one that pandas alone has."""
    if how in ("left_anti", "right_anti"):
        raise NotImplementedError(f"merge(how={how!r}): use how='leftanti', which gives the columns of the left alone")
    if how not in METHODS:
        raise ValueError(f"'{how}' is not a valid Merge type: {', '.join(METHODS)}")


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
    """The two suffixes; TypeError or ValueError unless there are two."""
    if isinstance(suffixes, set | dict):
        raise TypeError(f"Passing 'suffixes' as a {type(suffixes)}, is not supported. Provide a tuple instead.")
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
    left: Any,
    right: Any,
    how: str = "inner",
    on: Any = None,
    left_on: Any = None,
    right_on: Any = None,
    left_index: bool = False,
    right_index: bool = False,
    sort: bool = False,
    suffixes: Any = ("_x", "_y"),
    indicator: bool | str = False,
    validate: str | None = None,
    npartitions: int | None = None,
    shuffle_method: Any = None,
    broadcast: Any = None,
) -> Any:
    """Rows of two frames with equal keys side by side; see `DataFrame.merge`.

    >>> import pandas as pd, raskt.dataframe as rd
    >>> df = rd.from_pandas(pd.DataFrame({"k": [1, 2], "x": [3, 4]}), npartitions=1)
    >>> len(rd.merge(df, df, on="k"))
    2
    """
    return as_lazy(left).merge(
        right,
        how=how,
        on=on,
        left_on=left_on,
        right_on=right_on,
        left_index=left_index,
        right_index=right_index,
        sort=sort,
        suffixes=suffixes,
        indicator=indicator,
        validate=validate,
        npartitions=npartitions,
        shuffle_method=shuffle_method,
        broadcast=broadcast,
    )


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
    """Rows of two sorted frames matched by the nearest key: not supported yet, which NotImplementedError says."""
    raise NotImplementedError(
        "merge_asof: compute the smaller frame and use map_partitions(pandas.merge_asof, small, on=...)"
    )
