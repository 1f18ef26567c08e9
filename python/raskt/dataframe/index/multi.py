"""Row labels of several levels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.absent import own_or_absent
from ..base.checks import check_boolean, no_default, refuse_given, without_effect
from ..base.collection import index_of
from ..base.labels import encode_label
from ..base.meta import empty
from ..base.pandas_methods import given
from ..base.partitionwise import over_all, over_rows
from ..base.registry import register, wrap
from ..base.whole import over_whole
from ..generic.levels import level_count, level_names, level_number, renamed_in_place
from ..generic.partitioned import Partitioned


@register("labels")
class MultiIndex(Partitioned):
    """The lazy row labels of several levels: the counterpart of `pandas.MultiIndex`.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> df = rd.from_pandas(pd.DataFrame({"a": [1, 2], "b": [3, 4], "x": [5, 6]}), npartitions=1)
    >>> df.set_index(["a", "b"]).index.get_level_values("b").compute().tolist()
    [3, 4]
    """

    __slots__ = ()

    def _framed(self, function: Callable[[Any], Any]) -> Any:
        return wrap(function(self._as_frame()).as_labels())

    def _as_frame(self) -> Any:
        return self._expr.select([])

    @property
    def ndim(self) -> int:
        """One."""
        return 1

    @property
    def nlevels(self) -> int:
        """How many levels there are."""
        return level_count(self)

    @property
    def names(self) -> list[Any]:
        """The names of the levels; None for a level without one."""
        return level_names(self)

    @property
    def name(self) -> None:
        """None: levels have names."""
        return None

    @property
    def dtypes(self) -> Any:
        """The types of the levels, as a pandas series."""
        return empty(self).dtypes

    @property
    def size(self) -> Any:
        """How many rows there are, as a lazy scalar."""
        return self._row_count()

    def get_level_values(self, level: Any) -> Any:
        """The labels of one level, by its name or its number, as a lazy index."""
        return wrap(self._expr.level(level_number(self, level)))

    def droplevel(self, level: Any = 0, axis: Any = 0) -> Any:
        """The labels without some levels; an index of one level if one is left."""
        return index_of(super().droplevel(level, axis)._expr)

    def rename(self, names: Any, *, level: Any = None, inplace: bool = False) -> Any:
        """The labels with other names for all levels, or for some; `inplace=True` is refused."""
        if check_boolean("inplace", inplace):
            raise renamed_in_place()
        new = empty(self).rename(names, level=level).names
        encoded = [None if name is None else encode_label(name) for name in new]
        return self._framed(lambda frame: frame.rename_axis(encoded))

    set_names = rename

    def copy(self, names: Any = None, deep: bool = False, name: Any = None) -> Any:  # type: ignore[override]
        """The same labels, under other names if some are given."""
        without_effect(deep)
        return self.rename(list(empty(self).copy(names=names, name=name).names))

    def to_frame(self, index: bool = True, name: Any = no_default, allow_duplicates: bool = False) -> Any:
        """The levels as columns of a frame, whose index they are too if `index`; two columns have different names."""
        refuse_given("MultiIndex.to_frame", {"allow_duplicates": (allow_duplicates, False)}, "give names that differ")
        labels = list(empty(self).to_frame(index, **given({"name": name})).columns)
        columns = [(encode_label(label), self._expr.level(at).to_series()) for at, label in enumerate(labels)]
        frame = self._as_frame().select(columns)
        return wrap(frame if index else frame.reset_index(True))

    def isin(self, values: Any, level: Any = None) -> Any:
        """True where a label (or that of one level) is among values."""
        if level is not None:
            return self.get_level_values(level).isin(values)
        return over_rows(lambda index: pandas_series(index.isin(values), index), self, name="isin")

    def duplicated(self, keep: Any = "first") -> Any:
        """Whether each label equals another one that stays by `keep`, as a series of the same rows."""
        call = lambda index: pandas_series(index.duplicated(keep), index)
        return over_whole(call, self, name="duplicated", same_rows=True)

    def isna(self) -> Any:
        """NotImplementedError, as in pandas: ask each level."""
        raise NotImplementedError("isna is not defined for MultiIndex")

    notna = isna

    def nunique(self, dropna: bool = True) -> Any:
        """How many different labels there are, as a lazy scalar."""
        call = lambda index: index.nunique(dropna=dropna)
        return wrap(over_all(call, self, name="nunique", meta=(None, "int64"))._expr.reduce("only").counted())

    def unique(self, level: Any = None) -> Any:
        """The different labels in the order in which they come first."""
        number = None if level is None else level_number(self, level)
        distinct = lambda index: index.unique(number).to_frame()
        return over_all(distinct, self, name="unique", meta=distinct(empty(self))).index

    def __getattr__(self, name: str) -> Any:
        return own_or_absent(self, name)

    def __repr__(self) -> str:
        return f"MultiIndex(names={self.names!r}, npartitions={self.npartitions})"


def pandas_series(values: Any, index: Any) -> Any:
    """Values with labels."""
    import pandas as pd

    return pd.Series(values, index=index)
