"""Methods of frames that apply functions of one's own, or change the form of the table, in pandas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.arguments import as_list
from ..base.checks import no_default, refuse_engine, refuse_given
from ..base.meta import normalise
from ..base.mixin import Mixin
from ..base.pandas_methods import Method, by_partition, elementwise, gathered
from ..base.partitionwise import over_all, over_rows
from ..base.tuning import tunable
from ..generic.summaries import pivot_table
from .query import locals_of_caller


class FrameValues(Mixin):
    """The part of `DataFrame` about functions of one's own."""

    __slots__ = ()

    def eval(self, expr: str, *, inplace: Any = no_default, **kwargs: Any) -> Any:
        """Columns computed by an expression in text, such as `"c = a + b"`, in pandas for each partition.

        `kwargs` are the other options of `pandas.DataFrame.eval`; `inplace` lets this frame change, and gives None.
        """
        names = {**locals_of_caller(expr, 2), **kwargs.pop("local_dict", {})}
        return self._in_place(elementwise("eval", self, expr, local_dict=names, **kwargs), inplace)

    def apply(
        self,
        func: Any,
        axis: Any = 0,
        raw: bool = False,
        result_type: Any = None,
        args: Any = (),
        by_row: Any = "compat",
        engine: Any = None,
        engine_kwargs: Any = None,
        meta: Any = None,
        **kwargs: Any,
    ) -> Any:
        """A function of each row (`axis=1`), in pandas for each partition, or of each column, gathered.

        Parameters
        ----------
        func : callable, str, list or dict
            What is called.
        axis : {0, 1}
            0 with each column, for which all rows are gathered; 1 with each row.
        raw : bool, default False
            Whether it gets NumPy arrays instead of series.
        result_type : {"expand", "reduce", "broadcast"}, optional
            What becomes of lists that it gives.
        args : tuple, optional
            More arguments of it.
        by_row : {"compat", False}
            pandas' way with functions of series, for lists and dictionaries.
        engine, engine_kwargs : None
            Kept for pandas' sake: Numba is not supported.
        meta : optional
            The names and types of the result; found on a sample of two rows without it.
        **kwargs
            More arguments of `func`.

        Returns
        -------
        Series or DataFrame
            In as many partitions, or in one with `axis=0`.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"x": [1, 2], "y": [3, 4]}), npartitions=2)
        >>> df.apply(lambda row: row.x + row.y, axis=1).compute().tolist()
        [4, 6]
        """
        refuse_engine("apply", engine, engine_kwargs)
        if axis not in (0, 1, "index", "columns"):
            raise ValueError(f"No axis named {axis!r} for object type DataFrame")
        options = {"axis": axis, "raw": raw, "result_type": result_type, "args": args, "by_row": by_row, **kwargs}
        name = getattr(func, "__name__", "apply")
        if axis in (0, "index"):
            return over_all(Method("apply"), self, func, name=name, meta=meta, **options)
        if meta is None:
            return over_rows(Method("apply"), self, func, name=name, **options)
        known = normalise(meta)
        fixed = lambda part: part.apply(func, **options) if len(part) else known
        return over_rows(fixed, self, name=name, meta=known)

    def map(self, func: Callable[..., Any], na_action: Any = None, meta: Any = None, **kwargs: Any) -> Any:
        """A function of each value, in pandas for each partition; `kwargs` are more arguments of it."""
        call = lambda part: part.map(func, na_action=na_action, **kwargs)
        return over_rows(call, self, name=getattr(func, "__name__", "map"), meta=meta)

    applymap = map

    def combine_first(self, other: Any) -> Any:
        """Values of this frame, and of another one of the same rows where they are missing."""
        return over_rows(lambda a, b: a.combine_first(b), self, other, name="combine_first")

    def combine(self, other: Any, func: Callable[..., Any], fill_value: Any = None, overwrite: bool = True) -> Any:
        """A function of pairs of columns of two frames of the same rows, in pandas for each partition."""
        return over_rows(lambda a, b: a.combine(b, func, fill_value, overwrite), self, other, name="combine")

    def explode(self, column: Any, ignore_index: bool = False) -> Any:
        """A row for each item of each list in a column, or in several, in pandas for each partition."""
        rows = by_partition("explode", self, column)
        return rows.reset_index(drop=True) if ignore_index else rows

    def melt(
        self,
        id_vars: Any = None,
        value_vars: Any = None,
        var_name: Any = None,
        value_name: Any = "value",
        col_level: Any = None,
        ignore_index: bool = True,
    ) -> Any:
        """Columns turned into rows of name and value, a column after the other (gathered, in pandas).

        Parameters
        ----------
        id_vars, value_vars : label or list of labels, optional
            The columns that stay, and those that are turned; by default all others.
        var_name, value_name : str, optional
            What the columns of names and of values are called.
        col_level : int or name, optional
            Where column labels have several levels: the one that is turned.
        ignore_index : bool, default True
            Whether rows are numbered anew.

        Returns
        -------
        DataFrame
            In one partition.
        """
        names = {"var_name": var_name, "value_name": value_name, "col_level": col_level}
        return gathered("melt", self, id_vars=id_vars, value_vars=value_vars, ignore_index=ignore_index, **names)

    def pivot_table(
        self,
        values: Any = None,
        index: Any = None,
        columns: Any = None,
        aggfunc: Any = "mean",
        fill_value: Any = None,
        margins: bool = False,
        dropna: bool = True,
        margins_name: Any = "All",
        observed: bool = True,
        sort: bool = True,
    ) -> Any:
        """A table of aggregates by the values of two columns (gathered, in pandas).

        Parameters
        ----------
        values, index, columns : label
            The column that is aggregated, that whose values label the rows, and that whose categories label the
            columns: it must be categorical, and is computed now for its categories, each of which has a column.
        aggfunc : {"mean", "sum", "count", "first", "last", "min", "max"}
            What is done.
        fill_value, margins, dropna, margins_name, observed, sort
            Have to be what they are by default.

        Returns
        -------
        DataFrame
            In one partition.
        """
        options = {"fill_value": (fill_value, None), "margins": (margins, False), "dropna": (dropna, True)}
        options = {**options, "margins_name": (margins_name, "All"), "observed": (observed, True), "sort": (sort, True)}
        refuse_given("pivot_table", options, "compute first, and use pandas")
        return pivot_table(self, index, columns, values, aggfunc)

    @tunable("split_every")
    def categorize(self, columns: Any = None, index: Any = None) -> Any:
        """Columns of text as categories (gathered, in pandas, so that all rows have the same categories)."""
        refuse_given("categorize", {"index": (index or None, None)}, "reset the index and give its column")
        types = zip(self._expr.columns, self._expr.dtypes, strict=True)
        text = [name for name, dtype in types if dtype in ("str", "object", "category")]
        names = text if columns is None else as_list(columns)
        return over_all(lambda rows: rows.astype({name: "category" for name in names}), self, name="categorize")
