"""Methods of groups that give rows, or that see whole groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.checks import no_default, refuse_engine
from ..base.collection import is_frame
from ..base.labels import decode_label
from ..base.meta import empty, type_of
from ..base.pandas_methods import Method, native_or
from ..base.registry import wrap
from ..base.steps import with_steps_of
from ..base.tuning import tunable
from ..window.grouped import GroupedExpanding, GroupedExponential, GroupedRolling
from .grouping import COUNTS, Grouping, is_nullable


class GroupTransforms:
    """The part of group-bys about rows of groups."""

    _grouping: Grouping
    _chosen: list[str] | None
    _as_series: bool

    @property
    def _values(self) -> list[str]:
        return self._grouping.values if self._chosen is None else self._chosen

    def _column(self, name: str) -> Any:
        return self._grouping.frame._plan_of([name]).column(name)

    def _numbers(self, numeric_only: bool) -> list[str]:
        """The value columns, or those among them that hold numbers."""
        import pandas as pd

        names = self._values
        if not numeric_only:
            return names
        numbers = [name for name in names if pd.api.types.is_numeric_dtype(type_of(self._column(name)))]
        if self._as_series and names != numbers:
            raise TypeError(f"Cannot use numeric_only=True with SeriesGroupBy of {self._column(names[0]).dtype}")
        return numbers

    def apply(self, func: Any, *args: Any, include_groups: bool = False, meta: Any = None, **kwargs: Any) -> Any:
        """A function of each group (a pandas object); all rows are gathered into one partition for it.

        Parameters
        ----------
        func : callable or str
            What is called with each group.
        *args, **kwargs
            More arguments of `func`.
        include_groups : bool, default False
            Kept for pandas' sake, which takes only False.
        meta : optional
            The names and types of the result; found on a few rows without it.

        Returns
        -------
        DataFrame or Series
            In one partition.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"k": [1, 1, 2], "x": [1, 5, 3]}), npartitions=2)
        >>> df.groupby("k")["x"].apply(lambda x: x.max() - x.min()).compute().tolist()
        [4, 0]
        """
        if include_groups:
            raise ValueError("include_groups=True is no longer allowed.")
        return self._by_function("apply", func, args, kwargs, meta)

    def transform(
        self,
        func: Any = None,
        *args: Any,
        engine: Any = None,
        engine_kwargs: Any = None,
        meta: Any = None,
        **kwargs: Any,
    ) -> Any:
        """A value for each row from its group: natively for an aggregation by name, otherwise gathered, in pandas."""
        refuse_engine("transform", engine, engine_kwargs)
        if isinstance(func, str) and not args and not kwargs and meta is None:
            of_groups = func == "size" and not self._as_series  # one column, whatever columns the groups have
            if of_groups or (func in COUNTS and any(is_nullable(self._column(name)) for name in self._values)):
                return self._rows_in_pandas("transform", func)
            native = lambda: self._over(lambda column: column.reduce(func), self._values, func)
            return native_or(native, lambda: self._rows_in_pandas("transform", func))
        return with_steps_of(self._by_function("transform", func, args, kwargs, meta), self._grouping.frame)

    def filter(self, func: Callable[..., Any], dropna: bool = True, *args: Any, **kwargs: Any) -> Any:
        """The rows of the groups of which a function is true (gathered, in pandas)."""
        return self._by_function("filter", func, (dropna, *args), kwargs, None)

    def _by_function(self, method: str, func: Any, args: Any, options: dict[str, Any], meta: Any) -> Any:
        """A method with a function of the user's own."""
        name = f"groupby {method} {getattr(func, '__name__', func)}"
        return self._grouping.over_all(
            Method(method),
            name,
            func,
            *args,
            chosen=self._selection(),
            meta=meta,
            own_function=callable(func),
            named=options,
        )

    def _in_pandas(self, method: str, /, *args: Any, meta: Any = None, **options: Any) -> Any:
        """A method of pandas' group-by of all rows, gathered."""
        return self._run_in_pandas(Method(method), f"groupby {method}", *args, meta=meta, **options)

    def _rows_in_pandas(self, method: str, /, *args: Any, **options: Any) -> Any:
        """A method of pandas' group-by of all rows, gathered, that gives a row for each row."""
        told = {"chosen": self._selection(), "same_rows": True}
        return self._grouping.over_all(Method(method), f"groupby {method}", *args, **told, **options)

    def _run_in_pandas(self, function: Callable[..., Any], name: str, /, *args: Any, meta: Any, **options: Any) -> Any:
        """A function of pandas' group-by of all rows, gathered."""
        return self._grouping.over_all(function, name, *args, chosen=self._selection(), meta=meta, named=options)

    def _over(self, function: Callable[[Any], Any], names: list[str], method: str = "") -> Any:
        """A function of the rows of each group that gives as many, natively; NotImplementedError where it cannot be."""
        keys = self._grouping.keys
        if keys is None or not self._grouping.dropna:
            raise NotImplementedError
        inputs = [(name, self._column(name)) for name in names]
        if not all(column.is_rowwise for _, column in inputs):
            # What looks at other rows has to look at all of them, and not at its group's.
            raise NotImplementedError
        columns = [(name, function(column).over(keys)) for name, column in inputs]
        return self._row_result(self._grouping.frame._plan.select(columns))

    def _row_result(self, frame: Any) -> Any:
        return wrap(frame)

    def _selection(self) -> Any:
        return None if self._chosen is None else [decode_label(name) for name in self._chosen]

    def _cumulative(self, method: str, numeric_only: bool, skipna: bool) -> Any:
        in_pandas = lambda: self._rows_in_pandas(method, numeric_only=numeric_only, skipna=skipna)
        if not skipna:
            return in_pandas()
        cumulative = lambda column: column.cumulative(method)
        return native_or(lambda: self._over(cumulative, self._numbers(numeric_only)), in_pandas)

    def cumsum(self, numeric_only: bool = False, skipna: bool = True) -> Any:
        """Running sums in each group; a missing value stays missing, and ends the sums unless `skipna`."""
        return self._cumulative("cumsum", numeric_only, skipna)

    def cumprod(self, numeric_only: bool = False, skipna: bool = True) -> Any:
        """Running products in each group."""
        return self._cumulative("cumprod", numeric_only, skipna)

    def cummin(self, numeric_only: bool = False, skipna: bool = True) -> Any:
        """Running minima in each group."""
        return self._cumulative("cummin", numeric_only, skipna)

    def cummax(self, numeric_only: bool = False, skipna: bool = True) -> Any:
        """Running maxima in each group."""
        return self._cumulative("cummax", numeric_only, skipna)

    def cumcount(self, ascending: bool = True) -> Any:
        """The number of each row in its group, from zero, from its end unless `ascending` (gathered, in pandas)."""
        return self._rows_in_pandas("cumcount", ascending=ascending)

    def ngroup(self, ascending: bool = True) -> Any:
        """The number of the group of each row (gathered, in pandas)."""
        return self._rows_in_pandas("ngroup", ascending=ascending)

    @tunable("shuffle_method")
    def shift(
        self, periods: Any = 1, freq: Any = None, fill_value: Any = no_default, suffix: Any = None, meta: Any = None
    ) -> Any:
        """Values moved by `periods` rows in each group; with `freq`, the labels are moved instead.

        Several `periods` give a column for each, named by the column and the period after `suffix` or `_`.
        """
        options = {"freq": freq, "fill_value": fill_value, "suffix": suffix}
        in_pandas = lambda: self._in_pandas("shift", periods, meta=meta, **options)
        if not isinstance(fill_value, bool) and fill_value not in (no_default, None):
            truths = [name for name in self._values if self._column(name).dtype == "boolean"]
            if truths:
                raise NotImplementedError(
                    f"shift of truth values with {fill_value!r} among them: fill by True or False"
                )
        told = freq is not None or suffix is not None or fill_value is not no_default
        if told or not hasattr(periods, "__index__") or int(periods) == 0:  # which keeps rows without a group
            return in_pandas()
        return native_or(lambda: self._over(lambda column: column.shift(int(periods)), self._values), in_pandas)

    def diff(self, periods: int = 1) -> Any:
        """Each value less the one `periods` rows before it in its group."""
        if not hasattr(periods, "__index__") or int(periods) == 0:
            return self._in_pandas("diff", periods)
        native = lambda: self._over(lambda column: column.diff(int(periods)), self._values)
        return native_or(native, lambda: self._rows_in_pandas("diff", periods))

    def pct_change(self, periods: int = 1, fill_method: None = None, freq: Any = None) -> Any:
        """Each value as a change of the one `periods` rows before it in its group (gathered, in pandas)."""
        found = self._in_pandas("pct_change", periods=periods, fill_method=fill_method, freq=freq)
        return with_steps_of(found, self._grouping.frame)

    def rank(self, method: str = "average", ascending: bool = True, na_option: str = "keep", pct: bool = False) -> Any:
        """The place of each value in its group, from one (gathered, in pandas)."""
        return self._rows_in_pandas("rank", method=method, ascending=ascending, na_option=na_option, pct=pct)

    @tunable("shuffle_method")
    def ffill(self, limit: int | None = None) -> Any:
        """Missing values replaced by the last value before them in their group, at most `limit` in a row."""
        return self._fill("ffill", limit)

    @tunable("shuffle_method")
    def bfill(self, limit: int | None = None) -> Any:
        """Missing values replaced by the next value after them in their group, at most `limit` in a row."""
        return self._fill("bfill", limit)

    def _fill(self, method: str, limit: int | None) -> Any:
        in_pandas = lambda: self._rows_in_pandas(method, limit=limit)
        if limit is not None:
            return in_pandas()
        return native_or(lambda: self._over(lambda column: getattr(column, method)(), self._values), in_pandas)

    @tunable("split_every", "split_out")
    def head(self, n: int = 5) -> Any:
        """The first `n` rows of each group, or all but the last `-n` (gathered, in pandas)."""
        return self._in_pandas("head", n)

    @tunable("split_every", "split_out")
    def tail(self, n: int = 5) -> Any:
        """The last `n` rows of each group, or all but the first `-n` (gathered, in pandas)."""
        return self._in_pandas("tail", n)

    def nth(self, n: Any, dropna: Any = None) -> Any:
        """The row `n` of each group, or the rows of a list of numbers (gathered, in pandas)."""
        return self._in_pandas("nth", n, dropna=dropna)

    def sample(
        self,
        n: int | None = None,
        frac: float | None = None,
        replace: bool = False,
        weights: Any = None,
        random_state: Any = None,
    ) -> Any:
        """Random rows of each group (gathered, in pandas)."""
        return self._in_pandas(
            "sample",
            n=n,
            frac=frac,
            replace=replace,
            weights=weights,
            random_state=random_state,
            meta=self._rows_meta(),
        )

    def _rows_meta(self) -> Any:
        """What rows of the groups look like."""
        rows, chosen = self._grouping.rows, self._selection()
        from_frame = is_frame(rows) and chosen is not None
        return empty(rows[chosen] if from_frame else rows)

    def rolling(
        self,
        window: Any,
        min_periods: int | None = None,
        center: bool = False,
        win_type: str | None = None,
        on: str | None = None,
        closed: str | None = None,
        method: str = "single",
    ) -> GroupedRolling:
        """Windows that move over the rows of each group (gathered, in pandas); see `DataFrame.rolling`."""
        options = {"min_periods": min_periods, "center": center, "win_type": win_type, "on": on, "closed": closed}
        return GroupedRolling(self, window=window, method=method, **options)

    def expanding(self, min_periods: int = 1, method: str = "single") -> GroupedExpanding:
        """Windows from the first row of each group to each row of it (gathered, in pandas)."""
        return GroupedExpanding(self, min_periods=min_periods, method=method)

    def ewm(
        self,
        com: float | None = None,
        span: float | None = None,
        halflife: Any = None,
        alpha: float | None = None,
        min_periods: int = 0,
        adjust: bool = True,
        ignore_na: bool = False,
        times: Any = None,
        method: str = "single",
    ) -> GroupedExponential:
        """Windows with weights that fade, over the rows of each group (gathered, in pandas)."""
        options = {"com": com, "span": span, "halflife": halflife, "alpha": alpha, "min_periods": min_periods}
        return GroupedExponential(self, adjust=adjust, ignore_na=ignore_na, times=times, method=method, **options)
