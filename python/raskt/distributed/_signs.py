"""Signs of life of a worker process: a number in memory that it shares with this one, and counts up while it can.

Beyond it there is whether it has become a worker, and why it couldn't.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import sys
import tempfile
from contextlib import suppress

SILENT_SECONDS = 60.0
"""Who gives none for so long isn't a worker any more: the scheduler has given it up long before."""

STOPPED_SECONDS = 300.0
"""Who was stopped by a signal may be silent for so long: somebody may want to have it go on."""

BYTES = 8

WORDS_BYTES = 4096
"""What it says if it can't become a worker; the first byte says whether it has."""

LOOK_MOST_SECONDS = 1.0
"""Between two looks no more than this counts: whoever looks may have been stopped himself."""


class Signs:
    """Those of one process."""

    def __init__(self) -> None:
        # Its number mustn't be one of those that the process has its streams by.
        self.file = _at_least_three(_memory())
        """What the process is given."""
        try:
            os.ftruncate(self.file, BYTES + WORDS_BYTES)
            self._memory = mmap.mmap(self.file, BYTES + WORDS_BYTES)
        except BaseException:
            os.close(self.file)
            raise
        self._count = 0
        self._silent = 0.0
        self._stopped = 0.0
        self._looked: float | None = None

    def are_given(self) -> None:
        """The process has the file now."""
        os.close(self.file)

    def close(self) -> None:
        """The process is gone."""
        self._memory.close()

    def has_begun(self) -> bool:
        """Whether the process has become a worker."""
        # Another thread may close it meanwhile.
        with suppress(ValueError):
            return self._memory[BYTES] == 1
        return False

    def words(self) -> str:
        """Why it couldn't, if it has said so."""
        if self._memory.closed:
            return ""
        return self._memory[BYTES + 1 :].split(b"\0", 1)[0].decode(errors="replace")

    def missing(self, now: float, process: int) -> float | None:
        """For how many seconds it has been silent, if that is too long; until its first sign nothing is known of it."""
        if self._memory.closed:
            return None
        count = int.from_bytes(self._memory[:BYTES], sys.byteorder)
        passed = 0.0 if self._looked is None else min(now - self._looked, LOOK_MOST_SECONDS)
        self._looked = now
        is_silent = count == self._count and count > 0
        self._count = count
        state = _state(process) if is_silent else b""
        # A debugger has stopped it where that is "t": somebody looks at it.
        self._silent = self._silent + passed if is_silent and state not in (b"T", b"t") else 0.0
        self._stopped = self._stopped + passed if state == b"T" else 0.0
        if self._silent > SILENT_SECONDS:
            return self._silent
        return self._stopped if self._stopped > STOPPED_SECONDS else None


def begins(file: int) -> None:
    """This process is a worker from now on. `file` is what it was given."""
    with suppress(OSError):
        os.pwrite(file, b"\1", BYTES)


def says(file: int, words: str) -> None:
    """This process can't become a worker, since `words`."""
    with suppress(OSError):
        os.pwrite(file, words.replace("\0", "").encode(errors="replace")[: WORDS_BYTES - 2], BYTES + 1)


def is_stopped(process: int) -> bool:
    """Whether a signal or a debugger has stopped it, as far as the system says."""
    return _state(process) in (b"T", b"t")


def _state(process: int) -> bytes:
    """What a process does, as the system calls it by a letter."""
    with suppress(OSError, IndexError):
        with open(f"/proc/{process}/stat", "rb") as about:
            return about.read().rpartition(b")")[2].split()[0]
    return b""


def _at_least_three(file: int) -> int:
    if file > 2:
        return file
    try:
        return fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, 3)
    finally:
        os.close(file)


def _memory() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("raskt-signs")
    file, path = tempfile.mkstemp(prefix="raskt-signs-")
    os.unlink(path)
    return file
