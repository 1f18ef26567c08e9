"""Errors that several functions raise."""

from __future__ import annotations

import concurrent.futures


def timeout_error(message: str) -> Exception:
    """That a wait took too long. It is Python's own ``TimeoutError`` from Python 3.11 on."""
    return concurrent.futures.TimeoutError(message)
