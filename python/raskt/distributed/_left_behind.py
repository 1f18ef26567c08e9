"""Clients that nobody keeps, though somebody still keeps results of theirs."""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable
from queue import SimpleQueue

LOOK_SECONDS = 0.25
"""How often it is seen whether the last result has gone."""


class _LeftBehind:
    """What is to be done once `is_needed` says no, and at the end of the program at the latest."""

    def __init__(self, is_needed: Callable[[], bool], end: Callable[[], None]) -> None:
        self.is_needed = is_needed
        self.end = weakref.finalize(self, end)


# Who calls here may be the garbage collector, in the middle of anything: nothing is taken that this thread could have taken.
_coming: SimpleQueue[_LeftBehind] = SimpleQueue()
_watched_in: int | None = None
"""The process with the thread that looks after them: a fork has none."""


def end_later(is_needed: Callable[[], bool], end: Callable[[], None]) -> None:
    """Calls `end` as soon as `is_needed` says no, and at the end of the program at the latest."""
    global _watched_in
    left = _LeftBehind(is_needed, end)
    if _watched_in != os.getpid():
        try:
            threading.Thread(target=_watch, name="raskt-clients", daemon=True).start()
        except RuntimeError:
            # The interpreter ends, or the system has no thread left.
            left.end()
            return
        _watched_in = os.getpid()
    _coming.put(left)


def _watch() -> None:
    left: list[_LeftBehind] = []
    while True:
        if not left:
            left.append(_coming.get())
        while not _coming.empty():
            left.append(_coming.get())
        needed = []
        for each in left:
            if each.is_needed():
                needed.append(each)
            else:
                each.end()
        left = needed
        # Nothing that was looked at is kept from its end here.
        del needed, each
        time.sleep(LOOK_SECONDS)
