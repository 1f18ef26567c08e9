"""Programs in processes of their own, whose memory is measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Not that of `getrusage`, which begins with what the parent had.
PEAK = """
with open("/proc/self/status") as status:
    found["peak"] = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
"""


def run(program: str, *, before: Any = None, within: tuple[str, ...] = (), **variables: str) -> dict[str, Any]:
    """Run a program that puts its results into `found`; gives them, with its peak of resident memory.

    `within` is a command that runs another one.
    """
    text = "import json\nfound = {}\n" + textwrap.dedent(program) + PEAK + "print(json.dumps(found))\n"
    environment = {**os.environ, **variables}
    done = subprocess.run(
        [*within, sys.executable, "-c", text],
        capture_output=True,
        text=True,
        timeout=300,
        env=environment,
        preexec_fn=before,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def files_in(place: Path) -> list[Path]:
    """The spill files in the folders there."""
    return sorted(file for folder in place.iterdir() for file in folder.iterdir() if file.name != "owner")


def damage(file: Path, way: str, at: int = 0) -> bool:
    """Flip a bit of a file, cut it, lengthen it or remove it; `at` says where.

    Gives whether it was still there: those of results that are gone are removed when the store comes to it.
    """
    try:
        data = bytearray(file.read_bytes())
        if way == "remove":
            file.unlink()
            return True
    except FileNotFoundError:
        return False
    if not data:
        # It is just being written.
        return False
    at = (at * 0x9E3779B97F4A7C15 >> 16) % len(data) if at else len(data) // 2
    if way == "cut":
        data = data[:at]
    elif way == "grow":
        data += bytes(7)
    else:
        data[at] ^= 4
    file.write_bytes(data)
    return True


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Wait until it is so."""
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)
