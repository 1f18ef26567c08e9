"""The `.cat` accessor."""

from __future__ import annotations

from typing import Any

from ..base import categories as _registered  # noqa: F401 - what finds categories makes itself known
from ..base.meta import empty, type_of
from ..base.pandas_methods import Method
from ..base.partitionwise import over_rows
from ..base.storage import unknown_categories
from ..base.unknown import is_settled


class CategoricalMethods:
    """Methods of categories, by the names and meanings of `pandas.Series.cat`.

    Categories are *known* where the plan says them: those of pandas objects, and of `astype` with a type that has them.
    Those of `astype("category")`, of files and of functions of users are not: they are the values that occur in
    all rows at that place. The first operation on such a column computes them, and goes on with known ones.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> s = rd.from_pandas(pd.Series(["b", "a", "b"], dtype="category"), npartitions=2)
    >>> s.cat.rename_categories({"a": "first"}).compute().tolist()
    ['b', 'first', 'b']
    """

    def __init__(self, series: Any) -> None:
        import pandas as pd

        if not isinstance(type_of(series._plan), pd.CategoricalDtype):
            raise AttributeError("Can only use .cat accessor with a 'category' dtype")
        self._series = series

    @property
    def known(self) -> bool:
        """Whether the categories are known without computing."""
        return is_settled(self._series._plan)

    @property
    def ordered(self) -> bool:
        """Whether the categories have an order."""
        return bool(type_of(self._series._plan).ordered)

    @property
    def categories(self) -> Any:
        """The categories, as a pandas Index; computed if they are not known."""
        return type_of(self._series._expr).categories

    def as_known(self) -> Any:
        """The series with known categories, which are computed now if they are not.

        Returns
        -------
        Series
            The same values in the same partitions.
        """
        self._series._expr  # noqa: B018 - the first access computes them
        return self._series

    def _of(self, categories: Any) -> Any:
        """The same values with such categories."""
        import pandas as pd

        dtype = pd.CategoricalDtype(categories, self.ordered)
        meta = pd.Series([], dtype=dtype, name=self._series.name)
        return over_rows(lambda part: part.astype(dtype), self._series, name="cat.set_categories", meta=meta)

    def as_unknown(self) -> Any:
        """The series with categories that are not known: those that occur when the rows are computed."""
        import pandas as pd

        if not self.known:
            return self._series
        if self.ordered and not self.categories.is_monotonic_increasing:
            raise NotImplementedError(
                f"as_unknown of categories in an order of their own ({list(self.categories[:5])}), which nothing would "
                "know then: call as_unordered first"
            )
        meta = pd.Series([], dtype=unknown_categories(type_of(self._series._plan)), name=self._series.name)
        return over_rows(lambda part: part, self._series, name="cat.as_unknown", meta=meta)

    @property
    def codes(self) -> Any:
        """The number of the category of each value; -1 where it is missing.

        Returns
        -------
        Series
            Of the narrowest integers that hold the codes, in the same partitions.
        """
        return over_rows(lambda part: part.cat.codes, self.as_known(), name="cat.codes", plainly=True)

    def remove_unused_categories(self) -> Any:
        """The series without the categories that don't occur, which are found by computing them now."""
        if not self.known:
            return self._series
        occurring = self._series.drop_duplicates().compute().cat.remove_unused_categories().cat.categories
        return self._of(self.categories[self.categories.isin(occurring)])

    def add_categories(self, new_categories: Any) -> Any:
        """The series with more categories."""
        return self._pandas("add_categories", new_categories)

    def as_ordered(self) -> Any:
        """The series with its categories in order, least first."""
        return self._pandas("as_ordered")

    def as_unordered(self) -> Any:
        """The series with categories that have no order."""
        return self._pandas("as_unordered")

    def remove_categories(self, removals: Any) -> Any:
        """The series without some categories; values of theirs are missing."""
        return self._pandas("remove_categories", removals)

    def rename_categories(self, new_categories: Any) -> Any:
        """The series with other names for its categories."""
        return self._pandas("rename_categories", new_categories)

    def reorder_categories(self, new_categories: Any, ordered: bool | None = None) -> Any:
        """The series with its categories in another order."""
        return self._pandas("reorder_categories", new_categories, ordered)

    def set_categories(self, new_categories: Any, ordered: bool | None = None, rename: bool = False) -> Any:
        """The series with such categories; values of others are missing."""
        return self._pandas("set_categories", new_categories, ordered, rename)

    def _pandas(self, name: str, *args: Any) -> Any:
        call, known = Method(name, "cat"), self.as_known()
        # Where no value occurs there are none, and made-up ones would come in if the method were tried on a sample.
        meta = None if len(self.categories) else call(empty(known), *args)
        return over_rows(call, known, *args, name=f"cat.{name}", meta=meta, plainly=True)
