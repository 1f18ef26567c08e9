"""Random delayed calls with everything that an argument may be, in every way of computing, against plain Python."""

from __future__ import annotations

import os
import tempfile
from collections import namedtuple
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import raskt
from raskt import delayed

HOW = [
    {"scheduler": "sync"},
    {"scheduler": "threads", "num_workers": 1},
    {"scheduler": "threads", "num_workers": 3},
    {"scheduler": "processes", "num_workers": 2},
]

Pair = namedtuple("Pair", ["left", "right"])


@dataclass(frozen=True)
class Box:
    content: Any


@dataclass(frozen=True)
class Ref:
    """Stands for the node of this number, modulo the numbers that there are."""

    number: int


@dataclass(frozen=True)
class Node:
    argument: Any
    named: Any
    """None for no argument by name."""
    failures: int
    """The call fails so often before it succeeds."""
    retries: int
    key: str | None
    pure: bool


class Failed(Exception):
    """What a call raises; it carries the number of its node."""


def work(number, folder, failures, argument, named=0):
    """The number and the sum of all numbers in the arguments; fails its first times."""
    attempt = Path(folder, str(number))
    with open(attempt, "ab") as file:
        file.write(b".")
    if os.path.getsize(attempt) <= failures:
        raise Failed(number)
    return (number + total(argument) + total(named)) % 1_000_003


def total(part):
    if isinstance(part, dict):
        return sum(total(key) + 3 * total(value) for key, value in part.items())
    if isinstance(part, Pair):
        return total(part.left) - 2 * total(part.right)
    if isinstance(part, Box):
        return 5 * total(part.content)
    if isinstance(part, slice):
        return total(part.start) + total(part.stop)
    if isinstance(part, (list, tuple)):
        return sum((at + 1) * total(item) for at, item in enumerate(part))
    if isinstance(part, set):
        return sum(map(total, part))
    return part


leaves = st.integers(0, 9) | st.builds(Ref, st.integers(0, 30))
arguments = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.integers(0, 3), inner, max_size=2)
        | st.sets(st.builds(Ref, st.integers(0, 30)), max_size=3)
        | st.builds(Pair, inner, inner)
        | st.builds(Box, inner)
        | st.builds(slice, leaves, leaves)
    ),
    max_leaves=5,
)
rarely = st.sampled_from([0] * 12 + [1, 1, 2])
nodes = st.builds(
    Node,
    argument=arguments,
    named=st.none() | arguments,
    failures=rarely,
    retries=st.sampled_from([0, 0, 1, 2]),
    key=st.sampled_from([None, None, None, "one", "two"]),
    pure=st.booleans(),
)
graphs = st.tuples(st.lists(nodes, min_size=1, max_size=20), st.recursive(leaves, lambda inner: st.lists(inner)))


def replaced(part, made):
    """`part` with what `made` has in the place of references."""
    if isinstance(part, Ref):
        return made[part.number % len(made)] if made else 0
    if isinstance(part, dict):
        return {key: replaced(value, made) for key, value in part.items()}
    if isinstance(part, Pair):
        return Pair(*(replaced(item, made) for item in part))
    if isinstance(part, Box):
        return Box(replaced(part.content, made))
    if isinstance(part, slice):
        return slice(replaced(part.start, made), replaced(part.stop, made))
    if isinstance(part, (list, tuple, set)):
        return type(part)(replaced(item, made) for item in part)
    return part


def build(graph, folder):
    made = []
    for number, node in enumerate(graph):
        named = {} if node.named is None else {"named": replaced(node.named, made)}
        with raskt.annotate(retries=node.retries):
            call = delayed(work, pure=node.pure)
            made.append(
                call(number, folder, node.failures, replaced(node.argument, made), dask_key_name=node.key, **named)
            )
    return made


def reference(graph, wanted):
    """The value of what is wanted, and the nodes of which one fails first."""
    reads = [
        set(references((node.argument, node.named), at) if at else ()) for at, node in enumerate(graph)
    ]  # fmt: skip
    needed, stack = set(), list(references(wanted, len(graph)))
    while stack:
        number = stack.pop()
        if number not in needed:
            needed.add(number)
            stack.extend(reads[number])
    values: list[Any] = []
    failing, bad = set(), set()
    for number, node in enumerate(graph):
        fails = node.failures > node.retries
        if number in needed and fails and not reads[number] & bad:
            failing.add(number)
        if fails or reads[number] & bad:
            bad.add(number)
        named = 0 if node.named is None else replaced(node.named, values)
        values.append((number + total(replaced(node.argument, values)) + total(named)) % 1_000_003)
    return replaced(wanted, values), failing


def references(part, count):
    if isinstance(part, Ref):
        yield part.number % count
    elif isinstance(part, dict):
        for value in part.values():
            yield from references(value, count)
    elif isinstance(part, Box):
        yield from references(part.content, count)
    elif isinstance(part, slice):
        yield from references((part.start, part.stop), count)
    elif isinstance(part, (list, tuple, set)):
        for item in part:
            yield from references(item, count)


@pytest.mark.parametrize("how", HOW, ids=str)
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(graph=graphs)
def test_calls_give_what_plain_python_gives(how, graph):
    """
    1. Calls read each other's results from within containers, fail now and then, and some may be made again.
    2. What is wanted is as it would be without raskt, or the error is one of those that may come first.
    3. No call was made more often than it may be, and none twice that succeeded.
    """
    graph, wanted = graph
    value, failing = reference(graph, wanted)
    # Where a call failed, others may still be at work in their processes, and leave marks, while the folder goes.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        made = build(graph, folder)
        try:
            (result,) = raskt.compute(replaced(wanted, made), **how)
        except Failed as error:
            assert error.args[0] in failing
        else:
            assert not failing
            assert result == value
        for number, node in enumerate(graph):
            attempt = Path(folder, str(number))
            assert not attempt.exists() or attempt.stat().st_size <= min(node.failures, node.retries) + 1


# --- shapes at the ends of what is usual ---


def successor(x):
    return x + 1


def count(*args):
    return len(args)


@pytest.mark.parametrize("how", HOW, ids=str)
def test_nothing_one_and_much_of_the_same(how):
    assert raskt.compute(**how) == ()
    assert raskt.compute([], {}, 5, **how) == ([], {}, 5)
    one = delayed(successor)(0)
    assert raskt.compute(one, **how) == (1,)
    assert raskt.compute([one] * 1000, one, **how) == ([1] * 1000, 1)


@pytest.mark.parametrize("how", HOW, ids=str)
def test_a_chain_of_a_hundred_thousand(how):
    # A chain is a message there and back for each of its calls if they run in processes.
    length = 100_000 if how["scheduler"] != "processes" else 2_000
    last = 0
    for _ in range(length):
        last = delayed(successor)(last)
    assert last.compute(**how) == length


@pytest.mark.parametrize("how", HOW, ids=str)
def test_ten_thousand_inputs_of_one_call(how):
    leaves = [delayed(successor)(at) for at in range(10_000)]
    assert delayed(count)(*leaves).compute(**how) == 10_000
    assert delayed(sum)(leaves).compute(**how) == sum(range(1, 10_001))


@pytest.mark.parametrize("how", HOW, ids=str)
def test_one_input_of_ten_thousand_calls(how):
    root = delayed(successor)(0)
    readers = [delayed(pow)(root, at) for at in range(10_000)]
    assert sum(raskt.compute(*readers, **how)) == 10_000


@pytest.mark.parametrize("how", HOW, ids=str)
def test_calls_under_one_key_are_calls_of_their_own(how):
    calls = [delayed(successor)(at, dask_key_name="same") for at in range(20)]
    assert raskt.compute(*calls, **how) == tuple(range(1, 21))
    assert delayed(sum)(calls).compute(**how) == 210
