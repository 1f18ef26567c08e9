"""The labels of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.checks import no_default
from ..base.collection import ONLY_COLUMN
from ..base.labels import encode_label
from ..base.registry import register, wrap
from ..generic.levels import level_number
from ..series.series import Series


@register("index")
class Index(Series):
    """The lazy labels of the rows of a frame or series: the counterpart of `pandas.Index`.

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
        return labels_of(wrap(function(self._expr)), self._expr.name)

    def _binary(self, operation: Any, other: Any, reflected: bool = False) -> Any:
        found = super()._binary(operation, other, reflected)
        return found if found is NotImplemented else labels_of(found, self._expr.name)

    def map(self, mapper: Any, na_action: Any = None, meta: Any = None) -> Any:  # type: ignore[override]
        """The labels replaced as a function, a dictionary or a series says."""
        return labels_of(self.to_series().map(mapper, na_action=na_action, meta=meta), self._expr.name)

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

    def to_series(self) -> Series:
        """The labels as a series, whose index is themselves."""
        return wrap(self._expr.to_series())

    def to_frame(self, index: Any = True, name: Any = None) -> Any:  # type: ignore[override]
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
        return super().dropna()

    def where(self, cond: Any, other: Any = None) -> Any:  # type: ignore[override]
        """Labels where `cond` holds, and `other` (missing by default) elsewhere."""
        return super().where(cond, no_default if other is None else other)

    def replace(self, to_replace: Any = None, value: Any = no_default, regex: Any = False) -> Any:  # type: ignore[override]
        """Labels replaced; see `Series.replace`."""
        return super().replace(to_replace, value, regex=regex)

    def rename(self, index: Any = None, sorted_index: bool = False) -> Any:
        """The labels under another name."""
        return self._framed(lambda frame: frame.rename_axis([index if index is None else encode_label(index)]))


def labels_of(series: Any, name: Any) -> Any:
    """The values of a series as an index of that name; truth values stay a series, which chooses rows."""
    if series._expr.kind != "series" or str(series._expr.dtype).startswith("bool"):
        return series
    return wrap(series._as_frame().with_levels([series._expr.rename(name)]).index())
