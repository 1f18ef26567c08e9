"""Computing: `compute` and `persist` are the native functions themselves, so no frame of ours is in a traceback."""

from __future__ import annotations

import atexit
import weakref

from raskt._core import compute, interpreter_ends, persist, shut_down

__all__ = ["compute", "is_raskt_collection", "persist"]


def _end() -> None:
    # What is to be closed at exit is, be that registered before or after this: threads of it may have to come back.
    close_all = getattr(weakref.finalize, "_exitfunc", None)
    if close_all is not None:
        close_all()
    interpreter_ends()


# The first to be registered is the last to be called.
atexit.register(_end)
# Threads must not outlive the interpreter that they call into.
atexit.register(shut_down)


def is_raskt_collection(x: object) -> bool:
    """Whether `x` is something that `compute` computes: an array, a frame, a delayed object.

    >>> import raskt
    >>> raskt.is_raskt_collection(raskt.delayed(1)), raskt.is_raskt_collection(1)
    (True, False)
    """
    kind = type(x)
    return hasattr(kind, "__raskt_expr__") or hasattr(kind, "__raskt_delayed__")
