"""The matrix as a test: nothing may differ but what is documented, or listed as still to be mended."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from raskt._differences import DIFFERENCES, page

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_matrix():
    command = [sys.executable, "-m", "tests.matrix"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-20_000:] + run.stderr[-5_000:]
    tried = re.search(r"^all +(\d+)", run.stdout, re.MULTILINE)
    assert tried and int(tried[1]) >= 50_000, run.stdout[:2_000]


def test_documented_differences_are_few_and_shown():
    assert len(DIFFERENCES) <= 60
    assert (ROOT / "docs" / "differences.md").read_text("utf-8") == page(), (
        "python -m raskt._differences > docs/differences.md"
    )
