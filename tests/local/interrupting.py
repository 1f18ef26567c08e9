"""Ctrl-C, as a user meets it: in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time

WORK = """
import sys, time

def busy():
    while True:
        pass

def sleepy():
    time.sleep(30)

def begin():
    print("started", flush=True)
"""

SECONDS = 20


def assert_interrupts(setup: str, compute: str, again: str, *, after: float = 0.3, within: float = 1.5) -> None:
    """Ctrl-C ends `compute`, soon, and the same process can do `again`.

    `setup` comes first; it may use the functions of `WORK`. The signal comes `after` so many seconds of `compute`. Half
    a second is what is promised on an idle machine; `within` leaves a margin for a loaded one.
    """
    indented = textwrap.indent(textwrap.dedent(compute).strip(), "    ")
    again = textwrap.dedent(again).strip()
    program = f"""{WORK}
{textwrap.dedent(setup)}
begin()
try:
{indented}
except KeyboardInterrupt:
    print("interrupted", flush=True)
{again}
print("works again", flush=True)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "started\n", process.stderr.read()
        time.sleep(after)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n", process.stderr.read()
        assert time.monotonic() - sent < within
        # What was read ahead is in the buffers of these files, where `communicate` doesn't look.
        ended = (process.stdout.read(), process.stderr.read(), process.wait(SECONDS))
        assert ended == ("works again\n", "", 0), ended
    finally:
        process.kill()
