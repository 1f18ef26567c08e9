"""Methods of frames that choose, order and label rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..base.arguments import as_list
from ..base.checks import check_frame_axis, no_default, without_effect
from ..base.collection import as_column, is_collection
from ..base.labels import encode, encode_label
from ..base.meta import empty
from ..base.pandas_methods import Method, by_partition, gathered, given, native_or, trial
from ..base.partitionwise import over_all
from ..base.registry import wrap
from ..base.tuning import tunable
from ..base.whole import over_whole
from ..generic.elementwise import Elementwise, is_never_missing, is_number
from ..generic.levels import refuse_ambiguous, refuse_columns
from ..generic.ordering import check_keep, check_order, sorted_by_labels
from ..generic.partitioned import Partitioned, whole_number
from ..groupby.groupby import DataFrameGroupBy
from ..groupby.grouping import Grouping
from ..indexing.loc import FrameIloc, FrameLoc
from .index_columns import indexed, partitioned, reset, without_repeats
from .query import NoNativeForm, goes_by_row, locals_of_caller, native_mask


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

    def query(
        self,
        expr: str,
        *,
        parser: str = "pandas",
        engine: str | None = None,
        local_dict: dict[str, Any] | None = None,
        global_dict: dict[str, Any] | None = None,
        resolvers: Any = None,
        level: int = 0,
        inplace: Any = no_default,
    ) -> Any:
        """The rows where an expression in text is true: `df.query("x > 1 and s == 'a'")`; `@name` is a local variable.

        Comparisons, arithmetic, `and`, `or`, `not` and `in` run natively, everything else in pandas: for each
        partition, or gathered where it looks at other rows, as `x > x.mean()` does.

        Parameters
        ----------
        expr : str
            The condition, in the language of `pandas.DataFrame.query`.
        parser, engine : str, optional
            pandas' parsers and engines; all but the first run in pandas.
        local_dict, global_dict : dict, optional
            Variables, instead of those of the caller.
        resolvers : list, optional
            Where pandas looks for names first.
        level : int, default 0
            How many callers further up variables are looked for.
        inplace : bool, default False
            Whether this frame changes, so that None is given back.

        Returns
        -------
        DataFrame
            In as many partitions.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"x": [1, 2, 3]}), npartitions=2)
        >>> df.query("x > 1").compute()["x"].tolist()
        [2, 3]
        """
        if not isinstance(expr, str):
            raise ValueError(f"expr must be a string to be evaluated, {type(expr)} given")
        found = {} if local_dict is not None else locals_of_caller(expr, 2 + level)
        names = {**(global_dict or {}), **found, **(local_dict or {})}
        try:
            if parser != "pandas" or engine not in (None, "numexpr", "python") or resolvers is not None:
                raise NoNativeForm(expr)
            return self._in_place(self[native_mask(self, expr, names)], inplace)
        except NoNativeForm:
            options = {"parser": parser, "engine": engine, "resolvers": resolvers} if resolvers else {"parser": parser}
            options = {"local_dict": names, **options, **({"engine": engine} if engine else {})}
            run = by_partition if goes_by_row(expr, names) else gathered
            return self._in_place(run("query", self, expr, **options), inplace)

    def dropna(
        self,
        *,
        axis: Any = 0,
        how: Any = no_default,
        thresh: Any = no_default,
        subset: Any = None,
        inplace: Any = no_default,
        ignore_index: bool = False,
    ) -> Any:
        """The rows where no value is missing.

        Parameters
        ----------
        axis : {0}
            Columns are not dropped: which of them have missing values only computing can tell.
        how : {"any", "all"}
            Whether one missing value is enough, or all have to be missing, for a row to go.
        thresh : int, optional
            How many values have to be there for a row to stay, instead of `how`.
        subset : label or list of labels, optional
            The columns that are looked at.
        inplace : bool, default False
            Whether this frame changes, so that None is given back.
        ignore_index : bool, default False
            Whether rows are numbered anew.

        Returns
        -------
        DataFrame
            In as many partitions.
        """
        check_frame_axis(axis)
        if axis in (1, "columns"):
            raise NotImplementedError("dropna drops rows; which columns have missing values only computing can tell")
        names = None if subset is None else encode(as_list(subset))
        if names is not None:
            self._expr.project(names)
        options = given({"axis": axis, "how": how, "thresh": thresh})
        if len(options) > 1:
            trial(Method("dropna"), (self,), options)
        # pandas finds no count that is at least None.
        least = None if thresh is no_default else len(self._plan.columns) + 1 if thresh is None else int(thresh)
        rows = self._framed(lambda frame: frame.dropna(names, "any" if how is no_default else how, least))
        return self._in_place(rows.reset_index(drop=True) if ignore_index else rows, inplace)

    @tunable("split_every", "split_out", "shuffle_method")
    def drop_duplicates(
        self, subset: Any = None, *, keep: Any = "first", inplace: Any = no_default, ignore_index: bool = False
    ) -> Any:
        """The first (or last, or, with `keep=False`, the only) row of those that are equal in `subset`.

        Parameters
        ----------
        subset : label or list of labels, optional
            The columns that are compared; by default all.
        keep : {"first", "last", False}
            Which of equal rows stays; False for none of them.
        inplace : bool, default False
            Whether this frame changes, so that None is given back.
        ignore_index : bool, default False
            Whether rows are numbered anew.

        Returns
        -------
        DataFrame
            In one partition, unless `split_out` says otherwise.
        """
        names = None if subset is None else encode(as_list(subset) if not isinstance(subset, tuple) else list(subset))
        if names is not None:
            self._expr.project(names)
        if names == [] and len(self._plan.columns):
            raise ValueError("drop_duplicates(subset=[]): there is no column to compare rows by")
        check_keep(keep)
        kept = "none" if keep is False else keep
        return self._in_place(
            native_or(
                lambda: self._framed(lambda frame: frame.unique(names, kept, ignore_index)),
                lambda: gathered("drop_duplicates", self, subset, keep=keep, ignore_index=ignore_index),
            ),
            inplace,
        )

    def duplicated(self, subset: Any = None, keep: Any = "first") -> Any:
        """Whether each row equals another one in `subset` that stays by `keep` (gathered, in pandas)."""
        return over_whole(Method("duplicated"), self, subset, keep=keep, name="duplicated", same_rows=True)

    @tunable("split_every")
    def nlargest(self, n: int, columns: Any, keep: Any = "first") -> Any:
        """The `n` rows with the greatest values in `columns`, greatest first.

        Parameters
        ----------
        n : int
            How many.
        columns : label or list of labels
            By which rows are compared.
        keep : {"first", "last", "all"}
            Which of equal rows are taken; the last two are gathered, in pandas.

        Returns
        -------
        DataFrame
            In one partition.
        """
        return self._extreme("nlargest", n, columns, keep)

    @tunable("split_every")
    def nsmallest(self, n: int, columns: Any, keep: Any = "first") -> Any:
        """The `n` rows with the least values in `columns`, least first; see `nlargest`."""
        return self._extreme("nsmallest", n, columns, keep)

    def _extreme(self, method: str, n: int, columns: Any, keep: Any) -> Any:
        by = [self._expr.column(encode_label(name)) for name in as_list(columns)]
        in_pandas = lambda: gathered(method, self, n, columns, keep=keep)
        up, count = method == "nsmallest", max(whole_number(n), 0)
        if keep != "first" or not all(is_number(column) for column in by):
            return in_pandas()
        if all(is_never_missing(column) for column in by):
            return native_or(lambda: self._framed(lambda frame: frame.topk(count, by, not up)), in_pandas)
        if len(by) > 1:  # which pandas fills up with missing values in its own way
            return in_pandas()
        return native_or(lambda: self._framed(lambda frame: frame.sort(by, [up], "last", False).head(count)), in_pandas)

    @tunable("shuffle_method")
    def sort_values(
        self,
        by: Any,
        *,
        axis: Any = 0,
        ascending: Any = True,
        inplace: Any = no_default,
        kind: str | None = "quicksort",
        na_position: str = "last",
        ignore_index: bool = False,
        key: Any = None,
        npartitions: Any = None,
        upsample: float = 1.0,
        partition_size: float = 128e6,
        sort_function: Any = None,
        sort_function_kwargs: Any = None,
    ) -> Any:
        """The rows in the order of one or several columns; equal rows keep their order."""
        check_frame_axis(axis)
        if axis in (1, "columns"):
            raise NotImplementedError("sort_values(axis=1): the order of columns depends on values; name the columns")
        options = {"axis": axis, "ascending": ascending, "kind": kind, "na_position": na_position}
        if sort_function is not None:
            told = {"by": by, "ascending": ascending, "na_position": na_position, **(sort_function_kwargs or {})}
            rows = over_all(lambda all_rows: sort_function(all_rows, **told), self, name="sort_values", meta=self)
            rows = rows.reset_index(drop=True) if ignore_index else rows
        elif key is not None:
            rows = gathered("sort_values", self, by, ignore_index=ignore_index, key=key, meta=empty(self), **options)
        else:
            for name in as_list(by):
                refuse_ambiguous(self, name)
                self._sort_key(name)
            check_order(ascending, kind, na_position, as_list(by))
            rows = self._sorted(as_list(by), ascending, na_position, ignore_index)
        if npartitions not in (None, "auto"):
            rows = rows.repartition(npartitions=npartitions)
        return self._in_place(rows, inplace)

    def _sorted(self, by: list[Any], ascending: Any, na_position: str, ignore_index: bool) -> Any:
        several = isinstance(ascending, list | tuple)
        directions = [bool(one) for one in ascending] if several else [bool(ascending)] * len(by)
        columns = [self._sort_key(name) for name in by]
        told = {"ascending": directions, "na_position": na_position, "ignore_index": ignore_index}
        in_pandas = lambda: gathered("sort_values", self, by, kind="stable", **told)
        if any(column is None for column in columns):
            return in_pandas()
        native = lambda: self._framed(lambda frame: frame.sort(columns, directions, na_position, ignore_index))
        return native_or(native, in_pandas)

    def _sort_key(self, label: Any) -> Any:
        """The column of a key; the index by its name, or None for one of several levels."""
        name, levels = encode_label(label), self._plan.index_names
        if name not in self._plan.columns and name in levels:
            return self._expr.index() if len(levels) == 1 else None
        return self._expr.column(name)

    def sort_index(
        self,
        *,
        axis: Any = 0,
        level: Any = None,
        ascending: Any = True,
        inplace: Any = no_default,
        kind: str | None = "quicksort",
        na_position: str = "last",
        sort_remaining: bool = True,
        ignore_index: bool = False,
        key: Any = None,
    ) -> Any:
        """The rows in the order of their labels (with `axis=1`, the columns); equal labels keep their order.

        Parameters
        ----------
        axis : {0, 1}
            Rows or columns.
        level : int, name or list of them, optional
            The levels that are compared first.
        ascending : bool or list of bool, default True
            For all levels or for each.
        inplace : bool, default False
            Whether this frame changes, so that None is given back.
        kind, na_position, ignore_index
            As in `sort_values`.
        sort_remaining : bool, default True
            Whether the other levels are compared as well.
        key : callable, optional
            What labels are compared by: a function of the index (gathered, in pandas).

        Returns
        -------
        DataFrame
            In one partition, unless columns are put in order.
        """
        check_frame_axis(axis)
        options = {"level": level, "ascending": ascending, "kind": kind, "na_position": na_position, "key": key}
        options = {**options, "sort_remaining": sort_remaining, "ignore_index": ignore_index}
        if axis in (1, "columns"):
            if ignore_index:
                raise NotImplementedError("sort_index(axis=1, ignore_index=True): give labels by set_axis instead")
            return self._in_place(self[list(empty(self).sort_index(axis=1, **options).columns)], inplace)
        return self._in_place(sorted_by_labels(self, options), inplace)

    def set_index(
        self,
        keys: Any,
        *,
        drop: bool = True,
        append: bool = False,
        inplace: Any = no_default,
        verify_integrity: Any = no_default,
        sorted: bool = False,
        npartitions: int | str | None = None,
        divisions: Any = None,
        sort: bool = True,
        shuffle_method: Any = None,
        upsample: float = 1.0,
        partition_size: float = 128e6,
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
        without_effect(shuffle_method, upsample, partition_size)
        found = indexed(self, keys, drop=drop, append=append, sort=sort and not sorted and not append)
        if verify_integrity is True:
            found = over_all(without_repeats, found, name="verify_integrity", meta=empty(found))
        found = partitioned(found, sorted=sorted, npartitions=npartitions, divisions=divisions)
        return self._in_place(found, inplace)

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
        allow_duplicates: bool = False,
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
        return self._in_place(found, inplace)

    def swaplevel(self, i: Any = -2, j: Any = -1, axis: Any = 0) -> Any:
        """The rows with two levels of their labels in each other's place."""
        refuse_columns(axis, "swaplevel")
        return super().swaplevel(i, j)

    def reorder_levels(self, order: list[Any], axis: Any = 0) -> Any:
        """The rows with the levels of their labels in another order."""
        refuse_columns(axis, "reorder_levels")
        return super().reorder_levels(order)

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

    @tunable("shuffle_method")
    def shuffle(
        self,
        on: Any = None,
        ignore_index: bool = False,
        npartitions: Any = None,
        on_index: bool = False,
        force: bool = False,
    ) -> Any:
        """The same rows: partitions are not tied to keys here, and work that needs it moves rows by itself.

        Parameters
        ----------
        on : label or list of labels, optional
            The columns that Dask would go by.
        ignore_index : bool, default False
            Whether rows are numbered anew.
        npartitions : int, optional
            The partitions of the result.
        on_index, force : bool
            Dask's, which change nothing here.

        Returns
        -------
        DataFrame
            The same rows.
        """
        if on is not None:
            for name in as_list(on):
                self._key(name)
        rows = self.reset_index(drop=True) if ignore_index else self.copy()
        return rows if npartitions is None else rows.repartition(npartitions=npartitions)
