"""The files that users mean."""

from __future__ import annotations

import os
import re
from typing import Any

#: What follows the ending of a packed file.
PACKED = (".gz", ".zst", ".bz2", ".xz", ".zip")


def path_argument(path: Any) -> Any:
    """Paths as text: one, or a list."""
    if isinstance(path, list | tuple):
        return [os.fspath(one) for one in path]
    return os.fspath(path)


def is_remote(path: str) -> bool:
    """Whether a path is an address: `s3://...`, `https://...`."""
    return "://" in path and not path.startswith("file://")


def absolute(path: str) -> str:
    """The path from the root: whoever reads or writes it later may be in another folder."""
    # Steps back (`..`) stay: they lead elsewhere from what a link leads to.
    if is_remote(path) or os.path.isabs(path):
        return path
    return os.getcwd() if path == "." else os.path.join(os.getcwd(), path.removeprefix("./"))


def found_files(paths: Any, endings: tuple[str, ...]) -> list[str]:
    """The files that a path, a pattern, a folder or a list means, in order; FileNotFoundError if there is none.

    They are told from the root. An address is one file, without patterns.
    """
    result: list[str] = []
    for path in paths if isinstance(paths, list) else [paths]:
        found = [path] if is_remote(path) else _matches(path.removeprefix("file://"), endings)
        if not found:
            raise FileNotFoundError(2, "No such file, or no file in it", path)
        result += map(absolute, found)
    if not result:
        raise ValueError("no path was given")
    return result


def _matches(path: str, endings: tuple[str, ...]) -> list[str]:
    import glob

    if os.path.isdir(path):
        return _folder(path, endings)
    if glob.has_magic(path) and not os.path.exists(path):
        return in_order(name for name in glob.glob(path) if os.path.isfile(name))
    return [path] if os.path.exists(path) else []


def _folder(path: str, endings: tuple[str, ...]) -> list[str]:
    """The files of a folder, and of folders in it, with one of some endings, packed or not; hidden are notes."""
    found = []
    for name in in_order(os.listdir(path)):
        whole = os.path.join(path, name)
        if name.startswith((".", "_")):
            continue
        if os.path.isdir(whole):
            found += _folder(whole, endings)
        elif name.removesuffix(os.path.splitext(name)[1] if name.endswith(PACKED) else "").endswith(endings):
            found.append(whole)
    return found


def in_order(paths: Any) -> list[str]:
    """Paths in order, numbers in them by their value: `part.2` before `part.10`, and after `part.02`."""
    pieces = lambda path: [int(piece) if piece.isdigit() else piece for piece in re.split(r"([0-9]+)", path)]
    return sorted(paths, key=lambda path: (pieces(path), path))
