"""Row labels of one level or of several: moving them to columns and back, ordering by them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.arguments import as_list
from ..base.checks import deprecated_copy, no_default
from ..base.collection import Collection
from ..base.labels import decode_label, encode_label


class Labelled(Collection):
    """The part of frames and series about the levels of their row labels."""

    __slots__ = ()

    def _framed(self, function: Callable[[Any], Any]) -> Any:
        raise NotImplementedError

    def _as_frame(self) -> Any:
        raise NotImplementedError

    def droplevel(self, level: Any, axis: Any = 0) -> Any:
        """The rows without some levels of their labels.

        Parameters
        ----------
        level : int, label or list of them
            The levels, by position or by name.
        axis : {0, "index"}
            Row labels; for columns assign `df.columns`.

        Returns
        -------
        DataFrame or Series
            The same rows, in the same partitions.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"a": [1, 2], "b": [3, 4], "x": [5, 6]}), npartitions=1)
        >>> df.set_index(["a", "b"]).droplevel("a").compute()["x"].to_dict()
        {3: 5, 4: 6}
        """
        refuse_columns(axis, "droplevel")
        gone = {level_number(self, one) for one in as_list(level)}
        kept = [at for at in range(level_count(self)) if at not in gone]
        if not kept:
            raise ValueError(
                f"Cannot remove {len(gone)} levels from an index with {level_count(self)} levels: at least one level "
                "must be left."
            )
        return self._with_levels(kept)

    def swaplevel(self, i: Any = -2, j: Any = -1, copy: Any = no_default) -> Any:
        """The rows with two levels of their labels in each other's place."""
        deprecated_copy(copy)
        if level_count(self) == 1:
            kind = AssertionError if getattr(self, "ndim", 2) == 1 else TypeError
            raise kind("Can only swap levels on a hierarchical axis.")
        order = list(range(level_count(self)))
        first, second = level_number(self, i), level_number(self, j)
        order[first], order[second] = order[second], order[first]
        return self._with_levels(order)

    def reorder_levels(self, order: list[Any]) -> Any:
        """The rows with the levels of their labels in another order."""
        if level_count(self) == 1:
            raise TypeError("Can only reorder levels on a hierarchical axis.")
        numbers = [level_number(self, one) for one in order]
        if len(numbers) != level_count(self):
            raise AssertionError(
                f"Length of order must be same as number of levels ({level_count(self)}), got {len(order)}"
            )
        return self._with_levels(numbers)

    def _with_levels(self, numbers: list[int]) -> Any:
        return self._framed(lambda frame: frame.with_levels([frame.level(at) for at in numbers]))


def level_count(collection: Any) -> int:
    """How many levels the row labels have."""
    return len(collection._plan.index_names)


def level_names(collection: Any) -> list[Any]:
    """The names of the levels of the row labels; None for a level without one."""
    return [None if name is None else decode_label(name) for name in collection._plan.index_names]


def level_number(collection: Any, level: Any) -> int:
    """The position of a level, by its name or its number; KeyError or IndexError as in pandas."""
    names = level_names(collection)
    if names.count(level) > 1 and not (isinstance(level, int) and not isinstance(level, bool)):
        raise ValueError(f"The name {level} occurs multiple times, use a level number")
    if level in names and level is not None:
        return names.index(level)
    if isinstance(level, bool) or not hasattr(level, "__index__"):
        if len(names) == 1:
            raise KeyError(f"Requested level ({level}) does not match index name ({names[0]})")
        raise KeyError(f"Level {level} not found")
    at = int(level)
    if not -len(names) <= at < len(names):
        raise IndexError(f"Too many levels: Index has only {len(names)} level{'s' * (len(names) > 1)}, not {at + 1}")
    return at % len(names)


def renamed_in_place() -> Exception:
    """The error for names that pandas would give the labels of a frame as well."""
    return NotImplementedError("a lazy index is no part of its frame: use df.rename_axis(name) or index.rename(name)")


def refuse_ambiguous(frame: Any, key: Any) -> None:
    """ValueError for a name that a column and a level of the row labels have."""
    if key is not None and key in level_names(frame) and encode_label(key) in frame._plan.columns:
        raise ValueError(f"{key!r} is both an index level and a column label, which is ambiguous.")


def refuse_columns(axis: Any, name: str) -> None:
    """NotImplementedError for labels of columns."""
    if axis not in (0, "index", "rows"):
        raise NotImplementedError(f"{name}(axis={axis!r}): the labels of columns are changed by assigning df.columns")
