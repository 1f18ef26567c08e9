"""Workers of the command that are full, or that nobody reaches."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from killed_scheduler import RASKT

import raskt
from raskt.distributed import Client, wait
from raskt.distributed._excess import PATIENCE_SECONDS

LIMIT = 200_000_000
VALUE_BYTES = 16_000_000


class Commands:
    """A scheduler, and workers that are started beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.file = folder, folder / "scheduler.json"
        self.processes = [self.started("scheduler", "--port", "0", "--token-file", str(folder / "token"))]
        assert self.processes[0].stdout is not None
        while not self.processes[0].stdout.readline().startswith("ready"):
            assert self.processes[0].poll() is None

    def started(self, *arguments: str) -> subprocess.Popen[str]:
        command = [*RASKT, *arguments, "--scheduler-file", str(self.file)]
        # Workers find the modules that this process finds: those of tests as well.
        known = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True, env=known)

    def work(self, name: str, *arguments: str) -> None:
        always = ("--nthreads", "1", "--local-directory", str(self.folder), "--name", name)
        self.processes.append(self.started("worker", *always, *arguments))

    def end(self) -> None:
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
            process.wait(60)


@pytest.fixture
def commands(tmp_path: Path) -> Iterator[Commands]:
    commands = Commands(tmp_path)
    try:
        yield commands
    finally:
        commands.end()


def made(number: int) -> np.ndarray:
    return np.full(VALUE_BYTES // 8, number)


def writes_no_file() -> int:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    return os.getpid()


@pytest.mark.parametrize("how", ["scattered", "made", "copied"])
def test_no_worker_is_ended_for_what_it_is_given_when_memory_and_disk_are_full(commands: Commands, how: str) -> None:
    commands.work("full", "--memory-limit", str(LIMIT))
    with Client(scheduler_file=commands.file) as client:
        client.wait_for_workers(1, timeout=30)
        before = client.run(writes_no_file)
        kept = client.scatter([made(-1) for _ in range(3)])
        # What is made meanwhile may be first.
        wait(kept, timeout=30)
        if how == "scattered":
            more = client.scatter([made(number) for number in range(12)])
        elif how == "made":
            more = client.map(made, range(12))
        else:
            commands.work("other")
            client.wait_for_workers(2, timeout=30)
            more = client.scatter([made(number) for number in range(12)], workers=["other"])
            wait(more, timeout=60)
            with pytest.raises(RuntimeError, match="not all results could be copied.*no memory left"):
                client.replicate(more)
        wait(more, timeout=120)
        # Its nanny would have ended it by then.
        time.sleep(PATIENCE_SECONDS + 1)
        assert client.run(os.getpid, workers=["full"]) == before
        assert [int(value[-1]) for value in client.gather(kept)] == [-1] * 3
        states = [future.status for future in more]
        assert set(states) == ({"finished"} if how == "copied" else {"finished", "error"})
        for number, future in enumerate(more):
            if states[number] == "finished":
                assert int(future.result(timeout=30)[-1]) == number
            else:
                with pytest.raises(MemoryError, match="no memory left"):
                    future.result(timeout=30)


def test_whoever_waits_for_results_that_nobody_reaches_hears_where_they_are(commands: Commands) -> None:
    commands.work("apart", "--contact-address", "tcp://127.0.0.1:1")
    with Client(scheduler_file=commands.file) as client:
        client.wait_for_workers(1, timeout=30)
        assert client.submit(pow, 2, 3).result(timeout=30) == 8, "what is small comes along"
        future = client.submit(made, 1)
        told = "waits: for results that aren't reached: worker `apart` gives its at tcp://127.0.0.1:1 .*refused"
        # As an error, the warning ends the waiting.
        for waits in (future.result, lambda: client.gather([future]), raskt.delayed(made)(2).compute):
            with warnings.catch_warnings(), pytest.raises(UserWarning, match=told):
                warnings.simplefilter("error")
                waits()
