"""Looking on while computations run.

>>> import raskt
>>> from raskt.diagnostics import Profiler, ProgressBar, visualize
>>> with ProgressBar(minimum=60), Profiler() as profiler:
...     raskt.delayed(sum)([1, 2, 3]).compute()
6
>>> page = visualize(profiler, save=False)
"""

from raskt.diagnostics._libraries import Libraries, Library, libraries
from raskt.diagnostics._memory import Holder, Memory, memory
from raskt.diagnostics.callback import Callback, TaskData, _active
from raskt.diagnostics.page import Page, visualize
from raskt.diagnostics.profile import CacheData, CacheProfiler, Profiler, ResourceData, ResourceProfiler
from raskt.diagnostics.progress import ProgressBar

__all__ = [
    "CacheData",
    "CacheProfiler",
    "Callback",
    "Holder",
    "Libraries",
    "Library",
    "Memory",
    "Page",
    "Profiler",
    "ProgressBar",
    "ResourceData",
    "ResourceProfiler",
    "TaskData",
    "_active",
    "libraries",
    "memory",
    "visualize",
]
