"""Parallel and distributed computing: chunked arrays, partitioned dataframes and delayed functions on one engine.

>>> import raskt
>>> def inc(x):
...     return x + 1
>>> total = raskt.delayed(sum)([raskt.delayed(inc)(i) for i in range(10)])
>>> total.compute()
55

`raskt.array` feels like NumPy, `raskt.dataframe` like pandas; both are imported when they are first used.
"""

from __future__ import annotations

import importlib
from typing import Any

from raskt import _cpu  # noqa: F401  (first: says what is wrong where the processor is too old)
from raskt._core import EngineBroken, MemoryLimitError, ProcessDied, ResultsLost, __version__
from raskt import config
from raskt._annotations import annotate, get_annotations
from raskt._compute import compute, is_raskt_collection, persist
from raskt._protocol import get, is_dask_collection, istask, optimize
from raskt._tokens import TokenizationError, normalize_token, tokenize
from raskt._visualize import visualize
from raskt.delayed import Delayed, delayed

__all__ = [
    "Delayed",
    "EngineBroken",
    "MemoryLimitError",
    "ProcessDied",
    "ResultsLost",
    "TokenizationError",
    "__version__",
    "annotate",
    "array",
    "compute",
    "config",
    "dask",
    "dataframe",
    "delayed",
    "diagnostics",
    "futures",
    "get",
    "get_annotations",
    "graph_manipulation",
    "is_dask_collection",
    "is_raskt_collection",
    "istask",
    "normalize_token",
    "optimize",
    "persist",
    "tokenize",
    "visualize",
]

_LAZY = ("array", "dask", "dataframe", "diagnostics", "futures", "graph_manipulation")


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return importlib.import_module(f"raskt.{name}")
    raise AttributeError(f"module 'raskt' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
