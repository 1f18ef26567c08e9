"""Workers whose tasks take more memory than they may have."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from processes_seen import is_alive, until
from raskt.distributed import (
    Client,
    Cluster,
    Event,
    KilledWorker,
    LocalCluster,
    SubprocessCluster,
    get_client,
    wait,
)
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


def made(number: int, mebibytes: int) -> bytes:
    return bytes([number]) * (mebibytes * MIB)


def test_results_that_are_made_faster_than_they_are_written_end_nobody() -> None:
    with LocalCluster(n_workers=1, threads_per_worker=1, memory_limit=LIMIT) as cluster, Client(cluster) as client:
        pid = client.submit(os.getpid).result(timeout=30)
        futures = []
        # Of none of them is known how large it will be.
        for number in range(40):
            futures.append(client.submit(made, number, 20))
            wait(futures[-1], timeout=30)
        assert client.submit(os.getpid, pure=False).result(timeout=30) == pid
        assert all(future.result(timeout=30) == made(number, 20) for number, future in enumerate(futures))


def first_when_set(array: np.ndarray[Any, Any], name: str) -> int:
    Event(name).wait(60)
    return int(array[0])


def set_event(name: str) -> str:
    Event(name).set()
    return name


def test_small_tasks_beside_a_large_result_are_neither_refused_nor_kept_waiting() -> None:
    """That others make much says nothing of them, and whoever has it in memory may wait for them."""
    with (
        LocalCluster(n_workers=1, threads_per_worker=2, memory_limit="300MB") as cluster,
        Client(cluster) as client,
    ):
        for number in range(3):
            large = client.submit(np.full, 12_500_000, float(number), pure=False)
            wait(large, timeout=30)
            waits = client.submit(first_when_set, large, f"large-{number}", pure=False)
            until(lambda: any(client.processing().values()))
            began = time.monotonic()
            assert client.submit(set_event, f"large-{number}").result(timeout=60) == f"large-{number}"
            assert waits.result(timeout=60) == number
            assert time.monotonic() - began < 20
            del large, waits


class Own:
    """What somebody has written a class for."""

    def __init__(self, number: int) -> None:
        self.values = [f"{number}-{at}" for at in range(100_000)]

    def __eq__(self, other: object) -> bool:
        return type(other) is Own and other.values == self.values

    def __len__(self) -> int:
        return len(self.values)


def mixed(number: int) -> pd.DataFrame:
    return pd.DataFrame({"a": pd.Series([number, "b", None] * 40_000, dtype=object), "b": np.arange(120_000.0)})


OBJECTS: dict[str, Callable[[int], Any]] = {
    "text": lambda number: chr(65 + number) * 8_000_000,
    "texts": lambda number: [f"{number}-{at}" for at in range(120_000)],
    "numbers": lambda number: list(range(10**6 + number, 10**6 + number + 200_000)),
    "dictionary": lambda number: {at: at * 1.5 + number for at in range(80_000)},
    "tuple": lambda number: tuple(number + at / 2 for at in range(200_000)),
    "set": lambda number: {number + at * 7 for at in range(100_000)},
    "nested": lambda number: [[number, [str(at)]] for at in range(40_000)],
    "beside an array": lambda number: ["x", np.full(MIB, number, "f8"), {"y": number}],
    "objects": lambda number: np.array([f"{number}-{at}" for at in range(100_000)], dtype=object),
    "frame": mixed,
    "own class": Own,
}


@pytest.mark.parametrize("kind", OBJECTS)
def test_objects_leave_memory_as_arrays_do(kind: str) -> None:
    make, count = OBJECTS[kind], 40
    with LocalCluster(n_workers=1, threads_per_worker=1, memory_limit=200 * MIB) as cluster, Client(cluster) as client:
        pid = client.submit(os.getpid).result(timeout=30)
        futures = client.map(make, range(count))
        wait(futures, timeout=60)
        assert {future.status for future in futures} == {"finished"}
        assert client.gather(client.map(len, futures)) == [len(make(number)) for number in range(count)]
        for number in (0, 1, count // 2, count - 1):
            result, expected = futures[number].result(timeout=30), make(number)
            if isinstance(expected, pd.DataFrame):
                pd.testing.assert_frame_equal(result, expected)
            elif kind == "beside an array":
                assert result[0] == "x" and result[2] == expected[2] and (result[1] == expected[1]).all()
            else:
                assert np.all(result == expected)
        assert client.submit(os.getpid, pure=False).result(timeout=30) == pid


def append(values: list[Any]) -> int:
    values.append("more")
    return len(values)


def test_what_a_task_changes_of_a_result_is_written_anew() -> None:
    with LocalCluster(n_workers=1, threads_per_worker=1, memory_limit=200 * MIB) as cluster, Client(cluster) as client:
        first = client.submit(OBJECTS["texts"], 0)
        others = client.map(OBJECTS["texts"], range(1, 40))
        wait(others, timeout=60)
        assert client.submit(append, first).result(timeout=30) == 120_001
        # It leaves once more.
        wait(client.map(OBJECTS["texts"], range(40, 80)), timeout=60)
        assert client.submit(append, first, pure=False).result(timeout=30) in (120_001, 120_002)


class Tally:
    """Counts its calls."""

    count = 0

    def add(self) -> int:
        self.count += 1
        return self.count


def with_others(kind: str) -> dict[str, Any]:
    """Holds what is nowhere but where it is, and much else."""
    client, much = get_client(), [f"more-{at}" for at in range(120_000)]
    if kind == "actor":
        return {"held": client.submit(Tally, actor=True).result(), "much": much}
    return {"held": client.map(inc, range(3000), pure=False), "much": much}


@pytest.mark.parametrize("kind", ["futures", "actor"])
def test_what_leaves_memory_holds_what_it_refers_to(kind: str) -> None:
    with LocalCluster(n_workers=1, threads_per_worker=1, memory_limit=200 * MIB) as cluster, Client(cluster) as client:
        holder = client.submit(with_others, kind)
        wait(holder, timeout=60)
        # All that came before has left by then, where it can.
        others = client.map(OBJECTS["texts"], range(40))
        wait(others, timeout=60)
        assert {other.status for other in others} == {"finished"}
        held = holder.result(timeout=30)["held"]
        if kind == "actor":
            assert [held.add().result(timeout=30) for _ in range(3)] == [1, 2, 3]
        else:
            assert client.gather(held) == list(range(1, 3001))


def test_what_cannot_be_pickled_stays_and_harms_no_other() -> None:
    def unsendable(number: int) -> list[Any]:
        return [threading.Lock(), [f"{number}-{at}" for at in range(60_000)]]

    with LocalCluster(n_workers=1, threads_per_worker=1, memory_limit=400 * MIB) as cluster, Client(cluster) as client:
        stays = client.map(unsendable, range(5))
        futures = client.map(OBJECTS["texts"], range(60))
        wait(futures, timeout=60)
        assert {future.status for future in [*stays, *futures]} == {"finished"}
        assert client.gather(client.map(len, stays)) == [2] * 5
        assert client.gather(client.map(len, futures)) == [120_000] * 60


def of_one_worker(kind: str, limit: int) -> Cluster:
    if kind == "local":
        return LocalCluster(n_workers=1, threads_per_worker=1, memory_limit=limit)
    return SubprocessCluster(n_workers=1, threads_per_worker=1, worker_kwargs={"memory_limit": limit})


@pytest.mark.parametrize("cluster_kind", ["local", "command"])
@pytest.mark.parametrize("kind", ["bytes", "texts"])
def test_whoever_gathers_much_ends_nobody(kind: str, cluster_kind: str) -> None:
    make = {"bytes": lambda number: made(number, 20), "texts": OBJECTS["texts"]}[kind]
    with of_one_worker(cluster_kind, 400 * MIB) as cluster, Client(cluster) as client:
        pid = client.submit(os.getpid).result(timeout=30)
        futures = client.map(make, range(40))
        wait(futures, timeout=60)
        for number, result in enumerate(client.gather(futures)):
            assert result == make(number)
        assert client.submit(os.getpid, pure=False).result(timeout=30) == pid


@pytest.mark.parametrize("one_by_one", [False, True])
def test_what_neither_memory_nor_the_disk_has_room_for_fails_and_harms_no_other(
    tmp_path: Path, one_by_one: bool
) -> None:
    small = tmp_path / "small.py"
    small.write_text("import raskt.config\nraskt.config.set({'memory.disk-limit': '64 MiB'})\n")
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=LIMIT, preload=str(small)) as cluster,
        Client(cluster) as client,
    ):
        client.wait_for_workers(2, 30)
        pids = client.run(os.getpid)
        futures = []
        for number in range(50):
            futures.append(client.submit(made, number, 20, key=f"made-{number}"))
            if one_by_one:
                wait(futures[-1], timeout=30)
        wait(futures, timeout=60)
        # Nobody is ended for it later on, either.
        time.sleep(PATIENCE_SECONDS + 1)
        assert client.run(os.getpid) == pids
        fit = [number for number, future in enumerate(futures) if future.status == "finished"]
        # One worker may have had all of them.
        assert 5 <= len(fit) < 40
        for number, future in enumerate(futures):
            if number in fit:
                assert future.result(timeout=30) == made(number, 20)
            else:
                with pytest.raises(MemoryError, match="no memory left"):
                    future.result(timeout=30)
        del futures, future
        assert client.submit(len, client.submit(made, 1, 60)).result(timeout=30) == 60 * MIB


def test_what_was_sent_is_given_back_though_nothing_runs() -> None:
    with LocalCluster(n_workers=1, threads_per_worker=1, memory_limit=LIMIT) as cluster, Client(cluster) as client:
        futures = client.map(made, range(16), [20] * 16)
        wait(futures, timeout=60)
        pid = client.submit(os.getpid).result(timeout=30)
        for _ in range(3):
            for number, future in enumerate(futures):
                assert future.result(timeout=30) == made(number, 20)
        # By then it would be ended for what it had too long.
        until(lambda: excess.taken_bytes(pid, 0) < LIMIT * 0.9, 10)
        time.sleep(PATIENCE_SECONDS)
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


TAKES = """
import os
import numpy as np
from raskt.distributed._excess import taken_bytes
own = taken_bytes(os.getpid(), 0)
held = np.ones(64 << 20, np.uint8)
print(taken_bytes(os.getpid(), 0) - own >> 20, held[-1], taken_bytes(0, 0))
"""


def test_what_a_process_takes_is_its_own() -> None:
    # In a process of its own: one that has run tests for long has freed memory that is taken again.
    told = subprocess.run([sys.executable, "-c", TAKES], capture_output=True, text=True, timeout=60, check=True)
    taken, last, of_nobody = map(int, told.stdout.split())
    assert 60 <= taken <= 80 and (last, of_nobody) == (1, 0)


def holds_itself(number: int) -> int:
    held: list[Any] = [np.full(12 * MIB, number, np.uint8)]
    held.append(held)
    return number


def test_garbage_in_cycles_ends_no_worker() -> None:
    """Python would collect it after some hundreds of such."""
    with LocalCluster(n_workers=1, threads_per_worker=1, memory_limit=LIMIT) as cluster, Client(cluster) as client:
        pid = client.submit(os.getpid).result(timeout=30)
        assert client.gather(client.map(holds_itself, range(200))) == list(range(200))
        assert client.submit(os.getpid, pure=False).result(timeout=30) == pid


def writes_no_file() -> int:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    return os.getpid()


def test_data_for_which_neither_memory_nor_the_disk_has_room_fails_and_ends_nobody() -> None:
    with LocalCluster(n_workers=1, threads_per_worker=1, memory_limit=LIMIT) as cluster, Client(cluster) as client:
        client.wait_for_workers(1, 30)
        before = client.run(writes_no_file)
        given = client.scatter([np.full(MIB, at, np.float64) for at in range(45)])
        wait(given, timeout=120)
        states = [future.status for future in given]
        assert set(states) == {"finished", "error"}
        for future in (given[states.index("error")], client.submit(len, given[states.index("error")])):
            with pytest.raises(MemoryError, match="no memory left for it.*results hold"):
                future.result(timeout=30)
        assert client.run(os.getpid) == before


class Opaque:
    def __init__(self, data: np.ndarray) -> None:
        self.data = data


def test_what_no_worker_could_hold_is_a_memory_error() -> None:
    large = np.ones(60_000_000)
    with LocalCluster(n_workers=1, threads_per_worker=1, memory_limit="300MB") as cluster, Client(cluster) as client:
        with pytest.raises(MemoryError, match="480000000 bytes, and the worker with most memory has .* in parts"):
            client.scatter(large)
        with pytest.raises(MemoryError, match="give it in parts"):
            client.submit(np.sum, large).result(60)
        # What an object takes up is known when it comes.
        with pytest.raises(MemoryError, match="give it in parts"):
            client.submit(len, Opaque(large)).result(60)
        assert client.submit(len, [1]).result(60) == 1
