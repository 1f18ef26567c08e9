"""Futures in containers of all kinds, as arguments and where results are gathered; and names that are too long."""

from __future__ import annotations

import dataclasses
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any, NamedTuple

import pytest

from raskt.distributed import Client, Event, Lock, Queue, Variable


class Pair(NamedTuple):
    one: Any
    two: Any


class Names(dict):
    def __init__(self, title):
        super().__init__()
        self.title = title


class Row(list):
    pass


class Marks(set):
    pass


class Triple(tuple):
    pass


@dataclasses.dataclass(frozen=True)
class Point:
    x: Any
    y: Any = 1


def named(future):
    names = Names("t")
    names["a"] = future
    return names


def shown(value):
    return type(value).__name__, value, getattr(value, "default_factory", None), getattr(value, "title", None)


MADE = {
    "namedtuple": lambda f: Pair(f, [f]),
    "defaultdict": lambda f: defaultdict(list, {"x": f, "y": [f]}),
    "OrderedDict": lambda f: OrderedDict([("z", f), ("a", 2)]),
    "dict": lambda f: {"x": {"y": (f, {f})}},
    "dict subclass": named,
    "Counter": lambda f: Counter({"a": f}),
    "list subclass": lambda f: Row([f, 2]),
    "set subclass": lambda f: Marks([f, 2]),
    "nested": lambda f: [Pair({"k": f}, defaultdict(int, {1: Row([f])}))],
}

CALLS_ALONE = {"dataclass": lambda f: Point([f])}
"""What is looked into among arguments, and comes back from `gather` as it is."""

GATHERED_ALONE = {"deque": lambda f: deque([f], maxlen=3), "frozenset": lambda f: frozenset([f])}
"""What arguments keep with the futures in it."""


@pytest.fixture
def seven(client: Client):
    future = client.submit(abs, -7, key="seven")
    future.result()
    return future


@pytest.mark.parametrize("kind", MADE | CALLS_ALONE)
@pytest.mark.parametrize("how", ["submit", "map", "by name"])
def test_futures_in_arguments_are_results(client: Client, seven, kind, how):
    make = (MADE | CALLS_ALONE)[kind]
    expected = shown(make(7))
    if how == "submit":
        assert client.submit(shown, make(seven)).result() == expected
    elif how == "map":
        assert client.gather(client.map(shown, [make(seven)] * 2)) == [expected] * 2
    else:
        assert client.submit(shown, value=make(seven)).result() == expected


@pytest.mark.parametrize("kind", MADE | GATHERED_ALONE)
def test_futures_are_gathered_in_their_containers(client: Client, seven, kind):
    make = (MADE | GATHERED_ALONE)[kind]
    assert shown(client.gather(make(seven))) == shown(make(7))
    assert getattr(client.gather(make(seven)), "maxlen", None) == getattr(make(7), "maxlen", None)


def test_a_tuple_of_another_kind_comes_as_a_tuple(client: Client, seven):
    assert client.submit(shown, Triple([seven])).result()[:2] == ("tuple", (7,))


def test_containers_without_futures_come_as_they_are(client: Client):
    for make in (MADE | CALLS_ALONE).values():
        assert client.submit(shown, make(5)).result() == shown(make(5))


def test_futures_that_are_left_out_leave_their_containers(client: Client, seven):
    failed = client.submit(divmod, 1, 0)
    gather = client.gather
    assert gather(Pair(seven, failed), errors="skip") == (7,)
    assert gather(defaultdict(list, {"x": seven, "y": failed}), errors="skip") == {"x": 7}
    assert gather(Row([failed, seven]), errors="skip") == [7]


LONG = "n" * (5 << 20)


@pytest.mark.parametrize(
    "call",
    {
        "resources": lambda client: client.submit(abs, -1, resources={LONG: 1}),
        "many resources": lambda client: client.submit(abs, -1, resources={f"{n:0100}": 1 for n in range(20_000)}),
        "workers": lambda client: client.submit(abs, -1, workers=[LONG]),
        "many workers": lambda client: client.map(abs, [-1], workers=[f"{n:0100}" for n in range(20_000)]),
        "metadata": lambda client: client.set_metadata(LONG, 1),
        "dataset": lambda client: client.publish_dataset(1, name=LONG),
        "topic": lambda client: client.log_event(LONG, 1),
        "event": lambda client: client.log_event("a", bytes(80 << 20)),
        "lock": lambda client: Lock(LONG).acquire(timeout=1),
        "event by name": lambda client: Event(LONG).is_set(),
        "variable": lambda client: Variable(LONG).set(1),
        "queue": lambda client: Queue(LONG).put(1),
        "plugin": lambda client: client.unregister_worker_plugin(LONG),
        "answer": lambda client: client.run(bytes, 80 << 20),
    }.items(),
    ids=lambda call: call[0],
)
def test_what_is_too_long_is_refused_where_it_is_said(client: Client, call):
    with pytest.raises((ValueError, ConnectionError), match="bytes"):
        call[1](client)
    # The session goes on, and so do the workers.
    assert client.submit(abs, -1).result() == 1
