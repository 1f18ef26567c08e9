"""Joins of frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.checks import deprecated_copy, no_default, warn_deprecated
from ..base.collection import as_column, is_collection, is_frame
from ..base.labels import decode, encode_label, is_plain
from ..base.meta import empty, empty_of, is_full, type_of
from ..base.mixin import Mixin
from ..base.pandas_methods import native_or, trial
from ..base.registry import wrap
from ..base.samples import sample_values
from ..base.tuning import tunable
from ..base.whole import has_rows, over_whole, sample_rows
from ..generic.alignment import Named
from ..generic.levels import level_count, level_names, refuse_ambiguous
from ..io.creation import from_pandas

#: How the names of the types begin that meet each other natively.
NUMBERS = ("int", "uint", "float")
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
        refuse_ambiguous_keys(self, [on, left_on])
        refuse_ambiguous_keys(right, [on, right_on])
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
    return merged(trial, options["how"], keys, merge_whole, left, right, name="merge", **options)


def merged(
    trial: Callable[[str], Any],
    way: str,
    keys: set[Any],
    function: Callable[..., Any],
    /,
    *args: Any,
    name: str,
    **options: Any,
) -> Any:
    """The whole rows of frames joined by a `function`; `trial` does it to samples, given the way to join, and `keys`
    are columns of the result with values of both sides."""
    told: dict[str, Any] = {"name": name, "exact": True, "may_miss": way not in ("inner", "cross"), **options}
    try:
        few = empty_of(trial(way))
        sides = [empty_of(trial(side)) for side in ("left", "right")] if told["may_miss"] else []
    except Exception:  # of samples, where it may work with the first rows
        return over_whole(function, *args, **told)
    if sides:
        few = with_types_of_sides(few, sides, keys)
        told["may_miss"] = lacking(few, way, keys, *args[:2])
    return over_whole(function, *args, meta=few, **told)


def lacking(meta: Any, way: str, keys: set[Any], left: Any, right: Any) -> list[bool]:
    """Which columns of a join may miss values that their side has: those of the side whose rows needn't be met.

    All of them where it can't be told which columns are those of which side: where keys have columns of their own.
    """
    own, other = (list(empty(side).columns) for side in (left, right))
    shared = keys & set(own) & set(other)
    if meta.shape[1] != len(own) + len(other) - len(shared):
        return [True] * meta.shape[1]
    of_left = [True] * len(own) + [False] * (meta.shape[1] - len(own))
    misses = {"left": [not one for one in of_left], "right": of_left}.get(way, [True] * meta.shape[1])
    return [one and label not in keys for one, label in zip(misses, meta.columns, strict=True)]


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


def with_like_keys(left: Any, right: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    """Samples of two frames to be joined, whose keys meet where their types allow that.

    Where the result has keys of both sides, one of categories and one of values differ: what they make depends on it.
    Objects of a key are of the kind of the other's values: pandas joins them with values of any type that they are of,
    which only the rows tell.
    """
    import pandas as pd

    both = options["how"] in ("right", "outer")
    few = [sample_rows(left), sample_rows(right)]
    for keys in zip(*keys_of_sides(*few, options), strict=False):
        values = [values_of_key(rows, key) for rows, key in zip(few, keys, strict=True)]
        if any(one is None for one in values) or values[0].dtype == values[1].dtype:
            continue
        own, other = values
        categories = any(isinstance(one.dtype, pd.CategoricalDtype) for one in values)
        if own.dtype == object:
            like = sample_values(other.dtype, 1) if categories and both else other
            few[0] = with_key_values(few[0], keys[0], list(like), object)
        elif other.dtype == object or not both:
            like = sample_values(own.dtype, 1) if categories and both else own
            few[1] = with_key_values(few[1], keys[1], list(like), other.dtype)
        elif categories:
            few[0] = with_key_values(few[0], keys[0], [*list(other)[:1], *list(own)[1:]], own.dtype)
    return few[0], few[1]


def keys_of_sides(left: Any, right: Any, options: dict[str, Any]) -> list[list[Any]]:
    """The keys of each side of a merge of pandas frames; None for row labels."""
    sides = []
    for side in ("left", "right"):
        named = options[f"{side}_on"] if options["on"] is None else options["on"]
        keys = key_list(named) if named is not None else [label for label in left.columns if label in right.columns]
        sides.append([None] if options[f"{side}_index"] else keys)
    return [[], []] if options["how"] == "cross" else sides


def values_of_key(rows: Any, key: Any) -> Any:
    """The values of a column of a pandas frame, or of its labels for None; None for keys of other kinds."""
    if key is None:
        return None if rows.index.nlevels > 1 else rows.index
    return rows[key] if not has_rows(key) and not is_collection(key) and key in rows.columns else None


def with_key_values(rows: Any, key: Any, values: list[Any], dtype: Any) -> Any:
    """A pandas frame with other values in a column, or as labels for None; as it is if they aren't of its type."""
    import pandas as pd

    try:
        found = pd.Series(values, dtype=dtype)
    except (TypeError, ValueError, NotImplementedError, ArithmeticError):
        return rows
    if found.isna().any():
        return rows
    if key is None:
        return rows.set_axis(pd.Index(found, dtype=dtype, name=rows.index.name), axis=0)
    rows = rows.copy()
    rows[key] = found.set_axis(rows.index)
    return rows


def refuse_ambiguous_keys(frame: Any, given: list[Any]) -> None:
    """ValueError for a key that is the name of a column and of a level of the row labels."""
    for key in (
        key for keys in given if not has_rows(keys) or isinstance(keys, list | tuple) for key in key_list(keys)
    ):
        if not is_collection(key) and not has_rows(key):
            refuse_ambiguous(frame, key)


def has_series_keys(options: dict[str, Any]) -> bool:
    """Whether a key is a lazy series, and not a name."""
    return any(is_collection(key) for side in ("left_on", "right_on") for key in key_list(options[side]))


def by_series(left: Any, right: Any, options: dict[str, Any]) -> Any:
    """pandas' merge by series: the result has columns for them, named by what the other side is met by, or `key_0`."""
    keys = [key for side in ("left_on", "right_on") for key in key_list(options[side]) if is_collection(key)]
    few = [sample_rows(value) for value in (left, right, *keys)]
    trial = lambda how: SeriesMerge({**options, "how": how})(*few)
    return merged(trial, options["how"], names_of_keys(keys), SeriesMerge(options), left, right, *keys, name="merge")


def names_of_keys(keys: list[Any]) -> set[Any]:
    """What columns of keys can be called that are made of series."""
    return {f"key_{at}" for at in range(len(keys))} | {key.name for key in keys}


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
        return left.merge(right, **self.options, **told)


def refuse_mixed(left: Any, right: Any, options: dict[str, Any]) -> None:
    """NotImplementedError where a column of keys takes those of the other side, and its type depends on the rows."""
    by_label, how = [options[name] for name in ("left_index", "right_index")], options["how"]
    if all(by_label) or how in ("inner", "cross") or level_count(left) > 1 or level_count(right) > 1:
        return
    takes = how in ("outer", "left" if by_label[0] else "right")
    for name, one, other in key_pairs(left, right, options) if takes else ():
        kinds = [type_of(one), type_of(other)]
        if any(map(is_whole_interval, kinds)) and all("interval" in str(kind) for kind in kinds):
            raise NotImplementedError(
                f"merge(how={how!r}) of {name!r}, which is {kinds[0]}: intervals of integers become those of floats "
                "where a key is on the other side alone; convert them with astype to intervals of floats first"
            )
        if any(by_label) and (one.dtype, one.codec, one.categories) != (other.dtype, other.codec, other.categories):
            kind = "of other categories" if one.dtype == other.dtype else f"of {other.dtype}"
            raise NotImplementedError(
                f"merge(how={how!r}) of {name!r}, which is {one.dtype}, and labels {kind}: the type of the result "
                "depends on the rows; bring both to one type with astype first"
            )


def key_pairs(left: Any, right: Any, options: dict[str, Any]) -> list[tuple[Any, Any, Any]]:
    """The columns of the result with the keys of both sides: their names, the expressions of their values, and those of
    what these are met by."""
    by_label = [options[name] for name in ("left_index", "right_index")]
    if options["on"] is not None and any(by_label):
        return []  # an error of pandas
    frames, keys = (left, right), keys_of_sides(left, right, options)
    sides = [[(key, key_expression(frame, key)) for key in own] for frame, own in zip(frames, keys, strict=True)]
    pairs = [(a, b) for a, b in zip(*sides, strict=False) if a[1] is not None and b[1] is not None]
    pairs = [(b, a) if options["left_index"] else (a, b) for a, b in pairs]
    return [(name, one, other) for (name, one), (met, other) in pairs if any(by_label) or name == met]


def key_expression(frame: Any, key: Any) -> Any:
    """The expression of a column by its name, or of the labels for None; None for what is no name of a column."""
    if key is None:
        return frame._expr.index() if level_count(frame) == 1 else None
    if is_collection(key) or has_rows(key) or encode_label(key) not in frame._expr.columns:
        return None
    return frame._expr.column(encode_label(key))


def is_whole_interval(dtype: Any) -> bool:
    """Whether a type is of intervals of integers."""
    import pandas as pd

    return isinstance(dtype, pd.IntervalDtype) and dtype.subtype is not None and dtype.subtype.kind in "iu"


def alike(one: Any, other: Any, how: str) -> bool:
    """Whether keys of two columns meet natively as they do in pandas, and the result has the same types."""
    if one.codec is not None or other.codec is not None or one.dtype == other.dtype:
        return bool(one.codec == other.codec)
    import numpy as np

    if how in ("right", "outer") or not all(key.dtype.startswith(NUMBERS) for key in (one, other)):
        return False
    kinds = {np.dtype(key.dtype).kind for key in (one, other)}
    return np.result_type(one.dtype, other.dtype).kind in kinds


def is_sorted_alike(key: Any) -> bool:
    """Whether the rows of an outer join by such a key are natively in the order that pandas puts them in.

    It has missing times and missing categories before all others, and other missing values behind them.
    """
    return not key.dtype.startswith(("datetime", "timedelta", "category"))


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
    check_count(left_keys or [left._expr.index()], right_keys or [right._expr.index()])
    return left_keys, right_keys


def key_list(keys: Any) -> list[Any]:
    """Keys of a join as a list; a tuple of them is one too."""
    return list(keys) if isinstance(keys, list | tuple) else [keys]


def key_of(frame: Any, key: Any) -> Any:
    """The expression of a key: a column by its name, or a series of the same rows."""
    return as_column(key) if is_collection(key) else frame._expr.column(encode_label(key))


def check_count(left: list[Any], right: list[Any]) -> None:
    """ValueError where there are not as many keys on both sides."""
    if len(left) != len(right):
        raise merge_error(f"len(left_on) must equal len(right_on): {len(left)} keys and {len(right)}")


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
    keys = {"on": on, "left_on": left_on, "right_on": right_on, "left_index": left_index, "right_index": right_index}
    others = {"by": by, "left_by": left_by, "right_by": right_by, "suffixes": suffixes, "tolerance": tolerance}
    how = {"allow_exact_matches": allow_exact_matches, "direction": direction}
    left, right = as_lazy(left), as_lazy(right)
    trial(nearest, (left, right), {**keys, **others, **how})
    # Whether a row has a match only the rows tell: the types are those where each has one, and values may be missing.
    matched = {**keys, **others, **how, "allow_exact_matches": True, "tolerance": None}
    meta = trial(nearest, (left, right), matched)
    return over_whole(nearest, left, right, name="merge_asof", meta=meta, may_miss=True, **keys, **others, **how)


def nearest(left: Any, right: Any, **options: Any) -> Any:
    """`pandas.merge_asof`."""
    import pandas as pd

    return pd.merge_asof(left, right, **options)
