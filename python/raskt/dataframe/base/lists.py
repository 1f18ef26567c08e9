"""Columns of lists: what is known of their items before any is seen."""

from __future__ import annotations

from typing import Any

from .meta import Trial, empty, empty_of, types_in
from .pandas_methods import Method


def exploded(rows: Any, *columns: Any) -> Any:
    """The empty result of `explode`, in which items are text unless the rows that it is tried on have other ones.

    pandas makes text of objects if all of them are text, or missing. None if there are no objects.
    """
    if object not in types_in(rows):
        return None
    few = Trial(Method("explode"), (rows, *columns), {}).result(real_first=True)
    if few.ndim == 1:
        return empty_of(few.astype("str") if is_unknown(few) else few)
    wanted = columns[0] if isinstance(columns[0], list) else [columns[0]]
    # All others are repeated as they are.
    kinds = {name: "str" if is_unknown(few[name]) else few[name].dtype for name in wanted}
    return empty(rows).astype(kinds)


def is_unknown(few: Any) -> bool:
    """Whether a few rows of objects say nothing about the others."""
    return bool(few.dtype == object and few.isna().all())


def item_meta(series: Any, at: Any) -> Any:
    """The empty series of items of objects, lists mostly: objects, unless the rows that it is tried on have other ones.

    Where none of those has an item at the position, nothing is said about the items of the others.
    """
    found = Trial(lambda rows: rows.str.get(at), (series,), {}).result(real_first=True)
    return empty_of(found.astype(object) if found.isna().all() else found)
