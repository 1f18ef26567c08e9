"""Futures: calls that run while the program goes on, and handles on their results.

>>> from raskt.futures import gather, submit
>>> a = submit(pow, 2, 10)
>>> b = submit(sum, [a, 1])
>>> gather([a, b])
[1024, 1025]

A future may stand among the arguments of further calls before it is done; nothing waits for it in between. What fails
or is cancelled ends all that reads it in the same way. When the last handle on a future goes, its result is let go,
and a call that hasn't begun by then, and that nothing reads, isn't made: hold what you want, or see `fire_and_forget`.

The calls run on the threads of this process, in the way that the settings ``scheduler`` and ``num-workers`` say.
"""

from __future__ import annotations

import atexit
from concurrent.futures import CancelledError, TimeoutError

from raskt._core import Future, close_futures, submit
from raskt.futures import _pickled
from raskt.futures._completed import as_completed
from raskt.futures._executor import Executor
from raskt.futures._functions import DoneAndNotDone, fire_and_forget, futures_of, gather, map, scatter, wait

__all__ = [
    "CancelledError",
    "DoneAndNotDone",
    "Executor",
    "Future",
    "TimeoutError",
    "as_completed",
    "fire_and_forget",
    "futures_of",
    "gather",
    "map",
    "scatter",
    "submit",
    "wait",
]

_pickled.announce()

# Calls that wait must not begin while the interpreter goes. Runs before the engine is shut down.
atexit.register(close_futures)
