"""A disk that is full: work goes on as far as memory allows, and then says who holds it."""

from __future__ import annotations

import resource
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from memory_running import run

import raskt
import raskt.array as ra

MIB = 2**20


def filled(blocks: int) -> ra.Array:
    """Blocks of 1 MiB that can't be computed again for nothing, since their function is Python's."""
    seeds = ra.from_array(np.arange(float(blocks)), chunks=1)
    return seeds.map_blocks(lambda seed: np.full(2**17, seed[0]), chunks=(2**17,), dtype="f8")


def test_without_room_on_disk_a_persist_is_refused_with_a_table(tmp_path: Path) -> None:
    settings = {"memory.limit": "1MiB", "memory.spill-path": str(tmp_path), "memory.disk-limit": 0}
    with raskt.config.set(settings):
        with pytest.raises(raskt.MemoryLimitError, match="in memory") as caught:
            filled(300).persist()
        assert isinstance(caught.value, MemoryError)
        assert float(filled(300).sum().compute()) == 2**17 * 300 * 299 / 2, "what needs little at a time goes on"


def test_a_folder_that_cannot_be_written_to_is_like_a_full_disk(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with raskt.config.set({"memory.limit": "1MiB", "memory.spill-path": str(file)}):
        with pytest.raises(raskt.MemoryLimitError, match="no folder for spill files"):
            filled(300).persist()


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
