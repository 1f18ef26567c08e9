"""The labels of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.checks import no_default
from ..base.collection import ONLY_COLUMN
from ..base.registry import register, wrap
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

    def map(self, mapper: Any, na_action: Any = None, meta: Any = None) -> Any:  # type: ignore[override]
        """Labels replaced as a dictionary, a pandas series or a function says; see `Series.map`."""
        return super().map(mapper, na_action=na_action, meta=meta)

    def where(self, cond: Any, other: Any = None) -> Any:  # type: ignore[override]
        """Labels where `cond` holds, and `other` (missing by default) elsewhere."""
        return super().where(cond, no_default if other is None else other)

    def replace(self, to_replace: Any = None, value: Any = no_default, regex: Any = False) -> Any:  # type: ignore[override]
        """Labels replaced; see `Series.replace`."""
        return super().replace(to_replace, value, regex=regex)

    def rename(self, index: Any = None, sorted_index: bool = False) -> Any:
        """The labels under another name."""
        return self._framed(lambda frame: frame.rename_axis([index]))
