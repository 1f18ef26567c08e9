"""Arrays that don't fit into the memory limit: right numbers, and memory that stays within it."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from memory_running import damage, run, wait_until

import raskt
import raskt.array as ra
from raskt.diagnostics import memory

MIB = 2**20

# Uniform numbers made from their positions, which numpy can make as well.
PERSISTED = """
import raskt, raskt.array as ra
raskt.config.set({{"memory.limit": {limit}, "memory.spill-path": {path!r}}})
count = {limit} * {times} // 8
x = (ra.arange(count, chunks={block}, dtype="f8") * 0.5).persist()
found["sums"] = [float(x.sum().compute()), float(x.sum().compute()), float((x * 2).sum().compute())]
found["expected"] = count * (count - 1) / 4
report = raskt.diagnostics.memory()
found["spilled"], found["files"] = report.spilled, report.files_written
"""


def persisted(limit: int, times: int, path: Path, block: int = 2**20) -> str:
    return PERSISTED.format(limit=limit, times=times, path=str(path), block=block)


def test_an_array_of_three_times_the_limit_is_summed_twice(tmp_path: Path) -> None:
    limit = 768 * MIB
    found = run(persisted(limit, 3, tmp_path))
    assert found["sums"][:2] == pytest.approx([found["expected"]] * 2, rel=1e-12)
    assert found["sums"][2] == pytest.approx(2 * found["expected"], rel=1e-12)
    assert found["peak"] <= 1.15 * limit
    assert list(tmp_path.iterdir()) == [], "nothing is left after the process"


def test_what_depends_on_data_is_written_and_read_back(tmp_path: Path) -> None:
    program = f"""
    import numpy as np, raskt, raskt.array as ra
    raskt.config.set({{"memory.limit": {256 * MIB}, "memory.spill-path": {str(tmp_path)!r}}})
    seeds = ra.from_array(np.arange(96.0), chunks=1)
    x = seeds.map_blocks(lambda seed: np.full(2**19, seed[0]), chunks=(2**19,), dtype="f8").persist()
    found["sums"] = [float(x.sum().compute()) for _ in range(2)]
    report = raskt.diagnostics.memory()
    found["files"], found["read"] = report.files_written, report.files_read
    """
    found = run(program)
    assert found["sums"] == [2**19 * 96 * 95 / 2] * 2
    assert found["files"] > 0 and found["read"] > 0


def test_results_are_the_same_bits_whatever_the_limit(tmp_path: Path) -> None:
    generator = ra.random.default_rng(5)
    x = generator.random((512, 9000), chunks=(64, 9000))
    with raskt.config.set({"memory.limit": "1MiB", "memory.spill-path": str(tmp_path)}):
        spilled = x.persist()
        numbers = [part.compute() for part in parts_of(spilled)]
    for found, part in zip(numbers, parts_of(x)):
        np.testing.assert_array_equal(found, part.compute())


def parts_of(x: ra.Array) -> list[ra.Array]:
    return [x - x.mean(axis=0), x.T.sum(axis=1), x[::7, 3:]]


def test_files_are_private_and_go_with_the_array(tmp_path: Path) -> None:
    seeds = ra.from_array(np.arange(64.0), chunks=1)
    with raskt.config.set({"memory.limit": "1MiB", "memory.spill-path": str(tmp_path)}):
        x = seeds.map_blocks(lambda seed: np.full(2**17, seed[0]), chunks=(2**17,), dtype="f8").persist()
        [folder] = tmp_path.iterdir()
        files = list(folder.iterdir())
        assert len(files) > 1
        assert os.stat(folder).st_mode & 0o777 == 0o700
        assert {os.stat(file).st_mode & 0o777 for file in files} == {0o600}
        del x
        gc.collect()
        wait_until(lambda: len(list(folder.iterdir())) == 1, "only the lock is left")


def test_the_files_of_a_killed_process_are_swept_by_the_next(tmp_path: Path) -> None:
    # It never comes to its end; what it has spilled by then lies there when it is killed.
    text = f"""
import time, numpy as np, raskt, raskt.array as ra
raskt.config.set({{"memory.limit": "1MiB", "memory.spill-path": {str(tmp_path)!r}}})
seeds = ra.from_array(np.arange(64.0), chunks=1)
x = seeds.map_blocks(lambda seed: np.full(2**17, seed[0]), chunks=(2**17,), dtype="f8").persist()
print("ready", flush=True)
time.sleep(60)
"""
    child = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    assert len(list(tmp_path.iterdir())) == 1
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert len(list(tmp_path.iterdir())) == 1
    next_one = f"""
    import numpy as np, raskt, raskt.array as ra
    raskt.config.set({{"memory.limit": "1MiB", "memory.spill-path": {str(tmp_path)!r}}})
    seeds = ra.from_array(np.arange(64.0), chunks=1)
    x = seeds.map_blocks(lambda seed: np.full(2**17, seed[0]), chunks=(2**17,), dtype="f8").persist()
    """
    run(next_one)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("way", ["flip", "cut", "remove"])
def test_a_damaged_file_gives_no_wrong_number(tmp_path: Path, way: str) -> None:
    generator = ra.random.default_rng(3)
    with raskt.config.set({"memory.limit": "1MiB", "memory.spill-path": str(tmp_path), "memory.disk-limit": None}):
        # A product of blocks costs too much to be dropped and computed again in place of a file.
        a = generator.random((4096, 256), chunks=(256, 256))
        x = (a @ generator.random((256, 2048), chunks=256)).persist()
        files = [file for folder in tmp_path.iterdir() for file in folder.iterdir() if file.name != "owner"]
        assert files
        for file in files[::2]:
            damage(file, way)
        found = x.sum(axis=0).compute()
        assert memory().files_lost > 0
    np.testing.assert_allclose(found, x.sum(axis=0).compute(), rtol=1e-12)


def test_a_lost_result_of_data_that_is_gone_is_an_error_of_its_own(tmp_path: Path) -> None:
    with raskt.config.set({"memory.limit": "1MiB", "memory.spill-path": str(tmp_path)}):
        seeds = ra.from_array(np.arange(64.0), chunks=1)
        x = seeds.map_blocks(lambda seed: np.full(2**17, seed[0]), chunks=(2**17,), dtype="f8").persist(
            keep_lineage=False
        )
        for folder in tmp_path.iterdir():
            for file in folder.iterdir():
                if file.name != "owner":
                    file.unlink()
        with pytest.raises(raskt.ResultsLost, match="spilled"):
            x.sum().compute()
        assert float(ra.ones(10).sum().compute()) == 10
