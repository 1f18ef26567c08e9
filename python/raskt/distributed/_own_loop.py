"""A loop of asyncio on a thread of its own."""

from __future__ import annotations

import asyncio
import os
import threading
import weakref

_all: weakref.WeakSet[OwnLoop] = weakref.WeakSet()


class OwnLoop:
    """A loop of this process. A fork, which has none of the threads, gets another one."""

    def __init__(self, thread: str) -> None:
        self._thread = thread
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        _all.add(self)

    def get(self) -> asyncio.AbstractEventLoop:
        """The loop, which is started when it is first asked for."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name=self._thread, daemon=True).start()
            return self._loop

    def is_here(self) -> bool:
        """Whether this is called by something that runs on the loop."""
        try:
            return asyncio.get_running_loop() is self._loop
        except RuntimeError:
            return False

    def _forget(self) -> None:
        self._loop, self._lock = None, threading.Lock()


def _forget_all() -> None:
    for each in _all:
        each._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
