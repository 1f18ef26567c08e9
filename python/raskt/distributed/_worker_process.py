"""What runs in a worker process: it reads what it is to be from its standard input, and works until it is to leave."""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import Any

from raskt._cli import preload
from raskt._core import ClusterWorker, bind_memory, objects_leave, watch_parent
from raskt.distributed import _signs
from raskt.distributed._secrets import hidden

GLANCE_SECONDS = 0.2
"""How often signals are looked for."""

GRACE_SECONDS = 1.0
"""How long what runs may go on when the worker is told to leave."""

ENDED = 93
BROKEN = 1
TERMINATED = 128 + signal.SIGTERM
ANEW = 94
"""Exit statuses: the worker left as it was told to (a task that ends its process says something else); it lost its
scheduler or broke down; another is to take its place at once."""


def main() -> None:
    """Works until the scheduler has no more need of it, or the parent is gone."""
    parent = int(sys.argv[2])
    channel, about = _take_standard_input()
    os.set_inheritable(about["signs"], False)
    watch_parent(channel, parent, about["threads"])
    sys.argv[:] = [""]
    sys.modules["__main__"] = ModuleType("__main__")
    faulthandler.enable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    status = _work(about)
    _flush_output()
    # Nothing is left to be done, and threads of tasks must not keep it alive.
    os._exit(status)


def _work(about: dict[str, Any]) -> int:
    worker = _worker(about)
    worker.is_looked_after()
    _signs.begins(about["signs"])
    worker.gives_signs(about["signs"])
    while (why := worker.wait(GLANCE_SECONDS)) is None and not _told_to_leave.is_set():
        pass
    if why in (None, "the scheduler has ended it"):
        _shut_down(worker)
        return TERMINATED if why is None else ENDED
    if why == "the scheduler has it begin anew":
        return ANEW
    print(f"raskt: worker {about['name']}: {why}", file=sys.stderr)
    return BROKEN


def _worker(about: dict[str, Any]) -> ClusterWorker:
    # Imported before there are threads: some modules come out half when two threads import them at once.
    import numpy  # noqa: F401

    import raskt.config
    from raskt.distributed import _logs, _this_worker

    _logs.keep()

    settings = {"memory.limit": about["memory_limit"], "memory.spill-path": about["local_directory"]}
    raskt.config.set({name: value for name, value in settings.items() if value is not None})
    objects_leave()
    if about["memory_limit"] is not None:
        bind_memory()
    for module in about.get("preload", ()):
        with _telling(about, f"preload {module!r}"):
            preload(module)
    _this_worker.credentials_of_tasks[about["scheduler"]] = about["of_tasks"] or None
    with _telling(about, "the connection"):
        return ClusterWorker(
            about["scheduler"], about["listen"], about["credentials"], name=about["name"], threads=about["threads"]
        )


@contextmanager
def _telling(about: dict[str, Any], what: str) -> Iterator[None]:
    """Tells who has started this process what failed: people may not see what goes to standard error."""
    try:
        yield
    except BaseException as error:
        _signs.says(about["signs"], hidden(f"{what} has failed with {type(error).__name__}: {error}"))
        raise


def _shut_down(worker: ClusterWorker) -> None:
    # Told once more to leave, it mustn't leave plugins half torn down.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    worker.shut_down(GRACE_SECONDS)


_told_to_leave = threading.Event()


def _leave(number: int, frame: FrameType | None) -> None:
    # Whatever the thread is at goes on to its end: it may be code of users.
    _told_to_leave.set()


def _take_standard_input() -> tuple[int, dict[str, Any]]:
    """The channel to the parent, which lies where programs have their standard input, and what came by it."""
    channel = os.dup(0)
    os.set_inheritable(channel, False)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    told = b""
    while not told.endswith(b"\n"):
        more = os.read(channel, 1 << 16)
        if not more:
            os._exit(ENDED)
        told += more
    return channel, json.loads(told)


def _flush_output() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            continue
