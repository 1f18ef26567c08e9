"""What runs at the other end of a connection: ``python -m raskt.distributed._clusters._remote``.

Its standard input says in one line which command it is and what it proves itself by, so that no secret is seen in a
list of processes. Those files lie in a folder of this user's alone for as long as the command runs. When the connection
ends, so does its standard input, and the command with it.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

from raskt._cli import _command
from raskt._core import cluster_command
from raskt.distributed._clusters._command_line import security_arguments
from raskt.distributed._clusters._keys import write_files

LINE_BYTES_MAX = 1 << 20
"""What is told is shorter."""


def main() -> None:
    """Does as it is told, and ends the process with the status of the command."""
    told = json.loads(_first_line(0))
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if told["command"] == "worker":
        # Imported before there are threads: some modules come out half when two threads import them at once.
        importlib.import_module("numpy")
    folder = Path(tempfile.mkdtemp(prefix="raskt-"))
    try:
        status = cluster_command(["raskt", *_arguments(told, folder)], _command())
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sys.stdout.flush()
    sys.stderr.flush()
    # Threads of tasks that can't be stopped must not keep it alive.
    os._exit(status)


def _arguments(told: dict[str, Any], folder: Path) -> list[str]:
    known = security_arguments(write_files(told["files"], folder))
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
