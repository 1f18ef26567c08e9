"""Whoever interrupts a cluster that starts or closes has no processes left, and forks have nothing to do with it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest

from processes_seen import is_alive, until
from raskt.distributed import LocalCluster, SubprocessCluster
from raskt.distributed._clusters import _loop
from raskt.distributed._clusters._command import CommandProcess
from raskt.distributed._clusters._dask import DaskWorker
from raskt.distributed._clusters._ray import RayScheduler, RayWorker


def children() -> set[int]:
    """The processes that this one has started, and that live."""
    found = set()
    for task in os.listdir("/proc/self/task"):
        with suppress(FileNotFoundError), open(f"/proc/self/task/{task}/children") as told:
            found |= set(map(int, told.read().split()))
    return {pid for pid in found if is_alive(pid)}


def interrupt(what: Callable[[], Any], when: Callable[[], Any]) -> None:
    """Does something, and has Ctrl-C come as soon as something else holds."""
    main, begun = threading.main_thread().ident, threading.Event()
    assert main is not None

    def press() -> None:
        begun.wait()
        until(when)
        signal.pthread_kill(main, signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        begun.set()
        what()
    thread.join()


@pytest.mark.parametrize("kind", [LocalCluster, SubprocessCluster])
@pytest.mark.parametrize("after", [0.0, 0.05, 0.3, 1.0])
def test_a_start_that_is_interrupted(kind: Any, after: float) -> None:
    before, begins = children(), time.monotonic()

    def start_and_wait() -> None:
        with kind(n_workers=2, threads_per_worker=1):
            time.sleep(30)

    interrupt(start_and_wait, lambda: time.monotonic() > begins + after)
    until(lambda: children() <= before)


def test_a_process_that_comes_after_the_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, before, waiting = threading.Event(), children(), threading.enumerate()
    spawn = CommandProcess._spawn_at_once

    def late(self: CommandProcess) -> None:
        begun.set()
        time.sleep(0.5)
        spawn(self)

    monkeypatch.setattr(CommandProcess, "_spawn_at_once", late)
    interrupt(lambda: SubprocessCluster(n_workers=1, threads_per_worker=1), begun.is_set)
    # Those of other tests are none of its.
    until(lambda: all(thread.name != "raskt-await" or thread in waiting for thread in threading.enumerate()))
    until(lambda: children() <= before)


@pytest.mark.parametrize("has_begun", [True, False])
def test_an_interrupt_before_there_is_a_future(has_begun: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, over = threading.Event(), threading.Event()

    async def goes_on() -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            over.set()

    schedule = asyncio.run_coroutine_threadsafe

    def interrupted(coroutine: Any, loop: asyncio.AbstractEventLoop) -> Any:
        if not has_begun:
            loop.call_soon_threadsafe(over.wait, 0.2)
        schedule(coroutine, loop)
        assert not has_begun or begun.wait(10)
        raise KeyboardInterrupt

    monkeypatch.setattr(asyncio, "run_coroutine_threadsafe", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _loop.run(goes_on())
    monkeypatch.undo()
    if has_begun:
        assert over.wait(10)
    else:
        # The loop has done all that came before.
        _loop.run(asyncio.sleep(0))
        assert not begun.is_set()


@pytest.mark.parametrize("kind", [LocalCluster, SubprocessCluster])
def test_a_close_that_is_interrupted(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before, closes = children(), threading.Event()
    cluster = kind(n_workers=2, threads_per_worker=1)

    async def never(self: Any, patience: float | None) -> None:
        closes.set()
        await asyncio.sleep(60)

    monkeypatch.setattr(type(cluster), "_end_all", never)
    interrupt(cluster.close, closes.is_set)
    until(lambda: children() <= before)
    until(lambda: cluster.is_closed)
    cluster.close()


STARTS = """
from raskt.distributed import LocalCluster, SubprocessCluster
print(flush=True)
here, there = LocalCluster(n_workers=1, threads_per_worker=1), SubprocessCluster(n_workers=1, threads_per_worker=1)
input()
"""


def marked(mark: str) -> set[str]:
    """The processes that have a mark in their environment."""
    found = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError), open(f"/proc/{pid}/environ", "rb") as environment:
            if mark.encode() in environment.read() and is_alive(int(pid)):
                found.add(pid)
    return found


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("after", [0.0, 0.2, 1.0])
def test_a_program_that_is_ended_while_it_starts(number: int, after: float) -> None:
    mark = f"RASKT_TEST_MARK={uuid.uuid4().hex}"
    program = subprocess.Popen(
        [sys.executable, "-c", STARTS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **dict([mark.split("=")])},
    )
    with program:
        assert program.stdin is not None and program.stdout is not None
        program.stdout.readline()
        time.sleep(after)
        program.send_signal(number)
        until(lambda: not marked(mark))


class Begins:
    """A process that comes late, inside of another engine."""

    name = "late"
    nothing = SimpleNamespace(files=lambda role: {})

    def begin(self) -> None:
        self.begun.set()
        time.sleep(0.2)
        self.is_there = True

    def end_now(self) -> None:
        if self.is_there:
            self.ended.set()

    def __init__(self, *args: Any) -> None:
        self.begun, self.ended, self.is_there = threading.Event(), threading.Event(), False
        super().__init__(*args, keys=self.nothing)  # type: ignore[call-arg]


class LateRayWorker(Begins, RayWorker):
    _start = Begins.begin


class LateRayScheduler(Begins, RayScheduler):
    _start = Begins.begin  # type: ignore[assignment]


class LateDaskWorker(Begins, DaskWorker):
    _submit = Begins.begin


@pytest.mark.parametrize(
    "make",
    [
        lambda: LateRayWorker("tcp://127.0.0.1:9", "late"),
        lambda: LateRayScheduler(),
        lambda: LateDaskWorker("tcp://127.0.0.1:9", "late"),
    ],
)
def test_what_comes_late_inside_of_other_engines(make: Callable[[], Any]) -> None:
    async def main() -> None:
        late = make()
        starting = asyncio.ensure_future(late.start())
        while not late.begun.is_set():
            await asyncio.sleep(0.01)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        while not late.ended.is_set():
            await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(main(), 20))


OF_A_FORK = """
import os, time
from raskt.distributed import LocalCluster, SubprocessCluster
here, there = LocalCluster(n_workers=1, threads_per_worker=1), SubprocessCluster(n_workers=1, threads_per_worker=1)
pids = [each.pid for each in (*here.workers.values(), *there.workers.values(), there.scheduler)]
brief = os.fork()
if brief == 0:
    here.close(), there.close()
    del here, there
    raise SystemExit
os.waitpid(brief, 0)
fork = os.fork()
if fork == 0:
    time.sleep(600)
print(fork, *pids, flush=True)
input()
"""


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_neither_ends_a_cluster_nor_keeps_it() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", OF_A_FORK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None
    fork, *pids = map(int, process.stdout.readline().split())
    try:
        assert len(pids) == 3 and all(map(is_alive, pids))
        process.kill()
        process.wait()
        until(lambda: not any(map(is_alive, pids)))
        assert is_alive(fork)
    finally:
        os.kill(fork, signal.SIGKILL)
        process.stdin.close()
        process.stdout.close()
