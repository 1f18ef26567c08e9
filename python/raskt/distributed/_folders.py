"""Folders of this user's alone, which go with who made them.

A file in each is locked for as long as its process lives, by whatever way that ends, on whichever container that shares
the file system. Folders whose lock is free are nobody's, and whoever makes the next one removes them.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:
    # There are no such locks on this system, and nothing is swept.
    fcntl = None  # type: ignore[assignment]

PREFIX = "raskt-"

LOCK = ".raskt-lock"
"""The file that is locked. It comes into its place when it is."""


class Folder:
    """A folder, with temporary files of others. It goes when this does, or this process."""

    def __init__(self, kind: str = "") -> None:
        sweep()
        self.path = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{kind}"))
        self.remove = weakref.finalize(self, _remove, os.getpid(), self.path, _own(self.path))
        """Takes it away. In a fork it does nothing: the folder is the parent's."""

    def __fspath__(self) -> str:
        return str(self.path)


def sweep() -> None:
    """Removes folders of processes of this user that are gone."""
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX):
                with suppress(OSError):
                    _sweep_one(entry)


def _sweep_one(entry: os.DirEntry[str]) -> None:
    about = entry.stat(follow_symlinks=False)
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid():
        return
    # One without a lock is just being made, or nobody knows whose it is.
    lock = _locked(os.open(os.path.join(entry.path, LOCK), os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC))
    if lock is not None:
        shutil.rmtree(entry.path, ignore_errors=True)
        os.close(lock)


def _own(folder: Path) -> int | None:
    """Locks a new folder; None if that can't be done here, so that it is never swept."""
    new = folder / f"{LOCK}-new"
    with suppress(OSError):
        lock = _locked(os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        if lock is not None:
            new.rename(folder / LOCK)
        else:
            new.unlink()
        return lock
    return None


def _locked(file: int) -> int | None:
    """An open file, if nobody else has it locked; else it is closed."""
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
    except OSError:
        pass
    os.close(file)
    return None


def _remove(process: int, folder: Path, lock: int | None) -> None:
    if process != os.getpid():
        return
    shutil.rmtree(folder, ignore_errors=True)
    if lock is not None:
        os.close(lock)
