"""Clusters whose processes are those of the command `raskt`, on this host."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from processes_seen import is_alive, until
from raskt.distributed import Client, Security, SubprocessCluster
from raskt.distributed._clusters._command import CommandProcess


def test_a_cluster_ends_with_its_program() -> None:
    program = """
from raskt.distributed import LocalCluster, SubprocessCluster
here, there = LocalCluster(n_workers=1, threads_per_worker=1), SubprocessCluster(n_workers=1, threads_per_worker=1)
print(*[each.pid for each in (*here.workers.values(), *there.workers.values(), there.scheduler)], flush=True)
input()
"""
    for way in ("end", "kill"):
        process = subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdin is not None and process.stdout is not None
        pids = list(map(int, process.stdout.readline().split()))
        assert len(pids) == 3 and all(map(is_alive, pids))
        if way == "kill":
            process.kill()
        process.communicate("\n", timeout=30)
        until(lambda: not any(map(is_alive, pids)))  # noqa: B023


def test_a_cluster_of_processes() -> None:
    options = {"resources": {"GPU": 2}, "lifetime": "1 h"}
    with (
        SubprocessCluster(n_workers=2, threads_per_worker=1, worker_kwargs=options) as cluster,
        Client(cluster) as client,
    ):
        client.wait_for_workers(2, timeout=30)
        assert cluster.observed == {0, 1}
        pids = client.run(os.getpid)
        assert client.submit(abs, -1, resources={"GPU": 2}).result(timeout=30) == 1
        processes = [cluster.scheduler, *cluster.workers.values()]
        token = (cluster._keys.folder / "token").read_text().strip()
        for process in processes:
            with open(f"/proc/{process.pid}/cmdline") as line:  # type: ignore[union-attr]
                assert token not in line.read()
        assert "threads: 1" in cluster.get_logs()["0"] and "ready" in cluster.get_logs()["Scheduler"]
        # A nanny that is killed with its worker is started again.
        os.kill(cluster.workers[0].pid, signal.SIGKILL)  # type: ignore[attr-defined]
        until(lambda: "SIGKILL" in cluster.get_logs()["0"])
        until(
            lambda: (
                set(pids.values()) - set(client.run(os.getpid, on_error="ignore").values())
                and len(client.nthreads()) == 2
            )
        )
        cluster.scale(1)
        until(lambda: cluster.observed == {0})


def test_a_process_that_does_not_come_up_is_told() -> None:
    with pytest.raises(RuntimeError, match="hasn't come up"):
        SubprocessCluster(n_workers=0, scheduler_kwargs={"host": "no host at all"}, security=Security())
    with pytest.raises(TypeError, match="no option colour"):
        SubprocessCluster(n_workers=0, scheduler_kwargs={"colour": 1})
    with pytest.raises(NotImplementedError, match="worker_class is 'x.Y'"):
        SubprocessCluster(n_workers=1, worker_class="x.Y")


def test_a_worker_that_cannot_be_started_once_is_started_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    spawn, failures = CommandProcess._spawn_at_once, ["there are no processes to be had"] * 2

    def spawns(self: CommandProcess) -> None:
        if self._command == "worker" and failures:
            raise BlockingIOError(failures.pop())
        spawn(self)

    with SubprocessCluster(n_workers=1, threads_per_worker=1) as cluster, Client(cluster) as client:
        pid = client.submit(os.getpid).result(timeout=60)
        monkeypatch.setattr(CommandProcess, "_spawn_at_once", spawns)
        os.kill(cluster.workers[0].pid, signal.SIGKILL)
        until(lambda: not failures, 60)
        assert client.submit(os.getpid, pure=False).result(timeout=60) != pid
        assert "can't be started: there are no processes" in cluster.get_logs()["0"]


def test_what_a_process_has_started_ends_with_it() -> None:
    command = CommandProcess(None, 0, [])
    command.process = subprocess.Popen(
        ["sh", "-c", "sleep 600 >&- & echo $!"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert command.process.stdout is not None
    child = int(command.process.stdout.readline())
    assert is_alive(child)
    until(command._has_ended)
    until(lambda: not is_alive(child))
    command.end_now()
    command.process.stdout.close()
