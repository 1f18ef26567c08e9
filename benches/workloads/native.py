"""A million native tasks that do nothing, from Rust: what a task costs the scheduler, the store and the threads.

No Python runs but to start the program, `crates/raskt-execute/examples/noop.rs`, and to read what it measured. It is
built once, with the build folder that the rest of the project uses.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

from workload import Case, Stopwatch

ROOT = Path(__file__).parents[2]
TASKS = 1_000_000


@cache
def program() -> Path:
    """The built program; cargo does nothing if it is there already."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", Path.home() / ".cache" / "raskt" / "target"))
    command = ["cargo", "build", "--release", "--locked", "--quiet", "-p", "raskt-execute", "--example", "noop"]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "CARGO_TARGET_DIR": str(target)})
    return target / "release" / "examples" / "noop"


def raskt(shape: str, tasks: int) -> Callable[[Stopwatch], int]:
    def run(stopwatch: Stopwatch) -> int:
        done = subprocess.run([program(), shape, str(tasks)], check=True, capture_output=True, text=True)
        measured = json.loads(done.stdout)
        stopwatch.seconds += measured["seconds"]
        return int(measured["result"])

    return run


CASES = {
    shape: Case(f"a million native tasks, {shape}", {"raskt": raskt(shape, TASKS)}, prepare=program)
    for shape in ("independent", "chain", "tree", "random")
}
