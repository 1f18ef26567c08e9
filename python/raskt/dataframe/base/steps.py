"""How far times that label rows are apart: what is known of it without computing, and when it stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def stepped(rows: Any, step: str | None) -> Any:
    """Rows whose labels are said to be so far apart, in pandas' words; as they are for None and for other labels."""
    dtypes = rows._as_frame().index_dtypes
    if step is None or len(dtypes) > 1 or not dtypes[0].startswith(("datetime64", "timedelta64")):
        return rows
    return rows._framed(lambda frame: frame.stepped(step))


def with_steps_of(found: Any, rows: Any) -> Any:
    """A result that has a row for each of `rows`, in their order and under their labels, with the steps of those."""
    return stepped(found, rows._as_frame().frequency)


def with_steps_as(found: Any, rows: Any, change: Callable[[Any], Any]) -> Any:
    """A result with the steps that pandas' labels have where `change` makes of the labels of `rows` those of `found`.

    It is tried on a few labels with the same steps, and must not depend on what the labels are.
    """
    step = rows._as_frame().frequency
    if step is None:
        return found
    try:
        changed = change(labels_every(step, rows))
    except Exception:  # what pandas thinks of the change is told where it is computed
        return found
    return stepped(found, getattr(changed, "freqstr", None))


def labels_every(step: str, rows: Any) -> Any:
    """A few labels as those of `rows` that are so far apart."""
    import pandas as pd

    from .meta import empty

    labels = empty(rows) if rows._expr.kind == "index" else empty(rows).index
    if isinstance(labels, pd.TimedeltaIndex):
        return pd.timedelta_range(0, periods=9, freq=step, unit=labels.unit)
    return pd.date_range("2000-01-01", periods=9, freq=step, tz=labels.tz, unit=labels.unit)
