"""Workers whose tasks take more memory than they may have."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
import pytest

from processes_seen import is_alive, until
from raskt.distributed import Client, KilledWorker, LocalCluster
from raskt.distributed import _excess as excess
from raskt.distributed._excess import AT_ONCE_PERCENT, OWN_BYTES, PATIENCE_SECONDS, TERMINATE_PERCENT, Excess

MIB = 1 << 20
LIMIT = 256 * MIB


def takes(mebibytes: int, forever: bool = True) -> int:
    held = [np.ones(MIB, np.uint8) for _ in range(mebibytes)]
    while forever:
        time.sleep(0.05)
    return len(held)


def inc(number: int) -> int:
    return number + 1


def test_a_task_that_takes_too_much_is_told_and_harms_no_other(capfd: pytest.CaptureFixture[str]) -> None:
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=LIMIT) as cluster,
        Client(cluster) as client,
    ):
        client.wait_for_workers(2, 30)
        before = client.map(inc, range(20))
        hog = client.submit(takes, 800)
        after = client.map(inc, range(20, 40))
        with pytest.raises(KilledWorker) as told:
            hog.result(timeout=60)
        for word in ("workers died", cluster.name, "://", "may have 256 MiB", "memory_limit", "smaller parts"):
            assert word in str(told.value)
        assert client.gather(before + after) == list(range(1, 41))
        assert any("may have 256 MiB" in line for _, line in client.get_scheduler_logs())
        assert any("may have 256 MiB" in str(worker.get_log()) for worker in cluster.workers.values())
        assert client.submit(takes, 50, forever=False).result(timeout=30) == 50
    assert "may have 256 MiB" in capfd.readouterr().err


def test_of_several_workers_the_guilty_one_ends() -> None:
    with (
        LocalCluster(n_workers=3, threads_per_worker=1, memory_limit=LIMIT) as cluster,
        Client(cluster) as client,
    ):
        client.wait_for_workers(3, 30)
        pids: dict[str, Any] = {worker.name: worker.pid for worker in cluster.workers.values()}
        guilty, *innocent = pids
        hog = client.submit(takes, 800, workers=[guilty], allow_other_workers=False)
        until(lambda: not is_alive(pids[guilty]))
        assert all(is_alive(pids[name]) for name in innocent)
        hog.cancel()
        assert client.submit(inc, 1, workers=innocent[:1]).result(timeout=30) == 2


def test_within_the_limit_and_without_one_nobody_is_ended() -> None:
    for limit, much in ((LIMIT, 120), (None, 500)):
        with LocalCluster(n_workers=1, threads_per_worker=1, memory_limit=limit) as cluster, Client(cluster) as client:
            pid = client.submit(os.getpid).result(timeout=30)
            assert client.submit(takes, much, forever=False).result(timeout=30) == much
            assert client.submit(os.getpid, pure=False).result(timeout=30) == pid


def judged(monkeypatch: pytest.MonkeyPatch, limit: int | None, taken: list[tuple[float, float]]) -> list[bool]:
    """Whether a worker is ended, that takes these parts of its limit at these times."""
    sees = Excess(limit)
    verdicts = []
    for at, part in taken:
        size = int(part * (limit or MIB))
        monkeypatch.setattr(excess, "taken_bytes", lambda process, bound, size=size: size)
        verdicts.append(sees.look(at, os.getpid()) is not None)
    return verdicts


def test_how_much_for_how_long(monkeypatch: pytest.MonkeyPatch) -> None:
    limit, above, far = 1 << 30, TERMINATE_PERCENT / 100 + 0.01, AT_ONCE_PERCENT / 100 + 0.01
    late = PATIENCE_SECONDS + 0.5
    assert judged(monkeypatch, limit, [(0, 0.9), (late, 0.9), (2 * late, 0.9)]) == [False] * 3
    assert judged(monkeypatch, limit, [(0, above), (1, above), (late, above)]) == [False, False, True]
    # What results take that are being written to disk goes again.
    assert judged(monkeypatch, limit, [(0, above), (1, 0.5), (late, above), (late + 1, above)]) == [False] * 4
    assert judged(monkeypatch, limit, [(0, 0.1), (1, far)]) == [False, True]
    assert judged(monkeypatch, None, [(0, 1e9), (late, 1e9)]) == [False] * 2
    # An interpreter is no task.
    small = OWN_BYTES // 8
    assert judged(monkeypatch, small, [(0, 7.9), (late, 7.9)]) == [False] * 2
    assert judged(monkeypatch, small, [(0, 9 * far)]) == [True]


def test_what_a_process_takes_is_its_own() -> None:
    own = excess.taken_bytes(os.getpid(), 0)
    held = np.ones(64 * MIB, np.uint8)
    assert 48 * MIB < excess.taken_bytes(os.getpid(), 0) - own < 200 * MIB
    assert held.nbytes and excess.taken_bytes(0, 0) == 0
