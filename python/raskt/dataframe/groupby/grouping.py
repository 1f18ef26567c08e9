"""The keys that rows are grouped by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.arguments import as_list
from ..base.array_arguments import is_lazy_array
from ..base.collection import as_column, is_collection, is_column, is_frame
from ..base.labels import decode_label, encode_label
from ..base.lazy_arrays import GROUPER, column_beside
from ..base.meta import NoRows, normalise
from ..base.pandas_methods import Method, given, trial
from ..base.partitionwise import WithNames, over_all
from ..base.storage import storage_for
from ..base.whole import is_foreign, over_whole
from ..generic.levels import level_names, refuse_ambiguous

#: Aggregations that count, in types of the column's family.
COUNTS = ("count", "size")


class Grouping:
    """The rows, the keys they are grouped by, and how.

    `keys` has the expression of each key, or is None where only pandas knows the groups: functions and dictionaries of
    labels, pandas objects, `pandas.Grouper`, levels of several.
    """

    def __init__(
        self,
        rows: Any,
        by: Any = None,
        level: Any = None,
        *,
        as_index: bool = True,
        sort: bool | None = True,
        group_keys: bool = True,
        observed: bool | None = True,
        dropna: bool | None = True,
    ) -> None:
        if by is None and level is None:
            raise TypeError("You have to supply one of 'by' and 'level'")
        self.rows = rows
        self.frame = rows if is_frame(rows) else rows.to_frame()
        self.by = as_list(by) if by is not None else []
        self.level = level
        if not self.by and level is None:
            raise ValueError("No group keys passed!")
        self.by = [beside_rows(rows, key) for key in self.by]
        refuse_unknown(self.by)
        self.by = [met(rows, key) for key in self.by]
        self.is_list = isinstance(by, list)
        # None is Dask's default, and means pandas'.
        self.sort = sort is None or bool(sort)
        self.dropna = dropna is None or bool(dropna)
        self.observed = observed is None or bool(observed)
        self.as_index, self.group_keys = bool(as_index), bool(group_keys)
        if not self.as_index and not is_frame(rows):
            raise TypeError("as_index=False only valid with DataFrame")
        self.keys = self._keys()
        self.key_columns = self._key_columns()
        self.told = [self._told(key) for key in self.by]
        if self.keys is not None and len(self.keys) == 1 and not self.as_index and self.keys[0].name is None:
            self.keys = [self.keys[0].rename("index")]

    def _told(self, key: Any) -> Any:
        """A key as pandas is told of it: a series that is a column of the frame by its name."""
        if not is_collection(key) or not is_frame(self.rows) or key._plan.name not in self.key_columns:
            return key
        return decode_label(key._plan.name)

    def _keys(self) -> list[Any] | None:
        """The expression of each key; None where pandas alone knows the groups."""
        names = self.frame._plan.index_names
        if self.level is not None:
            keys = [self._index() if self.by == [] and self._is_the_index(self.level) else None]
        else:
            keys = [self._key(one, names) for one in self.by]
        if any(key is None for key in keys):
            return None
        unobserved = not self.observed and any(key.dtype == "category" for key in keys)
        return None if unobserved else keys

    def _key(self, one: Any, names: list[str | None]) -> Any:
        if is_collection(one):
            return as_column(one)
        if is_of_pandas(one):
            return None
        name = encode_label(one)
        refuse_ambiguous(self.frame, one)
        if name not in self.frame._plan.columns and name in names:
            return self._index() if len(names) == 1 else None
        return self.frame._plan_of([name]).column(name)

    def _is_the_index(self, level: Any) -> bool:
        names = level_names(self.frame)
        level = level[0] if isinstance(level, list | tuple) and len(level) == 1 else level
        return len(names) == 1 and (level in (0, -1) if isinstance(level, int) else level == names[0])

    def _index(self) -> Any:
        index = self.frame._plan.index()
        return index.to_series().rename(index.name)

    def _key_columns(self) -> set[str]:
        """The columns of the frame that are keys themselves, which are no values then."""
        columns = set(self.frame._plan.columns)
        mine = set()
        for one in self.by:
            if is_of_pandas(one):
                if getattr(one, "key", None) is not None:  # pandas.Grouper
                    mine.add(encode_label(one.key))
            elif not is_collection(one):
                mine |= {encode_label(one)} & columns
            elif is_column(one):
                key = as_column(one)
                if key.name in columns and self.frame._plan_of([key.name]).column(key.name).key == key.key:
                    mine.add(key.name)
        return mine

    @property
    def values(self) -> list[str]:
        """The columns that are no keys."""
        return [name for name in self.frame._plan.columns if name not in self.key_columns]

    @property
    def options(self) -> dict[str, Any]:
        """The options for pandas."""
        return {
            "as_index": self.as_index,
            "sort": self.sort,
            "group_keys": self.group_keys,
            "observed": self.observed,
            "dropna": self.dropna,
        }

    def over_all(
        self,
        function: Callable[..., Any],
        name: str,
        /,
        *args: Any,
        chosen: Any = None,
        meta: Any = None,
        own_function: bool = False,
        same_rows: bool = False,
        named: dict[str, Any] | None = None,
        **options: Any,
    ) -> Any:
        """`function` of the pandas group-by of all rows, gathered.

        It gets `options`, and those that users have `named`, whatever these are called. `chosen` are the columns that
        are looked at. With `same_rows`, it gives a row for each row, and the result mixes with those. Errors of the
        trial call on a sample are pandas' own, unless the function is the user's (`own_function`): then they say that
        `meta` would help.
        """
        grouped = (OwnGroupedCall if own_function else GroupedCall)(function, self, chosen)
        options = given(options | (named or {}))
        call = WithNames(grouped, list(options))
        everything = (self.rows, *(key for key in self.told if is_collection(key)), *args, *options.values())
        if meta is not None and own_function:
            meta = normalise(meta)
            if is_numbered(meta):
                meta = meta.set_axis(self._labels(call, grouped, everything)[:0], axis=0)
        if same_rows and not self._puts_in_order():
            return over_whole(call, *everything, name=name, meta=meta, same_rows=True)
        return over_all(call, *everything, name=name, meta=meta, plainly=not own_function)

    def _puts_in_order(self) -> bool:
        """Whether pandas puts the rows in the order of the key first, as it does for one `Grouper` of times."""
        return len(self.by) == 1 and not is_collection(self.by[0]) and getattr(self.by[0], "freq", None) is not None

    def _labels(self, call: WithNames, grouped: GroupedCall, everything: tuple[Any, ...]) -> Any:
        """The row labels of what a user's function gives, of whose types alone the user has told: those of a trial;
        the keys where it fails.
        """
        try:
            return trial(call, everything, {}).index
        except Exception:
            keys = everything[: 1 + sum(grouped.is_lazy)]
            return trial(GroupedCall(Method("size"), self, None), keys, {}).index


class GroupedCall:
    """A function of the group-by of a partition, which comes with the keys that are lazy."""

    def __init__(self, function: Callable[..., Any], grouping: Grouping, chosen: Any) -> None:
        self.function = function
        self.chosen = chosen
        self.options = {**grouping.options, "level": grouping.level}
        self.is_lazy = [is_collection(key) for key in grouping.told]
        self.by = [None if lazy else key for key, lazy in zip(grouping.told, self.is_lazy, strict=True)]
        self.is_list = grouping.is_list

    def __call__(self, rows: Any, /, *args: Any, **options: Any) -> Any:
        """The function of the grouped rows."""
        keys = sum(self.is_lazy)
        return self.function(self.grouped(rows, *args[:keys]), *args[keys:], **options)

    def grouped(self, rows: Any, *lazy: Any) -> Any:
        """The rows in groups, by keys among which are the `lazy` ones."""
        rest = iter(lazy)
        by = [next(rest) if told_lazy else key for key, told_lazy in zip(self.by, self.is_lazy, strict=True)]
        keys = None if not by else by if self.is_list else by[0]
        grouped = rows.groupby(keys, **self.options)
        return grouped if self.chosen is None or rows.ndim == 1 else grouped[self.chosen]


class OwnGroupedCall(GroupedCall):
    """The same for a function of the user's own, of which groups of one row may tell little."""

    def tried(self, *args: Any, **options: Any) -> Any:
        """The result for a few rows: for each of them twice where it fails, or gives missing values alone, for one.

        NoRows if they are too few to tell: none of them is in a group, or one alone, whose series becomes a row.
        """
        several = 1 + sum(self.is_lazy)
        groups = self.grouped(*args[:several]).ngroups if len(args[0]) else 0
        found = self._tried(several, *args, **options)
        if len(args[0]) and (groups == 0 or groups == 1 and is_laid_out(found, args[0])):
            raise NoRows
        return found

    def _tried(self, several: int, *args: Any, **options: Any) -> Any:
        """The result for a few rows, of which `several` arguments are made, or for each of them twice."""
        pairs = (*map(in_pairs, args[:several]), *args[several:])
        try:
            found = self(*args, **options)
        except Exception:
            try:
                return self(*pairs, **options)
            except Exception:
                pass
            raise
        if not says_nothing(found):
            return found
        try:
            return self(*pairs, **options)
        except Exception:  # which is the pairs' fault
            return found


def is_laid_out(found: Any, rows: Any) -> bool:
    """Whether a result is a series of one group of some rows, which pandas lays out as a row of a frame."""
    return getattr(found, "ndim", 0) == 2 and len(found) == 1 and bool(found.columns.isin(rows.index).all())


def in_pairs(rows: Any) -> Any:
    """Each row twice."""
    return rows.take([at // 2 for at in range(2 * len(rows))])


def says_nothing(found: Any) -> bool:
    """Whether a column of a result has missing values alone."""
    import pandas as pd

    if not isinstance(found, pd.DataFrame | pd.Series):
        return False
    missing = found.isna().all()
    return bool(len(found)) and bool(missing if found.ndim == 1 else missing.any())


def beside_rows(rows: Any, key: Any) -> Any:
    """A key that is a lazy array as a series of the same rows, without a name."""
    if not is_lazy_array(key):
        return key
    if key.ndim != 1:
        raise ValueError(f"Grouper for an array of shape {key.shape} not 1-dimensional")
    return column_beside(rows, key, GROUPER)


def met(rows: Any, key: Any) -> Any:
    """A key with the rows that are grouped: a lazy series of others gives each row the value of its label."""
    if not is_collection(key) or is_frame(key) or not is_foreign(rows, key):
        return key
    return over_whole(reindexed, rows.index, key, name="align", same_rows=True, may_miss=True)


def reindexed(labels: Any, key: Any) -> Any:
    """The values of a series for labels, missing for those that it hasn't."""
    return key.reindex(labels)


def is_numbered(meta: Any) -> bool:
    """Whether a meta has the row labels that pandas gives where nobody gives any."""
    import pandas as pd

    return isinstance(meta.index, pd.RangeIndex) and meta.index.name is None


def is_of_pandas(key: Any) -> bool:
    """Whether a key is one that pandas alone understands: a function, a dictionary, a Series, a Grouper."""
    if is_collection(key) or isinstance(key, str | tuple):
        return False
    return callable(key) or isinstance(key, dict) or hasattr(key, "freq") or hasattr(key, "index")


def refuse_unknown(by: list[Any]) -> None:
    """NotImplementedError for keys without labels, of which nobody knows where they belong; TypeError for frames."""
    for key in by:
        if is_frame(key):
            raise TypeError("groupby takes columns, not a frame: name the columns, or give them as a list of series")
        is_array = hasattr(key, "dtype") and not is_collection(key) and not hasattr(key, "index")
        if (is_array and getattr(key, "ndim", 0)) or isinstance(key, list | set):
            raise NotImplementedError(
                f"groupby by {type(key).__name__}: its values have no labels by which to meet the rows; give a column "
                "name, a series of the same rows, or a pandas Series with the labels of the rows"
            )


def is_nullable(column: Any) -> bool:
    """Whether a column is of pandas' nullable types or of Arrow's."""
    storage = storage_for(column.codec)
    return storage is not None and storage.family in ("nullable", "arrow")
