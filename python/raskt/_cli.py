"""The command ``raskt``: schedulers, and workers that are processes of this interpreter."""

from __future__ import annotations

import importlib
import os
import runpy
import signal
import subprocess
import sys

from raskt import _streams
from raskt._core import cluster_command, objects_leave


def main() -> None:
    """Runs the command, and ends the process with its status."""
    _streams.hold()
    # The command listens for signals itself, and tells those who have to end in order.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if "worker" in sys.argv:
        # Imported before there are threads: some modules come out half when two threads import them at once.
        importlib.import_module("numpy")
        objects_leave()
    status = cluster_command(["raskt", *sys.argv[1:]], _command())
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            # There is none, or nobody reads it any more.
            continue
    # Threads of tasks that can't be stopped must not keep it alive.
    os._exit(status)


def _command() -> list[str]:
    """What starts another process of this command."""
    if not sys.executable:
        raise RuntimeError("sys.executable doesn't say which program this interpreter is; workers are started by it")
    # The flags that this interpreter was started with (-W, -X, -O), as multiprocessing passes them on.
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    return [sys.executable, *flags, "-m", "raskt"]


def is_file(module: str) -> bool:
    """Whether a file is meant, and not a module that is imported."""
    return module.endswith(".py") or os.sep in module


def preload(module: str) -> None:
    """Imports a module, or runs a file, before a scheduler or worker begins."""
    if is_file(module):
        runpy.run_path(module, run_name="raskt_preload")
    else:
        importlib.import_module(module)
