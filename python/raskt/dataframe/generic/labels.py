"""Row labels of frames and series: their names, and rows that go by their labels."""

from __future__ import annotations

from typing import Any

from ..base.arguments import as_list
from ..base.checks import no_default
from ..base.labels import encode_label
from ..base.meta import empty
from ..base.pandas_methods import gathered


def with_axis_names(rows: Any, mapper: Any, index: Any, axis: Any, columns: Any = no_default) -> Any:
    """The rows with their index under other names, as pandas finds them.

    NotImplementedError for a name of the column labels, which lazy frames do not have.
    """
    if columns not in (no_default, None) or axis in (1, "columns"):
        raise NotImplementedError("the labels of columns have no name in a lazy frame: name the index, or compute")
    named = {} if index is no_default else {"index": index}
    given = () if mapper is no_default else (mapper,)
    found = empty(rows).rename_axis(*given, **named).index.names
    names = [None if name is None else encode_label(name) for name in found]
    return rows._framed(lambda frame: frame.rename_axis(names))


def without_labels(rows: Any, labels: Any, level: Any, errors: str) -> Any:
    """The rows without those of some labels.

    Unknown labels are passed over natively with `errors="ignore"`; otherwise they raise KeyError when the rows are
    computed, gathered, in pandas.
    """
    if errors not in ("ignore", "raise"):
        raise ValueError(f"errors must be 'ignore' or 'raise', not {errors!r}")
    several = len(rows._as_frame().index_names) > 1
    listed = list(labels) if getattr(labels, "ndim", 0) else as_list(labels)
    truths = any(type(one).__name__ in ("bool", "bool_") for one in listed)  # which equal no numbers to pandas here
    if errors == "raise" or level is not None or several or truths:
        return gathered("drop", rows, index=labels, level=level, errors=errors, meta=empty(rows))
    keep = lambda frame: frame.filter(frame.index().isin(listed).unary("invert"))
    return rows._framed(keep)
