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
from raskt._core import __version__
from raskt import config
from raskt._compute import compute, is_raskt_collection, persist
from raskt._visualize import visualize
from raskt.delayed import Delayed, delayed

__all__ = [
    "Delayed",
    "__version__",
    "array",
    "compute",
    "config",
    "dataframe",
    "delayed",
    "diagnostics",
    "is_raskt_collection",
    "persist",
    "visualize",
]

_LAZY = ("array", "dataframe", "diagnostics")


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return importlib.import_module(f"raskt.{name}")
    raise AttributeError(f"module 'raskt' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
