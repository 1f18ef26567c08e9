"""Clusters whose processes die, freeze, or are stopped."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

import raskt.array as ra
from raskt.distributed import Client, KilledWorker, LocalCluster, wait


def slow(number: int, seconds: float = 0.05) -> int:
    time.sleep(seconds)
    return number + 1


def dies() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def pids(cluster: LocalCluster) -> list[int]:
    jobs = [worker.process for worker in cluster.workers.values()]
    return [process.pid for process in jobs if process is not None]


@contextmanager
def killing(cluster: LocalCluster, every: float) -> Iterator[list[int]]:
    """Kills a worker, whichever, again and again."""
    ended, killed, chance = threading.Event(), [], random.Random(7)

    def kill() -> None:
        while not ended.wait(every):
            pid = chance.choice(pids(cluster))
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        ended.set()
        thread.join()


def test_workers_that_are_killed_again_and_again() -> None:
    with LocalCluster(n_workers=3, threads_per_worker=1) as cluster, Client(cluster) as client:
        with killing(cluster, every=1.0) as killed:
            futures = client.map(slow, range(90))
            total = ra.arange(10**6, chunks=10**4).sum()
            assert client.gather(futures) == list(range(1, 91))
            assert int(total.compute()) == sum(range(10**6))
        assert killed


def test_a_poison_task_is_told_and_harms_no_other() -> None:
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
        innocent = client.map(slow, range(30))
        poison = client.submit(dies)
        more = client.map(slow, range(30, 60))
        with pytest.raises(KilledWorker, match="workers died"):
            poison.result(timeout=60)
        assert client.gather(innocent + more) == list(range(1, 61))
        assert client.submit(slow, 1).result(timeout=30) == 2


def test_results_of_a_dead_worker_are_made_again() -> None:
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
        client.wait_for_workers(2, 30)
        futures = client.map(slow, range(20))
        kept = client.persist(ra.arange(1000, chunks=10))
        wait(futures)
        for pid in pids(cluster):
            os.kill(pid, signal.SIGKILL)
        assert client.gather(futures) == list(range(1, 21))
        assert int(kept.sum().compute()) == sum(range(1000))


def test_a_frozen_worker_is_given_up() -> None:
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
        client.wait_for_workers(2, 30)
        frozen = pids(cluster)[0]
        futures = client.map(slow, range(20), seconds=0.1)
        time.sleep(0.2)
        os.kill(frozen, signal.SIGSTOP)
        began = time.monotonic()
        try:
            assert client.gather(futures) == list(range(1, 21))
        finally:
            os.kill(frozen, signal.SIGCONT)
        assert time.monotonic() - began < 40


def test_a_worker_that_leaves_for_good_is_done_without() -> None:
    with LocalCluster(n_workers=3, threads_per_worker=1) as cluster, Client(cluster) as client:
        client.wait_for_workers(3, 30)
        futures = client.map(slow, range(60))
        cluster.scale(1)
        assert client.gather(futures) == list(range(1, 61))
        cluster.scale(2)
        client.wait_for_workers(2, 30)
        assert len(cluster.security.credentials()) and len(pids(cluster)) == 2


def test_many_clusters_leave_nothing_behind() -> None:
    def counts() -> tuple[int, int]:
        return len(os.listdir("/proc/self/fd")), threading.active_count()

    def once() -> None:
        with LocalCluster(n_workers=1, threads_per_worker=1) as cluster, Client(cluster) as client:
            assert client.submit(slow, 1, 0.0).result(timeout=30) == 2

    once()
    before = counts()
    for _ in range(4):
        once()
    deadline = time.monotonic() + 10
    while counts() > before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert counts() <= before


def run(program: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", textwrap.dedent(program), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def is_alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_workers_end_with_a_parent_that_is_killed() -> None:
    program = run(
        """
        import os, time
        from raskt.distributed import Client
        client = Client(n_workers=2, threads_per_worker=1)
        client.wait_for_workers(2)
        print(*client.run(os.getpid).values(), flush=True)
        time.sleep(60)
        """
    )
    assert program.stdout is not None
    workers = [int(pid) for pid in program.stdout.readline().split()]
    assert len(workers) == 2 and all(map(is_alive, workers))
    program.kill()
    program.wait()
    deadline = time.monotonic() + 10
    while any(map(is_alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_alive, workers))


def test_ctrl_c_stops_what_is_computed_and_leaves_the_client_usable() -> None:
    program = run(
        """
        import time
        import raskt
        from raskt.distributed import Client
        def sleep(seconds): time.sleep(seconds); return seconds
        with Client(n_workers=1, threads_per_worker=1) as client:
            for compute in (
                lambda: raskt.delayed(sleep)(30).compute(),
                lambda: client.submit(sleep, 30).result(),
                lambda: client.gather(client.map(sleep, [30])),
            ):
                print("begun", flush=True)
                try:
                    compute()
                except KeyboardInterrupt:
                    print("stopped", flush=True)
        print("closed", flush=True)
        """
    )
    assert program.stdout is not None
    for _ in range(3):
        assert program.stdout.readline() == "begun\n"
        time.sleep(0.5)
        program.send_signal(signal.SIGINT)
        assert program.stdout.readline() == "stopped\n"
    assert program.stdout.readline() == "closed\n"
    assert program.wait(10) == 0


def test_a_program_that_forgets_to_close_ends() -> None:
    program = run(
        """
        from raskt.distributed import Client
        client = Client(n_workers=1, threads_per_worker=1)
        future = client.submit(abs, -3)
        print(future.result(), flush=True)
        """
    )
    output, errors = program.communicate(timeout=30)
    assert (output, errors, program.returncode) == ("3\n", "", 0)


def test_a_token_of_another_cluster_is_refused(cluster: LocalCluster) -> None:
    with LocalCluster(n_workers=0) as other:
        with pytest.raises(ConnectionError, match="token"):
            Client(cluster.scheduler_address, security=other.security, timeout=5, set_as_default=False)
    with pytest.raises(ConnectionError, match="token"):
        Client(cluster.scheduler_address, timeout=5, set_as_default=False)


def test_no_scheduler_is_told(cluster: LocalCluster) -> None:
    began = time.monotonic()
    with pytest.raises(ConnectionError, match="tcp://127.0.0.1:9"):
        Client("tcp://127.0.0.1:9", security=cluster.security, timeout=1, set_as_default=False)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"n_workers": -1}, ValueError, "n_workers is -1"),
        ({"n_workers": 1.5}, TypeError, "n_workers is 1.5"),
        ({"threads_per_worker": 0}, ValueError, "threads_per_worker is 0"),
        ({"memory_limit": "much"}, ValueError, "much"),
        ({"memory_limit": 2.0}, ValueError, "memory_limit is 2.0"),
        ({"colour": 1}, TypeError, "colour"),
    ],
)
def test_bad_arguments_of_clusters(arguments: dict[str, object], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        LocalCluster(**arguments)  # type: ignore[arg-type]


def test_workers_within_this_process() -> None:
    with LocalCluster(n_workers=2, threads_per_worker=2, processes=False) as cluster, Client(cluster) as client:
        client.wait_for_workers(2, 30)
        assert set(client.gather(client.map(lambda _: os.getpid(), range(8)))) == {os.getpid()}
        assert int(ra.arange(1000, chunks=7).sum().compute()) == sum(range(1000))
