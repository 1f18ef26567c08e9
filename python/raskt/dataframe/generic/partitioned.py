"""Methods of frames, series and indexes that choose rows or go by partition."""

from __future__ import annotations

import inspect
import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any

from raskt._late import refuse_late

from ..base.checks import check_boolean, deprecated_copy, no_default, without_effect
from ..base.collection import Collection, is_collection, is_index, is_scalar
from ..base.gaps import with_gaps
from ..base.meta import infer
from ..base.partitionwise import WithNames, over_all, over_partitions, value_meta
from ..base.positions import refuse_by_position
from ..base.registry import wrap
from ..base.unknown import leaving_unknown
from ..base.whole import is_foreign, over_whole
from ..window.exponential import ExponentialMovingWindow
from ..window.resample import Resampler
from ..window.rolling import Expanding, Rolling, Window
from .divisions import Divided
from .levels import Labelled, level_names
from .sampling import Sampled


class Partitioned(Divided, Labelled, Sampled, Collection):
    """A collection with rows, in terms of `_framed(function)`, which applies a function to its frame expression."""

    __slots__ = ()
    #: Above those of pandas' own classes: their operators leave `pandas object + lazy one` to the lazy one, which
    #: brings labels together, and does not count positions.
    __pandas_priority__ = 5000

    def _framed(self, function: Callable[[Any], Any]) -> Any:
        raise NotImplementedError

    @property
    def partitions(self) -> Partitions:
        """The partitions by number: `df.partitions[0]`, `df.partitions[2:5]`, `df.partitions[[0, 3]]`.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> len(rd.from_pandas(pd.DataFrame({"x": range(6)}), npartitions=3).partitions[1:])
        4
        """
        return Partitions(self)

    def get_partition(self, n: int) -> Any:
        """Partition `n` as a collection of its own; IndexError if there is no such partition."""
        return self.partitions[n]

    def head(self, n: int = 5, npartitions: int = 1, compute: bool = True) -> Any:
        """The first `n` rows, computed at once unless `compute=False`.

        Rows come from as many partitions as it takes, whatever `npartitions` says (Dask looks into so many alone, or
        into all for -1).
        A negative `n` means all but the last `-n` rows.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> rd.from_pandas(pd.DataFrame({"x": range(6)}), npartitions=3).head(3)["x"].tolist()
        [0, 1, 2]
        """
        n = whole_number(n)
        if npartitions > self.npartitions:
            raise ValueError(f"only {self.npartitions} partitions, head received {npartitions}")
        if n < 0:
            rows = self._framed(lambda frame: frame.slice(0, max(0, len(self) + n)))
        else:
            rows = self._framed(lambda frame: frame.head(int(n)))
        return rows.compute() if compute else rows

    def tail(self, n: int = 5, compute: bool = True) -> Any:
        """The last `n` rows, computed at once unless `compute=False`."""
        n = whole_number(n)
        if n < 0:
            raise NotImplementedError("tail with a negative number of rows: filter, or compute first")
        rows = self._framed(lambda frame: frame.tail(int(n)))
        return rows.compute() if compute else rows

    def __len__(self) -> int:
        """How many rows there are; read off the plan where it says so, computed otherwise."""
        known = self._length()
        return int(self._row_count().compute()) if known is None else int(known)

    def _length(self) -> int | None:
        with leaving_unknown():
            return self._as_frame().length()

    def _row_count(self) -> Any:
        """The number of rows as a lazy scalar."""
        with leaving_unknown():
            frame = self._as_frame()
        counted = frame.column_at(0) if frame.columns else frame.level(0)
        return wrap(counted.reduce("size").counted())

    def _as_frame(self) -> Any:
        raise NotImplementedError

    @property
    def empty(self) -> bool:
        """Whether there are no rows (or no columns); this computes the number of rows."""
        return len(self) == 0

    def __bool__(self) -> bool:
        raise ValueError(f"The truth value of a {type(self).__name__} is ambiguous. Use a.any() or a.all().")

    def map_partitions(self, func: Callable[..., Any], *args: Any, meta: Any = None, **kwargs: Any) -> Any:
        """Apply a function to each partition, a pandas object; put the results one under another.

        Lazy objects among the arguments must have the same rows; each call gets their part of them. The names and
        types of the result are found by calling the function on a few rows, unless `meta` says them: an
        empty pandas object, a `(name, dtype)` pair for a series, a dictionary from names to types for a frame. Types
        of row labels that `meta` says nothing of are found by the sample. A function with a parameter
        `partition_info` gets a dictionary of the `number` of its partition and the `division` it begins with; on the
        sample its default.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"x": [1, 2, 3]}), npartitions=2)
        >>> df.map_partitions(lambda part, by: part["x"] * by, by=10).compute().tolist()
        [10, 20, 30]
        """
        return each_partition(func, (self, *args), meta, kwargs)

    def map_overlap(
        self, func: Callable[..., Any], before: Any, after: Any, *args: Any, meta: Any = None, **kwargs: Any
    ) -> Any:
        """Apply a function whose results depend on at most `before` rows above and `after` rows below each row.

        All rows are gathered into one partition for it, so that it sees no fewer of them.
        """
        check_overlap(before, after)
        refuse_late([args, kwargs])
        name = getattr(func, "__name__", "map_overlap")
        return over_all(WithNames(func, list(kwargs)), self, *args, *kwargs.values(), name=name, meta=meta)

    def reduction(
        self,
        chunk: Callable[..., Any],
        aggregate: Callable[..., Any] | None = None,
        combine: Callable[..., Any] | None = None,
        meta: Any = None,
        token: Any = None,
        split_every: Any = None,
        chunk_kwargs: dict[str, Any] | None = None,
        aggregate_kwargs: dict[str, Any] | None = None,
        combine_kwargs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Apply `chunk` to each partition, and `aggregate` (by default `chunk`) to the results, one under another.

        `combine` makes fewer results of several before `aggregate` sees them. All of them get the other keyword
        arguments. A single value is a lazy scalar.
        """
        without_effect(token, split_every)
        refuse_late([chunk_kwargs, aggregate_kwargs, combine_kwargs, kwargs])
        if combine_kwargs and combine is None:
            raise ValueError("`combine_kwargs` provided with no `combine`")
        first, last = reducing(chunk, chunk_kwargs, kwargs), given_more(aggregate or chunk, aggregate_kwargs, kwargs)
        parts = over_partitions(first, (self,), {}, name=getattr(chunk, "__name__", "chunk"))
        if combine is not None:
            parts = over_all(reducing(combine, combine_kwargs, kwargs), parts, name="combine")
        values: list[bool] = []
        name = getattr(aggregate or chunk, "__name__", "aggregate")
        found = infer(watched(last, values), (parts,), {}, name) if meta is None else meta
        if values and values[-1]:
            return wrap(over_all(last, parts, name=name, meta=value_meta(found, parts))._expr.reduce("only"))
        return over_all(last, parts, name=name, meta=found)

    def align(
        self, other: Any, join: str = "outer", axis: Any = None, level: Any = None, copy: Any = no_default,
        fill_value: Any = None,
    ) -> tuple[Any, Any]:  # fmt: skip
        """This and another collection, with the same labels of rows (and of columns).

        Collections of the same rows (and columns) are aligned as they are; others are gathered, and aligned by pandas.

        Parameters
        ----------
        other : DataFrame or Series
            The other collection, lazy or in memory.
        join : {"outer", "inner", "left", "right"}
            Which labels there are in the results.
        axis : {0, 1, None}
            Rows, columns, or (None) both.
        level : int or label, optional
            The level of the labels of one that are those of the other.
        copy : object, optional
            Without effect but pandas' warning that it is deprecated.
        fill_value : scalar, optional
            What stands where there is no value; missing by default.

        Returns
        -------
        tuple
            Both collections, with rows of their own each.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> x = rd.from_pandas(pd.Series([1, 2], index=[0, 1]), npartitions=1)
        >>> [part.compute().tolist() for part in x.align(pd.Series([3.0], index=[1]), join="inner")]
        [[2], [3.0]]
        """
        deprecated_copy(copy)
        if not is_collection(other) and not hasattr(other, "reindex"):
            raise TypeError(f"unsupported type: {type(other)}")
        same = is_collection(other) and not is_foreign(self, other) and level is None and fill_value is None
        if same and getattr(self._expr, "columns", None) == getattr(other._expr, "columns", None):
            return self, other
        if level is None and axis not in (1, "columns") and level_names(self) != names_of_labels(other):
            raise NotImplementedError(
                "align of rows whose labels have other names, which they keep in pandas if the labels are equal: "
                "rename those of one by rename_axis"
            )
        options = {"join": join, "axis": axis, "level": level, "fill_value": fill_value}
        call = lambda at: over_whole(
            lambda a, b: a.align(b, **options)[at], self, other, name="align", may_miss=fill_value is None
        )
        return call(0), call(1)

    def optimize(self, fuse: bool = True) -> Any:
        """The same collection: every plan is optimised when it is computed, and work is put together where it helps.

        `fuse` is Dask's and changes nothing here.
        """
        without_effect(fuse)
        return self.copy()

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """`func(self, *args, **kwargs)`, for chains; `func` may be a pair of a function and its argument."""
        if isinstance(func, tuple):
            function, name = func
            return function(*args, **{name: self}, **kwargs)
        return func(self, *args, **kwargs)

    def to_delayed(self, optimize_graph: bool = True) -> list[Any]:
        """The partitions as delayed objects, each of which computes to a pandas object."""
        from raskt._core import delayed_block

        parts = wrap(self._expr.by_partition())
        return [delayed_block(parts, at) for at in range(self.npartitions)]

    def rolling(
        self,
        window: Any,
        min_periods: int | None = None,
        center: bool = False,
        win_type: str | None = None,
        on: str | None = None,
        closed: str | None = None,
        step: int | None = None,
        method: str = "single",
    ) -> Any:
        """Windows that move over the rows; their methods are gathered, in pandas.

        Parameters
        ----------
        window : int, offset, timedelta or BaseIndexer
            How many rows, or what span of time, each window has.
        min_periods : int, optional
            How many values a window must have; by default all rows, or one where windows are spans of time.
        center : bool, default False
            Whether each row stands in the middle of its window instead of at its end.
        win_type : str, optional
            Weights of the rows: a window function of SciPy.
        on : str, optional
            The column of times by which windows are found, instead of the index.
        closed : {"right", "left", "both", "neither"}, optional
            Which ends belong to a window.
        step : int, optional
            Windows at every `step`-th row alone.
        method : {"single", "table"}
            Windows of each column, or of all columns together.

        Returns
        -------
        Rolling or Window
            The windows, which have the statistics as methods.
        """
        options = {"min_periods": min_periods, "center": center, "on": on, "closed": closed, "step": step}
        shape = Rolling if win_type is None else Window
        return shape(self, window=window, win_type=win_type, method=method, **options)

    def expanding(self, min_periods: int = 1, method: str = "single") -> Expanding:
        """Windows from the first row to each row; their methods are gathered, in pandas."""
        return Expanding(self, min_periods=min_periods, method=method)

    def ewm(
        self,
        com: float | None = None,
        span: float | None = None,
        halflife: Any = None,
        alpha: float | None = None,
        min_periods: int = 0,
        adjust: bool = True,
        ignore_na: bool = False,
        times: Any = None,
        method: str = "single",
    ) -> ExponentialMovingWindow:
        """Windows with weights that fade; their methods are gathered, in pandas. See `pandas.DataFrame.ewm`."""
        if times is not None:
            raise NotImplementedError("ewm(times=): compute first, since times have to be as long as the rows")
        options = {"com": com, "span": span, "halflife": halflife, "alpha": alpha, "min_periods": min_periods}
        return ExponentialMovingWindow(self, adjust=adjust, ignore_na=ignore_na, method=method, **options)

    def resample(
        self,
        rule: Any,
        closed: str | None = None,
        label: str | None = None,
        convention: str = "start",
        on: str | None = None,
        level: Any = None,
        origin: Any = "start_day",
        offset: Any = None,
        group_keys: bool = False,
    ) -> Resampler:
        """Groups of rows by spans of time; their methods are gathered, in pandas.

        Parameters
        ----------
        rule : str, offset or timedelta
            The span of each group.
        closed, label : {"right", "left"}, optional
            Which end belongs to a group, and which one names it.
        convention : {"start", "end", "s", "e"}
            For periods: which end of them counts.
        on, level : str, optional
            The column, or the level of the index, that has the times.
        origin, offset : optional
            Where the spans begin.
        group_keys : bool, default False
            Whether `apply` puts the groups' times before its own labels.

        Returns
        -------
        Resampler
            The groups, which have the aggregations as methods.
        """
        options = {"convention": convention, "on": on, "level": level, "origin": origin, "offset": offset}
        return Resampler(self, rule=rule, closed=closed, label=label, group_keys=group_keys, **options)

    def _parts(self) -> Iterator[Any]:
        """The partitions as pandas objects: computed at once, turned into pandas one after another."""
        kept = self.persist()
        for at in range(kept.npartitions):
            yield kept.get_partition(at).compute()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """The computed values as a NumPy array.

        NotImplementedError where pandas asks for them to put them beside labels of its own, by position: they have
        labels, too, which would be lost.
        """
        import numpy as np

        if not is_index(self):
            refuse_by_position(sys._getframe(1))
        values = np.asarray(self.compute(), dtype=dtype)
        return values.copy() if copy else values


class Partitions:
    """The partitions of a collection, chosen by number, slice or list."""

    def __init__(self, rows: Partitioned) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return self._rows.npartitions

    def __iter__(self) -> Iterator[Any]:
        return (self[at] for at in range(len(self)))

    def __getitem__(self, chosen: Any) -> Any:
        count = len(self)
        if isinstance(chosen, slice):
            return self._several(list(range(count))[chosen])
        if isinstance(chosen, list):
            return self._several([self._number(at) for at in chosen])
        at = self._number(chosen)
        return self._rows._framed(lambda frame: frame.pick([at]))

    def _number(self, at: Any) -> int:
        count = len(self)
        if isinstance(at, bool) or not hasattr(at, "__index__"):
            raise TypeError(f"a partition is chosen by its number, not by {at!r}")
        if not -count <= at < count:
            raise IndexError(f"partition {at} is out of range: there are {count} partitions")
        return int(at) % count

    def _several(self, numbers: list[int]) -> Any:
        if not numbers:
            return self._rows._framed(lambda frame: frame.head(0))
        return self._rows._framed(lambda frame: frame.pick(numbers))


def reducing(function: Callable[..., Any], own: dict[str, Any] | None, common: dict[str, Any]) -> Callable[[Any], Any]:
    """A function with its arguments; a series of results, as a frame's own reduction gives, becomes one row."""
    whole = given_more(function, own, common)

    def call(part: Any) -> Any:
        import pandas as pd

        result = whole(part)
        if isinstance(part, pd.DataFrame) and isinstance(result, pd.Series) and result.index.equals(part.columns):
            return result.to_frame().T
        return result

    return call


def given_more(
    function: Callable[..., Any], own: dict[str, Any] | None, common: dict[str, Any]
) -> Callable[[Any], Any]:
    """A function with its keyword arguments."""
    options = common | (own or {})
    return lambda part: function(part, **options)


def watched(function: Callable[..., Any], values: list[bool]) -> Callable[[Any], Any]:
    """A function that notes of each result whether it is a single value."""

    def call(part: Any) -> Any:
        result = function(part)
        values.append(getattr(result, "ndim", 0) == 0)
        return result

    return call


def check_overlap(before: Any, after: Any) -> None:
    """Errors for numbers of rows, or spans of time, that cannot be nearby."""
    from datetime import timedelta

    for one in (before, after):
        if isinstance(one, timedelta):
            continue
        if isinstance(one, bool) or not hasattr(one, "__index__"):
            raise TypeError(f"before and after are numbers of rows or timedeltas, not {one!r}")
        if one < 0:
            raise ValueError(f"before and after must not be negative, and {one} is")


def whole_number(n: Any) -> int:
    """A number of rows, as far as rows can be counted; TypeError for one that is no integer."""
    if not hasattr(n, "__index__") or isinstance(n, bool):
        raise TypeError(f"a number of rows is an integer, not {n!r}")
    return max(min(operator.index(n), sys.maxsize), -sys.maxsize)


def has_parameter(function: Callable[..., Any], name: str) -> bool:
    """Whether the signature of a function has a parameter of that name."""
    try:
        return name in inspect.signature(function).parameters
    except (TypeError, ValueError):  # of C, without a signature
        return False


class Informed:
    """A function that is told of its partition by `partition_info`, but in trials; a worker process can be sent it."""

    def __init__(self, function: Callable[..., Any], count: int, divisions: tuple[Any, ...]) -> None:
        self.function, self.count, self.divisions = function, count, divisions

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result of the function; the number of the partition comes behind its own arguments."""
        if len(args) > self.count:
            number = int(args[-1])
            kwargs["partition_info"] = {"number": number, "division": self.divisions[number]}
        return self.function(*args[: self.count], **kwargs)


def each_partition(function: Callable[..., Any], args: tuple[Any, ...], meta: Any, kwargs: dict[str, Any]) -> Any:
    """`map_partitions` with Dask's options among `kwargs`; the others are the function's.

    What they leave out is done all the same where it changes no result: results are always compared with `meta`
    (`enforce_metadata`), and divisions that a function may have moved are never kept (`transform_divisions`).
    """
    options = {
        "enforce_metadata": True,
        "transform_divisions": True,
        "align_dataframes": True,
        "clear_divisions": False,
    }
    refuse_late([args, kwargs])
    given = {name: kwargs.pop(name, default) for name, default in options.items()}
    for option, value in given.items():
        check_boolean(option, value)
    name = kwargs.pop("token", None) or getattr(function, "__name__", type(function).__name__)
    found = side_by_side(function, args, kwargs, name=name, meta=meta, align=given["align_dataframes"])
    return found.clear_divisions() if given["clear_divisions"] and not is_scalar(found) else found


def side_by_side(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], *, name: str,
                 meta: Any, align: bool = True) -> Any:  # fmt: skip
    """A function of the partitions of collections: of the same rows, or of others that have as many partitions.

    With `align`, collections whose divisions are known and differ are cut by the divisions of all first.
    """
    given = [value for value in (*args, *kwargs.values()) if is_collection(value)]
    told = "partition_info" not in kwargs and has_parameter(function, "partition_info")
    if all(not is_foreign(given[0], value) for value in given):
        if told:
            function = Informed(function, len(args), given[0].divisions)
        return over_partitions(function, args, kwargs, name=name, meta=meta, numbered=told)
    if told:
        raise NotImplementedError("partition_info with collections of other rows: make columns of one frame of them")
    rows = [value for value in given if not is_scalar(value)]
    if align and len({value.divisions for value in rows}) > 1 and all(value.known_divisions for value in rows):
        bounds = sorted({bound for value in rows for bound in value.divisions})
        cut = lambda value: (
            value._framed(lambda frame: frame.cut(bounds)) if any(value is one for one in rows) else value
        )
        args, kwargs = tuple(map(cut, args)), {key: cut(value) for key, value in kwargs.items()}
        rows = [cut(value) for value in rows]
    if not all(value._as_frame().keeps_partitions for value in rows):
        raise NotImplementedError(
            "partitions of collections go side by side, and those of one are equal parts of all its rows, since a "
            "filter or a column of it looks at other rows and no lengths are known: persist it, or make columns of "
            "one frame of them"
        )
    counts = {value.npartitions for value in rows} - {1}
    if len(counts) > 1:
        raise ValueError(f"partitions of collections go side by side, and there are {sorted(counts)} of them: make them"
                         "as many with repartition, or make divisions known")  # fmt: skip
    call, values = with_gaps(WithNames(function, list(kwargs)), (*args, *kwargs.values()), {})
    return over_whole(call, *values, name=name, meta=meta, partitions=max(counts, default=1), inferred=meta is None)


def names_of_labels(other: Any) -> list[Any]:
    """The names of the row labels of a lazy collection or of a pandas object."""
    return level_names(other) if is_collection(other) else list(getattr(getattr(other, "index", None), "names", []))
