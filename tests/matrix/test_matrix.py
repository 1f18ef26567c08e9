"""The matrix as a test: nothing may differ but what is documented, or listed as still to be mended."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from raskt._differences import DIFFERENCES, page

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_matrix():
    command = [sys.executable, "-m", "tests.matrix"]
    status, output, errors = run(command, seconds=1200)
    assert status == 0, output[-20_000:] + errors[-5_000:]
    assert not errors.strip(), f"nobody but Python and raskt may speak up: {errors[:2_000]}"
    tried = re.search(r"^all +(\d+)", output, re.MULTILINE)
    assert tried and int(tried[1]) >= 50_000, output[:2_000]


def run(command: list[str], seconds: float) -> tuple[int, str, str]:
    """The status and the words of a command, which is ended with all its processes when it takes too long."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=ROOT, start_new_session=True, **pipes) as process:
        try:
            output, errors = process.communicate(timeout=seconds)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode, output, errors


def test_documented_differences_are_few_and_shown():
    assert len(DIFFERENCES) <= 60
    assert (ROOT / "docs" / "differences.md").read_text("utf-8") == page(), (
        "python -m raskt._differences > docs/differences.md"
    )
