"""What is seen of processes from outside."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any


def until(what: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Waits until something holds, and gives it."""
    deadline = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < deadline, "it hasn't come to that"
        time.sleep(0.02)
    return found


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
