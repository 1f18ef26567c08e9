"""Python functions over several collections with different rows: how labels are aligned.

Each collection is handed over whole, as one pandas object, so that the result is pandas' own. What is in memory already
(a pandas object, an array, a list) goes along as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .array_arguments import refuse_lazy_arrays
from .collection import is_collection, is_scalar, native
from .gaps import refuse_were_missing
from .labels import encode, encode_label, is_plain, levels_of
from .meta import (
    NoRows,
    Trial,
    dtypes_of,
    empty_of,
    is_full,
    missing_in,
    missing_sample_of,
    normalise,
    sample_of,
    without_made_up,
)
from .registry import core, wrap
from .results import as_pandas, refuse_rounded
from .samples import sample


def over_whole(
    function: Callable[..., Any],
    *args: Any,
    name: str,
    meta: Any = None,
    same_rows: bool = False,
    may_miss: bool | Callable[[Any], list[bool]] | list[bool] = False,
    partitions: int = 1,
    exact: bool = False,
    missing_labels: bool = False,
    inferred: bool = True,
    **kwargs: Any,
) -> Any:
    """Apply `function` to whole collections, whatever their rows.

    With `same_rows` it gives a row for each row of the first collection, and the result mixes with that; with
    `may_miss` values may be missing in the result, or in some of its columns, although there are none in a trial; a
    function of the empty result tells in which, where its columns aren't known before. With
    `partitions`, it is called for as many partitions side by side. With `exact`, the types of its results have to be
    those of the trial, also where values would fit into these. With `missing_labels` row labels may be missing.
    Where `meta` isn't `inferred`, somebody said it.
    """
    refuse_lazy_arrays(function, args, kwargs, name, sample_rows)
    if getattr(function, "__name__", None) == name:  # pandas' own
        refuse_were_missing(name, args)
    call = WholeCall(function, args, kwargs)
    call.exact_name = name if exact else None
    call.missing_labels = missing_labels
    call.inferred = inferred
    if meta is None:
        lazy = [value for value in (*args, *kwargs.values()) if is_collection(value)]
        call.meta = without_made_up(empty_of(call.trial(args, kwargs)), lazy)
        gaps = may_miss(call.meta) if callable(may_miss) else may_miss
        may_miss = either(gaps, call.missing_in(args, kwargs))
    else:
        call.meta = normalise(meta)
        may_miss = may_miss(call.meta) if callable(may_miss) else may_miss
    meta = call.held(call.meta)
    options = {"same_rows": same_rows, "may_miss": may_miss, "partitions": partitions}
    # A call lives as long as what is made of its results: it mustn't keep what those before it gave.
    expressions, call.expressions = call.expressions, []
    return wrap(core().frame_of_whole(call, expressions, meta, name=name, **options))


def either(gaps: bool | list[bool], missing: list[bool]) -> bool | list[bool]:
    """Which columns may miss values for one of two reasons."""
    if isinstance(gaps, bool):
        return gaps or missing
    return [one or other for one, other in zip(gaps, missing, strict=True)]


def unmet(function: Callable[..., Any], *args: Any) -> Callable[[Any], list[bool]]:
    """Which columns of an empty result may miss values because a label of one argument is none of another one's."""

    def missing(meta: Any) -> list[bool]:
        full, lost = [is_full(dtype) for dtype in dtypes_of(meta)], []
        few = [sample_rows(value) for value in args]
        for at in (at for at, rows in enumerate(few) if hasattr(rows, "iloc")):
            try:
                found = dtypes_of(empty_of(function(*few[:at], few[at].iloc[:1], *few[at + 1 :])))
            except Exception:  # what the function thinks of such rows is told when there are any
                return [True] * len(full)
            lost.append([not is_full(dtype) for dtype in found])
        return [not kept or any(misses) for kept, *misses in zip(full, *lost, strict=True)]

    return missing


class WholeCall:
    """`function` with the arguments that are collections replaced by what they compute to."""

    meta: Any = None
    encoded = False
    inferred = True
    missing_labels = False
    #: What the call is named where its results have to be of the very types that were found.
    exact_name: str | None = None

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.function = function
        self.values = [*args, *kwargs.values()]
        self.names = list(kwargs)
        slots = [at for at, value in enumerate(self.values) if is_collection(value)]
        # What has rows comes first: the result may mix with those.
        self.slots = sorted(slots, key=lambda at: is_scalar(self.values[at]))
        self.expressions = [native(self.values[at]) for at in self.slots]
        for at in self.slots:
            self.values[at] = None

    def __getstate__(self) -> dict[str, Any]:
        """All but the plans, so that it can be sent to a worker process."""
        return self.__dict__ | {"expressions": []}

    def __call__(self, *computed: Any) -> Any:
        """The result for what the collections computed to."""
        values = list(self.values)
        for at, value in zip(self.slots, computed, strict=True):
            values[at] = value
        positional = len(values) - len(self.names)
        found = self.function(*values[:positional], **dict(zip(self.names, values[positional:], strict=True)))
        found = refuse_rounded(as_pandas(found, self.meta), self.meta)
        refuse_repeated(found)
        if self.exact_name is not None:
            refuse_other_types(found, self.meta, self.exact_name)
        if self.encoded and found.ndim == 2:
            return found.set_axis(encode(found.columns), axis=1)
        return found.rename(encode_label(found.name)) if self.encoded else found

    def trial(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result for samples, or for the first rows if pandas refuses those; pandas' own error if both are."""
        try:
            return self.function(
                *map(sample_rows, args), **{name: sample_rows(value) for name, value in kwargs.items()}
            )
        except Exception:
            real = Trial(self.function, args, kwargs)
            if not real.has_objects() and not all(map(is_scalar, real.lazy)):
                raise
            try:
                return real.with_real_rows()
            except NoRows:
                pass
            raise

    def missing_in(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[bool]:
        """Which columns have missing values for samples with some, where the types of the meta have none."""
        lazy = [value for value in (*args, *kwargs.values()) if is_collection(value)]
        missing = lambda value: missing_sample_of(value) if is_collection(value) else sample_rows(value)
        few = lambda: self.function(*map(missing, args), **{name: missing(value) for name, value in kwargs.items()})
        return missing_in(self.meta, lazy, few)

    def held(self, meta: Any) -> Any:
        """`meta` with names that the native side takes."""
        if meta.ndim == 2:
            refuse_repeated(meta)
            if all(isinstance(label, str) for label in meta.columns) and is_plain(meta.columns):
                return meta
            self.encoded = True
            return meta.set_axis(encode(meta.columns), axis=1)
        if meta.name is None or isinstance(meta.name, str):
            return meta
        self.encoded = True
        return meta.rename(encode_label(meta.name))


def refuse_repeated(rows: Any) -> None:
    """NotImplementedError for a pandas frame of which two columns have one name."""
    if rows.ndim == 2 and not rows.columns.is_unique:
        twice = list(rows.columns[rows.columns.duplicated()].unique())
        raise NotImplementedError(f"two columns cannot have one name yet: {twice}")


def refuse_other_types(found: Any, meta: Any, name: str) -> None:
    """NotImplementedError for rows of other types than a trial gave; of no rows only the trial tells."""
    if not len(found) or found.shape[1:] != meta.shape[1:] or found.index.nlevels != meta.index.nlevels:
        return
    for own, promised in zip(parts_of(found), parts_of(meta), strict=True):
        if not is_kept(own, promised.dtype):
            what = "the labels are" if own.name is None else f"{own.name!r} is"
            raise NotImplementedError(
                f"`{name}` gives another type for these values than for the few rows that it was tried on: {what} of "
                f"{own.dtype} and not of {promised.dtype}; convert the values by astype first"
            )


def parts_of(rows: Any) -> list[Any]:
    """The levels of the labels of a pandas object, and its columns."""
    columns = [rows.iloc[:, at] for at in range(rows.shape[1])] if rows.ndim == 2 else [rows]
    return levels_of(rows.index) + columns


def is_kept(values: Any, promised: Any) -> bool:
    """Whether values are of the type that was promised, or of the one that pandas has for those if some are missing."""
    import pandas as pd

    if isinstance(values.dtype, pd.CategoricalDtype) and isinstance(promised, pd.CategoricalDtype):
        return values.dtype == promised or not len(promised.categories)
    if values.dtype == promised:
        return True
    if is_full(promised) and promised != bool:
        return values.dtype == "float64" and bool(values.isna().any())
    if is_full(promised):
        missing = values.dtype == object and bool(values.isna().any())
        return missing and all(isinstance(value, bool | float) for value in values)
    # Integers that could be missing are said to be floats, and truth values to be objects.
    return is_full(values.dtype) and str(promised) == ("object" if values.dtype == bool else "float64")


def sample_rows(value: Any) -> Any:
    """What stands for an argument in a trial call: as many rows of the same types."""
    import numpy as np
    import pandas as pd

    if isinstance(value, pd.DataFrame | pd.Series):
        rows = value.iloc[:0]
        if isinstance(rows.index, pd.RangeIndex):
            # Labels as those of samples of lazy rows, whose numbers are integers like others.
            rows = rows.set_axis(pd.Index([], dtype="int64", name=rows.index.name), axis=0)
        return sample(rows)
    if isinstance(value, pd.Index):
        return sample(value[:0])
    if isinstance(value, np.ndarray) and value.ndim:
        return np.resize(value, (2, *value.shape[1:])) if len(value) else np.zeros((2, *value.shape[1:]), value.dtype)
    if isinstance(value, list | tuple) and value:
        return type(value)([*value, *value][:2])
    if isinstance(value, pd.api.extensions.ExtensionArray) and len(value):
        return value.take([0, 1 % len(value)])
    return sample_of(value)


def has_rows(value: Any) -> bool:
    """Whether a value outside of a plan has rows: a pandas object, an array, a list."""
    if isinstance(value, str | bytes | dict) or is_collection(value):
        return False
    if isinstance(value, list | tuple):
        return True
    return bool(hasattr(value, "dtype") or hasattr(value, "dtypes")) and bool(getattr(value, "ndim", 0))


def has_other_rows(base: Any, value: Any) -> bool:
    """Whether a value has rows (or is computed from rows) that are not known to be those of the collection `base`."""
    if is_collection(value):
        return bool(value._expr.root != base._expr.root)
    return has_rows(value)


def is_foreign(base: Any, value: Any) -> bool:
    """Whether a value has other rows than the collection `base`, or the same under labels that may be others.

    pandas brings rows together by their labels, so that the same rows are not enough where both have labels.
    """
    if has_other_rows(base, value):
        return True
    labelled = is_labelled(base) and is_collection(value) and is_labelled(value)
    return labelled and bool(value._expr.labels_key != base._expr.labels_key)


def is_labelled(value: Any) -> bool:
    """Whether a value has row labels, by which pandas aligns it; arrays and indexes meet others by position."""
    import pandas as pd

    if is_collection(value):
        return not is_scalar(value) and value._expr.kind in ("frame", "series") and not value._by_position
    return isinstance(value, pd.DataFrame | pd.Series)
