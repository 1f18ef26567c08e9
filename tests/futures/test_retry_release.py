"""Calls that are made again after they have failed, and handles that let go."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest

import raskt
from raskt.futures import CancelledError, TimeoutError, as_completed, gather, submit, wait


class Big:
    pass


def inc(x):
    return x + 1


@pytest.fixture(params=[{"scheduler": "sync"}, {"num_workers": 2}], ids=str)
def how(request):
    with raskt.config.set(**request.param):
        yield request.param


class Shaky:
    """Fails as long as it is told to."""

    def __init__(self):
        self.fails = True
        self.calls = 0

    def __call__(self, x=0):
        self.calls += 1
        if self.fails:
            raise ValueError(f"call {self.calls}")
        return x + 1


# --- retry ---


@pytest.mark.own_process
def test_a_failed_call_is_made_again(how):
    shaky = Shaky()
    future = submit(shaky, 1)
    with pytest.raises(ValueError, match="call 1"):
        future.result()
    future.retry()
    with pytest.raises(ValueError, match="call 2"):
        future.result()
    shaky.fails = False
    future.retry()
    assert future.result() == 2 and future.status == "finished"
    # What is done stays done.
    future.retry()
    assert future.result() == 2 and shaky.calls == 3


@pytest.mark.own_process
def test_the_call_that_was_the_reason_is_made_again_too(how):
    shaky = Shaky()
    first = submit(shaky)
    middle = submit(inc, first)
    last = submit(sum, [middle, first, middle])
    with pytest.raises(ValueError, match="call 1"):
        last.result()
    shaky.fails = False
    last.retry()
    assert last.result() == 5
    assert (first.result(), middle.result(), shaky.calls) == (1, 2, 2)


@pytest.mark.own_process
def test_inputs_that_were_on_their_way_are_waited_for():
    """
    1. A call reads one future that fails and one that takes its time; it fails with the first.
    2. It is tried again before the slow one is done, and waits for both, twice over.
    """
    gate, shaky = threading.Event(), Shaky()
    with raskt.config.set(num_workers=3):
        slow = submit(lambda: gate.wait(20) and 10)
        bad = submit(shaky)
        both = submit(lambda *given: sum(given), slow, bad, slow)
        for _ in range(3):
            with pytest.raises(ValueError):
                both.result(timeout=20)
            both.retry()
        with pytest.raises(ValueError):
            both.result(timeout=20)
        shaky.fails = False
        both.retry()
        with pytest.raises(TimeoutError):
            both.result(timeout=0.05)
        gate.set()
        assert both.result(timeout=20) == 21


@pytest.mark.own_process
def test_what_was_cancelled_stays_cancelled():
    gate = threading.Event()
    with raskt.config.set(num_workers=1):
        blocker, future = submit(gate.wait, 20), submit(inc, 1)
        assert future.cancel()
        future.retry()
        gate.set()
        assert blocker.result()
        with pytest.raises(CancelledError):
            future.result()


@pytest.mark.own_process
def test_a_call_that_is_made_again_can_be_cancelled():
    gate = threading.Event()
    with raskt.config.set(num_workers=1):
        shaky = Shaky()
        future = submit(shaky)
        wait(future)
        blocker = submit(gate.wait, 20)
        future.retry()
        assert future.status == "pending" and future.cancel()
        gate.set()
        assert blocker.result()
    with pytest.raises(CancelledError):
        future.result()
    assert shaky.calls == 1


@pytest.mark.own_process
def test_a_retried_call_arrives_once_more(how):
    shaky = Shaky()
    future = submit(shaky)
    assert list(as_completed([future])) == [future]
    shaky.fails = False
    future.retry()
    assert [done.result() for done in as_completed([future])] == [1]


@pytest.mark.own_process
def test_own_retries_count_anew(how):
    shaky = Shaky()
    future = submit(shaky, retries=2)
    wait(future)
    assert shaky.calls == 3
    future.retry()
    wait(future)
    assert shaky.calls == 6


# --- release ---


@pytest.mark.own_process
def test_a_released_handle_holds_nothing(how):
    made = []

    def make():
        big = Big()
        made.append(weakref.ref(big))
        return big

    future = submit(make)
    wait(future)
    key = future.key
    future.release()
    gc.collect()
    assert made[0]() is None
    assert (future.status, future.key) == ("cancelled", key)
    with pytest.raises(CancelledError, match="its handle was released"):
        future.result()
    future.release()
    assert future.done() and future.cancelled() and hash(future) == hash(future)


@pytest.mark.own_process
def test_other_handles_and_calls_keep_the_result(how):
    future = submit(inc, 1, key="kept")
    other = submit(inc, 1, key="kept")
    reader = submit(inc, future)
    nested = submit(sum, [future, 1])
    future.release()
    assert (other.result(), reader.result(), nested.result()) == (2, 3, 3)
    assert gather([other, reader]) == [2, 3]
    assert future == other


@pytest.mark.own_process
def test_a_released_call_that_nobody_reads_is_not_made():
    gate, calls = threading.Event(), []
    with raskt.config.set(num_workers=1):
        blocker = submit(gate.wait, 20)
        future = submit(calls.append, 1)
        future.release()
        gate.set()
        assert blocker.result()
        submit(inc, 1).result()
    assert calls == []
