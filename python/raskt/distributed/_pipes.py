"""Pipes by whose end a process knows that this one is gone. A fork lives on its own, and mustn't hold them."""

from __future__ import annotations

import os
import weakref
from contextlib import suppress
from typing import IO, Any

_held: weakref.WeakSet[IO[Any]] = weakref.WeakSet()


def held_here_alone(pipe: IO[Any]) -> None:
    """From now on no fork holds the pipe."""
    _held.add(pipe)


def _let_go() -> None:
    """In a fork they lead nowhere. Their numbers stay taken: the objects that have them close them some time."""
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    for pipe in list(_held):
        with suppress(OSError, ValueError):
            os.dup2(nothing, pipe.fileno(), inheritable=False)
    os.close(nothing)
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)
