"""A scheduler in a process of its own that keeps a journal unless told otherwise, and is killed and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import ClassVar

RASKT = [sys.executable, "-m", "raskt"]


class Place:
    """A scheduler that can be killed, and two workers."""

    places: ClassVar[list[Place]] = []

    def __init__(self, folder: Path, has_journal: bool = True) -> None:
        self.folder, self.port, self.has_journal = folder, 0, has_journal
        self.start()
        self.start_workers()
        self.places.append(self)

    def start_workers(self) -> None:
        self.workers = subprocess.Popen(
            [*RASKT, "worker", "--scheduler-file", str(self.file), "--nworkers", "2", "--nthreads", "1"],
            # Workers find the modules that this process finds: those of tests as well.
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )

    @property
    def file(self) -> Path:
        return self.folder / "scheduler.json"

    def start(self) -> None:
        options = {"port": self.port, "scheduler-file": self.file, "token-file": self.folder / "token"}
        options |= {"journal": self.folder / "journal"} if self.has_journal else {}
        arguments = [str(part) for name, value in options.items() for part in (f"--{name}", value)]
        self.scheduler = subprocess.Popen([*RASKT, "scheduler", *arguments], stdout=subprocess.PIPE, text=True)
        assert self.scheduler.stdout is not None
        while not (line := self.scheduler.stdout.readline()).startswith("ready"):
            assert self.scheduler.poll() is None
            if line.startswith("scheduler:"):
                self.port = int(line.rsplit(":", 1)[1])

    def kill(self) -> None:
        self.scheduler.kill()
        self.scheduler.wait()

    def close(self) -> None:
        told = []
        for process in (self.workers, self.scheduler):
            process.send_signal(signal.SIGTERM)
            try:
                told.append(process.wait(30))
            except subprocess.TimeoutExpired:
                process.kill()
                told.append(process.wait())
        assert told == [0, 0]


def await_marks(marks: Path, count: int) -> None:
    deadline = time.monotonic() + 30
    while not marks.exists() or len(marks.read_text().split()) < count:
        assert time.monotonic() < deadline
        time.sleep(0.005)
