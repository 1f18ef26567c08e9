"""Methods of groups that give rows, or that see whole groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.labels import decode_label
from ..base.registry import wrap
from ..window.windows import GroupedRolling
from .grouping import Grouping


class GroupRows:
    """The part of group-bys about rows of groups."""

    _grouping: Grouping
    _chosen: list[str] | None

    @property
    def _values(self) -> list[str]:
        return self._grouping.values if self._chosen is None else self._chosen

    def _column(self, name: str) -> Any:
        return self._grouping.frame._expr.column(name)

    def apply(self, func: Callable[..., Any], *args: Any, meta: Any = None, **kwargs: Any) -> Any:
        """A function of each group (a pandas object); all rows are gathered into one partition for it.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"k": [1, 1, 2], "x": [1, 5, 3]}), npartitions=2)
        >>> df.groupby("k")["x"].apply(lambda x: x.max() - x.min()).compute().tolist()
        [4, 0]
        """
        name = getattr(func, "__name__", "apply")
        return self._in_pandas(lambda grouped: grouped.apply(func, *args, **kwargs), f"groupby apply {name}", meta)

    def transform(self, func: Any, *args: Any, meta: Any = None, **kwargs: Any) -> Any:
        """A value for each row from its group: natively for an aggregation by name, otherwise gathered, in pandas."""
        if isinstance(func, str) and not args and not kwargs and self._grouping.dropna is True:
            try:
                return self._over(lambda column: column.reduce(func))
            except NotImplementedError:
                pass
        name = getattr(func, "__name__", str(func))
        return self._in_pandas(
            lambda grouped: grouped.transform(func, *args, **kwargs), f"groupby transform {name}", meta
        )

    def _over(self, function: Callable[[Any], Any]) -> Any:
        """A function of the rows of each group that gives as many, natively."""
        keys = self._grouping.keys
        columns = [(name, function(self._column(name)).over(keys)) for name in self._values]
        return self._row_result(self._grouping.frame._expr.select(columns))

    def _row_result(self, frame: Any) -> Any:
        return wrap(frame)

    def _in_pandas(self, function: Callable[[Any], Any], name: str, meta: Any = None) -> Any:
        chosen = self._selection()
        return self._grouping.over_all(
            lambda grouped: function(grouped if chosen is None else grouped[chosen]), name, meta
        )

    def _selection(self) -> Any:
        return None if self._chosen is None else [decode_label(name) for name in self._chosen]

    def _by_rows(self, name: str, function: Callable[[Any], Any] | None, *args: Any, **kwargs: Any) -> Any:
        if function is not None:
            try:
                return self._over(function)
            except NotImplementedError:
                pass
        return self._in_pandas(lambda grouped: getattr(grouped, name)(*args, **kwargs), f"groupby {name}")

    def cumsum(self, **kwargs: Any) -> Any:
        """Running sums in each group."""
        return self._by_rows("cumsum", lambda column: column.cumulative("cumsum"))

    def cumprod(self, **kwargs: Any) -> Any:
        """Running products in each group."""
        return self._by_rows("cumprod", lambda column: column.cumulative("cumprod"))

    def cummin(self, **kwargs: Any) -> Any:
        """Running minima in each group."""
        return self._by_rows("cummin", lambda column: column.cumulative("cummin"))

    def cummax(self, **kwargs: Any) -> Any:
        """Running maxima in each group."""
        return self._by_rows("cummax", lambda column: column.cumulative("cummax"))

    def cumcount(self) -> Any:
        """The number of each row in its group, from zero (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.cumcount(), "groupby cumcount")

    def ngroup(self) -> Any:
        """The number of the group of each row (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.ngroup(), "groupby ngroup")

    def shift(self, periods: int = 1, fill_value: Any = None, **kwargs: Any) -> Any:
        """Values moved by `periods` rows in each group."""
        options = {} if fill_value is None else {"fill_value": fill_value}
        return self._by_rows("shift", lambda column: column.shift(int(periods), fill_value), periods, **options)

    def diff(self, periods: int = 1) -> Any:
        """Each value less the one `periods` rows before it in its group."""
        return self._by_rows("diff", lambda column: column.diff(int(periods)), periods)

    def rank(self, method: str = "average", ascending: bool = True, **kwargs: Any) -> Any:
        """The place of each value in its group, from one (gathered, in pandas)."""
        return self._by_rows("rank", None, method=method, ascending=ascending, **kwargs)

    def ffill(self, limit: int | None = None) -> Any:
        """Missing values replaced by the last value before them in their group."""
        return self._by_rows("ffill", (lambda column: column.ffill()) if limit is None else None, limit=limit)

    def bfill(self, limit: int | None = None) -> Any:
        """Missing values replaced by the next value after them in their group."""
        return self._by_rows("bfill", (lambda column: column.bfill()) if limit is None else None, limit=limit)

    def head(self, n: int = 5, **kwargs: Any) -> Any:
        """The first `n` rows of each group (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.head(n), "groupby head")

    def tail(self, n: int = 5, **kwargs: Any) -> Any:
        """The last `n` rows of each group (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.tail(n), "groupby tail")

    def idxmax(self, **kwargs: Any) -> Any:
        """The index label of the greatest value of each group (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.idxmax(), "groupby idxmax")

    def idxmin(self, **kwargs: Any) -> Any:
        """The index label of the least value of each group (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.idxmin(), "groupby idxmin")

    def quantile(self, q: Any = 0.5, **kwargs: Any) -> Any:
        """The quantile `q` of each group (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.quantile(q), "groupby quantile")

    def describe(self, **kwargs: Any) -> Any:
        """A summary of each group (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.describe(), "groupby describe")

    def corr(self, **kwargs: Any) -> Any:
        """The correlations in each group (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.corr(**kwargs), "groupby corr")

    def cov(self, **kwargs: Any) -> Any:
        """The covariances in each group (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.cov(**kwargs), "groupby cov")

    def sem(self, **kwargs: Any) -> Any:
        """The standard error of the mean of each group (gathered, in pandas)."""
        return self._in_pandas(lambda grouped: grouped.sem(**kwargs), "groupby sem")

    def rolling(self, window: Any, **kwargs: Any) -> Any:
        """Windows that move over the rows of each group (gathered, in pandas)."""
        return GroupedRolling(self, window, kwargs)
