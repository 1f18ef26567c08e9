"""Programs that hold nothing but what they wait for: what that needs stays until it is made, given data as well."""

from __future__ import annotations

import gc
import random
import time
import weakref
from collections.abc import Callable

import numpy as np
import pytest

import raskt.array as ra
from raskt.distributed import Client, Future, LocalCluster, Queue, Variable, get_client

PATIENCE = 60


def inc(value: int) -> int:
    return value + 1


def one_more(*values: int | np.ndarray, size: int = 0) -> int | np.ndarray:
    """One more than the sum of what is read, of an array its first element; as an array of `size`, if that is some."""
    total = sum(first(value) for value in values) + 1
    return np.full(size, total) if size else total


def first(value: int | np.ndarray) -> int:
    return int(value[0]) if isinstance(value, np.ndarray) else value


def persisted_again(_: Client) -> float:
    held = ra.from_array(np.zeros((100, 100)), chunks=50).persist()
    for _again in range(3):
        held = (held + 1).persist()
    return float(held.sum().compute())


LINES: dict[str, tuple[Callable[[Client], object], object]] = {
    "a large argument": (lambda c: c.submit(inc, c.submit(np.sum, np.ones(3_000_000))).result(PATIENCE), 3_000_001),
    "scattered": (lambda c: c.submit(inc, c.submit(inc, c.scatter(1))).result(PATIENCE), 3),
    "a map": (lambda c: c.submit(sum, c.map(inc, c.scatter(list(range(10))))).result(PATIENCE), 55),
    "large and scattered": (
        lambda c: c.submit(float, c.submit(np.sum, c.submit(inc, c.scatter(np.ones(300_000))))).result(PATIENCE),
        600_000.0,
    ),
    "a collection": (
        lambda c: c.submit(int, c.compute(ra.from_array(np.arange(60), chunks=7).sum())).result(PATIENCE),
        1770,
    ),
    "persisted again and again": (persisted_again, 30_000.0),
}


@pytest.mark.parametrize("line", LINES)
def test_what_is_read_by_what_is_waited_for_stays(client: Client, line: str) -> None:
    call, expected = LINES[line]
    for _ in range(10):
        assert call(client) == expected


Live = list[tuple[Future, int]]


def grow(client: Client, chance: random.Random, live: Live) -> None:
    """Adds to the futures there are, each with what it should give, or waits for one of them."""
    step = chance.random()
    if step < 0.2 or not live:
        value, size = chance.randint(0, 9), chance.choice([1, 2000])
        live.append((client.scatter(np.full(size, value)), value))
    elif step < 0.7:
        read = [chance.choice(live) for _ in range(chance.randint(0, 3))]
        futures, values = [future for future, _ in read], [value for _, value in read]
        live.append((client.submit(one_more, *futures, size=chance.choice([0, 0, 1000])), sum(values) + 1))
    elif step < 0.85:
        read = [chance.choice(live) for _ in range(chance.randint(1, 4))]
        futures = client.map(one_more, [future for future, _ in read])
        live += [(future, value + 1) for future, (_, value) in zip(futures, read, strict=True)]
    else:
        future, value = chance.choice(live)
        assert first(future.result(PATIENCE)) == value


def program(client: Client, seed: int) -> None:
    """A graph of calls of which handles are dropped as it grows; what is left is compared with what it should be."""
    chance = random.Random(seed)
    live: Live = []
    for _ in range(chance.randint(3, 25)):
        grow(client, chance, live)
        if chance.random() < 0.5 and len(live) > 1:
            live.pop(chance.randrange(len(live) - 1))
    chance.shuffle(live)
    del live[3:]
    gathered = client.gather([future for future, _ in live])
    assert [first(value) for value in gathered] == [value for _, value in live]


@pytest.mark.parametrize("seed", range(0, 200, 20))
def test_any_graph_of_calls_comes_whatever_handles_are_dropped(client: Client, seed: int) -> None:
    for each in range(seed, seed + 20):
        program(client, each)


class Given:
    """Something of which it is seen whether it is there."""


def test_what_was_given_goes_when_nobody_needs_it(client: Client) -> None:
    given = [Given() for _ in range(3)]
    seen = [weakref.ref(each) for each in given]
    scattered = client.scatter(given[0])
    read = client.submit(type, client.scatter(given[1]))
    never = client.submit(type, client.scatter(given[2]), workers=["nobody"])
    assert read.result(PATIENCE) is Given
    del given, scattered, never
    deadline = time.monotonic() + PATIENCE
    while any(each() for each in seen) and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.01)
    assert [each() for each in seen] == [None, None, None]


def test_what_is_handed_on_by_name_is_there_for_others(client: Client, cluster: LocalCluster) -> None:
    """The call that gives it may wait for others to go with it, and nobody but the name holds it."""
    with Client(cluster, set_as_default=False) as other:
        for at in range(50):
            Queue("handed-on", client=client).put(client.submit(inc, client.scatter(at)))
            future = Queue("handed-on", client=other).get(timeout=PATIENCE)
            read = other.submit(inc, future)
            assert (future.result(PATIENCE), read.result(PATIENCE)) == (at + 1, at + 2)


def gives(name: str, count: int) -> None:
    queue, variable = Queue(name), Variable(name)
    for at in range(count):
        queue.put(get_client().submit(inc, at, pure=False))
        variable.set(get_client().submit(inc, at, pure=False))


def takes(name: str, count: int) -> list[int]:
    queue, variable = Queue(name), Variable(name)
    return [queue.get(timeout=PATIENCE).result() for _ in range(count)] + [variable.get(timeout=PATIENCE).result()]


def test_what_tasks_hand_on_by_name_is_there_for_other_tasks(client: Client) -> None:
    """Nobody but the queue holds it, and whoever asks for an item is another than who takes up its result."""
    for run in range(3):
        giving = client.submit(gives, f"run-{run}", 100, pure=False)
        taking = client.submit(takes, f"run-{run}", 100, pure=False)
        *taken, last = taking.result(PATIENCE)
        assert taken == list(range(1, 101)) and 1 <= last <= 100
        giving.result(PATIENCE)
        # What it has stays for as long as there is the variable.
        Variable(f"run-{run}", client).delete()
        Queue(f"run-{run}", client).close()
