"""Arguments of frames and series, checked."""

from __future__ import annotations

from typing import Any

from .collection import is_collection
from .partitionwise import over_rows


def as_list(value: Any) -> list[Any]:
    """A value as a list: itself, or it alone. A tuple is one label, of several levels."""
    return list(value) if isinstance(value, list) else [value]


def check_na_position(na_position: Any) -> None:
    """ValueError unless missing values are to come first or last."""
    if na_position not in ("first", "last"):
        raise ValueError(f"na_position must be 'first' or 'last', not {na_position!r}")


def require_boolean(mask: Any) -> Any:
    """The expression of a boolean series, where a missing value means False; TypeError for another type."""
    if mask._expr.dtype in ("boolean", "bool[pyarrow]"):
        return over_rows(known_truths, mask, name="mask", meta=(None, "bool"))._expr
    if not mask._expr.dtype.startswith("bool"):
        raise TypeError(f"rows are chosen by a boolean series, and `{mask.name}` is of type {mask._expr.dtype}")
    return mask._expr


def known_truths(rows: Any) -> Any:
    """Truth values of a nullable type as NumPy's, missing ones as False."""
    return rows.fillna(False).astype(bool)


def plain_operand(value: Any) -> Any:
    """An operand that is a value or a lazy object; NotImplementedError for data outside of the plan."""
    if is_collection(value) or isinstance(value, str | bytes) or value is None:
        return value
    if hasattr(value, "dtype") and getattr(value, "ndim", 0) == 0:
        return value
    if hasattr(value, "__len__") or hasattr(value, "dtype"):
        raise NotImplementedError(
            f"a lazy column with a {type(value).__name__}: rows of other data are not aligned; make it a column of the "
            "same frame before from_pandas, or merge with it"
        )
    return value
