"""Rows by label.

What a key means is for pandas to say. Where it can be told beforehand which rows could be meant, these are chosen
natively first, so that pandas sees few of them.
"""

from __future__ import annotations

from typing import Any

from raskt._core import NotNative

from ..base.arguments import require_boolean
from ..base.array_arguments import is_lazy_array
from ..base.collection import is_collection, is_column, is_frame, is_index
from ..base.labels import without_levels
from ..base.meta import empty
from ..base.partitionwise import over_all
from ..base.samples import sample
from ..base.whole import is_foreign, over_whole
from .arrays import by_array

#: Types of truth values.
BOOLEAN = ("bool", "boolean", "bool[pyarrow]")


def choose_rows(rows: Any, key: Any) -> Any:
    """The rows that a key of `loc` means."""
    if is_lazy_array(key):
        return by_array(rows, key)
    if is_collection(key):
        return choose_by_collection(rows, key)
    if isinstance(key, slice):
        return choose_span(rows, key)
    if len(rows._plan.index_names) > 1:
        return choose_by_levels(rows, key, alone=not is_frame(rows))
    if isinstance(key, tuple):
        raise KeyError(key)
    if hasattr(key, "__iter__") and not isinstance(key, str | bytes):
        return choose_labels(rows, list(key) if isinstance(key, set | range) else key)
    return choose_label(rows, key)


def choose_by_collection(rows: Any, key: Any) -> Any:
    """The rows that a lazy series chooses: by its truth values, or as labels."""
    if not is_column(key):
        raise TypeError("rows are chosen by a lazy series or index, not by a lazy frame or scalar")
    if not key._expr.dtype.startswith("bool"):
        return over_whole(lambda part, labels: part.loc[labels], rows, key, name="loc", meta=empty(rows))
    mask = require_boolean(key)
    if is_foreign(rows, key) and not is_index(key):
        return over_whole(lambda part, marks: part.loc[marks], rows, key, name="loc", meta=empty(rows))
    return rows._framed(lambda frame: frame.filter(mask))


def is_labelled(part: Any) -> bool:
    """Whether a pandas object has `loc`."""
    return hasattr(part, "loc")


def is_labelled_mask(key: Any) -> bool:
    """Whether a key is a pandas Series of truth values, which meet rows by their labels."""
    return not is_collection(key) and is_labelled(key) and key.ndim == 1 and str(key.dtype) in BOOLEAN


def choose_labels(rows: Any, labels: Any) -> Any:
    """The rows of labels in the order of these; KeyError, when it is computed, for one that is not there."""
    by_value = has_plain_labels(rows, labels) and not is_labelled_mask(labels)
    known = candidates(rows, labels) if by_value else rows
    return over_all(lambda part: part.loc[labels], known, name="loc", meta=empty(rows), plainly=True)


def choose_label(rows: Any, label: Any) -> Any:
    """The rows of one label; a text such as `2013-01` on an index of times means all times in that span."""
    if isinstance(label, str) and index_dtype(rows).startswith("datetime64"):
        return choose_period(rows, label)
    refuse_other_kind(rows, label)
    known = candidates(rows, [label]) if has_plain_labels(rows, [label]) else rows
    return over_all(lambda part: rows_of_label(part, label), known, name="loc", meta=empty(rows), plainly=True)


def rows_of_label(part: Any, label: Any) -> Any:
    """The rows of a pandas object that have a label; KeyError if none has."""
    at = part.index.get_loc(label)
    return part.iloc[at if isinstance(at, slice) or hasattr(at, "__len__") else [at]]


def choose_period(rows: Any, label: str) -> Any:
    """The rows whose time lies in the span that a text names; pandas says, by the whole index, whether it is there."""
    import pandas as pd

    try:
        pd.Timestamp(label)
    except ValueError:
        raise KeyError(label) from None
    try:
        found = bounded(rows, slice(label, label))
    except NotNative:  # times of a zone without a name
        return over_all(lambda part: rows_of_label(part, label), rows, name="loc", meta=empty(rows), plainly=True)
    return over_whole(lambda part, index: (index.get_loc(label), part)[1], found, rows.index, name="loc",
                      meta=empty(rows))  # fmt: skip


def choose_span(rows: Any, span: slice) -> Any:
    """The rows from one label to another, both included."""
    if span == slice(None):
        return rows.copy()
    single = len(rows._plan.index_names) == 1
    if single:
        # pandas' own error for labels of another kind.
        sample(empty(rows)).loc[span]
    in_order = single and span.step is None and is_in_order(rows) and has_comparable_labels(rows)
    if in_order and rows._as_frame().index().can_miss:
        near = bounded_or_missing(rows, span)
        return over_all(lambda part: part.loc[span], near, name="loc", meta=empty(rows), plainly=True)
    if in_order:
        found, step = bounded(narrowed(rows, span), span), rows._as_frame().frequency
        return found if step is None else found._framed(lambda frame: frame.stepped(step))
    # Divisions say in which partitions labels are, if not in which order.
    near = narrowed(rows, span) if single and span.step is None and has_comparable_labels(rows) else rows
    if near is rows:
        return over_all(lambda part: part.loc[span], rows, name="loc", meta=empty(rows), plainly=True)
    return over_whole(Span(span), near, rows.index, name="loc", meta=empty(rows))


class Span:
    """The rows from one label to another among those of some partitions, which all labels (`index`) have a say in."""

    def __init__(self, span: slice) -> None:
        self.span = span

    def __call__(self, part: Any, index: Any) -> Any:
        """The rows; KeyError for labels that aren't there, where the rows are in no order."""
        index.slice_indexer(self.span.start, self.span.stop)
        return part.loc[self.span]


def bounded(rows: Any, span: slice) -> Any:
    """The rows whose labels are no less than one and no greater than another."""
    for operation, bound, side in (("ge", span.start, "start"), ("le", span.stop, "end")):
        if bound is not None:
            rows = rows._framed(
                lambda frame, operation=operation, bound=bound, side=side: frame.filter(
                    frame.index().binary(operation, label_bound(frame, bound, side))
                )
            )
    return rows


def bounded_or_missing(rows: Any, span: slice) -> Any:
    """The rows of a span of labels in order, missing ones last, with all that pandas goes by.

    Beside missing labels, the ends have to be among the labels, and a span without an end goes on to the missing ones.
    """

    def mask(frame: Any) -> Any:
        labels = frame.index()
        low = label_bound(frame, span.start, "start")
        high = label_bound(frame, span.stop, "end")
        within = [labels.binary(name, end) for name, end in (("ge", low), ("le", high)) if end is not None]
        at_ends = [labels.binary("eq", end) for end in (low, high) if end is not None]
        near = within[0] if len(within) == 1 else within[0].binary("and", within[1])
        for other in [labels.unary("isna"), *at_ends]:
            near = near.binary("or", other)
        return near

    return rows._framed(lambda frame: frame.filter(mask(frame)))


def narrowed(rows: Any, span: slice) -> Any:
    """The partitions in which the labels of a span can be, with what is known of them then."""
    known = rows._plan.divisions
    if known is None or len(known) == 2:
        return rows
    frame = rows._as_frame()
    low = known[0] if span.start is None else label_bound(frame, span.start, "start")
    high = known[-1] if span.stop is None else label_bound(frame, span.stop, "end")
    count = len(known) - 1
    chosen = [at for at in range(count) if known[at] <= high and (known[at + 1] > low or at == count - 1)]
    if not chosen or len(chosen) == count:
        return rows
    return rows._framed(lambda frame: frame.pick(chosen))


def choose_by_levels(rows: Any, key: Any, alone: bool) -> Any:
    """The rows of labels of several levels, by pandas; one whole label gives its rows as they are.

    `alone` says that the key stands alone in the brackets, and not beside one for columns.
    """
    depth = len(rows._plan.index_names)
    meta = empty(rows)
    if isinstance(key, tuple) and not all(is_scalar_label(part) for part in key):
        single = dropped_levels(key, alone)
        kept = without_levels(meta, single)
        call = lambda part: part.loc[key] if alone else part.loc[key, :]
        return over_all(call, rows, name="loc", meta=kept, plainly=True)
    if hasattr(key, "__iter__") and not isinstance(key, str | bytes | tuple):
        return over_all(lambda part: part.loc[key], rows, name="loc", meta=meta, plainly=True)
    label = key if isinstance(key, tuple) else (key,)
    if len(label) > depth:
        raise KeyError(key)
    if len(label) == depth:
        return over_all(lambda part: rows_of_label(part, label), rows, name="loc", meta=meta, plainly=True)
    levels = list(range(len(label)))
    call = lambda part: without_levels(rows_of_label(part, label if len(label) > 1 else label[0]), levels)
    return over_all(call, rows, name="loc", meta=without_levels(meta, levels), plainly=True)


def dropped_levels(key: Any, alone: bool) -> list[int]:
    """The levels that pandas leaves out of the rows of a key for each level: those of one label.

    It leaves none out where a slice has ends, or stands beside a list; nor for slices without ends if the key stands
    beside one for columns.
    """
    slices = [part for part in key if isinstance(part, slice)]
    lists = any(not isinstance(part, slice) and not is_scalar_label(part) for part in key)
    if slices and (lists or not alone or any(part != slice(None) for part in slices)):
        return []
    return [at for at, part in enumerate(key) if is_scalar_label(part)]


def is_scalar_label(part: Any) -> bool:
    """Whether a part of a key names one label, and not several."""
    return isinstance(part, str | bytes) or not (isinstance(part, slice) or hasattr(part, "__iter__"))


def candidates(rows: Any, labels: Any) -> Any:
    """The rows that have one of `labels`, in their order."""
    return rows._framed(
        lambda frame: frame.filter(frame.index().isin([label_bound(frame, one, "start") for one in labels]))
    )


def has_plain_labels(rows: Any, labels: Any) -> bool:
    """Whether labels are of the very kind of the index, so that the native side finds the same as pandas."""
    import numpy as np

    kind = index_dtype(rows)
    if kind == "str":
        return all(isinstance(label, str) for label in labels)
    if kind.startswith(("int", "uint")):
        return all(isinstance(label, int | np.integer) and not isinstance(label, bool) for label in labels)
    return False


def has_comparable_labels(rows: Any) -> bool:
    """Whether labels compare natively as in pandas."""
    return index_dtype(rows).startswith(("int", "uint", "float", "str", "datetime64"))


def is_in_order(rows: Any) -> bool:
    """Whether the labels are known to be in ascending order."""
    return bool(rows._as_frame().in_order)


def index_dtype(rows: Any) -> str:
    """The type of the labels."""
    return str(rows._as_frame().index_dtype)


def refuse_other_kind(rows: Any, label: Any) -> None:
    """KeyError for a label that cannot be in the index, by its type."""
    kind = index_dtype(rows)
    is_number = kind.startswith(("int", "uint", "float"))
    if (isinstance(label, str) and is_number) or (isinstance(label, int | float) and kind == "str"):
        raise KeyError(label)


def label_bound(frame: Any, label: Any, side: str) -> Any:
    """A label as a value of the index: a text on an index of times is the start or the end of its span."""
    import pandas as pd

    if not frame.index_dtype.startswith("datetime64"):
        return label
    if not isinstance(label, str):
        # The same point in time, of a zone that has a name.
        return label.tz_convert("UTC") if isinstance(label, pd.Timestamp) and label.tzinfo is not None else label

    zone = getattr(pd.api.types.pandas_dtype(frame.index_dtype), "tz", None)
    stamp = pd.Timestamp(label)
    span = span_of(label, stamp)
    bound = stamp if span is None else span.start_time if side == "start" else span.end_time
    return bound.tz_localize(zone) if zone is not None and bound.tzinfo is None else bound


def span_of(label: str, stamp: Any) -> Any:
    """The span of time that a text names (a year, a month, a day, an hour...); None for an instant with a zone."""
    import pandas as pd

    return None if stamp.tzinfo is not None else pd.Period(label)
