"""Random futures that read each other, fail, are cancelled and let go, against what must come of each."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import raskt
from raskt.futures import CancelledError, as_completed, gather, submit, wait


@dataclass(frozen=True)
class Step:
    """A call to be submitted."""

    reads: list[int]
    """Numbers of earlier futures, modulo how many there are."""
    nested: bool
    """Whether it gets them in a container."""
    failures: int
    retries: int
    priority: int
    cancelled: bool
    """Whether it is cancelled while others go on being submitted."""
    held: bool
    """Whether somebody holds the future."""


steps = st.builds(
    Step,
    reads=st.lists(st.integers(0, 40), max_size=4),
    nested=st.booleans(),
    failures=st.sampled_from([0] * 9 + [1, 2]),
    retries=st.sampled_from([0, 0, 1]),
    priority=st.integers(-2, 2),
    cancelled=st.sampled_from([False] * 7 + [True]),
    held=st.sampled_from([True] * 4 + [False]),
)


class Failed(Exception):
    """What a call raises; it carries its number."""


class Calls:
    """Makes the calls, and counts how often each is made."""

    def __init__(self):
        self.made = {}
        self.lock = threading.Lock()

    def make(self, number, failures, *inputs):
        with self.lock:
            attempt = self.made[number] = self.made.get(number, 0) + 1
        if attempt <= failures:
            raise Failed(number)
        return number + sum(sum(part) if isinstance(part, list) else part for part in inputs)


@pytest.mark.own_process
@pytest.mark.parametrize("how", [{"scheduler": "sync"}, {"num_workers": 1}, {"num_workers": 3}], ids=str)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(plan=st.lists(steps, max_size=40), breaks=st.booleans())
def test_each_future_ends_as_it_must(how, plan, breaks):
    """
    1. Futures are submitted that read earlier ones; some fail, some are cancelled, of some the handle is dropped.
    2. Each that is held is done in the end. One that reads what failed or was cancelled ends so itself; any other has
       the value that plain Python gives, unless it was cancelled itself.
    3. No call is made more often than it may be.
    """
    calls = Calls()
    futures, kept, ends = [], [], []
    with raskt.config.set(**how):
        for number, step in enumerate(plan):
            reads = sorted({at % len(futures) for at in step.reads}) if futures else []
            inputs = [futures[at] for at in reads]
            future = submit(
                calls.make,
                number,
                step.failures,
                *([inputs] if step.nested else inputs),
                priority=step.priority,
                retries=step.retries,
            )
            futures.append(future)
            if step.held:
                kept.append((number, future))
            ends.append(allowed(number, step, [ends[at] for at in reads]))
            if step.cancelled:
                future.cancel()
            if breaks and number % 7 == 0:
                time.sleep(0.0005)
    futures.clear()
    everything = [future for _, future in kept]
    done = wait(everything, timeout=30).done
    assert done == set(everything)
    assert len(list(as_completed(everything))) == len(everything)
    for number, future in kept:
        assert outcome(future) in ends[number], (number, plan)
    for number, times in calls.made.items():
        assert times <= min(plan[number].failures, plan[number].retries) + 1
    values = gather(everything, errors="skip")
    assert values == [future.result() for future in everything if future.status == "finished"]


CANCELLED = ("cancelled", None)


def allowed(number, step, inputs):
    """The ends that a future may have, by those of its inputs; which of several comes about is a matter of time."""
    ends = {end for of_input in inputs for end in of_input if end[0] != "finished"}
    values = [value for of_input in inputs for status, value in of_input if status == "finished"]
    if len(values) == len(inputs):
        fails = step.failures > step.retries
        ends.add(("error", number) if fails else ("finished", number + sum(values)))
    if step.cancelled:
        # It may have been over by then.
        ends.add(CANCELLED)
    return ends


def outcome(future):
    try:
        return (future.status, future.result())
    except Failed as error:
        return ("error", error.args[0])
    except CancelledError:
        return CANCELLED
