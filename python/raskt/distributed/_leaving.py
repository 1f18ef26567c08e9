"""Workers that leave while something is asked of them."""

from __future__ import annotations


def has_left(error: BaseException | None) -> bool:
    """Whether an errand has failed since its worker is gone, and not by what it did.

    >>> has_left(ConnectionError("worker `a` has left before it answered"))
    True
    >>> has_left(ConnectionError("no route to host"))
    False
    """
    ends = ("has left before it answered", "has left before it was asked")
    return type(error) is ConnectionError and str(error).endswith(ends)
