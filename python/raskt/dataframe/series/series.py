"""A lazy column."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

from ..accessors.categories import CategoricalMethods
from ..accessors.datetimes import DatetimeMethods
from ..accessors.strings import StringMethods
from ..base.absent import own_or_absent
from ..base.arguments import plain_operand, require_boolean
from ..base.array_arguments import is_lazy_array
from ..base.checks import check_series_axis, deprecated_copy, no_default, without_effect
from ..base.collection import ONLY_COLUMN, as_column, index_of, is_collection, is_column
from ..base.labels import decode_label, encode_label
from ..base.lazy_arrays import EQUAL, column_beside, operand
from ..base.meta import empty, type_of
from ..base.pandas_methods import by_partition, gathered, native_or
from ..base.positions import refuse_by_position
from ..base.registry import register, wrap
from ..base.tuning import tunable
from ..base.whole import over_whole
from ..generic.alignment import Method, Named, align_with, aligned, filled_up, needs_alignment
from ..generic.display import series_html, series_text
from ..generic.elementwise import is_ordered_number
from ..generic.labels import with_axis_names, without_labels
from ..generic.operands import COMPARISONS, binary
from ..generic.operators import applied, check_division
from ..generic.ordering import check_keep, check_order, sorted_by_labels
from ..generic.partitioned import Partitioned, whole_number
from ..groupby.groupby import group_series
from ..indexing.arrays import by_array
from ..indexing.loc import SeriesIloc, SeriesLoc, by_brackets, by_marks, is_marks
from ..indexing.positions import has_one_row, value_at
from ..indexing.rows import choose_by_collection, choose_rows, is_labelled_mask
from ..io.arrays import to_array, to_arrow
from ..io.memory import series_to_string, to_records
from ..io.write import to_csv, to_json
from .apply import SeriesValues
from .reductions import SeriesReductions


@register("series")
class Series(Partitioned, SeriesValues, SeriesReductions):
    """A lazy column of one type with an index: the counterpart of `pandas.Series`.

    Series of the same rows (columns of one frame, and what is computed from them row by row) mix natively; those of
    other rows are gathered, and pandas brings their labels together.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> df = rd.from_pandas(pd.DataFrame({"x": [1, 2, 3], "y": [0.5, 1.5, 2.5]}), npartitions=2)
    >>> (df.x * df.y).compute().tolist()
    [0.5, 3.0, 7.5]
    """

    __slots__ = ()
    __array_priority__ = 1000

    @property
    def name(self) -> Any:
        """What the column is called, or None."""
        name = self._plan.name
        return name if name is None else decode_label(name)

    @name.setter
    def name(self, name: Any) -> None:
        self._expr = self.rename(name)._expr

    @property
    def dtype(self) -> Any:
        """The type of the values, as pandas has it."""
        return type_of(self._plan)

    dtypes = dtype

    @property
    def ndim(self) -> int:
        """One."""
        return 1

    @property
    def size(self) -> Any:
        """How many rows there are, missing values included, as a lazy scalar."""
        return wrap(as_column(self).reduce("size").counted())

    @property
    def shape(self) -> tuple[Any]:
        """The number of rows as a lazy scalar."""
        return (self.size,)

    @property
    def nbytes(self) -> Any:
        """Bytes of the values in pandas' layout, the index left out, as a lazy scalar."""
        return self.memory_usage(index=False)

    @property
    def axes(self) -> list[Any]:
        """The index, alone."""
        return [self.index]

    @property
    def index(self) -> Any:
        """The labels of the rows."""
        return index_of(self._as_frame())

    @property
    def values(self) -> Any:
        """The values as a lazy array of unknown chunk sizes."""
        return self.to_array()

    @property
    def str(self) -> Any:
        """Methods of strings; AttributeError for a series of another type."""
        return StringMethods(self)

    @property
    def dt(self) -> Any:
        """Fields and methods of times and durations; AttributeError for a series of another type."""
        return DatetimeMethods(self)

    @property
    def cat(self) -> Any:
        """Methods of categories; AttributeError for a series of another type."""
        return CategoricalMethods(self)

    @property
    def loc(self) -> Any:
        """Rows by label; see `DataFrame.loc`."""
        return SeriesLoc(self)

    @property
    def iloc(self) -> Any:
        """Rows by position, and a value as a lazy scalar; see `DataFrame.iloc`."""
        return SeriesIloc(self)

    # How the methods of frames and series work on a series.

    def _each(self, function: Callable[[Any], Any]) -> Any:
        return wrap(function(self._expr))

    def _framed(self, function: Callable[[Any], Any]) -> Any:
        return wrap(function(self._as_frame()).column(ONLY_COLUMN).rename(self._plan.name))

    def _as_frame(self) -> Any:
        return as_column(self).to_frame(ONLY_COLUMN)

    def _binary(self, operation: Any, other: Any, reflected: bool = False) -> Any:
        if is_lazy_array(other):
            other = operand(self, other, operation in COMPARISONS)
        if hasattr(other, "columns") and is_collection(other):
            return NotImplemented
        if needs_alignment(self, other):
            return aligned(operation, self, other, reflected)
        other = plain_operand(other)
        if is_collection(other) and other._by_position:
            # An array has no name that the result could be called after.
            other = wrap(other._expr.rename(self._plan.name))
        return native_or(
            lambda: wrap(binary(self._expr, operation, other, reflected)),
            lambda: applied(operation, self, other, reflected),
        )

    def _flexible(self, operation: Any, other: Any, axis: Any, level: Any, fill: Any, reflected: bool = False) -> Any:
        if is_lazy_array(other):
            other = self._beside(other, level)
        if hasattr(other, "columns"):
            name = f"r{operation}" if reflected else operation
            raise TypeError(f"Series.{name} does not support a DataFrame `other`. Use df.{name}(ser) instead.")
        # The methods of comparisons bring labels together, where the operators refuse others.
        aligns = fill is not None or operation in COMPARISONS
        if level is not None or (aligns and needs_alignment(self, other)):
            call = Method(operation, reflected)
            return align_with(call, self, other, name=operation, axis=0, level=level, fill_value=fill)
        if fill is None and is_column(other) and object in (self.dtype, other.dtype):
            # The methods compare objects as Python does, the operators those that are not missing.
            return align_with(Method(operation, reflected), self, other, name=operation, axis=0)
        if fill is None:
            return self._binary(operation, other, reflected)
        name = f"r{operation}" if reflected else operation
        filled = lambda a, b: getattr(a, name)(b, fill_value=fill)
        check_division(operation, filled, self, other, reflected)
        return filled_up(filled, self, other, name)

    def _beside(self, array: Any, level: Any) -> Any:
        """An array as an argument of the methods of operators, which has an element for each row."""
        if level is not None:
            raise NotImplementedError("level= with an array: an array has no labels; make it a series first")
        if array.ndim == 1:
            return column_beside(self, array, EQUAL, self._plan.name)
        return operand(self, array)

    # Choosing rows.

    def __getitem__(self, key: Any) -> Any:
        """Rows where a lazy boolean series of the same rows is true.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> x = rd.from_pandas(pd.Series([1, 2, 3]), npartitions=2)
        >>> x[x > 1].compute().tolist()
        [2, 3]
        """
        if isinstance(key, Series):
            require_boolean(key)
            return choose_by_collection(self, key)
        if isinstance(key, slice):
            return by_brackets(self, key)
        if is_lazy_array(key):
            return by_array(self, key)
        if is_labelled_mask(key):
            return choose_rows(self, key)
        if is_marks(key):
            return by_marks(self, key)
        if isinstance(key, list):
            return self.loc[key]
        if callable(key):
            return self[key(self)]
        raise NotImplementedError("one value of a lazy series: use .loc for the rows of a label")

    def __iter__(self) -> Iterator[Any]:
        refuse_by_position(sys._getframe(1))
        return (value for part in self._parts() for value in part)

    def __getattr__(self, name: str) -> Any:
        return own_or_absent(self, name)

    def items(self) -> Iterator[tuple[Any, Any]]:
        """Pairs of index label and value, computed a partition at a time."""
        for part in self._parts():
            yield from part.items()

    def __contains__(self, label: Any) -> bool:
        raise NotImplementedError("whether a label is in a lazy index: use (s.index == label).any().compute()")

    def dropna(self, *, axis: Any = 0, inplace: Any = no_default, how: Any = None, ignore_index: bool = False) -> Any:
        """The rows whose value is there; numbered anew with `ignore_index`."""
        check_series_axis(axis)
        without_effect(how)
        rows = self._framed(lambda frame: frame.dropna())
        return self._in_place(rows.reset_index(drop=True) if ignore_index else rows, inplace)

    @tunable("split_every", "split_out", "shuffle_method")
    def drop_duplicates(self, *, keep: Any = "first", inplace: Any = no_default, ignore_index: bool = False) -> Any:
        """The first (or last, or, with `keep=False`, the only) row of each value."""
        check_keep(keep)
        kept = "none" if keep is False else keep
        native = lambda: self._framed(lambda frame: frame.unique(None, kept, ignore_index))
        in_pandas = lambda: gathered("drop_duplicates", self, keep=keep, ignore_index=ignore_index)
        return self._in_place(native_or(native, in_pandas), inplace)

    def duplicated(self, keep: Any = "first") -> Any:
        """Whether each value equals another one that stays by `keep` (gathered, in pandas)."""
        return over_whole(Named("duplicated"), self, keep=keep, name="duplicated", same_rows=True)

    @tunable("split_every", "split_out", "shuffle_method")
    def unique(self) -> Any:
        """The different values in the order in which they come first, as a series with a new index."""
        return self.drop_duplicates(ignore_index=True)

    @tunable("split_every")
    def nlargest(self, n: int = 5, keep: Any = "first") -> Any:
        """The `n` greatest values, greatest first; of equal ones the `first`, the `last` or `all` by `keep`."""
        return self._extreme("nlargest", n, keep)

    @tunable("split_every")
    def nsmallest(self, n: int = 5, keep: Any = "first") -> Any:
        """The `n` least values, least first; of equal ones the `first`, the `last` or `all` by `keep`."""
        return self._extreme("nsmallest", n, keep)

    def _extreme(self, method: Any, n: int, keep: Any) -> Any:
        in_pandas = lambda: gathered(method, self, n, keep=keep)
        if keep != "first" or not is_ordered_number(as_column(self)):
            return in_pandas()
        count = max(whole_number(n), 0)
        order = lambda frame: frame.sort([frame.column(ONLY_COLUMN)], [method == "nsmallest"], "last", False)
        return native_or(lambda: self._framed(lambda frame: order(frame).head(count)), in_pandas)

    def sort_values(
        self,
        *,
        axis: Any = 0,
        ascending: Any = True,
        inplace: Any = no_default,
        kind: Any = "quicksort",
        na_position: Any = "last",
        ignore_index: bool = False,
        key: Any = None,
        npartitions: Any = None,
    ) -> Any:
        """The rows in the order of their values; equal values keep their order."""
        check_series_axis(axis)
        check_order(ascending, kind, na_position, [None])
        up = bool(ascending[0] if isinstance(ascending, list | tuple) else ascending)
        in_pandas = lambda: gathered(
            "sort_values", self, ascending=up, na_position=na_position, ignore_index=ignore_index, key=key,
            kind="stable", meta=empty(self),
        )  # fmt: skip
        order = lambda frame: frame.sort([frame.column(ONLY_COLUMN)], [up], na_position, ignore_index)
        rows = in_pandas() if key is not None else native_or(lambda: self._framed(order), in_pandas)
        rows = rows if npartitions in (None, "auto") else rows.repartition(npartitions=npartitions)
        return self._in_place(rows, inplace)

    def sort_index(
        self,
        *,
        axis: Any = 0,
        level: Any = None,
        ascending: Any = True,
        inplace: Any = no_default,
        kind: Any = "quicksort",
        na_position: Any = "last",
        sort_remaining: bool = True,
        ignore_index: bool = False,
        key: Any = None,
    ) -> Any:
        """The rows in the order of their labels; equal labels keep their order. See `DataFrame.sort_index`."""
        check_series_axis(axis)
        options = {"level": level, "ascending": ascending, "kind": kind, "na_position": na_position, "key": key}
        options = {**options, "sort_remaining": sort_remaining, "ignore_index": ignore_index}
        return self._in_place(sorted_by_labels(self, options), inplace)

    def drop(
        self,
        labels: Any = None,
        *,
        axis: Any = 0,
        index: Any = None,
        columns: Any = None,
        level: Any = None,
        inplace: Any = no_default,
        errors: Any = "raise",
    ) -> Any:
        """The rows without those of some labels; KeyError at `compute` for unknown ones unless `errors="ignore"`."""
        check_series_axis(axis)
        if labels is not None and (index is not None or columns is not None):
            raise ValueError("Cannot specify both 'labels' and 'index'/'columns'")
        wanted = labels if index is None else index
        if wanted is None and columns is None:
            raise ValueError("Need to specify at least one of 'labels', 'index' or 'columns'")
        rows = self.copy() if wanted is None else without_labels(self, wanted, level, errors)
        return self._in_place(rows, inplace)

    # The index, names and other forms.

    def rename(
        self,
        index: Any = None,
        *,
        axis: Any = None,
        copy: Any = no_default,
        inplace: Any = no_default,
        level: Any = None,
        errors: Any = "ignore",
        sorted_index: bool = False,
    ) -> Any:
        """The series under another name; a function or dictionary of labels is applied in pandas.

        Parameters
        ----------
        index : label, callable or dict
            The name, or what becomes of the row labels.
        axis : {0}
            Kept for pandas' sake.
        copy : object, optional
            Without effect but pandas' warning that it is deprecated.
        inplace : bool, default False
            Whether this series changes, so that None is given back.
        level : int or name, optional
            The level whose labels change.
        errors : {"ignore", "raise"}
            Whether unknown labels in a dictionary raise KeyError, at `compute` (gathered, in pandas).
        sorted_index : bool, default False
            Dask's: whether the new labels are in order as well, by which divisions are known; they are not kept here.

        Returns
        -------
        Series
            In as many partitions.
        """
        check_series_axis(axis)
        deprecated_copy(copy)
        if callable(index) or hasattr(index, "items"):
            run = gathered if errors == "raise" else by_partition
            meta = {} if errors != "raise" else {"meta": empty(self)}
            return self._in_place(run("rename", self, index, level=level, errors=errors, **meta), inplace)
        named = wrap(self._expr.rename(index if index is None else encode_label(index)))
        self._in_place(named, inplace)
        return self if inplace is True else named

    def rename_axis(
        self,
        mapper: Any = no_default,
        *,
        index: Any = no_default,
        axis: Any = 0,
        copy: Any = no_default,
        inplace: Any = no_default,
    ) -> Any:
        """The series with its index under another name: one, a list, a function, or a dictionary of names."""
        deprecated_copy(copy)
        check_series_axis(axis)
        return self._in_place(with_axis_names(self, mapper, index, axis), inplace)

    def add_prefix(self, prefix: Any, axis: Any = None) -> Any:
        """The series with a prefix before each index label."""
        return by_partition("add_prefix", self, prefix, axis=axis)

    def add_suffix(self, suffix: Any, axis: Any = None) -> Any:
        """The series with a suffix after each index label."""
        return by_partition("add_suffix", self, suffix, axis=axis)

    def to_frame(self, name: Any = no_default) -> Any:
        """A frame of this one column; a series without a name becomes the column 0."""
        if name is no_default:
            name = 0 if self.name is None else self.name
        return wrap(as_column(self).to_frame(encode_label(name)))

    def reset_index(
        self,
        level: Any = None,
        *,
        drop: bool = False,
        name: Any = no_default,
        inplace: Any = no_default,
        allow_duplicates: bool = False,
    ) -> Any:
        """Levels of the index as columns of a frame beside the values, unless `drop`; see `DataFrame.reset_index`.

        Parameters
        ----------
        level : int, label or list of them, optional
            The levels; all of them by default.
        drop : bool, default False
            Whether they are no columns either: a series comes back then.
        name : label, optional
            The column of the values; that of the series, or 0, by default.
        inplace : bool, default False
            Whether to change this series and give None; only with `drop`.
        allow_duplicates : bool, default False
            Two columns of one name are not supported.

        Returns
        -------
        DataFrame or Series
            The same rows.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> x = rd.from_pandas(pd.Series([1, 2], index=[5, 6], name="x"), npartitions=1)
        >>> x.reset_index(drop=True).compute().to_dict()
        {0: 1, 1: 2}
        """
        found = self.to_frame(name).reset_index(level, drop=drop, allow_duplicates=allow_duplicates)
        if not drop:
            if inplace is True:
                raise TypeError("Cannot reset_index inplace on a Series to create a DataFrame")
            return found
        found = wrap(found._expr.column_at(0).rename(self._plan.name))
        return self._in_place(found, inplace)

    def squeeze(self, axis: Any = None) -> Any:
        """The one value of a series of one row, lazily; else the series. Its number of rows has to be known."""
        check_series_axis(axis)
        return value_at(self, 0) if has_one_row(self, "iloc") else self

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
    ) -> Any:
        """The values by groups of equal keys, which are lazy series of the same rows; see `DataFrame.groupby`."""
        options = {"as_index": as_index, "sort": sort, "group_keys": group_keys, "observed": observed}
        return group_series(self, by, level, dropna=dropna, **options)

    def to_array(self, lengths: Any = None, meta: Any = None) -> Any:
        """The values as a lazy array, a block for each partition; `lengths=True` computes the block lengths now."""
        return to_array(self, lengths, meta)

    to_dask_array = to_array

    def to_arrow(self) -> Any:
        """The computed values as a `pyarrow.ChunkedArray`."""
        return to_arrow(self.to_frame()).column(0)

    to_csv = to_csv
    to_json = to_json
    to_records = to_records
    to_string = series_to_string

    def to_pandas(self) -> Any:
        """The computed series; the same as `compute()`."""
        return self.compute()

    def __repr__(self) -> Any:
        return series_text(self)

    def _repr_html_(self) -> Any:
        return series_html(self)
