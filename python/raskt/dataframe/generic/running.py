"""Methods of frames and series in which a row depends on the rows before or after it."""

from __future__ import annotations

from typing import Any

from ..base.checks import check_boolean, no_default
from ..base.mixin import Mixin
from ..base.pandas_methods import by_partition, elementwise, gathered, gathered_rows, native_or
from ..base.steps import moves_together, offset_of, with_steps_as

#: Types of columns, and those of values that they are filled with as they are.
FILLED_WITH = {"int64": (int,), "float64": (int, float), "bool": (bool,), "str": (str,)}


class Running(Mixin):
    """Running results, and values of rows nearby, in terms of `_each`."""

    __slots__ = ()

    def ffill(
        self, *, axis: Any = None, inplace: bool = False, limit: int | None = None, limit_area: Any = None
    ) -> Any:
        """Missing values replaced by the last value before them; with `limit` or `limit_area`, gathered, in pandas."""
        return self._fill("ffill", axis, inplace, limit, limit_area)

    def bfill(
        self, *, axis: Any = None, inplace: bool = False, limit: int | None = None, limit_area: Any = None
    ) -> Any:
        """Missing values replaced by the next value after them; with `limit` or `limit_area`, gathered, in pandas."""
        return self._fill("bfill", axis, inplace, limit, limit_area)

    def _fill(self, method: str, axis: Any, inplace: bool, limit: int | None, limit_area: Any) -> Any:
        options = {"limit": limit, "limit_area": limit_area}
        in_pandas = lambda: gathered_rows(method, self, **options)
        if axis in (1, "columns"):
            filled = elementwise(method, self, axis=axis, **options)
        elif limit is not None or limit_area is not None or axis not in (None, 0, "index", "rows"):
            filled = gathered_rows(method, self, axis=axis, **options)
        else:
            filled = native_or(lambda: self._each(lambda column: getattr(column, method)()), in_pandas)
        return self._changed(filled, inplace)

    def interpolate(
        self,
        method: str = "linear",
        *,
        axis: Any = 0,
        limit: int | None = None,
        inplace: bool = False,
        limit_direction: Any = None,
        limit_area: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Missing values replaced by what lies between the values around them (gathered, in pandas).

        `kwargs` are options of SciPy's interpolations, which `method` names.
        """
        options = {"limit": limit, "limit_direction": limit_direction, "limit_area": limit_area, **kwargs}
        run = elementwise if axis in (1, "columns") else gathered_rows
        return self._changed(run("interpolate", self, method, axis=axis, **options), inplace)

    def _cumulative(self, method: str, axis: Any, skipna: bool, **options: Any) -> Any:
        skipna = check_boolean("skipna", skipna)
        if axis in (1, "columns"):
            return elementwise(method, self, axis=1, skipna=skipna, **options)
        in_pandas = lambda: gathered_rows(method, self, axis=axis, skipna=skipna, **options)
        if not skipna or options.get("numeric_only") or axis not in (None, 0, "index", "rows"):
            return in_pandas()
        return native_or(lambda: self._each(lambda column: column.cumulative(method)), in_pandas)

    def shift(
        self, periods: Any = 1, freq: Any = None, axis: Any = 0, fill_value: Any = no_default, suffix: Any = None
    ) -> Any:
        """Values moved by `periods` rows (back if negative); the rows left empty hold `fill_value`, or are missing.

        With `freq` the labels are moved instead. Several `periods` give columns for each, named with `suffix`.
        """
        if isinstance(freq, str) and freq == "infer":
            freq = offset_of(self._as_frame().frequency) or freq  # which pandas only guesses where it isn't known
        options = {"freq": freq, "fill_value": fill_value, "suffix": suffix}
        if axis in (1, "columns"):
            return elementwise("shift", self, periods, axis=1, **options)
        if freq is not None and freq != "infer" and hasattr(periods, "__index__"):
            over = gathered if moves_together(self, freq) else by_partition
            found = over("shift", self, periods, axis=axis, **options)
            return with_steps_as(found, self, lambda labels: labels.shift(periods, freq))
        moved_in_pandas = gathered_rows if freq is None else gathered
        in_pandas = lambda: moved_in_pandas("shift", self, periods, axis=axis, **options)
        plain = freq is None and suffix is None and hasattr(periods, "__index__") and axis in (None, 0, "index", "rows")
        if not plain:
            return in_pandas()
        fill = None if fill_value is no_default else fill_value

        def moved(column: Any) -> Any:
            if fill is not None and not isinstance(fill, FILLED_WITH.get(column.dtype, ())):
                raise NotImplementedError
            return column.shift(int(periods), fill)

        return native_or(lambda: self._each(moved), in_pandas)

    def diff(self, periods: int = 1, axis: Any = 0) -> Any:
        """Each value less the one `periods` rows before it (columns, with `axis=1`)."""
        if axis in (1, "columns"):
            return elementwise("diff", self, periods, axis=1)
        options = {} if axis in (None, 0, "index", "rows") else {"axis": axis}
        in_pandas = lambda: gathered_rows("diff", self, periods, **options)
        if options or not hasattr(periods, "__index__") or not periods:  # pandas makes floats with a period of 0, too
            return in_pandas()
        return native_or(lambda: self._each(lambda column: column.diff(int(periods))), in_pandas)

    def rank(
        self,
        axis: Any = 0,
        method: str = "average",
        numeric_only: bool = False,
        na_option: str = "keep",
        ascending: bool = True,
        pct: bool = False,
    ) -> Any:
        """The place of each value in the order of its column (of its row, with `axis=1`), from one; ties by `method`.

        `na_option` puts missing values at the `top` or the `bottom`, and `pct` divides by how many there are: those,
        and `numeric_only`, are gathered, in pandas.
        """
        options = {"method": method, "numeric_only": numeric_only, "na_option": na_option}
        options = {**options, "ascending": ascending, "pct": pct}
        if axis in (1, "columns"):
            return elementwise("rank", self, axis=1, **options)
        in_pandas = lambda: gathered_rows("rank", self, axis=axis, **options)
        if numeric_only or na_option != "keep" or pct or axis not in (0, "index", "rows"):
            return in_pandas()
        return native_or(lambda: self._each(lambda column: column.rank(method, bool(ascending))), in_pandas)

    def pct_change(self, periods: int = 1, fill_method: None = None, freq: Any = None, **kwargs: Any) -> Any:
        """Each value as a change of the one `periods` rows before it (gathered, in pandas, which has the options)."""
        return gathered_rows("pct_change", self, periods, fill_method=fill_method, freq=freq, **kwargs)
