"""What a workload says: its cases, and for each the systems that can do it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Stopwatch:
    """Adds up the seconds of its `with` blocks; what a system prepares outside of them isn't measured."""

    seconds: float = 0.0
    growth_kib: int | None = None
    """By how much memory grew at most within a block, if the system tells."""

    def __enter__(self) -> None:
        forget_peak()
        self._before_kib = memory_kib("VmRSS")
        self._began = time.perf_counter()

    def __exit__(self, *error: object) -> None:
        self.seconds += time.perf_counter() - self._began
        peak_kib = memory_kib("VmHWM")
        if peak_kib is not None and self._before_kib is not None:
            self.growth_kib = max(self.growth_kib or 0, peak_kib - self._before_kib)


def forget_peak() -> None:
    """Let the peak of this process's memory be what it has now."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def memory_kib(name: str) -> int | None:
    """`VmRSS` (what this process has now) or `VmHWM` (the peak)."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), None)


Run = Callable[[Stopwatch], Any]
"""Does the work once, timing itself, and gives a result of plain numbers, text and lists."""


@dataclass
class Case:
    """One piece of work, done by several systems."""

    about: str
    """What is done, and with how much."""
    systems: dict[str, Run]
    tolerance: float = 1e-9
    """How far results of two systems may be apart, relative to their size."""
    repeats: int = 5
    seconds_most: float = 300.0
    """A system that takes longer is stopped, and its row says so."""
    tasks: int | None = None
    """How many tasks there are, where the time and the memory of each are of interest: what grows while time counts."""
    prepare: Callable[[], object] = field(default=lambda: None)
    """Makes the data, once, before anything is measured."""


def agree(a: Any, b: Any, tolerance: float) -> bool:
    """Whether two results are the same up to the tolerance."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(agree(x, y, tolerance) for x, y in zip(a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b or abs(a - b) <= tolerance * max(abs(a), abs(b), 1e-300) or (a != a and b != b)
    return bool(a == b)
