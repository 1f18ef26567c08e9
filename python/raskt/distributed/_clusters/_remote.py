"""What runs in a process of a cluster, here or at the other end of a connection.

It is ``python -m raskt.distributed._clusters._remote``. Its standard input says in one line which command it is, and
what it proves itself by where it has no files for that, so that no secret is seen in a list of processes. When whoever
started it is gone, or the connection, its standard input ends, and the command with it.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from raskt._cli import _command
from raskt._core import cluster_command
from raskt.distributed._clusters._command_line import security_arguments
from raskt.distributed._clusters._keys import write_files
from raskt.distributed._folders import Folder

LINE_BYTES_MAX = 1 << 20
"""What is told is shorter."""

LEAVING_SECONDS = 5.0
"""How long the command may take to end when its input has."""


def main() -> None:
    """Does as it is told, and ends the process with the status of the command."""
    told = json.loads(_first_line(0))
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if told["command"] == "worker":
        # Imported before there are threads: some modules come out half when two threads import them at once.
        importlib.import_module("numpy")
    folder = Folder() if told["files"] else None
    threading.Thread(target=_await_end, args=(folder,), name="raskt-end", daemon=True).start()
    try:
        status = cluster_command(["raskt", *_arguments(told, folder)], _command())
    finally:
        _tidy(folder)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    # Threads of tasks that can't be stopped must not keep it alive.
    os._exit(status)


def _await_end(folder: Folder | None) -> None:
    """Ends a command that doesn't end by itself: nobody reads what it writes any more, which it may stumble over."""
    while os.read(0, 1 << 12):
        pass
    time.sleep(LEAVING_SECONDS)
    _tidy(folder)
    os._exit(1)


def _tidy(folder: Folder | None) -> None:
    if folder is not None:
        folder.remove()


def _arguments(told: dict[str, Any], folder: Folder | None) -> list[str]:
    known = security_arguments(write_files(told["files"], folder.path)) if folder is not None else []
    at_end = ["--", told["scheduler"]] if told["scheduler"] is not None else []
    return [told["command"], "--until-input-closes", *told["arguments"], *known, *at_end]


def _first_line(descriptor: int) -> bytes:
    """The first line, and nothing of what comes after it."""
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(descriptor, 1)
        if not byte or len(line) == LINE_BYTES_MAX:
            raise SystemExit("raskt: nobody has said what is to be done here")
        line += byte
    return line


if __name__ == "__main__":
    main()
