"""Windows of rows in order: rolling, expanding, and weighted."""

from __future__ import annotations

from typing import Any

from .windows import Windows, WindowStatistics


class Rolling(WindowStatistics, Windows):
    """Windows of a number of rows, or of a span of time of the index, that end at each row.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> x = rd.from_pandas(pd.Series([1.0, 2.0, 4.0]), npartitions=2)
    >>> x.rolling(2).sum().compute().tolist()
    [nan, 3.0, 6.0]
    """

    opener = "rolling"


class Expanding(WindowStatistics, Windows):
    """Windows from the first row to each row.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> x = rd.from_pandas(pd.Series([1.0, 2.0, 4.0]), npartitions=2)
    >>> x.expanding().max().compute().tolist()
    [1.0, 2.0, 4.0]
    """

    opener = "expanding"


class Window(Windows):
    """Windows of a number of rows, weighted by a function of SciPy (`win_type`), whose parameters the methods take."""

    opener = "rolling"

    def sum(self, numeric_only: bool = False, **kwargs: Any) -> Any:
        """The weighted sum of each window."""
        return self._call("sum", numeric_only=numeric_only, **kwargs)

    def mean(self, numeric_only: bool = False, **kwargs: Any) -> Any:
        """The weighted mean of each window."""
        return self._call("mean", numeric_only=numeric_only, **kwargs)

    def std(self, ddof: int = 1, numeric_only: bool = False, **kwargs: Any) -> Any:
        """The weighted standard deviation of each window."""
        return self._call("std", ddof=ddof, numeric_only=numeric_only, **kwargs)

    def var(self, ddof: int = 1, numeric_only: bool = False, **kwargs: Any) -> Any:
        """The weighted variance of each window."""
        return self._call("var", ddof=ddof, numeric_only=numeric_only, **kwargs)
