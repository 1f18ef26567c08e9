"""Methods of frames, series and indexes that choose rows or go by partition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..base.arguments import without_effect
from ..base.collection import Collection, is_collection
from ..base.meta import empty
from ..base.partitionwise import over_all, over_partitions
from ..base.registry import wrap
from ..base.whole import is_foreign, over_whole
from ..window.exponential import ExponentialMovingWindow
from ..window.resample import Resampler
from ..window.rolling import Expanding, Rolling, Window
from .divisions import Divided
from .levels import Labelled


class Partitioned(Divided, Labelled, Collection):
    """A collection with rows, in terms of `_framed(function)`, which applies a function to its frame expression."""

    __slots__ = ()

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
        counted = frame.column_at(0) if frame.columns else frame.level(0)
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
        return side_by_side(func, (self, *args), kwargs, name=name, meta=meta)

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

    def align(
        self, other: Any, join: str = "outer", axis: Any = None, level: Any = None, copy: Any = None,
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
            Without effect, as in pandas.
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
        without_effect(copy)
        same = is_collection(other) and not is_foreign(self, other) and level is None and fill_value is None
        if same and getattr(self._expr, "columns", None) == getattr(other._expr, "columns", None):
            return self, other
        options = {"join": join, "axis": axis, "level": level, "fill_value": fill_value}
        call = lambda at: over_whole(
            lambda a, b: a.align(b, **options)[at], self, other, name="align", may_miss=fill_value is None
        )
        return call(0), call(1)

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
        """Random rows: the very rows, in the order, that pandas draws from all of them with the same seed.

        Parameters
        ----------
        n : int, optional
            How many rows.
        frac : float, optional
            Which part of the rows instead.
        replace : bool, default False
            Whether a row may be drawn more than once.
        random_state : int, generator or None
            The seed; a new one by default.

        Returns
        -------
        DataFrame or Series
            The rows, which are gathered to draw from them, in as many partitions as before.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> len(rd.from_pandas(pd.DataFrame({"x": range(8)}), npartitions=2).sample(frac=0.5, random_state=1))
        4
        """
        if n is not None and frac is not None:
            raise ValueError("Please enter a value for `frac` OR `n`, not both")
        options = {"n": n, "frac": frac, "replace": replace, "random_state": random_state}
        if random_state is None or not hasattr(random_state, "__index__"):
            options["random_state"] = _seed(random_state) % 2**32
        found = over_all(lambda rows: rows.sample(**options), self, name="sample", meta=empty(self))
        return found if self.npartitions == 1 else found.repartition(npartitions=self.npartitions)

    def random_split(self, frac: list[float], random_state: Any = None, shuffle: bool = False) -> list[Any]:
        """Random disjoint parts of the rows.

        Which part a row is in depends on `random_state` and on its position among all rows, whatever the partitions.

        Parameters
        ----------
        frac : list of float
            The sizes of the parts; they sum to one.
        random_state : int, generator or None
            The seed; a new one by default.
        shuffle : bool, default False
            Whether the rows of each part are put in random order.

        Returns
        -------
        list of DataFrame or Series
            The parts.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> parts = rd.from_pandas(pd.Series(range(100)), npartitions=4).random_split([0.5, 0.5], random_state=0)
        >>> sum(len(part) for part in parts)
        100
        """
        if abs(sum(frac) - 1) > 1e-9:
            raise ValueError(f"frac must sum to 1, and {frac} sums to {sum(frac)}")
        seed = _seed(random_state)
        positions = wrap(self._as_frame().reset_index(True).index())
        bounds = [sum(frac[:at]) for at in range(len(frac))] + [2.0]

        def choose(part: Any, at: Any, which: int) -> Any:
            draws = uniform(seed, at)
            return part[(draws >= bounds[which]) & (draws < bounds[which + 1])]

        parts = [
            over_partitions(choose, (self, positions, which), {}, name="random_split", meta=empty(self))
            for which in range(len(frac))
        ]
        return [part.sample(frac=1.0, random_state=seed % 2**32) for part in parts] if shuffle else parts

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


def uniform(seed: int, positions: Any) -> Any:
    """A number from zero up to one for each position, by the seed (splitmix64)."""
    import numpy as np

    with np.errstate(over="ignore"):
        bits = np.asarray(positions, dtype=np.uint64) + np.uint64(1)
        bits = bits * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed % 2**64)
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        bits = bits ^ (bits >> np.uint64(31))
    return (bits >> np.uint64(11)).astype(np.float64) / 2.0**53


def side_by_side(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], *, name: str,
                 meta: Any) -> Any:  # fmt: skip
    """A function of the partitions of collections: of the same rows, or of others that have as many partitions.

    Collections whose divisions are known and differ are cut by the divisions of all first.
    """
    given = [value for value in (*args, *kwargs.values()) if is_collection(value)]
    if all(not is_foreign(given[0], value) for value in given):
        return over_partitions(function, args, kwargs, name=name, meta=meta)
    rows = [value for value in given if hasattr(value, "divisions")]
    if len({value.divisions for value in rows}) > 1 and all(value.known_divisions for value in rows):
        bounds = sorted({bound for value in rows for bound in value.divisions})
        cut = lambda value: value._framed(lambda frame: frame.cut(bounds)) if hasattr(value, "divisions") else value
        args, kwargs = tuple(map(cut, args)), {key: cut(value) for key, value in kwargs.items()}
        rows = [cut(value) for value in rows]
    counts = {value.npartitions for value in rows} - {1}
    if len(counts) > 1:
        raise ValueError(f"partitions of collections go side by side, and there are {sorted(counts)} of them: make them"
                         "as many with repartition, or make divisions known")  # fmt: skip
    return over_whole(function, *args, name=name, meta=meta, partitions=max(counts, default=1), **kwargs)
