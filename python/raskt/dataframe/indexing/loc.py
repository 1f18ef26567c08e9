"""Choosing by label and by position: `loc` and `iloc` of frames and series."""

from __future__ import annotations

from typing import Any

from ..base.arguments import require_boolean
from ..base.array_arguments import is_lazy_array
from ..base.collection import is_collection, is_column, is_frame
from ..base.lazy_arrays import MASK, column_beside
from ..base.meta import empty, sample_of
from ..base.partitionwise import over_all
from ..base.registry import wrap
from ..generic.levels import level_count
from .positions import rows_at, value_at
from .rows import choose_by_levels, choose_rows, is_labelled, is_scalar_label


class FrameLoc:
    """`df.loc[rows]` and `df.loc[rows, columns]`."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __getitem__(self, key: Any) -> Any:
        frame = self._frame
        if is_label(frame, key):
            return choose_by_levels(frame, key, alone=True)
        rows, columns = split_key(key)
        if isinstance(columns, slice) and columns != slice(None):
            choose_columns(frame, columns)  # what is wrong with it is said before what is wrong with rows
        frame = unless_labels(frame, key)
        rows = rows(frame) if callable(rows) and not is_collection(rows) else rows
        chosen = choose_rows(frame, rows)
        return chosen if isinstance(columns, slice) and columns == slice(None) else choose_columns(chosen, columns)

    def __setitem__(self, key: Any, value: Any) -> None:
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        if is_lazy_array(rows) and rows.ndim == 1 and rows.dtype.kind == "b":
            rows = column_beside(self._frame, rows, MASK)
        if is_lazy_array(value) and value.ndim:
            raise NotImplementedError("df.loc[mask, column] = array: use df[column] = df[column].mask(mask, array)")
        if not is_column(rows) or isinstance(columns, slice):
            raise NotImplementedError("df.loc[mask, column] = value sets values by a boolean series in columns by name")
        frame, mask = self._frame, wrap(require_boolean(rows))
        for name in columns if isinstance(columns, list) else [columns]:
            refuse_other_type(frame[name], value)
            frame[name] = frame[name].mask(mask, value)


def refuse_other_type(column: Any, value: Any) -> None:
    """pandas' error for a value that a column of its type does not take, as far as types tell."""
    few = sample_of(column)
    # Whether a column of other numbers, or of texts, fits into one of numbers or categories, its values tell.
    if is_collection(value) and few.dtype.kind not in "bmM":
        return
    if not is_collection(value) and hasattr(value, "__len__") and not isinstance(value, str | bytes):
        return
    few.loc[few.index == few.index[0]] = sample_of(value)


class SeriesLoc:
    """`s.loc[rows]`."""

    def __init__(self, series: Any) -> None:
        self._series = series

    def __getitem__(self, rows: Any) -> Any:
        rows = rows(self._series) if callable(rows) and not is_collection(rows) else rows
        return choose_rows(self._series, rows)


class FrameIloc:
    """`df.iloc[rows]` and `df.iloc[rows, columns]`."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __getitem__(self, key: Any) -> Any:
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        if isinstance(key, tuple) and len(key) != 2:
            raise IndexError("Too many indexers")
        rows = rows(self._frame) if callable(rows) else rows
        columns = columns(self._frame) if callable(columns) else columns
        chosen = rows_at(self._frame, rows)
        return chosen if isinstance(columns, slice) and columns == slice(None) else columns_at(chosen, columns)


class SeriesIloc:
    """`s.iloc[rows]`."""

    def __init__(self, series: Any) -> None:
        self._series = series

    def __getitem__(self, rows: Any) -> Any:
        rows = rows(self._series) if callable(rows) and not is_collection(rows) else rows
        if hasattr(rows, "__index__") and not isinstance(rows, bool) and not hasattr(rows, "__len__"):
            return value_at(self._series, int(rows))
        return rows_at(self._series, rows)


def split_key(key: Any) -> tuple[Any, Any]:
    """The part of a key about rows and the part about columns; IndexError for a key of more parts."""
    if not isinstance(key, tuple):
        return key, slice(None)
    if len(key) != 2:
        raise IndexError("Too many indexers")
    return key


def is_label(frame: Any, key: Any) -> bool:
    """Whether a key of `loc` is about several levels of row labels, and says nothing of columns.

    A pair is of one label each for two levels, or of rows and columns, as in pandas.
    """
    if not isinstance(key, tuple) or level_count(frame) == 1:
        return False
    return len(key) != 2 or (all(map(is_scalar_label, key)) and not is_column_label(frame, key[1]))


def is_column_label(frame: Any, key: Any) -> bool:
    """Whether a key is the label of a column."""
    return key in set(frame)


def unless_labels(frame: Any, key: Any) -> Any:
    """The rows of a frame whose labels have several levels; an error at `compute` if a key is the label of some.

    pandas takes a pair of a label and the name of a column for a row label if there is such a row.
    """
    if not isinstance(key, tuple) or level_count(frame) == 1 or not all(map(is_scalar_label, key)):
        return frame
    kind = str(empty(frame).index.dtypes.iloc[1])
    if isinstance(key[1], str) and kind not in ("str", "object", "string", "category"):
        return frame
    return over_all(NoSuchLabel(key), frame, name="loc", meta=empty(frame), plainly=True)


class NoSuchLabel:
    """The rows as they are; NotImplementedError if a label is among theirs."""

    def __init__(self, label: Any) -> None:
        self.label = label

    def __call__(self, rows: Any) -> Any:
        """The rows."""
        if self.label in rows.index:
            raise NotImplementedError(
                f"loc[{self.label[0]!r}, {self.label[1]!r}] where the second is a column, and both are a row label: "
                "use loc[(a, b), :] for rows, or df[b].loc[a] for a column"
            )
        return rows


def choose_columns(frame: Any, columns: Any) -> Any:
    """The columns that a key of `loc` means."""
    if isinstance(columns, slice):
        import pandas as pd

        labels = pd.Index(list(frame))
        return frame[list(labels[labels.slice_indexer(columns.start, columns.stop, columns.step)])]
    if callable(columns):
        return choose_columns(frame, columns(frame))
    if not isinstance(columns, list | str | tuple) and getattr(columns, "ndim", 0):
        columns = columns.tolist()
    if isinstance(columns, list) and columns and all(isinstance(one, bool) for one in columns):
        return frame[[label for label, wanted in zip(frame, columns, strict=True) if wanted]]
    return frame[columns]


def columns_at(frame: Any, chosen: Any) -> Any:
    """The columns at positions."""
    labels = list(frame)
    if isinstance(chosen, slice):
        return frame[labels[chosen]]
    if not isinstance(chosen, list) and hasattr(chosen, "tolist") and getattr(chosen, "ndim", 0):
        chosen = chosen.tolist()
    if isinstance(chosen, list) and chosen and all(isinstance(one, bool) for one in chosen):
        return frame[[label for label, wanted in zip(labels, chosen, strict=True) if wanted]]
    if isinstance(chosen, list):
        if any(not hasattr(at, "__index__") for at in chosen):
            raise IndexError(f".iloc requires numeric indexers, got {chosen}")
        return frame[[labels[at] for at in chosen]]
    if isinstance(chosen, bool) or not hasattr(chosen, "__index__"):
        raise ValueError(
            "Location based indexing can only have integers, slices of them, lists of them and truth values, not "
            f"{chosen!r}"
        )
    if not -len(labels) <= int(chosen) < len(labels):
        raise IndexError("single positional indexer is out-of-bounds")
    return frame[labels[chosen]]


def by_brackets(rows: Any, key: slice) -> Any:
    """`rows[a:b]`: by position if both ends are integers, else by label, as in pandas."""
    ends = [end for end in (key.start, key.stop) if end is not None]
    if all(hasattr(end, "__index__") and not isinstance(end, bool) for end in ends):
        return rows_at(rows, key)
    if str(empty(rows).index.dtype).startswith(("int", "uint")):
        raise TypeError(f"cannot do positional indexing on rows with the ends {key.start!r} and {key.stop!r}")
    return choose_rows(rows, key)


def by_marks(rows: Any, marks: Any, in_brackets: bool = False) -> Any:
    """The rows at whose positions a list of truth values is true; for a list of another length, pandas' error.

    It is another one where the list stood in the brackets of a frame (`in_brackets`) than in those of `loc`.
    """
    import numpy as np

    marks = np.asarray(marks, dtype=bool)
    return over_all(lambda part: part.loc[marks] if is_labelled(part) and not in_brackets else part[marks], rows,
                    name="choose rows", meta=empty(rows))  # fmt: skip


def is_marks(key: Any) -> bool:
    """Whether a key is a list or an array of truth values without labels, and not empty."""
    if is_collection(key) or isinstance(key, str | tuple) or is_frame(key) or is_labelled(key):
        return False
    if hasattr(key, "dtype"):
        return getattr(key, "ndim", 0) == 1 and str(key.dtype) in ("bool", "boolean")
    return isinstance(key, list) and bool(key) and all(isinstance(one, bool) for one in key)
