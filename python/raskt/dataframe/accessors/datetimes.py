"""The `.dt` accessor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.absent import absent
from ..base.meta import empty
from ..base.partitionwise import over_rows
from ..base.registry import wrap
from ..base.whole import over_whole

#: Fields of times that the native side has.
FIELDS = [
    "year",
    "month",
    "day",
    "hour",
    "minute",
    "second",
    "microsecond",
    "nanosecond",
    "dayofweek",
    "dayofyear",
    "quarter",
    "date",
    "time",
    "is_month_start",
    "is_month_end",
    "is_quarter_start",
    "is_quarter_end",
    "is_year_start",
    "is_year_end",
    "is_leap_year",
    "days_in_month",
]
#: Fields under a second name.
SYNONYMS = {
    "weekday": "dayofweek",
    "day_of_week": "dayofweek",
    "day_of_year": "dayofyear",
    "daysinmonth": "days_in_month",
}
#: Fields of durations that the native side has.
SPANS = ("days", "seconds", "microseconds", "nanoseconds")


class DatetimeMethods:
    """Fields and methods of times and durations, by the names and meanings of `pandas.Series.dt`.

    Those with a native form run natively, the others in pandas for each partition; `explain()` tells which.

    >>> import pandas as pd, raskt.dataframe as rd
    >>> t = rd.from_pandas(pd.Series(pd.to_datetime(["2013-01-01 05:15", "2013-02-28 00:10"])), npartitions=2)
    >>> t.dt.hour.compute().tolist()
    [5, 0]
    """

    def __init__(self, series: Any) -> None:
        dtype = series._expr.dtype
        self._is_plain = series._expr.codec is None and dtype.startswith(("datetime64", "timedelta64"))
        if not self._is_plain:
            empty(series).dt  # noqa: B018  (raises pandas' own AttributeError for other types)
        self._series = series
        self._is_span = dtype.startswith("timedelta64")

    def _native(self, name: str, *args: Any, fallback: Callable[[Any], Any]) -> Any:
        try:
            return wrap(self._series._expr.dt(name, *args))
        except NotImplementedError:
            return self._pandas(name, fallback)

    def _pandas(self, name: str, call: Callable[[Any], Any]) -> Any:
        return over_rows(lambda s: call(s.dt), self._series, name=f"dt.{name}", plainly=True)

    def _at_once(self, name: str, first: Any, ambiguous: Any, nonexistent: Any) -> Any:
        """A method that goes by all rows together: by their order, or by a truth value for each."""
        call = lambda s, how: getattr(s.dt, name)(first, how, nonexistent)
        meta = call(empty(self._series), "NaT")
        return over_whole(call, self._series, ambiguous, name=f"dt.{name}", meta=meta, same_rows=True)

    def __getattr__(self, name: str) -> Any:
        raise absent(self, name)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.startswith("__")]

    def floor(self, freq: Any, ambiguous: Any = "raise", nonexistent: Any = "raise") -> Any:
        """Each time rounded down to a multiple of a span such as `"15min"`."""
        return self._rounded("floor", freq, ambiguous, nonexistent)

    def ceil(self, freq: Any, ambiguous: Any = "raise", nonexistent: Any = "raise") -> Any:
        """Each time rounded up to a multiple of a span."""
        return self._rounded("ceil", freq, ambiguous, nonexistent)

    def round(self, freq: Any, ambiguous: Any = "raise", nonexistent: Any = "raise") -> Any:
        """Each time rounded to the nearest multiple of a span."""
        return self._rounded("round", freq, ambiguous, nonexistent)

    def _rounded(self, name: str, freq: Any, ambiguous: Any, nonexistent: Any) -> Any:
        fallback = lambda times: getattr(times, name)(freq, ambiguous, nonexistent)
        if goes_by_neighbours(ambiguous):
            return self._at_once(name, freq, ambiguous, nonexistent)
        if not isinstance(freq, str) or not _are_texts(ambiguous, nonexistent, "raise"):
            return self._pandas(name, fallback)
        return self._native(name, freq, fallback=fallback)

    def strftime(self, date_format: str) -> Any:
        """Each time as text in a format."""
        return self._native("strftime", date_format, fallback=lambda times: times.strftime(date_format))

    def normalize(self) -> Any:
        """The midnight before each time."""
        return self._native("normalize", fallback=lambda times: times.normalize())

    def day_name(self, locale: Any = None) -> Any:
        """The name of the day of the week."""
        return self._named("day_name", locale)

    def month_name(self, locale: Any = None) -> Any:
        """The name of the month."""
        return self._named("month_name", locale)

    def _named(self, name: str, locale: Any) -> Any:
        fallback = lambda times: getattr(times, name)(locale)
        return self._native(name, fallback=fallback) if locale is None else self._pandas(name, fallback)

    def tz_localize(self, tz: Any, ambiguous: Any = "raise", nonexistent: Any = "raise") -> Any:
        """Times without a zone as times of a zone; None takes the zone away."""
        fallback = lambda times: times.tz_localize(tz, ambiguous, nonexistent)
        if goes_by_neighbours(ambiguous):
            return self._at_once("tz_localize", tz, ambiguous, nonexistent)
        if not isinstance(tz, str | None) or not _are_texts(ambiguous, nonexistent, "raise"):
            return self._pandas("tz_localize", fallback)
        empty(self._series).dt.tz_localize(tz)  # pandas' own error for a zone that there is not
        return self._native("tz_localize", tz, fallback=fallback)

    def tz_convert(self, tz: Any) -> Any:
        """Times of a zone as times of another."""
        fallback = lambda times: times.tz_convert(tz)
        if not isinstance(tz, str | None):
            return self._pandas("tz_convert", fallback)
        empty(self._series).dt.tz_convert(tz)
        return self._native("tz_convert", tz, fallback=fallback)

    def total_seconds(self) -> Any:
        """Each duration in seconds."""
        return self._native("total_seconds", fallback=lambda spans: spans.total_seconds())

    def isocalendar(self) -> Any:
        """Year, week and day by ISO 8601, as a frame, in pandas for each partition."""
        return self._pandas("isocalendar", lambda times: times.isocalendar())

    def to_period(self, freq: Any = None) -> Any:
        """The period in which each time lies, in pandas for each partition; `freq` has to be given.

        Without it pandas looks at all times for the step between them, which only computing could tell.
        """
        if freq is None:
            raise NotImplementedError("dt.to_period() finds the frequency by all times: pass freq=, such as 'M'")
        return self._pandas("to_period", lambda times: times.to_period(freq))

    def to_timestamp(self, freq: Any = None, how: str = "start") -> Any:
        """The time at which each period begins or ends, in pandas for each partition."""
        return self._pandas("to_timestamp", lambda periods: periods.to_timestamp(freq, how))

    def to_pydatetime(self) -> Any:
        """Each time as a `datetime` of Python, in pandas for each partition."""
        return self._pandas("to_pydatetime", lambda times: times.to_pydatetime())

    def to_pytimedelta(self) -> Any:
        """Each duration as a `timedelta` of Python, in pandas for each partition."""
        return over_rows(python_timedeltas, self._series, name="dt.to_pytimedelta", plainly=True)

    def as_unit(self, unit: str, round_ok: bool = True) -> Any:
        """Each time or duration in another unit, in pandas for each partition."""
        rounding = {} if round_ok is True else {"round_ok": round_ok}  # which pandas 3.1 has in its signature alone
        return self._pandas("as_unit", lambda times: times.as_unit(unit, **rounding))

    @property
    def components(self) -> Any:
        """Days, hours, minutes and so on of durations, as a frame, in pandas for each partition."""
        return self._pandas("components", lambda spans: spans.components)

    @property
    def tz(self) -> Any:
        """The time zone, or None."""
        empty(self._series).dt.tz  # noqa: B018  (raises pandas' own AttributeError for what has none)
        return getattr(self._series.dtype, "tz", None)

    @property
    def unit(self) -> str:
        """The unit of the values: s, ms, us or ns."""
        return str(empty(self._series).dt.unit)

    @property
    def freq(self) -> Any:
        """The frequency of periods; None for times."""
        if not self._is_plain and not hasattr(empty(self._series).dt, "freq"):
            raise AttributeError(f"values of {self._series.dtype} have no freq")
        return getattr(self._series.dtype, "freq", None)


def python_timedeltas(spans: Any) -> Any:
    """Durations as those of Python, and as a series; pandas' own method gives an array."""
    import pandas as pd

    return pd.Series(spans.array.to_pytimedelta(), index=spans.index, name=spans.name, dtype=object)


def _field(name: str, native_name: str) -> Any:
    def field(self: DatetimeMethods) -> Any:
        if self._is_plain and (native_name in SPANS) != self._is_span:
            raise AttributeError(f"{self._series._expr.dtype} values have no field {name!r}")
        return self._native(native_name, fallback=lambda times: getattr(times, name))

    field.__doc__ = f"`pandas.Series.dt.{name}` of each value."
    return property(field)


def goes_by_neighbours(ambiguous: Any) -> bool:
    """Whether pandas decides about times that come twice by the rows before, or by a truth value for each row."""
    return ambiguous is not None and (not isinstance(ambiguous, str | bool) or ambiguous == "infer")


def _are_texts(first: Any, second: Any, text: str) -> bool:
    """Whether two arguments, which may be arrays, are both a text."""
    return isinstance(first, str) and isinstance(second, str) and first == second == text


def _field_in_pandas(name: str) -> Any:
    def field(self: DatetimeMethods) -> Any:
        return self._pandas(name, lambda times: getattr(times, name))

    field.__doc__ = f"`pandas.Series.dt.{name}`, in pandas for each partition."
    return property(field)


for _name in (*FIELDS, *SPANS):
    setattr(DatetimeMethods, _name, _field(_name, _name))
for _name, _same in SYNONYMS.items():
    setattr(DatetimeMethods, _name, _field(_name, _same))
for _name in ("timetz", "start_time", "end_time", "qyear"):
    setattr(DatetimeMethods, _name, _field_in_pandas(_name))
