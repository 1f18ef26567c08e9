"""Lazy arrays beside rows: pandas takes an array by position, with an element (or a line) for each row.

Where the rows of each partition are known and the array's length is as well, the array is cut as the rows are, and its
blocks lie beside the partitions. Where they are not, both are gathered, which `explain()` shows, and a length that
turns out to be another is an error when it is computed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .registry import core, wrap
from .whole import over_whole


class Mismatch(NamedTuple):
    """What pandas says of an array of another length than the rows', in the method that it is given to."""

    text: str = "Length of values ({given}) does not match length of index ({own})"
    kind: type[Exception] = ValueError

    def error(self, given: Any, own: Any) -> Exception:
        """The error, for such lengths (or shapes)."""
        return self.kind(self.text.format(given=given, own=own))


LENGTH = Mismatch()
OPERANDS = Mismatch("operands could not be broadcast together with shapes ({own},) ({given},)")
COMPARED = Mismatch("Lengths must match to compare: ({own},) vs ({given},)")
EQUAL = Mismatch("Lengths must be equal: {own} rows and an array of {given}")
CONDITION = Mismatch("Array conditional must be same shape as self, which has {own} rows, and not of {given}")
OTHER = Mismatch("other must be the same shape as self when an ndarray: {own} rows, and not {given}")
MASK = Mismatch("Boolean index has wrong length: {given} instead of {own}", IndexError)
ITEM = Mismatch("Item wrong length {given} instead of {own}.")
GROUPER = Mismatch("Grouper and axis must be same length: {given} values for {own} rows")
LABELS = Mismatch("Length mismatch: Expected {own} rows, received array of length {given}")
PRODUCT = Mismatch("Dot product shape mismatch, ({own},) vs ({given},)", Exception)


def column_beside(rows: Any, array: Any, mismatch: Mismatch = LENGTH, name: Any = None) -> Any:
    """An array of one dimension as a lazy series with the rows of `rows`; one element without any for each of them."""
    if array.ndim > 1:
        raise ValueError(f"Data must be 1-dimensional, got an array of shape {array.shape} instead")
    if not array.ndim:
        return wrap(constant(rows, array, ["0"]).column("0").rename(name))
    return wrap(beside(rows, array, ["0"], mismatch).column("0").rename(name))


def columns_beside(frame: Any, array: Any, mismatch: Mismatch = LENGTH) -> Any:
    """An array of two dimensions, with as many columns as a frame has, as a frame with its rows and columns."""
    return wrap(beside(frame, array, list(frame._plan.columns), mismatch))


def beside(rows: Any, array: Any, names: list[str], mismatch: Mismatch) -> Any:
    """The expression of the rows of an array as columns `names` with the rows (and the labels) of a collection."""
    refuse_complex(array)
    frame, given = rows._as_frame(), array.shape[0]
    own = known_length(frame)
    is_known = given == given  # NaN isn't equal to itself
    if is_known and own is not None and given != own:
        raise mismatch.error(given, own)
    if is_known and frame.partition_rows is not None:
        cut = array.rechunk({0: tuple(frame.partition_rows)})
        return frame.beside_array(cut.__raskt_expr__, names)
    return gathered_beside(frame, wrap(core().frame_from_array(array.__raskt_expr__, names)), array.dtype, mismatch)


def constant(rows: Any, array: Any, names: list[str]) -> Any:
    """The one element of an array without dimensions, in each row of a collection."""
    refuse_complex(array)
    frame = rows._as_frame()
    if frame.partition_rows is not None:
        from raskt.array import broadcast_to

        cut = broadcast_to(array, (sum(frame.partition_rows),)).rechunk({0: tuple(frame.partition_rows)})
        return frame.beside_array(cut.__raskt_expr__, names)
    one = core().frame_from_array(array.reshape(1).__raskt_expr__, names)
    return gathered_beside(frame, wrap(one), array.dtype, None)


def gathered_beside(frame: Any, values: Any, dtype: Any, mismatch: Mismatch | None) -> Any:
    """The rows of `values` beside those of a frame, all of both gathered."""
    import pandas as pd

    meta = pd.DataFrame({name: pd.Series([], dtype=dtype) for name in values._plan.columns})
    bare = wrap(frame.project([]))
    return over_whole(Placed(mismatch), bare, values, name="from_array", meta=meta, same_rows=True)._expr


class Placed:
    """A function that gives rows the labels of others, which are as many; `mismatch` is the error if they are not.

    Without `mismatch`, the one row that there is goes with all of them.
    """

    def __init__(self, mismatch: Mismatch | None) -> None:
        self.mismatch = mismatch

    def __call__(self, rows: Any, values: Any) -> Any:
        """`values` with the labels of `rows`."""
        # Operators repeat one element, as NumPy does.
        if self.mismatch is None or (self.mismatch == OPERANDS and len(values) == 1):
            return values.iloc[[0] * len(rows)].set_axis(rows.index, axis=0)
        if len(rows) != len(values):
            raise self.mismatch.error(len(values), len(rows))
        return values.set_axis(rows.index, axis=0)


def known_length(frame: Any) -> int | None:
    """How many rows a frame expression has, where that is known without computing."""
    rows = frame.partition_rows
    if rows is not None:
        return int(sum(rows))
    return frame.column_at(0).length() if frame.columns else None  # type: ignore[no-any-return]


def values_of(array: Any) -> Any:
    """An array of one dimension as a lazy series of its own rows."""
    refuse_complex(array)
    return wrap(core().frame_from_array(array.__raskt_expr__, ["0"]).column("0").rename(None))


def operand(rows: Any, array: Any, is_comparison: bool = False) -> Any:
    """An array beside a series or an index in an operator: a series of the same rows, under the same name."""
    if array.ndim > 1:
        raise ValueError(f"Data must be 1-dimensional, got an array of shape {array.shape} instead")
    if array.ndim and array.shape[0] == 1 and not is_comparison:
        array = array[0]
    return column_beside(rows, array, COMPARED if is_comparison else OPERANDS, rows._plan.name)


def frame_operand(frame: Any, array: Any, axis: Any = "columns") -> Any:
    """An array beside a frame in an operator: a frame of the same rows and columns.

    One dimension meets the columns, or, with `axis=0`, the rows; of two, one that is 1 long goes with all.
    """
    width = len(frame._plan.columns)
    if array.ndim > 2:
        raise ValueError(f"Unable to coerce to Series/DataFrame, dimension must be <= 2: {array.shape}")
    if array.ndim == 1 and axis in (0, "index", "rows"):
        array = array.reshape(-1, 1) if array.shape[0] == array.shape[0] else array[:, None]
    elif array.ndim == 1:
        if array.shape[0] != width:
            raise ValueError(f"Unable to coerce to Series, length must be {width}: given {array.shape[0]}")
        array = array.reshape(1, width)
    if array.ndim == 2 and array.shape[0] == 1 and array.shape[1] == width:
        columns = [constant(frame, array[0, at], ["0"]).column("0") for at in range(width)]
    elif array.ndim == 2 and array.shape[1] == width:
        return columns_beside(frame, array, OPERANDS)
    elif array.ndim == 2 and array.shape[1] == 1:
        columns = [beside(frame, array[:, 0], ["0"], OPERANDS).column("0")] * width
    elif not array.ndim:
        columns = [constant(frame, array, ["0"]).column("0")] * width
    else:
        own = known_length(frame._as_frame())
        shape = f"({'unknown' if own is None else own}, {width})"
        raise ValueError(f"Unable to coerce to DataFrame, shape must be {shape}: given {array.shape}")
    return wrap(frame._expr.select(list(zip(frame._plan.columns, columns, strict=True))))


def same_shape(rows: Any, array: Any, mismatch: Mismatch) -> Any:
    """An array of exactly the shape of a frame or a series as such a collection."""
    if array.ndim == rows.ndim == 1:
        return column_beside(rows, array, mismatch, rows._plan.name)
    if array.ndim != 2 or rows.ndim != 2 or array.shape[1] != len(rows._plan.columns):
        raise mismatch.error(f"shape {array.shape}", known_length(rows._as_frame()))
    return columns_beside(rows, array, mismatch)


def refuse_complex(array: Any) -> None:
    """NotImplementedError for an array whose elements no column holds."""
    if array.dtype.kind == "c":
        raise NotImplementedError(f"an array of {array.dtype} beside rows: columns hold its .real and .imag")
