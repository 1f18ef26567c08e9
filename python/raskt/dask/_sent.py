"""What worker processes run of a graph of Dask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def run(task: Callable[[Mapping[Any, Any]], Any], values: Mapping[Any, Any]) -> Any:
    """Call a task of Dask with the results that it reads.

    >>> from dask._task_spec import Task, TaskRef
    >>> run(Task("y", abs, TaskRef("x")), {"x": -2})
    2
    """
    return task(values)
