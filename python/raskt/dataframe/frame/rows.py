"""Methods of frames that choose, order and label rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..base.arguments import as_list, check_na_position, no_default, without_effect
from ..base.collection import as_column, is_collection
from ..base.labels import encode, encode_label
from ..base.meta import empty
from ..base.partitionwise import over_all, over_partitions
from ..base.registry import wrap
from ..generic.elementwise import Elementwise
from ..generic.partitioned import Partitioned
from ..groupby.groupby import DataFrameGroupBy
from ..groupby.grouping import Grouping
from ..indexing.loc import FrameIloc, FrameLoc
from .index_columns import indexed, partitioned, reset, without_repeats
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

    def set_index(
        self,
        keys: Any,
        drop: bool = True,
        append: bool = False,
        inplace: Any = no_default,
        verify_integrity: Any = no_default,
        *,
        sorted: bool = False,
        npartitions: int | str | None = None,
        divisions: Any = None,
        sort: bool = True,
        shuffle_method: Any = None,
        upsample: float = 1.0,
        partition_size: float = 128e6,
        **options: Any,
    ) -> Any:
        """Columns (or series) as the index; the rows are put in its order.

        Parameters
        ----------
        keys : label, series, or list of them
            Names of columns, lazy series or pandas data of as many rows; several make an index of several levels.
        drop : bool, default True
            Whether the columns are columns no more.
        append : bool, default False
            Whether the levels come after those that there are; rows stay where they are then.
        inplace : bool, default False
            Whether to change this frame and give None.
        verify_integrity : bool, default False
            Whether two rows with equal labels are an error, when it is computed.
        sorted : bool, default False
            Whether the rows are in the order of `keys` already. The column is computed to know the divisions, unless
            `divisions` gives them.
        npartitions : int or "auto", optional
            How many partitions the result has; as many as before by default.
        divisions : sequence of labels, optional
            The labels at which partitions begin, and the last one. A row outside of them is an error, when it is
            computed.
        sort : bool, default True
            Whether the rows are put in order; without, they stay where they are, as in pandas.
        shuffle_method, upsample, partition_size : object
            Ways of Dask to exchange rows, without effect here.

        Returns
        -------
        DataFrame
            The rows under their new labels.

        Raises
        ------
        KeyError
            For an unknown column.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"k": [2, 1], "x": [10, 20]}), npartitions=1)
        >>> df.set_index("k").compute()["x"].to_dict()
        {1: 20, 2: 10}
        >>> df.set_index("k", divisions=[1, 2, 3]).divisions
        (1, 2, 3)
        """
        if options:
            raise TypeError(f"set_index() got an unexpected keyword argument {next(iter(options))!r}")
        without_effect(shuffle_method, upsample, partition_size)
        found = indexed(self, keys, drop=drop, append=append, sort=sort and not sorted and not append)
        if verify_integrity is True:
            found = over_all(without_repeats, found, name="verify_integrity", meta=empty(found))
        found = partitioned(found, sorted=sorted, npartitions=npartitions, divisions=divisions)
        return self._put(found) if inplace is True else found

    def _key(self, key: Any) -> Any:
        return as_column(key) if is_collection(key) else self._expr.column(encode_label(key))

    def reset_index(
        self,
        level: Any = None,
        *,
        drop: bool = False,
        inplace: Any = no_default,
        col_level: Any = 0,
        col_fill: Any = "",
        allow_duplicates: Any = no_default,
        names: Any = None,
    ) -> Any:
        """Levels of the index as the first columns, and rows numbered from 0 if no level is left.

        Parameters
        ----------
        level : int, label or list of them, optional
            The levels; all of them by default.
        drop : bool, default False
            Whether they are no columns either.
        inplace : bool, default False
            Whether to change this frame and give None.
        col_level, col_fill : object
            Where labels of columns have several levels, the one that has the names, and what the others have.
        allow_duplicates : bool, optional
            Two columns of one name are not supported.
        names : label or list of them, optional
            The names of the new columns.

        Returns
        -------
        DataFrame
            The same rows, numbered through all partitions.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"x": [1, 2]}, index=pd.Index([5, 6], name="k")), npartitions=1)
        >>> df.reset_index().compute().values.tolist()
        [[5, 1], [6, 2]]
        """
        if allow_duplicates is True:
            raise NotImplementedError("allow_duplicates=True: two columns cannot have one name yet")
        found = wrap(reset(self, level, drop, col_level, col_fill, names))
        return self._put(found) if inplace is True else found

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
