"""The stubs of the native module: strictly typed, and the same as what the module really offers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import raskt

pytest.importorskip("mypy")

PACKAGE = Path(raskt.__file__).parent
ALLOWED = Path(__file__).with_name("stubtest-allowlist.txt")


def run(*arguments: str | Path) -> None:
    # In the folder above the package, mypy takes the package for what it is, installed or not.
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=PACKAGE.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stubs_are_strictly_typed(tmp_path):
    run("mypy", "--strict", "--cache-dir", tmp_path, "raskt/_core.pyi")


def test_the_stubs_say_what_the_module_offers():
    run("mypy.stubtest", "raskt._core", "--allowlist", ALLOWED)
