"""Computations of one call within a task, which the task's own thread makes at once."""

import contextvars
import threading
import time

import pytest

import raskt
from raskt import delayed
from raskt.diagnostics import Callback


def call(function, *args, **options):
    """What `function` gives, computed within a task."""
    return delayed(lambda: delayed(function)(*args).compute(**options))().compute()


@pytest.mark.own_process
def test_the_thread_that_waits_makes_the_call():
    own, inner = delayed(lambda: (threading.get_ident(), delayed(threading.get_ident)().compute()))().compute()
    assert inner == own


def test_it_gives_what_the_call_gives_as_often_as_asked():
    def outer():
        one = delayed(lambda: [1])()
        return raskt.compute(one, one, {"a": one})

    assert delayed(outer)().compute() == ([1], [1], {"a": [1]})


def test_its_exception_is_raised_as_it_was_raised():
    error = ValueError("no")

    def fails():
        raise error

    def outer():
        with pytest.raises(ValueError, match="no") as caught:
            delayed(fails)().compute()
        return caught.value is error, delayed(int)("7").compute()

    assert delayed(outer)().compute() == (True, 7)


@pytest.mark.own_process
def test_what_it_sets_of_context_variables_stays_with_it():
    variable = contextvars.ContextVar("variable")

    def inner():
        found = variable.get()
        variable.set("inner")
        return found

    def outer():
        variable.set("outer")
        return delayed(inner)().compute(), variable.get()

    assert delayed(outer)().compute() == ("outer", "outer")


def test_retries_are_tried():
    tries = []

    def sometimes():
        tries.append(1)
        if len(tries) < 3:
            raise OSError("not yet")
        return len(tries)

    def outer():
        with raskt.annotate(retries=2):
            return delayed(sometimes)().compute()

    assert delayed(outer)().compute() == 3


@pytest.mark.parametrize("options", [{}, {"num_workers": 3}, {"scheduler": "sync"}, {"scheduler": "threads"}])
def test_it_runs_where_it_is_asked_to(options):
    assert call(lambda x: x + 1, 1, **options) == 2


@pytest.mark.parametrize("depth", [1, 7, 8, 9, 60, 400])
def test_calls_within_calls_of_any_depth(depth):
    def down(left):
        return 0 if left == 0 else 1 + delayed(down)(left - 1).compute()

    before = threading.active_count()
    assert delayed(down)(depth).compute() == depth
    assert threading.active_count() <= before + 64


@pytest.mark.own_process
def test_a_call_that_computes_more_lends_its_slot_once():
    """Each of them has one slot to lend, in however many computations it is."""

    def inner(x):
        return sum(raskt.compute(*[delayed(lambda y: y)(x + i) for i in range(5)], num_workers=2))

    def outer(x):
        return delayed(inner)(x).compute(num_workers=2)

    made = raskt.compute(*[delayed(outer)(x) for x in range(200)], num_workers=2)
    assert list(made) == [5 * x + 10 for x in range(200)]
    # All slots are back: two tasks that need each other still run at the same time.
    barrier = threading.Barrier(2)
    raskt.compute(delayed(barrier.wait)(10), delayed(lambda: barrier.wait(10))(), num_workers=2)


@pytest.mark.own_process
def test_a_cancelled_task_begins_no_more():
    begun = []

    def inner(x):
        begun.append(x)
        time.sleep(0.01)

    def outer():
        for x in range(10_000):
            delayed(inner)(x).compute()

    def fails():
        while not begun:
            time.sleep(0.001)
        raise KeyError("stop")

    with pytest.raises(KeyError):
        raskt.compute(delayed(outer)(), delayed(fails)(), num_workers=2)
    time.sleep(0.1)
    count = len(begun)
    time.sleep(0.1)
    assert len(begun) == count < 1000


def test_callbacks_are_told_of_it():
    totals = []

    class Note(Callback):
        def start(self, total):
            totals.append(total)

    with Note():
        assert call(lambda: 5) == 5
    assert totals == [1, 1]


def test_what_is_kept_and_read_is_the_same_object():
    kept = delayed(lambda: ["kept"])().persist()
    same, value = delayed(lambda: (kept.compute() is kept.compute(), kept.compute()))().compute()
    assert (same, value) == (True, ["kept"])


def test_a_variable_that_a_task_sets_is_unset_in_the_next_computation():
    variable = contextvars.ContextVar("variable", default=0)
    for number in range(1, 5):
        raskt.compute(*[delayed(variable.set)(number) for _ in range(8)])
        assert raskt.compute(*[delayed(variable.get)() for _ in range(8)]) == (0,) * 8


def test_what_a_thread_keeps_for_itself_stays_from_one_computation_to_the_next():
    local = threading.local()

    def count(_):
        local.count = getattr(local, "count", 0) + 1
        return local.count

    # As in any pool of threads: more calls than threads, so that some thread has several.
    counts = [raskt.compute(*[delayed(count)(i) for i in range(8)]) for _ in range(8)]
    assert max(map(max, counts)) > 1
