"""Files that are written beside their places and moved there when all of them are whole.

What is written lies in a hidden folder of its own until then. Files that are to be replaced are moved aside before, and
back if anything fails: nobody loses data to a write that did not end.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .paths import absolute

#: How often a hidden folder is removed, ten milliseconds apart, before it is left to lie.
REMOVALS = 500

#: How often a file is moved away for which others that write there at the same time put theirs.
MOVES = 1000

#: Seconds that a failed write waits for tasks which are writing still.
LAST_WRITES = 60.0


class Publication:
    """Files on their way into a folder."""

    def __init__(self, folder: str) -> None:
        if os.path.exists(folder) and not os.path.isdir(folder):
            raise NotADirectoryError(f"{folder!r} is a file, and a folder of files would be written there: remove it")
        #: From the root: who writes may be in another folder.
        self.folder = absolute(folder)
        self.made = not os.path.isdir(folder)
        self.stage = os.path.join(self.folder, f".raskt-{uuid.uuid4().hex}")
        self.begun = False
        self._writers = threading.Condition()
        self._writing, self._abandoned = 0, False

    def __getstate__(self) -> dict[str, Any]:
        """For worker processes, which count their own writers."""
        return {name: value for name, value in self.__dict__.items() if name != "_writers"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._writers = threading.Condition()

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """While a task writes files; FileNotFoundError if the write was given up before."""
        with self._writers:
            if self._abandoned:
                raise FileNotFoundError(f"the write to {self.folder} was given up")
            self._writing += 1
        try:
            yield
        finally:
            with self._writers:
                self._writing -= 1
                self._writers.notify_all()

    def begin(self) -> None:
        """Makes the hidden folder, which nobody makes again: tasks may still run when a write is given up."""
        os.makedirs(self.stage)
        self.begun = True

    def path(self, name: str) -> str:
        """Where a file of that name is written; FileNotFoundError if the write was given up meanwhile."""
        path = os.path.join(self.stage, name)
        if not self.begun:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            return path
        folder = self.stage
        for part in filter(None, os.path.dirname(name).split(os.sep)):
            folder = os.path.join(folder, part)
            if not os.path.isdir(folder):
                with contextlib.suppress(FileExistsError):
                    os.mkdir(folder)
        return path

    def publish(self, replaced: Iterable[str] = ()) -> list[str]:
        """Moves the files to their places, and those of the names `replaced` away; the paths of the files."""
        names = sorted(_files(self.stage))
        aside = os.path.join(self.folder, f".raskt-{uuid.uuid4().hex}-replaced")
        moved: list[tuple[str, str]] = []
        try:
            for name in replaced:
                _move_aside(os.path.join(self.folder, name), os.path.join(aside, name), moved)
            for name in names:
                place = os.path.join(self.folder, name)
                if os.path.exists(place):
                    _move_aside(place, os.path.join(aside, name), moved)
                _move(os.path.join(self.stage, name), place, moved)
        except BaseException:
            for old, new in reversed(moved):
                os.replace(new, old)
            raise
        shutil.rmtree(aside, ignore_errors=True)
        shutil.rmtree(self.stage, ignore_errors=True)
        _remove_empty(self.folder, {os.path.dirname(name) for name in replaced})
        return [os.path.join(self.folder, name) for name in names]

    def abandon(self) -> None:
        """Removes what was written so far, when the tasks that are still at it have ended."""
        with self._writers:
            self._abandoned = True
            self._writers.wait_for(lambda: not self._writing, timeout=LAST_WRITES)
        # The engine's own writers aren't counted: one that is still at it may put a file there, but makes no folder.
        for _ in range(REMOVALS):
            shutil.rmtree(self.stage, ignore_errors=True)
            if not os.path.isdir(self.stage):
                break
            time.sleep(0.01)
        if self.made:
            # Unless somebody else has put something there.
            with contextlib.suppress(OSError):
                os.rmdir(self.folder)


def publishing(publication: Publication, compute: bool, compute_kwargs: Any, finished: Any) -> Any:
    """Computes the delayed object that publishes, or gives it; what a failed write leaves is removed."""
    if not compute:
        return finished
    publication.begin()
    try:
        return finished.compute(**(compute_kwargs or {}))
    except BaseException:
        publication.abandon()
        raise


def whole(write: Callable[[str], Any], path: str) -> str:
    """Calls `write` with the name of a file in a hidden folder beside `path`, and moves it there when it is whole.

    A link stays, and what it leads to is replaced, with the rights that it has. What is no file but a device or a pipe
    is written to as it is: there is nothing to move there.
    """
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        write(path)  # by this path: what /dev/stdout leads to has no name of its own
        return path
    place = os.path.realpath(path)
    folder, name = os.path.split(place)
    stage = os.path.join(folder, f".raskt-{uuid.uuid4().hex}")
    os.mkdir(stage)
    try:
        beside = os.path.join(stage, name)
        write(beside)
        if os.path.exists(place):
            shutil.copymode(place, beside)
        os.replace(beside, place)
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    return path


def _move(old: str, new: str, moved: list[tuple[str, str]]) -> None:
    os.makedirs(os.path.dirname(new), exist_ok=True)
    os.replace(old, new)
    moved.append((old, new))


def _move_aside(old: str, new: str, moved: list[tuple[str, str]]) -> None:
    """Moves a file that is to be replaced, unless another write has done so at the same time."""
    for _ in range(MOVES):
        with contextlib.suppress(FileNotFoundError):
            return _move(old, new, moved)
        if not os.path.lexists(old):
            return None
        # The other write has put its own there meanwhile: that is replaced then.
    return _move(old, new, moved)


def _files(folder: str) -> list[str]:
    """The names of the files in a folder and in the folders in it, from the folder on."""
    found = []
    for at, _, names in os.walk(folder):
        found += [os.path.relpath(os.path.join(at, name), folder) for name in names]
    return found


def _remove_empty(folder: str, names: set[str]) -> None:
    """Removes folders of these names that have become empty."""
    for name in sorted(names, key=len, reverse=True):
        while name:
            try:
                os.rmdir(os.path.join(folder, name))
            except OSError:
                break
            name = os.path.dirname(name)
