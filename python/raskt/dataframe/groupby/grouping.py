"""The keys that rows are grouped by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.arguments import as_list
from ..base.collection import as_column, is_collection
from ..base.labels import encode_label
from ..base.partitionwise import over_all


class Grouping:
    """The rows, the keys they are grouped by, and how."""

    def __init__(
        self,
        frame: Any,
        by: Any,
        *,
        sort: bool = True,
        observed: bool | None = None,
        dropna: bool = True,
        as_index: bool = True,
        group_keys: bool = True,
        level: Any = None,
        axis: Any = 0,
    ) -> None:
        if level is not None or axis not in (0, "index") or by is None:
            raise NotImplementedError("groupby takes keys: column names, or series of the same rows")
        self.frame = frame
        self.by = as_list(by)
        if not self.by:
            raise ValueError("No group keys passed!")
        self.as_list = isinstance(by, list)
        self.sort, self.dropna, self.as_index, self.group_keys = (
            bool(sort),
            bool(dropna),
            bool(as_index),
            bool(group_keys),
        )
        self.observed = observed
        self.keys = [self._key(one) for one in self.by]
        self.key_columns = self._key_columns()
        self._refuse_unobserved()

    def _key(self, one: Any) -> Any:
        if is_collection(one):
            return as_column(one)
        if callable(one) or hasattr(one, "freq") or (hasattr(one, "__len__") and not isinstance(one, str | tuple)):
            raise NotImplementedError(
                f"groupby by {type(one).__name__}: give a column name or a series of the same rows"
            )
        return self.frame._expr.column(encode_label(one))

    def _key_columns(self) -> set[str]:
        """The columns of the frame that are keys themselves, which are no values then."""
        columns = set(self.frame._expr.columns)
        mine = set()
        for one, key in zip(self.by, self.keys, strict=True):
            if not is_collection(one):
                mine.add(encode_label(one))
            elif key.name in columns and self.frame._expr.column(key.name).key == key.key:
                mine.add(key.name)
        return mine

    def _refuse_unobserved(self) -> None:
        if self.observed is False and any(key.dtype == "category" for key in self.keys):
            raise NotImplementedError("observed=False: categories without rows are not made up; use observed=True")

    @property
    def values(self) -> list[str]:
        """The columns that are no keys."""
        return [name for name in self.frame._expr.columns if name not in self.key_columns]

    @property
    def options(self) -> dict[str, Any]:
        """The options for pandas."""
        options = {"sort": self.sort, "dropna": self.dropna, "as_index": self.as_index, "group_keys": self.group_keys}
        return {**options, "observed": True}

    def over_all(self, function: Callable[[Any], Any], name: str, meta: Any = None) -> Any:
        """`function` of the pandas group-by of all rows, gathered."""
        lazy = [key for key in self.by if is_collection(key)]
        by, as_one, options = self.by, not self.as_list, self.options
        places = [is_collection(key) for key in by]
        plain = [None if lazily else key for key, lazily in zip(by, places, strict=True)]

        def call(rows: Any, *keys: Any) -> Any:
            given = iter(keys)
            full = [next(given) if lazily else key for key, lazily in zip(plain, places, strict=True)]
            return function(rows.groupby(full[0] if as_one and len(full) == 1 else full, **options))

        return over_all(call, self.frame, *lazy, name=name, meta=meta)
