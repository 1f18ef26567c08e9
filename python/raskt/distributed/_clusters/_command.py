"""A process of the command `raskt`, here or at the other end of a connection, as a part of a cluster."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import IO, Any

from raskt._process.launch import HASH_SEED
from raskt.distributed._clusters import _loop
from raskt.distributed._clusters._logs import Lines, Log
from raskt.distributed._clusters._process import ProcessInterface
from raskt.distributed._clusters._status import Status

READY_SECONDS = 60.0
"""How long a process has to say that it is there."""

LEAVING_SECONDS = 5.0
"""How long it has to end in order, unless somebody says otherwise."""

GLANCE_SECONDS = 0.02
"""How often it is looked whether it has ended."""

FACT = re.compile(r"(?:\[[^]]*\] )?([a-z-]+): (.*)")
"""What it says of itself; with the worker in front that it is of."""

SAID_OF_ITSELF = (
    "worker",
    "threads",
    "memory-limit",
    "process",
    "scheduler",
    "token-file",
    "scheduler-file",
    "ready",
    "joined",
)


class CommandProcess(ProcessInterface):
    """A process that ends when its standard input does, so that it never outlives this one.

    Subclasses say how it is started (`command_line`), and what it is told by its standard input (`first_line`).
    """

    _awaits_ready = False

    def __init__(self, scheduler: str | None = None, name: Any = None) -> None:
        super().__init__(scheduler, name)
        self.process: subprocess.Popen[str] | None = None
        self._facts: dict[str, str] = {}
        self._lines = Lines()
        self._is_expected_to_end = False

    def command_line(self) -> list[str]:
        """The program and its arguments."""
        raise NotImplementedError(f"{type(self).__name__} doesn't say what it starts")

    def first_line(self) -> str:
        """What it is told at once."""
        return ""

    @property
    def pid(self) -> int | None:
        """The number of the process."""
        return self.process and self.process.pid

    async def start(self) -> None:
        """Starts it; a scheduler is waited for."""
        await _loop.blocking(self._spawn)
        if self._awaits_ready:
            await self._ready()
        await super().start()

    def _spawn(self) -> None:
        self.process = subprocess.Popen(
            self.command_line(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=environment(),
            # Ctrl-C at the terminal is this process's to handle.
            start_new_session=True,
        )
        assert self.process.stdin is not None
        for stream, out in ((self.process.stdout, sys.stdout), (self.process.stderr, sys.stderr)):
            name = f"raskt-lines-{self.process.pid}"
            threading.Thread(target=self._listen, args=(stream, out), name=name, daemon=True).start()
        if line := self.first_line():
            with suppress(BrokenPipeError):
                self.process.stdin.write(line + "\n")
                self.process.stdin.flush()

    def _listen(self, stream: IO[str], out: IO[str]) -> None:
        with stream:
            for line in stream:
                self._lines.add(line.rstrip("\n"))
                fact = FACT.fullmatch(line.rstrip("\n")) if out is sys.stdout else None
                if fact and fact[1] in SAID_OF_ITSELF:
                    self._facts[fact[1]] = fact[2]
                    continue
                with suppress(OSError, ValueError):
                    out.write(line)

    async def _ready(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while "ready" not in self._facts:
            if self._has_ended() or time.monotonic() > deadline:
                await self.close(0.0)
                self.status = Status.failed
                said = self._lines.log() or "it has said nothing"
                raise RuntimeError(f"{type(self).__name__} hasn't come up: {said}")
            await asyncio.sleep(GLANCE_SECONDS)
        self.address = self._facts["scheduler"]

    def _has_ended(self) -> bool:
        return self.process is None or self.process.poll() is not None

    async def close(self, timeout: float | None = None) -> None:
        """Has it end in order; what is left after `timeout` seconds is killed."""
        if self.process is not None:
            self._let_go()
            deadline = time.monotonic() + (LEAVING_SECONDS if timeout is None else timeout)
            while not self._has_ended() and time.monotonic() < deadline:
                await asyncio.sleep(GLANCE_SECONDS)
        self.end_now()
        await super().close()

    async def finished(self) -> None:
        """Waits until it has ended."""
        while not self._has_ended():
            await asyncio.sleep(GLANCE_SECONDS)

    def end_now(self) -> None:
        """Kills it, and what it has started here."""
        if self.process is None:
            return
        if self.process.poll() is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self._let_go()

    def _let_go(self) -> None:
        assert self.process is not None and self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()

    def get_log(self) -> Log | None:
        """What it has said of late."""
        return self._lines.log()


def environment() -> dict[str, str]:
    """What the environment of a process is: it imports what this one imports, and hashes as all others do."""
    path = [entry or os.getcwd() for entry in sys.path]
    return {"PYTHONHASHSEED": HASH_SEED, **os.environ, "PYTHONPATH": os.pathsep.join(path)}


def interpreter() -> list[str]:
    """How the command is started on this host."""
    if not sys.executable:
        raise RuntimeError("sys.executable doesn't say which program this interpreter is; processes are started by it")
    return [sys.executable, "-m", "raskt"]
