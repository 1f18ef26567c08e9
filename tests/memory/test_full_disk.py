"""A disk that is full: work goes on as far as memory allows, and then says who holds it."""

from __future__ import annotations

import resource
import shutil
import subprocess
from pathlib import Path

import pytest
from memory_running import run

MIB = 2**20


# In processes of their own: what other tests of this one hold in memory would count, and keep the limits as they were.
FILLED = """
import numpy as np, raskt, raskt.array as ra
def filled():
    seeds = ra.from_array(np.arange(300.0), chunks=1)
    return seeds.map_blocks(lambda seed: np.full(2**17, seed[0]), chunks=(2**17,), dtype="f8")
def refusal(**settings):
    with raskt.config.set({name.replace("_", ".", 1).replace("_", "-"): value for name, value in settings.items()}):
        try:
            filled().persist()
        except raskt.MemoryLimitError as error:
            assert isinstance(error, MemoryError)
            return str(error), float(filled().sum().compute())
"""


def test_without_room_on_disk_a_persist_is_refused_with_a_table(tmp_path: Path) -> None:
    settings = f'memory_limit="1MiB", memory_spill_path={str(tmp_path)!r}, memory_disk_limit=0'
    error, total = run(f'{FILLED}\nfound["said"] = refusal({settings})')["said"]
    assert "in memory" in error
    assert total == 2**17 * 300 * 299 / 2, "what needs little at a time goes on"


def test_a_folder_that_cannot_be_written_to_is_like_a_full_disk(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    found = run(f'{FILLED}\nfound["said"] = refusal(memory_limit="1MiB", memory_spill_path={str(file)!r})')
    assert "no folder for spill files" in found["said"][0]


def test_files_that_may_not_grow_are_like_a_full_disk(tmp_path: Path) -> None:
    program = f"""
    import numpy as np, raskt, raskt.array as ra
    raskt.config.set({{"memory.limit": "1MiB", "memory.spill-path": {str(tmp_path)!r}}})
    def filled():
        seeds = ra.from_array(np.arange(200.0), chunks=1)
        return seeds.map_blocks(lambda seed: np.full(2**17, seed[0]), chunks=(2**17,), dtype="f8")
    try:
        filled().persist()
    except raskt.MemoryLimitError as error:
        found["error"] = str(error)
    found["sum"] = float(filled().sum().compute())
    """
    limit = MIB // 2
    found = run(program, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert "can't be written" in found["error"]
    assert found["sum"] == 2**17 * 200 * 199 / 2


def own_disk(place: Path, size: str) -> tuple[str, ...]:
    """Runs a command that finds a small disk of its own at `place`."""
    script = f'mount -t tmpfs -o size={size} tmpfs "$0" && exec "$@"'
    return ("unshare", "-rm", "sh", "-c", script, str(place))


def test_a_disk_that_is_truly_full(tmp_path: Path) -> None:
    disk = own_disk(tmp_path, "48m")
    tried = subprocess.run([*disk, "true"], capture_output=True, text=True) if shutil.which("unshare") else None
    if tried is None or tried.returncode != 0:
        pytest.skip(f"no small disk can be mounted here: {tried.stderr.strip() if tried else 'there is no unshare'}")
    program = f"""
    import gc, numpy as np, raskt, raskt.array as ra
    raskt.config.set({{"memory.limit": "8MiB", "memory.spill-path": {str(tmp_path)!r}}})
    def filled(blocks):
        seeds = ra.from_array(np.arange(float(blocks)), chunks=1)
        return seeds.map_blocks(lambda seed: np.full(2**17, seed[0]), chunks=(2**17,), dtype="f8")
    kept = filled(40).persist()
    found["before"] = float(kept.sum().compute())
    try:
        filled(200).persist()
    except raskt.MemoryLimitError as error:
        found["error"] = str(error)
    found["kept"] = float(kept.sum().compute())
    found["streamed"] = float(filled(200).sum().compute())
    del kept
    gc.collect()
    found["after"] = float(filled(40).persist().sum().compute())
    """
    found = run(program, within=disk)
    assert "No space left" in found["error"] and "in memory" in found["error"]
    assert found["before"] == found["kept"] == found["after"] == 2**17 * 40 * 39 / 2
    assert found["streamed"] == 2**17 * 200 * 199 / 2
