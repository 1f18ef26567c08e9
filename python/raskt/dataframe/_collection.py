"""What frames, series, indexes and scalars have in common."""

from __future__ import annotations

from typing import Any

from raskt._core import Lazy

from ._engine import wrap


class Collection(Lazy):
    """A lazy object: an expression of the native side, which `compute` turns into a pandas object or a value.

    `compute`, `persist` and `visualize` are native methods, so that no frame of theirs is in a traceback.

    >>> import pandas as pd, raskt.dataframe as rd
    >>> df = rd.from_pandas(pd.DataFrame({"x": [1, 2, 3]}), npartitions=2)
    >>> int(df["x"].sum().compute())
    6
    >>> len((df + 1).persist())
    3
    """

    __slots__ = ("_expr",)

    _expr: Any

    def __init__(self, expression: Any) -> None:
        object.__setattr__(self, "_expr", expression)

    @property
    def __raskt_expr__(self) -> Any:
        """The native expression, by which `raskt.compute` and `raskt.persist` know a collection."""
        return self._expr

    def __raskt_rebuild__(self, expression: Any) -> Any:
        """The collection that shows another expression of the same kind."""
        return wrap(expression)

    def explain(self, engine: bool = False) -> str:
        """The plan as text, a node a line, each marked *native* or *pandas*.

        `engine=True` adds the plans that the engine below runs.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> df = rd.from_pandas(pd.DataFrame({"x": [1, 2, 3]}), npartitions=1)
        >>> "native" in df[df["x"] > 1].explain()
        True
        """
        return self._expr.explain(engine) if engine else self._expr.explain()

    def pprint(self) -> None:
        """Print the plan."""
        print(self.explain())

    def copy(self, deep: bool = False) -> Any:
        """The same collection under another name: assigning columns to one leaves the other as it is."""
        return type(self)(self._expr)

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self.copy()

    def __reduce__(self) -> Any:
        raise TypeError(f"a lazy {type(self).__name__} cannot be pickled; compute it, or write it with to_parquet")
