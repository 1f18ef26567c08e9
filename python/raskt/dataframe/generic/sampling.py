"""Random rows of frames and series."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.collection import Collection, is_collection, is_frame
from ..base.labels import encode
from ..base.meta import empty
from ..base.partitionwise import over_all, over_partitions
from ..base.registry import wrap
from ..base.whole import is_foreign, over_whole


class Sampled(Collection):
    """The part of collections with rows about random ones."""

    __slots__ = ()

    def _as_frame(self) -> Any:
        raise NotImplementedError

    def _framed(self, function: Callable[[Any], Any]) -> Any:
        raise NotImplementedError

    def sample(
        self,
        n: int | None = None,
        frac: float | None = None,
        replace: bool = False,
        weights: Any = None,
        random_state: Any = None,
        axis: Any = None,
        ignore_index: bool = False,
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
        weights : label, series or list-like, optional
            How probable each row is: a column, a series whose labels are those of the rows, or as many numbers.
        random_state : int, array, generator or None
            The seed; a new one by default. A generator is asked for a seed.
        axis : {0, 1}, optional
            Rows, or columns of a frame.
        ignore_index : bool, default False
            Whether rows are numbered anew.

        Returns
        -------
        DataFrame or Series
            The rows, which are gathered to draw from them, in as many partitions as before.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"x": range(8)}), npartitions=2)
        >>> len(df.sample(frac=0.5, random_state=1))
        4
        >>> df.sample(2, weights="x", random_state=1).compute()["x"].tolist()
        [5, 6]
        """
        check_size(n, frac, replace)
        options = {"n": n, "frac": frac, "replace": replace, "ignore_index": ignore_index}
        if axis in (1, "columns") and is_frame(self):
            return sampled_columns(self, weights, random_state, options)
        if axis not in (None, 0, "index", "rows"):
            raise ValueError(f"No axis named {axis!r} for object type {type(self).__name__}")
        check_weights(self, weights)
        return self._drawn(weights, {**options, "random_state": state(random_state)})

    def _drawn(self, weights: Any, options: dict[str, Any]) -> Any:
        """The rows that pandas draws from all of them."""
        function = lambda rows, weights: rows.sample(weights=weights, **options)
        meta = empty(self)
        meta = meta.reset_index(drop=True) if options["ignore_index"] and hasattr(meta, "reset_index") else meta
        over = over_whole if is_collection(weights) and is_foreign(self, weights) else over_all
        found = over(function, self, weights, name="sample", meta=meta)
        count = self._plan.npartitions
        return found if count == 1 else found.repartition(npartitions=count)

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
        seed = seed_of(random_state)
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


def check_size(n: Any, frac: Any, replace: bool) -> None:
    """pandas' errors for numbers and parts of rows that cannot be drawn."""
    if n is not None and frac is not None:
        raise ValueError("Please enter a value for `frac` OR `n`, not both")
    if n is not None and n < 0:
        raise ValueError("A negative number of rows requested. Please provide `n` >= 0.")
    if n is not None and n % 1 != 0:
        raise ValueError("Only integers accepted as `n` values")
    if frac is not None and frac > 1 and not replace:
        raise ValueError("Replace has to be set to `True` when upsampling the population `frac` > 1.")
    if frac is not None and frac < 0:
        raise ValueError("A negative number of rows requested. Please provide `frac` >= 0.")


def check_weights(rows: Any, weights: Any) -> None:
    """pandas' errors for weights by the name of a column."""
    if isinstance(weights, str):
        if not is_frame(rows):
            raise ValueError("Strings cannot be passed as weights when sampling from a Series.")
        if weights not in rows:
            raise KeyError("String passed to weights not a valid column")


def sampled_columns(frame: Any, weights: Any, random_state: Any, options: dict[str, Any]) -> Any:
    """Random columns, which pandas draws from the labels."""
    if is_collection(weights):
        raise NotImplementedError("sample(axis=1) with lazy weights: compute them first")
    drawn = empty(frame).sample(weights=weights, random_state=random_state, axis=1, **options)
    if not drawn.columns.is_unique:
        raise NotImplementedError("sample(axis=1, replace=True) drew a column twice, which lazy frames cannot have")
    found = frame._framed(lambda expression: expression.project(encode(drawn.columns)))
    return found.reset_index(drop=True) if options["ignore_index"] else found


def state(random_state: Any) -> Any:
    """What pandas is given for a seed when the rows are computed: arrays as they are, of all else a number."""
    import numpy as np

    if isinstance(random_state, np.ndarray):
        return random_state.copy()
    if isinstance(random_state, np.random.BitGenerator):
        return seed_of(np.random.Generator(random_state)) % 2**32
    known = (np.random.Generator, np.random.RandomState)
    if not (random_state is None or hasattr(random_state, "__index__") or isinstance(random_state, known)):
        raise ValueError(
            "random_state must be an integer, array-like, a BitGenerator, Generator, a numpy RandomState, or None"
        )
    if hasattr(random_state, "__index__"):
        np.random.RandomState(random_state)  # which says what is wrong with a number
        return random_state
    return seed_of(random_state) % 2**32


def seed_of(random_state: Any) -> int:
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
