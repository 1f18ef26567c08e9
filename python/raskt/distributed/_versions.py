"""What this process runs on, of what has to fit between the processes of a cluster."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

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
