"""What this process and its children take, from Linux' ``/proc``."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


def resident_bytes() -> int:
    """Bytes of memory that are resident. Pages that processes share count for each of them."""
    return sum(_resident_bytes(process) for process in _family())


def cpu_seconds() -> float:
    """Processor time so far. That of children has a resolution of a hundredth of a second."""
    own = os.getpid()
    return time.process_time() + sum(_cpu_seconds(process) for process in _family() if process != own)


def _family() -> Iterator[int]:
    """This process, its children, theirs, and so on."""
    processes = [os.getpid()]
    while processes:
        process = processes.pop()
        yield process
        processes += _children(process)


def _children(process: int) -> list[int]:
    try:
        threads = list(Path(f"/proc/{process}/task").iterdir())
    except OSError:
        return []
    return [int(child) for thread in threads for child in _read(thread / "children").split()]


def _resident_bytes(process: int) -> int:
    fields = _read(Path(f"/proc/{process}/statm")).split()
    return int(fields[1]) * _PAGE if fields else 0


def _cpu_seconds(process: int) -> float:
    # The name of the command stands in parentheses, and may hold anything.
    fields = _read(Path(f"/proc/{process}/stat")).rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS if fields else 0.0


def _read(path: Path) -> str:
    """The text of a file; nothing if the process has ended, or if this isn't Linux."""
    try:
        return path.read_text()
    except OSError:
        return ""
