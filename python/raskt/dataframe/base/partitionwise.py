"""Python functions over partitions: the way of everything that has no native form.

Whatever a function reads is laid out as columns of one frame with the same rows, handed over as one pandas frame for
each partition, and taken apart again before the call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .collection import as_column, has_labels, is_collection, is_frame, is_labels, is_scalar, root_frame
from .gaps import refuse_were_missing, with_gaps
from .labels import encode, encode_label, is_plain
from .meta import (
    Trial,
    columns_of,
    dtypes_of,
    empty,
    infer,
    is_counted,
    labelled,
    missing_of,
    normalise,
    sample_of,
    with_example,
)
from .registry import kind_of, wrap
from .results import as_pandas, refuse_rounded
from .storage import is_plain as is_plain_type
from .whole import is_foreign, is_labelled, over_whole, refuse_repeated

#: The nullable type of numbers and truth values that may be missing.
NULLABLE = {"bool": "boolean"} | {
    f"{kind}{bits}".lower(): f"{kind}{bits}"
    for kind, widths in {"Float": (32, 64), "Int": (8, 16, 32, 64), "UInt": (8, 16, 32, 64)}.items()
    for bits in widths
}

#: The kind of lazy scalars that are integers of Python.
COUNTED = "counted"


def over_rows(
    function: Callable[..., Any],
    *args: Any,
    name: str,
    meta: Any = None,
    plainly: bool = False,
    by_labels: bool | None = None,
    **kwargs: Any,
) -> Any:
    """Apply `function` to each partition; it gives as many rows as it got, in their order.

    `plainly` says that it is pandas' own: what it raises is raised as it is. `by_labels`, whether it looks at labels.
    """
    how: dict[str, Any] = {"same_rows": True, "plainly": plainly, "by_labels": by_labels}
    return over_partitions(function, args, kwargs, name=name, meta=meta, **how)


def over_all(
    function: Callable[..., Any],
    *args: Any,
    name: str,
    meta: Any = None,
    plainly: bool = False,
    may_miss: bool | list[bool] | None = None,
    **kwargs: Any,
) -> Any:
    """Apply `function` to all rows at once, gathered into one partition (which `explain()` shows)."""
    how: dict[str, Any] = {"gather": True, "plainly": plainly, "may_miss": may_miss}
    return over_partitions(function, args, kwargs, name=name, meta=meta, **how)


def one_value(function: Callable[..., Any], *args: Any, name: str, plainly: bool = False, **kwargs: Any) -> Any:
    """The lazy scalar that `function` gives for all rows at once: a number or a truth value, or any object."""
    meta = value_meta(infer(function, args, kwargs, name, plainly), *args)
    found = wrap(over_all(function, *args, name=name, meta=meta, **kwargs)._expr.reduce("only"))
    return with_example(found, function, args, kwargs)


def value_meta(meta: Any, *args: Any) -> Any:
    """What a value that pandas computes is promised to be: a number, a truth value or a time, else any object.

    Of columns that aren't plain a number may be `pd.NA` as well, and which of them only the rows tell: it is of the
    nullable type then. Values of Arrow's columns are objects of Python: numbers whose arithmetic has no bounds, and
    `pd.NA` where there is no time.
    """
    import numpy as np
    import pandas as pd

    lazy = [empty(value) for value in args if is_collection(value) and not is_scalar(value)]
    dtypes = [dtype for rows in lazy for dtype in dtypes_of(rows)]
    plain, numbers = all(map(is_plain_type, dtypes)), all(dtype.kind in "biuf" for dtype in dtypes)
    if meta.dtype.kind in "iufmM" and any(isinstance(dtype, pd.ArrowDtype) for dtype in dtypes):
        return pd.Series([], dtype=object)
    kind = str(meta.dtype)
    is_time = isinstance(meta.dtype, np.dtype | pd.DatetimeTZDtype) and meta.dtype.kind in "mM"
    if is_time or (plain and kind in ("float64", "int64", "bool")):
        return meta
    return pd.Series([], dtype=NULLABLE.get(kind, object) if numbers and not plain else object)


def over_partitions(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    name: str,
    meta: Any = None,
    same_rows: bool = False,
    gather: bool = False,
    numbered: bool = False,
    plainly: bool = False,
    may_miss: bool | list[bool] | None = None,
    by_labels: bool | None = None,
) -> Any:
    """Apply `function` to each partition of the collections among its arguments, which must have the same rows.

    With `numbered`, it gets the number of the partition behind the other positional arguments, but not in trials. With
    `may_miss`, values may be missing in the result although the types of `meta` have no missing ones; a function of
    pandas tells by itself. A function of `same_rows` sees their labels where it is `by_labels`, or, if it doesn't say,
    where objects with labels are among its arguments: numbered rows have the numbers of all rows together then.
    """
    values = (*args, *kwargs.values())
    if plainly:
        refuse_were_missing(name, args)
    if has_foreign_values(*values):
        call = WithNames(function, list(kwargs))
        return over_whole(call, *values, name=name, meta=meta, same_rows=same_rows and not gather)
    if has_foreign_labels(*values):
        return over_whole(WithNames(function, list(kwargs)), *values, name=name, meta=meta, may_miss=True)
    if not gather and not numbered:
        function, args = with_gaps(function, args, kwargs)
    call, inferred = Call(function, args, kwargs), plainly or meta is None
    # What pandas rounds is rounded, but not integers that are floats because one of them may be missing.
    rounds = lambda value: any(getattr(column, "may_be_rounded", False) for column in columns_of(value))
    call.is_careful = gather or (meta is None and not plainly) or any(map(rounds, call.slots.values()))
    by_labels = any(map(holds_labels, call.values)) if by_labels is None else by_labels
    call.by_labels = by_labels and same_rows and not gather
    if meta is None:
        meta = infer(function, args, kwargs, name, plainly)
        if plainly and may_miss is None:
            may_miss = missing_of(function, args, kwargs, meta)
    else:
        meta = labelled(normalise(meta, call.labels()), meta, Trial(function, args, kwargs))
    if call.has_values and (gather or call.of_scalars or not same_rows):
        if numbered:
            raise NotImplementedError("partition_info beside lazy values: compute the values first")
        # A partition without rows has none that could tell the value.
        rows = [value for value in call.slots.values() if not is_scalar(value)]
        parts = 1 if gather or not rows else rows[0].npartitions
        how: dict[str, Any] = {"meta": meta, "may_miss": may_miss or False, "partitions": parts, "inferred": inferred}
        return over_whole(WithNames(function, list(kwargs)), *args, *kwargs.values(), name=name, **how)
    frame = call.frame()
    if gather:
        frame = frame.repartition(1)
    refuse_repeated(meta)
    call.meta = meta
    call.inferred = inferred
    call.keeps_rows = same_rows and not gather
    options: dict[str, Any] = {"same_rows": True} if call.keeps_rows else {}
    if numbered:
        options["numbered"] = call.numbered = True
    if may_miss:
        options["may_miss"] = may_miss
    if meta.ndim == 2 and not (all(isinstance(label, str) for label in meta.columns) and is_plain(meta.columns)):
        call.encoded = True
        meta = meta.set_axis(encode(meta.columns), axis=1)
    elif meta.ndim == 1 and not (meta.name is None or isinstance(meta.name, str)):
        meta = meta.rename(encode_label(meta.name))
    return wrap(frame.map_partitions(call, meta, name=name, **options))


class WithNames:
    """A function whose last arguments have names, given by their places; it can be sent to a worker process."""

    def __init__(self, function: Callable[..., Any], names: list[str]) -> None:
        self.function, self.names = function, names

    def __call__(self, *values: Any) -> Any:
        """The result of the function."""
        return self._named(self.function, values)

    def tried(self, *values: Any) -> Any:
        """The result for a few rows, as the function tries it."""
        return self._named(getattr(self.function, "tried", self.function), values)

    def _named(self, function: Callable[..., Any], values: tuple[Any, ...]) -> Any:
        count = len(values) - len(self.names)
        return function(*values[:count], **dict(zip(self.names, values[count:], strict=True)))


def holds_labels(value: Any) -> bool:
    """Whether a value is an object of pandas with row labels, or holds one."""
    if isinstance(value, dict):
        return any(map(holds_labels, value.values()))
    return has_labels(value) or (isinstance(value, list | tuple) and any(map(has_labels, value)))


def has_foreign_values(*args: Any) -> bool:
    """Whether a lazy value is among the arguments that is computed of other rows than those of the first collection."""
    lazy = sorted((value for value in args if is_collection(value)), key=is_scalar)
    return any(is_scalar(value) and is_foreign(lazy[0], value) for value in lazy)


def has_foreign_labels(*args: Any) -> bool:
    """Whether two lazy collections with row labels are among the arguments that have other rows, or other labels."""
    lazy = [value for value in args if is_collection(value) and is_labelled(value)]
    return any(is_foreign(lazy[0], value) for value in lazy[1:])


class Call:
    """One call for each partition: `function` with the arguments that are collections replaced by their rows."""

    meta: Any = None
    encoded = False
    numbered = False
    keeps_rows = False
    is_careful = False
    #: Whether the function looks at the labels of rows.
    by_labels = False
    #: Whether the types of results were found by trying the function on a few rows, and nobody said them.
    inferred = False

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.function = function
        self.values = [*args, *kwargs.values()]
        self.names = list(kwargs)
        self.slots = {at: value for at, value in enumerate(self.values) if is_collection(value)}
        self.widths = {at: _width(value) for at, value in self.slots.items()}
        only = next(iter(self.slots.values())) if len(self.slots) == 1 else None
        self.whole = is_frame(only) or is_labels(only)
        self.kinds = {
            at: (kind_of_rows(value), sample_of(value) if is_scalar(value) else empty(value))
            for at, value in self.slots.items()
        }
        self.has_values = any(is_scalar(value) for value in self.slots.values())
        self.of_scalars = bool(self.slots) and all(is_scalar(value) for value in self.slots.values())
        self.expressions = dict(self.slots)
        for at in self.slots:
            self.values[at] = None

    def labels(self) -> Any:
        """The row labels of the first collection that has any, without rows; None if none has."""
        return next((meta.index for kind, meta in self.kinds.values() if kind in ("frame", "series")), None)

    def __getstate__(self) -> dict[str, Any]:
        """All but the collections, so that it can be sent to a worker process: a call needs their rows only."""
        return self.__dict__ | {"slots": {}, "expressions": {}}

    def frame(self) -> Any:
        """The frame expression that holds every column which the function reads."""
        rows = [value for value in self.expressions.values() if not is_scalar(value)]
        if not rows:
            raise TypeError("a function over partitions needs a frame, a series or an index to go over")
        base = root_frame(rows[0])
        self.by_labels = self.by_labels and is_numbered(rows[0])
        if self.whole and not self.by_labels:
            self.expressions, self.slots = {}, {}
            return base
        columns = []
        for at, value in self.expressions.items():
            if is_frame(value):
                columns += [(f"{at}.{k}", value._expr.column_at(k)) for k in range(self.widths[at])]
            elif is_labels(value):
                columns += [(f"{at}.{k}", value._expr.level(k).to_series()) for k in range(self.widths[at])]
            else:
                columns.append((f"{at}.0", value._expr if is_scalar(value) else as_column(value)))
        if self.by_labels:
            columns.append(("labels", rows[0]._as_frame().index().to_series()))
            self.whole = False
        # A call lives as long as what is made of its results: it mustn't keep what those before it gave.
        self.expressions, self.slots = {}, {}
        return base.select(columns)

    def __call__(self, partition: Any, number: int | None = None) -> Any:
        """The result for one partition; of one without rows what is promised, since functions of rows may want some."""
        if self.by_labels:
            partition = with_labels_of_last(partition)
        if self.keeps_rows and len(partition) == 0:
            result = self.meta.set_axis(partition.index, axis=0) if hasattr(partition, "iloc") else self.meta
        elif self.numbered:
            result = self._call_named(partition, number)
        else:
            result = self._call_named(partition)
        result = as_pandas(result, self.meta)
        if self.is_careful:
            result = refuse_rounded(result, self.meta)
        refuse_repeated(result)
        if self.encoded and result.ndim == 2:
            result = result.set_axis(encode(result.columns), axis=1)
        return result

    def _call_named(self, partition: Any, *more: Any) -> Any:
        values = self._arguments(partition)
        positional = len(values) - len(self.names)
        return self.function(*values[:positional], *more, **dict(zip(self.names, values[positional:], strict=True)))

    def _arguments(self, partition: Any) -> list[Any]:
        values, start = list(self.values), 0
        for at, (kind, meta) in self.kinds.items():
            stop = start + self.widths[at]
            values[at] = _restore(kind, meta, partition if self.whole else partition.iloc[:, start:stop])
            start = stop
        return values


def is_numbered(rows: Any) -> bool:
    """Whether rows may be numbered over several partitions, of which each knows only how many rows it has."""
    frame = rows._as_frame()
    return bool(not is_labels(rows) and frame.index_dtypes == ["int64"] and rows.npartitions > 1)


def with_labels_of_last(partition: Any) -> Any:
    """A partition under the labels that are its last column."""
    import pandas as pd

    labels = pd.Index(partition.iloc[:, -1].array, name=partition.index.name)
    return partition.iloc[:, :-1].set_axis(labels, axis=0)


def _restore(kind: str, meta: Any, part: Any) -> Any:
    """A slice of the columns of a partition as what it was: a frame, a series, an index or a value."""
    import pandas as pd

    if kind == "labels":
        if isinstance(part, pd.MultiIndex):
            return part
        if not part.shape[1]:
            return part.index
        return pd.MultiIndex.from_arrays([part.iloc[:, at] for at in range(part.shape[1])], names=meta.names)
    if kind == "frame":
        return part.set_axis(meta.columns, axis=1) if not part.columns.equals(meta.columns) else part
    column = part.iloc[:, 0]
    if kind == "series":
        return column.rename(meta.name)
    if kind == "index":
        return pd.Index(column, name=meta.name, dtype=column.dtype)
    found = column.iloc[0] if len(column) else meta
    return int(found) if kind == COUNTED else found


def kind_of_rows(value: Any) -> str:
    """What a collection is to be for the function: of its own kind, or a number that pandas has counted."""
    return COUNTED if is_counted(value) else kind_of(value._expr)


def _width(value: Any) -> int:
    if is_labels(value):
        return len(value._plan.index_names)
    return len(value._plan.columns) if is_frame(value) else 1
