"""Views of rows through windows, whose methods run in pandas on the gathered rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.absent import own_or_absent
from ..base.arguments import as_list
from ..base.checks import refuse_engine
from ..base.collection import is_frame
from ..base.meta import sample_of
from ..base.pandas_methods import given, run, trial
from ..base.partitionwise import WithNames
from ..base.steps import with_steps_as
from ..base.whole import over_whole

#: What opens windows of which there is one for each row.
SLIDING = ("rolling", "expanding", "ewm")
#: Methods that give several rows for each window of a frame.
OF_PAIRS = ("cov", "corr")


def asks_for_pairs(method: str, args: tuple[Any, ...]) -> bool:
    """Whether a method, or one of those that `agg` is asked for, may give several rows for each window."""
    if method in OF_PAIRS:
        return True
    asked = args[0] if method in ("agg", "aggregate") and args else None
    asked = list(asked.values()) if isinstance(asked, dict) else asked
    return any(asks_for_pairs(one, ()) for one in as_list(asked) if isinstance(one, str | list)) if asked else False


class WindowCall:
    """A method of the windows over a pandas object; it can be sent to a worker process."""

    def __init__(self, opener: str, options: dict[str, Any], chosen: Any, method: str) -> None:
        self.opener = opener
        self.options = options
        self.chosen = chosen
        self.method = method
        self.__name__ = f"{opener} {method}"

    def __call__(self, rows: Any, *args: Any, **options: Any) -> Any:
        """The method's result for all rows."""
        windows = getattr(rows, self.opener)(**self.options)
        windows = windows if self.chosen is None else windows[self.chosen]
        return getattr(windows, self.method)(*args, **options)


class Windows:
    """Windows over the rows of a frame or a series."""

    #: The method of pandas that opens them.
    opener = ""

    def __init__(self, rows: Any, chosen: Any = None, **options: Any) -> None:
        self._rows, self._chosen, self._options = rows, chosen, given(options)
        self._check()

    def _check(self) -> None:
        """pandas' errors for wrong options, told on a sample."""
        getattr(sample_of(self._rows), self.opener)(**self._options)

    def __getitem__(self, columns: Any) -> Any:
        """The same windows over some columns."""
        self._rows[columns]
        return type(self)(self._rows, columns, **self._options)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and self._chosen is None and is_frame(self._rows) and name in self._rows.columns:
            return self[name]
        return own_or_absent(self, name)

    def __dir__(self) -> list[str]:
        columns = self._rows.columns if is_frame(self._rows) and self._chosen is None else []
        return sorted({*super().__dir__(), *(name for name in columns if str(name).isidentifier())})

    @property
    def kwargs(self) -> dict[str, Any]:
        """The options of the windows."""
        return dict(self._options)

    def _call(self, method: str, /, *args: Any, meta: Any = None, **options: Any) -> Any:
        call = WindowCall(self.opener, self._options, self._chosen, method)
        every = self._options.get("step") or 1
        if self.opener in SLIDING and every == 1 and not asks_for_pairs(method, args):
            options = given(options)
            meta = trial(call, (self._rows, *args), options) if meta is None else meta
            named, values = WithNames(call, list(options)), (*args, *options.values())
            return over_whole(named, self._rows, *values, name=call.__name__, meta=meta, same_rows=True)
        found = run(call, (self._rows, *args), options, gather=True, meta=meta)
        if self.opener not in SLIDING:
            return found
        return with_steps_as(found, self._rows, lambda labels: labels[::every])

    def _apply(self, *args: Any) -> Any:
        """`apply`, whose results are of the types that sums have, so that nobody's function runs on a sample."""
        meta = trial(WindowCall(self.opener, self._options, self._chosen, "sum"), (self._rows,), {})
        return self._call("apply", *args, meta=meta)

    def agg(self, func: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Aggregations of each window: a name, a function, a list of them, or a dictionary by column.

        Parameters
        ----------
        func : str, callable, list or dict
            What is done.
        *args, **kwargs
            More arguments of it.

        Returns
        -------
        DataFrame or Series
            In one partition.
        """
        return self._call("agg", func, *args, **kwargs)

    aggregate = agg

    def pipe(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """`func(self, *args, **kwargs)`, for chains."""
        return func(self, *args, **kwargs)


class WindowStatistics:
    """The statistics of windows of which each row counts the same, in terms of `_call`; as in pandas, all in floats."""

    _call: Callable[..., Any]
    _apply: Callable[..., Any]

    def count(self, numeric_only: bool = False) -> Any:
        """How many values of each window are there."""
        return self._call("count", numeric_only=numeric_only)

    def sum(self, numeric_only: bool = False, engine: Any = None, engine_kwargs: Any = None) -> Any:
        """The sum of each window."""
        return self._plain("sum", numeric_only, engine, engine_kwargs)

    def mean(self, numeric_only: bool = False, engine: Any = None, engine_kwargs: Any = None) -> Any:
        """The mean of each window."""
        return self._plain("mean", numeric_only, engine, engine_kwargs)

    def median(self, numeric_only: bool = False, engine: Any = None, engine_kwargs: Any = None) -> Any:
        """The median of each window."""
        return self._plain("median", numeric_only, engine, engine_kwargs)

    def min(self, numeric_only: bool = False, engine: Any = None, engine_kwargs: Any = None) -> Any:
        """The least value of each window."""
        return self._plain("min", numeric_only, engine, engine_kwargs)

    def max(self, numeric_only: bool = False, engine: Any = None, engine_kwargs: Any = None) -> Any:
        """The greatest value of each window."""
        return self._plain("max", numeric_only, engine, engine_kwargs)

    def _plain(self, method: str, numeric_only: bool, engine: Any, engine_kwargs: Any) -> Any:
        refuse_engine(method, engine, engine_kwargs)
        return self._call(method, numeric_only=numeric_only)

    def std(self, ddof: int = 1, numeric_only: bool = False, engine: Any = None, engine_kwargs: Any = None) -> Any:
        """The standard deviation of each window, with `n - ddof` as divisor."""
        refuse_engine("std", engine, engine_kwargs)
        return self._call("std", ddof=ddof, numeric_only=numeric_only)

    def var(self, ddof: int = 1, numeric_only: bool = False, engine: Any = None, engine_kwargs: Any = None) -> Any:
        """The variance of each window, with `n - ddof` as divisor."""
        refuse_engine("var", engine, engine_kwargs)
        return self._call("var", ddof=ddof, numeric_only=numeric_only)

    def sem(self, ddof: int = 1, numeric_only: bool = False) -> Any:
        """The standard error of the mean of each window."""
        return self._call("sem", ddof=ddof, numeric_only=numeric_only)

    def skew(self, numeric_only: bool = False) -> Any:
        """The skewness of each window, corrected for bias."""
        return self._call("skew", numeric_only=numeric_only)

    def kurt(self, numeric_only: bool = False) -> Any:
        """The excess kurtosis of each window, corrected for bias."""
        return self._call("kurt", numeric_only=numeric_only)

    def first(self, numeric_only: bool = False) -> Any:
        """The first value of each window."""
        return self._call("first", numeric_only=numeric_only)

    def last(self, numeric_only: bool = False) -> Any:
        """The last value of each window."""
        return self._call("last", numeric_only=numeric_only)

    def nunique(self, numeric_only: bool = False) -> Any:
        """How many different values each window has."""
        return self._call("nunique", numeric_only=numeric_only)

    def quantile(self, q: float, interpolation: str = "linear", numeric_only: bool = False) -> Any:
        """The quantile `q` of each window, by one of pandas' ways of interpolation."""
        return self._call("quantile", q, interpolation=interpolation, numeric_only=numeric_only)

    def rank(
        self, method: str = "average", ascending: bool = True, pct: bool = False, numeric_only: bool = False
    ) -> Any:
        """The place of the last value of each window among its values."""
        return self._call("rank", method=method, ascending=ascending, pct=pct, numeric_only=numeric_only)

    def cov(self, other: Any = None, pairwise: bool | None = None, ddof: int = 1, numeric_only: bool = False) -> Any:
        """The covariance of each window with that of another series of the same rows, or of pairs of columns."""
        return self._call("cov", other=other, pairwise=pairwise, ddof=ddof, numeric_only=numeric_only)

    def corr(self, other: Any = None, pairwise: bool | None = None, ddof: int = 1, numeric_only: bool = False) -> Any:
        """The correlation of each window with that of another series of the same rows, or of pairs of columns."""
        return self._call("corr", other=other, pairwise=pairwise, ddof=ddof, numeric_only=numeric_only)

    def apply(
        self,
        func: Callable[..., Any],
        raw: bool = False,
        engine: Any = None,
        engine_kwargs: Any = None,
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """A function of each window, which gives a number.

        Parameters
        ----------
        func : callable
            Gets the window as a series, or as a NumPy array if `raw`.
        raw : bool, default False
            Whether it gets an array.
        engine, engine_kwargs : None
            Kept for pandas' sake: Numba is not supported.
        args, kwargs : tuple and dict, optional
            More arguments of `func`.

        Returns
        -------
        DataFrame or Series
            Of float64, in one partition.
        """
        refuse_engine("apply", engine, engine_kwargs)
        return self._apply(func, raw, None, None, args, kwargs)
