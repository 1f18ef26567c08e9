"""Random graphs of delayed calls, computed in every way and by a reference that knows nothing of the engine."""

from __future__ import annotations

import threading
import time

import numpy as np
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


class Failed(Exception):
    """What a node raises; it carries the node's number."""


def add(number, fails, large, *inputs):
    """The number of the node and the sums of its inputs: as a number, or as a large array that starts with it."""
    if fails:
        raise Failed(number)
    total = number + sum(first(value) for value in inputs)
    return np.full(20_000, total) if large else total


def first(value):
    return int(value[0]) if isinstance(value, np.ndarray) else int(value)


@st.composite
def graphs(draw):
    """Nodes as (whether it fails, whether its result is large, the numbers of its inputs), inputs first."""
    count = draw(st.integers(1, 40))
    nodes = []
    for number in range(count):
        most = min(number, 4)
        inputs = draw(st.lists(st.integers(0, number - 1), max_size=most)) if most else []
        nodes.append((draw(st.integers(0, 30)) == 0, draw(st.integers(0, 9)) == 0, inputs))
    wanted = draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=5))
    return nodes, wanted


def reference(nodes, wanted):
    """The values of the wanted nodes, and the nodes that may be the one which fails first."""
    values, failing = {}, set()
    needed, stack = set(), list(wanted)
    while stack:
        number = stack.pop()
        if number not in needed:
            needed.add(number)
            stack.extend(nodes[number][2])
    for number in sorted(needed):
        fails, _, inputs = nodes[number]
        if fails and all(other in values for other in inputs):
            failing.add(number)
        elif all(other in values for other in inputs):
            values[number] = number + sum(values[other] for other in inputs)
    return values, failing


def build(nodes):
    made = []
    for number, (fails, large, inputs) in enumerate(nodes):
        made.append(delayed(add)(number, fails, large, *[made[other] for other in inputs]))
    return made


RULES = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("how", HOW, ids=str)
@RULES
@given(graph=graphs())
def test_every_scheduler_gives_what_the_reference_gives(how, graph):
    nodes, wanted = graph
    made = build(nodes)
    values, failing = reference(nodes, wanted)
    try:
        results = raskt.compute(*[made[number] for number in wanted], **how)
    except Failed as error:
        assert error.args[0] in failing
    else:
        assert not failing
        assert [first(result) for result in results] == [values[number] for number in wanted]


def wait_a_little(value):
    time.sleep(0.002)
    return value


@pytest.mark.parametrize("how", HOW[1:], ids=str)
@settings(max_examples=6, deadline=None)
@given(graph=graphs(), after=st.floats(0, 0.05))
def test_a_failure_elsewhere_at_any_moment_harms_nobody(how, graph, after):
    """
    1. A long computation runs, and another that fails after a moment, on the same engine: the failure cancels what the
       other has in flight.
    2. The long one gives what the reference gives.
    """
    nodes, wanted = graph
    nodes = [(False, large, inputs) for _, large, inputs in nodes]
    values, _ = reference(nodes, wanted)
    failures = []

    def fail():
        time.sleep(after)
        endless = [delayed(time.sleep)(0.05) for _ in range(3)]
        try:
            raskt.compute(*endless, delayed(add)(1, True, False), **how)
        except Failed as error:
            failures.append(error)

    thread = threading.Thread(target=fail)
    thread.start()
    made = [delayed(wait_a_little)(node) for node in build(nodes)]
    results = raskt.compute(*[made[number] for number in wanted], **how)
    thread.join(30)
    assert [first(result) for result in results] == [values[number] for number in wanted]
    assert len(failures) == 1
