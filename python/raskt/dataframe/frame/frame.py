"""A lazy frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..base.absent import own_or_absent
from ..base.arguments import as_list, plain_operand, require_boolean
from ..base.array_arguments import is_lazy_array
from ..base.checks import check_frame_axis, deprecated_copy, no_default, refuse_given
from ..base.collection import index_of, is_collection, is_frame, is_scalar, native
from ..base.labels import decode, encode, encode_label, is_plain, select
from ..base.lazy_arrays import ITEM, column_beside, frame_operand
from ..base.meta import empty, types_of
from ..base.pandas_methods import by_partition, gathered, native_or
from ..base.partitionwise import over_rows
from ..base.registry import register, wrap
from ..base.results import is_missing
from ..base.unknown import leaving_unknown, unknown_columns
from ..base.whole import has_rows, is_foreign
from ..generic.alignment import Method, align_with, aligned, filled_up, needs_alignment, nothing, own_rows
from ..generic.display import frame_html, frame_info, frame_text
from ..generic.elementwise import chosen
from ..generic.labels import with_axis_names, without_labels
from ..generic.operands import binary, refuse_objects
from ..generic.operators import applied, check_division
from ..indexing.arrays import by_array_in_brackets
from ..indexing.loc import by_brackets, by_marks, is_marks
from ..indexing.positions import has_one_row
from ..indexing.rows import choose_by_collection, choose_rows, is_labelled_mask
from ..series.series import Series
from .apply import FrameValues
from .joins import FrameJoins
from .output import FrameOutput
from .reductions import FrameReductions
from .rows import FrameRows


@register("frame")
class DataFrame(FrameRows, FrameValues, FrameReductions, FrameJoins, FrameOutput):
    """A lazy table with named columns and an index: the counterpart of `pandas.DataFrame`.

    It holds a plan, not data. `compute()` runs the plan and gives a pandas frame; `explain()` shows it. Errors about
    names and types come at the call that makes them.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> df = rd.from_pandas(pd.DataFrame({"k": ["a", "b", "a"], "x": [1, 2, 3]}), npartitions=2)
    >>> df[df.x > 1].groupby("k").x.sum().compute().to_dict()
    {'a': 3, 'b': 2}
    """

    __slots__ = ()
    __array_priority__ = 1000

    # What it looks like.

    @property
    def columns(self) -> Any:
        """The labels of the columns, as a pandas Index."""
        import pandas as pd

        labels = decode(self._plan.columns)
        return labels if isinstance(labels, pd.Index) else pd.Index(labels, dtype=None if labels else "str")

    @columns.setter
    def columns(self, labels: Any) -> None:
        self._expr = self.set_axis(labels, axis=1)._expr

    def set_axis(self, labels: Any, *, axis: Any = 0, copy: Any = no_default) -> DataFrame:
        """The frame with other column labels (`axis=1`)."""
        deprecated_copy(copy)
        if axis not in (1, "columns"):
            raise NotImplementedError("set_axis of rows: assign a column and use set_index")
        new, old = encode(labels), self._plan.columns
        if len(new) != len(old):
            raise ValueError(f"Length mismatch: the frame has {len(old)} columns, and {len(new)} labels were given")
        if len(set(new)) != len(new):
            raise NotImplementedError(f"two columns cannot have one name yet: {list(labels)}")
        return DataFrame(self._expr.select([(name, self._expr.column_at(at)) for at, name in enumerate(new)]))

    @property
    def dtypes(self) -> Any:
        """The types of the columns, as a pandas series."""
        import pandas as pd

        return pd.Series(types_of(self._plan), index=self.columns, dtype="object")

    @property
    def ndim(self) -> int:
        """Two."""
        return 2

    @property
    def shape(self) -> tuple[Any, int]:
        """The number of rows as a lazy scalar, and the number of columns."""
        return self._row_count(), len(self._plan.columns)

    @property
    def size(self) -> Any:
        """How many values there are, as a lazy scalar."""
        return self._row_count() * len(self._plan.columns)

    @property
    def empty(self) -> bool:
        """Whether there are no columns or no rows; this may compute the number of rows."""
        return not self._plan.columns or len(self) == 0

    @property
    def axes(self) -> list[Any]:
        """The index and the column labels."""
        return [self.index, self.columns]

    @property
    def index(self) -> Any:
        """The labels of the rows."""
        return index_of(self._plan)

    @property
    def values(self) -> Any:
        """The values as a lazy two-dimensional array of unknown chunk sizes."""
        return self.to_array()

    # How the methods of frames and series work on a frame.

    def _each(self, function: Callable[[Any], Any]) -> DataFrame:
        columns = [(name, function(self._expr.column_at(at))) for at, name in enumerate(self._plan.columns)]
        return DataFrame(self._expr.select(columns))

    def _framed(self, function: Callable[[Any], Any]) -> DataFrame:
        return DataFrame(function(self._expr))

    def _as_frame(self) -> Any:
        return self._expr

    def _binary(self, operation: str, other: Any, reflected: bool = False) -> Any:
        if is_lazy_array(other):
            other = frame_operand(self, other)
        if needs_alignment(self, other) or isinstance(other, Series):
            return aligned(operation, self, other, reflected)
        if isinstance(other, DataFrame):
            return self._with_frame(operation, other, reflected)
        other = plain_operand(other)
        return native_or(
            lambda: self._each(lambda column: binary(column, operation, other, reflected)),
            lambda: applied(operation, self, other, reflected),
        )

    def _with_frame(self, operation: str, other: DataFrame, reflected: bool) -> DataFrame:
        names = self._plan.columns

        def pairs() -> list[tuple[str, Any]]:
            mine, theirs = self._expr, other._expr
            refuse_objects(operation, *(side.column(name) for side in (mine, theirs) for name in names))
            return [(name, mine.column(name).binary(operation, theirs.column(name), reflected)) for name in names]

        return native_or(
            lambda: DataFrame(self._expr.select(pairs())), lambda: applied(operation, self, other, reflected)
        )

    def _flexible(self, operation: str, other: Any, axis: Any, level: Any, fill: Any, reflected: bool = False) -> Any:
        if is_lazy_array(other):
            if level is not None:
                raise NotImplementedError("level= with an array: an array has no labels; make it a series first")
            if other.ndim == 1 and fill is not None:
                raise NotImplementedError(f"fill_value {fill} not supported.")
            other = frame_operand(self, other, axis)
        by_label = axis not in (0, "index")
        if level is not None or needs_alignment(self, other) or (by_label and isinstance(other, Series)):
            call = Method(operation, reflected)
            return align_with(call, self, other, name=operation, axis=axis, level=level, fill_value=fill)
        name = f"r{operation}" if reflected else operation
        if fill is not None:
            filled = lambda a, b: getattr(a, name)(b, axis=axis, fill_value=fill)
            check_division(operation, filled, self, other, reflected)
            return filled_up(filled, self, other, name)
        if isinstance(other, Series):
            return native_or(
                lambda: self._each(lambda column: column.binary(operation, other._expr, reflected)),
                lambda: over_rows(lambda a, b: getattr(a, name)(b, axis=0), self, other, name=name, plainly=True),
            )
        return self._binary(operation, other, reflected)

    def _choose_by_column(self, cond: Any, other: Any) -> DataFrame:
        """`where` with a frame for its condition or for its other values."""

        def part(value: Any, name: str) -> Any:
            return value._expr.column(name) if isinstance(value, DataFrame) else native(value)

        mine, names = self._expr, self._plan.columns
        return native_or(
            lambda: DataFrame(mine.select([(n, mine.column(n).where(part(cond, n), part(other, n))) for n in names])),
            lambda: over_rows(chosen, self, cond, other, name="where", plainly=True),
        )

    # Columns.

    def __getitem__(self, key: Any) -> Any:
        """A column by its name, a frame of several by a list, or the rows where a boolean series is true.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"x": [1, 2], "y": [3, 4]}), npartitions=1)
        >>> df[df["x"] > 1][["y"]].compute()["y"].tolist()
        [4]
        """
        if isinstance(key, Series):
            refuse_as_key(self, key)
            require_boolean(key)
            return choose_by_collection(self, key)
        if isinstance(key, DataFrame) or is_table(key):
            return self.where(key)
        if isinstance(key, slice):
            return by_brackets(self, key)
        if is_lazy_array(key):
            return by_array_in_brackets(self, key)
        if is_labelled_mask(key):
            return choose_rows(self, key)
        if is_marks(key):
            return by_marks(self, key, in_brackets=True)
        if callable(key):
            return self[key(self)]
        if isinstance(key, list) or (hasattr(key, "tolist") and getattr(key, "ndim", 1)):
            return self._project(list(key))
        return self._column(key)

    def _project(self, labels: list[Any]) -> Any:
        if any(is_collection(label) for label in labels):
            raise TypeError("columns are chosen by names, not by lazy objects")
        names = encode(labels)
        return DataFrame(self._plan_of(names).project(names))

    def _plan_of(self, names: list[str]) -> Any:
        """The expression to take columns from: others need not have known categories for it."""
        plan = self._plan
        if self._settled is plan or {name for name, _ in unknown_columns(plan)}.isdisjoint(names):
            return plan
        return self._expr

    def _column(self, label: Any) -> Any:
        name = self._name_of(label)
        parts = select(self._plan.columns, label) if name not in self._plan.columns else []
        if parts:
            chosen = self._plan_of(parts).project(parts)
            return DataFrame(chosen.rename({part: part[len(name) + 1 :] for part in parts}))
        return wrap(self._plan_of([name]).column(name))

    def _name_of(self, label: Any) -> str:
        try:
            return encode_label(label)
        except (TypeError, NotImplementedError):
            raise KeyError(label) from None

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__") and name in object.__getattribute__(self, "_plan").columns:
            return self._column(name)
        return own_or_absent(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if hasattr(type(self), name):
            object.__setattr__(self, name, value)
        elif name in self._plan.columns:
            self[name] = value
        else:
            raise AttributeError(f'a new column is made by df["{name}"] = ..., not by an attribute')

    def __setitem__(self, key: Any, value: Any) -> None:
        if is_lazy_array(key):
            key = column_beside(self, key, ITEM) if key.ndim == 1 else key
        if not is_collection(key) and not is_lazy_array(key) and getattr(key, "ndim", 0):
            raise NotImplementedError(
                f"df[key] = value by a {type(key).__name__} in memory: use df.mask(key, value), or give a list of names"
            )
        if isinstance(key, Series | DataFrame) or is_lazy_array(key):
            self._expr = in_own_types(self, self.mask(key, value), value)._expr
        elif isinstance(key, list):
            columns = columns_of(value, len(key))
            if len(columns) != len(key):
                raise ValueError(f"Columns must be same length as key: {len(columns)} for {key}")
            self._expr = self._assigned(list(zip(encode(key), columns, strict=True)))
        else:
            self._expr = self._assigned([(encode_label(key), value)])

    def __delitem__(self, key: Any) -> None:
        self._expr = self.drop(columns=[key])._plan

    def __contains__(self, key: Any) -> bool:
        return key in list(decode(self._plan.columns))

    def __iter__(self) -> Iterator[Any]:
        return iter(decode(self._plan.columns))

    def keys(self) -> Any:
        """The labels of the columns."""
        return self.columns

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(name for name in self._plan.columns if name.isidentifier())})

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._plan.columns)

    def assign(self, **kwargs: Any) -> DataFrame:
        """New or replaced columns: series of the same rows, scalars, or functions of the frame so far.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"x": [1, 2]}), npartitions=1)
        >>> df.assign(y=df.x * 2, z=lambda d: d.y + 1).compute()["z"].tolist()
        [3, 5]
        """
        frame = self
        for name, value in kwargs.items():
            frame = DataFrame(frame._assigned([(encode_label(name), value)]))
        return frame

    def _assigned(self, columns: list[tuple[str, Any]]) -> Any:
        values = []
        for name, value in columns:
            value = value(self) if callable(value) and not is_collection(value) else value
            if isinstance(value, DataFrame):
                if len(value._plan.columns) != 1:
                    count = len(value._plan.columns)
                    raise ValueError(f"Cannot set a DataFrame with {count} columns to the single column {name!r}")
                value = value._column(value.columns[0])
            if is_lazy_array(value):
                values.append((name, self._array_column(value)._expr))
                continue
            if is_missing(value):
                values.append((name, nothing(self, value)._expr))
                continue
            values.append((name, self._plan_beside(value)))
        assigned = self._plan.assign(values)
        # A number of NumPy keeps its type, which the engine doesn't know.
        narrow = [(name, str(value.dtype)) for name, value in values if is_narrow(value)]
        return DataFrame(assigned).astype(dict(narrow))._plan if narrow else assigned

    def _plan_beside(self, value: Any) -> Any:
        """What a new column is made of: with categories that may be unknown, since all their rows are here."""
        with leaving_unknown():
            foreign = is_foreign(self, value)
        if foreign:
            return own_rows(self, value)
        return value._plan if is_collection(value) else plain_operand(value)

    def _array_column(self, array: Any) -> Any:
        """An array with an element for each row as a column."""
        if array.ndim > 2 or array.ndim == 2 and array.shape[1] != 1:
            raise ValueError(f"Expected a 1D array, got an array with shape {array.shape}")
        return column_beside(self, array[:, 0] if array.ndim == 2 else array)

    def drop(
        self,
        labels: Any = None,
        *,
        axis: Any = 0,
        index: Any = None,
        columns: Any = None,
        level: Any = None,
        inplace: Any = no_default,
        errors: str = "raise",
    ) -> Any:
        """The frame without some columns, or without the rows of some labels.

        Parameters
        ----------
        labels : label or list of labels, optional
            Of rows, or of columns with `axis=1`.
        axis : {0, 1}
            What `labels` are.
        index, columns : label or list of labels, optional
            Of rows and of columns.
        level : int or name, optional
            The level that the labels are of.
        inplace : bool, default False
            Whether this frame changes, so that None is given back.
        errors : {"raise", "ignore"}
            Whether unknown labels raise KeyError: of columns at once, of rows at `compute` (gathered, in pandas).

        Returns
        -------
        DataFrame
            In as many partitions, or in one where rows are gathered.
        """
        if labels is not None:
            if index is not None or columns is not None:
                raise ValueError("Cannot specify both 'labels' and 'index'/'columns'")
            index, columns = (None, labels) if axis in (1, "columns") else (labels, None)
        elif axis == 1 and (index is not None or columns is not None):
            raise ValueError("Cannot specify both 'axis' and 'index'/'columns'")
        if index is None and columns is None:
            raise ValueError("Need to specify at least one of 'labels', 'index' or 'columns'")
        frame = self
        if columns is not None:
            if errors == "raise" and level is None and self.has_plain_labels():
                self._plan.project(encode(list(columns) if getattr(columns, "ndim", 0) else as_list(columns)))
            with leaving_unknown():
                left = encode(empty(self).drop(columns=columns, level=level, errors=errors).columns)
            frame = DataFrame(self._plan_of(left).project(left))
        if index is not None:
            frame = without_labels(frame, index, level, errors)
        return self._in_place(frame, inplace)

    def pop(self, item: Any) -> Any:
        """The column `item`, which the frame then has no more."""
        column = self[item]
        del self[item]
        return column

    def rename(
        self,
        mapper: Any = None,
        *,
        index: Any = None,
        columns: Any = None,
        axis: Any = None,
        copy: Any = no_default,
        inplace: Any = no_default,
        level: Any = None,
        errors: str = "ignore",
    ) -> Any:
        """Columns or row labels under other names, by a dictionary or by a function of names.

        Parameters
        ----------
        mapper : dict or callable, optional
            Of row labels, or of columns with `axis=1`.
        index, columns : dict or callable, optional
            Of row labels (in pandas, for each partition) and of columns.
        axis : {0, 1}
            What `mapper` is for.
        copy : object, optional
            Without effect but pandas' warning that it is deprecated.
        inplace : bool, default False
            Whether this frame changes, so that None is given back.
        level : int or name, optional
            The level whose labels change.
        errors : {"ignore", "raise"}
            Whether unknown labels in a dictionary raise KeyError: of columns at once, of rows at `compute` (gathered).

        Returns
        -------
        DataFrame
            In as many partitions, or in one where rows are gathered.
        """
        deprecated_copy(copy)
        if mapper is None and index is None and columns is None:
            raise TypeError("must pass an index to rename")
        if mapper is not None:
            if index is not None or columns is not None:
                raise TypeError("Cannot specify both 'mapper' and any of 'index' or 'columns'")
            index, columns = (None, mapper) if axis in (1, "columns") else (mapper, None)
        elif axis is not None:
            raise TypeError("Cannot specify both 'axis' and any of 'index' or 'columns'")
        frame = self
        if columns is not None:
            options = {"level": level, "errors": errors}
            frame = self.set_axis(list(empty(self).rename(columns=columns, **options).columns), axis=1)
        if index is not None:
            run = gathered if errors == "raise" else by_partition
            meta = {"meta": empty(frame)} if errors == "raise" else {}
            frame = run("rename", frame, index=index, level=level, errors=errors, **meta)
        return self._in_place(frame, inplace)

    def rename_axis(
        self,
        mapper: Any = no_default,
        *,
        index: Any = no_default,
        columns: Any = no_default,
        axis: Any = 0,
        copy: Any = no_default,
        inplace: Any = no_default,
    ) -> Any:
        """The frame with its index under another name: one, a list, a function, or a dictionary of names."""
        deprecated_copy(copy)
        check_frame_axis(axis)
        return self._in_place(with_axis_names(self, mapper, index, axis, columns), inplace)

    def add_prefix(self, prefix: str, axis: Any = None) -> DataFrame:
        """The frame with a prefix before each column name; with `axis=0`, before each row label."""
        if axis in (0, "index", "rows"):
            return by_partition("add_prefix", self, prefix, axis=0)
        return self.set_axis(list(empty(self).add_prefix(prefix, axis).columns), axis=1)

    def add_suffix(self, suffix: str, axis: Any = None) -> DataFrame:
        """The frame with a suffix after each column name; with `axis=0`, after each row label."""
        if axis in (0, "index", "rows"):
            return by_partition("add_suffix", self, suffix, axis=0)
        return self.set_axis(list(empty(self).add_suffix(suffix, axis).columns), axis=1)

    def select_dtypes(self, include: Any = None, exclude: Any = None) -> DataFrame:
        """The columns of some types, by the rules of pandas."""
        return self._project(list(empty(self).select_dtypes(include=include, exclude=exclude).columns))

    def squeeze(self, axis: Any = None) -> Any:
        """The one column of a frame of one column, or its one value; otherwise the frame.

        Unless `axis` is 1, it has to be known how many rows there are.
        """
        check_frame_axis(axis)
        rows = (
            self._column(self.columns[0]) if len(self._plan.columns) == 1 and axis not in (0, "index", "rows") else self
        )
        if axis in (1, "columns") or not has_one_row(rows, "axis=1"):
            return rows
        if is_frame(rows):
            raise NotImplementedError("squeeze of one row of several columns to a series: compute the frame first")
        return rows.squeeze()

    def items(self) -> Iterator[tuple[Any, Any]]:
        """Pairs of label and column."""
        for at, label in enumerate(decode(self._plan.columns)):
            yield label, wrap(self._expr.column_at(at))

    # Text.

    def info(
        self,
        verbose: bool | None = None,
        buf: Any = None,
        max_cols: int | None = None,
        memory_usage: Any = None,
        show_counts: bool | None = None,
    ) -> None:
        """Print the columns and their types, into `buf` if one is given; nothing is computed.

        `max_cols`, `memory_usage` and `show_counts`, for which rows would have to be computed, raise
        NotImplementedError.
        """
        asked = {"max_cols": max_cols, "memory_usage": memory_usage or None, "show_counts": show_counts or None}
        refuse_given("info", {name: (value, None) for name, value in asked.items()}, "compute().info() has it")
        text = frame_info(self)
        print(text if verbose is not False else "\n".join(text.splitlines()[:2]), file=buf)

    def __repr__(self) -> str:
        return frame_text(self)

    def _repr_html_(self) -> str:
        return frame_html(self)

    def has_plain_labels(self) -> bool:
        """Whether every column label is a string."""
        return is_plain(self._plan.columns)


def columns_of(value: Any, count: int) -> list[Any]:
    """What is assigned to each of several columns: those of a frame, one of a list each, or one value for all."""
    if isinstance(value, DataFrame):
        return [value[name] for name in value.columns]
    if is_lazy_array(value) and value.ndim:
        if value.ndim == 2:
            return [value[:, at] for at in range(value.shape[1])]
        raise NotImplementedError("several columns by one lazy array: give an array of two dimensions")
    if is_collection(value) and not is_scalar(value):
        return [value]  # which pandas takes for one column
    if not has_rows(value):
        return [value] * count
    if hasattr(value, "columns"):
        return [value.iloc[:, at] for at in range(value.shape[1])]
    if getattr(value, "ndim", 1) == 2:
        return list(value.T)
    if hasattr(value, "index") and not isinstance(value, list | tuple):
        return [value]
    if any(has_rows(one) for one in value):
        raise NotImplementedError("a list of lists for several columns: give a two-dimensional array")
    return list(value)


def in_own_types(frame: Any, changed: Any, value: Any) -> Any:
    """The frame in which a value was put where others were; pandas' error where a column does not take it.

    Missing ones make floats of whole numbers.
    """
    import pandas as pd

    missing = not is_collection(value) and pd.api.types.is_scalar(value) and pd.isna(value)
    for own, found in zip(types_of(frame._expr), types_of(changed._expr), strict=True):
        if str(own) != str(found) and not (missing and own.kind in "iu" and found == "float64"):
            raise TypeError(f"Invalid value '{value}' for dtype '{own}'")
    return changed


def is_narrow(value: Any) -> bool:
    """Whether a value is a number of NumPy of a type of its own."""
    return type(value).__module__ == "numpy" and getattr(getattr(value, "dtype", None), "kind", "") in "iuf"


def refuse_as_key(frame: DataFrame, key: Any) -> None:
    """An error for a series in the brackets of a frame that isn't of truth values; KeyError where no column can be
    among its values."""
    dtype = key._expr.dtype
    if dtype.startswith("bool"):
        return
    if dtype.startswith(("int", "uint", "float")) and all(isinstance(label, str) for label in frame):
        raise KeyError(
            f"rows are chosen by a boolean series, and `{key.name}` is of type {dtype}; nor is it of columns"
        )
    raise NotImplementedError(
        f"frame[series] of type {dtype}: columns by the values of a lazy series, or rows by truth values that may be "
        "missing; compute the labels first, or use fillna(False).astype(bool)"
    )


def is_table(key: Any) -> bool:
    """Whether a key is a pandas DataFrame; NotImplementedError for an array of two dimensions, which picks rows."""
    if is_collection(key) or is_lazy_array(key) or getattr(key, "ndim", 0) != 2:
        return False
    if not hasattr(key, "columns"):
        raise NotImplementedError("df[array of two dimensions]: take `where` for truth values of each cell")
    return True
