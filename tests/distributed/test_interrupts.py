"""Whoever interrupts a cluster that starts or closes has no processes left, and forks have nothing to do with it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from processes_seen import is_alive, until
from raskt.distributed import LocalCluster, SubprocessCluster
from raskt.distributed._clusters._command import CommandProcess


def children() -> set[int]:
    """The processes that this one has started, and that live."""
    found = set()
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/children") as told:
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
    begun, before = threading.Event(), children()
    spawn = CommandProcess._spawn_at_once

    def late(self: CommandProcess) -> None:
        begun.set()
        time.sleep(0.5)
        spawn(self)

    monkeypatch.setattr(CommandProcess, "_spawn_at_once", late)
    interrupt(lambda: SubprocessCluster(n_workers=1, threads_per_worker=1), begun.is_set)
    threads = lambda: any(thread.name == "raskt-await" for thread in threading.enumerate())
    until(lambda: not threads())
    until(lambda: children() <= before)


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
