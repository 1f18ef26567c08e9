"""Clusters whose processes die, freeze, or are stopped."""

from __future__ import annotations

import io
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest

import raskt
import raskt.array as ra
from processes_seen import is_alive, until
from raskt.distributed import (
    Client,
    Future,
    KilledWorker,
    LocalCluster,
    Security,
    get_client,
    secede,
    wait,
    worker_client,
)
from raskt.distributed._supervised import WAITS, wait_after


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


def test_data_that_is_wanted_itself_comes_though_workers_are_killed() -> None:
    """What comes to be there again is known to the machine before anybody else."""
    data = np.arange(15_000_000.0).reshape(3000, 5000)
    chance = random.Random(5)
    for _ in range(6):
        with LocalCluster(n_workers=3, threads_per_worker=1) as cluster, Client(cluster) as client:
            client.wait_for_workers(3, 30)
            killer = threading.Timer(chance.uniform(0.1, 0.33), os.kill, (pids(cluster)[0], signal.SIGKILL))
            killer.start()
            blocks = ra.from_array(data, chunks=(500, 500)).T.rechunk((1000, 300))
            pool = ThreadPoolExecutor(1)
            assert np.array_equal(pool.submit(blocks.compute).result(timeout=60), data.T)
            pool.shutdown(wait=False)
            killer.join()


def test_a_poison_task_is_told_and_harms_no_other() -> None:
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
        innocent = client.map(slow, range(30))
        poison = client.submit(dies)
        more = client.map(slow, range(30, 60))
        with pytest.raises(KilledWorker, match=r"workers died while they ran `dies-\w+` \(task"):
            poison.result(timeout=60)
        assert client.gather(innocent + more) == list(range(1, 61))
        assert client.submit(slow, 1).result(timeout=30) == 2


def waits_for_another() -> int:
    return get_client().submit(naps, pure=False).result()


def naps() -> int:
    time.sleep(1.0)
    return 1


def kills() -> None:
    time.sleep(0.3)
    os._exit(1)


def kills_after_it_has_seceded() -> None:
    with worker_client():
        kills()


@pytest.mark.parametrize(
    ("guilty", "innocent"),
    [(kills, waits_for_another), (kills_after_it_has_seceded, naps), (kills_after_it_has_seceded, waits_for_another)],
)
def test_whoever_waits_or_goes_on_beside_a_poison_task_is_innocent(guilty, innocent) -> None:  # type: ignore[no-untyped-def]
    with LocalCluster(n_workers=1, threads_per_worker=2) as cluster, Client(cluster) as client:
        poison, other = client.submit(guilty), client.submit(innocent)
        assert other.result(120) == 1
        with pytest.raises(KilledWorker, match=guilty.__name__):
            poison.result(120)


def waits_for_poison() -> None:
    get_client().submit(dies, pure=False).result()


def test_who_waits_for_what_it_has_submitted_itself_is_told() -> None:
    with LocalCluster(n_workers=2, threads_per_worker=1, silence_logs=50) as cluster, Client(cluster) as client:
        with pytest.raises(KilledWorker, match="waits_for_poison"):
            client.submit(waits_for_poison).result(120)
        assert client.submit(slow, 1).result(timeout=60) == 2


def polls(folder: str) -> int:
    """Waits as nobody sees it, and is killed twice before: so it has a worker for itself."""
    lives = Path(folder) / "lives"
    with lives.open("a") as file:
        file.write(f"{os.getpid()}\n")
    if len(lives.read_text().split()) <= 2:
        time.sleep(60)
    secede()
    futures = get_client().map(slow, range(4), pure=False)
    while not all(future.done() for future in futures):
        time.sleep(0.02)
    return sum(future.result() for future in futures)


def test_a_suspect_that_waits_as_nobody_sees_it_goes_on(tmp_path: Path) -> None:
    with LocalCluster(n_workers=1, threads_per_worker=2, silence_logs=50) as cluster, Client(cluster) as client:
        future, lives = client.submit(polls, str(tmp_path)), tmp_path / "lives"
        for count in (1, 2):
            until(lambda count=count: lives.exists() and len(lives.read_text().split()) == count, 60)
            # It has to have been said that the task has begun.
            time.sleep(0.5)
            os.kill(int(lives.read_text().split()[-1]), signal.SIGKILL)
        assert future.result(timeout=60) == 10


def test_who_has_killed_workers_is_named() -> None:
    with LocalCluster(n_workers=4, threads_per_worker=1, silence_logs=50) as cluster, Client(cluster) as client:
        poison = client.submit(dies, key="poison")
        with pytest.raises(KilledWorker, match=r"workers died while they ran `poison` \(task"):
            client.gather([poison])
        assert "`poison`" in str(poison.exception())
        with pytest.raises(KilledWorker, match=r"workers died while they ran `dies-\w+` \(task"):
            raskt.compute(raskt.delayed(dies)(), raskt.delayed(abs)(-1))


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


def drawn(seconds: float = 0.2) -> int:
    """No two calls come to the same."""
    time.sleep(seconds)
    return random.SystemRandom().getrandbits(60)


def sent_back(number: int) -> int:
    return number


def is_held_twice(client: Client, future: Future) -> bool:
    deadline = time.monotonic() + 30
    while len(client.who_has([future])[future.key]) < 2:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def holders(client: Client, cluster: LocalCluster, future: Future) -> list[int]:
    processes = {str(worker.name): worker.process for worker in cluster.workers.values()}
    found = [processes[worker] for worker in client.who_has([future])[future.key]]
    return [process.pid for process in found if process is not None]


def test_what_was_dear_to_make_outlives_its_worker() -> None:
    """And what is made of it in no time, for which it would be made again."""
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
        client.wait_for_workers(2, 30)
        # The first call of a worker imports what it needs.
        wait(client.map(drawn, [0.0] * 20, pure=False))
        cheap = client.map(drawn, [0.0] * 8, pure=False)
        dear = client.submit(drawn)
        last = dear
        for _ in range(5):
            last = client.submit(sent_back, last)
        del dear
        number = last.result()
        assert is_held_twice(client, last)
        # One of them may have stood still with its machine.
        held = [len(workers) for workers in client.who_has(cheap).values()]
        assert 1 in held, "a copy costs more than making it again"
        for _ in range(3):
            [first, *_] = holders(client, cluster, last)
            os.kill(first, signal.SIGKILL)
            # One of whose death nobody has heard yet counts as one that holds it.
            until(lambda first=first: first not in holders(client, cluster, last))
            client.wait_for_workers(2, 30)
            assert client.submit(sent_back, last).result(timeout=30) == number
            assert is_held_twice(client, last)


def test_what_is_large_against_what_it_took_is_not_copied() -> None:
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
        client.wait_for_workers(2, 30)
        large = client.submit(lambda: (time.sleep(0.1), b"x" * (2 << 20))[1])
        wait(large)
        worker = next(iter(client.who_has([large])[large.key]))
        small = client.submit(drawn, 0.1, workers=[worker])
        assert is_held_twice(client, small)
        assert len(client.who_has([large])[large.key]) == 1


def test_who_has_lived_is_started_again_at_once() -> None:
    assert [wait_after(0.0, deaths) for deaths in range(len(WAITS) + 2)] == [*WAITS, WAITS[-1], WAITS[-1]]
    assert wait_after(1.5, len(WAITS)) == WAITS[-1] - 1.5
    assert wait_after(WAITS[-1] + 0.1, 100) == 0.0


def with_child() -> tuple[int, int]:
    return os.getpid(), subprocess.Popen(["sleep", "777"]).pid


def test_what_a_task_has_started_ends_with_its_worker() -> None:
    with LocalCluster(n_workers=1, threads_per_worker=1) as cluster, Client(cluster) as client:
        worker, child = client.submit(with_child).result()
        assert is_alive(child)
        os.kill(worker, signal.SIGKILL)
        until(lambda: not is_alive(child))
        again, second = client.submit(with_child, pure=False).result()
        assert again != worker and is_alive(second)
    until(lambda: not is_alive(second))


def test_workers_are_started_again_where_nobody_can_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with LocalCluster(n_workers=1, threads_per_worker=1) as cluster, Client(cluster) as client:
        closed = io.StringIO()
        closed.close()
        for _ in range(2):
            [pid] = client.run(os.getpid).values()
            with monkeypatch.context() as patch:
                patch.setattr(sys, "stderr", closed)
                os.kill(pid, signal.SIGKILL)
                assert client.submit(os.getpid, pure=False).result(timeout=60) != pid


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
        Client(cluster.scheduler_address, security=Security(), timeout=5, set_as_default=False)


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
