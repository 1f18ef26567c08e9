"""The keys that rows are grouped by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.arguments import as_list
from ..base.collection import as_column, is_collection, is_frame
from ..base.labels import encode_label
from ..base.pandas_methods import given, trial
from ..base.partitionwise import over_all
from ..generic.levels import refuse_ambiguous


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
        refuse_unknown(self.by)
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

    def _keys(self) -> list[Any] | None:
        """The expression of each key; None where pandas alone knows the groups."""
        names = self.frame._expr.index_names
        if self.level is not None:
            return [self._index()] if self.by == [] and self._is_the_index(self.level) else None
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
        if name not in self.frame._expr.columns and name in names:
            return self._index() if len(names) == 1 else None
        return self.frame._expr.column(name)

    def _is_the_index(self, level: Any) -> bool:
        names = self.frame._expr.index_names
        level = level[0] if isinstance(level, list | tuple) and len(level) == 1 else level
        return len(names) == 1 and (level in (0, -1) if isinstance(level, int) else level == names[0])

    def _index(self) -> Any:
        index = self.frame._expr.index()
        return index.to_series().rename(index.name)

    def _key_columns(self) -> set[str]:
        """The columns of the frame that are keys themselves, which are no values then."""
        columns = set(self.frame._expr.columns)
        mine = set()
        for one, key in zip(self.by, self.keys or [None] * len(self.by), strict=False):
            if is_of_pandas(one):
                if getattr(one, "key", None) is not None:  # pandas.Grouper
                    mine.add(encode_label(one.key))
            elif not is_collection(one):
                mine |= {encode_label(one)} & columns
            elif key is not None and key.name in columns and self.frame._expr.column(key.name).key == key.key:
                mine.add(key.name)
        return mine

    @property
    def values(self) -> list[str]:
        """The columns that are no keys."""
        return [name for name in self.frame._expr.columns if name not in self.key_columns]

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
        **options: Any,
    ) -> Any:
        """`function` of the pandas group-by of all rows, gathered.

        `chosen` are the columns that are looked at. Errors of the trial call on a sample are pandas' own, unless the
        function is the user's (`own_function`): then they say that `meta` would help.
        """
        call = GroupedCall(function, self, chosen)
        everything = (self.rows, *(key for key in self.by if is_collection(key)), *args)
        options = given(options)
        if meta is None and not own_function:
            meta = trial(call, everything, options)
        return over_all(call, *everything, name=name, meta=meta, **options)


class GroupedCall:
    """A function of the group-by of a partition, which comes with the keys that are lazy."""

    def __init__(self, function: Callable[..., Any], grouping: Grouping, chosen: Any) -> None:
        self.function = function
        self.chosen = chosen
        self.options = {**grouping.options, "level": grouping.level}
        self.is_lazy = [is_collection(key) for key in grouping.by]
        self.by = [None if lazy else key for key, lazy in zip(grouping.by, self.is_lazy, strict=True)]
        self.is_list = grouping.is_list

    def __call__(self, rows: Any, *args: Any, **options: Any) -> Any:
        """The function of the grouped rows."""
        rest = iter(args)
        by = [next(rest) if lazy else key for key, lazy in zip(self.by, self.is_lazy, strict=True)]
        keys = None if not by else by if self.is_list else by[0]
        grouped = rows.groupby(keys, **self.options)
        if self.chosen is not None and rows.ndim == 2:
            grouped = grouped[self.chosen]
        return self.function(grouped, *rest, **options)


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
