"""What this process runs on, of what has to fit between the processes of a cluster."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

PACKAGES = ("raskt", "cloudpickle", "numpy", "pandas", "pyarrow")
"""Packages whose objects travel."""


def told() -> list[tuple[str, str]]:
    """Names and versions; what isn't installed isn't told of."""
    found = [("python", platform.python_version())]
    for package in PACKAGES:
        try:
            found.append((package, version(package)))
        except PackageNotFoundError:
            continue
    return found


HOST = ("python", "python-bits", "OS", "OS-release", "machine", "processor", "byteorder")


def here(packages: tuple[str, ...] = ()) -> dict[str, dict[str, Any]]:
    """The versions of this process."""
    found: dict[str, Any] = dict(told())
    host = (
        found.pop("python"),
        64 if sys.maxsize > 2**32 else 32,
        platform.system(),
        platform.release(),
        platform.machine(),
        platform.processor(),
        sys.byteorder,
    )
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return {"host": dict(zip(HOST, host, strict=True)), "packages": found}


def everywhere(client: Any, check: bool, packages: tuple[str, ...]) -> dict[str, Any]:
    """The versions of all processes that run Python: this one, and those of workers, by their names.

    Raises
    ------
    ValueError
        If `check` and some differ.
    """
    from raskt.distributed import _errands

    names = _errands.numbers(client, None)
    came = _errands.all_of(client, list(names), here, (packages,))
    own = here(packages)
    workers = {names[number]: about for number, about in came.items()}
    if check:
        _check(own, workers)
    return {"scheduler": {"host": {}, "packages": {}}, "workers": workers, "client": own}


def _check(own: dict[str, Any], workers: dict[str, dict[str, Any]]) -> None:
    def flat(about: dict[str, Any]) -> dict[str, Any]:
        return {"python": about["host"]["python"], **about["packages"]}

    mine = flat(own)
    lines = [
        f"{package}: {mine.get(package)} here, {flat(about).get(package)} on {name}"
        for name, about in workers.items()
        for package in mine
        if flat(about).get(package) != mine[package]
    ]
    if lines:
        raise ValueError("versions differ: " + "; ".join(lines))
