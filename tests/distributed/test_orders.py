"""What a client has done with its cluster."""

from __future__ import annotations

import os
import signal
from collections import Counter
from contextlib import suppress
from typing import Any

import pytest

import raskt.array as ra
from processes_seen import until
from raskt.distributed import CancelledError, Client, LocalCluster, wait


def tell(path: str, number: int) -> int:
    """Says in a file that it was run."""
    with open(path, "a") as file:
        file.write("x")
    return number


def test_a_worker_retires_and_nothing_is_made_again(tmp_path: object) -> None:
    path = f"{tmp_path}/runs"
    with LocalCluster(n_workers=3, threads_per_worker=1) as cluster, Client(cluster) as client:
        client.wait_for_workers(3)
        futures = [client.submit(tell, path, number, key=f"tell-{number}") for number in range(30)]
        wait(futures)
        busiest = max(client.has_what().items(), key=lambda held: len(held[1]))[0]
        retired = client.retire_workers([busiest])
        assert list(retired) == [busiest]
        assert retired[busiest]["nthreads"] == 1
        assert busiest not in client.nthreads()
        assert client.gather(futures) == list(range(30))
        assert all(workers and busiest not in workers for workers in client.who_has(futures).values())
        assert client.submit(abs, -1).result() == 1
        assert os.path.getsize(path) == 30


def test_of_workers_that_retire_only_what_can_be_is_done(client: Client) -> None:
    with pytest.raises(ValueError, match="which workers"):
        client.retire_workers()
    with pytest.raises(ValueError, match="no worker"):
        client.retire_workers(["nobody"])
    with pytest.raises(NotImplementedError):
        client.retire_workers(remove=False, n=1)
    future = client.submit(abs, -1)
    wait(future)
    with pytest.raises(RuntimeError, match="nobody else"):
        client.retire_workers(list(client.nthreads()))
    assert client.gather(client.map(abs, range(10))) == list(range(10))


def test_results_are_replicated(client: Client) -> None:
    futures = client.map(bytes, range(100_000, 100_010))
    client.replicate(futures)
    assert {len(workers) for workers in client.who_has(futures).values()} == {2}
    client.replicate(futures, n=1)
    with pytest.raises(ValueError, match="n is 0"):
        client.replicate(futures, n=0)


class Large:
    """Has much, which is nowhere else."""

    def __init__(self) -> None:
        self.data = bytes(10_000_000)

    def size(self) -> int:
        return len(self.data)


def test_results_go_to_whoever_holds_little() -> None:
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
        one, other = sorted(client.nthreads())
        # They are too large for a second worker to hold what took long, on a machine that stands still for a moment.
        actor = client.submit(Large, actor=True, workers=[one]).result(timeout=30)
        futures = client.map(bytes, range(2_000_000, 2_000_020), workers=[one])
        read = client.submit(len, futures[0], workers=[one])
        of_array = client.persist(ra.ones((800, 1000), chunks=(200, 1000)))
        wait([*futures, read])
        assert not any(other in workers for workers in client.who_has(futures).values())
        client.rebalance(futures[:2], workers=[one, other])
        assert sum(workers == [other] for workers in client.who_has(futures).values()) in (1, 2)
        client.rebalance()
        held = Counter(worker for workers in client.who_has(futures).values() for worker in workers)
        assert sum(held.values()) == 20 and abs(held[one] - held[other]) <= 5
        assert [len(data) for data in client.gather(futures)] == list(range(2_000_000, 2_000_020))
        # What can't be had elsewhere has stayed, and what has gone is read and let go of as before.
        assert actor.size().result(timeout=30) == 10_000_000
        assert float(of_array.sum().compute()) == 800_000
        assert client.gather(client.map(len, futures)) == list(range(2_000_000, 2_000_020))
        # Whoever has read some of it may have kept that. What is even stays.
        seen = [client.who_has(futures)]
        for _ in range(20):
            client.rebalance()
            seen.append(client.who_has(futures))
            if seen[-1] == seen[-2]:
                break
        else:
            pytest.fail(f"it goes on and on: {seen}")
        with pytest.raises(ValueError, match="there is no worker 'nobody'"):
            client.rebalance(workers="nobody")
        with pytest.raises(TypeError, match=r"rebalance\(\) takes futures"):
            client.rebalance(5)
        with pytest.raises(NotImplementedError, match="safe"):
            client.rebalance(safe=True)
        del futures, seen
        until(lambda: not any(key.startswith("bytes") for keys in client.has_what().values() for key in keys))


class Unsendable:
    """Can't be pickled."""

    def __init__(self, size: int) -> None:
        self.data = bytes(size)

    def __reduce__(self) -> Any:
        raise ValueError("this one stays")


def large(number: int) -> Any:
    return Unsendable(2_000_000) if number == 3 else bytes(2_000_000)


def test_one_result_that_cannot_go_keeps_no_other() -> None:
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
        one, other = sorted(client.nthreads())
        futures = client.map(large, range(12), workers=[one])
        wait(futures)
        for _ in range(2):
            with suppress(RuntimeError):
                client.rebalance()
        held = list(client.who_has(futures).values())
        assert all(len(workers) == 1 for workers in held), "nothing takes memory twice"
        assert 4 <= held.count([other]) <= 8


def test_results_move_while_tasks_come_and_go() -> None:
    """Whatever goes meanwhile, each task reads what it is to."""
    with LocalCluster(n_workers=3, threads_per_worker=1) as cluster, Client(cluster) as client:
        first = sorted(client.nthreads())[0]
        for _ in range(10):
            made = client.map(bytes, range(100_000, 100_060), workers=[first], pure=False)
            read = client.map(len, made, pure=False)
            again = client.map(lambda data, size: len(data) - size, made, read, pure=False)
            client.rebalance(made[:1])
            client.rebalance()
            sums = client.map(sum, [[one, two] for one, two in zip(again, again[1:])], pure=False)
            assert client.gather(sums) == [0] * 59


def test_a_restart_begins_all_anew() -> None:
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
        client.wait_for_workers(2)
        before = client.run(os.getpid)
        future = client.submit(abs, -1)
        assert future.result() == 1
        client.restart()
        assert future.status == "cancelled"
        with pytest.raises(CancelledError):
            future.result()
        after = client.run(os.getpid)
        assert sorted(after) == sorted(before)
        assert not set(after.values()) & set(before.values())
        one = next(iter(after))
        assert client.restart_workers([one]) == {one: "OK"}
        again = client.run(os.getpid)
        assert {name for name in again if again[name] != after[name]} == {one}
        assert client.submit(abs, -2).result() == 2


def test_workers_of_this_process_let_go_of_all_that_they_hold() -> None:
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False) as cluster, Client(cluster) as client:
        client.wait_for_workers(1)
        future = client.submit(abs, -1)
        wait(future)
        client.restart()
        assert client.who_has() == {}
        assert client.submit(abs, -2).result() == 2


def test_a_client_ends_a_cluster_that_others_have_started() -> None:
    with LocalCluster(n_workers=1, threads_per_worker=1) as cluster:
        client = Client(cluster.scheduler_address, security=cluster.security, set_as_default=False)
        client.wait_for_workers(1)
        client.shutdown()
        assert client.is_closed
        with pytest.raises(ConnectionError):
            Client(cluster.scheduler_address, timeout=2, security=cluster.security, set_as_default=False)


def test_data_that_does_not_come_to_all_in_time_is_told() -> None:
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
        client.wait_for_workers(2, 30)
        stopped = next(iter(client.run(os.getpid).values()))
        os.kill(stopped, signal.SIGSTOP)
        try:
            with pytest.raises(TimeoutError):
                client.scatter(b"x" * 100_000, broadcast=True, timeout=1)
        finally:
            os.kill(stopped, signal.SIGCONT)
        assert client.scatter(b"y" * 100_000, broadcast=True, timeout=30).result(timeout=30) == b"y" * 100_000


def test_hardware_is_measured(client: Client) -> None:
    rates = client.benchmark_hardware()
    assert all(rate > 0 for part in ("disk", "memory") for rate in rates[part].values())


def test_what_is_not_done_says_so(client: Client) -> None:
    with pytest.raises(NotImplementedError, match="runs no code of users"):
        client.run_on_scheduler(abs, 1)
    with pytest.raises(NotImplementedError, match="get_worker_logs"):
        client.forward_logging()
