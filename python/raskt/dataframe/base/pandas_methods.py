"""pandas' own methods over partitions: what runs for arguments that have no native form.

The names, the arguments and the errors are those of pandas, since it is pandas that runs. Each call is tried on a
sample first, by which the types of its result are known, and by which wrong arguments raise pandas' own errors at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .checks import no_default
from .collection import is_frame
from .dependent import changed_meta
from .meta import infer, types_in, with_example
from .partitionwise import over_partitions, value_meta
from .registry import wrap
from .whole import over_whole


class Method:
    """A method by its name, as a function of the object that has it; `accessor` is one of `str`, `dt` and `cat`.

    It can be sent to a worker process, which a lambda cannot.
    """

    def __init__(self, name: str, accessor: str | None = None) -> None:
        self.name = name
        self.accessor = accessor
        self.__name__ = name if accessor is None else f"{accessor}.{name}"

    def __call__(self, rows: Any, /, *args: Any, **options: Any) -> Any:
        """Call the method of `rows`."""
        owner = rows if self.accessor is None else getattr(rows, self.accessor)
        return getattr(owner, self.name)(*args, **options)


def native_or(native_form: Callable[[], Any], in_pandas: Callable[[], Any]) -> Any:
    """The native form; what pandas makes of the rows where there is none for their types or for the arguments.

    Where types don't go together, pandas says it: it may know better, and its error is the one to raise.
    """
    try:
        return native_form()
    except (NotImplementedError, TypeError):
        return in_pandas()


def elementwise(
    method: str, rows: Any, /, *args: Any, meta: Any = None, by_labels: bool | None = None, **options: Any
) -> Any:
    """A method that gives a row for each row, by itself: it runs on each partition. See `over_partitions`."""
    return run(Method(method), (rows, *args), options, same_rows=True, meta=meta, by_labels=by_labels)


def changing(
    over: Callable[..., Any], changed: Callable[[], Any], method: str, rows: Any, /, *args: Any, **options: Any
) -> Any:
    """A method that may change values, `over` partitions or all rows: of the types that it gives where it changes them.

    `changed` calls it so that it does.
    """
    trial(Method(method), (rows, *args), given(options))
    return over(method, rows, *args, meta=changed_meta(changed), **options)


def by_partition(method: str, rows: Any, /, *args: Any, meta: Any = None, **options: Any) -> Any:
    """A method that goes by rows, but gives more or fewer of them: it runs on each partition."""
    return run(Method(method), (rows, *args), options, meta=meta)


def gathered(
    method: str, rows: Any, /, *args: Any, meta: Any = None, may_miss: bool | list[bool] | None = None, **options: Any
) -> Any:
    """A method that has to see all rows: they are gathered into one partition, which `explain()` shows."""
    return run(Method(method), (rows, *args), options, gather=True, meta=meta, may_miss=may_miss)


def gathered_rows(method: str, rows: Any, /, *args: Any, meta: Any = None, **options: Any) -> Any:
    """A method that has to see all rows, and gives one for each of them under its label: the result mixes with them."""
    return over_whole(Method(method), rows, *args, name=method, meta=meta, same_rows=True, **given(options))


def gathered_value(method: str, rows: Any, /, *args: Any, **options: Any) -> Any:
    """The lazy scalar that a method gives for all rows, gathered."""
    options = given(options)
    meta = value_meta(infer(Method(method), (rows, *args), options, method, plainly=True), rows)
    if method in ("quantile", "dot") and not str(meta.dtype) == "float64" == str(rows.dtype):
        meta = meta.astype(object)  # of integers it may be an integer or not, and of nullable numbers NaN
    if method in ("min", "max") and is_frame(rows) and len({"bool" in str(dtype) for dtype in types_in(rows)}) > 1:
        meta = meta.astype(object)  # one of the numbers, or one of the truth values
    found = wrap(gathered(method, rows, *args, meta=meta, **options)._expr.reduce("only"))
    return with_example(found, Method(method), (rows, *args), options)


def run(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    options: dict[str, Any],
    *,
    same_rows: bool = False,
    gather: bool = False,
    meta: Any = None,
    may_miss: bool | list[bool] | None = None,
    by_labels: bool | None = None,
) -> Any:
    """A function of pandas over partitions; options without a value are left to pandas."""
    options = given(options)
    how: dict[str, Any] = {"same_rows": same_rows, "gather": gather, "meta": meta, "plainly": True}
    how |= {"may_miss": may_miss, "by_labels": by_labels}
    return over_partitions(function, args, options, name=getattr(function, "__name__", "call"), **how)


def trial(function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The empty result of a function of pandas, called with a few rows; errors are those of pandas."""
    return infer(function, args, options, getattr(function, "__name__", "call"), plainly=True)


def given(options: dict[str, Any]) -> dict[str, Any]:
    """The options that have a value."""
    return {name: value for name, value in options.items() if value is not no_default}
