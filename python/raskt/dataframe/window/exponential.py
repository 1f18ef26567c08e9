"""Windows with weights that fade."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.checks import refuse_engine
from .windows import Windows


class ExponentialStatistics:
    """The statistics of windows with weights that fade, in terms of `_call`."""

    _call: Callable[..., Any]

    def sum(self, numeric_only: bool = False, engine: Any = None, engine_kwargs: Any = None) -> Any:
        """The weighted sum up to each row."""
        refuse_engine("sum", engine, engine_kwargs)
        return self._call("sum", numeric_only=numeric_only)

    def mean(self, numeric_only: bool = False, engine: Any = None, engine_kwargs: Any = None) -> Any:
        """The weighted mean up to each row."""
        refuse_engine("mean", engine, engine_kwargs)
        return self._call("mean", numeric_only=numeric_only)

    def std(self, bias: bool = False, numeric_only: bool = False) -> Any:
        """The weighted standard deviation up to each row."""
        return self._call("std", bias=bias, numeric_only=numeric_only)

    def var(self, bias: bool = False, numeric_only: bool = False) -> Any:
        """The weighted variance up to each row."""
        return self._call("var", bias=bias, numeric_only=numeric_only)

    def cov(
        self, other: Any = None, pairwise: bool | None = None, bias: bool = False, numeric_only: bool = False
    ) -> Any:
        """The weighted covariance with another series of the same rows, or of pairs of columns."""
        return self._call("cov", other=other, pairwise=pairwise, bias=bias, numeric_only=numeric_only)

    def corr(self, other: Any = None, pairwise: bool | None = None, numeric_only: bool = False) -> Any:
        """The weighted correlation with another series of the same rows, or of pairs of columns."""
        return self._call("corr", other=other, pairwise=pairwise, numeric_only=numeric_only)


class ExponentialMovingWindow(ExponentialStatistics, Windows):
    """Windows from the first row to each row, in which older rows count less and less.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> x = rd.from_pandas(pd.Series([1.0, 2.0, 4.0]), npartitions=2)
    >>> x.ewm(alpha=0.5, adjust=False).mean().compute().tolist()
    [1.0, 1.5, 2.75]
    """

    opener = "ewm"
