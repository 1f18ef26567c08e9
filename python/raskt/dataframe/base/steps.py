"""How far times that label rows are apart: what is known of it without computing, and when it stays."""

from __future__ import annotations

import base64
import pickle
from collections.abc import Callable
from typing import Any

#: What begins the word of an offset that pandas' own word says too little of: without its holidays or its hours, say.
PICKLED = "pickled "


def word_of(offset: Any) -> str | None:
    """What an offset of pandas is called here, from which it is made again; one back in time begins with a minus."""
    from pandas.tseries.frequencies import to_offset

    if offset is None:
        return None
    try:
        if to_offset(offset.freqstr) == offset:
            return str(offset.freqstr)
    except ValueError:  # it has no word
        pass
    back = "-" if offset.n < 0 else ""
    return back + PICKLED + base64.b64encode(pickle.dumps(offset)).decode()


def offset_of(word: str | None) -> Any:
    """The offset of pandas that is called so here."""
    from pandas.tseries.frequencies import to_offset

    plain = (word or "").removeprefix("-")
    if plain.startswith(PICKLED):
        return pickle.loads(base64.b64decode(plain.removeprefix(PICKLED)))
    return to_offset(word)


def moves_together(rows: Any, offset: Any) -> bool:
    """Whether times move by an offset as a range, which depends on the first of them: by their own steps, pandas makes
    the range anew, and each of them by itself comes elsewhere by hours of business or by months of different length."""
    from pandas.tseries.frequencies import to_offset
    from pandas.tseries.offsets import BusinessHour

    own = offset_of(rows._as_frame().frequency)
    uneven = isinstance(own, BusinessHour) or PICKLED in (rows._as_frame().frequency or "")
    return uneven and to_offset(offset) == own


def stepped(rows: Any, step: str | None) -> Any:
    """Rows whose labels are said to be so far apart (see `word_of`); as they are for None and for other labels."""
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
    return stepped(found, word_of(getattr(changed, "freq", None)))


def labels_every(step: str, rows: Any) -> Any:
    """A few labels as those of `rows` that are so far apart."""
    import pandas as pd

    from .meta import empty

    offset = offset_of(step)
    labels = empty(rows) if rows._expr.kind == "index" else empty(rows).index
    if isinstance(labels, pd.TimedeltaIndex):
        return pd.timedelta_range(0, periods=9, freq=offset, unit=labels.unit)
    return pd.date_range("2000-01-01", periods=9, freq=offset, tz=labels.tz, unit=labels.unit)
