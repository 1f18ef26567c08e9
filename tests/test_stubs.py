"""The stubs of the native module: strictly typed, and the same as what the module really offers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import raskt

pytest.importorskip("mypy")

ROOT = Path(__file__).parents[1]
PACKAGE = Path(raskt.__file__).parent
ALLOWED = Path(__file__).with_name("stubtest-allowlist.txt")


def run(folder: Path, *arguments: str | Path) -> None:
    environment = dict(os.environ)
    if PACKAGE.parent.name != "site-packages":
        # An installed package is found by itself; mypy doesn't look at PYTHONPATH for one that isn't.
        environment["MYPYPATH"] = str(PACKAGE.parent)
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stubs_are_strictly_typed(tmp_path):
    # The stubs alone: what the package imports of other libraries has stubs here and none there.
    run(tmp_path, "mypy", "--strict", "--follow-imports=silent", ROOT / "python" / "raskt" / "_core.pyi")


def test_the_stubs_say_what_the_module_offers(tmp_path):
    run(tmp_path, "mypy.stubtest", "raskt._core", "--allowlist", ALLOWED)
