"""Methods of frames that choose, order and label rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..base.arguments import as_list, check_na_position
from ..base.collection import as_column, is_collection
from ..base.labels import encode, encode_label
from ..base.meta import empty
from ..base.partitionwise import over_partitions
from ..generic.elementwise import Elementwise
from ..generic.partitioned import Partitioned
from ..groupby.groupby import DataFrameGroupBy
from ..groupby.grouping import Grouping
from ..indexing.loc import FrameIloc, FrameLoc
from .query import NoNativeForm, locals_of_caller, native_mask


class FrameRows(Partitioned, Elementwise):
    """The part of `DataFrame` about rows."""

    __slots__ = ()

    @property
    def loc(self) -> Any:
        """Rows by label and columns by name: `df.loc[2:5, ["x"]]`, `df.loc[df.x > 1, "y"]`.

        Labels are looked for in the whole frame; a slice takes the rows whose label lies between its ends, both
        included, wherever they stand. A label that is nowhere gives no rows instead of a KeyError, which only a
        computation could tell.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"x": range(5)}), npartitions=2)
        >>> df.loc[1:3, "x"].compute().tolist()
        [1, 2, 3]
        """
        return FrameLoc(self)

    @property
    def iloc(self) -> Any:
        """Columns by position: `df.iloc[:, 2]`, `df.iloc[:, [0, 1]]`. Rows have no positions in a lazy frame."""
        return FrameIloc(self)

    def query(self, expr: str, **kwargs: Any) -> Any:
        """The rows where an expression in text is true: `df.query("x > 1 and s == 'a'")`; `@name` is a local variable.

        Comparisons, arithmetic, `and`, `or`, `not` and `in` run natively, everything else in pandas for each
        partition.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"x": [1, 2, 3]}), npartitions=2)
        >>> df.query("x > 1").compute()["x"].tolist()
        [2, 3]
        """
        names = {**locals_of_caller(expr, 2), **kwargs.pop("local_dict", {})}
        try:
            return self[native_mask(self, expr, names)]
        except NoNativeForm:
            call = lambda part: part.query(expr, local_dict=names, **kwargs)
            call(empty(self))
            return over_partitions(call, (self,), {}, name="query", meta=empty(self))

    def dropna(self, how: Any = None, subset: Any = None, thresh: int | None = None, axis: Any = 0) -> Any:
        """The rows where no value is missing (`how="all"`: where some value is there; `thresh`: where so many are)."""
        if axis not in (0, "index"):
            raise NotImplementedError("dropna drops rows; which columns have missing values only computing can tell")
        if how is not None and thresh is not None:
            raise TypeError("You cannot set both the how and thresh arguments at the same time.")
        if how not in (None, "any", "all"):
            raise ValueError(f"invalid how option: {how}; it is 'any' or 'all'")
        names = None if subset is None else encode(as_list(subset))
        return self._framed(lambda frame: frame.dropna(names, how or "any", thresh))

    def drop_duplicates(
        self, subset: Any = None, keep: Any = "first", ignore_index: bool = False, **kwargs: Any
    ) -> Any:
        """The first (or last, or, with `keep=False`, the only) row of those that are equal in `subset`."""
        if keep not in ("first", "last", False):
            raise ValueError(f'keep must be either "first", "last" or False, not {keep!r}')
        names = None if subset is None else encode(as_list(subset))
        return self._framed(lambda frame: frame.unique(names, "none" if keep is False else keep, ignore_index))

    def nlargest(self, n: int = 5, columns: Any = None, **kwargs: Any) -> Any:
        """The `n` rows with the greatest values in `columns`, greatest first."""
        return self._top(n, columns, True)

    def nsmallest(self, n: int = 5, columns: Any = None, **kwargs: Any) -> Any:
        """The `n` rows with the least values in `columns`, least first."""
        return self._top(n, columns, False)

    def _top(self, n: int, columns: Any, largest: bool) -> Any:
        if columns is None:
            raise TypeError("nlargest and nsmallest need columns=, by which the rows are compared")
        by = [self._expr.column(encode_label(name)) for name in as_list(columns)]
        for column in by:
            if not column.dtype.startswith(
                ("int", "uint", "float", "Int", "UInt", "Float", "bool", "datetime", "timedelta")
            ):
                raise TypeError(
                    f"Column {column.name!r} has dtype {column.dtype}, cannot use method 'nlargest' with this dtype"
                )
        return self._framed(lambda frame: frame.topk(int(n), by, largest))

    def sort_values(
        self,
        by: Any,
        ascending: Any = True,
        na_position: str = "last",
        ignore_index: bool = False,
        npartitions: Any = None,
        **kwargs: Any,
    ) -> Any:
        """The rows in the order of one or several columns; equal rows keep their order.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"x": [2, 3, 1]}), npartitions=2)
        >>> df.sort_values("x", ascending=False).compute()["x"].tolist()
        [3, 2, 1]
        """
        check_na_position(na_position)
        names = as_list(by)
        directions = as_list(ascending) if isinstance(ascending, list | tuple) else [ascending] * len(names)
        if len(directions) != len(names):
            raise ValueError(f"Length of ascending ({len(directions)}) != length of by ({len(names)})")
        columns = [self._expr.column(encode_label(name)) for name in names]
        return self._framed(
            lambda frame: frame.sort(columns, [bool(one) for one in directions], na_position, ignore_index)
        )

    def sort_index(self, ascending: bool = True, na_position: str = "last", ignore_index: bool = False) -> Any:
        """The rows in the order of their labels; equal labels keep their order."""
        check_na_position(na_position)
        return self._framed(lambda frame: frame.sort([frame.index()], [bool(ascending)], na_position, ignore_index))

    def set_index(
        self,
        other: Any,
        drop: bool = True,
        sorted: bool = False,
        sort: bool = True,
        append: bool = False,
        **kwargs: Any,
    ) -> Any:
        """A column (or a series of the same rows) as the index; the rows are put in its order.

        `sorted=True` says that they are already; `sort=False` leaves them as they are. A list of names makes an index
        of several levels.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"k": [2, 1], "x": [10, 20]}), npartitions=1)
        >>> df.set_index("k").compute()["x"].to_dict()
        {1: 20, 2: 10}
        """
        keys = other if isinstance(other, list) else [other]
        frame = self._expr
        if sort and not sorted and not append:
            frame = frame.sort([self._key(key) for key in keys], [True] * len(keys))
            if any(is_collection(key) for key in keys):
                return self._indexed_then_sorted(keys)
        for at, key in enumerate(keys):
            column = as_column(key) if is_collection(key) else frame.column(encode_label(key))
            frame = frame.set_index(column, drop and not is_collection(key), append or at > 0)
        return self._framed(lambda _: frame)

    def _key(self, key: Any) -> Any:
        return as_column(key) if is_collection(key) else self._expr.column(encode_label(key))

    def _indexed_then_sorted(self, keys: list[Any]) -> Any:
        """An index of a series that is no column of the frame: set it, then sort by it."""
        if len(keys) != 1:
            raise NotImplementedError("set_index by several series: assign them as columns first and give their names")
        return self._framed(lambda frame: frame.set_index(self._key(keys[0]), False)).sort_index()

    def reset_index(self, drop: bool = False, names: Any = None, **kwargs: Any) -> Any:
        """The rows numbered from 0; the old index becomes the first column unless `drop`."""
        labels = None if names is None else encode(as_list(names))
        return self._framed(lambda frame: frame.reset_index(drop, labels))

    def iterrows(self) -> Iterator[tuple[Any, Any]]:
        """Pairs of index label and row (a pandas series), computed a partition at a time."""
        for part in self._parts():
            yield from part.iterrows()

    def itertuples(self, index: bool = True, name: str | None = "Pandas") -> Iterator[Any]:
        """The rows as named tuples, computed a partition at a time."""
        for part in self._parts():
            yield from part.itertuples(index=index, name=name)

    def groupby(
        self,
        by: Any = None,
        level: Any = None,
        *,
        as_index: bool = True,
        sort: bool | None = True,
        group_keys: bool = True,
        observed: bool | None = True,
        dropna: bool | None = True,
    ) -> DataFrameGroupBy:
        """The rows by groups of equal keys.

        Parameters
        ----------
        by : label, series, function, dict, Grouper, or a list of them
            Columns or levels of the index by name, lazy series of the same rows, or functions, dictionaries and pandas
            series of row labels, for which rows are gathered, in pandas.
        level : int or name, optional
            A level of the index instead.
        as_index : bool, default True
            Whether keys are the index of aggregates, or else columns.
        sort : bool, default True
            Whether groups are in the order of their keys, or else in that of their first rows.
        group_keys : bool, default True
            Whether `apply` puts the keys before its own labels.
        observed : bool, default True
            Whether categories without rows are left out; if not, rows are gathered, in pandas.
        dropna : bool, default True
            Whether rows with a missing key are left out.

        Returns
        -------
        DataFrameGroupBy
            The groups, which have the aggregations as methods.

        Raises
        ------
        KeyError
            For an unknown column.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"k": ["b", "a", "b"], "x": [1, 2, 3]}), npartitions=2)
        >>> df.groupby("k").agg(total=("x", "sum"), rows=("x", "size")).compute()["total"].to_dict()
        {'a': 2, 'b': 4}
        """
        options = {"as_index": as_index, "sort": sort, "group_keys": group_keys, "observed": observed}
        return DataFrameGroupBy(Grouping(self, by, level, dropna=dropna, **options))

    def shuffle(self, on: Any = None, **kwargs: Any) -> Any:
        """The same rows: partitions are not tied to keys here, and work that needs it moves rows by itself."""
        if on is not None:
            for name in as_list(on):
                self._key(name)
        return self.copy()
