"""Little memory, and what fills it."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import numpy as np

import raskt

COUNT = 2**16
"""Elements of an array of half a MiB."""


def limited(path: Path, limit: str = "4MiB") -> Any:
    """A context with so little memory that eight such arrays fill it, and files at `path`."""
    return raskt.config.set({"memory.limit": limit, "memory.spill-path": str(path)})


def make(seed: int) -> np.ndarray:
    """An array of half a MiB."""
    return np.full(COUNT, float(seed))


def squeeze() -> None:
    """Has everything leave that can."""
    raskt.delayed(np.zeros)(2**19).persist()
    raskt.persist(*[raskt.delayed(make)(seed) for seed in range(16)])
    gc.collect()
