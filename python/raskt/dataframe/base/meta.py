"""Empty and sample pandas objects: what a partition looks like, known without computing one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from .array_arguments import refuse_lazy_arrays
from .collection import is_collection, is_frame, is_index, is_labels, is_scalar
from .labels import decode, decode_label
from .loosened import LABELS, loosened, with_truth
from .results import is_array, is_missing
from .samples import sample, sample_values, with_missing
from .storage import dtype_of, is_plain, key_of, storage_of, unknown_categories

if TYPE_CHECKING:
    import pandas as pd

#: Rows that are computed where made-up ones don't do.
REAL_ROWS = 3
#: The same where those give nothing but missing values.
TELLING_ROWS = 50


def empty(collection: Any) -> Any:
    """The pandas object without rows that has the columns, types and index of a collection."""
    expression = collection._expr
    if is_frame(collection):
        return _empty_frame(expression)
    if is_index(collection):
        return _empty_index(collection)
    if is_labels(collection):
        return _empty_labels(expression)
    import pandas as pd

    return pd.Series([], dtype=type_of(expression), index=_empty_labels(expression), name=expression.name)


def type_of(expression: Any) -> Any:
    """pandas' type of a column expression."""
    return dtype_of(expression.dtype, expression.codec, expression.categories)


def types_of(expression: Any) -> list[Any]:
    """pandas' types of the columns of a frame expression."""
    each = zip(expression.dtypes, expression.codecs, expression.categories, strict=True)
    return [dtype_of(*one) for one in each]


def types_in(collection: Any) -> list[Any]:
    """pandas' types of the columns, or of the one column, of a collection; no pandas object is made."""
    expression = collection._expr
    return types_of(expression) if is_frame(collection) else [type_of(expression)]


def _empty_frame(expression: Any) -> pd.DataFrame:
    import pandas as pd

    index = _empty_labels(expression)
    columns = {at: pd.Series([], dtype=dtype, index=index) for at, dtype in enumerate(types_of(expression))}
    return pd.DataFrame(columns, index=index).set_axis(decode(expression.columns), axis=1)


def _empty_index(collection: Any) -> pd.Index:
    import pandas as pd

    return pd.Index([], dtype=type_of(collection._expr), name=collection._plan.name)


def _empty_labels(expression: Any) -> pd.Index:
    import pandas as pd

    names = [None if name is None else decode_label(name) for name in expression.index_names]
    dtypes = [dtype_of(*one) for one in zip(expression.index_dtypes, expression.index_codecs, strict=True)]
    levels = [pd.Index([], dtype=dtype) for dtype in dtypes]
    return levels[0].rename(names[0]) if len(names) == 1 else pd.MultiIndex.from_arrays(levels, names=names)


def sample_of(value: Any, variant: int = 0) -> Any:
    """What stands for an argument in a trial call: a few rows, or one value, of a collection; else the argument."""
    if not is_collection(value):
        return value
    if is_scalar(value):
        example = getattr(value, "_example", None)
        if is_counted(value):
            return 3 - variant
        # Neither one nor two, whose powers and products NumPy makes in ways of their own.
        return sample_values(kept_type(value._expr), 1 - variant)[-1] if example is None else example(variant)
    return made_up_rows(value, variant)


def made_up_rows(value: Any, variant: int = 0) -> Any:
    """A few rows of the types of a collection; truth values among objects where those may be missing."""
    meta = empty(value)
    found = sample(meta, variant)
    if not any(dtype == object for dtype in (*dtypes_of(meta), *label_types(meta))):
        return found
    return with_truth(found, [at for at, column in retypable(value) if column.is_truth])


def kept_type(expression: Any) -> Any:
    """The type of the values that are there of a column expression: truth values may be missing, as objects."""
    import numpy as np

    return np.dtype(bool) if expression.is_truth and expression.codec is None else type_of(expression)


def is_counted(value: Any) -> bool:
    """Whether a value is a lazy scalar that is an integer of Python in pandas: how many different values there are."""
    return is_collection(value) and is_scalar(value) and value._plan.is_counted


def is_any_object(value: Any) -> bool:
    """Whether a value is a lazy scalar that may be any object, or a missing one instead of a truth value."""
    return is_collection(value) and is_scalar(value) and type_of(value._expr) == object


def real_sample_of(value: Any, count: int = REAL_ROWS) -> Any:
    """The first rows of a collection, or the value of a scalar, computed; every other argument as it is.

    Rows are of the promised types, whatever happens to be among the first.
    """
    if not is_collection(value):
        return value
    if is_scalar(value):
        return value.compute()
    rows = value.to_frame().head(count).index if is_index(value) else value.head(count)
    return loosened(rows, [at for at, _ in retypable(value)])


def normalise(meta: Any, labels: Any = None) -> Any:
    """The empty pandas object that a user means by `meta`.

    A pandas object or a collection stands for its types, a `(name, dtype)` pair for a series, a dictionary or a list
    of such pairs for a frame, a bare dtype for a series without a name. What says nothing of row labels has those of
    `labels`, an index.
    """
    found = _normalised(meta)
    return found if labels is None or tells_labels(meta) else found.set_axis(labels[:0], axis=0)


def tells_labels(meta: Any) -> bool:
    """Whether a user's `meta` says what the row labels are, as a pandas object or a collection does."""
    import pandas as pd

    return is_collection(meta) or isinstance(meta, pd.DataFrame | pd.Series | pd.Index)


def labelled(meta: Any, given: Any, trial: Trial) -> Any:
    """`meta` with the row labels that a trial call has, if the user's `given` says nothing of them.

    What numbers its rows says nothing: that is how pandas makes empty objects. Where the trial fails, they are those
    that `meta` has.
    """
    import pandas as pd

    if is_collection(given) or isinstance(given, pd.Index):
        return meta
    if tells_labels(given) and not (isinstance(given.index, pd.RangeIndex) and given.index.name is None):
        return meta
    try:
        found = trial.result(real_first=True)
    except Exception:  # the meta was given because the function can't be tried, say
        return meta
    if isinstance(found, pd.DataFrame | pd.Series):
        return meta.set_axis(found.index[:0], axis=0)
    # A single value, or an array, of each partition has no labels but numbers.
    return meta if isinstance(found, pd.Index) else meta.set_axis(pd.RangeIndex(0).astype("int64"), axis=0)


def _normalised(meta: Any) -> Any:
    import pandas as pd

    if is_collection(meta):
        return empty(meta)
    if isinstance(meta, pd.DataFrame | pd.Series | pd.Index):
        return meta.iloc[:0] if not isinstance(meta, pd.Index) else meta[:0]
    if isinstance(meta, dict):
        meta = list(meta.items())
    if isinstance(meta, tuple) and len(meta) == 2 and not isinstance(meta[1], tuple):
        return pd.Series([], dtype=meta[1], name=meta[0])
    if isinstance(meta, list | tuple) and all(isinstance(item, tuple) and len(item) == 2 for item in meta):
        return pd.DataFrame({name: pd.Series([], dtype=dtype) for name, dtype in meta})
    if isinstance(meta, str | type) or hasattr(meta, "kind"):
        return pd.Series([], dtype=meta)
    raise TypeError(f"meta must be a pandas object, a dict, a list of (name, dtype) pairs or one pair, not {meta!r}")


def infer(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], name: str, plainly: bool = False
) -> Any:
    """The empty pandas object that `function` gives, found by calling it on a few rows of its arguments.

    Rows are made up; but for functions of users, and for objects, those that lie in memory are taken first. Where the
    function fails on the ones, the others are tried. What it raises for real rows is raised, with advice unless it is
    pandas' own function (`plainly`).
    """
    if plainly:
        refuse_lazy_arrays(function, args, kwargs, name, sample_of)
    trial = Trial(function, args, kwargs)
    try:
        result = trial.result(real_first=not plainly or trial.has_objects())
    except NotImplementedError:
        raise
    except Exception as error:
        if plainly:
            raise
        raise with_advice(error, name) from error
    learn = getattr(function, "learn", None)
    if learn is not None and hasattr(result, "iloc"):
        result = trial.telling(result)
        learn(result)
    return trial.with_unknown_categories(empty_of(result))


def missing_of(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], meta: Any) -> list[bool]:
    """In which columns a function of pandas may give missing values where `meta` is of integers or truth values: those
    that have some for rows of which some are missing."""
    trial = Trial(function, args, kwargs)
    return missing_in(meta, trial.lazy, lambda: trial.call(trial.samples(missing_sample_of)))


def missing_in(meta: Any, lazy: list[Any], call: Callable[[], Any]) -> list[bool]:
    """Which columns of integers or truth values may miss some; `call` gives the result where values of the collections
    are missing that can be."""
    full = [is_full(dtype) for dtype in dtypes_of(meta)]
    if not any(full) or gives_none(lazy, meta):
        return full
    nowhere = [False] * len(full)
    if not any(column.can_miss for value in lazy if not is_scalar(value) for column in columns_of(value)):
        return nowhere
    try:
        found = [is_full(dtype) for dtype in dtypes_of(empty_of(call()))]
    except Exception:  # what the function thinks of such rows is told when there are any
        return nowhere
    if len(found) != len(full):
        return [is_there and not all(found) for is_there in full]
    return [one and not other for one, other in zip(full, found, strict=True)]


def gives_none(lazy: list[Any], meta: Any) -> bool:
    """Whether integers of a result may be missing since those of an argument may all be: a maximum of no rows, say."""
    whole = any(is_plain(dtype) and dtype.kind in "iu" for dtype in dtypes_of(meta))
    return whole and any(getattr(value._expr, "may_be_none", False) for value in lazy)


def is_full(dtype: Any) -> bool:
    """Whether a type has no missing values."""
    return is_plain(dtype) and dtype.kind in "biu"


def missing_sample_of(value: Any) -> Any:
    """What stands for an argument in a trial with missing values, which are where there may be any."""
    found = sample_of(value)
    if not is_collection(value) or is_scalar(value):
        return found
    return with_missing(found, [column.can_miss for column in columns_of(value)])


def columns_of(rows: Any) -> list[Any]:
    """The expressions of the columns of a collection, or of the levels of labels; not of a frame's labels."""
    if is_labels(rows):
        return [rows._expr.level(at) for at in range(empty(rows).nlevels)]
    return [rows._expr.column(name) for name in rows._expr.columns] if is_frame(rows) else [rows._expr]


def retypable(rows: Any) -> list[tuple[int, Any]]:
    """The columns of a collection, and the levels of its labels, of whose integers or truth values pandas has another
    type if one is missing; each with its place, levels below those of columns."""
    every = (*enumerate(columns_of(rows)), *levels_of_labels(rows))
    return [(at, column) for at, column in every if getattr(column, "may_be_retyped", False)]


def levels_of_labels(rows: Any) -> list[tuple[int, Any]]:
    """The levels of the labels of rows, each under the number that stands for it."""
    if is_labels(rows) or is_index(rows):
        return []
    frame = rows._as_frame()
    if len(frame.index_names) == 1:
        return [(LABELS, frame.index().to_series())]
    return [(LABELS - at, frame.level(at)) for at in range(len(frame.index_names))]


def with_advice(error: Exception, name: str) -> Exception:
    """The error of a function that was tried on a few rows: of its own kind, and with what may help."""
    advice = (
        f"{error}. `{name}` failed on a sample of its rows, by which the types of its result are found: "
        "pass meta= with the names and types of the result if it is the sample's fault"
    )
    try:
        return type(error)(advice)
    except Exception:  # of a kind that is made of more than a text
        return error


class NoRows(Exception):
    """There are no rows to try a function on."""


class Example:
    """A value of the kind that a lazy one of any type is: what its function gives for a few rows.

    Its type says nothing, since values of types that aren't plain are objects of Python.
    """

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.trial = Trial(function, args, kwargs)
        self.found: dict[int, Any] = {}

    def __call__(self, variant: int = 0) -> Any:
        """The value for the rows of a `variant`."""
        if variant not in self.found:
            self.found[variant] = self.value(variant)
        return self.found[variant]

    def value(self, variant: int) -> Any:
        """The value for such rows, which lie in memory if there are objects."""
        if variant:
            return self.trial.call(self.trial.samples(partial(sample_of, variant=variant)))
        return self.trial.result(real_first=self.trial.has_objects())

    def settled(self) -> KnownExample | None:
        """The same without what gives the values; None where a few rows have none."""
        try:
            return KnownExample([self(variant) for variant in range(VARIANTS)])
        except Exception:
            # Whoever wants to know it afterwards takes a value of the type.
            return None


class KnownExample:
    """A value of the kind that a lazy one is, of which only examples are known."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values

    def __call__(self, variant: int = 0) -> Any:
        """The value for the rows of a `variant`."""
        return self.values[variant % len(self.values)]

    def settled(self) -> KnownExample:
        """Itself."""
        return self


#: So many different rows are tried.
VARIANTS = 2


def with_example(value: Any, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A lazy scalar, which knows what kind of value it is if it is an object, or one of the categories of a column."""
    lazy = [one for one in args if is_collection(one)]
    if type_of(value._expr) == object or any(map(is_categorical, (dtype for one in lazy for dtype in types_in(one)))):
        object.__setattr__(value, "_example", Example(function, args, kwargs))
    return value


def is_categorical(dtype: Any) -> bool:
    """Whether a type is one of categories."""
    import pandas as pd

    return isinstance(dtype, pd.CategoricalDtype)


class Trial:
    """Calls of a function with a few rows of its arguments."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs
        self.lazy = [value for value in (*args, *kwargs.values()) if is_collection(value)]

    def has_objects(self) -> bool:
        """Whether anything lazy holds objects, of which made-up ones tell little."""
        rows = [empty(value) for value in self.lazy if not is_scalar(value)]
        objects = any(dtype == object for one in rows for dtype in dtypes_of(one))
        return objects or any(map(is_any_object, self.lazy))

    def result(self, real_first: bool) -> Any:
        """What the function gives for real rows, if they lie in memory, or for made-up ones; for no rows, if there are
        none and made-up objects don't do."""
        in_memory = bool(self.lazy) and all(is_scalar(value) or value._expr.in_memory for value in self.lazy)
        real, made_up = self.with_real_rows, self.with_made_up_rows
        attempts = [real, made_up] if real_first and in_memory else [made_up, real]
        errors: dict[Any, Exception] = {}
        for attempt in attempts:
            try:
                return attempt()
            except NoRows:
                continue
            except NotImplementedError:
                raise
            except Exception as error:
                errors[attempt] = error
        if real not in errors and self.has_objects():
            with suppress(Exception):
                return self.call(self.samples(real_sample_of))
        if not errors:  # no rows that could be tried
            args, kwargs = self.samples(sample_of)
            return self.function(*args, **kwargs)
        raise errors[real] if real in errors else errors[made_up]

    def telling(self, result: Any) -> Any:
        """A result; that for more rows, if they lie in memory, where it has a column of missing values alone."""
        columns = [result.iloc[:, at] for at in range(result.shape[1])] if result.ndim == 2 else [result]
        says_nothing = any(one.isna().all() for one in columns)
        if not says_nothing or not all(is_scalar(value) or value._expr.in_memory for value in self.lazy):
            return result
        try:
            return self.with_real_rows(TELLING_ROWS)
        except Exception:  # of rows that nobody may ask for
            return result

    def with_real_rows(self, count: int = REAL_ROWS) -> Any:
        """The result for the first rows, computed; NoRows if there are none."""
        tried = len(self.args) - getattr(self.function, "untried", 0)
        real = partial(real_sample_of, count=count)
        args = [*map(real, self.args[:tried]), *map(sample_of, self.args[tried:])]
        kwargs = {key: real(value) for key, value in self.kwargs.items()}
        of_values = all(map(is_scalar, self.lazy))
        if not of_values and not any(len(value) for value in (*args, *kwargs.values()) if hasattr(value, "dtypes")):
            raise NoRows
        return self.call((args, kwargs))

    def with_made_up_rows(self) -> Any:
        """The result for two rows like those that there are."""
        return self.call(self.samples(sample_of))

    def samples(self, of: Callable[[Any], Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments, with rows for what is lazy."""
        return [of(value) for value in self.args], {key: of(value) for key, value in self.kwargs.items()}

    def call(self, samples: tuple[list[Any], dict[str, Any]]) -> Any:
        """The result for such arguments; a function may know a better way to try it (`tried`)."""
        return getattr(self.function, "tried", self.function)(*samples[0], **samples[1])

    def with_unknown_categories(self, meta: Any) -> Any:
        """The meta, where categories that depend on the rows are not known."""
        import pandas as pd

        meta = without_made_up(meta, self.lazy)
        found = [dtype for dtype in dtypes_of(meta) if isinstance(dtype, pd.CategoricalDtype)]
        given = [dtype for value in self.lazy if not is_scalar(value) for dtype in dtypes_of(empty(value))]
        keys = {key_of(storage_of(dtype, True)) for dtype in given if isinstance(dtype, pd.CategoricalDtype)}
        if all(key_of(storage_of(dtype, True)) in keys for dtype in found):
            return meta
        others = set()
        for variant in (0, 1):
            try:
                result = self.call(self.samples(partial(sample_of, variant=variant)))
                others.add(tuple(map(key_of_type, dtypes_of(empty_of(result)))))
            except Exception:
                others.add(())
        known = keys if len(others | {tuple(map(key_of_type, dtypes_of(meta)))}) > 1 else None
        return forgetting(meta, known)


def dtypes_of(meta: Any) -> list[Any]:
    """The types of the columns, or of the one column, of a pandas object."""
    return list(meta.dtypes) if meta.ndim == 2 else [meta.dtype]


def key_of_type(dtype: Any) -> Any:
    """What is equal for equal types only."""
    storage = storage_of(dtype, True)
    return str(dtype) if storage is None else key_of(storage)


def forgetting(meta: Any, known: set[Any] | None) -> Any:
    """The meta without the categories that aren't among the known types; as it is if `known` is None."""
    import pandas as pd

    if known is None:
        return meta

    def forgotten(column: Any) -> Any:
        dtype = column.dtype
        if not isinstance(dtype, pd.CategoricalDtype) or key_of_type(dtype) in known:
            return column
        return pd.Series([], index=column.index, name=column.name, dtype=unknown_categories(dtype))

    if meta.ndim == 1:
        return forgotten(meta)
    columns = {at: forgotten(meta.iloc[:, at]) for at in range(meta.shape[1])}
    return pd.DataFrame(columns, index=meta.index).set_axis(meta.columns, axis=1)


def without_made_up(meta: Any, lazy: list[Any]) -> Any:
    """The meta of a trial without the categories that samples have where those of the rows are not known, or none."""
    import pandas as pd

    rows = [empty(value) for value in lazy if not is_scalar(value)]
    given = [one for each in rows for one in (*dtypes_of(each), *label_types(each)) if is_categorical(one)]
    made_up = {key_of_type(sample_values(dtype).dtype) for dtype in given if not len(dtype.categories)}
    made_up -= {key_of_type(dtype) for dtype in given}

    def forgotten(dtype: Any) -> Any:
        return unknown_categories(dtype) if is_categorical(dtype) and key_of_type(dtype) in made_up else dtype

    if not made_up:
        return meta
    labels = meta.index
    if isinstance(labels, pd.MultiIndex):
        labels = labels.set_levels([level.astype(forgotten(level.dtype)) for level in labels.levels])
    else:
        labels = labels.astype(forgotten(labels.dtype))
    meta = meta.set_axis(labels, axis=0)
    if meta.ndim == 1:
        return meta.astype(forgotten(meta.dtype))
    columns = {at: meta.iloc[:, at].astype(forgotten(dtype)) for at, dtype in enumerate(meta.dtypes)}
    return pd.DataFrame(columns, index=meta.index).set_axis(meta.columns, axis=1)


def label_types(rows: Any) -> list[Any]:
    """The types of the levels of the row labels of an empty object; none of an index."""
    import pandas as pd

    if isinstance(rows, pd.Index):
        return []
    return [level.dtype for level in getattr(rows.index, "levels", [rows.index])]


def empty_of(result: Any) -> Any:
    """The first no rows of a result; a plain value stands for a series of such values."""
    import pandas as pd

    if isinstance(result, pd.DataFrame | pd.Series):
        return result.iloc[:0]
    if isinstance(result, pd.Index):
        return result[:0].to_series()
    if is_array(result):
        return pd.Series(result[:0])
    return pd.Series([result], dtype=object if is_missing(result) else None).iloc[:0]
