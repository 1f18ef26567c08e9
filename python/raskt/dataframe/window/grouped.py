"""Windows over the rows of each group."""

from __future__ import annotations

from typing import Any

from ..base.meta import empty
from ..base.pandas_methods import given
from .exponential import ExponentialStatistics
from .windows import WindowStatistics


class GroupedWindowCall:
    """A method of windows over the groups of a pandas group-by; it can be sent to a worker process."""

    def __init__(self, opener: str, options: dict[str, Any], method: str) -> None:
        self.opener = opener
        self.options = options
        self.method = method

    def __call__(self, grouped: Any, *args: Any, **options: Any) -> Any:
        """The method's result for all rows."""
        return getattr(getattr(grouped, self.opener)(**self.options), self.method)(*args, **options)


class GroupedWindows:
    """Windows over the rows of each group."""

    opener = ""

    def __init__(self, groupby: Any, **options: Any) -> None:
        self._groupby, self._options = groupby, given(options)

    def _call(self, method: str, /, *args: Any, meta: Any = None, **options: Any) -> Any:
        call = GroupedWindowCall(self.opener, self._options, method)
        name = f"groupby {self.opener} {method}"
        return self._groupby._run_in_pandas(call, name, *args, meta=meta, **options)

    def _apply(self, *args: Any) -> Any:
        return self._call("apply", *args, meta=empty(self._call("sum")))

    def agg(self, func: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Aggregations of each window: a name, a function, a list of them, or a dictionary by column."""
        return self._call("agg", func, *args, **kwargs)

    aggregate = agg


class GroupedRolling(WindowStatistics, GroupedWindows):
    """Windows of a number of rows, or of a span of time, in each group."""

    opener = "rolling"


class GroupedExpanding(WindowStatistics, GroupedWindows):
    """Windows from the first row of each group to each of its rows."""

    opener = "expanding"


class GroupedExponential(ExponentialStatistics, GroupedWindows):
    """Windows of each group with weights that fade."""

    opener = "ewm"
