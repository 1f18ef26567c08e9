"""The labels of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..accessors.strings import StringMethods
from ..base.checks import check_boolean, no_default, refuse_given, without_effect
from ..base.collection import ONLY_COLUMN, is_column, is_frame, is_index
from ..base.labels import encode_label
from ..base.meta import empty
from ..base.pandas_methods import Method, gathered, gathered_value
from ..base.partitionwise import over_all, over_rows
from ..base.registry import register, wrap
from ..base.steps import moves_together, offset_of, with_steps_as, with_steps_of
from ..base.tuning import tunable
from ..generic.levels import level_number, renamed_in_place
from ..indexing.loc import is_marks
from ..series.series import Series
from .times import field, fields_of
from .truths import truths


@register("index")
class Index(Series):
    """The lazy labels of the rows of a frame or series: the counterpart of `pandas.Index`.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> df = rd.from_pandas(pd.DataFrame({"x": [1, 2, 3]}, index=[10, 20, 30]), npartitions=2)
    >>> df[df.index > 10]["x"].compute().tolist()
    [2, 3]
    """

    __slots__ = ()

    @property
    def index(self) -> Any:
        """An index has no index of its own."""
        raise AttributeError("'Index' object has no attribute 'index'")

    def _framed(self, function: Callable[[Any], Any]) -> Any:
        return wrap(function(self._as_frame()).index())

    def _each(self, function: Callable[[Any], Any]) -> Any:
        """What a function gives of each label: an index, or, of truth values (an array in pandas), a series."""
        return labels_of(wrap(function(self._expr)), self._plan.name)

    def _binary(self, operation: Any, other: Any, reflected: bool = False) -> Any:
        found = super()._binary(operation, other, reflected)
        return found if found is NotImplemented else labels_of(found, self._plan.name)

    def _native_or_pandas(self, *args: Any, **options: Any) -> Any:
        return labels_of(super()._native_or_pandas(*args, **options), self._plan.name)

    def _reduce(self, method: Any, axis: Any, numeric_only: bool, native: dict[Any, Any] | None, **options: Any) -> Any:
        return self._beside_rows()._reduce(method, axis, numeric_only, native, **options)

    def _truth(self, method: Any, axis: Any, bool_only: bool, skipna: bool) -> Any:
        return self._beside_rows()._truth(method, axis, bool_only, skipna)

    def map(self, mapper: Any, na_action: Any = None, meta: Any = None) -> Any:  # type: ignore[override]
        """The labels replaced as a function, a dictionary or a series says."""
        refuse_mapped(self, mapper)
        return labels_of(self._beside_rows().map(mapper, na_action=na_action, meta=meta), self._plan.name)

    def __getitem__(self, key: Any) -> Any:
        """Labels by position, or where truth values of the same rows hold."""
        positions = isinstance(key, list) and not is_marks(key) or isinstance(key, slice) and key.step not in (None, 1)
        return self.to_series().iloc[key].index if positions else super().__getitem__(key)

    def _changed(self, result: Any, inplace: Any, *values: Any) -> Any:
        return labels_of(super()._changed(result, inplace, *values), self._plan.name)

    def diff(self, periods: int = 1) -> Any:  # type: ignore[override]
        """Each label less the one `periods` places before it."""
        return labels_of(self._beside_rows().diff(periods), self._plan.name)

    def shift(self, periods: int = 1, freq: Any = None) -> Any:  # type: ignore[override]
        """Times moved by `periods` steps of `freq`, or of their own frequency; other labels are not moved."""
        if not str(self.dtype).startswith(("datetime64", "timedelta64")):
            raise NotImplementedError(
                "This method is only implemented for DatetimeIndex, PeriodIndex and TimedeltaIndex; Got type Index"
            )
        step = self.freq if freq is None else freq
        if step is None:
            raise NotImplementedError("Index.shift without a known frequency of the times: pass freq=")
        over = over_all if moves_together(self, step) else over_rows
        moved = over(Method("shift"), self, periods, step, name="shift", plainly=True)
        return with_steps_as(labels_of(moved, self._plan.name), self, lambda labels: labels.shift(periods, step))

    def fillna(self, value: Any) -> Any:  # type: ignore[override]
        """Missing labels replaced by a scalar."""
        return labels_of(super().fillna(value), self._plan.name)

    def duplicated(self, keep: Any = "first") -> Any:
        """Whether each label equals another one that stays by `keep`, as a series of the same rows."""
        return self._beside_rows().duplicated(keep)

    @property
    def str(self) -> Any:
        """Methods of strings, which give labels, or truth values for each row."""
        return IndexStringMethods(self)

    @property
    def freq(self) -> Any:
        """The steps of times, as an offset of pandas; None where they are not known. Other labels have none.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"x": range(3)}, index=pd.date_range("2020", periods=3)), npartitions=2)
        >>> df.index.freq
        <Day>
        """
        if str(self.dtype).startswith("period["):
            return self.dtype.freq
        if not str(self.dtype).startswith(("datetime64", "timedelta64")):
            raise AttributeError(f"labels of {self.dtype} have no freq")
        return offset_of(self._expr.frequency)

    def __getattr__(self, name: Any) -> Any:
        if name in fields_of(self.dtype):
            return field(self, name, lambda found: labels_of(found, self._plan.name))
        return super().__getattr__(name)

    def __dir__(self) -> list[Any]:
        return sorted({*super().__dir__(), *fields_of(self.dtype)})

    @property
    def nlevels(self) -> int:
        """One."""
        return 1

    @property
    def names(self) -> list[Any]:
        """The name, alone."""
        return [self.name]

    def droplevel(self, level: Any = 0, axis: Any = 0) -> Any:
        """ValueError: the only level has to stay."""
        return super().droplevel(level, axis)

    def get_level_values(self, level: Any) -> Any:
        """The labels themselves, which are the only level."""
        level_number(self, level)
        return self.copy()

    def _as_frame(self) -> Any:
        return self._expr.to_series().to_frame(ONLY_COLUMN)

    def to_series(self, index: Any = None, name: Any = None) -> Any:
        """The labels as a series, whose index is themselves; other labels (`index=`) are not supported."""
        refuse_given("Index.to_series", {"index": (index, None)}, "give labels to the series by set_index of a frame")
        series = self._beside_rows() if not self._is_level() else self._alone()
        return series if name is None else series.rename(name)

    def _beside_rows(self) -> Any:
        """The labels as a series of the rows that they are labels of."""
        return wrap(self._expr.to_series())

    def _is_level(self) -> bool:
        """Whether they are one level of the labels of rows."""
        return len(self._as_frame().index_names) > 1

    def _alone(self) -> Any:
        """One level of the labels of rows as a series whose labels are that level alone."""
        rows = wrap(self._as_frame())
        labelled = rows.assign(label=rows[ONLY_COLUMN]).set_index("label", sort=False)
        return labelled[ONLY_COLUMN].rename(self.name).rename_axis(self.name)

    def to_frame(self, index: Any = True, name: Any = no_default) -> Any:  # type: ignore[override]
        """The labels as a frame of one column."""
        frame = self.to_series().to_frame(name)
        return frame if index else frame.reset_index(drop=True)

    def drop(self, labels: Any, errors: Any = "raise") -> Any:  # type: ignore[override]
        """The labels without some; with `errors="raise"`, NotImplementedError: only computing tells which are there."""
        if errors != "ignore":
            raise NotImplementedError("Index.drop(errors='raise'): pass errors='ignore', or compute first")
        return self[~self.isin(labels if hasattr(labels, "__iter__") else [labels])]

    def dropna(self, how: Any = "any") -> Any:  # type: ignore[override]
        """The labels that are there."""
        if how not in ("any", "all"):
            raise ValueError(f"invalid how option: {how}")
        return with_steps_of(super().dropna(), self)  # labels with steps are all there

    def where(self, cond: Any, other: Any = None) -> Any:  # type: ignore[override]
        """Labels where `cond` holds, and `other` (missing by default) elsewhere."""
        return super().where(cond, no_default if other is None else other)

    def replace(self, to_replace: Any = None, value: Any = no_default, regex: Any = False) -> Any:  # type: ignore[override]
        """Labels replaced; see `Series.replace`."""
        return super().replace(to_replace, value, regex=regex)

    def rename(self, name: Any, *, inplace: bool = False) -> Any:  # type: ignore[override]
        """The labels under another name; `inplace=True`, by which pandas changes the frame as well, is refused."""
        if check_boolean("inplace", inplace):
            raise renamed_in_place()
        new = empty(self).rename(name).name
        return self._framed(lambda frame: frame.rename_axis([new if new is None else encode_label(new)]))

    @property
    def name(self) -> Any:
        """What the labels are called, or None."""
        return Series.name.fget(self)  # type: ignore[attr-defined]

    @name.setter
    def name(self, name: Any) -> None:
        raise renamed_in_place()

    def copy(self, name: Any = None, deep: bool = False) -> Any:  # type: ignore[override]
        """The same labels, under another name if one is given."""
        without_effect(deep)
        return super().copy() if name is None else self.rename(name)

    def astype(self, dtype: Any, copy: bool = True) -> Any:  # type: ignore[override]
        """The labels as another type; see `Series.astype`."""
        without_effect(copy)
        return labels_of(super().astype(dtype), self._plan.name)

    def round(self, decimals: int = 0) -> Any:  # type: ignore[override]
        """Labels rounded to a number of decimals; times to a span such as `"15min"`."""
        if fields_of(self.dtype):
            return field(self, "round", lambda found: labels_of(found, self._plan.name))(decimals)
        return labels_of(super().round(decimals), self._plan.name)

    def isin(self, values: Any, level: Any = None) -> Any:
        """True where a label is one of `values`; `level` can only be the one that there is."""
        if level is not None:
            level_number(self, level)
        return super().isin(values)

    def unique(self, level: Any = None) -> Any:
        """The different labels in the order in which they come first; `level` can only be the one that there is."""
        if level is not None:
            level_number(self, level)
        return self.drop_duplicates()

    @tunable("split_every", "split_out", "shuffle_method")
    def drop_duplicates(self, *, keep: Any = "first", inplace: Any = no_default, ignore_index: bool = False) -> Any:
        """The first (or last, or, with `keep=False`, the only) of equal labels."""
        if self._is_level():
            return self._alone().index.drop_duplicates(keep=keep, inplace=inplace, ignore_index=ignore_index)
        found = super().drop_duplicates(keep=keep, inplace=inplace, ignore_index=ignore_index)
        return with_steps_of(found, self)  # labels with steps are all different

    @tunable("split_every")
    def max(self, axis: Any = None, skipna: bool = True) -> Any:
        """The greatest label, as a lazy scalar."""
        check_only_axis(axis)
        return self._beside_rows().max(skipna=skipna)

    @tunable("split_every")
    def min(self, axis: Any = None, skipna: bool = True) -> Any:
        """The least label, as a lazy scalar."""
        check_only_axis(axis)
        return self._beside_rows().min(skipna=skipna)

    @property
    def nbytes(self) -> Any:
        """Bytes of the labels in pandas' layout, as a lazy scalar."""
        return self.memory_usage()

    def memory_usage(self, deep: bool = False) -> Any:  # type: ignore[override]
        """Bytes of the labels in pandas' layout, as a lazy scalar (gathered, in pandas)."""
        return gathered_value("memory_usage", self, deep=deep)

    def sort_values(  # type: ignore[override]
        self, *, return_indexer: bool = False, ascending: bool = True, na_position: Any = "last", key: Any = None
    ) -> Any:
        """The labels in order; with `key`, gathered, in pandas. Their former positions are not given."""
        refuse_given("Index.sort_values", {"return_indexer": (return_indexer, False)}, "compute the labels first")
        if self._is_level():
            return self._alone().index.sort_values(ascending=ascending, na_position=na_position, key=key)
        if key is None:
            found = super().sort_values(ascending=ascending, na_position=na_position)
            return with_steps_as(found, self, lambda labels: labels.sort_values(ascending=ascending))
        options = {"ascending": ascending, "na_position": na_position, "key": key}
        return labels_of(gathered("sort_values", self, meta=empty(self).to_series(), **options), self._plan.name)

    def groupby(self, values: Any) -> Any:  # type: ignore[override]
        """Not supported: pandas' method gives the labels of each group, which only computing can tell."""
        raise NotImplementedError("Index.groupby: use index.to_series().groupby(...), or compute the index first")


class IndexStringMethods(StringMethods):
    """The methods of strings of labels: as those of series, but their results are labels."""

    def __init__(self, index: Any) -> None:
        super().__init__(index._beside_rows())

    def _native(self, name: str, *args: Any, fallback: Callable[[Any], Any]) -> Any:
        return self._labels(super()._native(name, *args, fallback=fallback))

    def _pandas(self, name: str, call: Callable[..., Any], *others: Any, meta: Any = None) -> Any:
        return self._labels(super()._pandas(name, call, *others, meta=meta))

    def _labels(self, found: Any) -> Any:
        if is_frame(found):
            raise NotImplementedError(
                "a method of strings that gives several columns makes labels of several levels: use "
                "index.to_series().str, whose result is a frame"
            )
        return labels_of(found, self._series._plan.name) if is_column(found) and not is_index(found) else found

    def repeat(self, repeats: Any) -> Any:
        """Each label so many times."""
        return self._labels(super().repeat(repeats))

    def cat(self, others: Any = None, sep: Any = None, na_rep: Any = None, join: str = "left") -> Any:
        """Each label joined to others, or all to one string."""
        return self._labels(super().cat(others, sep, na_rep, join))


def refuse_mapped(labels: Any, mapper: Any) -> None:
    """NotImplementedError for a map whose labels would be of several levels, or of a type that goes by their values."""
    from ..base.samples import sample

    few = sample(empty(labels))
    if has_unsteady_type(few.dtype):
        raise NotImplementedError(
            f"map of labels of {few.dtype}, whose type pandas keeps or not by what is found: use index.to_series().map"
        )
    try:
        found = list(mapper.values()) if isinstance(mapper, dict) else list(few.map(mapper)) if callable(mapper) else []
    except Exception:  # what the function thinks of such labels is told where they are mapped
        return
    if any(isinstance(value, tuple) for value in found):
        raise NotImplementedError(
            "map of labels to tuples, which are labels of several levels: use set_index of columns"
        )


def has_unsteady_type(dtype: Any) -> bool:
    """Whether pandas makes mapped labels of this very type again if all of them fit it."""
    import numpy as np
    import pandas as pd

    if isinstance(dtype, np.dtype):
        return dtype.kind in "iufc" and dtype not in (np.dtype("int64"), np.dtype("float64"))
    plain = isinstance(dtype, pd.StringDtype) and dtype == pd.StringDtype(na_value=np.nan)
    times = isinstance(dtype, pd.DatetimeTZDtype | pd.PeriodDtype | pd.CategoricalDtype | pd.IntervalDtype)
    return not (plain or times)


def check_only_axis(axis: Any) -> None:
    """ValueError for an axis that an index does not have."""
    if axis is not None and not -1 <= axis < 1:
        raise ValueError("`axis` must be fewer than the number of dimensions (1)")


def labels_of(series: Any, name: Any) -> Any:
    """The values of a series as an index of that name; truth values stay a series, which chooses rows by position."""
    if series._expr.kind != "series" or str(series._expr.dtype).startswith("bool"):
        return truths(series)
    return wrap(series._as_frame().with_levels([series._expr.rename(name)]).index())
