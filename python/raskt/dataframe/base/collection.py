"""What frames, series, indexes and scalars have in common."""

from __future__ import annotations

import threading
from typing import Any

from raskt._core import Lazy

from .checks import check_boolean, no_default, without_effect
from .registry import core, kind_of, wrap
from .unknown import is_left, is_settled, settled

#: Is held while a collection takes over a plan: threads may find the categories of one that another thread changes.
_TAKEN = threading.Lock()

#: The name that a series has while it is the one column of a frame.
ONLY_COLUMN = "0"


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

    __slots__ = ("_plan", "_settled")

    #: The native expression as it was made; categories may be missing in it.
    _plan: Any
    #: The last expression that is known to say all categories: this one, or one from before a change.
    _settled: Any

    #: Whether it stands for an array of pandas, without labels that others would be brought together with.
    _by_position = False

    def __init__(self, expression: Any) -> None:
        object.__setattr__(self, "_plan", expression)
        object.__setattr__(self, "_settled", None)

    @property
    def _expr(self) -> Any:
        """The native expression that further operations start from: one that says the categories of all columns.

        Those that it doesn't say are computed at the first access, of the rows that there are here.
        """
        plan = self._plan
        if self._settled is plan:
            return plan
        is_open = not is_settled(plan)
        if is_open and is_left():
            return plan
        found = settled(plan) if is_open else plan
        with _TAKEN:
            # Another thread may have changed the collection meanwhile: this one then reads what it was.
            if self._plan is plan:
                object.__setattr__(self, "_plan", found)
                object.__setattr__(self, "_settled", found)
        return found

    @_expr.setter
    def _expr(self, expression: Any) -> None:
        with _TAKEN:
            object.__setattr__(self, "_plan", expression)

    @property
    def __raskt_expr__(self) -> Any:
        """The native expression, by which `raskt.compute` and `raskt.persist` know a collection."""
        return self._plan

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
        return self._plan.explain(engine) if engine else self._plan.explain()

    def pprint(self) -> None:
        """Print the plan."""
        print(self.explain())

    def copy(self, deep: bool = True) -> Any:
        """The same collection under another name: assigning columns to one leaves the other as it is.

        Plans are never changed, so that a copy is as deep without `deep`; pandas copies on write as well.
        """
        without_effect(deep)
        return type(self)(self._plan)

    def _in_place(self, result: Any, inplace: Any) -> Any:
        """The result of a method with `inplace`: itself, or None once it has taken the place of this plan.

        Nothing else sees the change: other collections keep the plans that they have.
        """
        if not check_boolean("inplace", False if inplace is no_default else inplace):
            return result
        self._expr = result._plan
        return None

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self.copy()

    def __reduce__(self) -> Any:
        # The expression is pickled as its graph, with the data that it was given.
        return unpickled, (type(self), self._plan)


def unpickled(shown: type[Collection], expression: Any, example: Any = None) -> Collection:
    """The collection that was pickled; of a scalar of objects with what stands for its value in trials."""
    core()
    found = shown(expression)
    if example is not None:
        object.__setattr__(found, "_example", example)
    return found


def is_collection(value: Any) -> bool:
    """Whether a value is a frame, series, index or scalar of this package."""
    return isinstance(value, Collection)


def is_frame(value: Any) -> bool:
    """Whether a value is a lazy frame."""
    return is_collection(value) and kind_of(value._plan) == "frame"


def is_labels(value: Any) -> bool:
    """Whether a value is a lazy index of several levels."""
    return is_collection(value) and kind_of(value._plan) == "labels"


def is_scalar(value: Any) -> bool:
    """Whether a value is a lazy scalar."""
    return is_collection(value) and kind_of(value._plan) == "scalar"


def is_index(value: Any) -> bool:
    """Whether a value is a lazy index."""
    return is_collection(value) and kind_of(value._plan) == "index"


def is_column(value: Any) -> bool:
    """Whether a value is a lazy series or index."""
    return is_collection(value) and kind_of(value._plan) in ("series", "index")


def has_labels(value: Any) -> bool:
    """Whether a value is an object of pandas with row labels: a Series or a DataFrame."""
    return type(value).__module__.partition(".")[0] == "pandas" and hasattr(value, "iloc")


def native(value: Any) -> Any:
    """The expression behind a collection; every other value as it is."""
    return value._expr if is_collection(value) else value


def root_frame(collection: Collection) -> Any:
    """A frame expression with the rows of a collection: itself, or its one column under the name `0`."""
    if is_frame(collection) or is_labels(collection):
        return collection._expr
    return as_column(collection).to_frame(ONLY_COLUMN)


def as_column(collection: Collection) -> Any:
    """The column expression of a series or an index."""
    expression = collection._expr
    return expression.to_series() if expression.kind == "index" else expression


def index_of(frame: Any) -> Any:
    """The row labels of a frame expression, as a lazy index of one level or of several."""
    return wrap(frame.as_labels() if len(frame.index_names) > 1 else frame.index())
