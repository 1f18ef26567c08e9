"""Methods of frames, series and indexes that choose rows or go by partition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..base.collection import Collection
from ..base.meta import empty
from ..base.partitionwise import over_all, over_partitions
from ..base.registry import core, wrap
from ..window.exponential import ExponentialMovingWindow
from ..window.resample import Resampler
from ..window.rolling import Expanding, Rolling, Window


class Partitioned(Collection):
    """A collection with rows, in terms of `_framed(function)`, which applies a function to its frame expression."""

    __slots__ = ()

    def _framed(self, function: Callable[[Any], Any]) -> Any:
        raise NotImplementedError

    @property
    def npartitions(self) -> int:
        """How many partitions there are."""
        return int(self._expr.npartitions)

    @property
    def divisions(self) -> tuple[Any, ...]:
        """The least index label of each partition and the greatest of the last; all None where they are not known."""
        known = self._expr.divisions
        return tuple(known) if known is not None else (None,) * (self.npartitions + 1)

    @property
    def known_divisions(self) -> bool:
        """Whether it is known which index labels each partition holds."""
        return self._expr.divisions is not None

    def clear_divisions(self) -> Any:
        """The same rows; kept for familiarity, since nothing here is done wrongly by known divisions."""
        return self.copy()

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

    def repartition(self, npartitions: int | None = None, **kwargs: Any) -> Any:
        """The same rows in `npartitions` partitions of about the same number of rows.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> rd.from_pandas(pd.DataFrame({"x": range(6)}), npartitions=3).repartition(npartitions=2).npartitions
        2
        """
        wanted = [name for name, value in kwargs.items() if value is not None]
        if wanted or npartitions is None:
            raise NotImplementedError(f"repartition by {', '.join(wanted) or 'nothing'}: give npartitions=")
        if isinstance(npartitions, bool) or not hasattr(npartitions, "__index__") or npartitions < 1:
            raise ValueError(f"npartitions must be a positive integer, not {npartitions!r}")
        return self._framed(lambda frame: frame.repartition(int(npartitions)))

    def head(self, n: int = 5, npartitions: int = 1, compute: bool = True) -> Any:
        """The first `n` rows, computed at once unless `compute=False`.

        Rows come from as many partitions as it takes, whatever `npartitions` says (Dask looks into the first alone).
        A negative `n` means all but the last `-n` rows.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> rd.from_pandas(pd.DataFrame({"x": range(6)}), npartitions=3).head(3)["x"].tolist()
        [0, 1, 2]
        """
        if n < 0:
            rows = self._framed(lambda frame: frame.slice(0, max(0, len(self) + n)))
        else:
            rows = self._framed(lambda frame: frame.head(int(n)))
        return rows.compute() if compute else rows

    def tail(self, n: int = 5, compute: bool = True) -> Any:
        """The last `n` rows, computed at once unless `compute=False`."""
        if n < 0:
            raise NotImplementedError("tail with a negative number of rows: filter, or compute first")
        rows = self._framed(lambda frame: frame.tail(int(n)))
        return rows.compute() if compute else rows

    def __len__(self) -> int:
        """How many rows there are; read off the plan where it says so, computed otherwise."""
        known = self._length()
        return int(self._row_count().compute()) if known is None else int(known)

    def _length(self) -> int | None:
        return self._as_frame().length()

    def _row_count(self) -> Any:
        """The number of rows as a lazy scalar."""
        frame = self._as_frame()
        counted = frame.column_at(0) if frame.columns else frame.index()
        return wrap(counted.reduce("size"))

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
        types of the result are found by calling the function on a sample of two rows, unless `meta` says them: an
        empty pandas object, a `(name, dtype)` pair for a series, a dictionary from names to types for a frame.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"x": [1, 2, 3]}), npartitions=2)
        >>> df.map_partitions(lambda part, by: part["x"] * by, by=10).compute().tolist()
        [10, 20, 30]
        """
        for ignored in ("enforce_metadata", "transform_divisions", "align_dataframes", "clear_divisions"):
            kwargs.pop(ignored, None)
        name = kwargs.pop("token", None) or getattr(func, "__name__", type(func).__name__)
        return over_partitions(func, (self, *args), kwargs, name=name, meta=meta)

    def map_overlap(
        self, func: Callable[..., Any], before: Any, after: Any, *args: Any, meta: Any = None, **kwargs: Any
    ) -> Any:
        """Apply a function whose results depend on rows nearby; all rows are gathered into one partition for it."""
        name = getattr(func, "__name__", "map_overlap")
        return over_all(func, self, *args, name=name, meta=meta, **kwargs)

    def reduction(
        self, chunk: Callable[..., Any], aggregate: Callable[..., Any] | None = None, meta: Any = None, **kwargs: Any
    ) -> Any:
        """Apply `chunk` to each partition and `aggregate` to the results put one under another."""
        first = chunk_rows(chunk, kwargs.get("chunk_kwargs") or {})
        parts = over_partitions(first, (self,), {}, name=getattr(chunk, "__name__", "chunk"))
        last = chunk_rows(aggregate or chunk, kwargs.get("aggregate_kwargs") or {})
        return over_all(last, parts, name=getattr(aggregate or chunk, "__name__", "aggregate"), meta=meta)

    def align(self, other: Any, join: str = "outer", axis: Any = None, fill_value: Any = None) -> tuple[Any, Any]:
        """This and another collection of the same rows, which are aligned as they are."""
        (self == other)._expr  # noqa: B018  (refuses other rows)
        return self, other

    def optimize(self, fuse: bool = True) -> Any:
        """The same collection: every plan is optimised when it is computed."""
        return self.copy()

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """`func(self, *args, **kwargs)`, for chains; `func` may be a pair of a function and its argument."""
        if isinstance(func, tuple):
            function, name = func
            return function(*args, **{name: self}, **kwargs)
        return func(self, *args, **kwargs)

    def sample(
        self, n: int | None = None, frac: float | None = None, replace: bool = False, random_state: Any = None
    ) -> Any:
        """A random part `frac` of each partition.

        What is drawn from a partition depends on `random_state` and on the row labels in it alone, so that the same
        call gives the same rows. A fixed number of rows would need their count first: NotImplementedError for `n`.
        """
        if n is not None or frac is None:
            raise NotImplementedError(
                "sample takes frac=, a part of the rows; compute len(df) first to turn n into a part"
            )
        seed = _seed(random_state)
        draw = lambda part: part.sample(frac=frac, replace=replace, random_state=_generator(seed, part))
        return over_partitions(draw, (self,), {}, name="sample", meta=empty(self))

    def random_split(self, frac: list[float], random_state: Any = None, shuffle: bool = False) -> list[Any]:
        """Random disjoint parts of the rows, of the sizes that `frac` says; the fractions sum to one."""
        if abs(sum(frac) - 1) > 1e-9:
            raise ValueError(f"frac must sum to 1, and {frac} sums to {sum(frac)}")
        seed = _seed(random_state)

        def choose(part: Any, at: int) -> Any:
            import numpy as np

            draws = _generator(seed, part).random(len(part))
            bounds = np.cumsum([0.0, *frac])
            bounds[-1] = 1.0
            return part[(draws >= bounds[at]) & (draws < bounds[at + 1])]

        return [
            over_partitions(choose, (self, at), {}, name="random_split", meta=empty(self)) for at in range(len(frac))
        ]

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
        """The computed values as a NumPy array."""
        import numpy as np

        return np.asarray(self.compute(), dtype=dtype)


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
        return self._rows._framed(lambda frame: frame.partition(at))

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
        return self._rows._framed(lambda frame: core().frame_concat([frame.partition(at) for at in numbers]))


def chunk_rows(function: Callable[..., Any], options: dict[str, Any]) -> Callable[[Any], Any]:
    """A function whose result is rows: a series of results, as a frame's own reduction gives, becomes one row."""

    def call(part: Any) -> Any:
        import pandas as pd

        result = function(part, **options)
        if isinstance(part, pd.DataFrame) and isinstance(result, pd.Series) and result.index.equals(part.columns):
            return result.to_frame().T
        return result

    return call


def _seed(random_state: Any) -> int:
    """A seed of 64 bits: the one that is given, or a new one."""
    import secrets

    if random_state is None:
        return secrets.randbits(64)
    if hasattr(random_state, "__index__"):
        return int(random_state)
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**63))
    return int(random_state.randint(2**31))


def _generator(seed: int, part: Any) -> Any:
    """A generator that depends on the seed and on the labels of the rows."""
    import numpy as np
    import pandas as pd

    labels = int(pd.util.hash_pandas_object(part.index, index=False).sum()) if len(part) else 0
    return np.random.default_rng([seed, labels])
