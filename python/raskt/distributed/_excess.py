"""Whether a worker process takes more memory than it may have."""

from __future__ import annotations

import os
from contextlib import suppress

TERMINATE_PERCENT = 95
"""The part of its limit beyond which a worker is ended: it has had every chance to write results to disk by then. The
nannies of `raskt worker` have the same."""

PATIENCE_SECONDS = 5.0
"""For how long it may be beyond that."""

AT_ONCE_PERCENT = 125
"""The part of its limit beyond which there is no patience: results that are still being written aren't as much."""

OWN_BYTES = 128 << 20
"""What an interpreter with its libraries may take whatever the limit is: one below that bounds results."""

GLANCE_SECONDS = 0.2
"""How often it is looked."""

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096

HELP = (
    "give workers more memory (memory_limit=), let fewer tasks share it (threads_per_worker=), "
    "or split the data into smaller parts"
)


class Excess:
    """What is known of the memory of one process."""

    def __init__(self, limit: int | None) -> None:
        self.limit = limit
        self._since: float | None = None
        self._next = 0.0

    def look(self, now: float, process: int) -> int | None:
        """Bytes that the process takes, if that has been too much for too long."""
        if self.limit is None or now < self._next:
            return None
        self._next = now + GLANCE_SECONDS
        bound = max(self.limit * TERMINATE_PERCENT // 100, OWN_BYTES)
        taken = taken_bytes(process, bound)
        if taken <= bound:
            self._since = None
            return None
        self._since = now if self._since is None else self._since
        is_over = taken > bound * AT_ONCE_PERCENT // TERMINATE_PERCENT or now - self._since >= PATIENCE_SECONDS
        return taken if is_over else None

    def story(self, taken: int) -> str:
        """Why it is ended, as it goes on after its name."""
        return f"took {_size(taken)} of memory, may have {_size(self.limit or 0)}, and was ended; {HELP}"


def taken_bytes(process: int, bound: int) -> int:
    """Bytes that a process has for itself, and its part of what it shares; of files nothing, which the system can read
    again. What is no more than `bound` is told roughly. 0 if the system doesn't say."""
    with suppress(OSError, ValueError, IndexError):
        with open(f"/proc/{process}/statm") as told:
            pages = told.read().split()
        resident, shared = int(pages[1]) * PAGE_BYTES, int(pages[2]) * PAGE_BYTES
        # How much of it is shared with how many takes the system longer to say.
        return resident if resident <= bound else _part(process, resident - shared)
    return 0


def _part(process: int, own: int) -> int:
    """What it has for itself, and its part of memory (no files) that others have as well."""
    with suppress(OSError, ValueError, IndexError):
        with open(f"/proc/{process}/smaps_rollup") as told:
            lines = (line.split() for line in told)
            parts = [int(words[1]) << 10 for words in lines if words[0] in ("Pss_Anon:", "Pss_Shmem:")]
        return max(own, sum(parts))
    return own


def _size(count: int) -> str:
    """A number of bytes for people.

    >>> _size(1 << 30), _size(1_500_000_000), _size(900)
    ('1 GiB', '1.4 GiB', '900 B')
    """
    size, units = float(count), ["B", "KiB", "MiB", "GiB", "TiB"]
    while size >= 1024 and len(units) > 1:
        size, units = size / 1024, units[1:]
    return f"{size:.1f}".removesuffix(".0") + f" {units[0]}"
