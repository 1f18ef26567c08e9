"""What users say of work beside what it does."""

from __future__ import annotations

import threading

import pytest

import raskt
import raskt.array as ra
from raskt import annotate, delayed, get_annotations

SCHEDULERS = [{"scheduler": "sync"}, {"num_workers": 1}, {"num_workers": 3}]


class Unsteady:
    """Fails so many times for each argument before it works."""

    def __init__(self, failures):
        self.failures, self.calls, self.lock = failures, {}, threading.Lock()

    def __call__(self, x, *_):
        with self.lock:
            self.calls[x] = self.calls.get(x, 0) + 1
            if self.calls[x] <= self.failures:
                raise OSError(f"{x} failed")
        return x


@pytest.mark.own_process
@pytest.mark.parametrize("how", SCHEDULERS)
def test_a_task_that_fails_is_tried_again(how):
    unsteady = Unsteady(2)
    with annotate(retries=2):
        call = delayed(unsteady)(5)
    assert call.compute(**how) == 5
    assert unsteady.calls == {5: 3}


@pytest.mark.own_process
@pytest.mark.parametrize("how", SCHEDULERS)
def test_and_its_last_failure_is_raised(how):
    unsteady = Unsteady(3)
    with annotate(retries=2):
        call = delayed(unsteady)(5)
    with pytest.raises(OSError, match="5 failed"):
        call.compute(**how)
    assert unsteady.calls == {5: 3}


@pytest.mark.own_process
@pytest.mark.parametrize("how", SCHEDULERS)
def test_each_of_many_tasks_has_its_retries(how):
    unsteady = Unsteady(1)
    with annotate(retries=1):
        calls = [delayed(unsteady)(i) for i in range(200)]
    assert delayed(sum)(calls).compute(**how) == sum(range(200))
    assert set(unsteady.calls.values()) == {2}


@pytest.mark.own_process
def test_only_annotated_tasks_are_tried_again():
    steady, unsteady = Unsteady(0), Unsteady(1)
    before = delayed(steady)(1)
    with annotate(retries=1):
        middle = delayed(unsteady)(2, before)
    after = delayed(Unsteady(1))(3, middle)
    assert raskt.compute(before, middle) == (1, 2)
    with pytest.raises(OSError, match="3 failed"):
        after.compute()


@pytest.mark.parametrize("how", SCHEDULERS)
def test_annotated_and_plain_calls_may_read_each_other_in_turn(how):
    value = delayed(0)
    for step in range(30):
        with annotate(priority=step % 3):
            value = value + 1
        value = value + 10
    assert value.compute(**how) == 330


def test_blocks_inside_blocks_add_to_what_is_said():
    with annotate(priority=1, retries=2):
        with annotate(priority=5, workers="a", colour="red"):
            assert get_annotations() == {"priority": 5, "retries": 2, "workers": ["a"], "colour": "red"}
        assert get_annotations() == {"priority": 1, "retries": 2}
    assert get_annotations() == {}


def test_a_block_is_left_by_an_exception_too():
    with pytest.raises(KeyError), annotate(priority=1):
        raise KeyError
    assert get_annotations() == {}


def test_what_is_said_in_one_thread_is_not_said_in_another():
    seen = []
    with annotate(priority=1):
        thread = threading.Thread(target=lambda: seen.append(get_annotations()))
        thread.start()
        thread.join()
    assert seen == [{}]


def test_higher_priority_runs_earlier():
    order = []
    calls = []
    for priority in [0, 5, -5, 3]:
        with annotate(priority=priority):
            calls.append(delayed(order.append)(priority))
    raskt.compute(*calls, scheduler="sync")
    assert order == [5, 3, 0, -5]


def test_it_decorates_functions():
    @annotate(priority=7)
    def build():
        return get_annotations()

    assert build() == build() == {"priority": 7}


@pytest.mark.own_process
def test_collections_take_what_is_said_where_they_are_computed():
    unsteady = Unsteady(1)

    def block(x):
        unsteady(float(x.sum()))
        return x

    x = ra.ones((4,), chunks=2).map_blocks(block, dtype=float)
    with pytest.raises(OSError):
        x.sum().compute()
    unsteady.calls.clear()
    with annotate(retries=5):
        assert x.sum().compute() == 4


@pytest.mark.parametrize(
    ("said", "error", "match"),
    [
        ({"priority": "high"}, TypeError, "whole number"),
        ({"priority": 2**31}, ValueError, "priority"),
        ({"retries": -1}, ValueError, "retries"),
        ({"retries": True}, TypeError, "retries"),
        ({"resources": {"gpu": -1}}, ValueError, "gpu"),
        ({"resources": {"gpu": "one"}}, TypeError, "gpu"),
        ({"workers": [1]}, TypeError, "names of workers"),
        ({"workers": 3}, TypeError, "name of a worker"),
        ({"resources": 3}, TypeError, "dictionary of amounts"),
        ({"priority": lambda key: 1}, NotImplementedError, "function of the key"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(said, error, match):
    with pytest.raises(error, match=match):
        annotate(**said)


def test_resources_and_workers_do_not_keep_work_from_running_here():
    with annotate(workers=["elsewhere"], allow_other_workers=True, note="kept"):
        assert delayed(abs)(-1).compute() == 1
