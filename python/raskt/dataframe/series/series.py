"""A lazy column."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..accessors.categories import CategoricalMethods
from ..accessors.datetimes import DatetimeMethods
from ..accessors.strings import StringMethods
from ..base.arguments import as_list, check_na_position, no_default, plain_operand, require_boolean
from ..base.collection import ONLY_COLUMN, as_column, index_of, is_collection, native
from ..base.labels import decode_label, encode_label
from ..base.meta import type_of
from ..base.pandas_methods import native_or
from ..base.registry import register, wrap
from ..generic.alignment import Method, align_with, aligned, needs_alignment
from ..generic.display import series_html, series_text
from ..generic.operators import applied
from ..generic.partitioned import Partitioned
from ..groupby.groupby import group_series
from ..indexing.loc import SeriesIloc, SeriesLoc, by_brackets, by_marks, is_marks
from ..indexing.rows import choose_by_collection
from ..io.arrays import to_array, to_arrow
from .apply import SeriesValues
from .reductions import SeriesReductions


@register("series")
class Series(Partitioned, SeriesValues, SeriesReductions):
    """A lazy column of one type with an index: the counterpart of `pandas.Series`.

    Series of the same rows (columns of one frame, and what is computed from them row by row) mix freely; series of
    other rows do not, since aligning them would need both computed.

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
        name = self._expr.name
        return name if name is None else decode_label(name)

    @name.setter
    def name(self, name: Any) -> None:
        self._expr = self.rename(name)._expr

    @property
    def dtype(self) -> Any:
        """The type of the values, as pandas has it."""
        return type_of(self._expr)

    dtypes = dtype

    @property
    def ndim(self) -> int:
        """One."""
        return 1

    @property
    def size(self) -> Any:
        """How many rows there are, missing values included, as a lazy scalar."""
        return wrap(as_column(self).reduce("size"))

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
        return wrap(function(self._as_frame()).column(ONLY_COLUMN).rename(self._expr.name))

    def _as_frame(self) -> Any:
        return as_column(self).to_frame(ONLY_COLUMN)

    def _binary(self, operation: Any, other: Any, reflected: bool = False) -> Any:
        if hasattr(other, "columns") and is_collection(other):
            return NotImplemented
        if needs_alignment(self, other):
            return aligned(operation, self, other, reflected)
        other = plain_operand(other)
        return native_or(
            lambda: wrap(self._expr.binary(operation, native(other), reflected)),
            lambda: applied(operation, self, other, reflected),
        )

    def _flexible(self, operation: Any, other: Any, axis: Any, level: Any, fill: Any, reflected: bool = False) -> Any:
        if level is not None or (fill is not None and needs_alignment(self, other)):
            call = Method(operation, reflected)
            return align_with(call, self, other, name=operation, axis=0, level=level, fill_value=fill)
        if fill is None:
            return self._binary(operation, other, reflected)
        left, right = self.fillna(fill), other
        if isinstance(other, Series):
            right = other.fillna(fill)
            return left._binary(operation, right, reflected).where(~(self.isna() & other.isna()))
        return left._binary(operation, right, reflected)

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
        if is_marks(key):
            return by_marks(self, key)
        if isinstance(key, list):
            return self.loc[key]
        raise NotImplementedError("one value of a lazy series: use .loc for the rows of a label")

    def __iter__(self) -> Iterator[Any]:
        for part in self._parts():
            yield from part

    def items(self) -> Iterator[tuple[Any, Any]]:
        """Pairs of index label and value, computed a partition at a time."""
        for part in self._parts():
            yield from part.items()

    def __contains__(self, label: Any) -> bool:
        raise NotImplementedError("whether a label is in a lazy index: use (s.index == label).any().compute()")

    def dropna(self, **kwargs: Any) -> Any:
        """The rows whose value is there."""
        return self._framed(lambda frame: frame.dropna())

    def drop_duplicates(self, keep: Any = "first", ignore_index: bool = False, **kwargs: Any) -> Any:
        """The first (or last) row of each value."""
        keep = "none" if keep is False else keep
        return self._framed(lambda frame: frame.unique(None, keep, ignore_index))

    def unique(self, **kwargs: Any) -> Any:
        """The different values in the order in which they come first, as a series with a new index."""
        return self.drop_duplicates(ignore_index=True)

    def nlargest(self, n: int = 5, **kwargs: Any) -> Any:
        """The `n` greatest values, greatest first."""
        return self.dropna()._framed(lambda frame: frame.topk(n, [frame.column(ONLY_COLUMN)], True))

    def nsmallest(self, n: int = 5, **kwargs: Any) -> Any:
        """The `n` least values, least first."""
        return self.dropna()._framed(lambda frame: frame.topk(n, [frame.column(ONLY_COLUMN)], False))

    def sort_values(
        self, ascending: bool = True, na_position: Any = "last", ignore_index: bool = False, **kwargs: Any
    ) -> Any:
        """The rows in the order of their values; equal values keep their order."""
        check_na_position(na_position)
        return self._framed(
            lambda frame: frame.sort([frame.column(ONLY_COLUMN)], [bool(ascending)], na_position, ignore_index)
        )

    # The index, names and other forms.

    def rename(self, index: Any = None, sorted_index: bool = False) -> Any:
        """The series under another name; a function or dictionary of labels is applied in pandas."""
        if callable(index) or isinstance(index, dict):
            return self.map_partitions(lambda part: part.rename(index))
        return wrap(self._expr.rename(index if index is None else encode_label(index)))

    def rename_axis(self, mapper: Any = None, index: Any = None, **kwargs: Any) -> Any:
        """The series with its index under another name."""
        return self._framed(lambda frame: frame.rename_axis(as_list(mapper if mapper is not None else index)))

    def add_prefix(self, prefix: Any) -> Any:
        """The series with a prefix before each index label."""
        return self.map_partitions(lambda part: part.add_prefix(prefix))

    def add_suffix(self, suffix: Any) -> Any:
        """The series with a suffix after each index label."""
        return self.map_partitions(lambda part: part.add_suffix(suffix))

    def to_frame(self, name: Any = None) -> Any:
        """A frame of this one column; a series without a name becomes the column 0."""
        name = name if name is not None else self.name
        return wrap(as_column(self).to_frame(encode_label(0 if name is None else name)))

    def reset_index(
        self,
        level: Any = None,
        *,
        drop: bool = False,
        name: Any = None,
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
        found = wrap(found._expr.column_at(0).rename(self._expr.name))
        return self._put(found) if inplace is True else found

    def squeeze(self) -> Series:
        """The series itself."""
        return self

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
        return to_array(self, lengths)

    to_dask_array = to_array

    def to_arrow(self) -> Any:
        """The computed values as a `pyarrow.ChunkedArray`."""
        return to_arrow(self.to_frame()).column(0)

    def to_csv(self, filename: Any, **kwargs: Any) -> Any:
        """Write CSV; see `DataFrame.to_csv`."""
        return self.to_frame().to_csv(filename, **kwargs)

    def to_json(self, filename: Any, **kwargs: Any) -> Any:
        """Write JSON; see `DataFrame.to_json`."""
        return self.to_frame().to_json(filename, **kwargs)

    def to_records(self, index: bool = False) -> Any:
        """The computed values as a NumPy record array."""
        return self.to_frame().to_records(index=index)

    def to_pandas(self) -> Any:
        """The computed series; the same as `compute()`."""
        return self.compute()

    def to_string(self, max_rows: int = 5) -> Any:
        """The first rows as text, computed."""
        return self.head(max_rows).to_string(max_rows=max_rows)

    def __repr__(self) -> Any:
        return series_text(self)

    def _repr_html_(self) -> Any:
        return series_html(self)
