"""The command `raskt` of this interpreter: a scheduler and workers as processes, and a client that finds them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import raskt
import raskt.array as ra
import raskt.dataframe as rd
from processes_seen import until
from raskt.distributed import Client, wait
from raskt.distributed._signs import Signs

RASKT = [sys.executable, "-m", "raskt"]


def started(*arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen([*RASKT, *map(str, arguments)], stdout=subprocess.PIPE, text=True, start_new_session=True)


@pytest.fixture
def scheduler_file(tmp_path: Path) -> Iterator[Path]:
    """A scheduler and two workers."""
    file, token = tmp_path / "scheduler.json", tmp_path / "token"
    scheduler = started("scheduler", "--port", "0", "--scheduler-file", file, "--token-file", token)
    assert scheduler.stdout is not None
    while not scheduler.stdout.readline().startswith("ready"):
        assert scheduler.poll() is None
    workers = started(
        *("worker", "--scheduler-file", file, "--nworkers", "2", "--nthreads", "1", "--name", "me"),
        *("--local-directory", tmp_path),
    )
    yield file
    for process in (workers, scheduler):
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    assert not file.exists()


def test_a_cluster_of_commands(scheduler_file: Path) -> None:
    with Client(scheduler_file=scheduler_file) as client:
        client.wait_for_workers(2, timeout=30)
        assert int(ra.arange(1000, chunks=10).sum().compute()) == sum(range(1000))
        frame = pd.DataFrame({"key": [1, 2] * 10, "value": np.arange(20)})
        lazy = rd.from_pandas(frame, npartitions=2)
        pd.testing.assert_series_equal(lazy.groupby("key").value.sum().compute(), frame.groupby("key").value.sum())
        processes = set(client.run(os.getpid).values())
        assert len(processes) == 2 and os.getpid() not in processes
        with pytest.raises(ZeroDivisionError):
            raskt.delayed(lambda: 1 // 0)().compute()
        os.kill(processes.pop(), signal.SIGKILL)
        assert client.gather(client.map(abs, range(-50, 0))) == list(range(50, 0, -1))
        deadline = time.monotonic() + 30
        while len(client.nthreads()) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len(client.nthreads()) == 2
        status = subprocess.run(
            [*RASKT, "status", "--scheduler-file", str(scheduler_file)], capture_output=True, text=True, timeout=30
        )
        assert status.returncode == 0 and "me" in status.stdout


def test_a_worker_whose_lifetime_is_over_keeps_nobody_waiting(scheduler_file: Path, tmp_path: Path) -> None:
    mark = tmp_path / "begun"
    short = started(
        *("worker", "--scheduler-file", scheduler_file, "--nthreads", "1", "--name", "short", "--lifetime", "8s"),
        *("--local-directory", tmp_path),
    )
    try:
        with Client(scheduler_file=scheduler_file) as client:
            client.wait_for_workers(3, timeout=30)
            # It may end: its worker has a minute for it.
            long = client.submit(lambda: (mark.touch(), time.sleep(30)), workers=["short"], pure=False)
            until(mark.exists)
            until(lambda: any("`short` leaves" in line for _, line in client.get_scheduler_logs()))
            began = time.monotonic()
            given = client.scatter([np.full(1000, number) for number in range(60)])
            assert [int(array[-1]) for array in client.gather(given)] == list(range(60))
            assert client.gather(client.map(abs, range(-300, 0))) == list(range(300, 0, -1))
            assert time.monotonic() - began < 10 and long.status == "pending"
    finally:
        short.kill()
        short.wait()


def test_what_a_worker_has_that_is_told_to_end_goes_to_others(scheduler_file: Path, tmp_path: Path) -> None:
    leaves = started(
        *("worker", "--scheduler-file", scheduler_file, "--nthreads", "1", "--name", "leaves"),
        *("--local-directory", tmp_path),
    )
    begun = tmp_path / "begun"

    def last() -> int:
        with begun.open("a") as file:
            file.write("x")
        time.sleep(1.0)
        return os.getpid()

    try:
        with Client(scheduler_file=scheduler_file) as client:
            client.wait_for_workers(3, timeout=30)
            given = client.scatter([np.full(100_000, number) for number in range(5)], workers=["leaves"])
            where = dict(workers=["leaves"], allow_other_workers=True, pure=False)
            made = client.map(lambda number: (number, os.getpid()), range(50), **where)
            process = client.gather(made)[0][1]
            at_work = client.submit(last, **where)
            until(begun.exists)
            leaves.terminate()
            assert leaves.wait(30) == 0
            # None of it is made again elsewhere.
            assert client.gather(made) == [(number, process) for number in range(50)]
            assert at_work.result(30) == process and begun.read_text() == "x"
            assert [int(array[-1]) for array in client.gather(given)] == list(range(5))
    finally:
        leaves.kill()
        leaves.wait()


def there(client: Client) -> set[int]:
    """The workers, each of which has a number of its own."""
    return {about["id"] for about in client.scheduler_info()["workers"].values()}


def test_where_all_lifetimes_end_at_once_nothing_is_made_again(tmp_path: Path) -> None:
    file, made = tmp_path / "scheduler.json", tmp_path / "made"

    def make(number: int) -> np.ndarray:
        with made.open("a") as marks:
            marks.write("x")
        return np.full(10_000, number)

    scheduler = started("scheduler", "--port", "0", "--scheduler-file", file, "--token-file", tmp_path / "token")
    workers = started(
        *("worker", "--scheduler-file", file, "--nworkers", "2", "--nthreads", "1", "--local-directory", tmp_path),
        *("--lifetime", "6s", "--lifetime-restart"),
    )
    try:
        until(file.exists)
        with Client(scheduler_file=file) as client:
            client.wait_for_workers(2, timeout=30)
            futures = client.map(make, range(80))
            wait(futures, 30)
            before = there(client)
            until(lambda: not before & there(client))
            client.wait_for_workers(2, timeout=30)
            assert [int(array[-1]) for array in client.gather(futures)] == list(range(80))
            assert made.read_text() == "x" * 80
    finally:
        for process in (workers, scheduler):
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0


def test_what_is_no_scheduler_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no scheduler file"):
        Client(scheduler_file=tmp_path / "none")
    (tmp_path / "wrong").write_text("{}")
    with pytest.raises(ValueError, match="is no scheduler file"):
        Client(scheduler_file=tmp_path / "wrong")
    with pytest.raises(TypeError, match="and not both"):
        Client("tcp://127.0.0.1:1", scheduler_file=tmp_path / "wrong")


def test_wrong_options_end_in_a_sentence() -> None:
    done = subprocess.run([*RASKT, "worker", "nowhere"], capture_output=True, text=True, timeout=30)
    assert done.returncode == 2 and "nowhere" in done.stderr and "Traceback" not in done.stderr


def test_a_worker_gives_signs_of_life_to_its_nanny(tmp_path: Path) -> None:
    file, signs = tmp_path / "scheduler.json", Signs()
    scheduler = started("scheduler", "--port", "0", "--scheduler-file", file, "--token-file", tmp_path / "token")
    arguments = ("worker", "--scheduler-file", file, "--nthreads", "1", "--no-nanny", f"--signs={signs.file}")
    worker = subprocess.Popen([*RASKT, *map(str, arguments)], pass_fds=[signs.file], start_new_session=True)
    signs.are_given()

    def count() -> int:
        return int.from_bytes(signs._memory[:8], sys.byteorder)

    try:
        until(lambda: count() > 0)
        first = count()
        until(lambda: count() > first)
    finally:
        for process in (worker, scheduler):
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0
    assert count() >> 63, "it is none any more"
    signs.close()
    arguments = (*arguments[:-1], "--signs=999")
    done = subprocess.run([*RASKT, *map(str, arguments)], capture_output=True, text=True, timeout=30)
    assert done.returncode == 2 and "--signs" in done.stderr
