"""Processes that fork while their results go to disk and come back."""

from __future__ import annotations

from pathlib import Path

import pytest
from memory_running import run


def test_children_read_what_their_parent_keeps_while_it_works(tmp_path: Path) -> None:
    program = f"""
    import os, threading, time
    import numpy as np, raskt, raskt.array as ra
    raskt.config.set({{"memory.limit": "4MiB", "memory.spill-path": {str(tmp_path)!r}}})
    seeds = ra.from_array(np.arange(32.0), chunks=1)
    x = seeds.map_blocks(lambda seed: np.full(2**16, seed[0]), chunks=(2**16,), dtype="f8").persist()
    expected = 2**16 * 32 * 31 / 2
    stop = threading.Event()

    def work():
        while not stop.is_set():
            assert float(x.sum().compute(num_workers=1)) == expected

    threads = [threading.Thread(target=work) for _ in range(2)]
    [thread.start() for thread in threads]
    ends = []
    for _ in range(20):
        child = os.fork()
        if child == 0:
            right = False
            try:
                right = float(x.sum().compute(scheduler="sync")) == expected
            finally:
                os._exit(0 if right else 1)
        deadline = time.monotonic() + 60
        while True:
            found, status = os.waitpid(child, os.WNOHANG)
            if found or time.monotonic() > deadline:
                break
            time.sleep(0.002)
        ends.append(os.waitstatus_to_exitcode(status) if found else "hangs")
        if not found:
            os.kill(child, 9)
            break
    stop.set()
    [thread.join() for thread in threads]
    found = {{"ends": ends}}
    """
    found = run(program)
    assert found["ends"] == [0] * 20


@pytest.mark.parametrize("comes_back", [False, True], ids=["computes", "comes back"])
def test_a_fork_within_a_task_runs_nothing_of_its_parents(tmp_path: Path, comes_back: bool) -> None:
    """Beside it, tasks wait for their turn: they are the parent's, however long the child goes on."""
    program = f"""
    import os, signal, time
    import raskt
    from raskt import delayed
    signal.alarm(120)
    ran = {str(tmp_path / "ran")!r}

    def note(number):
        with open(ran, "a") as file:
            file.write(f"{{os.getpid()}}\\n")
        return number

    def slow(number):
        time.sleep(0.2)
        return number

    def forks():
        child = os.fork()
        if child == 0:
            if {comes_back}:
                return 1
            right = False
            try:
                right = raskt.compute(delayed(slow)(1), delayed(slow)(2), num_workers=1) == (1, 2)
            finally:
                os._exit(0 if right else 1)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.002)
        os.kill(child, signal.SIGKILL)
        return "hangs"

    ends = []
    for _ in range(3):
        end, *others = raskt.compute(delayed(forks)(), *[delayed(note)(at) for at in range(20)], num_workers=1)
        assert others == list(range(20))
        ends.append(end)
    with open(ran) as file:
        notes = [int(line) for line in file]
    found = {{"ends": ends, "notes": len(notes), "of": [pid == os.getpid() for pid in sorted(set(notes))]}}
    """
    found = run(program)
    assert (found["ends"], found["notes"], found["of"]) == ([0] * 3, 60, [True])
