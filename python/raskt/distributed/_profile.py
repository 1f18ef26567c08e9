"""What threads of workers are at: looked at when somebody asks, and never else."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Sequence
from numbers import Real
from types import FrameType
from typing import Any

from raskt._core import ClusterClient
from raskt.distributed import _errands

INTERVAL_SECONDS = 0.01
"""How often threads are looked at."""

SECONDS_MOST = 60.0
"""For how long they are at most."""

DEPTH = 200
"""Lines of a stack that count, from the innermost."""

ERRANDS = "raskt/_process/errands.py"
"""The file in whose functions threads are that do what somebody has asked for beside tasks."""

IDLE = ("concurrent/futures/thread.py", "selectors.py")
"""Files in whose functions threads wait for work."""


def _stacks() -> dict[int, list[FrameType]]:
    """The stack of each thread that is in a function of a task, the outermost first."""
    # No task is run by the main thread.
    others = {threading.get_ident(), threading.main_thread().ident}
    found = {}
    for thread, frame in sys._current_frames().items():
        frames: list[FrameType] = []
        at: FrameType | None = frame
        while at is not None and len(frames) < DEPTH:
            frames.append(at)
            at = at.f_back
        frames.reverse()
        first, last = frames[0].f_code.co_filename, frames[-1].f_code.co_filename
        if thread not in others and not first.endswith(ERRANDS) and not last.endswith(IDLE):
            found[thread] = frames
    return found


def stacks() -> dict[str, list[str]]:
    """The lines of the stack of each thread, by its number."""
    return {f"thread {thread}": traceback.format_stack(frames[-1]) for thread, frames in _stacks().items()}


def _node(description: str) -> dict[str, Any]:
    return {"count": 0, "description": description, "children": {}}


def sample(seconds: float) -> dict[str, Any]:
    """The tree of what threads were at within so many seconds."""
    root, end = _node("root"), time.monotonic() + seconds
    while time.monotonic() < end:
        for frames in _stacks().values():
            at = root
            at["count"] += 1
            for frame in frames:
                code = frame.f_code
                name = f"{code.co_name} ({code.co_filename}:{frame.f_lineno})"
                at = at["children"].setdefault(name, _node(name))
                at["count"] += 1
        time.sleep(INTERVAL_SECONDS)
    return root


def of_workers(
    client: ClusterClient, workers: str | Sequence[Any] | None, merged: bool, seconds: float
) -> dict[str, Any]:
    """The trees of workers, by their names, or as one."""
    if not isinstance(seconds, Real) or isinstance(seconds, bool):
        raise TypeError(f"seconds is {seconds!r}; it has to be a number")
    if not 0 < seconds <= SECONDS_MOST:
        raise ValueError(f"seconds is {seconds!r}; threads are looked at for up to {SECONDS_MOST} s")
    names = _errands.numbers(client, workers)
    came = _errands.all_of(client, list(names), sample, (float(seconds),), timeout=seconds + 60)
    if not merged:
        return {names[number]: tree for number, tree in came.items()}
    root = _node("root")
    for tree in came.values():
        _add(root, tree)
    return root


def _add(into: dict[str, Any], tree: dict[str, Any]) -> None:
    pairs = [(into, tree)]
    while pairs:
        to, of = pairs.pop()
        to["count"] += of["count"]
        for name, child in of["children"].items():
            pairs.append((to["children"].setdefault(name, _node(name)), child))
