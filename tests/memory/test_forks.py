"""Processes that fork while their results go to disk and come back."""

from __future__ import annotations

from pathlib import Path

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
