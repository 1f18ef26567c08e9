"""Columns as row labels, and row labels as columns."""

from __future__ import annotations

from typing import Any

from ..base.arguments import as_list
from ..base.array_arguments import is_lazy_array
from ..base.collection import as_column, is_collection, is_frame
from ..base.labels import decode, encode_label
from ..base.lazy_arrays import LABELS, column_beside
from ..base.registry import wrap
from ..base.steps import stepped
from ..base.whole import has_other_rows, has_rows
from ..generic.alignment import placed
from ..generic.divisions import check_divisions
from ..generic.levels import level_count, level_names, level_number


def indexed(frame: Any, keys: Any, *, drop: bool, append: bool, sort: bool) -> Any:
    """The frame with `keys` for labels, its rows in their order if `sort`."""
    wanted = list(keys) if isinstance(keys, list) else [keys]
    if not wanted:
        raise ValueError("Must pass non-zero number of levels/codes")
    columns = [key_column(frame, key) for key in wanted]
    gone = {encode_label(key) for key in wanted if not is_values(key)} if drop else set()
    levels = [frame._expr.level(at) for at in range(level_count(frame))] if append else []
    expression = frame._expr.with_levels([*levels, *columns])
    if gone:
        expression = expression.project([name for name in expression.columns if name not in gone])
    found = wrap(expression)
    if len(wanted) == 1 and not append:
        # Labels that are labels already are as far apart as they were; values of a column are not known to be.
        found = stepped(found, getattr(getattr(wanted[0], "freq", None), "freqstr", None))
    return found.sort_index() if sort else found


def is_values(key: Any) -> bool:
    """Whether a key is the labels themselves, and not the name of a column, which a tuple may be."""
    return is_collection(key) or (has_rows(key) and not isinstance(key, tuple)) or is_lazy_array(key)


def key_column(frame: Any, key: Any) -> Any:
    """The expression of one key: a column by its name, a series of the same rows, or values in memory."""
    if is_lazy_array(key):
        if key.ndim != 1:
            raise ValueError(f"set_index takes one-dimensional arrays, not one of shape {key.shape}")
        return as_column(column_beside(frame, key, LABELS))
    if is_frame(key):
        raise TypeError("set_index takes names of columns and series, not a frame")
    if is_collection(key):
        if not has_other_rows(frame, key):
            return as_column(key)
        # pandas takes the values of a series by position, whatever its labels.
        return as_column(positioned(frame, key).rename(key.name))
    if is_values(key):
        return as_column(positioned(frame, key).rename(getattr(key, "name", None)))
    return frame._expr.column(encode_label(key))


def positioned(frame: Any, key: Any) -> Any:
    """Values of other rows as a column of this frame, by position."""
    if hasattr(key, "index") and not isinstance(key, list | tuple):
        key = key.reset_index(drop=True)
    return placed(frame.reset_index(drop=True), key)


def partitioned(frame: Any, *, sorted: bool, npartitions: Any, divisions: Any) -> Any:
    """The frame in the partitions that `set_index` was asked for."""
    if divisions is not None:
        wanted = list(divisions)
        check_divisions(wanted)
        return wrap(frame._expr.cut(wanted))
    if sorted and level_count(frame) == 1:
        frame = with_known_divisions(frame)
    if npartitions not in (None, "auto") and npartitions != frame.npartitions:
        return frame.repartition(npartitions=npartitions)
    return frame


def with_known_divisions(frame: Any) -> Any:
    """The frame with its divisions, for which its labels are computed; ValueError if these are not in order."""
    labels = frame.index.compute()
    if not len(labels):
        return frame
    if not labels.is_monotonic_increasing:
        raise ValueError("set_index(sorted=True): the column is not in ascending order")
    count = frame.npartitions
    starts = [at * len(labels) // count for at in range(count)]
    bounds = [labels[start] for start in starts]
    distinct = [bound for at, bound in enumerate(bounds) if at == 0 or bound != bounds[at - 1]]
    return wrap(frame._expr.cut([*distinct, labels[-1]]))


def without_repeats(rows: Any) -> Any:
    """The rows; ValueError if two have one label."""
    if not rows.index.is_unique:
        raise ValueError(f"Index has duplicate keys: {rows.index[rows.index.duplicated()].unique()}")
    return rows


def reset(frame: Any, level: Any, drop: bool, col_level: Any, col_fill: Any, names: Any) -> Any:
    """The expression of a frame, some levels of whose labels became columns."""
    expression = frame._expr
    count = level_count(frame)
    chosen = list(range(count)) if level is None else sorted({level_number(frame, one) for one in as_list(level)})
    kept = [at for at in range(count) if at not in chosen]
    levels = [expression.level(at) for at in kept]
    if drop:
        return expression.with_levels(levels) if kept else expression.reset_index(True)
    labels = new_labels(frame, chosen, names, col_level, col_fill)
    taken = set(expression.columns)
    again = next((label for label in labels if encode_label(label) in taken), None)
    if again is not None:
        raise ValueError(f"cannot insert {again}, already exists")
    columns = [
        (encode_label(label), expression.level(at).to_series()) for label, at in zip(labels, chosen, strict=True)
    ]
    columns += [(name, expression.column_at(at)) for at, name in enumerate(expression.columns)]
    found = expression.select(columns)
    return found.with_levels(levels) if kept else found.reset_index(True)


def new_labels(frame: Any, chosen: list[int], names: Any, col_level: Any, col_fill: Any) -> list[Any]:
    """The labels of the columns that levels become."""
    own = level_names(frame)
    if names is not None:
        wanted = list(names) if isinstance(names, list | tuple) else [names]
        if len(wanted) != len(own) and len(wanted) != len(chosen):
            raise ValueError(f"The number of provided names ({len(wanted)}) does not match the number of MultiIndex "
                             f"levels ({len(own)})")  # fmt: skip
        found = [wanted[at] for at in chosen] if len(wanted) == len(own) else wanted
    else:
        default = "level_0" if "index" in decode(frame._plan.columns) else "index"
        found = [(default if len(own) == 1 else f"level_{at}") if own[at] is None else own[at] for at in chosen]
    depth = getattr(decode(frame._plan.columns), "nlevels", 1)
    if depth == 1:
        return found
    at = col_level if isinstance(col_level, int) else 0
    fill = lambda label: tuple(label if level == at else col_fill for level in range(depth))
    return [label if isinstance(label, tuple) else fill(label) for label in found]
