"""Choosing by label and by position."""

from __future__ import annotations

from typing import Any

from ..base.arguments import require_boolean
from ..base.collection import is_collection, is_column


class FrameLoc:
    """`df.loc[rows]` and `df.loc[rows, columns]`."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __getitem__(self, key: Any) -> Any:
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        frame = self._frame
        rows = rows(frame) if callable(rows) and not is_collection(rows) else rows
        chosen = choose_rows(frame, rows)
        return chosen if isinstance(columns, slice) and columns == slice(None) else choose_columns(chosen, columns)

    def __setitem__(self, key: Any, value: Any) -> None:
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        if not is_column(rows) or isinstance(columns, slice):
            raise NotImplementedError("df.loc[mask, column] = value sets values by a boolean series in columns by name")
        frame = self._frame
        for name in columns if isinstance(columns, list) else [columns]:
            frame[name] = frame[name].mask(rows, value)


class SeriesLoc:
    """`s.loc[rows]`."""

    def __init__(self, series: Any) -> None:
        self._series = series

    def __getitem__(self, rows: Any) -> Any:
        return choose_rows(self._series, rows)


class FrameIloc:
    """`df.iloc[:, columns]`."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, tuple) or len(key) != 2 or key[0] != slice(None):
            raise NotImplementedError(
                "df.iloc chooses columns, as in df.iloc[:, [0, 2]]; for rows use head, tail or loc"
            )
        labels = list(self._frame)
        chosen = key[1]
        if isinstance(chosen, slice):
            return self._frame[labels[chosen]]
        if isinstance(chosen, list):
            return self._frame[[labels[at] for at in chosen]]
        return self._frame[labels[chosen]]


def choose_rows(rows: Any, key: Any) -> Any:
    """The rows that a key of `loc` means."""
    if is_column(key):
        return rows._framed(lambda frame: frame.filter(require_boolean(key)))
    if isinstance(key, slice):
        return choose_span(rows, key)
    if isinstance(key, list) or hasattr(key, "tolist"):
        if len(key) and all(isinstance(one, bool) for one in key):
            raise NotImplementedError("rows are chosen by a lazy boolean series, not by a list of booleans")
        return rows._framed(
            lambda frame: frame.filter(frame.index().isin([label_bound(frame, one, "start") for one in key]))
        )
    return choose_label(rows, key)


def choose_label(rows: Any, label: Any) -> Any:
    """The rows of one label; a text such as `2013-01` on an index of times means all times in that span."""
    if isinstance(label, str) and _index_dtype(rows).startswith("datetime64") and _is_coarse(label):
        return choose_span(rows, slice(label, label))
    return rows._framed(lambda frame: frame.filter(frame.index().binary("eq", label_bound(frame, label, "start"))))


def choose_span(rows: Any, span: slice) -> Any:
    """The rows whose label lies between two labels, both included."""
    if span.step is not None:
        raise NotImplementedError("a step in .loc: take every n-th row in map_partitions")
    for operation, bound, side in (("ge", span.start, "start"), ("le", span.stop, "end")):
        if bound is not None:
            rows = rows._framed(
                lambda frame, operation=operation, bound=bound, side=side: frame.filter(
                    frame.index().binary(operation, label_bound(frame, bound, side))
                )
            )
    return rows.copy() if span == slice(None) else rows


def label_bound(frame: Any, label: Any, side: str) -> Any:
    """A label as a value of the index: a text on an index of times is the start or the end of its span."""
    is_number = frame.index_dtype.startswith(("int", "uint", "float"))
    if isinstance(label, str) and is_number or isinstance(label, int | float) and frame.index_dtype == "str":
        raise KeyError(f"label {label!r} cannot be in an index of type {frame.index_dtype}")
    if not isinstance(label, str) or not frame.index_dtype.startswith("datetime64"):
        return label
    import pandas as pd

    zone = getattr(pd.api.types.pandas_dtype(frame.index_dtype), "tz", None)
    span = pd.Period(label) if _is_coarse(label) else None
    bound = pd.Timestamp(label) if span is None else span.start_time if side == "start" else span.end_time
    return bound.tz_localize(zone) if zone is not None and bound.tzinfo is None else bound


def _is_coarse(label: str) -> bool:
    """Whether a text names a span (a year, a month, a day, an hour) rather than an instant."""
    return len(label) <= len("2013-01-01 00:00")


def _index_dtype(rows: Any) -> str:
    return str(rows._as_frame().index_dtype)


def choose_columns(frame: Any, columns: Any) -> Any:
    """The columns that a key of `loc` means."""
    if isinstance(columns, slice):
        import pandas as pd

        labels = pd.Index(list(frame))
        return frame[list(labels[labels.slice_indexer(columns.start, columns.stop)])]
    if callable(columns):
        return choose_columns(frame, columns(frame))
    if isinstance(columns, list) and columns and all(isinstance(one, bool) for one in columns):
        return frame[[label for label, wanted in zip(frame, columns, strict=True) if wanted]]
    return frame[columns]
