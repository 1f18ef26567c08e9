"""What processes of a cluster log: the last of it is kept, for those who ask."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence
from typing import Any

from raskt._core import ClusterClient
from raskt.distributed import _asking, _errands

KEPT = 10_000
"""Records that a process keeps."""

LINE_CHARACTERS = 10_000
"""Of a longer line the beginning is kept."""

Line = tuple[str, str]


class Ring(logging.Handler):
    """Keeps the last lines that were logged."""

    def __init__(self, most: int = KEPT) -> None:
        super().__init__()
        self.lines: deque[Line] = deque(maxlen=most)
        self.setFormatter(logging.Formatter("%(asctime)s - %(name)s - %(levelname)s - %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps a record as a line."""
        try:
            self.lines.append((record.levelname, self.format(record)[:LINE_CHARACTERS]))
        except Exception:
            self.handleError(record)


_ring: Ring | None = None


def keep() -> Ring:
    """Keeps what is logged in this process from now on."""
    global _ring
    if _ring is None:
        _ring = Ring()
        logging.getLogger().addHandler(_ring)
    return _ring


def _last(n: int | None) -> list[Line]:
    lines = list(keep().lines)
    return lines if n is None else lines[-n:] if n else []


def of_workers(client: ClusterClient, n: int | None, workers: str | Sequence[Any] | None) -> dict[str, list[Line]]:
    """The last lines of each worker, by its name."""
    names = _errands.numbers(client, workers)
    came = _errands.all_of(client, list(names), _last, (n,))
    return {names[number]: lines for number, lines in came.items()}


def of_scheduler(client: ClusterClient, n: int | None) -> list[Line]:
    """The last notes of the scheduler."""
    lines = [
        (about["level"], f"{about['age_nanoseconds'] / 1e9:.3f} s ago - {about['words']}")
        for about in _asking.log(client)
    ]
    return lines if n is None else lines[-n:] if n else []
