"""`import raskt` is quick, and leaves NumPy and pandas alone."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ["numpy", "pandas", "pyarrow", "polars", "matplotlib", "yaml", "asyncio", "concurrent.futures"]
SECONDS_MOST = 0.15


def python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_no_heavy_module_comes_with_it():
    loaded = python(f"import sys, raskt; print([name for name in {HEAVY!r} if name in sys.modules])")
    assert loaded.strip() == "[]"


def test_no_heavy_module_comes_with_its_parts_before_they_are_used():
    parts = "import sys, raskt, raskt.config, raskt.diagnostics; raskt.config.get('scheduler')"
    loaded = python(f"{parts}; print([name for name in {HEAVY!r} if name in sys.modules])")
    assert loaded.strip() == "[]"


def test_it_takes_less_than_its_budget():
    # Time of the processor, of which others on the machine take none.
    code = "import time; began = time.process_time(); import raskt; print(time.process_time() - began)"
    times = [float(python(code)) for _ in range(7)]
    assert min(times) < SECONDS_MOST, times
