"""Partitions by label: divisions, and cutting rows anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..base.collection import Collection
from ..base.partitionwise import over_partitions
from ..base.unknown import leaving_unknown


class Divided(Collection):
    """The part of collections with rows about which partition has which labels."""

    __slots__ = ()

    def _framed(self, function: Callable[[Any], Any]) -> Any:
        raise NotImplementedError

    def _as_frame(self) -> Any:
        raise NotImplementedError

    @property
    def npartitions(self) -> int:
        """How many partitions there are."""
        return int(self._plan.npartitions)

    @property
    def divisions(self) -> tuple[Any, ...]:
        """The least index label of each partition and the greatest of the last; all None where they are not known.

        Partition `i` has the labels from division `i` on that are less than division `i + 1`; the last partition has
        the last division as well. So equal labels are in one partition.
        """
        known = self._plan.divisions
        return tuple(known) if known is not None else (None,) * (self.npartitions + 1)

    @property
    def known_divisions(self) -> bool:
        """Whether it is known which index labels each partition holds."""
        return self._plan.divisions is not None

    def clear_divisions(self) -> Any:
        """The same rows in the same partitions, of whose labels nothing is known.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> rd.from_pandas(pd.DataFrame({"x": [1, 2]}), npartitions=2).clear_divisions().divisions
        (None, None, None)
        """
        if len(self._plan.index_names) > 1:
            return self.copy()
        with leaving_unknown():
            return self._framed(lambda frame: frame.divided(None))

    def repartition(
        self,
        divisions: Any = None,
        npartitions: int | None = None,
        partition_size: int | str | None = None,
        freq: Any = None,
        force: bool = False,
    ) -> Any:
        """The same rows in other partitions: say by what with one of the first four.

        Parameters
        ----------
        divisions : sequence of labels, optional
            Partition `i` gets the labels from `divisions[i]` on that are less than the next one; the divisions of the
            rows have to be known. The first and the last have to be those of the rows, unless `force`.
        npartitions : int, optional
            So many partitions of about the same number of rows.
        partition_size : int or str, optional
            So many bytes at most in a partition, as pandas counts them; "100MB" is understood. The memory of the rows
            is computed for it.
        freq : str or offset, optional
            Partitions by spans of time of the index, whose divisions have to be known.
        force : bool, default False
            Whether the first and last of `divisions` may lie outside of those of the rows.

        Returns
        -------
        DataFrame or Series
            The same rows and types, with the partitions that were asked for.

        Raises
        ------
        ValueError
            For none or several of the first four; for divisions that leave out labels, or that are not in order.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"x": range(6)}), npartitions=3)
        >>> df.repartition(npartitions=2).npartitions
        2
        >>> df.repartition([0, 1, 5]).divisions
        (0, 1, 5)
        """
        given = [value for value in (divisions, npartitions, partition_size, freq) if value is not None]
        if len(given) != 1:
            raise ValueError(
                "Please provide exactly one of ``npartitions=``, ``freq=``, ``divisions=``, ``partition_size=`` "
                "keyword arguments"
            )
        if divisions is not None:
            return self._cut(divisions, force)
        if partition_size is not None:
            npartitions = partitions_for(self, partition_size)
        if freq is not None:
            return self._cut(divisions_by_freq(self, freq), True)
        if isinstance(npartitions, bool) or not hasattr(npartitions, "__index__") or int(npartitions) < 1:
            raise ValueError(f"npartitions must be a positive integer, not {npartitions!r}")
        return self._cut_evenly(int(npartitions))

    def _cut(self, divisions: Iterable[Any], force: bool) -> Any:
        wanted = list(divisions)
        known = self._plan.divisions
        if known is None:
            raise ValueError("Divisions must be known to repartition by divisions: set_index(column, sorted=True) or "
                             "set_index(column, divisions=...) makes them known")  # fmt: skip
        check_divisions(wanted)
        if wanted[0] > known[0] or wanted[-1] < known[-1] or (
            not force and (wanted[0] != known[0] or wanted[-1] != known[-1])
        ):  # fmt: skip
            raise ValueError(
                f"the divisions of the rows go from {known[0]!r} to {known[-1]!r}, and the new ones from {wanted[0]!r} "
                f"to {wanted[-1]!r}: they have to be the same, or with force=True further apart"
            )
        return self._framed(lambda frame: frame.cut(wanted))

    def _cut_evenly(self, npartitions: int) -> Any:
        """So many partitions; where divisions are known, by positions that keep them known."""
        if npartitions == self.npartitions:
            return self.copy()
        known = self._plan.divisions
        if known is not None and npartitions < self.npartitions:
            kept = [known[at * self.npartitions // npartitions] for at in range(npartitions)]
            return self._framed(lambda frame: frame.cut([*kept, known[-1]]))
        with leaving_unknown():
            return self._framed(lambda frame: frame.repartition(npartitions))


def check_divisions(divisions: list[Any]) -> None:
    """ValueError unless there are two labels or more in ascending order, all but the last two different."""
    if len(divisions) < 2:
        raise ValueError(f"New division must have at least two labels, not {divisions!r}")
    for at, (low, high) in enumerate(zip(divisions, divisions[1:], strict=False)):
        if high < low or (high == low and at + 2 < len(divisions)):
            raise ValueError("New division must be sorted" if high < low else "New division must be unique, except for "
                             "the last element")  # fmt: skip


def partitions_for(rows: Any, size: int | str) -> int:
    """How many partitions of at most `size` bytes the rows need."""
    limit = byte_count(size)
    total = over_partitions(memory_of, (rows,), {}, name="memory_usage").compute().sum()
    return max(1, -(-int(total) // limit))


def memory_of(part: Any) -> Any:
    """The bytes of a pandas object, labels included."""
    used = part.memory_usage(deep=True, index=True)
    return int(used.sum() if hasattr(used, "sum") else used)


#: Bytes by the letters of a unit.
UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
         "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}  # fmt: skip


def byte_count(size: int | str) -> int:
    """A size as a number of bytes; ValueError for one that is none.

    >>> byte_count("100kB"), byte_count("2 MiB")
    (100000, 2097152)
    """
    if not isinstance(size, str):
        count = float(size)
    else:
        text = size.replace(" ", "").upper()
        number = text.rstrip("BKMGTI")
        try:
            count = float(number or "1") * UNITS[text[len(number) :]]
        except (KeyError, ValueError):
            raise ValueError(f"{size!r} is no size such as 100MB") from None
    if count < 1:
        raise ValueError(f"a partition needs a byte at least, not {size!r}")
    return int(count)


def divisions_by_freq(rows: Any, freq: Any) -> list[Any]:
    """Divisions at the starts of spans of time."""
    import pandas as pd

    known = rows._plan.divisions
    if known is None or not isinstance(known[0], pd.Timestamp):
        raise TypeError("Can only repartition on frequency for timeseries, whose divisions are known")
    try:
        start = known[0].ceil(freq)
    except ValueError:
        start = known[0]
    found = list(pd.date_range(start=start, end=known[-1], freq=freq))
    if not found:
        return [known[0], known[-1]]
    if found[-1] != known[-1]:
        found.append(known[-1])
    return found if found[0] == known[0] else [known[0], *found]
