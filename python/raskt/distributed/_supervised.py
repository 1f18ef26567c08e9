"""Worker processes of this one, and a thread that starts another for each that dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from raskt._process import launch
from raskt.distributed._excess import Excess
from raskt.distributed._pipes import held_here_alone
from raskt.distributed._worker_process import ANEW, ENDED

GLANCE_SECONDS = 0.1
"""How often it is looked whether processes live."""

WAITS = (0.0, 0.2, 0.5, 1.0, 1.0, 2.0, 5.0)
"""Seconds before a worker is started again, by how often it died soon after it was started."""

SOON_SECONDS = 10.0
"""A worker that lived longer has lived, and whatever it died of may not come again."""


class Job:
    """A worker that is to be there: whichever process it is just now."""

    def __init__(
        self,
        about: dict[str, Any],
        environment: Mapping[str, str] | None = None,
        note: Callable[[str], None] | None = None,
    ) -> None:
        self.about = about
        self.environment = dict(environment or {})
        self.note = note or _print
        """Tells of its deaths."""
        self.process: subprocess.Popen[bytes] | None = None
        self.started = 0.0
        self.deaths = 0
        """How often it has died soon."""
        self.starts_at: float | None = None
        """When it is to be started again."""
        self.is_wanted = True
        self._excess = Excess(about.get("memory_limit"))
        self._is_too_large: str | None = None
        """Why it is ended at the next look: until then it can tell the scheduler."""

    @property
    def name(self) -> str:
        return str(self.about["name"])

    @property
    def has_ended(self) -> bool:
        """Whether it is gone for good."""
        return not self.is_wanted and (self.process is None or self.process.poll() is not None)

    def start(self) -> None:
        program, arguments, environment = launch.command(
            1, module="raskt.distributed._worker_process", threads=self.about["threads"]
        )
        self.process = subprocess.Popen(
            [program, *arguments],
            stdin=subprocess.PIPE,
            env={**os.environ, **dict(environment), **self.environment},
            # Where this process was started without its own, others may have their numbers by now.
            stdout=subprocess.DEVNULL if sys.__stdout__ is None else None,
            stderr=subprocess.DEVNULL if sys.__stderr__ is None else None,
            # Ctrl-C at the terminal is this process's to handle, and what tasks start ends with the worker.
            start_new_session=True,
        )
        self.started, self.starts_at = time.monotonic(), None
        assert self.process.stdin is not None
        held_here_alone(self.process.stdin)
        # The pipe stays open: by its end the worker knows that this process is gone.
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(self.about).encode() + b"\n")
            self.process.stdin.flush()
        self._excess, self._is_too_large = Excess(self.about.get("memory_limit")), None

    def kill(self) -> None:
        """Ends the process and all that it has started."""
        if self.process is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._let_go()

    def _let_go(self) -> None:
        if self.process is not None and self.process.stdin is not None:
            with suppress(OSError):
                self.process.stdin.close()

    def look(self, now: float) -> None:
        """Starts it again if it has died."""
        if self.starts_at is not None:
            if now >= self.starts_at:
                self.start()
            return
        status = self.process.poll() if self.process is not None else None
        if status is None and self.process is not None:
            return self._look_at_memory(now, self.process.pid)
        if status is None or not self.is_wanted:
            return
        self._let_go()
        if status == ENDED:
            self.is_wanted = False
            return
        if status == ANEW:
            return self.start()
        self.deaths = self.deaths + 1 if now - self.started < SOON_SECONDS else 0
        wait = WAITS[min(self.deaths, len(WAITS) - 1)]
        self.starts_at = now + wait
        again = f" in {wait} s" if wait else ""
        self.note(f"worker {self.name} {self._is_too_large or story(status)}; it is started again{again}")

    def _look_at_memory(self, now: float, process: int) -> None:
        """Ends it if it takes too much, whatever it is at: else the system would end somebody."""
        if self._is_too_large is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process, signal.SIGKILL)
        elif (taken := self._excess.look(now, process)) is not None:
            self._is_too_large = self._excess.story(taken)
            self._tell(self._is_too_large)

    def _tell(self, line: str) -> None:
        """Says something to the process, if it listens."""
        assert self.process is not None and self.process.stdin is not None
        with suppress(OSError, ValueError):
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()


class Supervisor:
    """Looks after the workers that this process has started."""

    def __init__(self) -> None:
        self._jobs: list[Job] = []
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(
        self,
        about: dict[str, Any],
        environment: Mapping[str, str] | None = None,
        note: Callable[[str], None] | None = None,
    ) -> Job:
        """Starts a worker, and sees to it that it is there from now on."""
        job = Job(about, environment, note)
        with self._lock:
            job.start()
            self._jobs.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="raskt-supervisor", daemon=True)
                self._thread.start()
        return job

    def end(self, job: Job, patience: float) -> None:
        """Ends a worker: it may end what it runs, but for no longer than `patience` seconds."""
        with self._lock:
            if job in self._jobs:
                self._jobs.remove(job)
        job.is_wanted = False
        if job.process is not None and patience > 0:
            job.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                job.process.wait(patience)
        job.kill()

    def _watch(self) -> None:
        while True:
            time.sleep(GLANCE_SECONDS)
            with self._lock:
                now = time.monotonic()
                for job in self._jobs:
                    try:
                        job.look(now)
                    except OSError as error:
                        # No process can be had just now: it is tried again, for as long as the cluster is there.
                        job.note(f"worker {job.name} can't be started: {error}")
                        job.starts_at = now + WAITS[-1]


def _print(story: str) -> None:
    print(f"raskt: {story}", file=sys.stderr)


def story(status: int) -> str:
    """How a process has ended, in words."""
    if status >= 0:
        return f"ended with exit status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"
