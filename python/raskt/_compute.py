"""Computing: `compute` and `persist` are the native functions themselves, so no frame of ours is in a traceback."""

from __future__ import annotations

import atexit

from raskt._core import compute, interpreter_ends, persist, shut_down

__all__ = ["compute", "is_raskt_collection", "persist"]

# The first to be registered is the last to be called.
atexit.register(interpreter_ends)
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
