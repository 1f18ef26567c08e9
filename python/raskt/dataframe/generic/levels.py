"""Row labels of one level or of several: moving them to columns and back, ordering by them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.arguments import as_list, check_na_position, no_default, without_effect
from ..base.collection import Collection
from ..base.labels import decode_label, encode_label
from ..base.meta import empty
from ..base.partitionwise import over_all


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

    def swaplevel(self, i: Any = -2, j: Any = -1, axis: Any = 0, copy: Any = no_default) -> Any:
        """The rows with two levels of their labels in each other's place."""
        without_effect(copy)
        refuse_columns(axis, "swaplevel")
        if level_count(self) == 1:
            raise TypeError("Can only swap levels on a hierarchical axis.")
        order = list(range(level_count(self)))
        first, second = level_number(self, i), level_number(self, j)
        order[first], order[second] = order[second], order[first]
        return self._with_levels(order)

    def reorder_levels(self, order: list[Any], axis: Any = 0) -> Any:
        """The rows with the levels of their labels in another order."""
        refuse_columns(axis, "reorder_levels")
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

    def sort_index(
        self,
        axis: Any = 0,
        level: Any = None,
        ascending: Any = True,
        inplace: Any = no_default,
        kind: str = "quicksort",
        na_position: str = "last",
        sort_remaining: bool = True,
        ignore_index: bool = False,
        key: Callable[[Any], Any] | None = None,
    ) -> Any:
        """The rows in the order of their labels; equal labels keep their order.

        Parameters
        ----------
        axis : {0, "index"}
            Rows; columns are ordered by choosing them in order.
        level : int, label or list of them, optional
            The levels to order by; all of them by default.
        ascending : bool or list of bool, default True
            The direction, or one for each level.
        inplace : bool, default False
            Whether to change this collection and give None.
        kind : str
            Any of pandas' names; the order is always stable.
        na_position : {"last", "first"}
            Where missing labels come.
        sort_remaining : bool, default True
            Whether rows with equal labels in `level` are ordered by the other levels.
        ignore_index : bool, default False
            Whether to number the rows anew.
        key : function, optional
            Applied to the index first, in pandas on all rows.

        Returns
        -------
        DataFrame or Series
            The same rows in order; None if `inplace`.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> x = rd.from_pandas(pd.Series([1, 2, 3], index=[2, 3, 1]), npartitions=2, sort=False)
        >>> x.sort_index(ascending=False).compute().tolist()
        [2, 1, 3]
        """
        refuse_columns(axis, "sort_index")
        if kind not in ("quicksort", "mergesort", "heapsort", "stable"):
            raise ValueError(f"sort kind must be one of 'quicksort', 'mergesort', 'heapsort', 'stable' (got {kind!r})")
        check_na_position(na_position)
        found = self._sorted(level, ascending, na_position, sort_remaining, ignore_index, key)
        return self._put(found) if inplace is True else found

    def _sorted(self, level: Any, ascending: Any, na_position: str, remaining: bool, ignore: bool, key: Any) -> Any:
        count = level_count(self)
        chosen = list(range(count)) if level is None else [level_number(self, one) for one in as_list(level)]
        directions = [bool(one) for one in ascending] if isinstance(ascending, list | tuple) else None
        if directions is not None and len(directions) != len(chosen):
            raise ValueError("level must have same length as ascending" if level is not None else
                             f"ascending has {len(directions)} values for {len(chosen)} levels")  # fmt: skip
        # pandas turns equal labels round as well then.
        reverses = level is not None and (not ascending if directions is None else count == 1 and not directions[0])
        if key is not None or reverses or (count > 1 and na_position == "first"):
            options = {"level": level, "ascending": ascending, "na_position": na_position, "sort_remaining": remaining,
                       "ignore_index": ignore, "key": key}  # fmt: skip
            meta = empty(self)
            return over_all(lambda rows: rows.sort_index(**options), self, name="sort_index",
                            meta=meta.reset_index(drop=True) if ignore else meta)  # fmt: skip
        if level is not None and remaining and directions is None:
            chosen = chosen + [at for at in range(count) if at not in chosen]
        directions = directions or [bool(ascending)] * len(chosen)
        return self._framed(
            lambda frame: frame.sort([frame.level(at) for at in chosen], directions, na_position, ignore)
        )

    def _put(self, found: Any) -> None:
        """Make this collection show what another one does."""
        object.__setattr__(self, "_expr", found._expr)


def level_count(collection: Any) -> int:
    """How many levels the row labels have."""
    return len(collection._expr.index_names)


def level_names(collection: Any) -> list[Any]:
    """The names of the levels of the row labels; None for a level without one."""
    return [None if name is None else decode_label(name) for name in collection._expr.index_names]


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


def refuse_ambiguous(frame: Any, key: Any) -> None:
    """ValueError for a name that a column and a level of the row labels have."""
    if key is not None and key in level_names(frame) and encode_label(key) in frame._expr.columns:
        raise ValueError(f"{key!r} is both an index level and a column label, which is ambiguous.")


def refuse_columns(axis: Any, name: str) -> None:
    """NotImplementedError for labels of columns."""
    if axis not in (0, "index", "rows"):
        raise NotImplementedError(f"{name}(axis={axis!r}): the labels of columns are changed by assigning df.columns")
