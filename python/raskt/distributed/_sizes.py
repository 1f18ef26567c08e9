"""How many workers a machine gets, with how many threads and how much memory."""

from __future__ import annotations

import math
import os
from typing import Any

from raskt import _core

LIMIT_BYTES_LEAST = 1 << 20
"""What a limit is, at least."""

FEW = 4
"""Up to so many processors each has a worker of its own."""


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def shares(workers: int | None, threads: int | None) -> tuple[int, int]:
    """Workers and threads for each, as far as they aren't named.

    Python functions need processes, which share nothing; native work shares memory within one. A few processes of a few
    threads serve both.

    >>> shares(3, 2)
    (3, 2)
    >>> shares(None, 10**6)
    (1, 1000000)
    """
    total = processors()
    if workers is None and threads is None:
        workers = total if total <= FEW else _divisor(total)
    if workers is None:
        assert threads is not None
        workers = max(1, total // threads)
    if threads is None:
        threads = max(1, total // max(1, workers))
    return workers, threads


def _divisor(total: int) -> int:
    """The smallest divisor that is no smaller than the root."""
    return next(each for each in range(math.isqrt(total - 1) + 1, total + 1) if total % each == 0)


def memory_share(limit: Any, workers: int) -> int | None:
    """Bytes that one of so many workers may take; None means no limit.

    `limit` is "auto" for a share of the machine, a number of bytes, a text such as "4 GiB", a fraction of the machine
    as a float, or None or 0 for no limit.
    """
    if limit is None or (not isinstance(limit, bool) and isinstance(limit, (int, float)) and limit == 0):
        return None
    usual = int(_core.memory_report()["limit"])
    if isinstance(limit, str) and limit == "auto":
        return max(LIMIT_BYTES_LEAST, usual // max(1, workers))
    if isinstance(limit, float):
        if not 0 < limit <= 1:
            raise ValueError(f"memory_limit is {limit}; a float is a fraction of the machine's memory, from 0 to 1")
        return bytes_of(max(LIMIT_BYTES_LEAST, int(usual * limit)))
    try:
        return min(bytes_of(limit), machine_bytes())
    except ValueError as error:
        raise ValueError(f"memory_limit is {limit!r}: {error}") from None


def machine_bytes() -> int:
    """The memory of the machine: nobody may have more."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 1 << 50


def bytes_of(size: int | str) -> int:
    """Bytes of a number, or of a text such as "4 GiB".

    >>> bytes_of("4 GiB")
    4294967296
    """
    return int(_core.config_check("memory.limit", size))
