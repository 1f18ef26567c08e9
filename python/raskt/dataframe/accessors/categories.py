"""The `.cat` accessor."""

from __future__ import annotations

from typing import Any

from ..base.partitionwise import over_all


class CategoricalMethods:
    """Methods of categories, in pandas on the gathered rows, so that all rows have the same categories."""

    def __init__(self, series: Any) -> None:
        if series._expr.dtype != "category":
            raise AttributeError(f"Can only use .cat accessor with a 'category' dtype, not {series._expr.dtype}")
        self._series = series

    @property
    def known(self) -> bool:
        """Whether the categories are known without computing."""
        return False

    def as_known(self) -> Any:
        """The series as it is: methods here see all categories."""
        return self._series

    def as_unknown(self) -> Any:
        """The series as it is."""
        return self._series

    @property
    def categories(self) -> Any:
        """The categories, computed."""
        return self._series.compute().cat.categories

    @property
    def ordered(self) -> bool:
        """Whether the categories have an order, computed."""
        return bool(self._series.compute().cat.ordered)

    @property
    def codes(self) -> Any:
        """The number of the category of each value; -1 where it is missing."""
        return over_all(lambda rows: rows.cat.codes, self._series, name="cat.codes", meta=(None, "int8"))


def _method(name: str) -> Any:
    def method(self: CategoricalMethods, *args: Any, **kwargs: Any) -> Any:
        call = lambda rows: getattr(rows.cat, name)(*args, **kwargs)
        return over_all(call, self._series, name=f"cat.{name}", meta=(self._series.name, "category"))

    method.__name__ = name
    method.__doc__ = f"`pandas.Series.cat.{name}` of the gathered rows."
    return method


for _name in [
    "add_categories",
    "as_ordered",
    "as_unordered",
    "remove_categories",
    "remove_unused_categories",
    "rename_categories",
    "reorder_categories",
    "set_categories",
]:
    setattr(CategoricalMethods, _name, _method(_name))
