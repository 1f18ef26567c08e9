"""Groups of rows by spans of time."""

from __future__ import annotations

from typing import Any

from ..base.meta import dtypes_of, empty, retypable, sample_of
from ..base.pandas_methods import given, run, trial
from ..base.steps import stepped, with_steps_as, word_of
from .windows import WindowCall, Windows

#: Methods whose functions may give other rows than one for each span.
FREE = ("agg", "apply")

#: Methods that add values up, and the types whose sums may be of wider ones.
OF_SUMS = ("sum", "prod")
NARROW = ("int8", "int16", "int32", "uint8", "uint16", "uint32")

#: Methods that give values of the column, or none where a span has none.
OF_VALUES = ("first", "last", "min", "max", "asfreq", "ffill", "bfill", "nearest")


#: Methods that count, whatever the values are.
COUNTS = ("count", "size", "nunique")

#: Those of them that pandas has for truth values as well.
OF_TRUTH = ("first", "last", "min", "max")


class Resampler(Windows):
    """Groups of rows by spans of time of the index, or of a column.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> x = pd.Series(range(4), index=pd.date_range("2020-01-01", periods=4, freq="12h"))
    >>> rd.from_pandas(x, npartitions=2).resample("1D").sum().compute().tolist()
    [1, 5]
    """

    opener = "resample"

    def _call(self, method: str, /, *args: Any, meta: Any = None, **options: Any) -> Any:
        from pandas.tseries.frequencies import to_offset

        self._refuse_truth(method)
        if method in ("agg", "ohlc") and meta is None and not any(map(callable, args)):
            call = WindowCall(self.opener, self._options, self._chosen, method)
            meta, may_miss = self._by_spans(call, args, given(options))
            found = run(call, (self._rows, *args), options, gather=True, meta=meta, may_miss=may_miss)
        elif method in OF_VALUES and meta is None:
            call = WindowCall(self.opener, self._options, self._chosen, method)
            options = given(options)
            meta = own_types(trial(call, (self._rows, *args), options), empty(self._rows))
            found = run(call, (self._rows, *args), options, gather=True, meta=meta, may_miss=True)
        elif method in OF_SUMS and meta is None:
            call = WindowCall(self.opener, self._options, self._chosen, method)
            options = given(options)
            meta = of_64_bits(trial(call, (self._rows, *args), {**options, "min_count": 0}))
            may_miss = options["min_count"] > 0
            found = run(call, (self._rows, *args), options, gather=True, meta=meta, may_miss=may_miss)
        else:
            found = super()._call(method, *args, meta=meta, **options)
        if method == "transform":
            ordered = lambda labels: labels.sort_values()
            return with_steps_as(found, self._rows, ordered) if self._options.get("on") is None else found
        return stepped(found, word_of(to_offset(self._options["rule"]))) if self._is_of_spans(method, args) else found

    def _refuse_truth(self, method: str) -> None:
        """NotImplementedError for truth values, where their type is told only by all rows and all spans."""
        few = sample_of(self._rows)
        chosen = few if self._chosen is None else few[self._chosen]
        if method in OF_TRUTH and any(dtype == bool for dtype in dtypes_of(chosen)):
            self._refuse(method, "pandas has floats of them if a span has no rows, and truth values if each has one")
        if method not in COUNTS and any(column.is_truth for at, column in retypable(self._of_chosen()) if at >= 0):
            self._refuse(method, "of which some may be missing, which only all rows tell")

    def _of_chosen(self) -> Any:
        """The rows with the columns that are chosen."""
        return self._rows if self._chosen is None else self._rows[self._chosen]

    def _refuse(self, method: str, why: str) -> None:
        raise NotImplementedError(
            f"resample().{method}() of truth values: {why}; convert them by astype('float64') or astype('int8') first"
        )

    def _by_spans(self, call: WindowCall, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, list[bool]]:
        """What several aggregations give, and which columns may miss values: integers are floats if a span is empty."""
        import numpy as np

        sparse = trial(call, (self._rows, *args), options)
        dense = call(self._in_one_span(sample_of(self._rows)), *args, **options)
        dtypes = list(zip(dtypes_of(dense), dtypes_of(sparse), strict=True))
        whole = [isinstance(one, np.dtype) and one.kind in "iu" and str(other) == "float64" for one, other in dtypes]
        if any(one == bool and other != bool for one, other in dtypes):
            self._refuse(
                call.method, "pandas has floats of them if a span has no rows, and truth values if each has one"
            )
        return retyped(
            sparse, [one if is_whole else other for (one, other), is_whole in zip(dtypes, whole, strict=True)]
        ), whole

    def _in_one_span(self, few: Any) -> Any:
        """A few rows at one point in time."""
        on = self._options.get("on")
        if on is not None:
            return few.assign(**{on: few[on].iloc[0]})
        return few.set_axis(few.index[[0] * len(few)], axis=0)

    def _is_of_spans(self, method: str, args: tuple[Any, ...]) -> bool:
        """Whether the result has a row for each span, and no other: of a function, that is tried on a few rows."""
        if method not in FREE or (args and not callable(args[0])):
            return True
        try:
            few = sample_of(self._rows)
            count = WindowCall(self.opener, self._options, self._chosen, "count")(few)
            found = WindowCall(self.opener, self._options, self._chosen, method)(few, *args)
        except Exception:  # what the function thinks of such rows is told when there are any
            return False
        return bool(found.index.equals(count.index))

    def agg(self, func: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Aggregations of each group: a name, a function, a list of them, or a dictionary by column."""
        if isinstance(func, str) and hasattr(type(self), func):
            return getattr(self, func)(*args, **kwargs)
        return self._call("agg", func, *args, **kwargs)

    aggregate = agg

    def count(self) -> Any:
        """How many values of each group are there."""
        return self._call("count")

    def size(self) -> Any:
        """How many rows each group has."""
        return self._call("size")

    def nunique(self) -> Any:
        """How many different values each group has."""
        return self._call("nunique")

    def ohlc(self) -> Any:
        """The first, greatest, least and last value of each group."""
        return self._call("ohlc")

    def sum(self, numeric_only: bool = False, min_count: int = 0) -> Any:
        """The sum of each group; missing where fewer than `min_count` values are there."""
        return self._call("sum", numeric_only=numeric_only, min_count=min_count)

    def prod(self, numeric_only: bool = False, min_count: int = 0) -> Any:
        """The product of each group."""
        return self._call("prod", numeric_only=numeric_only, min_count=min_count)

    def min(self, numeric_only: bool = False, min_count: int = 0) -> Any:
        """The least value of each group."""
        return self._call("min", numeric_only=numeric_only, min_count=min_count)

    def max(self, numeric_only: bool = False, min_count: int = 0) -> Any:
        """The greatest value of each group."""
        return self._call("max", numeric_only=numeric_only, min_count=min_count)

    def first(self, numeric_only: bool = False, min_count: int = 0, skipna: bool = True) -> Any:
        """The first value of each group, missing ones left out if `skipna`."""
        return self._call("first", numeric_only=numeric_only, min_count=min_count, skipna=skipna)

    def last(self, numeric_only: bool = False, min_count: int = 0, skipna: bool = True) -> Any:
        """The last value of each group, missing ones left out if `skipna`."""
        return self._call("last", numeric_only=numeric_only, min_count=min_count, skipna=skipna)

    def mean(self, numeric_only: bool = False) -> Any:
        """The mean of each group."""
        return self._call("mean", numeric_only=numeric_only)

    def median(self, numeric_only: bool = False) -> Any:
        """The median of each group."""
        return self._call("median", numeric_only=numeric_only)

    def std(self, ddof: int = 1, numeric_only: bool = False) -> Any:
        """The standard deviation of each group."""
        return self._call("std", ddof=ddof, numeric_only=numeric_only)

    def var(self, ddof: int = 1, numeric_only: bool = False) -> Any:
        """The variance of each group."""
        return self._call("var", ddof=ddof, numeric_only=numeric_only)

    def sem(self, ddof: int = 1, numeric_only: bool = False) -> Any:
        """The standard error of the mean of each group."""
        return self._call("sem", ddof=ddof, numeric_only=numeric_only)

    def quantile(self, q: Any = 0.5, **kwargs: Any) -> Any:
        """The quantile `q` of each group; a list of them makes a level of the index. pandas has the other options."""
        return self._call("quantile", q, **kwargs)

    def asfreq(self, fill_value: Any = None) -> Any:
        """The rows at the starts of the groups; new ones hold `fill_value`."""
        return self._call("asfreq", fill_value=fill_value)

    def ffill(self, limit: int | None = None) -> Any:
        """A row for each span, missing values replaced by the last before them."""
        return self._call("ffill", limit=limit)

    def bfill(self, limit: int | None = None) -> Any:
        """A row for each span, missing values replaced by the next after them."""
        return self._call("bfill", limit=limit)

    def nearest(self, limit: int | None = None) -> Any:
        """A row for each span, missing values replaced by the nearest."""
        return self._call("nearest", limit=limit)

    def interpolate(
        self,
        method: str = "linear",
        *,
        axis: Any = 0,
        limit: int | None = None,
        limit_direction: str = "forward",
        limit_area: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """A row for each span, missing values between others interpolated; pandas has the options."""
        options = {"axis": axis, "limit": limit, "limit_direction": limit_direction, "limit_area": limit_area}
        return self._call("interpolate", method, **options, **kwargs)

    def apply(self, func: Any = None, *args: Any, **kwargs: Any) -> Any:
        """A function of each group, or an aggregation by its name."""
        if isinstance(func, str):
            return self.agg(func, *args, **kwargs)
        return self._call("apply", func, *args, **kwargs)

    def transform(self, arg: Any, *args: Any, **kwargs: Any) -> Any:
        """A value for each row, by a function of its group."""
        return self._call("transform", arg, *args, **kwargs)


def of_64_bits(meta: Any) -> Any:
    """`meta` with integers of 64 bits: whether sums fit the type of the column, as pandas asks, only the rows tell."""

    def wide(dtype: Any) -> Any:
        return {"i": "int64", "u": "uint64"}[dtype.kind] if str(dtype) in NARROW else dtype

    if meta.ndim == 1:
        return meta.astype(wide(meta.dtype))
    return meta.astype({label: wide(dtype) for label, dtype in meta.dtypes.items()})


def own_types(meta: Any, rows: Any) -> Any:
    """`meta` with the types that columns of integers and truth values have in `rows`: whether values are missing, which
    makes others of them, only the spans tell."""
    import numpy as np

    def own(found: Any, dtype: Any) -> Any:
        widened = (dtype.kind in "iu" and str(found) == "float64") or (dtype.kind == "b" and found == object)
        return dtype if isinstance(dtype, np.dtype) and widened else found

    if meta.ndim == 1:
        if rows.ndim == 2 and meta.name not in rows:
            return meta
        column = rows if rows.ndim == 1 else rows[meta.name]
        return meta.astype(own(meta.dtype, column.dtype)) if column.ndim == 1 else meta
    dtypes = [own(meta.dtypes.iloc[at], rows[label].dtype) if label in rows else meta.dtypes.iloc[at]
              for at, label in enumerate(meta.columns)]  # fmt: skip
    return retyped(meta, dtypes)


def retyped(meta: Any, dtypes: list[Any]) -> Any:
    """An empty result with other types of its columns."""
    import pandas as pd

    if meta.ndim == 1:
        return meta.astype(dtypes[0])
    columns = {at: pd.Series([], dtype=dtype) for at, dtype in enumerate(dtypes)}
    return pd.DataFrame(columns).set_axis(meta.index, axis=0).set_axis(meta.columns, axis=1)
