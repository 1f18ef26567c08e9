"""Python functions over several collections with different rows: how labels are aligned.

Each collection is handed over whole, as one pandas object, so that the result is pandas' own. What is in memory already
(a pandas object, an array, a list) goes along as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .collection import is_collection, is_scalar, native
from .labels import encode, encode_label, is_plain
from .meta import empty_of, normalise, sample_of
from .partitionwise import as_pandas
from .registry import core, wrap
from .samples import sample


def over_whole(
    function: Callable[..., Any],
    *args: Any,
    name: str,
    meta: Any = None,
    same_rows: bool = False,
    may_miss: bool = False,
    partitions: int = 1,
    **kwargs: Any,
) -> Any:
    """Apply `function` to whole collections, whatever their rows.

    With `same_rows` it gives a row for each row of the first collection, and the result mixes with that; with
    `may_miss` values may be missing in the result although there are none in a trial. With `partitions`, it is called
    for as many partitions side by side.
    """
    call = WholeCall(function, args, kwargs)
    call.meta = empty_of(call.trial(args, kwargs)) if meta is None else normalise(meta)
    meta = call.held(call.meta)
    options = {"same_rows": same_rows, "may_miss": may_miss, "partitions": partitions}
    return wrap(core().frame_of_whole(call, call.expressions, meta, name=name, **options))


class WholeCall:
    """`function` with the arguments that are collections replaced by what they compute to."""

    meta: Any = None
    encoded = False

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.function = function
        self.values = [*args, *kwargs.values()]
        self.names = list(kwargs)
        self.slots = [at for at, value in enumerate(self.values) if is_collection(value)]
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
        found = as_pandas(found, self.meta)
        if self.encoded and found.ndim == 2:
            return found.set_axis(encode(found.columns), axis=1)
        return found.rename(encode_label(found.name)) if self.encoded else found

    def trial(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result for samples; pandas' own error where it refuses them."""
        return self.function(*map(sample_rows, args), **{name: sample_rows(value) for name, value in kwargs.items()})

    def held(self, meta: Any) -> Any:
        """`meta` with names that the native side takes."""
        if meta.ndim == 2:
            if all(isinstance(label, str) for label in meta.columns) and is_plain(meta.columns):
                return meta
            self.encoded = True
            return meta.set_axis(encode(meta.columns), axis=1)
        if meta.name is None or isinstance(meta.name, str):
            return meta
        self.encoded = True
        return meta.rename(encode_label(meta.name))


def sample_rows(value: Any) -> Any:
    """What stands for an argument in a trial call: as many rows of the same types."""
    import numpy as np
    import pandas as pd

    if isinstance(value, pd.DataFrame | pd.Series):
        return sample(value.iloc[:0])
    if isinstance(value, pd.Index):
        return sample(value[:0])
    if isinstance(value, np.ndarray) and value.ndim:
        return np.resize(value, (2, *value.shape[1:])) if len(value) else np.zeros((2, *value.shape[1:]), value.dtype)
    if isinstance(value, list | tuple) and value:
        return type(value)([*value, *value][:2])
    return sample_of(value)


def has_rows(value: Any) -> bool:
    """Whether a value outside of a plan has rows: a pandas object, an array, a list."""
    if isinstance(value, str | bytes | dict) or is_collection(value):
        return False
    if isinstance(value, list | tuple):
        return True
    return bool(hasattr(value, "dtype") or hasattr(value, "dtypes")) and bool(getattr(value, "ndim", 0))


def is_foreign(base: Any, value: Any) -> bool:
    """Whether a value has rows (or is computed from rows) that are not known to be those of the collection `base`."""
    if is_collection(value):
        return bool(value._expr.root != base._expr.root)
    return has_rows(value)


def is_labelled(value: Any) -> bool:
    """Whether a value has row labels, by which pandas aligns it; arrays and indexes meet others by position."""
    import pandas as pd

    if is_collection(value):
        return not is_scalar(value) and value._expr.kind in ("frame", "series")
    return isinstance(value, pd.DataFrame | pd.Series)
