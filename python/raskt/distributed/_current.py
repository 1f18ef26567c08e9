"""The client on which computations run that name none."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from raskt import _core
from raskt.distributed import _left_behind

if TYPE_CHECKING:
    from raskt.distributed._client import Client

# Whoever has it may be interrupted by a finalizer that asks as well.
_lock = threading.RLock()
_defaults: list[Client] = []
"""Clients that were made for everybody, the latest last."""
_own: ContextVar[Client | None] = ContextVar("raskt-client", default=None)
"""The client of a ``with`` block."""


def current() -> Client | None:
    """The client of the innermost ``with client.as_current()``, or the latest that was made."""
    own = _own.get()
    if own is not None and not own.is_closed:
        return own
    with _lock:
        return next((client for client in reversed(_defaults) if not client.is_closed), None)


def native_client() -> _core.ClusterClient | None:
    """The same for the native module."""
    client = current()
    return None if client is None else client._raskt_cluster_client


def known() -> list[Client]:
    """All clients of this process that aren't closed, also those of which only results are kept."""
    return [client for client in _left_behind.clients() if not client.is_closed]


def add_default(client: Client) -> None:
    """Makes `client` the one of everybody, until it is closed."""
    with _lock:
        _defaults.append(client)
    _core.cluster_is_used()


def remove_default(client: Client) -> None:
    """Takes it back."""
    with _lock:
        _defaults[:] = [each for each in _defaults if each is not client]


@contextmanager
def as_current(client: Client) -> Iterator[Client]:
    """Makes `client` the one of this thread or task for the length of a block."""
    _core.cluster_is_used()
    token = _own.set(client)
    try:
        yield client
    finally:
        _own.reset(token)


def default_client(c: Client | None = None, *, allow_global: bool = True) -> Client:
    """The client on which computations run, or `c` itself, if it is given.

    Parameters
    ----------
    c : Client, optional
        A client that is wanted anyway.
    allow_global : bool, default True
        If not, only that of a ``with client.as_current()`` counts.

    Raises
    ------
    ValueError
        If there is none.
    """
    from raskt.distributed._client import Client

    if c is not None:
        if not isinstance(c, Client):
            raise TypeError(f"c is {c!r}; it is a Client, or None for the one that is current")
        return c
    client = current() if allow_global else _own.get()
    if client is None:
        raise ValueError("there is no client: make one first, by raskt.distributed.Client()")
    return client


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: globals().update(_lock=threading.RLock()))
