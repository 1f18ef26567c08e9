"""Joins of frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.checks import deprecated_copy, no_default, warn_deprecated
from ..base.collection import is_collection, is_frame
from ..base.labels import decode, encode_label, is_plain
from ..base.meta import empty_of, is_full
from ..base.mixin import Mixin
from ..base.pandas_methods import native_or
from ..base.registry import wrap
from ..base.tuning import tunable
from ..base.whole import over_whole, sample_rows
from ..generic.alignment import Named
from ..generic.levels import level_count
from ..io.creation import from_pandas
from .join_keys import (
    alike,
    has_series_keys,
    is_level,
    is_sorted_alike,
    key_list,
    key_pairs,
    keys_of,
    keys_of_sides,
    labels_of_sides,
    merge_error,
    names_of_keys,
    refuse_ambiguous_keys,
    refuse_mixed,
    series_of_one_unit,
    shared_keys,
    with_keys_of_one_unit,
    with_like_keys,
)

METHODS = ("inner", "left", "right", "outer", "cross", "leftsemi", "leftanti")
#: Those of pandas for the rows that the other side has no key for, by the way to join that has these among its rows.
ONE_SIDED = {"left_anti": "left", "right_anti": "right"}


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
        copy: Any = no_default,
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
        how : {"inner", "left", "right", "outer", "cross", "left_anti", "right_anti", "leftsemi", "leftanti"}
            Whose keys are in the result; the last two are Dask's, which give the columns of the left alone.
        on, left_on, right_on : label, series or list of them, optional
            The keys; without any, the columns that both have.
        left_index, right_index : bool, default False
            Whether a side is met by its index.
        sort : bool, default False
            Whether the result is in the order of the keys.
        suffixes : pair of str, default ("_x", "_y")
            What is put behind the names of columns that both have.
        copy : object, optional
            Without effect but pandas' warning that it is deprecated.
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
        deprecated_copy(copy)
        right = as_lazy(right)
        check_how(how)
        if how in ONE_SIDED:
            sides: dict[str, Any] = {"left_index": left_index, "right_index": right_index, "npartitions": npartitions}
            keys: dict[str, Any] = {"on": on, "left_on": left_on, "right_on": right_on, **sides}
            return without_other_side(
                self, right, how, indicator, sort=sort, suffixes=suffixes, validate=validate, **keys
            )
        options = {"how": how, "on": on, "left_on": left_on, "right_on": right_on, "left_index": left_index}
        options = {**options, "right_index": right_index, "sort": sort, "suffixes": suffixes, "indicator": indicator}
        shared = on
        if on is None and left_on is None and right_on is None and not (left_index or right_index or how == "cross"):
            others = set(right.columns)
            shared = [label for label in self.columns if label in others]
        refuse_ambiguous_keys(self, [shared, left_on])
        refuse_ambiguous_keys(right, [shared, right_on])
        if has_series_keys(options) and how not in ("leftsemi", "leftanti"):
            joined = by_series(self, right, {**options, "validate": validate})
        elif needs_pandas(self, right, {**options, "validate": validate}):
            joined = in_pandas(self, right, {**options, "validate": validate})
        else:
            joined = joined_natively(self, right, options)
        return joined if npartitions is None else joined.repartition(npartitions=npartitions)

    @tunable("shuffle_method")
    def join(
        self,
        other: Any,
        on: Any = None,
        how: str = "left",
        lsuffix: Any = no_default,
        rsuffix: Any = no_default,
        sort: bool = False,
        validate: str | None = None,
        *,
        suffixes: Any = no_default,
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
            What is put behind the names of columns that both have; pandas' warning tells that they are deprecated.
        sort, validate, npartitions
            As in `merge`.
        suffixes : pair of str
            What is put behind the names of columns that both have.

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
        lsuffix, rsuffix = join_suffixes(lsuffix, rsuffix, suffixes)
        if isinstance(other, list):
            if on is not None:
                raise ValueError("Joining multiple DataFrames only supported for joining on index")
            if lsuffix or rsuffix:
                raise ValueError("Suffixes not supported when joining multiple DataFrames")
            joined = self._join_several(other, how, sort, validate)
            return joined if npartitions is None else joined.repartition(npartitions=npartitions)
        other = as_lazy(other)
        both = set(self._expr.columns) & set(other._expr.columns)
        if both and not (lsuffix or rsuffix):
            raise ValueError(f"columns overlap but no suffix specified: {decode(sorted(both))}")
        if level_count(self) > 1 or level_count(other) > 1:
            told = {"on": on, "how": how, "suffixes": (lsuffix, rsuffix), "sort": sort, "validate": validate}
            few = sample_rows(self), sample_rows(other)
            trial = lambda how: Named("join")(*few, **{**told, "how": how})
            joined = merged(trial, how, set(key_list(on)), Named("join"), self, other, name="join", **told)
            return joined if npartitions is None else joined.repartition(npartitions=npartitions)
        options = {"how": how, "sort": sort, "suffixes": (lsuffix, rsuffix), "validate": validate}
        if how == "cross":
            if on is not None:
                raise merge_error("Can not pass on, right_on, left_on or set right_index=True or left_index=True")
            return self.merge(other, npartitions=npartitions, **options)
        keys = {"left_index": True} if on is None else {"left_on": on}
        return self.merge(other, right_index=True, npartitions=npartitions, **keys, **options)

    def _join_several(self, others: list[Any], how: str, sort: bool, validate: Any) -> Any:
        result = self
        for one in others:
            result = result.join(one, how=how, sort=sort, validate=validate)
        return result


def without_other_side(left: Any, right: Any, how: str, indicator: Any, **options: Any) -> Any:
    """The rows of one side whose keys the other side has not, with the columns of both."""
    side, taken = ONE_SIDED[how], {*left._expr.columns, *right._expr.columns}
    if "object" in {*left._expr.dtypes, *right._expr.dtypes} and not has_series_keys(options):
        # pandas makes NaN of what is missing among objects in the one way to join, and keeps it in the other.
        npartitions = options.pop("npartitions")
        joined = in_pandas(left, right, {**options, "how": how, "indicator": indicator})
        return joined if npartitions is None else joined.repartition(npartitions=npartitions)
    name = "_merge" if indicator is True else indicator
    mark = name or next(text for text in (f"_merge{at}" for at in range(len(taken) + 1)) if text not in taken)
    joined = left.merge(right, how=side, indicator=mark, **options)
    rows = joined[joined[mark] == f"{side}_only"]
    return rows if name else rows.drop(columns=[mark])


def joined_natively(left: Any, right: Any, options: dict[str, Any]) -> Any:
    """The native join; pandas' merge of all rows where keys of such types don't meet natively."""
    how, indicator = options["how"], options["indicator"]
    sides = {name: options[name] for name in ("left_index", "right_index")}
    named = {name: options[name] for name in ("on", "left_on", "right_on")}
    left_keys, right_keys = keys_of(left, right, how, **named, **sides)
    pair = suffix_pair(options["suffixes"])
    shared = set(left._expr.columns) & set(right._expr.columns)
    if not all(map(is_plain, shared)) or pair[0] == pair[1] != "":
        return in_pandas(left, right, options)  # which puts suffixes behind labels of all kinds
    both = (left_keys or [left._expr.index()], right_keys or [right._expr.index()])
    by_labels = all(sides.values())
    if how != "cross" and not all(map(alike, *both, ["outer" if by_labels else how] * len(both[0]))):
        return in_pandas(left, right, options)  # labels are of a type for both sides, whatever rows are kept
    if how == "outer" and not all(map(is_sorted_alike, both[0])):
        return in_pandas(left, right, options)
    marked = {"indicator": "_merge" if indicator is True else (indicator or None), "suffixes": pair}
    native = lambda: left._expr.join(right._expr, how=how, left_on=left_keys, right_on=right_keys, **sides, **marked)
    return native_or(lambda: wrap(native()), lambda: in_pandas(left, right, options))


def in_pandas(left: Any, right: Any, options: dict[str, Any]) -> Any:
    """pandas' merge of all rows; NotImplementedError for the joins that pandas hasn't got."""
    if options["how"] in ("leftsemi", "leftanti"):
        raise NotImplementedError(
            f"merge(how={options['how']!r}) of keys of such types: convert them with astype first"
        )
    refuse_mixed(left, right, options)
    few = with_like_keys(left, right, options)
    trial = lambda how: merge_whole(*few, **{**options, "how": how})
    keys = {name for name, _, _ in key_pairs(left, right, options)}
    shared = shared_keys(*keys_of_sides(left, right, options))
    return merged(trial, options["how"], keys, merge_whole, left, right, name="merge", shared=shared, **options)


def merged(
    trial: Callable[[str], Any],
    way: str,
    keys: set[Any],
    function: Callable[..., Any],
    /,
    *args: Any,
    name: str,
    behind: Any = None,
    shared: set[Any] | None = None,
    **options: Any,
) -> Any:
    """The whole rows of frames joined by a `function`; `trial` does it to samples, given the way to join, and `keys`
    are columns of the result with values of both sides. What stands `behind` the names of columns that both
    have are the suffixes of its options, unless it has none."""
    told: dict[str, Any] = {"name": name, "exact": True, "may_miss": way not in ("inner", "cross"), **options}
    told.setdefault("missing_labels", lacks_labels(way, options))
    try:
        few = empty_of(trial(way))
        sides = [empty_of(trial(side)) for side in ("left", "right")] if told["may_miss"] else []
    except Exception:  # of samples, where it may work with the first rows
        return over_whole(function, *args, **told)
    if sides:
        few = with_types_of_sides(few, sides, keys)
        told["may_miss"] = lacking(
            few, way, keys, shared or set(), *args[:2], suffix_pair(behind or options["suffixes"])
        )
    return over_whole(function, *args, meta=few, **told)


def lacks_labels(way: str, options: dict[str, Any]) -> bool:
    """Whether rows of a join may have no label: where labels meet a key, those of keys that have none."""
    by_left, by_right = options.get("left_index", False), options.get("right_index", False)
    return by_left != by_right and way not in ("inner", "cross", "left" if by_right else "right")


def lacking(
    meta: Any, way: str, keys: set[Any], shared: set[Any], left: Any, right: Any, suffixes: tuple[str, str]
) -> list[bool]:
    """Which columns of a join may miss values that their side has: those of the side whose rows needn't be met."""
    ours, theirs = labels_of_sides(left.columns, right.columns, shared, suffixes)
    gaps = {"left": theirs, "right": ours}.get(way, ours | theirs) - keys
    return [label in gaps for label in meta.columns]


def with_types_of_sides(meta: Any, sides: list[Any], keys: set[Any]) -> Any:
    """The empty result of a join of samples, whose columns are of the types of the side that they are from.

    Where the keys of the samples don't meet, integers and truth values are missing there, which they needn't be.
    """
    import pandas as pd

    columns = {}
    for at, label in enumerate(meta.columns):
        column = meta.iloc[:, at]
        full = [side.iloc[:, at].dtype for side in sides if is_full(side.iloc[:, at].dtype)]
        kept = label in keys or is_full(column.dtype) or len(full) != 1
        columns[at] = column if kept else pd.Series([], meta.index, dtype=full[0])
    return pd.DataFrame(columns, index=meta.index).set_axis(meta.columns, axis=1)


def by_series(left: Any, right: Any, options: dict[str, Any]) -> Any:
    """pandas' merge by series: the result has columns for them, named by what the other side is met by, or `key_0`."""
    keys = [key for side in ("left_on", "right_on") for key in key_list(options[side]) if is_collection(key)]
    few = [sample_rows(value) for value in (left, right, *keys)]
    trial = lambda how: SeriesMerge({**options, "how": how})(*few)
    told = {"name": "merge", "behind": options["suffixes"], "missing_labels": lacks_labels(options["how"], options)}
    made = names_of_keys(keys) - {*left.columns, *right.columns}
    told["shared"] = shared_keys(options["left_on"], options["right_on"])
    return merged(trial, options["how"], made, SeriesMerge(options), left, right, *keys, **told)


class SeriesMerge:
    """A merge of pandas frames, by series that come behind them; it can be sent to a worker process."""

    def __init__(self, options: dict[str, Any]) -> None:
        sides = {side: options[side] for side in ("left_on", "right_on") if options[side] is not None}
        self.is_lazy = {side: [is_collection(key) for key in key_list(keys)] for side, keys in sides.items()}
        self.keys = {
            side: [None if is_collection(key) else key for key in key_list(keys)] for side, keys in sides.items()
        }
        self.options = {name: value for name, value in options.items() if name not in sides}

    def __call__(self, left: Any, right: Any, *series: Any) -> Any:
        """The merged rows."""
        rest = iter(series)
        told = {
            side: [next(rest) if lazy else key for key, lazy in zip(keys, self.is_lazy[side], strict=True)]
            for side, keys in self.keys.items()
        }
        if len({len(keys) for keys in told.values()}) == 1 < len(told):
            pairs = [series_of_one_unit(*pair) for pair in zip(*told.values(), strict=True)]
            told = dict(zip(told, map(list, zip(*pairs, strict=True)), strict=True))
        return left.merge(right, **self.options, **told)


def check_how(how: Any) -> None:
    """ValueError for no way to join."""
    if how not in METHODS and how not in ONE_SIDED:
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
    owner = right if options["left_index"] else left
    by_levels = any(is_level(owner, key) for key in keys)
    return how not in ("inner", keeps) or bool(names & set(other._expr.columns)) or by_levels


def merge_whole(left: Any, right: Any, **options: Any) -> Any:
    """A merge of pandas frames, whose keys that are times are brought to one unit."""
    left, right = with_keys_of_one_unit(left, right, options)
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


def join_suffixes(lsuffix: Any, rsuffix: Any, suffixes: Any) -> tuple[str, str]:
    """The two suffixes of `join`, given by one argument or by two, of which pandas says that they are deprecated."""
    if lsuffix is no_default and rsuffix is no_default:
        return ("", "") if suffixes is no_default else suffix_pair(suffixes)
    if suffixes is not no_default:
        raise ValueError("Cannot specify both 'suffixes' and 'lsuffix'/'rsuffix'.")
    warn_deprecated(
        "The 'lsuffix' and 'rsuffix' keywords in DataFrame.join are deprecated and will be removed in a future "
        "version. Use the 'suffixes' keyword instead."
    )
    return suffix_pair(tuple("" if one is no_default else one for one in (lsuffix, rsuffix)))


def suffix_pair(suffixes: Any) -> tuple[str, str]:
    """The two suffixes; TypeError or ValueError unless there are two."""
    if isinstance(suffixes, set | dict):
        raise TypeError(f"Passing 'suffixes' as a {type(suffixes)}, is not supported. Provide a tuple instead.")
    pair = tuple("" if suffix is None else suffix for suffix in suffixes)
    if len(pair) != 2:
        raise ValueError(f"suffixes must be a pair, not {suffixes!r}")
    return pair


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
    copy: Any = no_default,
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
        copy=copy,
        indicator=indicator,
        validate=validate,
        npartitions=npartitions,
        shuffle_method=shuffle_method,
        broadcast=broadcast,
    )
