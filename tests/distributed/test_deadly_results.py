"""Results whose pickling ends the process that has them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest

from processes_seen import until
from raskt import ResultsLost
from raskt.distributed import Client, LocalCluster, wait

PATIENCE = 120


class Deadly:
    """What is made of it by whoever pickles it is nothing."""

    def __reduce__(self) -> Any:
        os._exit(3)


class Plain:
    def __init__(self, number: int) -> None:
        self.number = number


def deadly(_: int = 0) -> Deadly:
    return Deadly()


def number_of(*read: Any) -> int:
    return len(read)


def dear(number: int) -> Deadly:
    time.sleep(0.3)
    return Deadly()


@pytest.fixture
def client() -> Iterator[Client]:
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
        client.wait_for_workers(2, 30)
        yield client


def test_one_that_is_asked_for_is_told(client: Client) -> None:
    made = client.submit(deadly)
    for _ in range(2):
        with pytest.raises(ResultsLost, match="4 workers died while they were to send it"):
            made.result(timeout=PATIENCE)
    assert client.submit(number_of, 1, 2).result(timeout=PATIENCE) == 2


def test_those_beside_it_come(client: Client) -> None:
    fine = client.map(Plain, range(40))
    made = client.submit(deadly)
    wait([*fine, made], timeout=PATIENCE)
    assert [of.number for of in client.gather([*fine[:20], made, *fine[20:]], errors="skip")] == list(range(40))
    assert [of.number for of in client.gather(fine)] == list(range(40))


def test_what_reads_it_runs_where_it_is(client: Client) -> None:
    made = client.submit(deadly)
    reads = [client.submit(number_of, made, number) for number in range(8)]
    assert client.gather(reads) == [2] * 8


def test_what_reads_two_that_lie_apart_fails(client: Client) -> None:
    here, there = client.scheduler_info()["workers"]
    two = [client.submit(deadly, number, workers=[at]) for number, at in enumerate((here, there))]
    with pytest.raises(Exception, match="can't be sent|died"):
        client.submit(number_of, *two).result(timeout=PATIENCE)
    assert client.submit(number_of, 1).result(timeout=PATIENCE) == 1


def test_one_that_was_dear_is_copied_no_more(client: Client) -> None:
    """A second worker holds what took long to make, without anybody having asked."""
    made = client.map(dear, range(2))

    def are_left_alone() -> bool:
        wait(made, timeout=PATIENCE)
        try:
            before = client.run(os.getpid)
            time.sleep(3)
            return len(before) == 2 and client.run(os.getpid) == before
        except ConnectionError:
            # One has ended meanwhile.
            return False

    until(are_left_alone)
