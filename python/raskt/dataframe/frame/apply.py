"""Methods of frames that apply functions of one's own, or change the form of the table, in pandas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.arguments import as_list
from ..base.checks import no_default, refuse_engine, refuse_given
from ..base.labels import decode_label, encode_label
from ..base.lists import exploded
from ..base.meta import empty_of, normalise, sample_of
from ..base.mixin import Mixin
from ..base.of_values import of_values
from ..base.pandas_methods import Method, by_partition, gathered, gathered_value
from ..base.partitionwise import WithNames, over_all, over_partitions, over_rows
from ..base.tuning import tunable
from ..base.whole import is_foreign, over_whole, sample_rows, unmet
from ..reshape.pivot import pivot_table
from .query import goes_by_row, locals_of_caller, names_labels


class FrameValues(Mixin):
    """The part of `DataFrame` about functions of one's own."""

    __slots__ = ()

    def eval(self, expr: str, *, inplace: Any = no_default, **kwargs: Any) -> Any:
        """Columns computed by an expression in text, such as `"c = a + b"`, in pandas for each partition.

        What looks at other rows (`"c = a - a.mean()"`) is gathered. A single value is a lazy scalar.

        `kwargs` are the other options of `pandas.DataFrame.eval`; `inplace` lets this frame change, and gives None.
        """
        local, far = kwargs.pop("local_dict", None), kwargs.pop("global_dict", None)
        names = {**(far or {}), **(locals_of_caller(expr, 2) if local is None else local)}
        options = {"local_dict": names, **kwargs}
        if goes_by_row(expr, names):
            how: dict[str, Any] = {"same_rows": True, "plainly": True, "by_labels": names_labels(expr, self)}
            found = over_partitions(Method("eval"), (self, expr), options, name="eval", **how)
            return self._in_place(found, inplace)
        few = {name: sample_rows(value) for name, value in names.items()}
        tried = sample_of(self).eval(expr, **{**options, "local_dict": few})
        if not getattr(tried, "ndim", 0):
            return gathered_value("eval", self, expr, **options)
        how: dict[str, Any] = {"name": "eval", "meta": empty_of(tried), "same_rows": True, "may_miss": True}
        return self._in_place(over_whole(Method("eval"), self, expr, **how, **options), inplace)

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
            The names and types of the result; found on a few rows without it.
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
            call = WithNames(Method("apply"), list(options))
            return over_all(call, self, func, *options.values(), name=name, meta=meta)
        known = None if meta is None else normalise(meta)
        if not callable(func) or by_row != "compat":
            call = lambda part: part.apply(func, **options) if len(part) or known is None else known
            return over_rows(call, self, name=name, meta=known, by_labels=True)
        return of_values(Method("apply"), self, func, options, meta=known, empty=known, by_labels=True, raw=bool(raw))

    def map(self, func: Callable[..., Any], na_action: Any = None, meta: Any = None, **kwargs: Any) -> Any:
        """A function of each value, in pandas for each partition; `kwargs` are more arguments of it."""
        given = {"na_action": na_action, **kwargs}
        return of_values(Method("map"), self, func, given, meta=meta, by_columns=True)

    applymap = map

    def combine_first(self, other: Any) -> Any:
        """Values of this frame, and of another one where they are missing; of one of other rows, gathered."""
        if is_foreign(self, other):
            gaps = unmet(Method("combine_first"), self, other)
            return over_whole(Method("combine_first"), self, other, name="combine_first", may_miss=gaps)
        return over_rows(lambda a, b: a.combine_first(b), self, other, name="combine_first")

    def combine(self, other: Any, func: Callable[..., Any], fill_value: Any = None, overwrite: bool = True) -> Any:
        """A function of pairs of columns of two frames, which sees all rows of them (gathered, in pandas)."""
        same_rows = not is_foreign(self, other)
        how: dict[str, Any] = {"name": "combine", "same_rows": same_rows, "may_miss": not same_rows}
        return over_whole(Method("combine"), self, other, func, fill_value, overwrite, **how)

    def explode(self, column: Any, ignore_index: bool = False) -> Any:
        """A row for each item of each list in a column, or in several, in pandas for each partition."""
        rows = by_partition("explode", self, column, meta=exploded(self, column))
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
        """A table of aggregates by the values of columns; the rows are gathered and computed now, by pandas.

        Which columns the table has, only the rows tell.

        Parameters
        ----------
        values : label or list of labels, optional
            The columns that are aggregated; by default all that are no keys.
        index, columns : label, series, list of them, Grouper or function
            The keys whose values label the rows, and those whose values label the columns.
        aggfunc : str, callable, list or dict, default "mean"
            What is done, for each of `values` in a dictionary.
        fill_value : object, optional
            What stands where nothing is.
        margins : bool, default False
            Whether totals are added, labelled by `margins_name`.
        dropna : bool, default True
            Whether columns without any values are left out.
        margins_name : str, default "All"
            The label of totals.
        observed : bool, default True
            Whether categories without rows are left out.
        sort : bool, default True
            Whether the keys are in order.

        Returns
        -------
        DataFrame
            In one partition.

        Raises
        ------
        KeyError
            For an unknown column.
        NotImplementedError
            For values that can't label columns.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"k": [1, 1, 2], "c": ["a", "b", "a"], "x": [1, 2, 3]}), npartitions=2)
        >>> df.pivot_table(index="k", columns="c", values="x", aggfunc="sum").compute()["a"].tolist()
        [1.0, 3.0]
        """
        options = {"values": values, "index": index, "columns": columns, "aggfunc": aggfunc, "fill_value": fill_value}
        options = {**options, "margins": margins, "dropna": dropna, "margins_name": margins_name}
        named = [one for keys in (values, index, columns) if keys is not None for one in as_list(keys)]
        plain = values is not None and all(isinstance(one, str) for one in named) and len(set(named)) == len(named)
        chosen = [name for name in self if name in set(named)] if plain and set(named) <= set(self) else []
        return pivot_table(self, chosen, {**options, "observed": observed, "sort": sort})

    @tunable("split_every")
    def categorize(self, columns: Any = None, index: Any = None) -> Any:
        """Columns of text, or those that are named, as categories that are known: they are computed now.

        The categories of columns that have some already are left as they are.
        """
        refuse_given("categorize", {"index": (index or None, None)}, "reset the index and give its column")
        types = dict(zip(self._plan.columns, self._plan.dtypes, strict=True))
        names = [decode_label(name) for name, dtype in types.items() if dtype in ("str", "object")]
        names = names if columns is None else as_list(columns)
        new = [name for name in names if types.get(encode_label(name)) != "category"]
        found = self.astype(dict.fromkeys(new, "category"))
        found._expr  # noqa: B018 - the first access computes the categories
        return found
