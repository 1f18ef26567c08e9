"""Processes that stand still for longer than others wait for them, and come back with what they have."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import closing
from pathlib import Path

import pytest
from killed_scheduler import Place

from processes_seen import until
from raskt.distributed import Client, LocalCluster, Variable, wait

STILL = 17.0
"""Seconds: who isn't heard of for 15 is given up."""


class Counter:
    def __init__(self) -> None:
        self.n = 0

    def inc(self) -> int:
        self.n += 1
        return self.n


def marked(number: int, marks: Path) -> int:
    with open(marks, "a") as file:
        file.write(f"{number}\n")
    return number


def stand_still(pids: list[int]) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        time.sleep(STILL)
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def test_a_worker_that_was_given_up_comes_back_with_results_and_actors(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    with LocalCluster(n_workers=1, threads_per_worker=1) as cluster, Client(cluster) as client:
        client.wait_for_workers(1, 30)
        futures = client.map(marked, range(20), marks=marks)
        actor = client.submit(Counter, actor=True).result(timeout=30)
        assert actor.inc().result(timeout=30) == 1
        wait(futures)
        before = client.run(os.getpid)
        stand_still(list(before.values()))
        until(lambda: client.scheduler_info()["workers"], 30)
        assert client.gather(futures) == list(range(20))
        assert sorted(client.run(os.getpid).values()) == sorted(before.values())
        assert len(marks.read_text().split()) == 20
        assert actor.inc().result(timeout=30) == 2


def test_a_cluster_that_is_stopped_as_a_whole_goes_on(tmp_path: Path) -> None:
    code = """
        import os, sys, time
        from raskt.distributed import Client, wait

        def marked(number, marks):
            with open(marks, "a") as file:
                file.write(f"{number}\\n")
            return number

        if __name__ == "__main__":
            with Client(n_workers=2, threads_per_worker=1) as client:
                client.wait_for_workers(2, 30)
                futures = client.map(marked, range(20), marks=sys.argv[1])
                wait(futures)
                data = client.scatter(list(range(100)))
                print(*client.run(os.getpid).values(), flush=True)
                sys.stdin.readline()
                time.sleep(3)
                print(sum(client.gather(futures)), sum(client.gather(data)), flush=True)
    """
    script, marks = tmp_path / "script.py", tmp_path / "marks"
    script.write_text(textwrap.dedent(code))
    call = [sys.executable, str(script), str(marks)]
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        workers = [int(pid) for pid in process.stdout.readline().split()]
        assert len(workers) == 2
        stand_still([process.pid, *workers])
        told, _ = process.communicate("\n", timeout=60)
    assert told.split() == [str(sum(range(20))), str(sum(range(100)))]
    assert len(marks.read_text().split()) == 20


def test_a_client_that_is_closed_says_so_while_its_scheduler_stands_still(tmp_path: Path) -> None:
    with closing(Place(tmp_path)) as place:
        client = Client(scheduler_file=str(place.file), set_as_default=False)
        client.wait_for_workers(2, 30)
        assert client.submit(abs, -1).result(timeout=30) == 1
        place.scheduler.send_signal(signal.SIGSTOP)
        try:
            client.close()
            asks = (client.nthreads, client.who_has, lambda: client.run(os.getpid), lambda: client.submit(abs, -2))
            for ask in (*asks, Variable("closed", client=client).get):
                with pytest.raises(ConnectionError):
                    ask()
        finally:
            place.scheduler.send_signal(signal.SIGCONT)
