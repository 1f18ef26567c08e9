"""Methods of frames that apply functions of one's own, or change the form of the table, in pandas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.arguments import as_list
from ..base.meta import normalise
from ..base.mixin import Mixin
from ..base.partitionwise import over_all, over_rows
from ..generic.summaries import pivot_table
from .query import locals_of_caller


class FrameValues(Mixin):
    """The part of `DataFrame` about functions of one's own."""

    __slots__ = ()

    def eval(self, expr: str, **kwargs: Any) -> Any:
        """Columns computed by an expression in text, such as `"c = a + b"`, in pandas for each partition."""
        names = {**locals_of_caller(expr, 2), **kwargs.pop("local_dict", {})}
        return over_rows(lambda part: part.eval(expr, local_dict=names, **kwargs), self, name="eval")

    def apply(
        self,
        func: Callable[..., Any],
        axis: Any = 0,
        raw: bool = False,
        result_type: Any = None,
        args: Any = (),
        meta: Any = None,
        **kwargs: Any,
    ) -> Any:
        """A function of each row (`axis=1`), in pandas for each partition.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"x": [1, 2], "y": [3, 4]}), npartitions=2)
        >>> df.apply(lambda row: row.x + row.y, axis=1).compute().tolist()
        [4, 6]
        """
        if axis not in (1, "columns"):
            raise NotImplementedError("apply down the columns: use map_partitions, or apply(axis=1) for rows")
        call = lambda part: part.apply(func, axis=1, raw=raw, result_type=result_type, args=args, **kwargs)
        if meta is None:
            return over_rows(call, self, name=getattr(func, "__name__", "apply"))
        known = normalise(meta)
        fixed = lambda part: call(part) if len(part) else known
        return over_rows(fixed, self, name=getattr(func, "__name__", "apply"), meta=known)

    def map(self, func: Callable[..., Any], na_action: Any = None, meta: Any = None) -> Any:
        """A function of each value, in pandas for each partition."""
        return over_rows(lambda part: part.map(func, na_action=na_action), self, name="map", meta=meta)

    applymap = map

    def combine_first(self, other: Any) -> Any:
        """Values of this frame, and of another one of the same rows where they are missing."""
        return over_rows(lambda a, b: a.combine_first(b), self, other, name="combine_first")

    def combine(self, other: Any, func: Callable[..., Any], fill_value: Any = None, overwrite: bool = True) -> Any:
        """A function of pairs of columns of two frames of the same rows, in pandas for each partition."""
        return over_rows(lambda a, b: a.combine(b, func, fill_value, overwrite), self, other, name="combine")

    def explode(self, column: Any) -> Any:
        """A row for each item of each list in a column, in pandas for each partition."""
        return self.map_partitions(lambda part: part.explode(column))

    def melt(
        self,
        id_vars: Any = None,
        value_vars: Any = None,
        var_name: Any = None,
        value_name: str = "value",
        **kwargs: Any,
    ) -> Any:
        """Columns turned into rows of name and value, in pandas for each partition."""
        return self.map_partitions(
            lambda part: part.melt(
                id_vars=id_vars, value_vars=value_vars, var_name=var_name, value_name=value_name, **kwargs
            )
        )

    def pivot_table(self, index: str, columns: str, values: Any, aggfunc: str = "mean") -> Any:
        """A table of aggregates by the values of two columns; `columns` must be categorical with known categories."""
        return pivot_table(self, index, columns, values, aggfunc)

    def categorize(self, columns: Any = None, index: Any = None, **kwargs: Any) -> Any:
        """Columns of text as categories (gathered, in pandas, so that all rows have the same categories)."""
        types = zip(self._expr.columns, self._expr.dtypes, strict=True)
        text = [name for name, dtype in types if dtype in ("str", "object", "category")]
        names = text if columns is None else as_list(columns)
        return over_all(lambda rows: rows.astype({name: "category" for name in names}), self, name="categorize")
