"""Graphs of Dask's dataframes, written and run in less time than Dask takes.

While an expression writes its graph, a few of the expressions within it do so in another way:

- A frame in memory is cut into partitions. Dask selects the columns of each and converts its strings on its own; here
  that is done once, and partitions are slices of the outcome. They share one index of columns, so that pandas looks a
  column's place up once for all of them.
- A shuffle by columns of numbers works on NumPy arrays until it has the rows of each part.

Results are those of Dask, bit for bit; what isn't plain pandas is left to Dask.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

SPARE_ROWS = 2
"""A frame is prepared as a whole if no more than this many times the wanted rows lie between the first and the last."""


def graph_of(expression: Any) -> Mapping[Any, Any]:
    """The graph of an expression of Dask, or of another object that has one.

    >>> import dask
    >>> len(graph_of(dask.delayed(sum)([1, 2])))
    1
    """
    if not hasattr(expression, "__dask_graph__"):
        kind = type(expression).__name__
        raise TypeError(f"a graph of Dask is a dictionary, or has one; a {kind} object doesn't")
    with ExitStack() as in_place:
        # Without dataframes nothing is to be looked at, and pandas isn't imported.
        if "dask.dataframe" in sys.modules:
            for found in _expressions(expression):
                in_place.enter_context(_quicker(found))
        graph: Mapping[Any, Any] = expression.__dask_graph__()
        return graph


def _expressions(expression: Any) -> Iterator[Any]:
    """All expressions within, those in fused expressions too."""
    from dask._expr import Expr

    stack, seen = ([expression] if isinstance(expression, Expr) else []), set()
    while stack:
        found = stack.pop()
        if found._name in seen:
            continue
        seen.add(found._name)
        for operand in found.operands:
            # A fused expression has a list of those within.
            inner = operand if isinstance(operand, list) else [operand]
            if inner and isinstance(inner[0], Expr):
                stack.extend(inner)
        yield found


@contextmanager
def _quicker(expression: Any) -> Iterator[None]:
    """Let `expression` write its part of a graph in the quicker way, if there is one.

    A method in the instance goes before that of the class, so that Dask's classes stay as they are.
    """
    from dask.dataframe.dask_expr import _shuffle
    from dask.dataframe.dask_expr.io.io import FromPandas, FromPandasDivisions

    # It imports dataframes, which not everyone has.
    from raskt.dask import _shuffling

    methods: dict[str, Callable[..., Any]] = {}
    kind = type(expression)
    if kind in (FromPandas, FromPandasDivisions):
        cut = _cutter(expression)
        methods = {"_filtered_task": cut} if cut else {}
    elif kind is _shuffle.AssignPartitioningIndex:
        methods = {"operation": _shuffling.assign_parts}
    elif kind in (_shuffle.SimpleShuffle, _shuffle.TaskShuffle):
        methods = {"_shuffle_group": _shuffling.split}
    vars(expression).update(methods)
    try:
        yield
    finally:
        for name in methods:
            vars(expression).pop(name, None)


def _cutter(source: Any) -> Callable[[Any, int], Any] | None:
    """What gives a partition of `source`, a frame in memory, as a task; nothing if that is better left to Dask."""
    import pandas as pd
    from dask._task_spec import DataNode
    from dask.dataframe._pyarrow import to_pyarrow_string

    whole = source.frame._data
    if type(whole) not in (pd.DataFrame, pd.Series):
        return None
    locations = [int(at) for at in source._locations()]
    wanted = list(source._partitions)
    rows = sum(locations[at + 1] - locations[at] for at in wanted)
    begin = min((locations[at] for at in wanted), default=0)
    end = max((locations[at + 1] for at in wanted), default=0)
    if end - begin > SPARE_ROWS * rows:
        return None
    whole = whole.iloc[begin:end]
    if source.pyarrow_strings_enabled:
        whole = to_pyarrow_string(whole)
    if source.operand("columns") is not None:
        whole = whole[source.columns[0]] if source._series else whole[source.columns]

    def cut(name: Any, index: int) -> DataNode:
        return DataNode(name, whole.iloc[locations[index] - begin : locations[index + 1] - begin])

    return cut
