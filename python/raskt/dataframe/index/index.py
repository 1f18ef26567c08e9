"""The labels of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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

    def rename(self, index: Any = None, sorted_index: bool = False) -> Any:
        """The labels under another name."""
        return self._framed(lambda frame: frame.rename_axis([index]))
