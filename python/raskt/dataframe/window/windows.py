"""Windows over rows and over spans of time, in pandas on the gathered rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.partitionwise import over_all

ROLLING = ["count", "sum", "mean", "median", "min", "max", "std", "var", "skew", "kurt", "quantile", "cov", "sem"]
RESAMPLING = [
    "count",
    "sum",
    "mean",
    "median",
    "min",
    "max",
    "std",
    "var",
    "first",
    "last",
    "nunique",
    "ohlc",
    "prod",
    "quantile",
    "sem",
    "size",
]


class Windows:
    """A view of rows whose methods run on all rows at once."""

    def __init__(self, rows: Any, *args: Any, **kwargs: Any) -> None:
        self._rows, self._args, self._options = rows, args, kwargs

    def _open(self, rows: Any) -> Any:
        """The pandas object that has the methods."""
        raise NotImplementedError

    def _call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        kind = type(self).__name__.lower()
        return over_all(
            lambda rows: getattr(self._open(rows), name)(*args, **kwargs), self._rows, name=f"{kind} {name}"
        )

    def agg(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """Aggregations of each window, by name or by function."""
        return self._call("agg", func, *args, **kwargs)

    aggregate = agg


class Rolling(Windows):
    """Windows of a number of rows, or of a span of time of the index, that end at each row.

    >>> import pandas as pd, raskt.dataframe as rd
    >>> x = rd.from_pandas(pd.Series([1.0, 2.0, 4.0]), npartitions=2)
    >>> x.rolling(2).sum().compute().tolist()
    [nan, 3.0, 6.0]
    """

    def _open(self, rows: Any) -> Any:
        return rows.rolling(*self._args, **self._options)

    @property
    def kwargs(self) -> dict[str, Any]:
        """The options of the windows."""
        return dict(self._options)

    def apply(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """A function of each window."""
        return self._call("apply", func, *args, **kwargs)


class Resampler(Windows):
    """Groups of rows by spans of time of the index.

    >>> import pandas as pd, raskt.dataframe as rd
    >>> x = pd.Series(range(4), index=pd.date_range("2020-01-01", periods=4, freq="12h"))
    >>> rd.from_pandas(x, npartitions=2).resample("1D").sum().compute().tolist()
    [1, 5]
    """

    def __init__(self, rows: Any, rule: Any, **kwargs: Any) -> None:
        if not rows._as_frame().index_dtype.startswith(("datetime64", "timedelta64", "period")):
            raise TypeError("resample needs an index of times: call set_index with a column of times first")
        super().__init__(rows, rule, **kwargs)

    def _open(self, rows: Any) -> Any:
        return rows.resample(*self._args, **self._options)


class GroupedRolling:
    """Windows over the rows of each group."""

    def __init__(self, groupby: Any, window: Any, options: dict[str, Any]) -> None:
        self._groupby, self._window, self._options = groupby, window, options

    def _call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        call = lambda grouped: getattr(grouped.rolling(self._window, **self._options), name)(*args, **kwargs)
        return self._groupby._in_pandas(call, f"groupby rolling {name}")


def _method(name: str) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self._call(name, *args, **kwargs)

    method.__name__ = name
    method.__doc__ = f"The `{name}` of each window."
    return method


for _name in ROLLING:
    setattr(Rolling, _name, _method(_name))
    setattr(GroupedRolling, _name, _method(_name))
for _name in RESAMPLING:
    setattr(Resampler, _name, _method(_name))
