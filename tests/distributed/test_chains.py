"""Calls that wait for others of their client, and go together with them."""

from __future__ import annotations

import asyncio
import operator
import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest

from raskt.distributed import Client, Future, LocalCluster, as_completed, fire_and_forget, wait

PATIENCE = 30


class Gate:
    """A file: calls behind it wait until it is there."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def open(self) -> None:
        self.path.touch()


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    gate = Gate(tmp_path / "gate")
    yield gate
    # No worker stays behind it.
    gate.open()


def behind(path: Path, number: int) -> int:
    until(path.exists)
    return number


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def inc(number: int) -> int:
    return number + 1


def noted(number: int, path: Path) -> int:
    """Adds a line for each time that it is called."""
    with path.open("a") as file:
        file.write(f"{number}\n")
    return number + 1


def fails(number: int) -> int:
    raise KeyError(number)


def runs(futures: list[Future]) -> int:
    places = [future._place(future.client._raskt_cluster_client) for future in futures]
    return len({place[0] for place in places if place is not None})


def chained(client: Client, first: Future, links: int) -> list[Future]:
    futures = [first]
    for _ in range(links):
        futures.append(client.submit(inc, futures[-1]))
    return futures


def test_links_go_together(client: Client, gate: Gate) -> None:
    first = client.submit(behind, gate.path, 5)
    futures = chained(client, first, 500)
    assert runs(futures) < 250
    assert all(future.status == "pending" for future in futures)
    gate.open()
    assert client.gather(futures) == list(range(5, 506))


def test_what_waits_for_nothing_goes_at_once(client: Client) -> None:
    first = client.submit(inc, 1)
    assert first.result() == 2
    readers = [client.submit(inc, first) for _ in range(10)]
    assert runs(readers) == 10
    assert client.gather(readers) == [3] * 10


def test_each_link_is_made_once(client: Client, gate: Gate, tmp_path: Path) -> None:
    future = client.submit(behind, gate.path, 0)
    for _ in range(200):
        future = client.submit(noted, future, tmp_path / "lines")
    gate.open()
    assert future.result() == 200
    assert (tmp_path / "lines").read_text().split() == [str(at) for at in range(200)]


def test_what_waits_goes_out_though_nobody_asks(client: Client, gate: Gate, tmp_path: Path) -> None:
    first = client.submit(behind, gate.path, 7)
    held = client.submit(noted, first, tmp_path / "lines")
    gate.open()
    until((tmp_path / "lines").exists)
    assert held.result() == 8


def test_what_is_forgotten_goes_out(client: Client, gate: Gate, tmp_path: Path) -> None:
    first = client.submit(behind, gate.path, 7)
    fire_and_forget(client.submit(noted, first, tmp_path / "lines"))
    del first
    gate.open()
    until((tmp_path / "lines").exists)


def test_trees_and_containers(client: Client, gate: Gate) -> None:
    level = [client.submit(behind, gate.path, at) for at in range(2)]
    level += [client.submit(inc, at) for at in range(1, 63)]
    while len(level) > 1:
        level = [client.submit(operator.add, *pair) for pair in zip(level[::2], level[1::2])]
    doubled = client.submit(lambda given, by: given["a"][0] * by, {"a": [level[0]]}, by=level[0])
    gate.open()
    total = sum(range(2)) + sum(range(2, 64))
    assert level[0].result() == total
    assert doubled.result() == total**2


def test_what_cannot_be_pickled_is_told_at_the_call(client: Client, gate: Gate) -> None:
    first = client.submit(behind, gate.path, 1)
    second = client.submit(inc, first)
    with pytest.raises(TypeError, match="lock"):
        client.submit(operator.add, second, threading.Lock())
    third = client.submit(inc, second)
    gate.open()
    assert third.result() == 3


def counter() -> Callable[[int], int]:
    seen: list[int] = []

    def count(number: int) -> int:
        seen.append(number)
        return len(seen)

    return count


def test_a_call_sees_nothing_of_what_another_did_to_its_function(client: Client, gate: Gate) -> None:
    count = counter()
    futures = [client.submit(behind, gate.path, 1)]
    for _ in range(40):
        futures.append(client.submit(count, futures[-1]))
    gate.open()
    assert client.gather(futures) == [1] * 41


def test_a_function_is_as_it_was_at_the_call(client: Client, gate: Gate) -> None:
    first = client.submit(behind, gate.path, 1)
    by = [2]
    futures = []
    for factor in range(10):
        by[0] = factor
        futures.append(client.submit(lambda number: number * by[0], first))
    gate.open()
    assert client.gather(futures) == list(range(10))


def test_what_fails_takes_along_what_reads_it(client: Client, gate: Gate) -> None:
    first = client.submit(behind, gate.path, 3)
    before = client.submit(inc, first)
    bad = client.submit(fails, before)
    futures = chained(client, bad, 3)
    beside = client.submit(inc, before)
    gate.open()
    wait(futures, timeout=PATIENCE)
    for future in futures:
        error = future.exception(timeout=PATIENCE)
        assert isinstance(error, KeyError) and error.args == (4,)
    assert beside.result(timeout=PATIENCE) == 5
    assert before.result(timeout=PATIENCE) == 4


def fails_once(number: int, path: Path) -> int:
    if not path.exists():
        path.touch()
        raise KeyError(number)
    return number


def test_what_failed_is_tried_again(client: Client, gate: Gate, tmp_path: Path) -> None:
    first = client.submit(behind, gate.path, 3)
    future = client.submit(fails_once, first, tmp_path / "failed")
    for _ in range(3):
        future = client.submit(inc, future)
    gate.open()
    with pytest.raises(KeyError):
        future.result(timeout=PATIENCE)
    future.retry()
    assert future.result(timeout=PATIENCE) == 6


def test_cancelling_takes_along_what_waits(client: Client, gate: Gate) -> None:
    futures = chained(client, client.submit(behind, gate.path, 0), 6)
    futures[3].cancel()
    wait(futures[3:], timeout=PATIENCE)
    assert all(future.cancelled() for future in futures[3:])
    with pytest.raises(CancelledError):
        client.submit(inc, futures[3])
    gate.open()
    assert client.gather(futures[:3]) == [0, 1, 2]


def test_unlike_calls(client: Client, gate: Gate) -> None:
    futures = [client.submit(behind, gate.path, 0)]
    for at in range(50):
        futures.append(client.submit(inc, futures[-1], priority=at % 3, retries=at % 2))
    gate.open()
    assert futures[-1].result() == 50


def test_names(client: Client, gate: Gate) -> None:
    first = client.submit(behind, gate.path, 0)
    one, again = client.submit(inc, first, key="one"), client.submit(inc, first, key="one")
    assert one == again and one.key == "one"
    pure = [client.submit(inc, first, pure=True) for _ in range(2)]
    assert pure[0].key == pure[1].key
    gate.open()
    assert client.gather([one, *pure]) == [1, 1, 1]


def test_another_client_reads_what_waits(client: Client, cluster: LocalCluster, gate: Gate) -> None:
    with Client(cluster, set_as_default=False) as other:
        futures = chained(client, client.submit(behind, gate.path, 0), 5)
        theirs = chained(other, futures[-1], 5)
        back = client.submit(operator.add, theirs[-1], futures[1])
        gate.open()
        assert (theirs[-1].result(), back.result()) == (10, 11)


def test_many_threads(client: Client, gate: Gate) -> None:
    first = client.submit(behind, gate.path, 0)
    found: dict[int, list[Future]] = {}

    def submits(own: int) -> None:
        found[own] = chained(client, client.submit(operator.add, first, own), 100)

    threads = [threading.Thread(target=submits, args=(own,)) for own in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gate.open()
    for own, futures in found.items():
        assert client.gather(futures) == list(range(own, own + 101))


def test_a_client_is_closed_with_calls_that_wait(cluster: LocalCluster, gate: Gate) -> None:
    with Client(cluster, set_as_default=False) as client:
        futures = chained(client, client.submit(behind, gate.path, 0), 3)
    with pytest.raises((ConnectionError, CancelledError)):
        futures[-1].result(timeout=PATIENCE)


def test_it_is_awaited(cluster: LocalCluster, gate: Gate) -> None:
    async def main() -> Any:
        async with Client(cluster, asynchronous=True, set_as_default=False) as client:
            future = client.submit(behind, gate.path, 0)
            for _ in range(100):
                future = client.submit(inc, future)
            gate.open()
            return await future

    assert asyncio.run(main()) == 100


def test_they_are_told_as_they_are_done(client: Client, gate: Gate) -> None:
    futures = chained(client, client.submit(behind, gate.path, 0), 20)
    done = as_completed(futures, timeout=PATIENCE)
    gate.open()
    assert set(done) == set(futures)


@pytest.mark.parametrize("seed", range(25))
def test_generated_calls(client: Client, cluster: LocalCluster, tmp_path: Path, seed: int) -> None:
    """The same calls give what plain Python gives: nothing of what fails, or reads such."""
    chance = random.Random(seed)
    gate = Gate(tmp_path / "gate")
    with Client(cluster, set_as_default=False) as other:
        known: list[tuple[Future, Any]] = [(client.submit(behind, gate.path, seed), seed)]
        opens_at = chance.randrange(150)
        for at in range(150):
            if at == opens_at:
                gate.open()
            reads = [known[-1 - min(int(chance.expovariate(0.5)), len(known) - 1)] for _ in range(chance.randint(1, 3))]
            values = [value for _, value in reads]
            bad = next((value for value in values if isinstance(value, str)), None)
            by = other if chance.random() < 0.05 else client
            futures = [future for future, _ in reads]
            if chance.random() < 0.03:
                made = by.submit(broken, futures, at)
                value: Any = bad or f"broken {at}"
            elif chance.random() < 0.3:
                made = by.submit(mixed, futures[0], given={"all": futures, "own": at})
                value = bad or mixed(values[0], {"all": values, "own": at})
            else:
                made, value = by.submit(total, *futures, at), bad or total(*values, at)
            known.append((made, value))
            if len(known) > 4 and chance.random() < 0.3:
                # Nobody here holds it any more.
                del known[chance.randrange(len(known) - 1)]
        gate.open()
        for future, value in known:
            if isinstance(value, int):
                assert future.result(timeout=PATIENCE) == value
            else:
                assert type(future.exception(timeout=PATIENCE)) is ValueError


def total(*numbers: int) -> int:
    return sum(numbers) % 1_000_003


def mixed(first: int, given: dict[str, Any]) -> int:
    return int(first * 31 + sum(given["all"]) + given["own"]) % 1_000_003


def broken(numbers: list[int], at: int) -> int:
    raise ValueError(f"broken {at}")
