"""A process that lives and has stopped to be a worker is ended, and another takes its place."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from processes_seen import is_alive, until
from raskt.distributed import Client, LocalCluster, WorkerPlugin, _signs
from raskt.distributed._signs import Signs

PATIENCE = 60


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def given(signs: Signs, count: int) -> None:
    signs._memory[:8] = count.to_bytes(8, sys.byteorder)


def missing(signs: Signs, seconds: range, process: int) -> list[int]:
    return [second for second in seconds if signs.missing(float(second), process) is not None]


def test_who_gives_none_for_long_is_missed(process: subprocess.Popen[bytes]) -> None:
    signs = Signs()
    signs.are_given()
    # It may take long to begin.
    assert missing(signs, range(500), process.pid) == []
    given(signs, 1)
    assert missing(signs, range(500, 559), process.pid) == []
    given(signs, 2)
    assert missing(signs, range(559, 700), process.pid)[0] == 559 + _signs.SILENT_SECONDS + 1
    given(signs, 3)
    assert missing(signs, range(700, 760), process.pid) == []
    # Whoever looks has been stopped himself for an hour.
    given(signs, 4)
    assert missing(signs, range(760, 761), process.pid) + missing(signs, range(4000, 4059), process.pid) == []
    signs.close()
    assert missing(signs, range(5000, 6000), process.pid) == []


def test_who_is_stopped_is_left_alone_for_longer(process: subprocess.Popen[bytes]) -> None:
    signs = Signs()
    signs.are_given()
    given(signs, 1)
    process.send_signal(signal.SIGSTOP)
    until(lambda: _signs.is_stopped(process.pid))
    assert missing(signs, range(300), process.pid) == []
    assert missing(signs, range(300, 400), process.pid)[0] == 301
    given(signs, 2)
    assert missing(signs, range(400, 600), process.pid) == []
    process.send_signal(signal.SIGCONT)
    until(lambda: not _signs.is_stopped(process.pid))
    assert missing(signs, range(600, 700), process.pid)[0] == 660


def test_who_was_stopped_for_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_signs, "STOPPED_SECONDS", 2.0)
    with LocalCluster(n_workers=1, threads_per_worker=1, silence_logs=50) as cluster, Client(cluster) as client:
        pid = client.submit(os.getpid).result(timeout=PATIENCE)
        os.kill(pid, signal.SIGSTOP)
        assert client.submit(os.getpid, pure=False).result(timeout=PATIENCE) != pid
        assert not is_alive(pid)


def test_memory_of_signs_has_no_number_of_a_stream() -> None:
    program = "import os; from raskt.distributed._signs import Signs; os.close(0); s = Signs(); print(s.file > 2)"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE)
    assert told.stdout == "True\n", told.stderr


def lames(told: Path) -> int:
    """Takes its process the thread that speaks with the scheduler, if nothing has been told; all else goes on."""
    if told.exists():
        return os.getpid()
    told.write_text(str(os.getpid()))
    libc = ctypes.CDLL(None)
    libc.signal.argtypes = [ctypes.c_int, ctypes.c_void_p]
    libc.signal(signal.SIGUSR1, ctypes.cast(libc.pause, ctypes.c_void_p))
    threads = [int(thread.name) for thread in Path("/proc/self/task").iterdir()]
    named = [it for it in threads if Path(f"/proc/self/task/{it}/comm").read_text() == "raskt-network\n"]
    for thread in named:
        libc.tgkill(os.getpid(), thread, signal.SIGUSR1)
    # A result could still be sent by the thread of the task itself.
    while True:
        time.sleep(1)


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "tgkill"), reason="threads can't be stopped one by one here")
def test_a_worker_that_is_none_any_more_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_signs, "SILENT_SECONDS", 3.0)
    with LocalCluster(n_workers=1, threads_per_worker=1, silence_logs=50) as cluster, Client(cluster) as client:
        future = client.submit(lames, tmp_path / "told")
        lame = int(until(lambda: (tmp_path / "told").exists() and (tmp_path / "told").read_text()))
        until(lambda: not is_alive(lame), PATIENCE)
        assert future.result(timeout=PATIENCE) != lame
        log = next(iter(cluster.workers.values())).get_log
        until(lambda: "no sign of life for " in log())


class TornSlowly(WorkerPlugin):
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def teardown(self, worker: object) -> None:
        (self.folder / "begun").touch()
        time.sleep(4)
        (self.folder / "torn").touch()


def test_a_worker_that_leaves_takes_its_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_signs, "SILENT_SECONDS", 2.0)
    with LocalCluster(n_workers=2, threads_per_worker=1, silence_logs=50) as cluster, Client(cluster) as client:
        client.wait_for_workers(2, timeout=PATIENCE)
        client.register_plugin(TornSlowly(tmp_path))
        pids = client.run(os.getpid)
        leaves = next(iter(pids))
        client.retire_workers(workers=[leaves])
        until(lambda: (tmp_path / "begun").exists())
        until(lambda: not is_alive(pids[leaves]), PATIENCE)
        assert (tmp_path / "torn").exists()
        # One that has fallen silent would be started again.
        time.sleep(1)
        assert len(client.nthreads()) == 1
        assert not any("no sign of life" in worker.get_log() for worker in cluster.workers.values())
