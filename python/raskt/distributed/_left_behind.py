"""Clients that nobody keeps, though somebody still keeps results of theirs."""

from __future__ import annotations

import contextlib
import os
import threading
import time
import weakref
from collections.abc import Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from raskt.distributed._client import Client

LOOK_SECONDS = 0.25
"""How often it is seen whether the last result has gone."""


class _LeftBehind:
    """What is to be done once `is_needed` says no, and at the end of the program at the latest."""

    def __init__(self, is_needed: Callable[[], bool], end: Callable[[], None], again: Callable[[], Client]) -> None:
        self.is_needed, self.again = is_needed, again
        self.end = weakref.finalize(self, end)


# Who adds to it may be the garbage collector, in the middle of anything: nothing is taken that its thread could have
# taken.
_all: dict[int, _LeftBehind] = {}
_added: SimpleQueue[None] = SimpleQueue()
_watched_in: int | None = None
"""The process with the thread that looks after them: a fork has none."""


def watch() -> None:
    """There is a client that may be left behind: somebody has to look after it then."""
    global _watched_in
    if _watched_in != os.getpid():
        _watched_in = os.getpid()
        # Where there is no thread, such clients end with the program.
        with contextlib.suppress(RuntimeError):
            threading.Thread(target=_watch, name="raskt-clients", daemon=True).start()


def end_later(is_needed: Callable[[], bool], end: Callable[[], None], again: Callable[[], Client]) -> None:
    """Calls `end` as soon as `is_needed` says no, and at the end of the program at the latest.

    Until then `again` gives the client to whoever looks for it.
    """
    left = _LeftBehind(is_needed, end, again)
    _all[id(left)] = left
    _added.put(None)


def again() -> list[Client]:
    """Those that were left behind, as clients that are ended by whoever lets go of them last."""
    clients = []
    while _all:
        try:
            _, left = _all.popitem()
        except KeyError:
            break
        left.end.detach()
        clients.append(left.again())
    return clients


def _watch() -> None:
    while True:
        if not _all:
            _added.get()
        _look()
        time.sleep(LOOK_SECONDS)


def _look() -> None:
    # One that is added meanwhile is looked at the next time.
    with contextlib.suppress(RuntimeError):
        for key, left in list(_all.items()):
            if not left.is_needed() and _all.pop(key, None) is not None:
                left.end()
