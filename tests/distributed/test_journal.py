"""A scheduler with a journal is killed and started again: clients, futures and workers go on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

import pytest

from raskt.distributed import Client, Future, Lock, Variable, WorkerPlugin, get_worker

RASKT = [sys.executable, "-m", "raskt"]


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Ends the workers and schedulers of tests that have failed."""
    yield
    while Place.places:
        place = Place.places.pop()
        for process in (place.workers, place.scheduler):
            if process.poll() is None:
                process.terminate()
                process.wait(30)


class Place:
    """A scheduler that can be killed, and two workers."""

    places: ClassVar[list[Place]] = []

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, 0
        self.start()
        self.workers = subprocess.Popen(
            [*RASKT, "worker", "--scheduler-file", str(self.file), "--nworkers", "2", "--nthreads", "1"],
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.places.append(self)

    @property
    def file(self) -> Path:
        return self.folder / "scheduler.json"

    def start(self) -> None:
        options = {"port": self.port, "journal": self.folder / "journal"}
        options |= {"scheduler-file": self.file, "token-file": self.folder / "token"}
        arguments = [str(part) for name, value in options.items() for part in (f"--{name}", value)]
        self.scheduler = subprocess.Popen([*RASKT, "scheduler", *arguments], stdout=subprocess.PIPE, text=True)
        assert self.scheduler.stdout is not None
        while not (line := self.scheduler.stdout.readline()).startswith("ready"):
            assert self.scheduler.poll() is None
            if line.startswith("scheduler:"):
                self.port = int(line.rsplit(":", 1)[1])

    def kill(self) -> None:
        self.scheduler.kill()
        self.scheduler.wait()

    def end(self) -> None:
        for process in (self.workers, self.scheduler):
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0


def slow(number: int, marks: str) -> int:
    """Says in a file that it runs."""
    with open(marks, "a") as file:
        file.write(f"{number}\n")
    time.sleep(0.01)
    return number * number


def await_marks(marks: Path, count: int) -> None:
    deadline = time.monotonic() + 30
    while not marks.exists() or len(marks.read_text().split()) < count:
        assert time.monotonic() < deadline
        time.sleep(0.005)


def fail(number: int) -> int:
    raise ArithmeticError(f"not {number}")


def test_a_scheduler_that_is_killed_goes_on(tmp_path: Path) -> None:
    marks, place = tmp_path / "marks", Place(tmp_path)
    with Client(scheduler_file=place.file) as client:
        client.wait_for_workers(2, timeout=30)
        early = client.submit(pow, 3, 4)
        failed = client.submit(fail, 5)
        assert early.result() == 81
        with pytest.raises(ArithmeticError, match="not 5"):
            failed.result()
        futures = client.map(slow, range(300), marks=str(marks))
        scattered = client.scatter([b"x" * 100_000])
        await_marks(marks, 100)
        place.kill()
        between = client.submit(sum, [1, 2, 3])
        place.start()
        assert client.gather(futures) == [number * number for number in range(300)]
        assert between.result() == 6 and early.result() == 81
        assert client.submit(len, scattered[0]).result() == 100_000
        with pytest.raises(ArithmeticError, match="not 5"):
            failed.result()
        runs = Counter(marks.read_text().split())
        assert len(runs) == 300
        assert sum(1 for count in runs.values() if count > 1) <= 3, "what was done isn't done again"
        assert len(client.nthreads()) == 2
    place.end()


class Counted(WorkerPlugin):
    """Counts how often it begins at a worker."""

    name = "counted"

    def setup(self, worker):
        worker.begun = getattr(worker, "begun", 0) + 1


def begun() -> tuple[int, str]:
    return get_worker().begun, ",".join(get_worker().plugins)


def wait_long(marks: str) -> None:
    with open(marks, "a") as file:
        file.write("here\n")
    time.sleep(60)


def test_what_is_not_work_is_kept_or_ends_with_a_sentence(tmp_path: Path) -> None:
    marks, place = tmp_path / "marks", Place(tmp_path)
    with (
        Client(scheduler_file=place.file) as client,
        Client(scheduler_file=place.file, set_as_default=False) as other,
    ):
        client.wait_for_workers(2, timeout=30)
        client.register_plugin(Counted())
        assert set(client.run(begun).values()) == {(1, "counted")}
        lock, variable = Lock("x"), Variable("v")
        assert lock.acquire()
        theirs = other.submit(pow, 2, 5)
        variable.set(theirs)
        ours = variable.get()
        assert isinstance(ours, Future) and ours.result() == 32
        with ThreadPoolExecutor(2) as pool:
            errand = pool.submit(client.run, wait_long, str(marks))
            await_marks(marks, 2)
            waits = pool.submit(Lock("x").acquire)
            # The one that waits has been heard when this has.
            assert not Lock("x").acquire(timeout=0.1)
            place.kill()
            place.start()
            for ends in (errand, waits):
                with pytest.raises(Exception, match="has begun anew"):
                    ends.result(timeout=30)
        client.wait_for_workers(2, timeout=30)
        assert set(client.run(begun).values()) == {(1, "counted")}
        assert ours.result() == 32 and client.submit(int, ours).result() == 32
        with pytest.raises(RuntimeError):
            lock.release()
        assert lock.acquire(timeout=10)
        lock.release()
        with pytest.raises(TimeoutError):
            variable.get(timeout=0.1)
        client.unregister_worker_plugin("counted")
        assert client.run(lambda: "counted" in get_worker().plugins) == dict.fromkeys(client.nthreads(), False)
    place.end()


def test_two_schedulers_have_no_journal_in_common(tmp_path: Path) -> None:
    place = Place(tmp_path)
    second = subprocess.run(
        [
            *RASKT,
            "scheduler",
            "--port",
            "0",
            "--journal",
            str(tmp_path / "journal"),
            "--token-file",
            str(tmp_path / "token"),
        ],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert second.returncode != 0 and "another scheduler's that runs" in second.stderr
    # Who is told to end while it starts ends as any process does.
    with Client(scheduler_file=place.file) as client:
        client.wait_for_workers(2, timeout=30)
    place.end()


def test_a_damaged_journal_is_told(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with Client(scheduler_file=place.file) as client:
        client.wait_for_workers(2, timeout=30)
        kept = client.submit(abs, -1)
        assert kept.result() == 1
        place.kill()
        journal = tmp_path / "journal" / "journal"
        content = bytearray(journal.read_bytes())
        content[len(content) // 2] ^= 1
        journal.write_bytes(content)
        arguments = ["--port", "0", "--journal", str(journal.parent), "--token-file", str(tmp_path / "token")]
        told = subprocess.run([*RASKT, "scheduler", *arguments], capture_output=True, text=True, timeout=30)
        assert told.returncode != 0 and "is damaged at byte" in told.stderr and "truncate --size" in told.stderr
    place.workers.send_signal(signal.SIGTERM)
    assert place.workers.wait(30) == 0
    assert os.stat(journal).st_mode & 0o077 == 0
