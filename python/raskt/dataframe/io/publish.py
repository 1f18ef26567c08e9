"""Files that are written beside their places and moved there when all of them are whole.

What is written lies in a hidden folder of its own until then. Files that are to be replaced are moved aside before, and
back if anything fails: nobody loses data to a write that did not end.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import uuid
from collections.abc import Callable, Iterable
from typing import Any


class Publication:
    """Files on their way into a folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.made = not os.path.isdir(folder)
        self.stage = os.path.join(folder, f".raskt-{uuid.uuid4().hex}")

    def path(self, name: str) -> str:
        """Where a file of that name is written."""
        path = os.path.join(self.stage, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def publish(self, replaced: Iterable[str] = ()) -> list[str]:
        """Moves the files to their places, and those of the names `replaced` away; the paths of the files."""
        names = sorted(_files(self.stage))
        aside = os.path.join(self.folder, f".raskt-{uuid.uuid4().hex}-replaced")
        moved: list[tuple[str, str]] = []
        try:
            for name in replaced:
                _move(os.path.join(self.folder, name), os.path.join(aside, name), moved)
            for name in names:
                place = os.path.join(self.folder, name)
                if os.path.exists(place):
                    _move(place, os.path.join(aside, name), moved)
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
        """Removes what was written so far."""
        shutil.rmtree(self.stage, ignore_errors=True)
        if self.made:
            # Unless somebody else has put something there.
            with contextlib.suppress(OSError):
                os.rmdir(self.folder)


def publishing(publication: Publication, compute: bool, compute_kwargs: Any, finished: Any) -> Any:
    """Computes the delayed object that publishes, or gives it; what a failed write leaves is removed."""
    if not compute:
        return finished
    try:
        return finished.compute(**(compute_kwargs or {}))
    except BaseException:
        publication.abandon()
        raise


def whole(write: Callable[[str], Any], path: str) -> str:
    """Calls `write` with the name of a file in a hidden folder beside `path`, and moves it there when it is whole."""
    folder, name = os.path.split(path)
    stage = os.path.join(folder, f".raskt-{uuid.uuid4().hex}")
    os.mkdir(stage)
    try:
        beside = os.path.join(stage, name)
        write(beside)
        os.replace(beside, path)
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    return path


def _move(old: str, new: str, moved: list[tuple[str, str]]) -> None:
    os.makedirs(os.path.dirname(new), exist_ok=True)
    os.replace(old, new)
    moved.append((old, new))


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
