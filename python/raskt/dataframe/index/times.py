"""Fields and methods of labels that are times, durations or periods: `df.index.month`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ..accessors.datetimes import FIELDS, SPANS, SYNONYMS
from ..base.collection import is_column
from ..base.steps import with_steps_as

#: Fields that give a value of their own for each label, and methods that do.
EACH = (*FIELDS, *SYNONYMS, *SPANS, "timetz", "start_time", "end_time", "qyear")
METHODS = (
    "floor",
    "ceil",
    "round",
    "strftime",
    "normalize",
    "day_name",
    "month_name",
    "tz_localize",
    "tz_convert",
    "total_seconds",
    "isocalendar",
    "to_period",
    "to_timestamp",
    "to_pydatetime",
    "to_pytimedelta",
    "as_unit",
)
#: What is told of all labels at once, and frames of several fields.
WHOLE = ("tz", "unit", "components")
#: What pandas gives as an array of objects.
ARRAYS = ("date", "time", "timetz", "to_pydatetime", "to_pytimedelta")
#: Methods that keep the steps of times, or not, whatever the times are.
STEPPING = ("tz_localize", "tz_convert", "as_unit")


def fields_of(dtype: Any) -> tuple[str, ...]:
    """The names of fields and methods that labels of a type may have beyond those of all labels."""
    import numpy as np
    import pandas as pd

    own = isinstance(dtype, np.dtype) and dtype.kind in "mM"
    is_time = own or isinstance(dtype, pd.DatetimeTZDtype | pd.PeriodDtype)
    return (*EACH, *METHODS, *WHOLE) if is_time else ()


def field(index: Any, name: str, as_labels: Callable[[Any], Any]) -> Any:
    """A field or a method of such labels, by the `.dt` of their series; AttributeError if their type has no such one.

    Results are labels (`as_labels`), but for objects of Python, which are a series.
    """
    found = getattr(index._beside_rows().dt, name)
    if name not in METHODS:
        return finished(found, name, as_labels)

    @wraps(found)
    def method(*args: Any, **options: Any) -> Any:
        result = finished(found(*args, **options), name, as_labels)
        if name not in STEPPING:
            return result
        return with_steps_as(result, index, lambda labels: getattr(labels, name)(*args, **options))

    return method


def finished(found: Any, name: str, as_labels: Callable[[Any], Any]) -> Any:
    """What `.dt` gives of a series, as pandas gives it of labels."""
    if name == "components":
        return found.reset_index(drop=True)
    return as_labels(found) if is_column(found) and name not in ARRAYS else found
