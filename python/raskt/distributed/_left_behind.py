"""The connections of all clients, also of those that nobody keeps, though somebody still keeps results of theirs."""

from __future__ import annotations

import contextlib
import functools
import itertools
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

_numbers = itertools.count()


class _Connection:
    """What a client has at its scheduler. It is there for as long as a client of it is, or a result."""

    def __init__(self, again: Callable[[], Client], is_needed: Callable[[], bool], end: Callable[[], None]) -> None:
        self.number = next(_numbers)
        self._again, self._is_needed = again, is_needed
        self._clients: list[weakref.ref[Client]] = []
        """More than one if finalizers have asked for one while one was made."""
        self.end = weakref.finalize(self, _end, self.number, end)

    def note(self, client: Client) -> None:
        client._finalizer = self.end
        self._clients.append(weakref.ref(client, functools.partial(_gone, self.number)))

    def let_go(self, client: weakref.ref[Client]) -> None:
        with contextlib.suppress(ValueError):
            self._clients.remove(client)

    def there(self) -> Client | None:
        """A client that somebody keeps."""
        return next((client for each in list(self._clients) if (client := each()) is not None), None)

    def client(self) -> Client | None:
        """The same, or another one for whoever asks; None if it has ended."""
        client = self.there()
        if client is None and self.end.alive:
            client = self._again()
            self.note(client)
        return client

    def is_over(self) -> bool:
        return not self.end.alive or (self.there() is None and not self._is_needed())


# The garbage collector may come in the middle of anything, also of what is done under this lock. So nothing that it
# calls waits for it, and who has it may take it again.
_lock = threading.RLock()
"""Nobody is given a client of a connection that ends just then."""
_all: dict[int, _Connection] = {}
_left: dict[int, _Connection] = {}
"""Those of which there was no client at some time: somebody has to see when they are over."""
_wakes: SimpleQueue[None] = SimpleQueue()
"""Wakes who looks after these. It has a token or two at most, and whoever puts one there waits for nobody."""
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


def note(client: Client, again: Callable[[], Client], is_needed: Callable[[], bool], end: Callable[[], None]) -> None:
    """There is another client. Its ``_finalizer`` calls `end`, once, at the end of the program at the latest.

    When nobody keeps the client, that is done as soon as `is_needed` says no. Until then those who look for it are
    given another one in its place, which `again` makes.
    """
    connection = _Connection(again, is_needed, end)
    connection.note(client)
    _all[connection.number] = connection


def clients() -> list[Client]:
    """A client of each connection, the same one for all who ask as long as one of them keeps it."""
    with _lock:
        found = [connection.client() for connection in list(_all.values())]
    return [client for client in found if client is not None]


def _end(number: int, end: Callable[[], None]) -> None:
    _all.pop(number, None)
    _left.pop(number, None)
    end()


def _gone(number: int, client: weakref.ref[Client]) -> None:
    """Nobody keeps that client any more. What nobody needs ends at once, if that can be seen without waiting."""
    connection = _all.get(number)
    if connection is None:
        return
    connection.let_go(client)
    is_over = False
    if _lock.acquire(blocking=False):
        try:
            is_over = _is_taken_away(connection)
        finally:
            _lock.release()
    if is_over:
        connection.end()
        return
    _left[number] = connection
    if _wakes.empty():
        _wakes.put(None)


def _is_taken_away(connection: _Connection) -> bool:
    """Whether it is over; nobody is given it from then on."""
    if not connection.is_over():
        return False
    _all.pop(connection.number, None)
    return True


def _watch() -> None:
    while True:
        if not _left:
            _wakes.get()
        _look()
        time.sleep(LOOK_SECONDS)


def _look() -> None:
    for number in list(_left):
        connection = _left.get(number)
        if connection is None:
            continue
        with _lock:
            is_over = _is_taken_away(connection)
        if is_over:
            _left.pop(number, None)
            connection.end()


if hasattr(os, "register_at_fork"):
    # Another thread of the parent may have had the lock.
    os.register_at_fork(after_in_child=lambda: globals().update(_lock=threading.RLock(), _wakes=SimpleQueue()))
