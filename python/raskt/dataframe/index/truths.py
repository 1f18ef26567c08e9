"""What an index answers by truth values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.collection import is_collection
from ..base.whole import is_labelled
from ..series.series import Series


class Truths(Series):
    """Truth values of the labels of rows (`df.index % 2 == 0`): an array in pandas, which has no labels of its own.

    Beside other rows it goes by position, so that it chooses rows of the frame whose labels it is made of.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> df = rd.from_pandas(pd.DataFrame({"x": [1, 2, 3]}), npartitions=2)
    >>> df[(df.index % 2 == 0) & (df.x > 1)]["x"].compute().tolist()
    [3]
    """

    __slots__ = ()
    _by_position = True

    def _each(self, function: Callable[[Any], Any]) -> Any:
        return truths(super()._each(function))

    def _binary(self, operation: Any, other: Any, reflected: bool = False) -> Any:
        if is_collection(other) and is_labelled(other):
            # The result has the labels of the one that has some.
            return other._binary(operation, self, not reflected)
        found = super()._binary(operation, other, reflected)
        return found if found is NotImplemented else truths(found)


def truths(found: Any) -> Any:
    """A series as truth values of an index, if it is of truth values."""
    is_truths = type(found) is Series and str(found._expr.dtype).startswith("bool")
    return Truths(found._expr) if is_truths else found
