"""A process of the command `raskt`, here or at the other end of a connection, as a part of a cluster."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Any

from raskt._process.launch import HASH_SEED
from raskt.distributed._clusters import _loop
from raskt.distributed._clusters._logs import Lines, Log
from raskt.distributed._clusters._process import FAILURES_MOST, ProcessInterface
from raskt.distributed._clusters._status import Status
from raskt.distributed._pipes import held_here_alone
from raskt.distributed._secrets import hidden
from raskt.distributed._supervised import SOON_SECONDS, status_of, story, wait_after

INSIDE = "raskt.distributed._clusters._remote"
"""What runs in it."""

READY_SECONDS = 60.0
"""How long a process has to say that it is there."""

LEAVING_SECONDS = 5.0
"""How long it has to end in order, unless somebody says otherwise."""

HEARING_SECONDS = 1.0
"""How long it is waited for the last words of a process that is gone."""

GLANCE_SECONDS = 0.02
"""How often it is looked whether it has ended."""

FINAL = (0, 2, 3, 4)
"""With what statuses a worker ends for good: it was told to leave, was started wrongly, isn't let in, or has had no
scheduler for as long as it should."""

IN_VAIN = (2, 3)
"""Of these, when it can't be one as it was started."""

LINES_TOLD = 3
"""So many of its last lines are told where it can't be one."""

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

    Parameters
    ----------
    scheduler : str, optional
        Where the scheduler is, for workers.
    name : str, optional
        What the worker is called.
    arguments : list of str
        Those of the command.
    files : dict, optional
        What it proves itself by, if no file there says that.
    interpreter : list of str, optional
        The interpreter that it runs in. Default: one like this.
    """

    _command = "worker"

    def __init__(
        self,
        scheduler: str | None,
        name: Any,
        arguments: list[str],
        files: dict[str, str] | None = None,
        interpreter: Sequence[str] | None = None,
    ) -> None:
        super().__init__(scheduler, name)
        if interpreter is None and not sys.executable:
            raise RuntimeError(
                "sys.executable doesn't say which program this interpreter is; processes are started by it"
            )
        self._words = [*(interpreter or [sys.executable]), "-m", INSIDE]
        self._told = {"command": self._command, "arguments": arguments, "scheduler": scheduler, "files": files or {}}
        self.process: subprocess.Popen[str] | None = None
        self._facts: dict[str, str] = {}
        self._lines = Lines()
        self._listeners: list[threading.Thread] = []
        self._is_wanted = True
        self._spawning = threading.Lock()
        """Whoever ends it mustn't miss a process that is being started."""
        self._keeping: asyncio.Task[None] | None = None
        self._began = 0.0
        """When it was started last, or was to be."""
        self._deaths = 0
        """How often it has died soon."""

    def command_line(self) -> list[str]:
        """The program that is started here, and its arguments."""
        return self._words

    @property
    def pid(self) -> int | None:
        """The number of the process."""
        return None if self.process is None else self.process.pid

    async def start(self) -> None:
        """Starts it. A scheduler is waited for, and a worker is started again when it dies."""
        try:
            await _loop.blocking(self._spawn)
            if self._command == "scheduler":
                await self._ready()
        except asyncio.CancelledError:
            # Nobody waits for it any more.
            self.end_now()
            raise
        if self._command != "scheduler":
            self._keeping = asyncio.ensure_future(self._keep())
        await super().start()

    def _spawn(self) -> None:
        with self._spawning:
            if self._is_wanted:
                self._spawn_at_once()

    def _spawn_at_once(self) -> None:
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
        held_here_alone(self.process.stdin)
        self._listeners.clear()
        for stream, out in ((self.process.stdout, sys.stdout), (self.process.stderr, sys.stderr)):
            name = f"raskt-lines-{self.process.pid}"
            listener = threading.Thread(target=self._listen, args=(stream, out), name=name, daemon=True)
            listener.start()
            self._listeners.append(listener)
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(self._told) + "\n")
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
                for listener in self._listeners:
                    # What it said last may be on its way yet.
                    await _loop.blocking(listener.join, HEARING_SECONDS)
                said = hidden(self._lines.log()) or "it has said nothing"
                raise RuntimeError(f"{type(self).__name__} hasn't come up: {said}")
            await asyncio.sleep(GLANCE_SECONDS)
        self.address = self._facts["scheduler"]

    async def _keep(self) -> None:
        """Starts it again whenever it dies, or its connection does."""
        while True:
            self._began = time.monotonic()
            while not self._has_ended():
                await asyncio.sleep(GLANCE_SECONDS)
            if not self._is_wanted or self.process is None or self.process.returncode in FINAL:
                return
            what: str | None = story(self.process.returncode)
            while what is not None:
                what = await self._started_again(what)

    async def _started_again(self, what: str) -> str | None:
        """Starts it again when it is time to; gives what has come of that if nothing has, to be tried once more."""
        lived = time.monotonic() - self._began
        self._deaths = self._deaths + 1 if lived < SOON_SECONDS else 0
        wait = wait_after(lived, self._deaths)
        self._lines.add(f"raskt: {self.name} {what}; it is started again in {wait:.1f} s")
        await asyncio.sleep(wait)
        self._began = time.monotonic()
        try:
            await _loop.blocking(self._again)
        except Exception as error:
            # There are no processes to be had just now, say.
            return f"can't be started: {error}"
        return None

    def _again(self) -> None:
        """Starts it in the place of one that is dead; what can't be started whole isn't."""
        self._let_go()
        before = self.process
        try:
            self._spawn()
        except BaseException:
            if self.process is not before and self.process is not None:
                self._end_process(self.process)
            raise

    def expect_end(self) -> None:
        """From now on it isn't started again."""
        self._is_wanted = False

    def _has_ended(self) -> bool:
        return self.process is None or status_of(self.process) is not None

    async def close(self, timeout: float | None = None) -> None:
        """Has it end in order; what is left after `timeout` seconds is killed."""
        self.expect_end()
        if self.process is not None:
            self._let_go()
            deadline = time.monotonic() + (LEAVING_SECONDS if timeout is None else timeout)
            while not self._has_ended() and time.monotonic() < deadline:
                await asyncio.sleep(GLANCE_SECONDS)
        self.end_now()
        await super().close()

    async def finished(self) -> None:
        """Waits until it has ended for good."""
        while not self._has_ended() or not (self._keeping is None or self._keeping.done()):
            await asyncio.sleep(GLANCE_SECONDS)

    def end_now(self) -> None:
        """Kills it, and what it has started here."""
        self.expect_end()
        with self._spawning:
            if self.process is None:
                return
            self._end_process(self.process)
            self._let_go()

    def _end_process(self, process: subprocess.Popen[str]) -> None:
        if status_of(process) is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _let_go(self) -> None:
        assert self.process is not None and self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()

    def _is_over(self) -> bool:
        is_kept = self._keeping is None or not self._keeping.done()
        return super()._is_over() or (not is_kept and self._has_ended())

    def _failed(self) -> tuple[int, str] | None:
        # It starts workers again itself. Once it is told that this is in vain nobody starts it.
        process, keeping = self.process, self._keeping
        if process is None or keeping is None or not keeping.done() or process.returncode not in IN_VAIN:
            return None
        said = " ".join(hidden(self._lines.log()).split("\n")[-LINES_TOLD:])
        return FAILURES_MOST, f"{story(process.returncode)} ({said})"

    def get_log(self) -> Log | None:
        """What it has said of late."""
        return self._lines.log()


def environment() -> dict[str, str]:
    """What the environment of a process is: it imports what this one imports, and hashes as all others do."""
    path = [entry or os.getcwd() for entry in sys.path]
    return {"PYTHONHASHSEED": HASH_SEED, **os.environ, "PYTHONPATH": os.pathsep.join(path)}
