"""A line that shows how much of some work is done."""

from __future__ import annotations

import sys
import time
from typing import Any

from raskt._core import cluster_wait
from raskt.distributed._nested import as_container, futures_asked

GLANCE_SECONDS = 0.1
"""How often the line is written anew."""

WIDTH = 40
"""Characters of the bar."""


def progress(
    *futures: Any,
    notebook: bool | None = None,
    multi: bool = True,
    complete: bool = True,
    group_by: str = "prefix",
    **kwargs: Any,
) -> None:
    """Shows how much is done of futures, and returns when all of them are.

    Parameters
    ----------
    *futures : Future, persisted collection, or containers of them
        What to look at.
    notebook : bool, optional
        There are no widgets: True is refused.
    multi, complete, group_by
        Of no effect: they are about widgets.
    **kwargs
        Refused.

    Examples
    --------
    >>> from raskt.distributed import Client, progress
    >>> with Client(n_workers=1, threads_per_worker=1) as client:
    ...     progress(client.map(abs, range(3)))  # doctest: +ELLIPSIS
    [########################################] | 3 of 3 done ...
    """
    if notebook:
        raise NotImplementedError("there are no widgets of progress: notebook=False writes a line")
    if kwargs:
        raise TypeError(f"progress() takes no argument {next(iter(kwargs))!r}")
    found = futures_asked([as_container(each) for each in futures], "progress()")
    began = time.monotonic()
    while True:
        is_over = cluster_wait(found, GLANCE_SECONDS)
        done = sum(future.done() for future in found)
        filled = WIDTH if not found else WIDTH * done // len(found)
        bar, passed = "#" * filled + " " * (WIDTH - filled), time.monotonic() - began
        line = f"[{bar}] | {done} of {len(found)} done in {passed:.1f} s"
        sys.stdout.write(f"{line}\n" if is_over else f"{line}\r")
        sys.stdout.flush()
        if is_over:
            return
