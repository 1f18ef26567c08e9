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

import raskt.config
from raskt._core import sweep_spilled
from raskt._process import launch
from raskt.distributed import _signs
from raskt.distributed._excess import Excess
from raskt.distributed._pipes import held_here_alone
from raskt.distributed._worker_process import ANEW, ENDED

PURGED = {"MIMALLOC_PURGE_DELAY": "10"}
"""For how many milliseconds the allocator of a worker keeps what was freed, unless the user has said so. It would be a
second, in which results that have left count for nobody, and a worker may be ended for them."""

GLANCE_SECONDS = 0.1
"""How often it is looked whether processes live."""

WAITS = (0.0, 0.2, 0.5, 1.0, 1.0, 2.0, 5.0)
"""Seconds from one start of a worker to the next, by how often it died soon: who has lived for longer needn't wait."""

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
        self.note = note or say
        """Tells of its deaths."""
        self.process: subprocess.Popen[bytes] | None = None
        self.started = 0.0
        self.deaths = 0
        """How often it has died soon."""
        self.starts_at: float | None = None
        """When it is to be started again."""
        self.is_wanted = True
        self.failures = 0
        """How often it has ended before it was a worker, since it last was one."""
        self.failure = ""
        """Of what it did so last."""
        self._excess = Excess(about.get("memory_limit"))
        self._is_too_large: str | None = None
        """Why it is ended at the next look: until then it can tell the scheduler."""
        self._signs: _signs.Signs | None = None
        self._is_silent: str | None = None
        """It was ended for that it gave no sign of life."""

    @property
    def name(self) -> str:
        return str(self.about["name"])

    @property
    def has_ended(self) -> bool:
        """Whether it is gone for good."""
        return not self.is_wanted and (self.process is None or self.process.poll() is not None)

    @property
    def has_begun(self) -> bool:
        """Whether its process has been a worker, for as long as that is looked after."""
        return self._signs is not None and self._signs.has_begun()

    def start(self) -> None:
        program, arguments, environment = launch.command(
            1, module="raskt.distributed._worker_process", threads=self.about["threads"]
        )
        self._signs = signs = _signs.Signs()
        try:
            self._spawn([program, *arguments], dict(environment), signs.file)
        finally:
            signs.are_given()
        self._tell(json.dumps({**self.about, "signs": signs.file}))
        self._excess, self._is_too_large, self._is_silent = Excess(self.about.get("memory_limit")), None, None

    def _spawn(self, command: list[str], environment: dict[str, str], signs: int) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            pass_fds=[signs],
            env={**PURGED, **os.environ, **environment, **self.environment},
            # Where this process was started without its own, others may have their numbers by now.
            stdout=subprocess.DEVNULL if sys.__stdout__ is None else None,
            stderr=subprocess.DEVNULL if sys.__stderr__ is None else None,
            # Ctrl-C at the terminal is this process's to handle, and what tasks start ends with the worker.
            start_new_session=True,
        )
        self.started, self.starts_at = time.monotonic(), None
        assert self.process.stdin is not None
        # The pipe stays open: by its end the worker knows that this process is gone.
        held_here_alone(self.process.stdin)

    def kill(self) -> None:
        """Ends the process and all that it has started."""
        if self.process is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._let_go()

    def sweep(self) -> None:
        """Removes what it has spilled, once it is dead. That may take long."""
        place = self.about.get("local_directory") or raskt.config.get("memory.spill-path", None)
        with suppress(Exception):
            sweep_spilled(place)

    def _let_go(self) -> None:
        if self._signs is not None:
            self._signs.close()
        if self.process is not None and self.process.stdin is not None:
            with suppress(OSError):
                self.process.stdin.close()

    def look(self, now: float) -> None:
        """Starts it again if it has died."""
        if self.starts_at is not None:
            if now >= self.starts_at:
                self.start()
            return
        status = None if self.process is None else status_of(self.process)
        if status is None and self.process is not None:
            self._look_for_signs(now, self.process.pid)
            return self._look_at_memory(now, self.process.pid)
        if status is None or not self.is_wanted:
            return
        words = self._last_words()
        self._let_go()
        threading.Thread(target=self.sweep, name="raskt-sweep", daemon=True).start()
        if status == ENDED:
            self.is_wanted = False
            return
        if status == ANEW:
            return self.start()
        self.deaths = self.deaths + 1 if now - self.started < SOON_SECONDS else 0
        wait = wait_after(now - self.started, self.deaths)
        self.starts_at = now + wait
        again = f" in {wait:.1f} s" if wait else ""
        what = self._is_too_large or self._is_silent or story(status)
        if words is not None:
            self.failure = f"{what} ({words})" if words else what
            self.failures += 1
            what = f"{what} before it was there{words and f' ({words})'}"
        with suppress(Exception):
            self.note(f"worker {self.name} {what}; it is started again{again}")

    def _last_words(self) -> str | None:
        """What the process has said that has ended before it was a worker; None if it has been one."""
        if self._signs is None:
            return None
        if self._signs.has_begun():
            # Whatever kept it from that is over.
            self.failures = 0
            return None
        return self._signs.words()

    def _look_for_signs(self, now: float, process: int) -> None:
        """Ends it if it has stopped to be a worker: nobody else would, since it lives."""
        silent = None if self._signs is None else self._signs.missing(now, process)
        if silent is not None:
            self._is_silent = f"has given no sign of life for {silent:.0f} s, and was ended"
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process, signal.SIGKILL)

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
        job.sweep()

    def _watch(self) -> None:
        while True:
            time.sleep(GLANCE_SECONDS)
            with self._lock:
                now = time.monotonic()
                for job in self._jobs:
                    try:
                        job.look(now)
                    except Exception as error:
                        # No process can be had just now, say: it is tried again, for as long as the cluster is there.
                        if job.process is None or job.process.poll() is not None:
                            job.starts_at = now + WAITS[-1]
                        with suppress(Exception):
                            job.note(f"worker {job.name} can't be started: {error}")


def status_of(process: subprocess.Popen[Any]) -> int | None:
    """How a process has ended that leads a group, if it has; what it has started ends then as well."""
    if process.returncode is not None:
        return process.returncode
    with suppress(ChildProcessError):
        if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            return None
        # As long as its leader isn't reaped the number is that of its group, and of no other.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    return process.poll()


def wait_after(lived: float, deaths: int) -> float:
    """Seconds until one is started again that has lived for `lived` seconds, and died soon so often in a row before."""
    return max(0.0, WAITS[min(deaths, len(WAITS) - 1)] - lived)


def say(story: str) -> None:
    """Tells people. Where nobody can hear it, that is no reason to end anything."""
    with suppress(OSError, ValueError, AttributeError):
        print(f"raskt: {story}", file=sys.stderr)


def story(status: int) -> str:
    """How a process has ended, in words."""
    if status >= 0:
        return f"ended with exit status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"
